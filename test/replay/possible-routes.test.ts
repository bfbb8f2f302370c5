/** Which routes of a mock may match a path: what is left out never does. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { possibleRoutes } from '../../src/replay/possible-routes.ts';
import { explainRouting } from '../../src/serving/matching/explain/explain-routing.ts';
import { define, route } from '../support/mocks.ts';

const SEGMENTS = ['a', 'A', '%61', 'a%2Fb', ':x', ':y?', ':n(\\d+)', 'f.:e', '*'];
const ASKED = ['a', 'A', '%61', 'a%2Fb', 'a/b', '12', 'f.js', ''];

const pathOf = (segments: readonly string[]) =>
  fc.array(fc.constantFrom(...segments), { maxLength: 4 }).map((each) => `/${each.join('/')}`);

test('the routes that match are the same as among all, in the same order', () => {
  fc.assert(
    fc.property(
      fc.array(pathOf(SEGMENTS), { maxLength: 6 }),
      fc.constantFrom('/a', '^/a.*', '^/(?P<x>.*)$'),
      pathOf(ASKED),
      (paths, pattern, asked) => {
        const routes = [
          ...paths.map((path) => route(`GET ${path}`)),
          route(`GET ${pattern}`, [], { pathKind: 'regex' }),
        ];
        const matching = (among: typeof routes) =>
          explainRouting(define(among), 'GET', asked, true).matches.map(({ route: { id }, params }) => [id, params]);
        expect(matching([...possibleRoutes(routes)(asked)])).toEqual(matching(routes));
      },
    ),
    { numRuns: 300 },
  );
});

test('routes with other literal segments are left out', () => {
  const routes = ['/users/:id', '/users/me', '/orders/:id', '/users/:id/posts', '/files/*'].map((path) =>
    route(`GET ${path}`),
  );
  expect(possibleRoutes(routes)('/users/me').map(({ path }) => path)).toEqual(['/users/:id', '/users/me', '/files/*']);
});
