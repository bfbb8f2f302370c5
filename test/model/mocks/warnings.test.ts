/**
 * The warnings of the diff before a save: routes and responses that never answer, or answer otherwise than they seem
 * to.
 */
import { describe, expect, test } from 'vitest';
import { diffStaged } from '../../../src/model/mocks/show/diff.ts';
import { newRevision } from '../../../src/model/mocks/mock.ts';
import { warningsOf } from '../../../src/model/mocks/show/warnings.ts';
import { cpuMs } from '../../support/cpu-ms.ts';
import { define, response, route, rule } from '../../support/mocks.ts';

const warnings = (routes: Parameters<typeof define>[0], settings = {}): string[] =>
  warningsOf(define(routes, settings)).map(({ routeId, warning }) => {
    const { method, path } = routes.find(({ id }) => id === routeId) as { method: string; path: string };
    return `${method} ${path} ${warning.replaceAll(/ \(\w+\)/g, '')}`;
  });

describe('a shadowed route', () => {
  test.each([
    ['ANY /*', 'GET /b', 'listed', true],
    ['GET /:id', 'GET /b', 'listed', true],
    ['GET /a/:id?', 'GET /a', 'listed', true],
    ['GET /a/:id?', 'GET /a/:other', 'listed', true],
    ['GET /a/*', 'GET /a/b/c', 'listed', true],
    ['GET /a/:id', 'GET /a/:id?', 'listed', false],
    ['GET /a/:id', 'GET /a/*', 'listed', false],
    ['POST /*', 'GET /b', 'listed', false],
    ['GET /b', 'ANY /*', 'listed', false],
    ['GET /a/b', 'GET /:x/b', 'listed', false],
    ['ANY /*', 'GET /b', 'specific', false],
    ['GET /:id', 'GET /:name', 'specific', true],
    ['GET /b/', 'GET /b', 'specific', true],
    ['GET /b', 'GET /b', 'listed', true],
  ])('%s before %s under %s: %s', (first, second, precedence, isShadowed) => {
    expect(warnings([route(first), route(second)], { precedence })).toEqual(
      isShadowed ? [`${second} is shadowed by ${first}`] : [],
    );
  });

  test('is not reported after a disabled one', () => {
    expect(warnings([route('GET /a', undefined, { enabled: false }), route('GET /a')])).toEqual([]);
  });
});

test.each([
  ['GET /users/{id}', ['has {id} in its path, which is literal text: write :id for a parameter']],
  ['GET /{a}/{b_c}', ['has {a} in its path, which is literal text: write :a for a parameter']],
  ['GET /files/{name}.json', ['has {name} in its path, which is literal text: write :name for a parameter']],
  ['GET /v/{user.id}', ['has {user.id} in its path, which is literal text: write :name for a parameter']],
  ['GET /{}', []],
  ['GET /%7Bid%7D', []],
  ['GET /:id', []],
])('a path with {name}: %s', (spec, expected) => {
  expect(warnings([route(spec)])).toEqual(expected.map((warning) => `${spec} ${warning}`));
});

test('an OPTIONS route gets preflights before an earlier ANY route, only with `cors`', () => {
  const routes = [route('ANY /*'), route('OPTIONS /a')];
  expect(warnings(routes, { precedence: 'listed', cors: true })).toEqual([]);
  expect(warnings(routes, { precedence: 'listed', cors: false })).toEqual(['OPTIONS /a is shadowed by ANY /*']);
});

test('of too many warnings, those of the edited route come first', () => {
  const wrong = (path: string) => route(`GET ${path}`, [response({ body: '{{uuid}}' })]);
  const routes = Array.from({ length: 150 }, (_, index) => wrong(`/${index}`));
  const last = routes.at(-1) as (typeof routes)[number];
  expect(warningsOf(define(routes))).toHaveLength(100);
  expect(warningsOf(define(routes)).some(({ routeId }) => routeId === last.id)).toBe(false);
  const first = warningsOf(define(routes), last.id);
  expect(first).toHaveLength(100);
  expect(first[0]?.routeId).toBe(last.id);
});

