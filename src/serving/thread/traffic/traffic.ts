/**
 * The requests that one thread recorded, of all mocks: appended as bytes, and read back on demand.
 *
 * A record is written into a block of its mock. For the garbage collector that is one buffer per some thousand
 * requests, while objects and strings would cost more than the rest of the request. Most texts of a request repeat
 * those of earlier requests (recorded-texts.ts): its record then consists of numbers only. Blocks grow from small to
 * large, so that a mock with few requests needs little memory. When the limit of a mock is reached, its oldest block is dropped; when that of
 * the thread is, the oldest block of the owner that has most. The mock's record says since when it is complete.
 */
import { LargestFirst } from '../../../base/largest-first.ts';
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import { TRAFFIC_BLOCK_BYTES_MAX, TRAFFIC_BLOCK_BYTES_MIN, TRAFFIC_BODY_BYTES_MAX } from '../../../limits.ts';
import type { TrafficFilter } from '../../../model/mocks/traffic.ts';
import { NO_RECORDS, type PackedPage } from '../../shared/packed-records.ts';
import { readPage } from './read-traffic.ts';
import { RecordedTexts } from './recorded-texts.ts';
import {
  headersBytesMax,
  lineBytesMax,
  NONE,
  noteDropped,
  numbersAndBodyBytes,
  timeOf,
  writeHeaders,
  writeLine,
  writeRecord,
  type Block,
  type MockTraffic,
  type RecordInput,
  type RecordedPlace,
} from './traffic-blocks.ts';

/** The part of a mock's bytes of recorded traffic that one of its sessions may have. */
const SESSION_TRAFFIC_PART = 8;
/** The largest block is this part of the thread's bytes: so many owners lose nothing to the size of blocks. */
const BLOCK_PART = 64;

export class Traffic {
  readonly #bytesMax: number;
  readonly #bytesPerMock: number;
  readonly #turns: OwnerTurns;
  readonly #mocks = new Map<string, MockTraffic>();
  /** The blocks of each owner, oldest first; without those of forgotten mocks. */
  readonly #blocks = new Map<string, Set<Block>>();
  readonly #shares = new LargestFirst<string>();
  /** Running reads: they use blocks that may have been dropped in the meantime. */
  #readers = 0;

  /** @param turns What reads run in. */
  constructor(bytesMax: number, bytesPerMock: number, turns: OwnerTurns) {
    this.#bytesMax = bytesMax;
    this.#bytesPerMock = bytesPerMock;
    this.#turns = turns;
  }

  /** Bytes of all blocks, including the parts not written yet. */
  get bytes(): number {
    return this.#shares.total;
  }

  /** The traffic of a mock or a session, created on first use. Valid until the mock is forgotten, or the session. */
  of(mockId: string, ownerId: string, session = ''): MockTraffic {
    let mock = this.#mocks.get(mockId);
    if (mock === undefined) {
      mock = newTraffic(mockId, ownerId, '', this.#bytesPerMock);
      this.#mocks.set(mockId, mock);
    }
    if (session === '') return mock;
    mock.sessions ??= new Map();
    let own = mock.sessions.get(session);
    if (own === undefined) {
      own = newTraffic(mockId, ownerId, session, Math.floor(this.#bytesPerMock / SESSION_TRAFFIC_PART));
      mock.sessions.set(session, own);
    }
    return own;
  }

  /** @returns Where the request of a stream is. */
  append(mock: MockTraffic, record: RecordInput): RecordedPlace | undefined {
    mock.total++;
    const { body } = record;
    const bodyBytes = Math.min(body?.length ?? 0, TRAFFIC_BODY_BYTES_MAX);
    let block = mock.current;
    let line = block?.texts?.line(record);
    let headers = block?.texts?.headers(record.headers);
    const bytesMax =
      numbersAndBodyBytes(bodyBytes, record.isStreamed) +
      (line === undefined ? lineBytesMax(record) : 0) +
      (headers === undefined ? headersBytesMax(record) : 0);
    if (block === undefined || block.size - block.end < bytesMax) {
      block = this.#addBlock(
        mock,
        numbersAndBodyBytes(bodyBytes, record.isStreamed) + lineBytesMax(record) + headersBytesMax(record),
        record.time,
      );
      line = headers = undefined;
    }
    line ??= writeLine(block, record);
    headers ??= writeHeaders(block, record.headers);
    writeRecord(block, record, line, headers, bodyBytes);
    return record.isStreamed ? { number: record.number, block, start: block.newest } : undefined;
  }

  /**
   * Notes a request that is not recorded because the mock has recording off: the record is complete only from then on.
   */
  markIncomplete(mock: MockTraffic, time: number): void {
    mock.total++;
    mock.droppedTo = time;
  }

  /** Deletes the recorded traffic of a mock outside of its sessions, and the note that some was dropped. */
  reset(mockId: string): void {
    const mock = this.#mocks.get(mockId);
    if (mock !== undefined) this.#empty(mock);
  }

  /** Like `reset`, for a mock that is not served any more, with its sessions. */
  forget(mockId: string): void {
    const mock = this.#mocks.get(mockId);
    for (const session of mock?.sessions?.values() ?? []) this.#empty(session);
    this.reset(mockId);
    this.#mocks.delete(mockId);
  }

  /** Deletes what was recorded of a session. */
  forgetSession(mockId: string, sessionId: string): void {
    const session = this.#cutSession(mockId, sessionId);
    if (session !== undefined) this.#empty(session);
  }

  /** The same as `read`, and deletes the traffic of the session; a session that starts in the meantime has its own. */
  async takeSession(mockId: string, sessionId: string, filter: TrafficFilter): Promise<PackedPage> {
    const session = this.#cutSession(mockId, sessionId);
    if (session === undefined) return EMPTY_PAGE;
    const page = await this.#readAll([session], filter);
    this.#empty(session);
    return page;
  }

  #cutSession(mockId: string, sessionId: string): MockTraffic | undefined {
    const sessions = this.#mocks.get(mockId)?.sessions;
    const session = sessions?.get(sessionId);
    sessions?.delete(sessionId);
    return session;
  }

  #empty(traffic: MockTraffic): void {
    for (const block of traffic.blocks) this.#release(block);
    traffic.blocks = [];
    traffic.current = undefined;
    traffic.bytes = 0;
    traffic.total = 0;
    traffic.droppedTo = undefined;
    traffic.dropped = [];
  }

