/** The table of gateway.md: each rule with a request and what must come of it. One adapter maps its shape. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import type { PairObject } from '../../src/model/pairs/pair-kind.ts';
import { NONE_CHECKED } from '../../src/model/pairs/source-pattern.ts';
import type { RuleType } from '../../src/model/record-id.ts';
import { ruleParser, type RuleDraft } from '../../src/model/rule-payload.ts';
import { compileRule } from '../../src/rules-table/compile-rule.ts';
import { evaluate, type Upstream } from '../../src/rules-table/evaluate.ts';
import type { HeaderLine } from '../../src/rules-table/header-list.ts';
import type { Evaluation } from '../../src/rules-table/outcome.ts';
import { tableOf } from '../../src/rules-table/rule-table.ts';

type Lines = readonly (readonly [string, string])[];

interface GivenResponse {
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Lines;
  readonly body?: string;
}

interface Vector {
  readonly id: string;
  readonly title: string;
  readonly groups?: readonly { readonly id: string; readonly status: string }[];
  readonly rules: readonly (PairObject & {
    readonly id: string;
    readonly ruleType: RuleType;
    readonly groupId: string;
  })[];
  readonly request: { readonly method: string; readonly url: string; readonly headers: Lines; readonly body?: string };
  readonly upstream?: GivenResponse | { readonly failed: true };
  readonly expect: {
    readonly outcome: string;
    readonly applied: readonly string[];
    readonly skipped?: Readonly<Record<string, string>>;
    readonly location?: string;
    readonly delayMs?: number;
    readonly request?: GivenResponse;
    readonly response?: GivenResponse;
  };
}

const FIXTURE = join(import.meta.dirname, '../fixtures/gateway-vectors.json');
const { vectors } = JSON.parse(readFileSync(FIXTURE, 'utf8')) as { vectors: readonly Vector[] };
const isCode = ({ rules }: Vector): boolean => JSON.stringify(rules).includes('"type":"code"');
const named = (some: readonly Vector[]) => some.map((vector) => [`${vector.id} ${vector.title}`, vector] as const);

test('there are 95 vectors', () => {
  expect(vectors).toHaveLength(95);
  expect(vectors.filter(isCode)).toHaveLength(7);
});

test.each(named(vectors.filter((each) => !isCode(each))))('%s', (_, vector) => {
  const evaluation = evaluateVector(vector);
  const { outcome, applied, skipped = {}, location, delayMs, request, response } = vector.expect;
  expect(evaluation.outcome).toBe(outcome);
  expect([...new Set(evaluation.steps.map(({ ruleId }) => ruleId))]).toEqual(applied);
  if (location !== undefined) expect(evaluation.location).toBe(location);
  if (delayMs !== undefined) expect(evaluation.delayMs).toBe(delayMs);
  if (request !== undefined) expect(shown(evaluation.request)).toMatchObject(request);
  if (response !== undefined) expect(evaluation.response && shown(evaluation.response)).toMatchObject(response);
  expect(reasonsOf(evaluation)).toMatchObject(skipped);
});

test.each(named(vectors.filter(isCode)))('%s: code is off', (_, vector) => {
  const evaluation = evaluateVector(vector);
  expect(evaluation.steps).toEqual([]);
  expect(reasonsOf(evaluation)).toEqual({ [vector.rules[0]?.id ?? '']: 'codeOff' });
  expect(shown(evaluation.request).body).toBe(vector.request.body);
});

const parse = ruleParser(DEFAULT_LIMITS);

function evaluateVector({ rules, groups = [], request, upstream }: Vector): Evaluation {
  const compiled = rules.map((rule, index) =>
    compileRule({
      ...(parse(rule, NONE_CHECKED) as RuleDraft),
      id: rule.id,
      groupId: rule.groupId,
      createdVersion: index,
    }),
  );
  const inactive = groups.filter(({ status }) => status === 'Inactive').map(({ id }) => id);
  const { method, url, headers, body } = request;
  const evaluation = evaluate(
    tableOf(compiled, new Set(inactive)),
    {
      request: { method, url, headers: linesOf(headers), body: body === undefined ? undefined : Buffer.from(body) },
      response: upstream && upstreamOf(upstream),
    },
    { details: 'applied' },
  );
  if (typeof evaluation === 'string') throw new Error(evaluation);
  return evaluation;
}

function upstreamOf(given: NonNullable<Vector['upstream']>): Upstream {
  if ('failed' in given) return { failed: true };
  return { status: given.status ?? 200, headers: linesOf(given.headers ?? []), body: Buffer.from(given.body ?? '') };
}

function linesOf(headers: Lines): HeaderLine[] {
  return headers.map(([name, value]) => ({ name, value }));
}

function shown<Message extends { readonly headers: readonly HeaderLine[]; readonly body: Buffer | undefined }>(
  message: Message,
) {
  return {
    ...message,
    headers: message.headers.map(({ name, value }) => [name, value]),
    body: message.body?.toString('utf8'),
  };
}

function reasonsOf({ skipped }: Evaluation): Record<string, string> {
  return Object.fromEntries(skipped.map(({ ruleId, reason }) => [ruleId, reason]));
}
