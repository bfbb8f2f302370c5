/**
 * Handles a request to a mock from its first byte to its reply, in one serving thread: head → address → body if it is
 * needed → match → choose → count → record → reply. It uses no disk and no other thread, unless this thread lacks the
 * mock.
 *
 * From match to record everything runs without interruption on the version that is served at that moment: a request
 * that waited for its body or its mock starts again with the address. So no reply mixes two versions, and the record
 * agrees with the counts.
 */
import { unpack, type RequestHeadSent, type NoAnswerReason } from '../../forward/envelope.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';
import { PLAIN_MS, type OwnerTurns } from '../../base/owner-turns.ts';
import { STRANGER, type Account } from '../../base/owner-account.ts';
import { FORWARDS_MAX, MOCK_REQUEST_BYTES_MAX } from '../../limits.ts';
import type { HttpRequest, HttpResponse, UpgradeContext, UpgradeResponse } from '../../wire/uws.ts';
import { adminTarget, type AdminTarget } from './admin-target.ts';
import { Addresses, isServed, type Addressed } from './addresses.ts';
import { Exchange, waitForExchanges } from './reply/exchange.ts';
import { routeFor, socketRouteFor, wantsBody } from './route-for.ts';
import { addressText } from './address-text.ts';
import type { HeldReplies } from './reply/held-replies.ts';
import { RenderedBodies } from './reply/rendered-bodies.ts';
import {
  RETRY_AFTER,
  sendMessage,
  sendMockNotFound,
  sendMoved,
  sendTooManyHeld,
  sendTooManyWait,
  sendTooMuch,
  sendUnavailable,
} from './reply/own-replies.ts';
import type { AttachedHosts } from '../shared/messages.ts';
import { ForwardedReply } from './reply/forwarded-reply.ts';
import { MockElsewhere, type MockCache } from './mock-cache.ts';
import { readClientCert, readForwardedHead, readMockHead } from './mock-head.ts';
import type { ConnectToEgress } from './egress-connector.ts';
import type { OpenStreams } from './streams/open-streams.ts';
import { asksForSocket } from './sockets/handshakes.ts';
import type { SocketServices } from './sockets/socket-connection.ts';
import type { ReceivingPort } from '../shared/bound-port.ts';
import { Deliveries } from './reply/deliver.ts';
import { CUT_BODY, NO_BODY, RequestBodies, type CollectOutcome, type CollectedBody } from './request-bodies.ts';
import { RequestRecord } from './traffic/request-record.ts';
import { Answers } from './answers.ts';
import type { ServedMock } from './served-mock.ts';
import type { HomeThreads } from './stores/home-threads.ts';
import type { LiveStores } from './stores/live-stores.ts';
import type { ThreadHomes } from './thread-homes.ts';
import type { Traffic } from './traffic/traffic.ts';

/** Cost of a byte of a fixed body, beside PLAIN_MS. */
const SENT_BYTE_MS = 3e-7;

/** Called inside the uWebSockets.js callback that delivers the last bytes. */
type BodyHandler = (exchange: Exchange, body: CollectedBody) => void;

export interface MockServerOptions extends Pick<
  SocketServices,
  'cache' | 'sockets' | 'broadcast' | 'messages' | 'ticks' | 'turns'
> {
  readonly mockDomain: string;
  readonly attached: AttachedHosts;
  readonly traffic: Traffic;
  /** Takes bodies of requests, and what waits of replies, by owner. */
  readonly requestBytes: WaitingBytes;
  readonly replyBytes: WaitingBytes;
  readonly held: HeldReplies;
  readonly streams: OpenStreams;
  readonly homes: ThreadHomes;
  readonly stores: LiveStores;
  readonly homeThreads: HomeThreads;
  readonly connect: ConnectToEgress;
  readonly sharedDomains: readonly string[];
  /** Called at the first byte of each request. */
  readonly onRequest: () => void;
  /** Called when a request that waited continues. */
  readonly onStep: () => void;
  /** Called for an unexpected error while a request was handled: the request gets 500. */
  readonly onBug: (error: unknown) => void;
}

