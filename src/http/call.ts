/**
 * One request and its reply: everything a handler touches, and the only writer of responses.
 *
 * uWebSockets.js ends the process when a response is left unanswered or is touched after an abort; so every path of a request
 * goes through here, where `done` and `aborted` are known. A reply is written once; what comes later is dropped.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { assert } from '../base/assert.ts';
import { isRefusal, refuse, REFUSALS, type Refusal, type RefusalKind } from '../errors.ts';
import { BACKPRESSURE_BYTES, KEEP_ALIVE_SECONDS, REPLIES_BYTES_MAX } from '../limits.ts';
import type { Principal } from '../model/principal.ts';
import { writeBody, writeLarge } from '../wire/write-body.ts';
import type { FairTurns } from './fair-turns.ts';
import type { RequestHead } from './request-head.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

const STATUS_LINES: Readonly<Record<number, string>> = {
  200: '200 OK',
  400: '400 Bad Request',
  401: '401 Unauthorized',
  403: '403 Forbidden',
  404: '404 Not Found',
  405: '405 Method Not Allowed',
  412: '412 Precondition Failed',
  413: '413 Content Too Large',
  415: '415 Unsupported Media Type',
  422: '422 Unprocessable Content',
  429: '429 Too Many Requests',
  500: '500 Internal Server Error',
  503: '503 Service Unavailable',
};

/** What logs and metrics say of a request's route. */
export interface RouteLabel {
  readonly method: string;
  /** The pattern: "/v1/rules/:ruleId". */
  readonly path: string;
}

/** What a call needs to know of its server. */
export interface CallContext {
  /** Headers for the answer to a page of this origin, or to whoever names none; "" when there are none. Starts with CRLF when there are any. */
  readonly corsHeaders: (origin: string | undefined) => string;
  /** Called once per request, when its answer is on its way or its client has left (status 0). */
  readonly onAnswered: (call: Call, status: number) => void;
  /** Called once per request, when nothing of it is left to be done: large answers have been taken by their reader. */
  readonly onFinished: (call: Call) => void;
  /** Whose turn it is. */
  readonly turns: FairTurns;
  /** A bug met while the request was handled. */
  readonly onBug: (call: Call, error: unknown) => void;
}

/** Bytes of answers that wait for their readers, of all calls. */
let unreadBytes = 0;

export class Call {
  readonly res: HttpResponse;
  readonly head: RequestHead;
  readonly requestId: string;
  /** `performance.now()` at the first byte that was handled. */
  readonly startedAt: number;
  /** Set once the route is known. */
  route: RouteLabel | undefined;
  params: readonly string[] = [];
  /** Set once the key is known. */
  principal: Principal | undefined;
  /** False while uWebSockets.js still runs the handler, when it corks by itself. */
  deferred = false;
  /** Set when the connection cannot be used after this reply. */
  closes: boolean;
  aborted = false;
  /** Called when the client has left before the whole body came. */
  onAborted: (() => void) | undefined;
  /** Called once, when the call is answered, even if nobody is there to hear it: whoever holds something lets go of it. */
  onSettled: (() => void) | undefined;
  #done = false;
  #finished = false;
  /** Whether a part of the answer still waits for its reader. */
  #sending = false;
  #unreadBytes = 0;
  #streaming = false;
  /** Of its body, while its owner's share is charged with it. */
  #turnBytes = 0;
  /** Whether a reply that closes may go out now. */
  #onLaterTurn = false;
  readonly #context: CallContext;

  constructor(res: HttpResponse, head: RequestHead, requestId: string, context: CallContext) {
    this.res = res;
    this.head = head;
    this.requestId = requestId;
    this.startedAt = performance.now();
    this.#context = context;
    this.closes = head.closes;
  }

  /** Who calls; for handlers of routes whose access is not `public`, which only run with a valid key. */
  get caller(): Principal {
    assert(this.principal !== undefined, 'a handler of a keyed route runs with a principal');
    return this.principal;
  }

  /** Whether it can still be answered. */
  get open(): boolean {
    return !this.#done && !this.aborted;
  }

  abort(): void {
    this.aborted = true;
    this.onAborted?.();
    if (!this.#done) {
      this.#done = true;
      this.#context.onAnswered(this, 0);
    }
    this.#finish();
  }

