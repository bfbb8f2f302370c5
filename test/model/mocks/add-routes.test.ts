/** Recorded routes that are added to those of a mock: what was recorded is answered, and nothing is added twice. */
import { expect, test } from 'vitest';
import { addRoutes } from '../../../src/model/mocks/decide/add-routes.ts';
import { response, route, rule } from '../../support/mocks.ts';

const shown = (routes: ReturnType<typeof addRoutes>['routes']) =>
  routes.map(({ method, path, selection, responses }) => [
    `${method} ${path} ${selection}`,
    ...responses.map(({ body, default: is }) => (is ? `${body} (default)` : body)),
  ]);
const when = (body: string, id: string, more = {}) =>
  response({ body, rules: [rule('urlParam', 'id', 'equals', id)], ...more });

test('new responses come before those of the route, under the names of its parameters', () => {
  const own = route('GET /users/:user/posts/:post', [response({ body: 'mine' })]);
  const added = route('GET /users/:id/posts/:id2', [
    response({
      body: 'new',
      rules: [{ all: [rule('urlParam', 'id2', 'equals', '7'), { not: rule('query', 'id', 'exists') }] }],
    }),
  ]);
  const { routes, renamed } = addRoutes([own], [added]);
  expect(shown(routes)).toEqual([['GET /users/:user/posts/:post rules', 'new', 'mine']]);
  expect(routes[0]?.responses[0]?.rules).toEqual([
    { all: [rule('urlParam', 'post', 'equals', '7'), { not: rule('query', 'id', 'exists') }] },
  ]);
  expect(renamed.get(added.id)?.routeId).toBe(own.id);
});

test('another method, a path of another shape and a pattern are routes of their own; ids stay unique', () => {
  const own = [route('GET /a/:x'), route('GET /a/:x(\\d+)'), { ...route('GET /b/:x'), pathKind: 'regex' as const }];
  const added = [route('POST /a/:x'), route('GET /a/:x/b'), { ...route('GET /b/:x'), id: own[0]?.id as string }];
  const { routes } = addRoutes(own, added);
  expect(routes).toHaveLength(6);
  expect(new Set(routes.map(({ id }) => id)).size).toBe(6);
});

test('what answers a request that was not recorded stays so, unless the recording tells no requests apart', () => {
  const own = route('GET /a/:id', [when('one', '1'), response({ body: 'other', default: true })]);
  const conditional = addRoutes(
    [own],
    [route('GET /a/:id', [when('two', '2', { default: true }), when('three', '3')])],
  );
  expect(shown(conditional.routes)).toEqual([['GET /a/:id rules', 'two', 'three', 'one', 'other (default)']]);
  const plain = addRoutes([own], [route('GET /a/:id', [response({ body: 'all' })])]);
  expect(shown(plain.routes)).toEqual([['GET /a/:id rules', 'all', 'one', 'other']]);
});

test('a sequence is added whole where the route has nothing else, and at the end of another sequence', () => {
  const sequence = (...bodies: string[]) =>
    route(
      'GET /job',
      bodies.map((body) => response({ body })),
      { selection: 'sequential' },
    );
  expect(
    shown(addRoutes([route('GET /job', [response({ body: 'done' })])], [sequence('wait', 'done')]).routes),
  ).toEqual([['GET /job sequential', 'wait', 'done']]);
  expect(shown(addRoutes([sequence('a', 'b')], [sequence('b', 'c')]).routes)).toEqual([
    ['GET /job sequential', 'a', 'b', 'c'],
  ]);
  const repeated = addRoutes([sequence('a')], [sequence('a', 'a', 'b')]).routes[0]?.responses ?? [];
  expect(repeated.map(({ body }) => body)).toEqual(['a', 'a', 'b']);
  expect(new Set(repeated.map(({ id }) => id)).size).toBe(3);
  const twice = addRoutes([sequence('a', 'b')], [sequence('a', 'b')]);
  expect(shown(twice.routes)).toEqual([['GET /job sequential', 'a', 'b']]);
});
