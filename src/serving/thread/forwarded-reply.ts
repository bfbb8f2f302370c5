/**
 * Writes the reply of the node that serves a mock as it comes. Only where a balancer did not know better: it costs a
 * second request.
 */
import type { ReplyHeadSent, Unanswered } from '../../forward/envelope.ts';
import type { AnswerSink } from '../../forward/peers.ts';
import type { Flow } from '../../forward/send.ts';
import { writeHeadAlone } from '../../wire/write-body.ts';
import { sendRaw } from './deliver.ts';
import type { Exchange } from './exchange.ts';

export class ForwardedReply implements AnswerSink {
  readonly #exchange: Exchange;
  readonly #onUnanswered: (why: Unanswered) => void;
  #flow: Pick<Flow, 'pause' | 'resume'> | undefined;
  /** Of a reply that is no HTTP message. */
  #raw: Buffer[] | undefined;
  /** Of the body; undefined for one in chunks. */
  #bodyBytes: number | undefined;
  /** Whether the reply was complete with its head, so that the rest is nothing. */
  #isWhole = false;
  #received = 0;
  /** What of the last part is not written yet, and its place in the body. */
  #rest: Buffer | undefined;
  #restAt = 0;
  /** What uWebSockets.js calls the offset of the body. */
  #start = 0;

  constructor(exchange: Exchange, onUnanswered: (why: Unanswered) => void) {
    this.#exchange = exchange;
    this.#onUnanswered = onUnanswered;
  }

  onHead({ status, reason, headers, bodyBytes, isRaw }: ReplyHeadSent, flow: Pick<Flow, 'pause' | 'resume'>): void {
    const exchange = this.#exchange;
    this.#flow = flow;
    if (isRaw === true) {
      this.#raw = [];
      return;
    }
    let head = `${status} ${reason}`;
    for (let index = 0; index < headers.length; index += 2) head += `\r\n${headers[index]}: ${headers[index + 1]}`;
    const isBodyless = status === 204 || status === 304;
    this.#isWhole = bodyBytes === 0 || exchange.head.isHead || isBodyless;
    // Of a HEAD, only its length counts.
    if (this.#isWhole)
      return exchange.send(head, new ArrayBuffer(exchange.head.isHead ? (bodyBytes ?? 0) : 0), isBodyless);
    if (!exchange.takeOver()) return undefined;
    this.#bodyBytes = bodyBytes;
    return exchange.cork(() => this.#begin(head));
  }

  onData(chunk: Buffer): void {
    const { isAborted } = this.#exchange;
    if (this.#raw !== undefined) return void this.#raw.push(chunk);
    const at = this.#received;
    this.#received += chunk.length;
    if (!this.#isWhole && !isAborted) this.#exchange.cork(() => this.#write(chunk, at));
  }

  onEnd(): void {
    const exchange = this.#exchange;
    if (this.#isWhole || exchange.isAborted) return;
    if (this.#raw !== undefined) {
      if (exchange.takeOver()) sendRaw(exchange, new Uint8Array(Buffer.concat(this.#raw)).buffer);
      return;
    }
    if (this.#bodyBytes === undefined) {
      exchange.cork(() => exchange.res.end());
      exchange.finish();
    } else if (this.#received < this.#bodyBytes) this.onCut();
  }

  onCut(): void {
    // Bytes reach the kernel when the callback of uWebSockets.js returns.
    if (!this.#isWhole) setImmediate(() => this.#exchange.breakOff());
  }

  onUnanswered(why: Unanswered): void {
    if (why === 'broken') this.#exchange.breakOff();
    else if (this.#exchange.open) this.#onUnanswered(why);
  }

  #begin(head: string): void {
    const { res, closes } = this.#exchange;
    res.writeStatus(head);
    if (closes) res.writeHeader('connection', 'close');
    this.#start = res.getWriteOffset();
    res.onWritable(() => {
      const rest = this.#rest;
      if (this.#exchange.isAborted) return true;
      if (rest === undefined) {
        this.#flow?.resume();
        return true;
      }
      const part = rest.subarray(res.getWriteOffset() - this.#start - this.#restAt);
      const at = this.#restAt + rest.length - part.length;
      this.#rest = undefined;
      this.#write(part, at);
      return this.#rest === undefined;
    });
    if (this.#bodyBytes !== undefined) writeHeadAlone(res, this.#bodyBytes);
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
