/** A request as matching reads it, and why the routes that it matches had no answer to it. */
import type { CompiledRoute, FoundRoute } from '../matching/compile/compiled-mock.ts';
import { explainPassed, type PassedRoute } from '../matching/explain/explain-miss.ts';
import type { MockRequest } from '../matching/request/mock-request.ts';
import { addressText } from './address-text.ts';
import type { Addressed, ToMock } from './addresses.ts';
import type { Exchange } from './reply/exchange.ts';
import type { CollectedBody } from './request-bodies.ts';
import { remainingRoutes } from './route-for.ts';
import type { ServedMock } from './served-mock.ts';

/** Received here, or by another thread. */
type ReceivedRequest = Pick<Exchange, 'head'> & Partial<Pick<Exchange, 'res'>>;

/** @param needsIp Whether the route looks at the client's address. */
export function requestOf(
  { head, res }: ReceivedRequest,
  { served, path }: ToMock,
  { bytes }: CollectedBody,
  needsIp: boolean,
): MockRequest {
  return {
    method: head.method,
    path,
    root: head.path.endsWith(path) ? head.path.slice(0, head.path.length - path.length) : head.path,
    query: head.query,
    headers: head.headers,
    body: bytes,
    clientIp: needsIp ? (head.forwardedIp ?? (res && addressText(res.getRemoteAddress()))) : undefined,
    isSecure: head.isSecure,
    clientCert: head.clientCert,
    signer: served.signer,
    faker: served.faker,
  };
}

/** The routes are found again: only a miss pays for it. @param found The first of them. */
export function passedRoutes(
  exchange: ReceivedRequest,
  addressed: Addressed,
  found: FoundRoute,
  body: CollectedBody,
): readonly PassedRoute[] {
  const { served } = addressed;
  const routes = function* (): Generator<FoundRoute> {
    yield found;
    const others = remainingRoutes(addressed, exchange.head, found);
    for (let next = others.next(); next.done !== true; next = others.next()) yield next.value;
  };
  return explainPassed(routes(), requestOf(exchange, addressed, body, found.route.needsIp), statesOf(served));
}

/** Why a WebSocket route has no reply to a message. @param part What it answers to messages; undefined where that is nothing. */
export function unansweredReason(
  part: CompiledRoute | undefined,
  params: FoundRoute['params'],
  message: MockRequest,
  served: ServedMock,
): string {
  const [passed] = part === undefined ? [] : explainPassed([{ route: part, params }], message, statesOf(served));
  return `no response matches this message${passed === undefined ? '' : `: ${passed.reason.replaceAll(/[\r\n]/g, ' ')}`}`;
}

function statesOf({ counters }: ServedMock) {
  const { state } = counters;
  return {
    scenarios: state.layout.scenarios,
    words: state.words,
    numberOf: ({ index }: CompiledRoute) => counters.upcoming(index) - 1,
  };
}
