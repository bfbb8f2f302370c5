/** The list that exporters write: the first of its routes that matches a request is the route that is served. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listedRoutes } from '../../src/interchange/stubs/listed-routes.ts';
import type { MockRoute } from '../../src/model/mocks/definition/definition.ts';
import { findRoute } from '../../src/serving/matching/routing/find-route.ts';
import { runs } from '../support/effort.ts';
import { compile, define, route } from '../support/mocks.ts';

/** What a route serves a request, in the order of a list. */
function firstOf(routes: readonly MockRoute[], method: string, path: string): string | undefined {
  return findRoute(compile(define([...routes], { precedence: 'listed' })), method, path)?.route.id;
}

function served(routes: readonly MockRoute[], method: string, path: string): string | undefined {
  return findRoute(compile(define([...routes])), method, path)?.route.id;
}

test.each([
  ['text of equal length, with and without a pattern', ['GET /v:n', 'GET /v:n(\\d+)'], '/v1'],
  ['two patterns', ['GET /:n(\\w+)', 'GET /:n([a-z]+)'], '/ab'],
  ['an optional parameter that is there', ['GET /a/:x?', 'GET /a/:y'], '/a/1'],
  ['an optional pattern that is there', ['GET /a/:n(\\d+)?', 'GET /a/:n(\\d+)'], '/a/1'],
  ['HEAD before GET', ['GET /a', 'HEAD /a'], '/a'],
])('%s', (_, specs, path) => {
  for (const routes of [specs.map((spec) => route(spec)), specs.toReversed().map((spec) => route(spec))]) {
    for (const method of ['GET', 'HEAD']) {
      expect(firstOf(listedRoutes(define(routes)), method, path)).toBe(served(routes, method, path));
    }
  }
});

const SEGMENTS = ['a', 'v1', ':x', 'v:x', ':x1', ':x(\\d+)', 'v:x(\\d+)', ':x(\\w+)', ':x.js'];
const TEXTS = ['a', 'v1', '1', 'b.js', 'ab'];
const path = (segments: readonly string[]): string => `/${segments.join('/')}`;

const routeArb = fc
  .tuple(
    fc.constantFrom('GET', 'HEAD', 'ANY', 'POST'),
    fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 2 }),
    fc.constantFrom([], [], ['*'], [':last?']),
  )
  .map(([method, segments, last]) => {
    const named = segments.map((segment, index) => segment.replace(':x', `:x${index}`));
    return route(`${method} ${path([...named, ...last])}`);
  });

test('routes at random', () => {
  fc.assert(
    fc.property(
      fc.array(routeArb, { minLength: 2, maxLength: 8 }),
      fc.constantFrom('GET', 'HEAD', 'POST'),
      fc.array(fc.constantFrom(...TEXTS), { maxLength: 3 }),
      (routes, method, texts) => {
        const listed = listedRoutes(define(routes));
        expect(firstOf(listed, method, path(texts))).toBe(served(routes, method, path(texts)));
      },
    ),
    { numRuns: runs(1_000) },
  );
});
