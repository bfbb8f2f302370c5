/**
 * Carries out what an answer plans other than a whole reply at once (matching/mock-request.ts): late, slow and broken
 * replies. Whole ones are written by exchange.ts, streams by thread/streams/carry-stream.ts, all others here. How many may wait:
 * held-replies.ts.
 *
 * uWebSockets.js cannot reset a connection, and writes `HTTP/1.1 ` before anything else: `reset` and `garbage` are as near
 * as it gets.
 */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import { RAW_HEADER } from '../../../forward/peer-headers.ts';
import { writeHeadAlone } from '../../../wire/write-body.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';
import { carryStream, type StreamServices } from '../streams/carry-stream.ts';
import type { OpenStreams, StreamSource } from '../streams/open-streams.ts';
import { closeSoon } from './close-soon.ts';
import type { Exchange } from './exchange.ts';
import type { Delivery } from '../../../model/mocks/behaviour/behaviour-schema.ts';

/**
 * Pieces that a thread sends in a second, of all replies that are sent over time: some tenth of its time. Of many such replies,
 * each gets fewer and larger pieces.
 */
const PIECES_PER_SECOND_MAX = 4_000;

export class Deliveries {
  #paced = 0;
  readonly #turns: OwnerTurns;
  readonly #services: StreamServices;
  #isEnding = false;

  constructor(streams: OpenStreams, turns: OwnerTurns) {
    this.#turns = turns;
    this.#services = { streams, turns };
  }

