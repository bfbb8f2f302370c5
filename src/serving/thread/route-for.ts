/** Finds the routes that may answer a request to a mock, or to a session of it. */
import type { FoundRoute } from '../matching/compile/compiled-mock.ts';
import { findOptionsRoute, findRoute, findSocketRoute } from '../matching/routing/find-route.ts';
import { matchingRoutes, routesBehind } from '../matching/routing/routes-in-order.ts';
import type { Addressed } from './addresses.ts';
import type { MockHead } from './mock-head.ts';
import type { ServedMock } from './served-mock.ts';

/** The request is a preflight that the mock answers itself unless a route is declared for OPTIONS. */
export function isMockPreflight({ cors }: ServedMock, head: MockHead): boolean {
  return cors !== false && head.isPreflight;
}

/** @param isOwn Whether the mock's own routes are asked, also where every request is sent on. */
export function routeFor(
  { served, path }: Pick<Addressed, 'served' | 'path'>,
  head: MockHead,
  isOwn = false,
): FoundRoute | undefined {
  const overlay = isOwn ? served.ownOverlay : served.overlay;
  if (overlay !== undefined) {
    return isMockPreflight(served, head) ? overlay.findOptions(path) : overlay.find(head.method, path);
  }
  return isMockPreflight(served, head)
    ? findOptionsRoute(served.compiled, path)
    : findRoute(served.compiled, head.method, path);
}

/** The route of a WebSocket handshake. */
export function socketRouteFor({ served, path }: Pick<Addressed, 'served' | 'path'>): FoundRoute | undefined {
  return served.overlay === undefined ? findSocketRoute(served.compiled, path) : served.overlay.findSocket(path);
}

/** The routes that match behind the one that was found. */
export function remainingRoutes(
  { served, path }: Pick<Addressed, 'served' | 'path'>,
  head: MockHead,
  found: FoundRoute,
  isOwn = false,
): Iterator<FoundRoute> {
  const overlay = isOwn ? served.ownOverlay : served.overlay;
  const takesAny = !isMockPreflight(served, head);
  const routes =
    overlay === undefined
      ? matchingRoutes(served.compiled, head.method, path, takesAny)
      : overlay.matching(head.method, path, takesAny);
  return routesBehind(routes, found);
}

/** All routes that match, in order of precedence. */
export function matchingNow(addressed: Pick<Addressed, 'served' | 'path'>, head: MockHead): FoundRoute[] {
  const found = routeFor(addressed, head);
  if (found === undefined) return [];
  const others = remainingRoutes(addressed, head, found);
  const all = [found];
  for (let next = others.next(); next.done !== true; next = others.next()) all.push(next.value);
  return all;
}

/** The route or the request log needs the body. Else the server receives and discards it. */
export function wantsBody(addressed: Addressed, head: MockHead): boolean {
  const { served } = addressed;
  if (served.isRecorded || served.mayProxy) return true;
  // Looking its route up may be heavy, and is charged to the owner once.
  if (served.compiled.table.isSearched) return served.isRunning;
  return served.isRunning && routeFor(addressed, head)?.route.needsBody === true;
}
