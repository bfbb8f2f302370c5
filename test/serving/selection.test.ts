import { describe, expect, test } from 'vitest';
import { answerRequest } from '../../src/serving/matching/answer-request.ts';
import { findOptionsRoute, findRoute } from '../../src/serving/matching/routing/find-route.ts';
import type { FoundRoute } from '../../src/serving/matching/compile/compiled-mock.ts';
import type { MockAnswer } from '../../src/serving/matching/request/mock-request.ts';
import { routesBehind } from '../../src/serving/matching/routing/routes-in-order.ts';
import { nearestRoutes } from '../../src/serving/matching/routing/nearest-routes.ts';
import { cpuMs } from '../support/cpu-ms.ts';
import {
  always,
  compile,
  compiledAnswer,
  define,
  explainedAnswer,
  headLines,
  request,
  response,
  route,
  rule,
} from '../support/mocks.ts';

const GET = request('GET', '/');

function bodies(definition: ReturnType<typeof define>, count: number): string[] {
  const mock = compile(definition);
  return Array.from({ length: count }, (_, index) => compiledAnswer(mock, GET, index + 1)?.body ?? '');
}

const three = [
  response({ body: 'a', weight: 1 }),
  response({ body: 'b', weight: 3 }),
  response({ body: 'c', weight: 0 }),
];