  /** Call it inside the handler. @param of Whose reply it is. */
  deliver(exchange: Exchange, answer: MockAnswer, of: StreamSource): void {
    const { latencyMs, plan } = answer;
    if (plan !== undefined) {
      exchange.wait();
      if (this.#isEnding) return exchange.breakOff();
    }
    // Only a reply on a later turn of the event loop keeps uWebSockets.js from handling the bytes after the body.
    if (latencyMs <= 0 && !exchange.closes) return this.#carryOut(exchange, answer, of);
    exchange.wait();
    // Thousands may be due at once.
    const carryOut = (): void => this.#carryOut(exchange, answer, of);
    const timer = setTimeout(() => this.#turns.begin(of.account as Account, 'steps', carryOut), latencyMs);
    exchange.whenFinished(() => clearTimeout(timer));
  }

  /** Closes hanging and slow replies, and those that a fault will break. */
  end(): void {
    this.#isEnding = true;
  }

  #carryOut(exchange: Exchange, answer: MockAnswer, of: StreamSource): void {
    const { status, head, body, plan } = answer;
    if (plan === undefined) return exchange.send(head, body, status === 204 || status === 304);
    // They are written by the node that has the client.
    if (plan.kind === 'raw' && exchange.head.forwardToken !== undefined) {
      const bytes = forPage(exchange, plan.bytes);
      exchange.decidesCors();
      return exchange.send(`200 OK\r\n${RAW_HEADER}: ${exchange.head.forwardToken}`, bytes);
    }
    // A stream has no length.
    if (plan.kind === 'stream' && exchange.head.isHead) return exchange.send(head, -1);
    if (!exchange.takeOver()) return undefined;
    switch (plan.kind) {
      case 'close':
        // Pipelined replies before it may not have reached the kernel.
        return closeSoon(exchange);
      case 'hang':
        return hang(exchange, plan.ms);
      case 'raw':
        return sendRaw(exchange, forPage(exchange, plan.bytes));
      case 'cut':
        return sendPart(exchange, answer, plan.bytes);
      case 'proxy':
      case 'socket':
        // upstream-requests.ts and thread/sockets/ carry them out.
        return exchange.breakOff();
      case 'stream':
        return carryStream(exchange, answer, plan, of, this.#services);
      case 'paced':
        return this.#sendSlowly(exchange, answer, of.account as Account);
    }
  }

  #sendSlowly(exchange: Exchange, { head, body, plan }: MockAnswer, account: Account): void {
    if (plan?.kind !== 'paced') return;
    const bytes = bytesOf(body);
    const pace = paceOf(plan.delivery, bytes.length);
    const parts = new BodyParts(exchange, bytes);
    const begunAt = performance.now();
    let timer: NodeJS.Timeout | undefined;
    exchange.onAborted = () => clearTimeout(timer);
    this.#paced++;
    exchange.whenFinished(() => this.#paced--);
    const step = (): void => {
      const elapsedMs = performance.now() - begunAt;
      const outcome = parts.writeUpTo(pace.due(elapsedMs));
      if (outcome === 'ended') return exchange.finish();
      if (outcome === 'blocked') return undefined;
      const leastMs = (1_000 * this.#paced) / PIECES_PER_SECOND_MAX;
      timer = setTimeout(() => this.#turns.add(account, 'steps', next), Math.max(leastMs, pace.nextMs(elapsedMs)));
      return undefined;
    };
    const next = (): void => {
      if (!exchange.isAborted) exchange.cork(step);
    };
    exchange.cork(() => {
      parts.begin(head, step);
      step();
    });
  }
}

function hang(exchange: Exchange, ms: number | undefined): void {
  if (ms === undefined) return;
  const timer = setTimeout(() => exchange.breakOff(), ms);
  exchange.onAborted = () => clearTimeout(timer);
}

function sendPart(exchange: Exchange, { head, body }: MockAnswer, bytes: number): void {
  const parts = new BodyParts(exchange, bytesOf(body));
  const step = (): void => {
    if (parts.writeUpTo(bytes) === 'written') closeSoon(exchange);
  };
  exchange.cork(() => {
    parts.begin(head, step);
    step();
  });
}

/** A broken answer that begins with a head. */
function forPage(exchange: Exchange, bytes: string | ArrayBuffer): string | ArrayBuffer {
  const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
  const end = text.indexOf('\r\n\r\n');
  if (end === -1 || text.startsWith('100 ')) return bytes;
  const page = exchange.headFor(text.slice(0, end)) + text.slice(end);
  if (page === text) return bytes;
  return typeof bytes === 'string' ? page : Uint8Array.from(Buffer.from(page, 'latin1')).buffer;
}

/** Sends bytes that are not an HTTP message. Call it after `takeOver`. */
export function sendRaw(exchange: Exchange, bytes: string | ArrayBuffer): void {
  exchange.cork(() => exchange.res.writeStatus(bytes));
  closeSoon(exchange);
}

/** A body that is written part by part, no faster than the client reads. */
class BodyParts {
  readonly #exchange: Exchange;
  readonly #body: Buffer;
  /** uWebSockets.js's offset of the body. */
  #start = 0;
  #isBlocked = false;

  constructor(exchange: Exchange, body: Buffer) {
    this.#exchange = exchange;
    this.#body = body;
  }

  /** @param goOn Called when the client has read after a part was "blocked". */
  begin(head: MockAnswer['head'], goOn: () => void): void {
    const { res, closes } = this.#exchange;
    res.writeStatus(this.#exchange.headFor(head));
    if (closes) res.writeHeader('connection', 'close');
    this.#start = res.getWriteOffset();
    res.onWritable(() => {
      if (!this.#isBlocked) return true;
      this.#isBlocked = false;
      goOn();
      return !this.#isBlocked;
    });
  }

  /** @param due Bytes of the body, from its start. */
  writeUpTo(due: number): 'written' | 'blocked' | 'ended' {
    const { res, closes } = this.#exchange;
    if (due === 0) {
      writeHeadAlone(res, this.#body.length);
      return 'written';
    }
    const sent = res.getWriteOffset() - this.#start;
    if (due <= sent) return 'written';
    // A paused connection reads no further request. A partial write resumes it.
    if (closes && due === this.#body.length) res.pause();
    const [isWritten, hasEnded] = res.tryEnd(this.#body.subarray(sent, due), this.#body.length);
    if (hasEnded) return 'ended';
    this.#isBlocked = !isWritten;
    return isWritten ? 'written' : 'blocked';
  }
}

function bytesOf(body: string | ArrayBuffer): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
}

/** Interval of the pieces of a reply that is sent at a rate. */
const PIECES_MS = 50;

interface Pace {
  /** @returns How many bytes of the body are due so many milliseconds after the head; never fewer than before. */
  readonly due: (elapsedMs: number) => number;
  /** @returns Milliseconds until more is due. */
  readonly nextMs: (elapsedMs: number) => number;
}

/** @param bytes Of the body; at least 1. */
export function paceOf(delivery: Delivery, bytes: number): Pace {
  if ('chunks' in delivery) return inPieces(Math.min(delivery.chunks, bytes), delivery.overMs, bytes);
  if ('firstByteMs' in delivery) return inPieces(1, delivery.firstByteMs, bytes);
  return atRate(delivery.bytesPerSecond, bytes);
}

/** The first at once, the last after `overMs`; a single one then, too. */
function inPieces(count: number, overMs: number, bytes: number): Pace {
  const everyMs = count === 1 ? overMs : overMs / (count - 1);
  const atOnce = count === 1 ? 0 : 1;
  const intervals = (elapsedMs: number): number => Math.floor(elapsedMs / everyMs);
  return {
    due: (elapsedMs) => Math.ceil((bytes * Math.min(count, atOnce + intervals(elapsedMs))) / count),
    nextMs: (elapsedMs) => (intervals(elapsedMs) + 1) * everyMs - elapsedMs,
  };
}

function atRate(bytesPerSecond: number, bytes: number): Pace {
  const msPerByte = 1_000 / bytesPerSecond;
  const due = (elapsedMs: number): number => Math.min(bytes, 1 + Math.floor(elapsedMs / msPerByte));
  return {
    due,
    nextMs: (elapsedMs) => Math.min(Math.max(PIECES_MS, msPerByte), Math.max(1, (bytes - due(elapsedMs)) * msPerByte)),
  };
}
