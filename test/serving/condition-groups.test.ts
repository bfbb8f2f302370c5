/** Groups of responses chosen by one lookup: the same choice, and the same work, as evaluating them one by one. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileOperator, isOperatorTest } from '../../src/model/mocks/definition/operators.ts';
import { RequestView } from '../../src/serving/matching/request/request-view.ts';
import { RouteTargets, type TargetValues } from '../../src/serving/matching/request/condition-target.ts';
import { compile, define, request, response, route, rule } from '../support/mocks.ts';
import { runs } from '../support/effort.ts';
import type { MatchCondition } from '../../src/model/mocks/definition/condition-schema.ts';

const TEXTS = ['', 'a', 'b', 'ab', 'ba', '1', '12345678901234567', 'b'.repeat(40)];
const text = fc.constantFrom(...TEXTS);
const json = fc.oneof(text, fc.constantFrom(1, 12, null, true), fc.array(text, { maxLength: 3 }));

const asked = fc
  .record({
    query: fc.array(text, { maxLength: 3 }),
    header: fc.array(text, { maxLength: 3 }),
    a: json,
    list: fc.array(json),
  })
  .map(({ query, header, a, list }) => ({
    ...request('POST', '/', {
      body: `{"a":${JSON.stringify(a)},"n":12345678901234567,"list":${JSON.stringify(list)}}`,
    }),
    query: query.map((value) => `a=${value}`).join('&'),
    headers: header.flatMap((value) => ['x-a', value]),
  }));

type Place = readonly [MatchCondition['target'], string];

const OF_HEAD: readonly Place[] = [
  ['query', 'a'],
  ['header', 'X-A'],
];
const OF_BODY: readonly Place[] = [
  ['body', 'a'],
  ['body', 'n'],
  ['body', ''],
  ['body', '$.a'],
  ['body', '$.list[-1]'],
  ['body', '$.list[*]'],
];

/** The first rule that holds, each evaluated alone. */
function oneByOne(rules: readonly MatchCondition[], target: TargetValues, view: RequestView): number {
  for (const [index, { operator, value }] of rules.entries()) {
    if (view.work < 0) break;
    const holds = compileOperator(operator, value);
    if (isOperatorTest(holds) && holds(target(view), view)) return index;
  }
  return rules.length;
}

function agree(
  rules: readonly MatchCondition[],
  on: ReturnType<typeof request>,
  work: number,
): { chosen: number[]; left: number[] } {
  const [{ target: where, property, operator }] = rules as [MatchCondition];
  const responses = rules.map((one) => response({ rules: [one] }));
  const mock = compile(define([route('POST /', [...responses, response({ default: true })])]));
  const [compiled] = mock.routes;
  const views = [0, 1].map(() => new RequestView(on, [], { params: [] }, 1)) as [RequestView, RequestView];
  for (const view of views) view.work = work;
  return {
    chosen: [
      compiled?.choose(views[0]) ?? -1,
      oneByOne(rules, new RouteTargets(true).compile(where, property, operator), views[1]),
    ],
    left: views.map((view) => (view.work < 0 ? -1 : view.work)),
  };
}

describe('responses whose rules differ only in their value', () => {
  test.each([
    { operator: 'equals', places: [...OF_HEAD, ...OF_BODY] },
    { operator: 'regex', places: OF_HEAD },
  ] as const)('$operator: choose and take what they do one by one, to the last unit', ({ operator, places }) => {
    fc.assert(
      fc.property(
        fc.constantFrom(...places),
        fc.array(text, { minLength: 1, maxLength: 8 }),
        asked,
        fc.oneof(fc.constant(1_000_000), fc.nat(3_000)),
        ([where, property], values, on, work) => {
          const rules = values.map((value) => rule(where, property, operator, value));
          const { chosen, left } = agree(rules, on, work);
          expect(left[0]).toBe(left[1]);
          // With the budget used up, the choice is arbitrary: the reply is 500.
          if (left[0] !== -1) expect(chosen[0]).toBe(chosen[1]);
        },
      ),
      { numRuns: runs(2_000) },
    );
  });
});
