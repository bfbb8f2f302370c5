/**
 * Writes the reply of the node that serves a mock as it comes. Only where a balancer did not know better: it costs a
 * second request.
 */
import type { ReplyHeadSent, NoAnswerReason } from '../../../forward/envelope.ts';
import type { AnswerSink } from '../../../forward/forwarding.ts';
import type { Flow } from '../../../forward/send.ts';
import { KEEP_ALIVE_LINE, type ReplyHead } from '../../matching/compile/answer-head.ts';
import { writeHeadAlone } from '../../../wire/write-body.ts';
import { sendRaw } from './deliver.ts';
import type { Exchange } from './exchange.ts';

/** @typeParam Why What can be said of a request without an answer, beside what is said of nodes. */
export class ForwardedReply<Why extends string = NoAnswerReason> implements AnswerSink<Why | NoAnswerReason> {
  readonly #exchange: Exchange;
  readonly #onUnanswered: (why: Why | NoAnswerReason, reason?: string) => void;
  readonly #encoding: 'utf8' | 'latin1';
  #flow: Pick<Flow, 'pause' | 'resume'> | undefined;
  /** Status and header lines. */
  #head: ReplyHead = '';
  /** Length of the body; undefined for one in chunks. */
  #bodyBytes: number | undefined;
  /** Set if the reply is complete with its head, or is not an HTTP message (matching/faults.ts). */
  #kind: 'headAlone' | 'raw' | 'whole' = 'whole';
  /** Parts that arrived before the writing began. */
  #parts: Buffer[] = [];
  #isBegun = false;
  #received = 0;
  /** Unwritten rest of the last part, and its place in the body. */
  #rest: Buffer | undefined;
  #restAt = 0;
  /** uWebSockets.js's offset of the body. */
  #start = 0;

  /** @param encoding Of the header lines of an answer. */
  constructor(
    exchange: Exchange,
    onUnanswered: (why: Why | NoAnswerReason, reason?: string) => void,
    encoding: 'utf8' | 'latin1' = 'utf8',
  ) {
    this.#exchange = exchange;
    this.#onUnanswered = onUnanswered;
    this.#encoding = encoding;
  }

  onHead({ status, reason, headers, bodyBytes, isRaw }: ReplyHeadSent, flow: Pick<Flow, 'pause' | 'resume'>): void {
    const exchange = this.#exchange;
    this.#flow = flow;
    this.#bodyBytes = bodyBytes;
    let head = `${status} ${reason}`;
    for (let index = 0; index < headers.length; index += 2) head += `\r\n${headers[index]}: ${headers[index + 1]}`;
    head += KEEP_ALIVE_LINE;
    this.#head = this.#encoding === 'utf8' ? head : toArrayBuffer([Buffer.from(head, this.#encoding)]);
    const isBodyless = status === 204 || status === 304;
    if (isRaw === true) this.#kind = 'raw';
    else if (bodyBytes === 0 || exchange.head.isHead || isBodyless) {
      this.#kind = 'headAlone';
      exchange.send(this.#head, exchange.head.isHead ? (bodyBytes ?? -1) : NO_BODY, isBodyless);
    }
    // What has come with it is written with it: most replies are whole then.
    else queueMicrotask(() => this.#begin());
  }

  onData(chunk: Buffer): void {
    const at = this.#received;
    this.#received += chunk.length;
    if (!this.#isBegun) this.#parts.push(chunk);
    // One more may come after `pause`.
    else if (this.#rest !== undefined) this.#rest = Buffer.concat([this.#rest, chunk]);
    else if (!this.#exchange.isAborted) this.#exchange.cork(() => this.#write(chunk, at));
  }

  onEnd(): void {
    const exchange = this.#exchange;
    if (this.#kind === 'headAlone' || exchange.isAborted) return;
    if (this.#kind === 'raw') {
      if (exchange.takeOver()) sendRaw(exchange, toArrayBuffer(this.#parts));
    } else if (this.#bodyBytes === undefined) {
      this.#begin();
      exchange.cork(() => exchange.res.end());
      exchange.finish();
    } else if (this.#received < this.#bodyBytes) this.onCut();
    else if (!this.#isBegun) {
      this.#isBegun = true;
      exchange.send(this.#head, toArrayBuffer(this.#parts));
    }
  }

  onCut(): void {
    if (this.#kind === 'headAlone') return;
    if (this.#kind === 'whole') this.#begin();
    // Bytes reach the kernel when the callback of uWebSockets.js returns.
    setImmediate(() => this.#exchange.breakOff());
  }

  onUnanswered(why: Why | NoAnswerReason, reason?: string): void {
    if (why === 'broken') this.#exchange.breakOff();
    else if (this.#exchange.open) this.#onUnanswered(why, reason);
  }

  #begin(): void {
    const exchange = this.#exchange;
    if (this.#isBegun || !exchange.takeOver()) return;
    this.#isBegun = true;
    const { res, closes } = exchange;
    exchange.cork(() => {
      res.writeStatus(exchange.headFor(this.#head));
      if (closes) res.writeHeader('connection', 'close');
      this.#start = res.getWriteOffset();
      res.onWritable(() => this.#writeRest());
      if (this.#bodyBytes !== undefined) writeHeadAlone(res, this.#bodyBytes);
      if (this.#parts.length > 0) this.#write(Buffer.concat(this.#parts), 0);
    });
    this.#parts = [];
  }

  /** The client takes more. @returns Whether nothing is left. */
  #writeRest(): boolean {
    const rest = this.#rest;
    if (this.#exchange.isAborted) return true;
    if (rest === undefined) {
      this.#flow?.resume();
      return true;
    }
    const part = rest.subarray(this.#exchange.res.getWriteOffset() - this.#start - this.#restAt);
    this.#rest = undefined;
    this.#write(part, this.#restAt + rest.length - part.length);
    return this.#rest === undefined;
  }

  #write(part: Buffer, at: number): void {
    const { res, closes } = this.#exchange;
    const length = this.#bodyBytes;
    if (length === undefined) {
      if (!res.write(part)) this.#flow?.pause();
      return;
    }
    if (closes && at + part.length === length) res.pause();
    const [isWritten, hasEnded] = res.tryEnd(part, length);
    if (hasEnded) return this.#exchange.finish();
    if (isWritten) return this.#flow?.resume();
    this.#rest = part;
    this.#restAt = at;
    return this.#flow?.pause();
  }
}

const NO_BODY = new ArrayBuffer(0);

function toArrayBuffer(parts: readonly Buffer[]): ArrayBuffer {
  return new Uint8Array(Buffer.concat(parts)).buffer;
}