  /**
   * Returns the matching records at the time of the call; requests recorded later are not included.
   *
   * In turns of the owner: reading 16 MB in one go would delay every request of this thread by a tenth of a second,
   * and expensive filters for much longer.
   */
  async read(mockId: string, filter: TrafficFilter): Promise<PackedPage> {
    const mock = this.#mocks.get(mockId);
    return mock === undefined ? EMPTY_PAGE : this.#readAll(inScope(mock, filter.session), filter);
  }

  async #readAll(mocks: readonly MockTraffic[], filter: TrafficFilter): Promise<PackedPage> {
    const [first] = mocks;
    if (first === undefined) return EMPTY_PAGE;
    this.#readers++;
    try {
      return await this.#turns.read(first.ownerId, readPage(mocks, filter));
    } finally {
      this.#readers--;
    }
  }

  /** @param bytes Its minimum size. @param time Of its first record. */
  #addBlock(mock: MockTraffic, bytes: number, time: number): Block {
    const last = mock.current;
    const grown = last === undefined ? TRAFFIC_BLOCK_BYTES_MIN : last.bytes.length * 2;
    // At least three quarters of the records stay when the oldest block is dropped.
    const blockBytes = Math.max(
      Math.min(grown, TRAFFIC_BLOCK_BYTES_MAX, mock.bytesMax >> 2, Math.floor(this.#bytesMax / BLOCK_PART)),
      bytes,
    );
    let dropped: Block | undefined;
    while (mock.blocks.length > 0 && mock.bytes + blockBytes > mock.bytesMax) {
      dropped = this.#drop(mock.blocks[0] as Block);
    }
    while (this.bytes > 0 && this.bytes + blockBytes > this.#bytesMax) dropped = this.#drop(this.#oldestOfLargest());
    // Reuses the dropped memory: new memory is paged in piece by piece, and allocating so much of it triggers full
    // garbage collections.
    const old = this.#readers === 0 && dropped?.bytes.length === blockBytes ? dropped : undefined;
    // Not from the pool: a small block would keep the whole slab of the pool in memory.
    const bytesOfBlock = old?.bytes ?? Buffer.allocUnsafeSlow(blockBytes);
    const view = old?.view ?? new DataView(bytesOfBlock.buffer, bytesOfBlock.byteOffset, blockBytes);
    const texts = new RecordedTexts(blockBytes);
    const block = { mock, bytes: bytesOfBlock, view, size: blockBytes, end: 0, newest: NONE, oldestTime: time, texts };
    if (last !== undefined) last.texts = undefined;
    mock.blocks.push(block);
    mock.current = block;
    mock.bytes += blockBytes;
    const { ownerId } = mock;
    const blocks = this.#blocks.get(ownerId);
    if (blocks === undefined) this.#blocks.set(ownerId, new Set([block]));
    else blocks.add(block);
    this.#shares.change(ownerId, blockBytes);
    return block;
  }

  #oldestOfLargest(): Block {
    const [oldest] = this.#blocks.get(this.#shares.largest() as string) as Set<Block>;
    return oldest as Block;
  }

  /** @param block The oldest block of its mock. @returns The same block. */
  #drop(block: Block): Block {
    const { mock } = block;
    mock.blocks.shift();
    if (mock.current === block) mock.current = undefined;
    mock.bytes -= block.bytes.length;
    mock.droppedTo = timeOf(block, block.newest);
    noteDropped(block);
    this.#release(block);
    return block;
  }

  #release(block: Block): void {
    const { ownerId } = block.mock;
    const blocks = this.#blocks.get(ownerId) as Set<Block>;
    blocks.delete(block);
    if (blocks.size === 0) this.#blocks.delete(ownerId);
    this.#shares.change(ownerId, -block.bytes.length);
  }
}

function newTraffic(mockId: string, ownerId: string, session: string, bytesMax: number): MockTraffic {
  return {
    mockId,
    ownerId,
    session,
    sessions: undefined,
    bytesMax,
    blocks: [],
    current: undefined,
    bytes: 0,
    total: 0,
    droppedTo: undefined,
    dropped: [],
  };
}

function inScope(mock: MockTraffic, session: string | undefined): readonly MockTraffic[] {
  if (mock.sessions === undefined) return session === undefined || session === '' ? [mock] : [];
  if (session === undefined) return [mock, ...mock.sessions.values()];
  const own = session === '' ? mock : mock.sessions.get(session);
  return own === undefined ? [] : [own];
}

const EMPTY_PAGE: PackedPage = {
  records: NO_RECORDS,
  count: 0,
  unjudged: 0,
  seen: 0,
  passed: 0,
  dropped: 0,
  hasMore: false,
  truncated: false,
  oldestTime: undefined,
  versions: [],
};
