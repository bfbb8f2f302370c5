/** Choosing among responses by their rules: all are candidates, and the last one's hold. */
import { equal } from 'node:assert/strict';
import { answerRequest } from '../../../src/serving/matching/answer-request.ts';
import type { FoundRoute } from '../../../src/serving/matching/compile/compiled-mock.ts';
import { findRoute } from '../../../src/serving/matching/routing/find-route.ts';
import type { MockAnswer, MockRequest } from '../../../src/serving/matching/request/mock-request.ts';
import { always, compile, define, request, response, route, rule } from '../../../test/support/mocks.ts';
import { bodyText, type MicroCase } from '../micro-function.ts';
import type { MatchCondition } from '../../../src/model/mocks/definition/condition-schema.ts';

export const UNIT = 'responses';

export const SIZES = [1, 10, 100] as const;

export function prepare(size: number): MicroCase[] {
  const last = size - 1;
  const headers = { host: 'shop.example.com', accept: '*/*', 'user-agent': 'test/1.0', 'x-plan': `plan${last}` };
  const body = JSON.stringify({ kind: 'order', user: { plan: `plan${last}`, id: 12_345 } });
  const get = request('GET', `/?page=1&plan=plan${last}`, { headers });
  const post = request('POST', '/', { headers: { ...headers, 'content-type': 'application/json' }, body });
  return [
    evaluate('query', size, get, (plan) => rule('query', 'plan', 'equals', plan)),
    evaluate('header', size, get, (plan) => rule('header', 'X-Plan', 'equals', plan)),
    evaluate('JSON body', size, post, (plan) => rule('body', 'user.plan', 'equals', plan)),
    evaluate('JSONPath', size, post, (plan) => rule('body', '$.user.plan', 'equals', plan)),
    evaluate('regex', size, get, (plan) => rule('query', 'plan', 'regex', `^(silver|${plan})$`)),
  ];
}

function evaluate(name: string, size: number, asked: MockRequest, ruleOf: (plan: string) => MatchCondition): MicroCase {
  const responses = Array.from({ length: size }, (_, index) =>
    response({ status: 201, body: `${index}`, rules: [ruleOf(`plan${index}`)] }),
  );
  const mock = compile(define([route(`${asked.method} /`, [...responses, response({ default: true, status: 404 })])]));
  const found = findRoute(mock, asked.method, asked.path) as FoundRoute;
  const counter = always(1);
  return {
    name,
    run: () => answerRequest(found, asked, counter),
    check: (answer) => equal(bodyText(answer as MockAnswer), `${size - 1}`),
  };
}
