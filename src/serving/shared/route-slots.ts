/**
 * Where the routes of a mock are counted. By default in their order. Of stubs, which a suite puts before others one by one, each keeps its slot
 * from version to version: what threads have compiled of it counts there, and stays.
 */
import type { RouteSlots } from '../matching/compile/compiled-mock.ts';
import type { RouteIds } from './messages.ts';
import { countOthers, countResponses } from './publication.ts';

/** Laid out: what is counted, by slot. The slot of a route that is gone has an empty id. */
export interface LaidRoutes {
  readonly routes: readonly RouteIds[];
  readonly slots: RouteSlots;
}

/** Slots of routes that are gone, beside as many as there are routes, before all are laid out anew. */
const SLOTS_FREE_MAX = 256;

/** @param before What the routes keep their slots of. */
export function layRoutes(routes: readonly RouteIds[], before?: readonly RouteIds[]): LaidRoutes {
  if (before === undefined) return laidOut(routes, routes.keys());
  const known = new Map(before.map((route, slot) => [route.routeId, slot]));
  const taken = new Set<number>();
  const laid = [...before];
  const slots = routes.map((route) => {
    const own = known.get(route.routeId);
    const slot = own !== undefined && isAlike(before[own] as RouteIds, route) ? own : laid.length;
    taken.add(slot);
    laid[slot] = route;
    return slot;
  });
  if (laid.length > 2 * routes.length + SLOTS_FREE_MAX) return laidOut(routes, routes.keys());
  for (const [slot, route] of laid.entries()) if (!taken.has(slot)) laid[slot] = { ...route, routeId: '' };
  return laidOut(laid, slots);
}

function laidOut(routes: readonly RouteIds[], slots: Iterable<number>): LaidRoutes {
  const firsts: [place: number, otherPlace: number][] = [];
  let [place, otherPlace] = [0, 0];
  for (const route of routes) {
    firsts.push([place, otherPlace]);
    place += route.responseIds.length;
    otherPlace += route.otherStatuses === undefined ? 0 : countOthers([route]);
  }
  const places = Int32Array.from([...slots].flatMap((slot) => [slot, ...(firsts[slot] as [number, number])]));
  return { routes, slots: { places, routeCount: routes.length, responseCount: countResponses(routes) } };
}

/** The same words count both. */
function isAlike(one: RouteIds, other: RouteIds): boolean {
  const isPlain = one.otherStatuses === undefined && other.otherStatuses === undefined;
  return isPlain
    ? one.responseIds.join() === other.responseIds.join() && one.statuses.join() === other.statuses.join()
    : JSON.stringify(one) === JSON.stringify(other);
}
