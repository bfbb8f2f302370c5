/** The streams of a thread that are open: found by pushes and lists, counted for metrics, recorded when they end. */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import type { WaitingBytes } from '../../../base/waiting-bytes.ts';
import { randomId } from '../../../base/random-id.ts';
import type { StreamEnd } from '../../../model/mocks/streams/stream-record.ts';
import type { SocketClose, StreamEvent } from '../../../model/mocks/definition/definition.ts';
import type { OpenSocketRecord } from '../../../model/mocks/sockets/open-socket.ts';
import {
  OPEN_STREAMS_LISTED_MAX,
  type OpenStreamRecord,
  type StreamAction,
  type StreamsAnswer,
  type StreamSelection,
  type StreamsQuestion,
} from '../../../model/mocks/streams/open-stream.ts';
import type { Exchange } from '../reply/exchange.ts';
import type { ServedMock } from '../served-mock.ts';
import { noteStream } from '../traffic/traffic-blocks.ts';

/** Source of a stream. Not the mock itself: a stream may outlive its version. */
export type StreamSource = Pick<ServedMock, 'ownerId' | 'mockId' | 'sessionId' | 'account'>;

export interface OpenStream {
  /** Drawn when absent. */
  readonly id?: string;
  readonly source: StreamSource;
  readonly exchange: Exchange;
  readonly requestNumber: number;
  readonly routeId: string;
  readonly channel: string;
  /** For a WebSocket: that of its handshake. */
  readonly path?: string;
  /** Milliseconds since 1970. */
  readonly openedAt: number;
  readonly events: number;
  /** Bytes of the body, without the framing of chunks. */
  readonly bytes: number;
  readonly waitingBytes: number;
  /** Listed of a WebSocket instead of channel and events. */
  readonly shown?: () => Partial<OpenSocketRecord>;
  /** @param responseId For a WebSocket: what the events belong to. @returns Whether it is open. */
  readonly push: (events: readonly StreamEvent[], responseId?: string) => boolean;
  /** @param close For a WebSocket. */
  readonly end: (why: StreamEnd, close?: SocketClose) => void;
  readonly cut: (why: StreamEnd) => void;
  /** For a WebSocket: see `brokenAt`. @param event Undefined: a text that is not UTF-8. */
  readonly pushBroken?: (event: StreamEvent | undefined, bytes: number | undefined) => void;
  /** For a WebSocket: looks for another version of its mock. */
  readonly refresh?: () => boolean;
}

export const ID_CHARS = 12;

export class OpenStreams {
  readonly #turns: OwnerTurns;
  readonly #byMock = new Map<string, Map<string, OpenStream>>();
  #open = 0;
  readonly #waiting: WaitingBytes;

  /** Events that were sent, in all streams that were opened. */
  #events = 0;
  readonly #report: (open: number, events: number) => void;

  /**
   * @param waiting Takes what waits for slow readers, by owner.
   * @param report Called with how many are open, and how many events were sent in all.
   */
  constructor(waiting: WaitingBytes, turns: OwnerTurns, report: (open: number, events: number) => void) {
    this.#waiting = waiting;
    this.#turns = turns;
    this.#report = report;
  }

  /** @returns To be called at its end. */
  enter(stream: OpenStream): (ended: StreamEnd) => void {
    const id = stream.id ?? randomId(ID_CHARS);
    const { mockId } = stream.source;
    const ofMock = this.#byMock.get(mockId) ?? new Map<string, OpenStream>();
    this.#byMock.set(mockId, ofMock.set(id, stream));
    this.#report(++this.#open, this.#events);
    return (ended) => {
      ofMock.delete(id);
      if (ofMock.size === 0) this.#byMock.delete(mockId);
      this.#report(--this.#open, this.#events);
      this.note(stream, ended);
    };
  }

