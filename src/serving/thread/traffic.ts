/**
 * The requests that one thread recorded, of all mocks: appended as bytes, and read back on demand.
 *
 * A record is written into a block of its mock. For the garbage collector that is one buffer per some thousand
 * requests, while objects and strings would cost more than the rest of the request. Most texts of a request repeat
 * those of earlier requests (recorded-texts.ts): its record then consists of numbers only. Blocks grow from small to
 * large, so that a mock with few requests needs little memory. When the limit of a mock or of the thread is reached,
 * the oldest block is dropped, and the mock's record says since when it is complete.
 */
import { Slices } from '../../base/slices.ts';
import {
  PAGE_BYTES_MAX,
  TRAFFIC_BLOCK_BYTES_MAX,
  TRAFFIC_BLOCK_BYTES_MIN,
  TRAFFIC_BODY_BYTES_MAX,
} from '../../limits.ts';
import { parsePairs } from '../matching/form.ts';
import { RequestView } from '../matching/request-view.ts';
import { RecordedTexts, type RecordedLine } from './recorded-texts.ts';
import type { TrafficFilter, TrafficPage, TrafficRecord } from '../../model/mocks/traffic.ts';

/** The recorded parts of a request. Texts must not contain line feeds: texts from uWebSockets.js never do. */
export interface Recorded extends RecordedLine {
  readonly number: number;
  readonly time: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** Undefined when it was absent. */
  readonly body: Buffer | undefined;
  readonly bodyTruncated: boolean;
  readonly version: number;
  readonly status: number;
  readonly durationMs: number;
}

/** Offsets in a record: numbers, references to its texts, and the body at its end. */
const NUMBER = 0;
const TIME = 8;
const VERSION = 16;
const DURATION = 20;
/** Offset of the previous record in the block, or NONE. */
const PREVIOUS = 24;
/** Offsets of its texts in the block; each text is its length followed by its bytes. */
const LINE = 28;
const HEADERS = 32;
const BODY_BYTES = 36;
const STATUS = 40;
const FLAGS = 42;
const BODY = 43;

/** Bytes of a text's length. */
const LENGTH_BYTES = 4;

const NONE = 0xffff_ffff;
const BODY_TRUNCATED = 1;

interface Block {
  readonly mock: MockTraffic;
  readonly bytes: Buffer;
  readonly view: DataView;
  /** The length of `bytes`, copied next to the other fields that `append` reads. */
  readonly size: number;
  /** Bytes written. */
  end: number;
  /** Offset of its newest record, NONE while it is empty. */
  newest: number;
  /** Time of its oldest record, in milliseconds since 1970. */
  oldestTime: number;
  /** The texts written to it; only for the block that is being written. */
  texts: RecordedTexts | undefined;
}

/** The recorded traffic of one mock: a handle that the server keeps and passes back to `append`. */
export interface MockTraffic {
  readonly mockId: string;
  /** Oldest first. */
  blocks: Block[];
  /** The last block, which is being written: saves a request the access to the list. */
  current: Block | undefined;
  bytes: number;
  /**
   * Time of the newest dropped or unrecorded request, in milliseconds since 1970; undefined while the record is
   * complete.
   */
  droppedTo: number | undefined;
}

export class Traffic {
  readonly #bytesMax: number;
  readonly #bytesPerMock: number;
  readonly #mocks = new Map<string, MockTraffic>();
  /** All blocks, oldest first; without those of forgotten mocks. */
  readonly #blocks = new Set<Block>();
  #bytes = 0;
  /** Running reads: they use blocks that may have been dropped in the meantime. */
  #readers = 0;

  constructor(bytesMax: number, bytesPerMock: number) {
    this.#bytesMax = bytesMax;
    this.#bytesPerMock = bytesPerMock;
  }

  /** Bytes of all blocks, including the parts not written yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The traffic of a mock, created on first use. Valid until the mock is forgotten. */
  of(mockId: string): MockTraffic {
    let mock = this.#mocks.get(mockId);
    if (mock === undefined) {
      mock = { mockId, blocks: [], current: undefined, bytes: 0, droppedTo: undefined };
      this.#mocks.set(mockId, mock);
    }
    return mock;
  }