export class MockServer {
  readonly #addresses: Addresses;
  readonly #howToAddress: string;
  readonly #cache: MockCache;
  readonly #record: RequestRecord;
  readonly #bodies: RequestBodies;
  readonly #deliveries: Deliveries;
  readonly #held: HeldReplies;
  readonly #rendered: RenderedBodies;
  readonly #homes: ThreadHomes;
  readonly #turns: OwnerTurns;
  /** Pays for requests to mocks that do not exist. */
  readonly #nobody: Account;
  readonly #answers: Answers;
  readonly #onRequest: () => void;
  readonly #onStep: () => void;
  readonly #onBug: (error: unknown) => void;
  /** A single closure for all requests with a body. */
  readonly #answerWith: BodyHandler = (exchange, body) => this.#restart(exchange, body);
  #isDraining = false;

  constructor(options: MockServerOptions) {
    const { mockDomain, cache, traffic, requestBytes, replyBytes, held, homes, turns, onRequest, onStep, onBug } =
      options;
    this.#homes = homes;
    this.#turns = turns;
    this.#nobody = turns.account(STRANGER);
    this.#addresses = new Addresses(mockDomain, options.attached, cache);
    this.#howToAddress = `name the mock: by the host <mock_id>.${mockDomain}, the path /__mock/<mock_id>/ or the header x-mock-id`;
    this.#cache = cache;
    this.#record = new RequestRecord(traffic);
    this.#bodies = new RequestBodies(requestBytes);
    this.#held = held;
    this.#deliveries = new Deliveries(options.streams, turns);
    this.#rendered = new RenderedBodies(replyBytes, this.#bodies);
    this.#onRequest = onRequest;
    this.#onStep = onStep;
    this.#onBug = onBug;
    const replies = {
      ...options,
      bodies: this.#bodies,
      record: this.#record,
      deliveries: this.#deliveries,
      rendered: this.#rendered,
    };
    this.#answers = new Answers(
      replies,
      this.#addresses,
      (exchange, body) => this.#restart(exchange, body),
      (exchange, act) => {
        onStep();
        this.#protect(exchange, act);
      },
    );
  }

  /** A GET that may become a WebSocket. */
  upgrade(res: UpgradeResponse, req: HttpRequest, context: UpgradeContext, by: ReceivingPort): void {
    this.handle(res, req, 'GET', { res, context }, by);
  }

  /** @param method As received. */
  handle(res: HttpResponse, req: HttpRequest, method: string, upgrade: Exchange['upgrade'], by: ReceivingPort): void {
    this.#onRequest();
    const exchange = new Exchange(res, readMockHead(req, method), upgrade);
    exchange.head.boundTo = by.boundTo;
    exchange.head.isSecure = by.isSecure;
    // Like #protect, without a closure for each request.
    try {
      if (by.asksCertificate) readClientCert(exchange.head, res);
      this.#begin(exchange);
    } catch (error) {
      this.#failed(exchange, error);
    }
    exchange.isCorked = false;
  }

  /** Refuses new requests, ends replies that hang or are slow, and waits for others, for at most `limitMs` milliseconds. */
  async drain(limitMs: number): Promise<void> {
    this.#isDraining = true;
    this.#deliveries.end();
    this.#held.breakOffPlanned();
    await waitForExchanges(limitMs);
  }

  #begin(exchange: Exchange): void {
    const { head } = exchange;
    if (this.#isDraining) {
      exchange.closes = true;
      if (head.forwardToken !== undefined) return sendMoved(exchange, head.forwardToken);
      return sendMessage(exchange, 503, 'Service draining', undefined, RETRY_AFTER);
    }
    if (head.forwardToken !== undefined) return this.#receiveForwarded(exchange);
    if (head.malformed !== undefined) return this.#refuseMalformed(exchange);
    const admin = head.boundTo === undefined ? undefined : adminTarget(head, head.boundTo);
    if (admin !== undefined) return this.#askAdmin(exchange, admin);
    const addressed = this.#addresses.find(head);
    if (addressed === 'absent') return this.#sendNotFound(exchange);
    if (typeof addressed === 'string') return this.#waitForMock(exchange, addressed);
    exchange.ownerId = ownerOf(addressed);
    if (addressed instanceof MockElsewhere) {
      if (!head.hasBody) return this.#forward(exchange, addressed, NO_BODY);
      return this.#collect(exchange, true, (_, body) => this.#restart(exchange, body));
    }
    if (head.hasBody) {
      return this.#collect(exchange, wantsBody(addressed, head), this.#answerWith);
    }
    return this.#answer(exchange, addressed, NO_BODY);
  }

  #refuseMalformed(exchange: Exchange): void {
    exchange.closes = true;
    sendMessage(exchange, 400, `Bad Request: ${exchange.head.malformed}`);
  }

  /** Answers a request that another node has received: head and body are in the body, which that node has bounded. */
  #receiveForwarded(exchange: Exchange): void {
    this.#collect(
      exchange,
      true,
      (_, { bytes }) => {
        const sent = bytes && unpack(bytes);
        if (sent === undefined) return sendUnavailable(exchange);
        const head = sent.head as RequestHeadSent;
        readForwardedHead(exchange.head, head);
        if (exchange.head.malformed !== undefined) return this.#refuseMalformed(exchange);
        if (head.bodyBytes > MOCK_REQUEST_BYTES_MAX) return this.#refuseBody(exchange, 413);
        return this.#restart(exchange, sent.body.length === 0 ? NO_BODY : { bytes: sent.body, truncated: false });
      },
      Infinity,
    );
  }

  /** A call of the API: its rules hold there. */
  #askAdmin(exchange: Exchange, target: AdminTarget): void {
    const ask = (_: Exchange, body: CollectedBody): void => {
      const kept = this.#bodies.keep(exchange, body);
      if (kept === undefined) return sendTooMuch(exchange, 'MOCK_REQUESTS_BYTES_MAX');
      exchange.wait();
      return void import('./admin-calls.ts').then(({ askAdmin }) => {
        if (exchange.open) askAdmin(exchange, target, kept.bytes, () => sendUnavailable(exchange));
      }, this.#onBug);
    };
    if (exchange.head.hasBody) this.#collect(exchange, true, ask);
    else ask(exchange, NO_BODY);
  }

  #sendNotFound(exchange: Exchange): void {
    // Nobody's: beyond a share, what is pipelined behind it is not read.
    if (!this.#turns.mayRun(this.#nobody)) exchange.closes = true;
    this.#turns.count(this.#nobody);
    sendMockNotFound(exchange, this.#addresses.isNamed(exchange.head) ? undefined : this.#howToAddress);
  }

  /** The body is received at the same time: uWebSockets.js delivers it only once. */
  #waitForMock(exchange: Exchange, mockId: string): void {
    exchange.wait();
    let body = exchange.head.hasBody ? undefined : NO_BODY;
    let isKnown: boolean | undefined;
    const proceed = (): void => {
      if (body === undefined || isKnown === undefined || !exchange.open) return;
      if (isKnown) this.#restart(exchange, body);
      else sendUnavailable(exchange);
    };
    if (body === undefined) {
      this.#collect(exchange, true, (_, collected) => {
        body = this.#bodies.keep(exchange, collected);
        if (body === undefined) sendTooMuch(exchange, 'MOCK_REQUESTS_BYTES_MAX');
        else proceed();
      });
    }
    const waits = this.#wait(exchange, mockId, (known) => {
      isKnown = known;
      proceed();
    });
    if (!waits) sendUnavailable(exchange);
  }

  /** @param isWanted When false, the body is received and discarded. */
  #collect(exchange: Exchange, isWanted: boolean, handler: BodyHandler, bytesMax?: number): void {
    exchange.wait();
    const onBody = (body: CollectOutcome): void => {
      this.#onStep();
      // Like #protect, without a closure for each body.
      try {
        if (body === 'tooLarge') this.#refuseBody(exchange, 413);
        else if (body === 'tooMany') this.#refuseBody(exchange, 503);
        else handler(exchange, body);
      } catch (error) {
        this.#failed(exchange, error);
      }
    };
    if (isWanted) this.#bodies.collect(exchange, onBody, bytesMax);
    else this.#bodies.drain(exchange, onBody);
  }

  /** A request whose mock is known has reached it, so it is recorded there. */
  #refuseBody(exchange: Exchange, status: 413 | 503): void {
    if (!exchange.open) return undefined;
    exchange.closes = true;
    const addressed = this.#addresses.find(exchange.head);
    if (addressed instanceof MockElsewhere && status === 413)
      return this.#forward(exchange, addressed, NO_BODY, MOCK_REQUEST_BYTES_MAX + 1);
    if (typeof addressed === 'string' && addressed !== 'absent' && status === 413) {
      if (this.#wait(exchange, addressed, (known) => this.#refuseBody(exchange, known ? 413 : 503))) return undefined;
    }
    const served = isServed(addressed) ? addressed.served : undefined;
    if (isServed(addressed)) this.#record.miss(exchange, addressed, CUT_BODY, status);
    if (status === 503) sendTooMuch(exchange, 'MOCK_REQUESTS_BYTES_MAX', served);
    else sendMessage(exchange, 413, 'Payload too large', served);
    return undefined;
  }

  #restart(exchange: Exchange, body: CollectedBody): void {
    if (!exchange.open) return;
    const addressed = this.#addresses.find(exchange.head);
    if (addressed === 'absent') return this.#sendNotFound(exchange);
    if (typeof addressed !== 'string') exchange.ownerId = ownerOf(addressed);
    if (addressed instanceof MockElsewhere) return this.#forward(exchange, addressed, body);
    if (typeof addressed !== 'string') {
      // The body was discarded, but a version that needs it was published in the meantime.
      if (body.isDrained === true && wantsBody(addressed, exchange.head)) {
        this.#record.miss(exchange, addressed, body, 503);
        return sendUnavailable(exchange, addressed.served);
      }
      return this.#answer(exchange, addressed, body);
    }
    const kept = this.#bodies.keep(exchange, body);
    if (kept === undefined) return sendTooMuch(exchange, 'MOCK_REQUESTS_BYTES_MAX');
    const waits = this.#wait(exchange, addressed, (known) =>
      known ? this.#restart(exchange, kept) : sendUnavailable(exchange),
    );
    if (!waits) sendUnavailable(exchange);
  }

  /** Waits for a mock or session that this thread lacks. @returns Whether it waits; false when too many requests do. */
  #wait(exchange: Exchange, wanted: string, proceed: (known: boolean) => void): boolean {
    return this.#cache.wait(wanted, (known, reason) => {
      exchange.refusal = reason;
      this.#onStep();
      if (this.#cache.find(wanted) === 'absent') (exchange.head.absentIds ??= []).push(wanted);
      this.#protect(exchange, () => proceed(known));
    });
  }

  /**
   * A request that another node has sent here is not sent on: that node looks for the home again.
   *
   * @param bodyBytes Of a body that is too large, and is refused at the home: more than is sent.
   */
  #forward(exchange: Exchange, elsewhere: MockElsewhere, body: CollectedBody, bodyBytes?: number): void {
    const kept = this.#bodies.keep(exchange, body);
    if (kept === undefined) return sendTooMuch(exchange, 'MOCK_REQUESTS_BYTES_MAX');
    const { method, query, headers, forwardToken, isSecure, clientCert } = exchange.head;
    if (forwardToken !== undefined) {
      // Whatever has changed in the meantime, this thread asks again as well.
      this.#cache.forgetElsewhere(elsewhere);
      return sendMoved(exchange, forwardToken);
    }
    // How long the other node takes is not known here.
    if (exchange.forwards === 0 && !this.#held.admitLong(exchange, elsewhere.ownerId)) return sendTooManyHeld(exchange);
    exchange.wait();
    const client = addressText(exchange.res.getRemoteAddress());
    const path = this.#addresses.pathAnywhere(exchange.head);
    const length = bodyBytes ?? kept.bytes?.length ?? 0;
    const sent = { client, method, path, query, headers, bodyBytes: length, isSecure, clientCert: clientCert?.pem };
    const reply = new ForwardedReply(exchange, (why) =>
      this.#protect(exchange, () =>
        this.#notForwarded(exchange, elsewhere, why, () =>
          bodyBytes === undefined ? this.#restart(exchange, kept) : this.#refuseBody(exchange, 413),
        ),
      ),
    );
    exchange.onAborted = this.#homes.forward(elsewhere, 'mock', sent, kept.bytes, reply);
  }

  /** @param again Answers it wherever its mock is now. */
  #notForwarded(exchange: Exchange, elsewhere: MockElsewhere, why: NoAnswerReason, again: () => void): void {
    this.#cache.forgetElsewhere(elsewhere);
    // What was lost may have been answered: it is not repeated, and does not look as if it had not been tried.
    if (why === 'lost') return sendMessage(exchange, 500, 'server error');
    if (why === 'busy' || ++exchange.forwards >= FORWARDS_MAX) return sendUnavailable(exchange);
    return again();
  }

  #answer(exchange: Exchange, addressed: Addressed, body: CollectedBody): void {
    const { served } = addressed;
    exchange.reach(served);
    if (!this.#homes.mayServe) return sendUnavailable(exchange, served);
    try {
      const account = (served.account ??= this.#turns.account(served.ownerId));
      if (!exchange.hasTurn && !this.#turns.mayRun(account)) this.#waitForTurn(exchange, addressed, account, body);
      else this.#answerAndCount(exchange, addressed, account, body);
    } catch (error) {
      this.#failed(exchange, error, body);
    }
  }

  /** Its owner has used its share of this thread. A pipelined request behind it closes the connection (docs/http.md). */
  #waitForTurn(exchange: Exchange, addressed: Addressed, account: Account, body: CollectedBody): void {
    const kept = this.#bodies.keep(exchange, body);
    exchange.wait();
    const answer = (): void => {
      exchange.hasTurn = true;
      this.#onStep();
      if (kept !== undefined) this.#protect(exchange, () => this.#restart(exchange, kept));
    };
    if (kept !== undefined && this.#turns.wait(account, answer)) return;
    this.#record.miss(exchange, addressed, CUT_BODY, 503);
    if (kept === undefined) sendTooMuch(exchange, 'MOCK_REQUESTS_BYTES_MAX', addressed.served);
    else sendTooManyWait(exchange, addressed.served);
  }

  /** A plain answer is counted in place of reading the clock, and what waited is charged by its turn. */
  #answerAndCount(exchange: Exchange, addressed: Addressed, account: Account, body: CollectedBody): void {
    const { head } = exchange;
    const { served, unknownSession } = addressed;
    const isSearched = served.compiled.table.isSearched && !exchange.hasTurn;
    let startedAt = isSearched ? performance.now() : 0;
    const upgraded = unknownSession === undefined && asksForSocket(exchange) ? socketRouteFor(addressed) : undefined;
    const found = upgraded ?? (unknownSession === undefined ? routeFor(addressed, head) : undefined);
    const plain = served.gate === undefined && upgraded === undefined ? found?.route.staticAnswer : undefined;
    if (plain?.isPlain === true) {
      const { status } = plain;
      this.#record.hit(exchange, addressed, body, plain);
      exchange.send(plain.head, plain.body, status === 204 || status === 304);
      if (isSearched) this.#turns.charge(account, startedAt);
      else this.#turns.count(account, PLAIN_MS + (plain.body as ArrayBuffer).byteLength * SENT_BYTE_MS);
      return;
    }
    if (startedAt === 0 && !exchange.hasTurn) startedAt = performance.now();
    try {
      this.#answers.answer(exchange, addressed, body, found, upgraded !== undefined);
    } finally {
      if (startedAt > 0) this.#turns.charge(account, startedAt);
    }
  }

  #protect(exchange: Exchange, handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.#failed(exchange, error);
    }
  }

  /** A request that reached a mock is counted and recorded there, even if it failed, but only once. */
  #failed(exchange: Exchange, error: unknown, body = exchange.head.hasBody ? CUT_BODY : NO_BODY): void {
    this.#onBug(error);
    let served: ServedMock | undefined;
    try {
      const addressed = this.#addresses.find(exchange.head);
      if (isServed(addressed)) {
        served = addressed.served;
        if (!exchange.isCounted) this.#record.miss(exchange, addressed, body, 500);
      }
    } catch (another) {
      this.#onBug(another);
    }
    sendMessage(exchange, 500, 'server error', served);
  }
}

function ownerOf(addressed: Addressed | MockElsewhere): string {
  return addressed instanceof MockElsewhere ? addressed.ownerId : addressed.served.ownerId;
}
