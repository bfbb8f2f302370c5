/**
 * Writes to the working copy outside of the route form. The copy's tag guards each write, so another user's edit of a
 * different route refuses it too: then it reads the copy again and retries.
 */
import type { MockDefinition, MockRoute } from '../../../model/mocks/definition/definition.ts';
import { api } from '../../state/session.ts';
import { newIdempotencyKey, repeated } from '../../state/write.ts';
import { moveBefore } from './route-rows.ts';

/** @returns The deleted route, for undo. */
export function deleteRoute(mockId: string, routeId: string): Promise<MockRoute> {
  return repeated(async () => {
    const route = await api().mocks.staged.getRoute(mockId, routeId);
    await api().mocks.staged.deleteRoute(mockId, routeId, { ifMatch: route });
    return route;
  });
}

/** @param before The id of the next route; undefined for the end. */
export async function addRoute(mockId: string, route: MockRoute, before: string | undefined): Promise<MockRoute> {
  const added = await api().mocks.staged.addRoute(mockId, route, { idempotencyKey: newIdempotencyKey() });
  if (before !== undefined) await moveRoute(mockId, added.id, before);
  return added;
}

/** Adds an empty list of this name to the mock's stores, unless it exists. */
export async function addStore(mockId: string, name: string): Promise<void> {
  await repeated(async () => {
    const staged = await api().mocks.staged.get(mockId);
    const { stores = [] } = staged.settings;
    if (stores.some((store) => store.name === name)) return;
    const settings = { ...staged.settings, stores: [...stores, { name, value: [] }] };
    await api().mocks.staged.put(mockId, { settings }, { ifMatch: staged });
  });
}

/** Moves a route before another, or to the end. Does nothing when one of them is gone. */
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
 * Switches routes on or off in one write, and ignores routes that are gone.
 *
 * @returns The ids of the routes that changed.
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
