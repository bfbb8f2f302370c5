/**
 * One request to a mock and its reply: the only writer of whole responses in a serving thread. Broken and slow ones:
 * deliver.ts.
 *
 * The counterpart of http/call.ts, with the same rules for uWebSockets.js: a request that is not answered inside the
 * handler has an abort handler, nothing is used after an abort, a reply that closes is sent on a later turn of the
 * event loop, and a large reply is sent as fast as the client reads. Unlike there, most replies are written inside the
 * handler, and cost no more than this object.
 */
import type { HttpResponse, UpgradeContext, UpgradeResponse } from '../../../wire/uws.ts';
import { writeBody, writeLarge } from '../../../wire/write-body.ts';
import type { CorsSetting } from '../../../model/mocks/definition/cors-schema.ts';
import type { ReplyHead } from '../../matching/compile/answer-head.ts';
import { headFor } from '../../matching/compile/cors.ts';
import type { RecordedPlace } from '../traffic/traffic-blocks.ts';
import { keepHead, releaseHead, type MockHead } from '../mock-head.ts';

/** Exchanges of this thread that wait: for a body, a mock, a delay or a slow client. */
let waitingCount = 0;
let onAllFinished: (() => void) | undefined;

/** Resolves when no exchange of this thread is waiting, but at the latest after `limitMs` milliseconds. */
export function waitForExchanges(limitMs: number): Promise<void> {
  if (waitingCount === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    onAllFinished = () => {
      clearTimeout(timer);
      // The last reply may be written inside a callback of uWebSockets.js, which sends it when the callback returns.
      setImmediate(resolve);
    };
  });
}

export class Exchange {
  readonly res: HttpResponse;
  /** Shared by all requests of the thread; from `wait` on kept for this exchange, until it is finished. */
  readonly head: MockHead;
  /** `Date.now()` when it started to wait; 0 until then. */
  waitsSince = 0;
  /** The mock has counted the request. */
  isCounted = false;
  /** Owner that pays for its bodies; "" while unknown. */
  ownerId = '';
  /** The exchange has waited for its owner's turn. */
  hasTurn = false;
  /** Why what it waited for is not there, where that is known. */
  refusal: string | undefined;
  /** Failed attempts to forward it to another node. */
  forwards = 0;
  /** Called when the client disconnects before the reply. */
  onAborted: (() => void) | undefined;
  /** Ends a reply that has begun, and that has an end of its own: one that has none is closed. */
  endEarly: (() => void) | undefined;
  /** Set for a WebSocket handshake: what its socket belongs to. */
  readonly upgrade: { readonly res: UpgradeResponse; readonly context: UpgradeContext } | undefined;
  /** Place of its record. */
  recorded: RecordedPlace | undefined;
  /** True while uWebSockets.js runs a handler for the request or its body: it has then corked the connection itself. */
  isCorked = true;
  /** The connection must close after the reply. */
  closes: boolean;
  /** Setting of the mock that was reached, where its heads are not as they were prepared: for a page of another origin. */
  #cors: CorsSetting | undefined;
  #done = false;
  #aborted = false;
  #onLaterTurn = false;
  #finished = false;
  #onFinished: (() => void) | undefined;
  /** A part of the reply is still to be sent. */
  #isSending = false;

  constructor(res: HttpResponse, head: MockHead, upgrade?: Exchange['upgrade']) {
    this.res = res;
    this.head = head;
    // uWebSockets.js would take what follows the head for messages.
    this.upgrade = upgrade === undefined || head.hasBody ? undefined : upgrade;
    this.closes = head.closes;
  }

  /** Replies follow the setting `cors` of this mock from now on. */
  reach({ cors, overlaysCors }: { readonly cors: CorsSetting; readonly overlaysCors: boolean }): void {
    if (this.head.origin !== undefined || overlaysCors) this.#cors = cors;
  }

  /** The lines of the reply are not those of a prepared head: they say themselves which pages may read it. */
  decidesCors(): void {
    this.#cors = undefined;
  }

  /** The head as the page that asks gets it. */
  headFor<Head extends ReplyHead>(head: Head): Head {
    return this.#cors === undefined ? head : headFor(this.#cors, this.head.origin, head);
  }

  /** The request can still be answered. */
  get open(): boolean {
    return !this.#done && !this.#aborted;
  }

  /**
   * Calls `release` once, when the whole reply is sent or the client has disconnected: for freeing what is held for the
   * reply.
   */
  whenFinished(release: () => void): void {
    if (this.#finished) return release();
    const before = this.#onFinished;
    this.#onFinished = before === undefined ? release : () => (before(), release());
  }

  /** Call it inside the handler when the reply comes later. */
  wait(): void {
    if (this.waitsSince !== 0) return;
    this.waitsSince = Date.now();
    waitingCount++;
    keepHead();
    this.res.onAborted(() => {
      this.#aborted = true;
      this.onAborted?.();
      this.finish();
    });
  }

  /**
   * Writes the whole reply; only the first call counts.
   *
   * @param body To HEAD its length is enough; -1 where that is not known. @param isBodyless For statuses that never carry a body.
   */
  send(head: ReplyHead, body: string | ArrayBuffer | number, isBodyless = false): void {
    if (!this.open) return;
    if (this.closes && !this.#onLaterTurn) {
      // Only a reply on a later turn of the event loop keeps uWebSockets.js from handling the bytes after the body.
      this.#onLaterTurn = true;
      this.wait();
      setImmediate(() => this.send(head, body, isBodyless));
      return;
    }
    this.#done = true;
    if (this.isCorked) this.#write(head, body, isBodyless);
    else this.res.cork(() => this.#write(head, body, isBodyless));
    if (!this.#isSending) this.finish();
  }

  /**
   * Hands the reply over to a writer that calls `finish` or `breakOff` at its end, and nothing of `res` after an abort.
   * @returns Whether the request can still be answered.
   */
  takeOver(): boolean {
    if (!this.open) return false;
    this.wait();
    this.#done = true;
    return true;
  }

  get isAborted(): boolean {
    return this.#aborted;
  }

  /** Sends all that `write` writes at once. */
  cork(write: () => void): void {
    if (this.isCorked) write();
    else this.res.cork(write);
  }

  /** Closes the connection, whatever was sent. */
  breakOff(): void {
    if (this.#finished) return;
    this.#done = true;
    // Calls the handler of `wait`.
    if (!this.#aborted) this.res.close();
    this.finish();
  }

  #write(head: ReplyHead, body: string | ArrayBuffer | number, isBodyless: boolean): void {
    const { res } = this;
    res.writeStatus(this.headFor(head));
    if (writeBody(res, body, this.head.isHead, isBodyless, this.closes) || typeof body === 'number') return;
    this.wait();
    const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
    this.#isSending = !writeLarge(res, bytes, this.closes, () => this.finish());
  }

  /** Runs again when the client disconnects after its reply: uWebSockets.js then calls `onAborted`. */
  finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#onFinished?.();
    if (this.waitsSince === 0) return;
    releaseHead(this.head);
    waitingCount--;
    if (waitingCount === 0) onAllFinished?.();
  }
}
