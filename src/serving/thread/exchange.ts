/**
 * One request to a mock and its reply: the only writer of responses in a serving thread.
 *
 * The counterpart of http/call.ts, held to the same traps of uWebSockets.js: what is not answered inside the handler has an abort
 * handler, nothing is touched after an abort, a reply that closes goes out on a later turn, and what is large goes out as its
 * reader takes it. Unlike there, most replies are written inside the handler, and cost no more than this object.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { writeBody, writeLarge } from '../../wire/write-body.ts';
import type { ReplyHead } from '../matching/answer-head.ts';
import { keepHead, releaseHead, type MockHead } from './mock-head.ts';

/** Exchanges of this thread that wait: for a body, a mock, a delay or a reader. */
let waitingCount = 0;
let onNoneWaits: (() => void) | undefined;

/** Resolves when no exchange of this thread waits any more, or after so many milliseconds. */
export function settleExchanges(limitMs: number): Promise<void> {
  if (waitingCount === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs);
    onNoneWaits = () => {
      clearTimeout(timer);
      // The last reply may be made inside a callback of uWebSockets.js, which sends it when that returns.
      setImmediate(resolve);
    };
  });
}

export class Exchange {
  readonly res: HttpResponse;
  /** The thread's own until `wait`, then kept until the exchange is finished. */
  readonly head: MockHead;
  /** `Date.now()` when it began to wait; 0 while it did not. */
  waitsSince = 0;
  /** Called when the client leaves before the reply. */
  onAborted: (() => void) | undefined;
  /** True while uWebSockets.js runs the handler or hands on a body: then it has corked the connection by itself. */
  isCorked = true;
  /** Set when the connection cannot be used after this reply. */
  closes: boolean;
  #done = false;
  #aborted = false;
  #onLaterTurn = false;
  #finished = false;
  #onFinished: (() => void) | undefined;
  /** Whether a part of the reply still waits for its reader. */
  #isSending = false;

  constructor(res: HttpResponse, head: MockHead) {
    this.res = res;
    this.head = head;
    this.closes = head.closes;
  }

  /** Whether it can still be answered. */
  get open(): boolean {
    return !this.#done && !this.#aborted;
  }

  /** Calls back once, when nothing of the reply is left to be sent or the client has left: whoever holds something for it lets go. */
  whenFinished(letGo: () => void): void {
    if (this.#finished) return letGo();
    const before = this.#onFinished;
    this.#onFinished = before === undefined ? letGo : () => (before(), letGo());
  }

  /** To be called inside the handler by whoever answers after it. */
  wait(): void {
    if (this.waitsSince !== 0) return;
    this.waitsSince = Date.now();
    waitingCount++;
    keepHead();
    this.res.onAborted(() => {
      this.#aborted = true;
      this.onAborted?.();
      this.#finish();
    });
  }

  /** Writes the whole reply; what comes later is dropped. `isBodyless` for statuses that never carry a body. */
  send(head: ReplyHead, body: string | ArrayBuffer, isBodyless = false): void {
    if (!this.open) return;
    if (this.closes && !this.#onLaterTurn) {
      // Only a reply on a later turn of the event loop keeps uWebSockets.js from handling the bytes behind the body.
      this.#onLaterTurn = true;
      this.wait();
      setImmediate(() => this.send(head, body, isBodyless));
      return;
    }
    this.#done = true;
    if (this.isCorked) this.#write(head, body, isBodyless);
    else this.res.cork(() => this.#write(head, body, isBodyless));
    if (!this.#isSending) this.#finish();
  }

  #write(head: ReplyHead, body: string | ArrayBuffer, isBodyless: boolean): void {
    const { res } = this;
    res.writeStatus(head);
    if (writeBody(res, body, this.head.isHead, isBodyless, this.closes)) return;
    this.wait();
    const bytes = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
    this.#isSending = !writeLarge(res, bytes, this.closes, () => this.#finish());
  }

  /** More than once when the client leaves behind its reply: uWebSockets.js then says so. */
  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#onFinished?.();
    if (this.waitsSince === 0) return;
    releaseHead(this.head);
    waitingCount--;
    if (waitingCount === 0) onNoneWaits?.();
  }
}
