/**
 * A mocked request from its first byte to its reply, in one serving thread: guard → address → body if anybody wants it → match →
 * choose → count → record → reply. It touches no disk and no other thread, unless this one lacks the mock.
 *
 * From match to record everything happens in one go on the version that is served at that moment: a request that waited for its
 * body or for its mock begins anew with the address. So no answer is made of two versions, and what is recorded is what counted.
 */
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { BACKPRESSURE_BYTES, MOCK_REPLIES_BYTES_MAX } from '../../limits.ts';
import { answerRequest, isRenderProblem } from '../matching/answer-request.ts';
import { isMockId, mockIdOfHost, mockIdOfPath } from './address.ts';
import { Exchange, settleExchanges } from './exchange.ts';
import { findRoute, hasRouteForOptions } from '../matching/find-route.ts';
import { jsonHead, preflightHead } from './reply-heads.ts';
import type { MockCache } from './mock-cache.ts';
import { readMockHead, type MockHead } from './mock-head.ts';
import { NO_PLACE, type MockAnswer, type Outcome } from '../matching/mock-request.ts';
import { RequestBodies, type Collected, type CollectedBody } from './request-bodies.ts';
import type { ServedMock } from './served-mock.ts';
import type { MockTraffic, Traffic } from './traffic.ts';

const STATUS_LINES = {
  400: '400 Bad Request',
  404: '404 Not Found',
  413: '413 Content Too Large',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
} as const;
type OwnStatus = keyof typeof STATUS_LINES;

/** Whatever a request lacks of a body. */
const NO_BODY: CollectedBody = { bytes: undefined, truncated: false };

/** Of a body that is refused: none of it is kept. */
const CUT_BODY: CollectedBody = { bytes: undefined, truncated: true };

const RETRY_AFTER = '\r\nretry-after: 1';

/** Called inside the call of uWebSockets.js that hands on the last bytes. */
type UseOfBody = (exchange: Exchange, body: CollectedBody) => void;

interface Addressed {
  readonly served: ServedMock;
  /** Below the mock's own root. */
  readonly path: string;
}

export interface MockServerOptions {
  readonly mockDomain: string;
  readonly cache: MockCache;
  readonly traffic: Traffic;
  /** Called at the first byte of each request. */
  readonly onRequest: () => void;
  /** Called when a request that waited goes on. */
  readonly onStep: () => void;
  /** A bug met while a request was handled: it gets 500. */
  readonly onBug: (error: unknown) => void;
}

export class MockServer {
  readonly #hostSuffix: string;
  readonly #howToAddress: string;
  readonly #cache: MockCache;
  readonly #traffic: Traffic;
  readonly #bodies = new RequestBodies();
  readonly #onRequest: () => void;
  readonly #onStep: () => void;
  readonly #onBug: (error: unknown) => void;
  /** One for all requests: most that have a body go this way. */
  readonly #answerWith: UseOfBody = (exchange, body) => this.#answerAnew(exchange, body);
  #heldBytes = 0;
  #isDraining = false;

  constructor({ mockDomain, cache, traffic, onRequest, onStep, onBug }: MockServerOptions) {
    this.#hostSuffix = `.${mockDomain}`;
    this.#howToAddress = `name the mock: by the host <mock_id>.${mockDomain}, the path /__mock/<mock_id>/ or the header x-mock-id`;
    this.#cache = cache;
    this.#traffic = traffic;
    this.#onRequest = onRequest;
    this.#onStep = onStep;
    this.#onBug = onBug;
  }

  /** @param method Of the request, as received. */
  handle(res: HttpResponse, req: HttpRequest, method: string): void {
    this.#onRequest();
    const exchange = new Exchange(res, readMockHead(req, method));
    // As #protect, without a closure for each request.
    try {
      this.#begin(exchange);
    } catch (error) {
      this.#failed(exchange, error);
    }
    exchange.isCorked = false;
  }

