/**
 * One request and its reply: everything that a handler uses, and the only writer of responses.
 *
 * uWebSockets.js ends the process when a response is left unanswered or is touched after an abort; so every path of a
 * request goes through here, where `done` and `aborted` are known. A reply is written once; later ones are dropped.
 */
import { assert } from '../base/assert.ts';
import type { InBag } from '../base/bag.ts';
import { STRANGER } from '../base/owner-account.ts';
import type { Exceeded, WaitingBytes } from '../base/waiting-bytes.ts';
import { isRefusal, refuse, Refusal, REFUSALS, type RefusalKind, StoreUnavailableError } from '../errors.ts';
import { BACKPRESSURE_BYTES, KEEP_ALIVE_SECONDS, LARGE_ANSWER_BYTES } from '../limits.ts';
import type { Principal } from '../model/principal.ts';
import type { Repeatable } from '../owners/turn.ts';
import { networkOf } from '../wire/client-network.ts';
import { statusLine } from '../wire/status-lines.ts';
import type { HttpResponse } from '../wire/uws.ts';
import { writeBody, writeLarge } from '../wire/write-body.ts';
import type { RequestHead } from './request-head.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

/** A request's route in logs and metrics. */
interface RouteLabel {
  readonly method: string;
  /** The pattern: "/v1/rules/:ruleId". */
  readonly path: string;
  readonly isProbe?: true;
  readonly refusalBody?: (refusal: Refusal) => string;
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The parts of the server that a call uses. */
export interface CallContext {
  /** Header lines for the answer to a page of this origin, or to a request without one: each with CRLF before it. */
  readonly corsHeaders: (origin: string | undefined) => string;
  /** Called once per request, when its answer is sent or its client has disconnected (status 0). */
  readonly onAnswered: (call: Call, status: number) => void;
  /** Called once per request, when it is finished: a large answer has been received by its client. */
  readonly onFinished: (call: Call) => void;
  /** Runs a part of the handling within the owner's share of the event loop, charged with bytes until their release. */
  readonly inShare: (call: Call, bytes: number, handle: () => void) => void;
  /** Runs what has to be done, soon: in a turn of the owner. @returns false where too much of it waits; then it will not run. */
  readonly inTurn: (ownerId: string, work: () => void) => boolean;
  /** Begins work that goes on in promises: in a turn of the owner. */
  readonly beginPromises: (ownerId: string, work: () => void) => void;
  readonly releaseShare: (ownerId: string, bytes: number) => void;
  /** Bodies from their first chunk to their answer, and answers that are being made or sent, by owner. */
  readonly bodies: WaitingBytes;
  readonly replies: WaitingBytes;
  /** Takes so many bytes of the owner's part of the free memory. @returns false when there is too little. */
  readonly takeMemory: (ownerId: string, bytes: number) => boolean;
  /** An unexpected error in the handling of the request. */
  readonly onError: (call: Call, error: unknown) => void;
}

/** An answer that is made as text is in memory in parts, as one text, and as bytes. */
const COPIES_OF_TEXT = 3;

export class Call implements InBag {
  place = -1;
  readonly res: HttpResponse;
  /** Replaced once, before it is used, for a request that another node has received; so is its id. */
  head: RequestHead;
  requestId: string;
  /** `performance.now()` at the first byte that was handled. */
  readonly startedAt: number;
  /** Set once the route is known. */
  route: RouteLabel | undefined;
  /** Set where it is refused before its route is known, and that has a form of its own. */
  refusalBody: RouteLabel['refusalBody'];
  params: readonly string[] = [];
  /** Set once the key is known. */
  principal: Principal | undefined;
  /** Set for a POST with an `Idempotency-Key`, once its body is there. */
  repeatable: Repeatable | undefined;
  /** Bytes of its body or answer that its owner's share is charged with; set by run-endpoint.ts. */
  chargedBytes = 0;
  /** Whether it has had a turn of its sender. An answer to a client without a key waits for one. */
  hasTurn = false;
  /** False while uWebSockets.js still runs the handler, when it corks automatically. */
  deferred = false;
  /** Whether the connection closes after this reply. */
  closes: boolean;
  aborted = false;
  /** Called when the client disconnects before the whole body has come. */
  onAborted: (() => void) | undefined;
  /** Called once, when the call is answered, also after a disconnect: releases what is held for the call. */
  onSettled: (() => void) | undefined;
  /** Called once, when its answer has been sent and its memory can be used again. */
  onFinished: (() => void) | undefined;
  #network: string | undefined;
  #done = false;
  #finished = false;
  /** Whether a part of the answer is still to be sent. */
  #sending = false;
  #unreadBytes = 0;
  #whenRead: (() => void) | undefined;
  #streaming = false;
  /** Whether a reply that closes the connection may be sent now. */
  #isDelayed = false;
  readonly #context: CallContext;

  constructor(res: HttpResponse, head: RequestHead, requestId: string, context: CallContext) {
    this.res = res;
    this.head = head;
    this.requestId = requestId;
    this.startedAt = performance.now();
    this.#context = context;
    this.closes = head.closes;
  }

