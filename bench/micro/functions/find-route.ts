/** Finding the route of a request: half of the routes without parameters, half with. */
import { equal } from 'node:assert/strict';
import type { FoundRoute } from '../../../src/serving/matching/compile/compiled-mock.ts';
import { findRoute } from '../../../src/serving/matching/routing/find-route.ts';
import { compile, define, route } from '../../../test/support/mocks.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'routes';

export const SIZES = [10, 1_000, 10_000] as const;

export function prepare(size: number): MicroCase[] {
  const last = size / 2 - 1;
  const routes = Array.from({ length: size / 2 }, (_, index) => [
    route(`GET /api/v1/items/${index}`),
    route(`GET /group${index}/:id/posts/:post`),
  ]).flat();
  return (['specific', 'listed'] as const).flatMap((precedence) => {
    const mock = compile(define(routes, { precedence }));
    const find = (name: string, path: string, expected: string | undefined): MicroCase => ({
      name: `${precedence}, ${name}`,
      run: () => findRoute(mock, 'GET', path),
      check: (found) => equal((found as FoundRoute | undefined)?.route.path, expected),
    });
    return [
      find('literal', `/api/v1/items/${last}`, `/api/v1/items/${last}`),
      find('parameters', `/group${last}/12/posts/abc`, `/group${last}/:id/posts/:post`),
      find('miss', `/group${last}/12/nothing`, undefined),
    ];
  });
}
