/**
 * The requests that one thread recorded, of all mocks: appended as bytes, read back when somebody asks.
 *
 * A record is written into a block of its mock: what stays behind for the garbage collector is one buffer per some thousand requests,
 * where objects and strings cost more than the rest of the request. What a request says is mostly what another said before
 * (recorded-texts.ts): its record is then numbers alone. Blocks grow from small to large, so that a mock that is hardly used costs
 * little. When there is no more room, of a mock or in all, the oldest block goes, and the mock's record says from when on it is complete.
 */
import { Slices } from '../../base/slices.ts';
import {
  TRAFFIC_BLOCK_BYTES_MAX,
  TRAFFIC_BLOCK_BYTES_MIN,
  TRAFFIC_BODY_BYTES_MAX,
  TRAFFIC_PAGE_BYTES_MAX,
} from '../../limits.ts';
import { parsePairs } from '../matching/form.ts';
import { RecordedTexts, type RecordedLine } from './recorded-texts.ts';
import type { TrafficFilter, TrafficPage, TrafficRecord } from '../../model/mocks/traffic.ts';

/** What is recorded of a request. Text must be free of line feeds: nothing that uWebSockets.js hands on has any. */
export interface Recorded extends RecordedLine {
  readonly number: number;
  readonly time: number;
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  /** Undefined when there was none. */
  readonly body: Buffer | undefined;
  readonly bodyTruncated: boolean;
  readonly version: number;
  readonly status: number;
  readonly durationMs: number;
}

/** Offsets in a record: numbers, where its texts are, and the body at its end. */
const NUMBER = 0;
const TIME = 8;
const VERSION = 16;
const DURATION = 20;
/** Where the record before it in its block begins, or NONE. */
const PREVIOUS = 24;
/** Where each of its texts is in the block: a number of bytes, and these. */
const LINE = 28;
const HEADERS = 32;
const BODY_BYTES = 36;
const STATUS = 40;
const FLAGS = 42;
const BODY = 43;

/** What a text's number of bytes takes. */
const LENGTH_BYTES = 4;

const NONE = 0xffff_ffff;
const BODY_TRUNCATED = 1;

interface Block {
  readonly mock: MockTraffic;
  readonly bytes: Buffer;
  readonly view: DataView;
  /** Of `bytes`: its length, where the next look is anyway. */
  readonly size: number;
  /** Bytes written. */
  end: number;
  /** Where its newest record begins, NONE while there is none. */
  newest: number;
  /** When its oldest record was made, in milliseconds since 1970. */
  oldestTime: number;
  /** What was written of texts; for the block that is written to alone. */
  texts: RecordedTexts | undefined;
}

/** What is recorded of one mock: for whoever serves it to hold on to, and to hand back. */
export interface MockTraffic {
  readonly mockId: string;
  /** Oldest first. */
  blocks: Block[];
  /** The last of them, which is written to: a request finds it here without a look into the list. */
  current: Block | undefined;
  bytes: number;
  droppedTo: number | undefined;
}

export class Traffic {
  readonly #bytesMax: number;
  readonly #bytesPerMock: number;
  readonly #mocks = new Map<string, MockTraffic>();
  /** All blocks in the order in which they were begun; those of dropped mocks are gone. */
  readonly #blocks = new Set<Block>();
  #bytes = 0;
  /** Questions under way: they look at blocks that may have been dropped meanwhile. */
  #readers = 0;

  constructor(bytesMax: number, bytesPerMock: number) {
    this.#bytesMax = bytesMax;
    this.#bytesPerMock = bytesPerMock;
  }

  /** Of all blocks, also where they are not written yet. */
  get bytes(): number {
    return this.#bytes;
  }

  /** That of a mock, also if it has none yet. Good until the mock is forgotten. */
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
    // `set` takes half as long as `copy`.
    if (body !== undefined) block.bytes.set(body.length > bodyBytes ? body.subarray(0, bodyBytes) : body, start + BODY);
    block.newest = start;
    block.end = start + BODY + bodyBytes;
  }

  /** A request that is not recorded since its mock says so: from then on the record is not complete. */
  leaveOut(mock: MockTraffic): void {
    mock.droppedTo = Date.now();
  }

  /** Forgets what was recorded of a mock, and that anything was dropped. */
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

  /** As `reset`, of a mock that is served no more. */
  forget(mockId: string): void {
    this.reset(mockId);
    this.#mocks.delete(mockId);
  }

  /**
   * What is recorded at this moment and fits; what is recorded meanwhile is left out.
   *
   * Yields to the event loop: reading 16 MB at once would hold every request of this thread for a tenth of a second, and odd queries
   * for much longer.
   */
  async read(mockId: string, filter: TrafficFilter): Promise<TrafficPage> {
    const mock = this.#mocks.get(mockId);
    if (mock === undefined) return { records: [], count: 0, truncated: false, oldestTime: undefined };
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
    const fits = matcherOf(filter);
    let count = 0;
    const slices = new Slices();
    let left = filter.bytesMax ?? TRAFFIC_PAGE_BYTES_MAX;
    for (const { block, newest } of snapshot.toReversed()) {
      for (let start = newest; start !== NONE; start = block.view.getUint32(start + PREVIOUS)) {
        if (slices.due()) await slices.next();
        if (!fits(block, start)) continue;
        count++;
        if (records.length >= filter.limit || (left < 0 && records.length > 0)) continue;
        left -= recordBytes(block, start);
        if (left >= 0 || records.length === 0) records.push(readRecord(block, start));
      }
    }
    const oldestTime =
      droppedTo === undefined ? undefined : Math.max(droppedTo, snapshot[0]?.block.oldestTime ?? droppedTo);
    return { records, count, truncated: droppedTo !== undefined, oldestTime };
  }

  /** @param bytes The least that it holds. @param time Of its first record. */
  #addBlock(mock: MockTraffic, bytes: number, time: number): Block {
    const last = mock.current;
    const grown = last === undefined ? TRAFFIC_BLOCK_BYTES_MIN : last.bytes.length * 2;
    // At least three quarters stay when the oldest block goes.
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
    // Fresh memory is paged in piece by piece, and so much of it that comes and goes makes the garbage collector look at everything.
    const old = this.#readers === 0 && dropped?.bytes.length === blockBytes ? dropped : undefined;
    // Not from the pool: a small block would keep the whole pool slab.
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

  /** The oldest block of its mock. @returns It. */
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