  /** The caller, for handlers of routes that are not `public`: they only run with a valid key. */
  get caller(): Principal {
    assert(this.principal !== undefined, 'a handler of a keyed route runs with a principal');
    return this.principal;
  }

  /** Whose share it uses: its owner's, or that of its client's network where no valid key was sent. */
  get sender(): string {
    return this.principal?.ownerId ?? (this.#network ??= STRANGER + networkOf(this.res));
  }

  get bodies(): WaitingBytes {
    return this.#context.bodies;
  }

  /** Takes so many bytes of the free memory. @returns false where there is too little for its sender. */
  takeMemory(bytes: number): boolean {
    return this.#context.takeMemory(this.sender, bytes);
  }

  /** Whether the answer of a write might not fit into memory: the write is then refused before it is tried. */
  get areAnswersFull(): boolean {
    return this.#context.replies.exceeded(this.sender, 1) !== undefined;
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

  /** Whether it is answered and the answer is sent. */
  get finished(): boolean {
    return this.#finished;
  }

  /** Runs a part of the handling; an unexpected error in it is the server error of this request alone. */
  protect(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      this.fail(error);
    }
  }

  /** An unexpected error occurred in the handling. */
  fail(error: unknown): void {
    if (error instanceof StoreUnavailableError) return this.refuse('storeUnavailable');
    this.#context.onError(this, error);
    this.refuse('serverError');
  }

  /** Continues with the awaited value, as `protect` does; a rejection is an unexpected error too. */
  async later<Value>(awaited: Promise<Value>, handle: (value: Value) => void | Promise<void>): Promise<void> {
    try {
      await handle(await awaited);
    } catch (error) {
      this.fail(error);
    }
  }

  /** Continues in a turn of the owner, even if its client has disconnected. */
  inTurn(handle: () => void): void {
    const work = (): void => this.protect(handle);
    if (!this.#context.inTurn(this.sender, work)) work();
  }

  /** Begins a part of the handling that goes on in promises, in a turn of the owner. */
  beginPromises(handle: () => void): void {
    this.#context.beginPromises(this.sender, () => this.protect(handle));
  }

  /** Its body is no longer processed: other requests of the owner may begin. */
  releaseBody(): void {
    if (this.chargedBytes > 0) this.#context.releaseShare(this.sender, this.chargedBytes);
    this.chargedBytes = 0;
  }

  /**
   * Makes an answer and sends it; a large one within its owner's share, and only while there is memory for it. For
   * requests that change nothing, since it may refuse.
   *
   * @param bytesMax Upper bound of its bytes, known before it is made.
   * @param make     Makes and sends it, now or later.
   * @param copies   How many copies of it are in memory while it is made.
   */
  answer(bytesMax: number, make: () => void, copies = COPIES_OF_TEXT): void {
    if (bytesMax < LARGE_ANSWER_BYTES) return make();
    this.releaseBody();
    return this.#context.inShare(this, bytesMax, () => {
      const exceeded = this.#context.replies.makeRoom(this.sender, bytesMax);
      if (exceeded !== undefined) return this.refuse(tooMuchWaits('answers', exceeded));
      if (!this.takeMemory(bytesMax * copies)) return this.refuse('overloaded');
      this.#setUnread(bytesMax);
      return make();
    });
  }

  /** `members` follow `"success":true`: `"data":{...}`. `headers` start with CRLF each. */
  succeed(members: string, headers = ''): void {
    this.send(200, JSON_TYPE, `{"success":true,${members}}`, headers);
  }

  /** @param envelope The whole of it, in UTF-8; not to be changed before the request is finished. */
  sendJson(envelope: Buffer, headers = ''): void {
    this.send(200, JSON_TYPE, envelope, headers);
  }

  /**
   * Sends texts, which together are the whole envelope, as UTF-8: as one text it would be in memory three times.
   *
   * @param buffer Large enough for them; not to be changed before the request is finished.
   */
  sendTexts(texts: readonly string[], buffer: Buffer, headers = ''): void {
    let end = 0;
    for (const text of texts) end += buffer.write(text, end);
    this.sendJson(buffer.subarray(0, end), headers);
  }

  /** Sends what is kept in memory anyway, within the share of its sender. */
  sendKept(contentType: string, bytes: Buffer, headers = ''): void {
    this.answer(bytes.length, () => this.send(200, contentType, bytes, headers), 0);
  }

  /**
   * The client has what it would be sent.
   *
   * @param headers Those of the whole answer that caches keep: its `etag`, `cache-control`, `vary`.
   */
  notModified(headers: string): void {
    this.send(304, undefined, '', headers);
  }

  /** @param location Relative to the path that was asked for: behind a reverse proxy the service may live under a prefix. */
  redirect(status: 302 | 308, location: string, headers = ''): void {
    this.send(status, JSON_TYPE, '{"success":true}', `\r\nlocation: ${location}${headers}`);
  }