  /** Whether nothing of it is left to be done. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Runs a part of the handling; a bug in it is a server error of this request, and of no other. */
  protect(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.fail(error);
    }
  }

  /** A bug was met while it was handled. */
  fail(error: unknown): void {
    this.#context.onBug(this, error);
    this.refuse('serverError');
  }

  /** Goes on with what is awaited, under `protect`; a rejection is a bug too. */
  async later<Value>(awaited: Promise<Value>, handle: (value: Value) => void | Promise<void>): Promise<void> {
    try {
      await handle(await awaited);
    } catch (error) {
      this.fail(error);
    }
  }

  /**
   * Runs a part of the handling when it is the caller's turn, which it mostly is.
   *
   * @param bytes  Of the body that it is about, charged to the caller's owner until `settleBody`, or the answer.
   * @param onWait Called when it has to wait.
   */
  inTurn(bytes: number, handle: () => void, onWait?: () => void): void {
    const ownerId = this.principal?.ownerId;
    if (ownerId === undefined) return handle();
    const taken = this.#context.turns.take(
      ownerId,
      bytes,
      () => {
        this.#turnBytes = bytes;
        // Of a client that has left, nothing is tried.
        if (this.open) this.protect(handle);
        else this.refuse('overloaded');
      },
      onWait,
    );
    if (!taken) this.refuse('overloaded');
  }

  /** Its body is no longer worked on, and only an answer is waited for: what else the owner sent may begin. */
  settleBody(): void {
    if (this.#turnBytes > 0) this.#context.turns.settle(this.caller.ownerId, this.#turnBytes);
    this.#turnBytes = 0;
  }

  /** `members` follow `"success":true`: `"data":{...}`. `headers` start with CRLF each. */
  succeed(members: string, headers = ''): void {
    this.send(200, JSON_TYPE, `{"success":true,${members}}`, headers);
  }

  /** `allow` goes into the header of the same name. */
  refuse(refusal: Refusal | RefusalKind, allow?: string): void {
    const { kind, message, details } = isRefusal(refusal) ? refusal : refuse(refusal);
    const { status, retryAfterSeconds } = REFUSALS[kind];
    let headers = '';
    if (retryAfterSeconds !== undefined) headers += `\r\nretry-after: ${retryAfterSeconds}`;
    if (allow !== undefined) headers += `\r\nallow: ${allow}`;
    // JSON.stringify leaves out details that are undefined.
    this.send(status, JSON_TYPE, JSON.stringify({ success: false, message, details }), headers);
  }

  /**
   * Writes the whole reply.
   *
   * @param headers Further header lines, each with CRLF before it, free of anything a client sent.
   *
   * The status and all headers go out in one call, since each crosses into native code: eight of them cost a microsecond, one in
   * seven of a whole request.
   */
  send(status: number, contentType: string, body: string | Buffer, headers = ''): void {
    this.onSettled?.();
    this.onSettled = undefined;
    this.settleBody();
    if (!this.open) return;
    if (body.length >= BACKPRESSURE_BYTES && body.length + unreadBytes > REPLIES_BYTES_MAX) {
      return this.refuse('overloaded');
    }
    if (this.closes && !this.#onLaterTurn) {
      // Only a reply on a later turn of the event loop keeps uWebSockets.js from handling the bytes behind the body.
      this.#onLaterTurn = true;
      setImmediate(() => this.send(status, contentType, body, headers));
      return;
    }
    this.#done = true;
    const lines = `${STATUS_LINES[status] ?? status}\r\ncontent-type: ${this.#headerValue(contentType, headers)}`;
    if (this.deferred) this.res.cork(() => this.#write(lines, body));
    else this.#write(lines, body);
    this.#context.onAnswered(this, status);
    if (!this.#sending) this.#finish();
  }

  /**
   * Begins an answer that goes on until `endStream`, or until the client leaves. Pieces go out by `writeStream`.
   *
   * A stream that is open does not hold up a stop of the service: it is ended then.
   */
  startStream(contentType: string): void {
    if (!this.open) return;
    this.#done = true;
    this.#streaming = true;
    this.#context.onAnswered(this, 200);
    const value = this.#headerValue(contentType, '\r\ncache-control: no-store');
    this.res.cork(() => this.res.writeStatus('200 OK').writeHeader('content-type', value).write('\n'));
  }

  /** @returns false when the client does not keep up, and nothing more should be written until it does; or when it has left. */
  writeStream(text: string): boolean {
    if (!this.#streaming || this.aborted) return false;
    let taken = true;
    this.res.cork(() => {
      taken = this.res.write(text);
    });
    return taken;
  }

  /** Calls back once when a client that did not keep up does again. */
  onceWritable(then: () => void): void {
    let called = false;
    this.res.onWritable(() => {
      if (!called) then();
      called = true;
      return true;
    });
  }

  endStream(): void {
    if (!this.#streaming || this.aborted) return;
    this.#streaming = false;
    this.res.cork(() => this.res.end(undefined, true));
    this.#finish();
  }

  get isStream(): boolean {
    return this.#streaming;
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    if (this.#sending) unreadBytes -= this.#unreadBytes;
    this.#context.onFinished(this);
  }

  /** The content type's value with every other header line behind it. */
  #headerValue(contentType: string, headers: string): string {
    const { origin } = this.head;
    return (
      contentType +
      headers +
      this.#context.corsHeaders(origin) +
      `\r\nx-request-id: ${this.requestId}\r\nkeep-alive: timeout=${KEEP_ALIVE_SECONDS}`
    );
  }

  /** @param lines Of the status and of the headers, with CRLF between them. */
  #write(lines: string, body: string | Buffer): void {
    const { res } = this;
    res.writeStatus(lines);
    if (writeBody(res, body, this.head.method === 'HEAD', false, this.closes)) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (writeLarge(res, bytes, this.closes, () => this.#finish())) return;
    this.#sending = true;
    this.#unreadBytes = bytes.length;
    unreadBytes += bytes.length;
  }
}