describe('a response', () => {
  test('with a rule on a parameter that the path does not have', () => {
    const responses = [response({ rules: [rule('urlParam', 'nr', 'equals', '1'), rule('urlParam', 'id', 'exists')] })];
    expect(warnings([route('GET /a/:id', responses)])).toEqual([
      'GET /a/:id has a condition on nr, which is not a parameter of the path',
    ]);
    const rest = [response({ rules: [rule('urlParam', '*', 'exists')] })];
    expect(warnings([route('GET /a/*', rest)])).toEqual([]);
  });

  test('that is never chosen', () => {
    expect(warnings([route('GET /a', [response(), response()])])).toEqual(['GET /a is never chosen']);
    expect(warnings([route('GET /a', [response(), response()], { selection: 'sequential' })])).toEqual([]);
    expect(warnings([route('GET /a', [response(), response({ weight: 0 })], { selection: 'random' })])).toEqual([
      'GET /a is never chosen',
    ]);
  });

  test('that is never chosen, although requests may name responses', () => {
    const json = { headers: [{ name: 'content-type', value: 'application/json' }] };
    const never = (given: Parameters<typeof response>[0][]): number[] => {
      const responses = given.map((each) => response(each));
      const [other, off] = [true, false].map((forced) =>
        warningsOf(define([route('GET /a', responses)], { forced })).map(({ responseId }) =>
          responses.findIndex(({ id }) => id === responseId),
        ),
      );
      expect(off).toEqual(responses.slice(1).map((_, index) => index + 1));
      return other ?? [];
    };
    expect(never([{}, { status: 404 }, json, { label: 'b' }])).toEqual([]);
    expect(never([{}, {}, { label: 'a' }, { label: ' a ' }, { label: 'a', status: 404 }, { status: 404 }])).toEqual([
      1, 3, 5,
    ]);
    expect(never([{ label: 'a' }, { label: 'a', ...json }, json])).toEqual([2]);
  });

  test('whose template has an unknown helper, in body or header, inside a repetition or not', () => {
    const headers = [{ name: 'x', value: '{{req.path}}' }];
    const body = '{{nope}} {{method}} {{#repeat 2}}{{randomInt a b}}{{/repeat}} {{{"json":1}}}';
    expect(warnings([route('GET /a', [response({ body, headers, templated: true })])])).toEqual([
      'GET /a sends {{nope}} unchanged: no helper has this form',
      'GET /a sends {{randomInt a b}} unchanged: no helper has this form',
      'GET /a sends {{req.path}} unchanged: no helper has this form',
    ]);
  });

  test('that has helpers but is not templated', () => {
    expect(warnings([route('GET /a', [response({ body: '{"id":"{{uuid}}"}' })])])).toEqual([
      'GET /a has helpers in braces, but `templated` is false',
    ]);
    expect(warnings([route('GET /a', [response({ body: '{{else}} {"a":{"b":{}}}' })])])).toEqual([]);
  });
});

test('weights that are all 0', () => {
  const responses = [response({ weight: 0 }), response({ weight: 0 })];
  expect(warnings([route('GET /a', responses, { selection: 'random' })])).toEqual([
    'GET /a has no weight above 0: its first response is always chosen',
  ]);
});

test('the diff of many routes does not take quadratic time', () => {
  const copy = {
    settings: define([]).settings,
    routes: Array.from({ length: 5_000 }, (_, index) => newRevision(index + 1, route(`GET /${index}`))),
  };
  const ms = cpuMs(() => {
    expect(diffStaged({ saved: copy, staged: copy })).toMatchObject({
      routesChanged: [],
      routesReordered: false,
      warnings: [],
    });
  });
  expect(ms).toBeLessThan(700);
});

// reaches WARNINGS_WORK_MAX
test('a large mock is examined in parts, one by each answer', () => {
  const misspelt = response({ body: '{{uid}}'.repeat(100_000), templated: true });
  const parts = define(Array.from({ length: 10 }, (_, index) => route(`GET /${index}`, [{ ...misspelt }])));
  const found = Array.from({ length: 11 }, () => warningsOf(parts).length);
  expect(found).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10]);

  const paths = define(Array.from({ length: 100 }, () => route(`GET /${'%20'.repeat(6_000)}`)));
  expect(warningsOf(paths).length).toBeLessThan(40);
  for (let answer = 0; answer < 4; answer++) warningsOf(paths);
  expect(warningsOf(paths)).toHaveLength(99);
});

test('many routes with parameters are checked in bounded time', () => {
  const routes = Array.from({ length: 5_000 }, (_, index) => route(`GET /${index}/:a/:b/:c`));
  const ms = cpuMs(() => {
    expect(warnings(routes, { precedence: 'listed' })).toEqual([]);
  });
  expect(ms).toBeLessThan(2_000);
});