describe('selection', () => {
  test('`sequential` cycles from the first response, regardless of rules', () => {
    const ruled = three.map((each) => ({ ...each, rules: [rule('query', 'never', 'exists')] }));
    expect(bodies(define([route('GET /', ruled, { selection: 'sequential' })]), 5)).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  test('`random` uses weights, also without a seed', () => {
    for (const seed of [null, 7]) {
      const drawn = bodies(define([route('GET /', three, { selection: 'random' })], { seed }), 8_000);
      const share = drawn.filter((body) => body === 'b').length / drawn.length;
      expect(share).toBeGreaterThan(0.72);
      expect(share).toBeLessThan(0.78);
      expect(drawn).not.toContain('c');
    }
  });

  test('`random` with a seed is reproducible; another seed or path gives other draws, a route before it does not', () => {
    const draws = (seed: number, before = 0, path = '/'): string => {
      const others = Array.from({ length: before }, (_, index) => route(`GET /other/${index}`));
      const drawn = route(`GET ${path}`, three.slice(0, 2), { selection: 'random' });
      return bodies(define([...others, drawn], { seed }), 64).join('');
    };
    expect(draws(42)).toBe(draws(42));
    expect(draws(42)).not.toBe(draws(43));
    expect(draws(42)).not.toBe(draws(42 + 2 ** 32));
    expect(draws(42)).toBe(draws(42, 1));
    expect(draws(42)).not.toBe(draws(42, 0, '/:id?'));
  });

  test('`default` chooses the marked response, regardless of rules', () => {
    const marked = [
      response({ body: 'a' }),
      response({ body: 'b', default: true, rules: [rule('query', 'q', 'exists')] }),
    ];
    const definition = define([route('GET /', marked, { selection: 'default' })]);
    expect(bodies(definition, 2)).toEqual(['b', 'b']);
    expect(explainedAnswer(definition, GET)?.body).toBe('b');
  });
});

describe('properties of a compiled route:', () => {
  const only = (...given: Parameters<typeof route>) => compile(define([route(...given)])).routes[0];

  test('static when every request gets the same answer', () => {
    expect(only('GET /:id')).toMatchObject({ staticAnswer: { status: 200 }, needsBody: false, usesCounter: false });
    expect(only('GET /', three, { selection: 'default' })).toMatchObject({ staticAnswer: { status: 200 } });
    expect(only('GET /', [response({ templated: true, body: 'no helper' })])).toMatchObject({
      staticAnswer: { status: 200 },
    });
    expect(only('GET /', three, { selection: 'sequential' })).toMatchObject({
      staticAnswer: undefined,
      usesCounter: true,
    });
    expect(only('GET /', three, { selection: 'random' })).toMatchObject({
      staticAnswer: undefined,
      usesCounter: false,
    });
    expect(only('GET /', [response({ latency: { min: 0, max: 9 } })])).toMatchObject({ staticAnswer: undefined });
    expect(only('GET /', [response({ templated: true, body: '{{now}}' })])).toMatchObject({ staticAnswer: undefined });
  });

  test('needs the body when a rule or a template reads it', () => {
    const ruled = [response({ rules: [rule('body', 'a', 'exists')] }), response()];
    expect(only('POST /', ruled)).toMatchObject({ needsBody: true });
    expect(only('POST /', ruled, { selection: 'sequential' })).toMatchObject({ needsBody: false });
    expect(only('POST /', [response({ templated: true, body: "{{body 'a'}}" })])).toMatchObject({ needsBody: true });
    const inHeader = response({ templated: true, headers: [{ name: 'x', value: '{{#repeat 2}}{{body}}{{/repeat}}' }] });
    expect(only('POST /', [inHeader])).toMatchObject({ needsBody: true });
  });

  test('keeps its index in the definition when routes before it are disabled', () => {
    const mock = compile(define([route('GET /a', undefined, { enabled: false }), route('GET /b')]));
    expect(findRoute(mock, 'GET', '/b')).toMatchObject({ route: { index: 1 }, params: [] });
  });
});

describe('answers', () => {
  test('are ready to be written: one block of headers, a status line, bytes', () => {
    const headers = [
      { name: 'X-A', value: '1' },
      { name: 'X-B', value: '2' },
    ];
    const mock = compile(
      define([route('GET /', [response({ status: 418, headers, body: '4pyT', bodyEncoding: 'base64', latency: 5 })])], {
        latency: 7,
      }),
    );
    const found = findRoute(mock, 'GET', '/');
    const answer = found?.route.staticAnswer as MockAnswer;
    expect(headLines(answer)).toEqual(["418 I'm a Teapot", 'X-A: 1', 'X-B: 2']);
    expect(answer).toMatchObject({
      status: 418,
      body: Uint8Array.from(Buffer.from('✓')).buffer,
      latencyMs: 12,
    });
  });

  test('allow every page with `cors`, except for headers that the response sets', () => {
    const own = response({ headers: [{ name: 'Access-Control-Allow-Origin', value: 'https://a.example' }] });
    const definition = define([route('GET /', [own]), route('GET /b')], { cors: true });
    const mock = compile(definition);
    expect(compiledAnswer(mock, GET)?.headers).toEqual(['Access-Control-Allow-Origin: https://a.example']);
    expect(compiledAnswer(mock, request('GET', '/b'))?.headers).toContain('access-control-allow-origin: *');
  });

  test('have a latency within the bounds of mock and response', () => {
    const mock = compile(define([route('GET /', [response({ latency: { min: 10, max: 20 } })])], { latency: 100 }));
    const found = findRoute(mock, 'GET', '/');
    for (let count = 0; count < 100; count++) {
      const answer = answerRequest(found as NonNullable<typeof found>, GET, always(1));
      expect(answer?.latencyMs).toBeGreaterThanOrEqual(110);
      expect(answer?.latencyMs).toBeLessThanOrEqual(120);
    }
  });

  test('rules that would take too much work for one request are a problem, not a stalled thread', () => {
    const rules = Array.from({ length: 50 }, () => rule('body', '', 'regex', '(a|b|ab)*c'));
    const definition = define([
      route('POST /', [response({ rules, rulesOperator: 'OR' }), response({ body: 'other' })]),
    ]);
    const asked = request('POST', '/', { body: 'ab'.repeat(2_000_000) });
    const ms = cpuMs(() => expect(compiledAnswer(compile(definition), asked)?.problem).toContain('examine more than'));
    expect(ms).toBeLessThan(5_000);
  });
});

test('too much work is the same problem for the compiled mock and the interpreter', () => {
  const rules = Array.from({ length: 50 }, (_, index) => rule('body', '', 'regex', `(x{50}){20}y${index}`));
  const definition = define([route('POST /', [response({ rules, rulesOperator: 'OR' }), response()])]);
  const asked = request('POST', '/', { body: 'x'.repeat(900_000) });
  const problem = compiledAnswer(compile(definition), asked)?.problem;
  expect(problem).toContain('examine more than');
  expect(explainedAnswer(definition, asked)?.problem).toBe(problem);
});

test('a route behind one that hands on is asked, where the first was found with more work than all together may take', () => {
  const next = { otherwise: 'next' } as const;
  const routes = [
    route(`GET /*/${'a/'.repeat(48)}end`, [response({ rules: [rule('query', 'q', 'exists')] })], next),
    route('GET /a/*', [response({ body: 'rest' })]),
  ];
  const mock = compile(define(routes, { precedence: 'listed' }));
  const path = `${'/a'.repeat(6_000)}/end`;
  expect(findRoute(mock, 'GET', path)?.route.index).toBe(0);
  expect(compiledAnswer(mock, request('GET', path))?.body).toBe('rest');
});

test('what comes behind a route is not looked for before it hands on', () => {
  const rules = [rule('query', 'q', 'exists')];
  const routes = ['/a', '/:x'].map((path) => route(`GET ${path}`, [response({ rules })], { otherwise: 'next' }));
  const found = findRoute(compile(define(routes)), 'GET', '/a') as FoundRoute;
  const matching = {
    [Symbol.iterator]: (): never => {
      throw new Error('looked for');
    },
  };
  const answer = answerRequest(found, request('GET', '/a?q'), always(1, 1), routesBehind(matching, found));
  expect(answer).toMatchObject({ status: 200 });
});

test('the nearest routes of a miss: the same path for other methods first, then similar routes', () => {
  const mock = compile(
    define(
      ['POST /users/:id', 'GET /user', 'GET /Users/list', 'GET /orders/:id/items', 'DELETE /users/:id'].map((spec) =>
        route(spec),
      ),
    ),
  );
  const nearest = nearestRoutes(mock, 'GET', '/users/7').routes.map(({ method, path }) => `${method} ${path}`);
  expect(nearest.slice(0, 2)).toEqual(['POST /users/:id', 'DELETE /users/:id']);
  expect(nearest).toContain('GET /Users/list');
  expect(nearestRoutes(mock, 'PUT', '/nothing/alike/at/all')).toEqual({ routes: [], declaredFor: [] });
  const optional = compile(define([route('GET /items/:id/:more?')]));
  expect(nearestRoutes(optional, 'GET', '/itemz/7')).toEqual(nearestRoutes(optional, 'GET', '/itemz/7/8'));
  expect(nearestRoutes(optional, 'GET', '/itemz/7').routes).toHaveLength(1);
  expect(findOptionsRoute(mock, '/users/7')).toBeUndefined();
});

test('of the nearest routes, those come first whose text and patterns a segment matches', () => {
  const specs = ['/files/:id.json/a', String.raw`/files/:id(\d+)/a`, '/files/:name.xml/a', '/:x(v1)', '/:x(a)?/files'];
  const mock = compile(define(specs.map((path) => route(`GET ${path}`))));
  const nearest = (path: string) => nearestRoutes(mock, 'GET', path).routes.map((each) => each.path);
  expect(nearest('/files/7/b')[0]).toBe(String.raw`/files/:id(\d+)/a`);
  expect(nearest('/files/%37.xml/b')[0]).toBe('/files/:name.xml/a');
  expect(nearest('/files/x/b')[0]).toBe('/files/:id.json/a');
  // Nothing of it is alike: as a parameter, it was.
  expect(nearest('/v2')).not.toContain('/:x(v1)');
});