  append(mock: MockTraffic, record: Recorded): void {
    const { body } = record;
    const bodyBytes = Math.min(body?.length ?? 0, TRAFFIC_BODY_BYTES_MAX);
    let block = mock.current;
    let line = block?.texts?.line(record);
    let headers = block?.texts?.headers(record.headers);
    const bytesMax =
      BODY +
      bodyBytes +
      (line === undefined ? lineBytesMax(record) : 0) +
      (headers === undefined ? headersBytesMax(record) : 0);
    if (block === undefined || block.size - block.end < bytesMax) {
      block = this.#addBlock(mock, BODY + bodyBytes + lineBytesMax(record) + headersBytesMax(record), record.time);
      line = headers = undefined;
    }
    line ??= writeLine(block, record);
    headers ??= writeHeaders(block, record.headers);

    const { view, end: start } = block;
    view.setFloat64(start + NUMBER, record.number);
    view.setFloat64(start + TIME, record.time);
    view.setUint32(start + VERSION, record.version);
    view.setUint32(start + DURATION, record.durationMs);
    view.setUint32(start + PREVIOUS, block.newest);
    view.setUint32(start + LINE, line);
    view.setUint32(start + HEADERS, headers);
    view.setUint32(start + BODY_BYTES, bodyBytes);
    view.setUint16(start + STATUS, record.status);
    const truncated = record.bodyTruncated || (body?.length ?? 0) > bodyBytes;
    view.setUint8(start + FLAGS, truncated ? BODY_TRUNCATED : 0);
    // `set` takes half the time of `copy`.
    if (body !== undefined) block.bytes.set(body.length > bodyBytes ? body.subarray(0, bodyBytes) : body, start + BODY);
    block.newest = start;
    block.end = start + BODY + bodyBytes;
  }

  /**
   * Notes a request that is not recorded because the mock has recording off: the record is complete only from then on.
   */
  markIncomplete(mock: MockTraffic): void {
    mock.droppedTo = Date.now();
  }

  /** Deletes the recorded traffic of a mock, and the note that some was dropped. */
  reset(mockId: string): void {
    const mock = this.#mocks.get(mockId);
    if (mock === undefined) return;
    for (const block of mock.blocks) {
      this.#blocks.delete(block);
      this.#bytes -= block.bytes.length;
    }
    mock.blocks = [];
    mock.current = undefined;
    mock.bytes = 0;
    mock.droppedTo = undefined;
  }

  /** Like `reset`, for a mock that is not served any more. */
  forget(mockId: string): void {
    this.reset(mockId);
    this.#mocks.delete(mockId);
  }

  /**
   * Returns the matching records at the time of the call; requests recorded later are not included.
   *
   * Yields to the event loop: reading 16 MB in one go would delay every request of this thread by a tenth of a second,
   * and expensive filters for much longer.
   */
  async read(mockId: string, filter: TrafficFilter): Promise<TrafficPage> {
    const mock = this.#mocks.get(mockId);
    if (mock === undefined) {
      return { records: [], count: 0, hasOlder: false, truncated: false, oldestTime: undefined, versions: [] };
    }
    this.#readers++;
    try {
      return await this.#page(mock, filter);
    } finally {
      this.#readers--;
    }
  }

