/** Requests that reach a mock, and that no response of it answers. */
import type { PassedRoute } from '../matching/explain/explain-miss.ts';
import { PROXIED } from '../matching/compile/proxied-response.ts';
import type { Outcome } from '../matching/request/mock-request.ts';
import type { ToMock } from './addresses.ts';
import type { Exchange } from './reply/exchange.ts';
import { sendMessage, sendPreflight, sendUnknownSession } from './reply/own-replies.ts';
import type { CollectedBody } from './request-bodies.ts';
import { isMockPreflight, socketRouteFor } from './route-for.ts';
import { passedText } from './served-mock.ts';
import { PLAIN_REQUEST, type Handshakes } from './sockets/handshakes.ts';
import type { RequestRecord } from './traffic/request-record.ts';
import type { UpstreamRequests } from './upstream-requests.ts';

export class Misses {
  readonly #record: RequestRecord;
  readonly #upstreams: UpstreamRequests;
  readonly #handshakes: Handshakes;

  constructor(record: RequestRecord, upstreams: UpstreamRequests, handshakes: Handshakes) {
    this.#record = record;
    this.#upstreams = upstreams;
    this.#handshakes = handshakes;
  }

  /** @param passedOn Routes that matched and had no answer. */
  route(exchange: Exchange, to: ToMock, body: CollectedBody, passedOn: readonly PassedRoute[] = []): void {
    const { served, path } = to;
    if (served.proxiesMisses) return this.#upstreams.begin(exchange, to, body, PROXIED);
    if (exchange.head.method === 'GET' && socketRouteFor(to) !== undefined)
      return this.#handshakes.refuse(exchange, to, PLAIN_REQUEST);
    this.#record.miss(exchange, to, body, 404, passedText(passedOn));
    const miss = served.missOf(exchange.head.method, path, passedOn);
    return exchange.send(miss.head, miss.body);
  }

  /** A route matches, but none of its responses answers: see `stateMiss`. */
  state(exchange: Exchange, to: ToMock, body: CollectedBody, { problem = '', status }: Outcome): void {
    const { served } = to;
    const isFull = status === 507;
    this.#record.miss(exchange, to, body, isFull ? 507 : 404, problem);
    if (isFull) return sendMessage(exchange, 507, `Insufficient storage: ${problem}`, served);
    return sendMessage(exchange, 404, `No response in this state: ${problem}`, served);
  }

  /** Never answered by the mock itself: a misspelt session, or one that has ended, would look like one that works. */
  session(exchange: Exchange, to: ToMock, sessionId: string, body: CollectedBody): void {
    const { served } = to;
    if (isMockPreflight(served, exchange.head)) return sendPreflight(exchange, served);
    this.#record.miss(exchange, to, body, 404);
    sendUnknownSession(exchange, served, served.isExpired(sessionId));
  }
}
