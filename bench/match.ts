/**
 * What matching and rendering cost per mocked request, without a server: nanoseconds of findRoute and answerRequest together.
 *
 * `npx tsx bench/match.ts`. design.md allows well under a microsecond over what uWebSockets.js takes itself.
 */
import { answerRequest } from '../src/serving/matching/answer-request.ts';
import { findRoute } from '../src/serving/matching/find-route.ts';
import type { MockRequest } from '../src/serving/matching/mock-request.ts';
import { always, compile, define, request, response, route, rule } from '../test/support/mocks.ts';

const ROUNDS = 5;

export interface MatchCase {
  readonly name: string;
  readonly nanoseconds: number;
}

/** @param repetitions Of each case in each of five rounds; the fastest round counts. */
export function measureMatching(repetitions: number): MatchCase[] {
  const role = (value: string) => [rule('body', 'user.role', 'equals', value)];
  const parameters = Array.from({ length: 1_000 }, (_, index) => route(`GET /group${index}/:id/posts/:post`));
  const routes = [
    ...Array.from({ length: 1_000 }, (_, index) => route(`GET /api/v1/items/${index}`)),
    ...parameters,
    route('POST /body', [response({ rules: role('admin') }), response({ rules: role('user') }), response()]),
    route('GET /header', [response({ rules: [rule('header', 'X-Role', 'equals', 'admin')] }), response()]),
    route('GET /regex', [response({ rules: [rule('query', 'q', 'regex', '^a+b$')] }), response()]),
    route('GET /template/:id', [
      response({ templated: true, body: `{"id":"{{urlParam 'id'}}","q":"{{queryParam 'q'}}"}` }),
    ]),
  ];
  const body = JSON.stringify({ user: { role: 'user', name: 'Someone' }, n: 12_345 });
  const cases: readonly (readonly [string, MockRequest])[] = [
    ['static, first of 1,000', request('GET', '/api/v1/items/0')],
    ['static, last of 1,000', request('GET', '/api/v1/items/999')],
    ['parameters, first of 1,000', request('GET', '/group0/12/posts/abc')],
    ['parameters, last of 1,000', request('GET', '/group999/12/posts/abc')],
    ['JSON body rule, 50 bytes', request('POST', '/body', { body })],
    ['header rule', request('GET', '/header', { headers: { host: 'x', accept: '*/*', 'x-role': 'admin' } })],
    ['pattern on a query parameter', request('GET', '/regex?q=aaaaab')],
    ['template, two helpers', request('GET', '/template/42?q=1')],
  ];
  return (['specific', 'listed'] as const).flatMap((precedence) => {
    const mock = compile(define(routes, { precedence }));
    const single = compile(define([route('GET /only')], { precedence }));
    return [
      {
        name: `${precedence}: static, the only one`,
        nanoseconds: measure(single, request('GET', '/only'), repetitions),
      },
      ...cases.map(([name, asked]) => ({
        name: `${precedence}: ${name}`,
        nanoseconds: measure(mock, asked, repetitions),
      })),
    ];
  });
}

function measure(mock: ReturnType<typeof compile>, asked: MockRequest, repetitions: number): number {
  const counter = always(1);
  let fastest = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now();
    for (let count = 0; count < repetitions; count++) {
      const found = findRoute(mock, asked.method, asked.path);
      if (found === undefined) throw new Error(`${asked.path} has no route`);
      answerRequest(found, asked, counter);
    }
    fastest = Math.min(fastest, performance.now() - started);
  }
  return Math.round((fastest * 1e6) / repetitions);
}

if (process.argv[1] === import.meta.filename) console.table(measureMatching(200_000));
