/** The routes that a request without one may have meant: the first of the list are scored, whatever their number. */
import { equal } from 'node:assert/strict';
import { nearestRoutes, type NearestRoute } from '../../../src/serving/matching/nearest-routes.ts';
import { compile, define, route } from '../../../test/support/mocks.ts';
import type { MicroCase } from '../micro-function.ts';

export const UNIT = 'routes';

export const SIZES = [10, 1_000, 10_000] as const;

export function prepare(size: number): MicroCase[] {
  const routes = Array.from({ length: size }, (_, index) => route(`GET /api/items/${index}/details`));
  const mock = compile(define(routes));
  const nearest = (name: string, method: string, path: string, first: string | undefined): MicroCase => ({
    name,
    run: () => nearestRoutes(mock, method, path),
    check: (found) => equal((found as readonly NearestRoute[])[0]?.path, first),
  });
  return [
    nearest('another method', 'DELETE', `/api/items/${size - 1}/details`, `/api/items/${size - 1}/details`),
    nearest('another segment', 'GET', '/api/items/5/detail', '/api/items/5/details'),
    nearest('nothing alike', 'DELETE', '/health', undefined),
  ];
}