  /** Finishes what it has begun, within a time in milliseconds, and refuses what is new. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    await settleExchanges(limitMs);
  }

  #begin(exchange: Exchange): void {
    const { head } = exchange;
    if (this.#isDraining) {
      exchange.closes = true;
      return sendMessage(exchange, 503, 'Service draining', undefined, RETRY_AFTER);
    }
    if (head.malformed !== undefined) {
      exchange.closes = true;
      return sendMessage(exchange, 400, `Bad Request: ${head.malformed}`);
    }
    const addressed = this.#address(head);
    if (addressed === 'absent') return this.#sendNotFound(exchange);
    if (typeof addressed === 'string') return this.#waitForMock(exchange, addressed);
    if (head.hasBody) {
      return this.#collect(exchange, wantsBody(addressed, head), this.#answerWith);
    }
    return this.#answer(exchange, addressed, NO_BODY);
  }

  /** @returns "absent", or the id of a mock that this thread lacks. */
  #address(head: MockHead): Addressed | string {
    const known = head.goodHost === undefined ? undefined : this.#cache.findByHost(head.goodHost);
    if (known !== undefined) return { served: known, path: head.path };
    const hostId = mockIdOfHost(head.host, this.#hostSuffix);
    if (hostId !== undefined) {
      const served = this.#find(hostId);
      if (served !== 'absent') {
        if (typeof served === 'string') return served;
        if (head.goodHost !== undefined) this.#cache.rememberHost(head.goodHost, served);
        return { served, path: head.path };
      }
    }
    const byPath = mockIdOfPath(head.path);
    if (byPath !== undefined) {
      const served = this.#find(byPath.mockId);
      if (served !== 'absent') return typeof served === 'string' ? served : { served, path: byPath.path };
    }
    if (head.mockId === undefined) return 'absent';
    const served = this.#find(head.mockId);
    return typeof served === 'string' ? served : { served, path: head.path };
  }

  #sendNotFound(exchange: Exchange): void {
    const { host, path, mockId } = exchange.head;
    const isNamed = (mockIdOfHost(host, this.#hostSuffix) ?? mockIdOfPath(path)?.mockId ?? mockId) !== undefined;
    const hint = isNamed ? undefined : this.#howToAddress;
    sendJson(exchange, 404, { success: false, message: 'Mock not found', hint });
  }

  #find(mockId: string): ServedMock | string {
    return this.#cache.find(mockId) ?? (isMockId(mockId) ? mockId : 'absent');
  }

  /** The body comes meanwhile: uWebSockets.js hands it on once. */
  #waitForMock(exchange: Exchange, mockId: string): void {
    exchange.wait();
    let body = exchange.head.hasBody ? undefined : NO_BODY;
    let isKnown: boolean | undefined;
    const proceed = (): void => {
      if (body === undefined || isKnown === undefined || !exchange.open) return;
      if (isKnown) this.#answerAnew(exchange, body);
      else sendUnavailable(exchange);
    };
    if (body === undefined) {
      this.#collect(exchange, true, (_, collected) => {
        body = this.#bodies.keep(exchange, collected);
        if (body === undefined) sendUnavailable(exchange);
        else proceed();
      });
    }
    const waits = this.#cache.wait(mockId, (known) => {
      this.#onStep();
      isKnown = known;
      this.#protect(exchange, proceed);
    });
    if (!waits) sendUnavailable(exchange);
  }

  /** @param isWanted Without, the body is only waited for. */
  #collect(exchange: Exchange, isWanted: boolean, use: UseOfBody): void {
    exchange.wait();
    const take = (body: Collected): void => {
      this.#onStep();
      // As #protect, without a closure for each body.
      try {
        if (body === 'tooLarge') this.#refuseTooLarge(exchange);
        else if (body === 'tooMany') {
          exchange.closes = true;
          sendUnavailable(exchange);
        } else use(exchange, body);
      } catch (error) {
        this.#failed(exchange, error);
      }
    };
    if (isWanted) this.#bodies.collect(exchange, take);
    else this.#bodies.drain(exchange, take);
  }

  /** Recorded where it is known whose it is: it reached the mock. */
  #refuseTooLarge(exchange: Exchange): void {
    const addressed = this.#address(exchange.head);
    const served = typeof addressed === 'string' ? undefined : addressed.served;
    if (typeof addressed !== 'string') this.#recordMiss(exchange, addressed.served, addressed.path, CUT_BODY, 413);
    exchange.closes = true;
    sendMessage(exchange, 413, 'Payload too large', served);
  }

  #answerAnew(exchange: Exchange, body: CollectedBody): void {
    if (!exchange.open) return;
    const addressed = this.#address(exchange.head);
    if (addressed === 'absent') return this.#sendNotFound(exchange);
    if (typeof addressed !== 'string') {
      // A version was published meanwhile that would have looked at it.
      if (body.isDrained === true && wantsBody(addressed, exchange.head)) return sendUnavailable(exchange);
      return this.#answer(exchange, addressed, body);
    }
    const kept = this.#bodies.keep(exchange, body);
    if (kept === undefined) return sendUnavailable(exchange);
    const waits = this.#cache.wait(addressed, (known) => {
      this.#onStep();
      this.#protect(exchange, () => (known ? this.#answerAnew(exchange, kept) : sendUnavailable(exchange)));
    });
    if (!waits) sendUnavailable(exchange);
  }

  #answer(exchange: Exchange, { served, path }: Addressed, body: CollectedBody): void {
    const { head } = exchange;
    const { compiled } = served;
    if (served.hasCors && head.isPreflight && !hasRouteForOptions(compiled, path)) {
      return exchange.send(preflightHead(head), '', true);
    }
    if (!served.isRunning) {
      this.#recordMiss(exchange, served, path, body, 503);
      const hint = `start it: POST /v1/mocks/${served.mockId}/start`;
      return sendJson(exchange, 503, { success: false, message: 'Mock is stopped', hint }, served, RETRY_AFTER);
    }
    const found = findRoute(compiled, head.method, path);
    if (found === undefined) {
      this.#recordMiss(exchange, served, path, body, 404);
      const miss = served.missOf(head.method, path);
      return exchange.send(miss.head, miss.body);
    }
    const { route } = found;
    const answer =
      route.staticAnswer ??
      answerRequest(
        found,
        { method: head.method, path, query: head.query, headers: head.headers, body: body.bytes },
        served.counters,
      );
    if (answer !== route.staticAnswer && !isRenderProblem(answer) && !this.#hold(exchange, answer)) {
      this.#recordMiss(exchange, served, path, body, 503);
      return sendUnavailable(exchange);
    }
    const number = served.hit(answer);
    if (served.isRecorded) this.#record(exchange, served, path, body, number, answer);
    else this.#traffic.leaveOut(this.#trafficOf(served));
    if (isRenderProblem(answer)) {
      return sendMessage(exchange, 500, `Response cannot be sent: ${answer.problem}`, served);
    }
    return reply(exchange, answer);
  }

  /** Rendered bodies live until they are sent, which a delay or a slow reader puts off: all of them together are bounded. */
  #hold(exchange: Exchange, { body, ownsBody }: MockAnswer): boolean {
    const bytes = typeof body === 'string' ? body.length : body.byteLength;
    if (!ownsBody || bytes < BACKPRESSURE_BYTES) return true;
    if (this.#heldBytes + bytes > MOCK_REPLIES_BYTES_MAX) return false;
    this.#heldBytes += bytes;
    exchange.whenFinished(() => (this.#heldBytes -= bytes));
    return true;
  }

  #recordMiss(exchange: Exchange, served: ServedMock, path: string, body: CollectedBody, status: OwnStatus): void {
    const number = served.counters.miss();
    if (served.isRecorded) this.#record(exchange, served, path, body, number, missed(status));
    else this.#traffic.leaveOut(this.#trafficOf(served));
  }

  #record(
    { head, waitsSince }: Exchange,
    served: ServedMock,
    path: string,
    body: CollectedBody,
    number: number,
    { routeId, responseId, place, status, latencyMs, problem = '' }: Outcome,
  ): void {
    const time = Date.now();
    this.#traffic.append(this.#trafficOf(served), {
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
      durationMs: (waitsSince === 0 ? 0 : Math.max(0, time - waitsSince)) + latencyMs,
      problem,
    });
  }

  #trafficOf(served: ServedMock): MockTraffic {
    served.traffic ??= this.#traffic.of(served.mockId);
    return served.traffic;
  }

  #protect(exchange: Exchange, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  #failed(exchange: Exchange, error: unknown): void {
    this.#onBug(error);
    sendMessage(exchange, 500, 'server error');
  }
}