  /** `allow` goes into the header of the same name. */
  refuse(refusal: Refusal | RefusalKind, allow?: string): void {
    const refused = isRefusal(refusal) ? refusal : refuse(refusal);
    const { kind, message, details, hasExpired } = refused;
    const { status, retryAfterSeconds } = REFUSALS[kind];
    let headers = '';
    if (retryAfterSeconds !== undefined) headers += `\r\nretry-after: ${retryAfterSeconds}`;
    if (allow !== undefined) headers += `\r\nallow: ${allow}`;
    // JSON.stringify leaves out what is undefined.
    const expired = hasExpired || undefined;
    const body =
      (this.route ?? this).refusalBody?.(refused) ?? JSON.stringify({ success: false, message, details, expired });
    this.send(status, JSON_TYPE, body, headers);
  }

  /**
   * Writes the whole reply.
   *
   * @param contentType undefined for a status that never carries a body.
   * @param headers     Further header lines, each with CRLF before it, free of anything a client sent.
   *
   * The status and all headers are written in one call, since each crosses into native code: eight of them cost a
   * microsecond, one seventh of a whole request.
   */
  send(status: number, contentType: string | undefined, body: string | Buffer, headers = ''): void {
    this.onSettled?.();
    this.onSettled = undefined;
    this.releaseBody();
    this.#setUnread(0);
    if (!this.open) return;
    if (this.principal === undefined && !this.hasTurn)
      return this.#context.inShare(this, 0, () => this.send(status, contentType, body, headers));
    const exceeded =
      body.length < BACKPRESSURE_BYTES ? undefined : this.#context.replies.makeRoom(this.sender, body.length);
    // A change that has been made must not be answered as refused.
    if (exceeded !== undefined && READS.has(this.head.method)) return this.refuse(tooMuchWaits('answers', exceeded));
    if (this.closes && !this.#isDelayed) {
      // Unless it is sent in a later iteration of the event loop, uWebSockets.js handles the bytes after the body.
      this.#isDelayed = true;
      setImmediate(() => this.send(status, contentType, body, headers));
      return;
    }
    this.#done = true;
    const isBodyless = contentType === undefined;
    const type = isBodyless ? '' : `\r\ncontent-type: ${contentType}`;
    const lines = statusLine(status) + type + this.#linesAfter(headers);
    if (this.deferred) this.res.cork(() => this.#write(lines, body, isBodyless));
    else this.#write(lines, body, isBodyless);
    this.#context.onAnswered(this, status);
    if (!this.#sending) this.#finish();
  }

  /**
   * Begins an answer that lasts until `endStream`, or until the client disconnects. `writeStream` writes its parts.
   *
   * A stop of the service ends open streams and does not wait for them. `x-accel-buffering` asks nginx and other
   * proxies not to buffer it.
   */
  startStream(contentType: string): void {
    if (!this.open) return;
    this.#done = true;
    this.#streaming = true;
    this.#context.onAnswered(this, 200);
    const value = contentType + this.#linesAfter('\r\ncache-control: no-store\r\nx-accel-buffering: no');
    this.res.cork(() => this.res.writeStatus('200 OK').writeHeader('content-type', value).write('\n'));
  }

  /** @returns false when the client does not keep up, and nothing should be written until it does; or has left. */
  writeStream(text: string): boolean {
    if (!this.#streaming || this.aborted) return false;
    let taken = true;
    this.res.cork(() => {
      taken = this.res.write(text);
    });
    return taken;
  }

  /** Calls back once, when a client that did not keep up can take more. */
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
    // To close the connection with it, uWebSockets.js would write a header line in the place of a chunk.
    this.res.cork(() => this.res.end());
    this.#finish();
  }

  get isStream(): boolean {
    return this.#streaming;
  }

  #finish(): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#whenRead?.();
    this.#setUnread(0);
    this.onFinished?.();
    this.#context.onFinished(this);
  }

  /** Sets how many bytes of its answer are unread. */
  #setUnread(bytes: number): void {
    if (bytes === this.#unreadBytes) return;
    this.#context.replies.add(this.sender, bytes - this.#unreadBytes);
    this.#unreadBytes = bytes;
  }

  /** The header lines that follow the content type. */
  #linesAfter(headers: string): string {
    const { origin } = this.head;
    return (
      headers +
      this.#context.corsHeaders(origin) +
      `\r\nx-request-id: ${this.requestId}\r\nkeep-alive: timeout=${KEEP_ALIVE_SECONDS}`
    );
  }

  /** @param lines The status and the header lines, with CRLF between them. */
  #write(lines: string, body: string | Buffer, isBodyless: boolean): void {
    const { res } = this;
    res.writeStatus(lines);
    if (writeBody(res, body, this.head.method === 'HEAD', isBodyless, this.closes)) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    if (writeLarge(res, bytes, this.closes, () => this.#finish())) return;
    this.#sending = true;
    this.#setUnread(bytes.length);
    this.#whenRead = this.#context.replies.endsBy(this.sender, () => res.close());
  }
}

/** @param what What waits for clients of the API, or for its end. */
export function tooMuchWaits(what: 'answers' | 'bodies', { of, bytesMax }: Exceeded): Refusal {
  const whose = of === 'holder' ? 'one owner' : 'all owners';
  return new Refusal('overloaded', undefined, `unfinished ${what} of ${whose} have ${bytesMax} bytes at most`);
}
