/** A request as matching reads it, and why the routes that it matches had no answer to it. */
import type { FoundRoute } from '../matching/compile/compiled-mock.ts';
import { explainPassed, type PassedRoute } from '../matching/explain/explain-miss.ts';
import type { MockRequest } from '../matching/request/mock-request.ts';
import { addressText } from './address-text.ts';
import type { Addressed } from './addresses.ts';
import type { Exchange } from './reply/exchange.ts';
import type { CollectedBody } from './request-bodies.ts';
import { remainingRoutes } from './route-for.ts';

/** Received here, or by another thread. */
type Received = Pick<Exchange, 'head'> & Partial<Pick<Exchange, 'res'>>;

/** @param needsIp Whether the route looks at the client's address. */
export function requestOf(
  { head, res }: Received,
  path: string,
  { bytes }: CollectedBody,
  needsIp: boolean,
): MockRequest {
  return {
    method: head.method,
    path,
    root: head.path.length === path.length ? '' : head.path.slice(0, head.path.length - path.length),
    query: head.query,
    headers: head.headers,
    body: bytes,
    clientIp: needsIp ? (head.forwardedIp ?? (res && addressText(res.getRemoteAddress()))) : undefined,
  };
}

/** The routes are found again: only a miss pays for it. @param found The first of them. */
export function passedRoutes(
  exchange: Received,
  addressed: Addressed,
  found: FoundRoute,
  body: CollectedBody,
): readonly PassedRoute[] {
  const { path, served } = addressed;
  const { state } = served.counters;
  const routes = function* (): Generator<FoundRoute> {
    yield found;
    const others = remainingRoutes(addressed, exchange.head, found);
    for (let next = others.next(); next.done !== true; next = others.next()) yield next.value;
  };
  return explainPassed(routes(), requestOf(exchange, path, body, found.route.needsIp), {
    scenarios: state.layout.scenarios,
    words: state.words,
    numberOf: ({ index }) => served.counters.upcoming(index) - 1,
  });
}