/** Of a request that no response answered. A copy of a constant with the status put in took a sixth of such a request: each got a new hidden class. */
function missed(status: OwnStatus): Outcome {
  return { routeId: '', responseId: '', place: NO_PLACE, status, latencyMs: 0 };
}

/** Whether somebody looks at the body: the route, or the record of traffic. Else it is only waited for. */
function wantsBody({ served, path }: Addressed, head: MockHead): boolean {
  if (served.isRecorded) return true;
  return served.isRunning && findRoute(served.compiled, head.method, path)?.route.needsBody === true;
}

function reply(exchange: Exchange, { status, head, body, latencyMs }: MockAnswer): void {
  const isBodyless = status === 204 || status === 304;
  if (latencyMs <= 0) return exchange.send(head, body, isBodyless);
  exchange.wait();
  const timer = setTimeout(() => exchange.send(head, body, isBodyless), latencyMs);
  exchange.onAborted = () => clearTimeout(timer);
}

/** What the server itself says. `served` when a mock was reached, whose settings then hold. `more` starts with CRLF. */
function sendMessage(exchange: Exchange, status: OwnStatus, message: string, served?: ServedMock, more = ''): void {
  sendJson(exchange, status, { success: false, message }, served, more);
}

function sendUnavailable(exchange: Exchange): void {
  sendMessage(exchange, 503, 'Service recovering', undefined, RETRY_AFTER);
}

function sendJson(exchange: Exchange, status: OwnStatus, value: unknown, served?: ServedMock, more = ''): void {
  exchange.send(jsonHead(STATUS_LINES[status], served?.hasCors === true, more), JSON.stringify(value));
}
