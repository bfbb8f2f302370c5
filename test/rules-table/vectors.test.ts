/** The table of what rules do, through the function. Through HTTP: test/api/evaluate-vectors.test.ts. */
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { NONE_CHECKED } from '../../src/model/pairs/source-pattern.ts';
import { ruleParser, type RuleDraft } from '../../src/model/rule-payload.ts';
import { compileRule } from '../../src/rules-table/compile-rule.ts';
import { evaluate } from '../../src/rules-table/evaluate.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';
import {
  expectVector,
  isCode,
  NAMED,
  questionOf,
  VECTORS,
  type Answered,
  type Vector,
} from '../support/gateway-vectors.ts';

test('there are 94 vectors', () => {
  expect(VECTORS).toHaveLength(94);
  expect(VECTORS.filter(isCode)).toHaveLength(7);
});

test.each(NAMED)('%s', (_, vector) => expectVector(vector, evaluateVector(vector)));

const parse = ruleParser(DEFAULT_LIMITS);

function evaluateVector(vector: Vector): Answered {
  const { rules, groups = [] } = vector;
  const compiled = rules.map((rule, index) =>
    compileRule({
      ...(parse(rule, NONE_CHECKED) as RuleDraft),
      id: rule.id,
      groupId: rule.groupId,
      createdVersion: index,
    }),
  );
  const inactive = groups.filter(({ status }) => status === 'Inactive').map(({ id }) => id);
  const { request, response } = questionOf(vector);
  const evaluation = evaluate(
    tableOf(compiled, new Set(inactive)),
    {
      request: withBytes(request),
      response: response === undefined || 'failed' in response ? response : withBytes(response),
    },
    { details: 'applied' },
  );
  if (typeof evaluation === 'string') throw new Error(evaluation);
  const { request: asked, response: answered } = evaluation;
  return { ...evaluation, request: withText(asked), response: answered && withText(answered) };
}

function withBytes<Message extends { readonly body?: string }>(message: Message) {
  return { ...message, body: message.body === undefined ? undefined : Buffer.from(message.body) };
}

function withText<Message extends { readonly body: Buffer | undefined }>(message: Message) {
  return { ...message, body: message.body?.toString('utf8') };
}