  async #page(mock: MockTraffic, filter: TrafficFilter): Promise<TrafficPage> {
    const droppedTo = mock.droppedTo;
    const snapshot = mock.blocks.map((block) => ({ block, newest: block.newest }));
    const records: TrafficRecord[] = [];
    const versions = new Set<number>();
    const matches = matcherOf(filter);
    const { beforeNumber = Infinity, limit, bytesMax = PAGE_BYTES_MAX } = filter;
    let count = 0;
    const slices = new Slices();
    let left = bytesMax;
    let hasOlder = false;
    for (const { block, newest } of snapshot.toReversed()) {
      for (let start = newest; start !== NONE; start = block.view.getUint32(start + PREVIOUS)) {
        if (slices.due()) await slices.next();
        if (filter.namesVersions === true) versions.add(block.view.getUint32(start + VERSION));
        if (!matches(block, start)) continue;
        count++;
        if (hasOlder || block.view.getFloat64(start + NUMBER) >= beforeNumber) continue;
        left -= recordBytes(block, start);
        hasOlder = records.length >= limit || (left < 0 && records.length > 0);
        if (!hasOlder) records.push(readRecord(block, start));
      }
    }
    const oldestTime =
      droppedTo === undefined ? undefined : Math.max(droppedTo, snapshot[0]?.block.oldestTime ?? droppedTo);
    return { records, count, hasOlder, truncated: droppedTo !== undefined, oldestTime, versions: [...versions] };
  }

  /** @param bytes Its minimum size. @param time Of its first record. */
  #addBlock(mock: MockTraffic, bytes: number, time: number): Block {
    const last = mock.current;
    const grown = last === undefined ? TRAFFIC_BLOCK_BYTES_MIN : last.bytes.length * 2;
    // At least three quarters of the records stay when the oldest block is dropped.
    const blockBytes = Math.max(Math.min(grown, TRAFFIC_BLOCK_BYTES_MAX, this.#bytesPerMock >> 2), bytes);
    let dropped: Block | undefined;
    while (mock.blocks.length > 0 && mock.bytes + blockBytes > this.#bytesPerMock) {
      dropped = this.#drop(mock.blocks[0] as Block);
    }
    while (this.#blocks.size > 0 && this.#bytes + blockBytes > this.#bytesMax) {
      for (const oldest of this.#blocks) {
        dropped = this.#drop(oldest);
        break;
      }
    }
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
    this.#blocks.add(block);
    this.#bytes += blockBytes;
    return block;
  }

  /** @param block The oldest block of its mock. @returns The same block. */
  #drop(block: Block): Block {
    const { mock } = block;
    mock.blocks.shift();
    if (mock.current === block) mock.current = undefined;
    mock.bytes -= block.bytes.length;
    mock.droppedTo = block.view.getFloat64(block.newest + TIME);
    this.#blocks.delete(block);
    this.#bytes -= block.bytes.length;
    return block;
  }
}

/** The maximum for a character (UTF-16 code unit) of a string. */
const BYTES_PER_CHAR = 3;
/** The line feeds between the parts of a line. */
const LINE_FEEDS = 5;

function lineBytesMax({ method, path, query, routeId, responseId, problem }: RecordedLine): number {
  const chars = method.length + path.length + query.length + routeId.length + responseId.length + problem.length;
  return LENGTH_BYTES + (chars + LINE_FEEDS) * BYTES_PER_CHAR;
}

function headersBytesMax({ headers }: Recorded): number {
  let chars = headers.length;
  for (const text of headers) chars += text.length;
  return LENGTH_BYTES + chars * BYTES_PER_CHAR;
}

/** @returns Its offset. */
function writeLine(block: Block, line: RecordedLine): number {
  const { method, path, query, routeId, responseId, problem } = line;
  const start = writeText(block, `${method}\n${path}\n${query}\n${routeId}\n${responseId}\n${problem}`);
  block.texts?.keepLine(line, start);
  return start;
}

/** @returns Their offset. */
function writeHeaders(block: Block, headers: readonly string[]): number {
  const start = writeText(block, headers.join('\n'));
  block.texts?.keepHeaders(headers, start);
  return start;
}

function writeText(block: Block, text: string): number {
  const start = block.end;
  const bytes = block.bytes.write(text, start + LENGTH_BYTES);
  block.view.setUint32(start, bytes);
  block.end = start + LENGTH_BYTES + bytes;
  return start;
}

/** The parts of its line, then the names and values of its headers. */
function readText(block: Block, start: number): string[] {
  const line = textAt(block, start + LINE).split('\n');
  const headers = textAt(block, start + HEADERS);
  return headers === '' ? line : [...line, ...headers.split('\n')];
}

/** @param place Offset of the field that holds the text's offset. */
function textAt({ bytes, view }: Block, place: number): string {
  const start = view.getUint32(place);
  const from = start + LENGTH_BYTES;
  return bytes.toString('utf8', from, from + view.getUint32(start));
}

function readBody({ bytes, view }: Block, start: number): Buffer {
  return bytes.subarray(start + BODY, start + BODY + view.getUint32(start + BODY_BYTES));
}