  /** Records what has been sent. @param ended Null while it is open. */
  note({ exchange: { recorded }, events, bytes, openedAt }: OpenStream, ended: StreamEnd | null): void {
    if (recorded !== undefined) noteStream(recorded, { events, bytes, ms: Math.max(0, Date.now() - openedAt), ended });
  }

  /** Counts an event that is sent. */
  countEvent(): void {
    this.#report(this.#open, ++this.#events);
  }

  /** Does what is asked with those that are selected, in turns of their owner, and says which they are. */
  answer(
    { mockId, of, action, lists = false }: Omit<StreamsQuestion, 'sockets'>,
    done: (answer: StreamsAnswer) => void,
  ): void {
    const ofMock = this.#byMock.get(mockId);
    let selected: (readonly [id: string, stream: OpenStream])[] = [];
    const select = (): typeof selected =>
      (selected = [...(ofMock ?? [])].filter(([id, stream]) => isIn(of, id, stream)));
    let delivered = 0;
    const finish = (): void => {
      const listed = lists ? selected.slice(-OPEN_STREAMS_LISTED_MAX) : [];
      done({ streams: selected.length, delivered, list: listed.map(([id, stream]) => toRecord(id, stream)) });
    };
    const account = accountOf(ofMock);
    if (action === undefined || account === undefined) {
      select();
      return finish();
    }
    const deliver = ([, stream]: (typeof selected)[number]): void => {
      if (act(stream, action)) delivered++;
    };
    return this.#turns.forEach(account, 'steps', select, deliver, finish);
  }

  /** Calls `each` for all of a mock, or of all mocks, in turns of their owners. They may end then. */
  forEach(mockId: string | undefined, each: (stream: OpenStream) => void): void {
    for (const ofMock of mockId === undefined ? this.#byMock.values() : [this.#byMock.get(mockId)]) {
      const account = accountOf(ofMock);
      if (account !== undefined) this.#turns.forEach(account, 'steps', () => [...(ofMock?.values() ?? [])], each);
    }
  }

  /** Takes memory for what waits. @returns Whether there is any. */
  hold({ ownerId }: StreamSource, bytes: number): boolean {
    return this.#waiting.take(ownerId, bytes);
  }

  release({ ownerId }: StreamSource, bytes: number): void {
    this.#waiting.release(ownerId, bytes);
  }
}

/** All streams of a mock have one owner. */
function accountOf(ofMock: ReadonlyMap<string, OpenStream> | undefined): Account | undefined {
  const [stream] = ofMock?.values() ?? [];
  return stream?.source.account;
}

function isIn(
  { session, channel, path, routeId, streamId, except }: StreamSelection,
  id: string,
  stream: OpenStream,
): boolean {
  if (id === except) return false;
  if (path !== undefined && stream.path !== path) return false;
  if (session !== undefined && stream.source.sessionId !== session) return false;
  if (channel !== undefined && stream.channel !== channel) return false;
  if (routeId !== undefined && stream.routeId !== routeId) return false;
  return streamId === undefined || id === streamId;
}

/** @returns Whether it has taken all. */
function act(stream: OpenStream, action: StreamAction): boolean {
  const { events = [], end, close, responseId, why = 'push', brokenAt } = action;
  if (brokenAt !== undefined) stream.pushBroken?.(events[0], brokenAt ?? undefined);
  const isTaken = brokenAt === undefined && stream.push(events, responseId);
  if (end === 'close') stream.end(why, close);
  if (end === 'cut') stream.cut(why);
  return isTaken;
}

function toRecord(id: string, stream: OpenStream): OpenStreamRecord {
  const { requestNumber, routeId, channel, openedAt, events, waitingBytes } = stream;
  const { sessionId } = stream.source;
  const session = sessionId === '' ? {} : { session: sessionId };
  const common = { id, requestId: String(requestNumber), ...session, routeId };
  const own = stream.shown?.() ?? { channel, events };
  return { ...common, ...own, openedAt, waitingBytes } as OpenStreamRecord;
}
