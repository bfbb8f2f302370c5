/**
 * Sends one stream: each event at its time, no faster than the client reads. The only writer of its reply.
 *
 * Times are absolute, from the head on: a late event does not delay the next one. Every write is corked: uWebSockets.js prints a line
 * for each that is not. It cannot send a head alone, so server-sent events begin with a comment where the first event comes later, and
 * other streams have their head with the first event. A connection that closes says so in the head, and ends by a pause and a plain
 * end: an end with a close would write a header line into the body.
 */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import type { ReplyHead } from '../../matching/compile/answer-head.ts';
import type { DeliveryPlan, MockAnswer } from '../../matching/request/mock-request.ts';
import { COMMENT, eventText } from '../../../model/mocks/streams/event-text.ts';
import type { EventScript } from '../../matching/streams/stream-plan.ts';
import {
  KEEP_ALIVE_SECONDS,
  MOCK_STREAM_EVENT_WORK_MAX,
  MOCK_STREAM_WAITING_BYTES_MAX,
  MOCK_STREAM_WAITING_EVENTS_MAX,
} from '../../../limits.ts';
import type { StreamEvent } from '../../../model/mocks/definition/definition.ts';
import type { StreamEnd } from '../../../model/mocks/streams/stream-record.ts';
import { closeSoon } from '../reply/close-soon.ts';
import type { Exchange } from '../reply/exchange.ts';
import type { OpenStream, OpenStreams, StreamSource } from './open-streams.ts';

type StreamPlan = Extract<DeliveryPlan, { kind: 'stream' }>;
type Chunk = string | Buffer;

/** Events that one step sends before requests are looked at; fewer where they take as much work as a single one may. */
const EVENTS_PER_STEP = 64;

/** The parts of the thread that streams use. */
export interface StreamServices {
  readonly streams: OpenStreams;
  readonly turns: OwnerTurns;
}

/** Call it after `takeOver`. */
export function carryStream(
  exchange: Exchange,
  answer: MockAnswer,
  plan: StreamPlan,
  source: StreamSource,
  services: StreamServices,
): void {
  new Carrier(exchange, answer, plan, source, services).begin();
}

class Carrier implements OpenStream {
  readonly source: StreamSource;
  readonly channel: string;
  readonly openedAt = Date.now();
  readonly requestNumber: number;
  readonly routeId: string;
  events = 0;
  /** Bytes of the body, without the framing of chunks. */
  bytes = 0;
  waitingBytes = 0;
  readonly exchange: Exchange;
  readonly #plan: StreamPlan;
  readonly #streams: OpenStreams;
  readonly #turns: OwnerTurns;
  readonly #begunAt = performance.now();
  /** Undefined once it is written: with the first bytes of the body. */
  #head: ReplyHead | undefined;
  #script: EventScript;
  /** The script of the fault has replaced the script. */
  #hasFailed = false;
  #timer: NodeJS.Timeout | undefined;
  #lastSentAt = this.#begunAt;
  /** Since when the client has not taken what was sent; undefined while it takes everything. */
  #blockedSince: number | undefined;
  /** Chunks that wait until then. */
  #waiting: Chunk[] = [];
  #waitingEvents = 0;
  /** Bytes of the last write that the client has not taken. */
  #unread = 0;
  /** The end, once nothing waits. */
  #endsWith: StreamEnd | undefined;
  #ended: StreamEnd | undefined;
  #isSilent = false;

  constructor(
    exchange: Exchange,
    { routeId, head }: MockAnswer,
    plan: StreamPlan,
    source: StreamSource,
    { streams, turns }: StreamServices,
  ) {
    this.exchange = exchange;
    this.#head = head;
    this.#plan = plan;
    const { ownerId, mockId, sessionId, account } = source;
    this.source = { ownerId, mockId, sessionId, account };
    this.routeId = routeId;
    this.channel = plan.stream.channel;
    this.requestNumber = exchange.recorded?.number ?? 0;
    this.#streams = streams;
    this.#turns = turns;
    this.#script = plan.stream.begin();
  }

