/** Counts each request that reached a mock, and records it in the mock's traffic. */
import type { MissStatus } from '../../shared/counters.ts';
import { codeOfType, type MessageDirection, type MessageType } from '../../../model/mocks/sockets/message-record.ts';
import { NO_PLACE, type MockAnswer, type Outcome } from '../../matching/request/mock-request.ts';
import type { ToMock } from '../addresses.ts';
import type { Exchange } from '../reply/exchange.ts';
import { missed } from '../reply/own-replies.ts';
import { NO_BODY, type CollectedBody } from '../request-bodies.ts';
import type { ServedMock } from '../served-mock.ts';
import type { MockTraffic } from './traffic-blocks.ts';
import type { Traffic } from './traffic.ts';

interface RecordedMessage {
  readonly direction: MessageDirection;
  readonly type: MessageType;
  /** The number of the handshake, and what it said. */
  readonly handshake: number;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly string[];
  readonly body: Buffer;
  readonly routeId: string;
  readonly responseId: string;
  /** Counter of the response to a message of the client. */
  readonly place?: number;
  readonly latencyMs: number;
  readonly problem?: string;
}
/** A request that this thread has received, or another one. */
type ReceivedRequest = Pick<Exchange, 'head' | 'waitsSince' | 'isCounted' | 'recorded'>;

type Answer = Outcome & { readonly plan?: MockAnswer['plan'] };

function isStream({ plan }: Answer): boolean {
  return plan?.kind === 'stream';
}

export class RequestRecord {
  readonly #traffic: Traffic;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** A response of a route answers it. @returns The number of the request. */
  hit(exchange: ReceivedRequest, to: ToMock, body: CollectedBody, answer: Answer): number {
    const number = to.served.hit(answer);
    if (isStream(answer) && !exchange.head.isHead) exchange.recorded = { number };
    this.#add(exchange, to, body, number, answer);
    return number;
  }

  /** It is a WebSocket handshake that is accepted. @returns As `hit`. */
  opened(exchange: Exchange, to: ToMock, outcome: Outcome): number {
    const number = to.served.countOpened(outcome.place);
    exchange.recorded = { number };
    this.#add(exchange, to, NO_BODY, number, outcome);
    return number;
  }

  /** A message on a WebSocket. */
  // Spread or rest members would take a third of what a message takes.
  message(served: ServedMock, message: RecordedMessage): void {
    const { direction, type, place = NO_PLACE, problem = '' } = message;
    const number = served.countMessage(direction, place);
    const traffic = this.#trafficOf(served);
    const time = Date.now();
    if (!served.isRecorded) return this.#traffic.markIncomplete(traffic, time);
    this.#traffic.append(traffic, {
      number,
      time,
      method: String(message.handshake),
      path: message.path,
      query: message.query,
      headers: message.headers,
      body: message.body,
      bodyTruncated: false,
      routeId: message.routeId,
      responseId: message.responseId,
      place,
      version: served.version,
      status: codeOfType(type),
      durationMs: message.latencyMs,
      problem,
      faultCode: 0,
      isStreamed: false,
      message: direction,
    });
    return undefined;
  }

  /** None answers it. */
  miss(exchange: Exchange, to: ToMock, body: CollectedBody, status: MissStatus, problem = ''): void {
    this.#add(exchange, to, body, to.served.counters.miss(status), missed(status, problem));
  }

  /** An upstream answers it, or should have. */
  proxied(exchange: Exchange, to: ToMock, body: CollectedBody, outcome: Outcome): void {
    this.#add(exchange, to, body, to.served.countProxied(outcome), outcome);
  }

  /** A response of the mock answers it in place of its upstream. */
  answeredItself(exchange: Exchange, to: ToMock, body: CollectedBody, outcome: Outcome): void {
    to.served.counters.state.countAnsweredItself();
    this.#add(exchange, to, body, to.served.hit(outcome), outcome);
  }

  /** A rate limit refuses it, with a status of its own. */
  refused(exchange: Exchange, to: ToMock, body: CollectedBody, outcome: Outcome): void {
    this.#add(exchange, to, body, to.served.counters.miss('refused'), outcome);
  }

  /** One that is streamed has its number already. */
  #add(
    exchange: ReceivedRequest,
    { served, path }: ToMock,
    body: CollectedBody,
    number: number,
    { routeId, responseId, place, status, faultCode, latencyMs, problem = '' }: Outcome,
  ): void {
    exchange.isCounted = true;
    const isStreamed = exchange.recorded !== undefined;
    const traffic = this.#trafficOf(served);
    const { head, waitsSince } = exchange;
    const time = Date.now();
    const durationMs = (waitsSince === 0 ? 0 : Math.max(0, time - waitsSince)) + latencyMs;
    served.counters.took(durationMs);
    if (!served.isRecorded) return this.#traffic.markIncomplete(traffic, time);
    const recorded = this.#traffic.append(traffic, {
      number,
      time,
      method: head.method,
      path,
      query: head.query,
      headers: head.headers,
      body: body.bytes,
      bodyTruncated: body.truncated,
      routeId,
      responseId,
      place,
      version: served.version,
      status,
      durationMs,
      problem,
      faultCode,
      isStreamed,
      message: undefined,
    });
    if (recorded !== undefined) exchange.recorded = recorded;
    return undefined;
  }

  #trafficOf(served: ServedMock): MockTraffic {
    served.traffic ??= this.#traffic.of(served.mockId, served.ownerId, served.sessionId);
    return served.traffic;
  }
}
