/**
 * The bytes of recorded requests: how one is laid out in a block, written and read back.
 *
 * traffic.ts owns the blocks, and which of them are dropped.
 */
import type { BodyReading } from '../../../model/mocks/definition/body-reading.ts';
import { RequestView } from '../../matching/request/request-view.ts';
import {
  faultCodeIn,
  flagsOf,
  headBytes,
  isTruncated,
  messageIn,
  readStream,
  STREAM_BYTES,
  STREAMED,
  writeHead,
  writeStream,
} from '../../shared/packed-records.ts';
import type { MessageDirection } from '../../../model/mocks/sockets/message-record.ts';
import type { StreamOutcome } from '../../../model/mocks/streams/stream-record.ts';
import type { RecordedLine, RecordedTexts } from './recorded-texts.ts';

/** The recorded parts of a request. Texts must not contain line feeds: texts from uWebSockets.js never do. */
export interface RecordInput extends RecordedLine {
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
  /** The same as in an `Outcome`. */
  readonly faultCode: number;
  /** The answer is a stream: its record has space for the progress. */
  readonly isStreamed: boolean;
  /** Set for a message on a WebSocket: `method` is the id of its handshake then, and `status` the code of its type. */
  readonly message: MessageDirection | undefined;
}

/** Place of the record of an open stream: the number alone without a request log. */
export interface RecordedPlace {
  readonly number: number;
  readonly block?: Block;
  readonly start?: number;
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
/** Offsets of packed records. */
const STATUS = 40;
const FLAGS = 42;
/** In the record of a stream STREAM_BYTES follow, and then the body. */
const BODY = 43;

/** Bytes of a text's length. */
const LENGTH_BYTES = 4;

/** No record. */
export const NONE = 0xffff_ffff;

/** Memory for the records of one mock. */
export interface Block {
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
  readonly ownerId: string;
  /** The session that it is of; "" outside of sessions. */
  readonly session: string;
  /** Those of the mock's sessions, by id; undefined without one. */
  sessions: Map<string, MockTraffic> | undefined;
  readonly bytesMax: number;
  /** Oldest first. */
  blocks: Block[];
  /** The last block, which is being written: saves a request the access to the list. */
  current: Block | undefined;
  bytes: number;
  /** Requests since the last reset: recorded, dropped and unrecorded ones. */
  total: number;
  /**
   * Time of the newest dropped or unrecorded request, in milliseconds since 1970; undefined while the record is
   * complete.
   */
  droppedTo: number | undefined;
  /** The last dropped blocks, oldest first: at most DROPPED_BLOCKS_KEPT. */
  dropped: DroppedBlock[];
}

/** Records that are not kept any more. */
interface DroppedBlock {
  /** The numbers of the first and the last one. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const DROPPED_BLOCKS_KEPT = 64;

/** Notes how many records a block had that is dropped. */
export function noteDropped(block: Block): void {
  const { dropped } = block.mock;
  let count = 0;
  let oldest = block.newest;
  for (let start = block.newest; start !== NONE; start = previousOf(block, start)) {
    count++;
    oldest = start;
  }
  if (count === 0) return;
  dropped.push({ from: numberOf(block, oldest), to: numberOf(block, block.newest), count });
  const [first, second] = dropped;
  if (dropped.length <= DROPPED_BLOCKS_KEPT || first === undefined || second === undefined) return;
  dropped.splice(0, 2, { from: first.from, to: second.to, count: first.count + second.count });
}

/** The maximum for a character (UTF-16 code unit) of a string. */
const BYTES_PER_CHAR = 3;
/** The line feeds between the parts of a line. */
const LINE_FEEDS = 5;

/** Bytes of a record without its texts. */
export function numbersAndBodyBytes(bodyBytes: number, hasStream: boolean): number {
  return BODY + (hasStream ? STREAM_BYTES : 0) + bodyBytes;
}

export function lineBytesMax({ method, path, query, routeId, responseId, problem }: RecordedLine): number {
  const chars = method.length + path.length + query.length + routeId.length + responseId.length + problem.length;
  return LENGTH_BYTES + (chars + LINE_FEEDS) * BYTES_PER_CHAR;
}

export function headersBytesMax({ headers }: RecordInput): number {
  let chars = headers.length;
  for (const text of headers) chars += text.length;
  return LENGTH_BYTES + chars * BYTES_PER_CHAR;
}

/** @returns Its offset. */
export function writeLine(block: Block, line: RecordedLine): number {
  const { method, path, query, routeId, responseId, problem } = line;
  const start = writeText(block, `${method}\n${path}\n${query}\n${routeId}\n${responseId}\n${problem}`);
  block.texts?.keepLine(line, start);
  return start;
}

/** @returns Their offset. */
export function writeHeaders(block: Block, headers: readonly string[]): number {
  const start = writeText(block, headers.join('\n'));
  block.texts?.keepHeaders(headers, start);
  return start;
}

/**
 * Makes a record of numbers, of texts that the block has, and of the body.
 *
 * @param line    Offset of its line; `headers` likewise.
 * @param bodyBytes How much of the body is kept.
 */
export function writeRecord(block: Block, record: RecordInput, line: number, headers: number, bodyBytes: number): void {
  const { view, end: start } = block;
  const { body } = record;
  view.setFloat64(start + NUMBER, record.number);
  view.setFloat64(start + TIME, record.time);
  view.setUint32(start + VERSION, record.version);
  view.setUint32(start + DURATION, record.durationMs);
  view.setUint32(start + PREVIOUS, block.newest);
  view.setUint32(start + LINE, line);
  view.setUint32(start + HEADERS, headers);
  view.setUint32(start + BODY_BYTES, bodyBytes);
  view.setUint16(start + STATUS, record.isStreamed ? record.status | STREAMED : record.status);
  const truncated = record.bodyTruncated || (body?.length ?? 0) > bodyBytes;
  view.setUint8(start + FLAGS, flagsOf(truncated, record.faultCode, record.message));
  // `set` takes half the time of `copy`.
  const bodyStart = record.isStreamed ? start + BODY + STREAM_BYTES : start + BODY;
  if (body !== undefined) block.bytes.set(body.length > bodyBytes ? body.subarray(0, bodyBytes) : body, bodyStart);
  if (record.isStreamed) writeStream(view, start + BODY, NO_EVENTS);
  block.newest = start;
  block.end = bodyStart + bodyBytes;
}

const NO_EVENTS: StreamOutcome = { events: 0, bytes: 0, ms: 0, ended: null };

function writeText(block: Block, text: string): number {
  const start = block.end;
  const bytes = block.bytes.write(text, start + LENGTH_BYTES);
  block.view.setUint32(start, bytes);
  block.end = start + LENGTH_BYTES + bytes;
  return start;
}

/** Offset of the record before it in the block, or NONE. */
export function previousOf({ view }: Block, start: number): number {
  return view.getUint32(start + PREVIOUS);
}

export function numberOf({ view }: Block, start: number): number {
  return view.getFloat64(start + NUMBER);
}

/** Milliseconds since 1970. */
export function timeOf({ view }: Block, start: number): number {
  return view.getFloat64(start + TIME);
}

export function versionOf({ view }: Block, start: number): number {
  return view.getUint32(start + VERSION);
}

export function statusOf({ view }: Block, start: number): number {
  return view.getUint16(start + STATUS) & ~STREAMED;
}

/** The same as in an `Outcome`. */
export function faultCodeOf({ view }: Block, start: number): number {
  return faultCodeIn(view.getUint8(start + FLAGS));
}

/** undefined for a request. */
export function messageOf({ view }: Block, start: number): MessageDirection | undefined {
  return messageIn(view.getUint8(start + FLAGS));
}

/** In what `readText` returns. */
export const FIRST_HEADER = 6;

/** The parts of its line, then the names and values of its headers. */
export function readText(block: Block, start: number): string[] {
  const line = textAt(block, start + LINE).split('\n');
  if (messageOf(block, start) !== undefined) line[0] = 'GET';
  return [...line, ...readHeaders(block, start)];
}

/** The id of the handshake that a message belongs to; undefined for a request. */
export function handshakeOf(block: Block, start: number): string | undefined {
  return messageOf(block, start) === undefined ? undefined : textAt(block, start + LINE).split('\n', 1)[0];
}

/** Names and values, alternating. */
function readHeaders(block: Block, start: number): string[] {
  const text = textAt(block, start + HEADERS);
  return text === '' ? [] : text.split('\n');
}

/** @param place Offset of the field that holds the text's offset. */
function textAt({ bytes, view }: Block, place: number): string {
  const start = view.getUint32(place);
  const from = start + LENGTH_BYTES;
  return bytes.toString('utf8', from, from + view.getUint32(start));
}

export function readBody({ bytes, view }: Block, start: number): Buffer {
  const at = bodyAt(view, start);
  return bytes.subarray(at, at + view.getUint32(start + BODY_BYTES));
}

function bodyAt(view: DataView, start: number): number {
  return start + BODY + (isStreamed(view, start) ? STREAM_BYTES : 0);
}

function isStreamed(view: DataView, start: number): boolean {
  return (view.getUint16(start + STATUS) & STREAMED) !== 0;
}

/** undefined where the answer is not a stream. */
export function streamOf({ view }: Block, start: number): StreamOutcome | undefined {
  return isStreamed(view, start) ? readStream(view, start + BODY) : undefined;
}

/** Notes how a stream goes on, in its record: unless that has been dropped, since its bytes may be those of another. */
export function noteStream({ block, start }: RecordedPlace, outcome: StreamOutcome): void {
  if (block === undefined || start === undefined || !block.mock.blocks.includes(block)) return;
  writeStream(block.view, start + BODY, outcome);
}

export function isBodyTruncated({ view }: Block, start: number): boolean {
  return isTruncated(view.getUint8(start + FLAGS));
}

type Target = Pick<Block, 'bytes' | 'view'>;

const NO_PARAMETERS = { params: [] };

/** @param isSummary Whether headers and body are left out. */
export function packedBytes(block: Block, start: number, isSummary: boolean): number {
  const { lineBytes, headersBytes, bodyBytes } = partsOf(block, start, isSummary);
  return headBytes(streamOf(block, start)) + lineBytes + headersBytes + bodyBytes;
}

/** @param target Of the page, with room for the record at `at`. @returns Where the next one goes. */
export function packRecord(block: Block, start: number, isSummary: boolean, target: Target, at: number): number {
  const { bytes, view } = block;
  const parts = partsOf(block, start, isSummary);
  const { lineBytes, headersBytes, bodyBytes } = parts;
  const stream = streamOf(block, start);
  const bodyTruncated = !isSummary && isBodyTruncated(block, start);
  const flags = flagsOf(bodyTruncated, faultCodeOf(block, start), messageOf(block, start));
  writeHead(target.view, at, {
    number: numberOf(block, start),
    time: timeOf(block, start),
    version: versionOf(block, start),
    durationMs: view.getUint32(start + DURATION),
    status: statusOf(block, start),
    flags,
    stream,
    bodyReadAs: isSummary || bodyTruncated ? null : bodyReadAs(block, start),
    ...parts,
  });
  const copy = (to: number, from: number, count: number): number =>
    to + bytes.copy(target.bytes, to, from, from + count);
  const headersAt = copy(at + headBytes(stream), view.getUint32(start + LINE) + LENGTH_BYTES, lineBytes);
  const bodyTo = copy(headersAt, view.getUint32(start + HEADERS) + LENGTH_BYTES, headersBytes);
  return copy(bodyTo, bodyAt(view, start), bodyBytes);
}

function partsOf({ view }: Block, start: number, isSummary: boolean) {
  const textBytes = (place: number): number => view.getUint32(view.getUint32(start + place));
  return {
    lineBytes: textBytes(LINE),
    headersBytes: isSummary ? 0 : textBytes(HEADERS),
    bodyBytes: isSummary ? 0 : view.getUint32(start + BODY_BYTES),
  };
}

/** Not recorded with the request: found out now, by the same code that serves requests. */
function bodyReadAs(block: Block, start: number): BodyReading | null {
  const body = readBody(block, start);
  if (body.length === 0) return 'none';
  const [method = '', path = '', query = ''] = textAt(block, start + LINE).split('\n');
  const headers = readHeaders(block, start);
  return new RequestView({ method, path, query, headers, body }, [], NO_PARAMETERS, 0).bodyReadAs;
}