  begin(): void {
    const { exchange } = this;
    const leave = this.#streams.enter(this);
    exchange.endEarly = () => this.end('stop');
    exchange.whenFinished(() => {
      clearTimeout(this.#timer);
      leave(this.#ended ?? this.#endOfAborted());
      this.#dropWaiting();
      this.#holdUnread(0);
    });
    exchange.cork(() => {
      exchange.res.onWritable(() => this.#goOn());
      const isDue = this.#script.dueMs !== undefined && this.#script.dueMs <= 0 && this.#plan.fault?.afterEvents !== 0;
      if (this.#plan.stream.format === 'sse' && !isDue) this.#write(COMMENT);
      this.#step();
    });
  }

  /** Sends events at once, or when the client takes them. @returns Whether it is open. */
  push(events: readonly StreamEvent[]): boolean {
    if (!this.#isRunning()) return false;
    if (events.length === 0) return true;
    this.exchange.cork(() => {
      for (const event of events) {
        if (!this.#isRunning() || this.#strikes()) break;
        this.#sendEvent(this.#pushed(event));
      }
      clearTimeout(this.#timer);
      this.#step();
    });
    return this.#ended === undefined;
  }

  #pushed({ encoding, data = '', ...parts }: StreamEvent): Chunk {
    const { format } = this.#plan.stream;
    if (encoding === 'base64') return Buffer.from(data, 'base64');
    const number = this.#script.takeNumber();
    const id = parts.id ?? number;
    return eventText(format, { ...parts, data, ...(id === undefined ? {} : { id }) });
  }

  /** Ends it cleanly. A stop says so in a comment. */
  end(why: StreamEnd): void {
    if (this.#ended !== undefined) return;
    clearTimeout(this.#timer);
    // A stop does not wait for a reader that takes nothing.
    if (this.#isSilent || (why === 'stop' && this.#blockedSince !== undefined)) return this.cut(why);
    this.exchange.cork(() => {
      if (why === 'stop' && this.#plan.stream.format === 'sse') this.#write(': this stream was stopped\n\n');
      this.#endsWith = why;
      if (this.#blockedSince === undefined) this.#finish();
    });
  }

  cut(why: StreamEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    closeSoon(this.exchange);
  }

  /** Sends what is due, and sets the timer for what comes next. Call it corked. */
  #step(): void {
    const now = performance.now();
    let left = EVENTS_PER_STEP;
    let work = 0;
    while (this.#isRunning()) {
      if (!this.#isDue(now)) return this.#wake(now);
      if (left-- === 0 || work >= MOCK_STREAM_EVENT_WORK_MAX) return this.#soon(() => this.#next());
      this.#sendNext();
      work += this.#script.work;
    }
  }

  #soon(step: () => void): void {
    this.#turns.add(this.source.account as Account, 'steps', step);
  }

  #next(): void {
    if (!this.exchange.isAborted && this.#isRunning()) this.exchange.cork(() => this.#step());
  }

  #isRunning(): boolean {
    return this.#ended === undefined && this.#endsWith === undefined && !this.#isSilent;
  }

  #isDue(now: number): boolean {
    const { dueMs } = this.#script;
    if (dueMs !== undefined) return this.#begunAt + dueMs <= now;
    // The end is due.
    return this.#hasFailed || !this.#plan.stream.staysOpen || this.#script.problem !== undefined;
  }

  #wake(now: number): void {
    const { dueMs } = this.#script;
    const { keepAliveMs } = this.#plan.stream;
    const next = dueMs === undefined ? Infinity : this.#begunAt + dueMs;
    const comment = keepAliveMs === 0 ? Infinity : this.#lastSentAt + keepAliveMs;
    const at = Math.min(next, comment);
    if (at === Infinity) return;
    this.#timer = setTimeout(
      () =>
        this.#soon(() => {
          if (comment < next) this.#keepAlive();
          this.#next();
        }),
      Math.max(0, at - now),
    );
  }

  #keepAlive(): void {
    if (this.exchange.isAborted || !this.#isRunning()) return;
    if (performance.now() - this.#lastSentAt < this.#plan.stream.keepAliveMs) return;
    this.#lastSentAt = performance.now();
    if (this.#blockedSince === undefined) this.exchange.cork(() => this.#write(COMMENT));
  }

  #sendNext(): void {
    if (this.#strikes()) return undefined;
    if (this.#script.dueMs === undefined) return this.#endScript();
    const event = this.#script.next();
    return event === undefined ? undefined : this.#sendEvent(event);
  }

  #endScript(): void {
    if (this.#script.problem !== undefined) return this.cut('problem');
    return this.end(this.#hasFailed ? 'fault' : 'script');
  }

  /** The fault strikes now: instead of the next event, or of the end. */
  #strikes(): boolean {
    const { fault } = this.#plan;
    if (fault === undefined || this.#hasFailed || this.events < fault.afterEvents) return false;
    this.#fail(fault);
    return true;
  }

  #fail({ kind, bytes, ms }: NonNullable<StreamPlan['fault']>): void {
    this.#hasFailed = true;
    switch (kind) {
      case 'ended':
        return this.end('fault');
      case 'hang':
        this.#isSilent = true;
        if (ms !== undefined) this.#timer = setTimeout(() => this.cut('fault'), ms);
        return undefined;
      case 'truncated': {
        const event = this.#script.dueMs === undefined ? Buffer.alloc(0) : bufferOf(this.#script.next() ?? '');
        const part = event.subarray(0, Math.min(bytes ?? Math.floor(event.length / 2), Math.max(0, event.length - 1)));
        if (part.length > 0) this.#put(part);
        return this.cut('fault');
      }
      case 'events':
        this.#script = this.#plan.stream.beginFault(this.#script.dueMs ?? performance.now() - this.#begunAt);
        return undefined;
    }
  }

  #sendEvent(event: Chunk): void {
    this.events++;
    this.#streams.countEvent();
    this.#waitingEvents++;
    this.#put(event);
    if (this.#blockedSince === undefined) this.#waitingEvents = 0;
  }

  /** Writes, or keeps until the client takes it. */
  #put(chunk: Chunk): void {
    if (this.#blockedSince === undefined) return this.#write(chunk);
    const bytes = Buffer.byteLength(chunk);
    const isTooSlow =
      this.#waitingEvents > MOCK_STREAM_WAITING_EVENTS_MAX || this.waitingBytes + bytes > MOCK_STREAM_WAITING_BYTES_MAX;
    if (isTooSlow || !this.#streams.hold(this.source, bytes)) return this.cut('slowReader');
    this.waitingBytes += bytes;
    this.#waiting.push(chunk);
  }

  /** Call it corked. */
  #write(chunk: Chunk): void {
    this.#lastSentAt = performance.now();
    this.bytes += Buffer.byteLength(chunk);
    this.#writeHead();
    if (!this.exchange.res.write(chunk)) {
      this.#blockedSince = this.#lastSentAt;
      this.#holdUnread(Buffer.byteLength(chunk));
    }
    this.#streams.note(this, null);
  }

  /** Counts written bytes, which stay in memory until the client takes them. */
  #holdUnread(bytes: number): void {
    if (this.#streams.hold(this.source, bytes - this.#unread)) this.#unread = bytes;
    else this.cut('slowReader');
  }

  #writeHead(): void {
    if (this.#head === undefined) return;
    const { res, closes } = this.exchange;
    res.writeStatus(this.exchange.headFor(this.#head));
    if (closes) res.writeHeader('connection', 'close');
    this.#head = undefined;
  }

  /** The client takes more. What has become due in the meantime leaves in one write. */
  #goOn(): boolean {
    if (this.exchange.isAborted || this.#ended !== undefined) return true;
    this.#blockedSince = undefined;
    this.#holdUnread(0);
    this.#waitingEvents = 0;
    if (this.#waiting.length > 0) {
      const all = Buffer.concat(this.#waiting.map(bufferOf));
      this.#dropWaiting();
      this.#write(all);
    }
    if (this.#endsWith !== undefined && this.#blockedSince === undefined) this.#finish();
    return true;
  }

  #dropWaiting(): void {
    this.#streams.release(this.source, this.waitingBytes);
    this.waitingBytes = 0;
    this.#waiting = [];
  }

  /** Call it corked. */
  #finish(): void {
    if (this.#ended !== undefined) return;
    this.#ended = this.#endsWith;
    this.#writeHead();
    const { res, closes } = this.exchange;
    if (closes) res.pause();
    res.end();
    this.exchange.finish();
  }

  /** The core closes the connection of a reader that takes nothing for so long. */
  #endOfAborted(): StreamEnd {
    const isStuck =
      this.#blockedSince !== undefined && performance.now() - this.#blockedSince > KEEP_ALIVE_SECONDS * 1_000;
    return isStuck ? 'slowReader' : 'client';
  }
}

function bufferOf(chunk: Chunk): Buffer {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}