/** Counts its texts in full, even if other records share them. */
function recordBytes({ view }: Block, start: number): number {
  const textBytes = (place: number): number => view.getUint32(view.getUint32(start + place));
  return BODY + textBytes(LINE) + textBytes(HEADERS) + view.getUint32(start + BODY_BYTES);
}

const NO_PARAMETERS = { params: [] };

function readRecord(block: Block, start: number): TrafficRecord {
  const { view } = block;
  const [method = '', path = '', query = '', routeId = '', responseId = '', problem = '', ...lines] = readText(
    block,
    start,
  );
  const headers = [];
  for (let index = 0; index < lines.length; index += 2) {
    headers.push({ name: lines[index] as string, value: lines[index + 1] as string });
  }
  const body = readBody(block, start);
  const bodyTruncated = (view.getUint8(start + FLAGS) & BODY_TRUNCATED) !== 0;
  const request = { method, path, query, headers: lines, body };
  return {
    number: view.getFloat64(start + NUMBER),
    time: view.getFloat64(start + TIME),
    method,
    path,
    query,
    headers,
    // A copy: sending the body to another thread would send the whole block with it.
    body: Uint8Array.from(body),
    bodyTruncated,
    // Not recorded with the request: found out now, by the same code that serves requests.
    bodyReadAs: bodyTruncated ? null : new RequestView(request, [], NO_PARAMETERS, 0).bodyReadAs,
    routeId,
    responseId,
    version: view.getUint32(start + VERSION),
    status: view.getUint16(start + STATUS),
    durationMs: view.getUint32(start + DURATION),
    problem,
  };
}

/** Checks numbers before it reads any text. */
function matcherOf(filter: TrafficFilter): (block: Block, start: number) => boolean {
  const { status, since, afterNumber, bodyContains } = filter;
  const textMatches = textMatcherOf(filter);
  return (block, start) => {
    const { view } = block;
    if (status !== undefined && view.getUint16(start + STATUS) !== status) return false;
    if (since !== undefined && view.getFloat64(start + TIME) < since) return false;
    if (afterNumber !== undefined && view.getFloat64(start + NUMBER) <= afterNumber) return false;
    if (textMatches !== undefined && !textMatches(readText(block, start), view.getUint32(start + VERSION)))
      return false;
    return bodyContains === undefined || readBody(block, start).includes(bodyContains);
  };
}

function textMatcherOf(filter: TrafficFilter): ((text: readonly string[], version: number) => boolean) | undefined {
  const { method, path, routeId, routeIdsByVersion, responseId, matched } = filter;
  const headers = Object.entries(filter.headers ?? {});
  const query = new Map(Object.entries(filter.query ?? {}));
  const hasTextFilter = [method, path, routeId, responseId, matched].some((each) => each !== undefined);
  if (!hasTextFilter && headers.length === 0 && query.size === 0) return undefined;
  return (text, version) => {
    if (method !== undefined && text[0] !== method) return false;
    if (path !== undefined && text[1] !== path && routeIdsByVersion?.get(version)?.has(text[3] as string) !== true) {
      return false;
    }
    if (routeId !== undefined && text[3] !== routeId) return false;
    if (responseId !== undefined && text[4] !== responseId) return false;
    if (matched !== undefined && (text[3] !== '') !== matched) return false;
    return headers.every(([name, value]) => hasHeader(text, name, value)) && hasQuery(text[2] as string, query);
  };
}

const FIRST_HEADER = 6;

function hasHeader(text: readonly string[], name: string, value: string): boolean {
  for (let index = FIRST_HEADER; index < text.length; index += 2) {
    if (text[index] === name && text[index + 1] === value) return true;
  }
  return false;
}

/** One pass over the pairs, however many names are wanted. */
function hasQuery(text: string, wanted: ReadonlyMap<string, string>): boolean {
  if (wanted.size === 0) return true;
  const pairs = parsePairs(text, { work: Number.POSITIVE_INFINITY });
  const found = new Set<string>();
  for (let at = 0; at < pairs.length; at += 2) {
    const name = pairs[at] as string;
    if (wanted.get(name) === pairs[at + 1]) found.add(name);
  }
  return found.size === wanted.size;
}
