/**
 * Writes of routes to the working copy. Each is guarded by the copy's tag, so that an edit of another route by somebody
 * else refuses it too: then the copy is read again, and the write repeated where it means the same.
 */
import type { MockDefinition, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { failureOf } from '../../state/failure.ts';
import { api } from '../../state/session.ts';
import { newIdempotencyKey } from '../../state/write.ts';
import { isSame } from './route-merge.ts';
import { moveBefore } from './route-rows.ts';

const TRIES = 5;
const REFUSED_BY_TAG = 412;

/** What the server has now, when somebody else has changed the same route. */
export interface Conflict {
  readonly theirs: MockRoute;
}

/**
 * @param known The route as the server has given it: its tag guards the write.
 * @throws SwitchyardError for any other refusal.
 */
export async function putRoute(mockId: string, known: MockRoute, mine: MockRoute): Promise<MockRoute | Conflict> {
  let base = known;
  for (let tries = 1; ; tries++) {
    try {
      return await api().mocks.staged.putRoute(mockId, known.id, mine, { ifMatch: base });
    } catch (error) {
      if (!isRefusedByTag(error) || tries === TRIES) throw error;
      base = await api().mocks.staged.getRoute(mockId, known.id);
      if (!isSame(base, known)) return { theirs: base };
    }
  }
}

export const isConflict = (answer: MockRoute | Conflict): answer is Conflict => 'theirs' in answer;

/** Changes a route as it is now, whatever it was. */
export function changeRoute(
  mockId: string,
  routeId: string,
  change: (route: MockRoute) => MockRoute,
): Promise<MockRoute> {
  return repeated(async () => {
    const route = await api().mocks.staged.getRoute(mockId, routeId);
    return api().mocks.staged.putRoute(mockId, routeId, change(route), { ifMatch: route });
  });
}

/** @returns The route as it was, for putting it back. */
export function deleteRoute(mockId: string, routeId: string): Promise<MockRoute> {
  return repeated(async () => {
    const route = await api().mocks.staged.getRoute(mockId, routeId);
    await api().mocks.staged.deleteRoute(mockId, routeId, { ifMatch: route });
    return route;
  });
}

/** Adds a route. @param before The id of the one that it is put before; undefined for the end. */
export async function addRoute(mockId: string, route: MockRoute, before: string | undefined): Promise<MockRoute> {
  const added = await api().mocks.staged.addRoute(mockId, route, { idempotencyKey: newIdempotencyKey() });
  if (before !== undefined) await moveRoute(mockId, added.id, before);
  return added;
}

/** Moves a route to the place before another, or to the end. One that is gone meanwhile leaves the order as it is. */
export function moveRoute(
  mockId: string,
  routeId: string,
  before: string | undefined,
): Promise<MockDefinition | undefined> {
  return repeated(async () => {
    const routes = await api().mocks.staged.routes(mockId);
    const ids = routes.map(({ id }) => id);
    if (!ids.includes(routeId) || (before !== undefined && !ids.includes(before))) return undefined;
    return api().mocks.staged.orderRoutes(mockId, moveBefore(ids, routeId, before), { ifMatch: routes });
  });
}

/**
 * Switches routes on or off in one write. Routes that are gone meanwhile are left out.
 *
 * @returns The ids of those that were the other way.
 */
export function switchRoutes(
  mockId: string,
  routeIds: readonly string[],
  enabled: boolean,
): Promise<readonly string[]> {
  const asked = new Set(routeIds);
  return repeated(async () => {
    const staged = await api().mocks.staged.get(mockId);
    const differing = staged.routes.filter((route) => asked.has(route.id) && route.enabled !== enabled);
    if (differing.length === 0) return [];
    const routes = staged.routes.map((route) => (asked.has(route.id) ? { ...route, enabled } : route));
    await api().mocks.staged.put(mockId, { routes }, { ifMatch: staged });
    return differing.map(({ id }) => id);
  });
}

async function repeated<Answer>(write: () => Promise<Answer>): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (!isRefusedByTag(error) || tries === TRIES) throw error;
    }
  }
}

const isRefusedByTag = (error: unknown): boolean => failureOf(error).status === REFUSED_BY_TAG;