/**
 * One page of those of all threads. What threads kept reaches back to different times: the whole is complete only from the
 * latest of these on, which is the one it names.
 */
export function mergePages(pages: readonly TrafficPage[], limit: number): TrafficPage {
  const truncated = pages.some((page) => page.truncated);
  const oldestTimes = pages.flatMap(({ oldestTime }) => (oldestTime === undefined ? [] : [oldestTime]));
  const records = pages
    .flatMap((page) => page.records)
    .toSorted((one, other) => other.number - one.number)
    .slice(0, limit);
  const count = pages.reduce((sum, page) => sum + page.count, 0);
  return { records, count, truncated, oldestTime: truncated ? Math.max(...oldestTimes) : undefined };
}

/** Three bytes are the most that a character of a string takes. */
const BYTES_PER_CHAR = 3;
/** Line feeds between the parts of a line. */
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

/** @returns Where it is. */
function writeLine(block: Block, line: RecordedLine): number {
  const { method, path, query, routeId, responseId, problem } = line;
  const start = writeText(block, `${method}\n${path}\n${query}\n${routeId}\n${responseId}\n${problem}`);
  block.texts?.keepLine(line, start);
  return start;
}

/** @returns Where they are. */
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

/** Its line and, behind it, names and values of its headers. */
function readText(block: Block, start: number): string[] {
  const line = textAt(block, start + LINE).split('\n');
  const headers = textAt(block, start + HEADERS);
  return headers === '' ? line : [...line, ...headers.split('\n')];
}

/** @param place Where it stands in a record where the text is. */
function textAt({ bytes, view }: Block, place: number): string {
  const start = view.getUint32(place);
  const from = start + LENGTH_BYTES;
  return bytes.toString('utf8', from, from + view.getUint32(start));
}

function readBody({ bytes, view }: Block, start: number): Buffer {
  return bytes.subarray(start + BODY, start + BODY + view.getUint32(start + BODY_BYTES));
}

/** With its texts, also where other records share them. */
function recordBytes({ view }: Block, start: number): number {
  const textBytes = (place: number): number => view.getUint32(view.getUint32(start + place));
  return BODY + textBytes(LINE) + textBytes(HEADERS) + view.getUint32(start + BODY_BYTES);
}

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
  return {
    number: view.getFloat64(start + NUMBER),
    time: view.getFloat64(start + TIME),
    method,
    path,
    query,
    headers,
    // A copy: what goes to another thread would take the whole block with it.
    body: Uint8Array.from(readBody(block, start)),
    bodyTruncated: (view.getUint8(start + FLAGS) & BODY_TRUNCATED) !== 0,
    routeId,
    responseId,
    version: view.getUint32(start + VERSION),
    status: view.getUint16(start + STATUS),
    durationMs: view.getUint32(start + DURATION),
    problem,
  };
}

/** Looks at numbers before it reads any text. */
function matcherOf(filter: TrafficFilter): (block: Block, start: number) => boolean {
  const { status, since, afterNumber, bodyContains } = filter;
  const textFits = textMatcherOf(filter);
  return (block, start) => {
    const { view } = block;
    if (status !== undefined && view.getUint16(start + STATUS) !== status) return false;
    if (since !== undefined && view.getFloat64(start + TIME) < since) return false;
    if (afterNumber !== undefined && view.getFloat64(start + NUMBER) <= afterNumber) return false;
    if (textFits !== undefined && !textFits(readText(block, start))) return false;
    return bodyContains === undefined || readBody(block, start).includes(bodyContains);
  };
}

function textMatcherOf(filter: TrafficFilter): ((text: readonly string[]) => boolean) | undefined {
  const { method, path, routeId, routeIds, responseId, matched } = filter;
  const headers = Object.entries(filter.headers ?? {});
  const query = new Map(Object.entries(filter.query ?? {}));
  const asksText = [method, path, routeId, responseId, matched].some((each) => each !== undefined);
  if (!asksText && headers.length === 0 && query.size === 0) return undefined;
  return (text) => {
    if (method !== undefined && text[0] !== method) return false;
    if (path !== undefined && text[1] !== path && routeIds?.includes(text[3] as string) !== true) return false;
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

/** One pass over the pairs, however many are wanted. */
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
