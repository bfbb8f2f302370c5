/**
 * Recorded requests on their way from a thread to the API process: bytes, in one buffer for a page.
 *
 * As objects they would be made in the thread, and cloned twice: of a mock under full load, whose newest requests a
 * stream reads ten times a second, that took a tenth of all processor time of the data plane. The API process makes the
 * objects. How a thread keeps its records is thread/traffic-blocks.ts.
 */
import { bufferOf } from '../../base/bytes.ts';
import { faultOfCode, PROXIED_CODE } from '../../model/mocks/behaviour/fault-codes.ts';
import { BODY_READINGS, type BodyReading } from '../../model/mocks/definition/body-reading.ts';
import { MESSAGE_DIRECTIONS, typeOfCode, type MessageDirection } from '../../model/mocks/sockets/message-record.ts';
import { STREAM_ENDS, type StreamOutcome } from '../../model/mocks/streams/stream-record.ts';
import type { TrafficPage, TrafficRecord, UpstreamOutcome } from '../../model/mocks/traffic.ts';

export interface PackedRecords {
  readonly bytes: Uint8Array;
  /** Offset of each record, in the order of the page. */
  readonly starts: Uint32Array;
  /** The session of each. */
  readonly sessions: readonly string[];
}

/** A page whose records are packed. */
export interface PackedPage extends Omit<TrafficPage, 'records'> {
  readonly records: PackedRecords;
}

/** Fixed part of a record, before its line (`method`, `path`, `query`, `routeId`, `responseId`, `problem`), its headers and its body. */
interface RecordHead extends Pick<
  TrafficRecord,
  'number' | 'time' | 'version' | 'durationMs' | 'status' | 'bodyReadAs'
> {
  readonly flags: number;
  readonly stream: StreamOutcome | undefined;
  readonly lineBytes: number;
  readonly headersBytes: number;
  readonly bodyBytes: number;
}

/** Offsets in a record. */
const NUMBER = 0;
const TIME = 8;
const VERSION = 16;
const DURATION = 20;
const LINE_BYTES = 24;
const HEADERS_BYTES = 28;
const BODY_BYTES = 32;
/** The highest bit: whether the answer is a stream, of which STREAM_BYTES more follow the head. */
const STATUS = 36;
export const STREAMED = 0x8000;
/** Lowest bit: the body is truncated; above it the code of the fault, and in the highest two bits the kind of message. */
const FLAGS = 38;
const BODY_TRUNCATED = 1;
const FAULT_SHIFT = 1;
const FAULT_MAX = 31;
const MESSAGE_SHIFT = 6;
/** 0 where it is unknown, else from 1 in the order of BODY_READINGS. */
const BODY_READ_AS = 39;
const HEAD_BYTES = 40;
export const STREAM_BYTES = 20;

export const NO_RECORDS: PackedRecords = { bytes: new Uint8Array(), starts: new Uint32Array(), sessions: [] };

export function writeHead(view: DataView, at: number, head: RecordHead): void {
  view.setFloat64(at + NUMBER, head.number);
  view.setFloat64(at + TIME, head.time);
  view.setUint32(at + VERSION, head.version);
  view.setUint32(at + DURATION, head.durationMs);
  view.setUint32(at + LINE_BYTES, head.lineBytes);
  view.setUint32(at + HEADERS_BYTES, head.headersBytes);
  view.setUint32(at + BODY_BYTES, head.bodyBytes);
  view.setUint16(at + STATUS, head.status | (head.stream === undefined ? 0 : STREAMED));
  view.setUint8(at + FLAGS, head.flags);
  view.setUint8(at + BODY_READ_AS, head.bodyReadAs === null ? 0 : BODY_READINGS.indexOf(head.bodyReadAs) + 1);
  if (head.stream !== undefined) writeStream(view, at + HEAD_BYTES, head.stream);
}

/**
 * One byte of a record, the same in the blocks of a thread.
 *
 * @param faultCode As in an `Outcome`. @param message Its direction; undefined for a request.
 */
export function flagsOf(bodyTruncated: boolean, faultCode: number, message: MessageDirection | undefined): number {
  const kind = message === undefined ? 0 : (1 + MESSAGE_DIRECTIONS.indexOf(message)) << MESSAGE_SHIFT;
  return (bodyTruncated ? BODY_TRUNCATED : 0) | (faultCode << FAULT_SHIFT) | kind;
}

export function isTruncated(flags: number): boolean {
  return (flags & BODY_TRUNCATED) !== 0;
}

export function faultCodeIn(flags: number): number {
  return (flags >> FAULT_SHIFT) & FAULT_MAX;
}

/** undefined for a request. */
export function messageIn(flags: number): MessageDirection | undefined {
  return MESSAGE_DIRECTIONS[(flags >> MESSAGE_SHIFT) - 1];
}

export function headBytes(stream: StreamOutcome | undefined): number {
  return stream === undefined ? HEAD_BYTES : HEAD_BYTES + STREAM_BYTES;
}

/** The same form in the blocks of a thread. */
export function writeStream(view: DataView, at: number, { events, bytes, ms, ended }: StreamOutcome): void {
  view.setFloat64(at, bytes);
  view.setUint32(at + 8, events);
  view.setUint32(at + 12, ms);
  view.setUint8(at + 16, ended === null ? 0 : STREAM_ENDS.indexOf(ended) + 1);
}

export function readStream(view: DataView, at: number): StreamOutcome {
  return {
    events: view.getUint32(at + 8),
    bytes: view.getFloat64(at),
    ms: view.getUint32(at + 12),
    ended: STREAM_ENDS[view.getUint8(at + 16) - 1] ?? null,
  };
}

/** Offset of the texts of a record. */
function textsAt(view: DataView, start: number): number {
  return start + HEAD_BYTES + (isStreamed(view, start) ? STREAM_BYTES : 0);
}

function isStreamed(view: DataView, start: number): boolean {
  return (view.getUint16(start + STATUS) & STREAMED) !== 0;
}

/** A record among those of a page. */
export interface PackedRecord {
  readonly number: number;
  readonly session: string;
  readonly source: Uint8Array;
  readonly start: number;
  readonly bytes: number;
}

export function packedRecordsOf({ bytes: source, starts, sessions }: PackedRecords): PackedRecord[] {
  const view = viewOf(source);
  return Array.from(starts, (start, index) => {
    const session = sessions[index] as string;
    const texts = view.getUint32(start + LINE_BYTES) + view.getUint32(start + HEADERS_BYTES);
    const bytes = textsAt(view, start) - start + texts + view.getUint32(start + BODY_BYTES);
    return { number: view.getFloat64(start + NUMBER), session, source, start, bytes };
  });
}

/** Copies records of several pages into one. */
export function repack(records: readonly PackedRecord[]): PackedRecords {
  const bytes = new Uint8Array(records.reduce((sum, record) => sum + record.bytes, 0));
  const starts = new Uint32Array(records.length);
  let end = 0;
  for (const [index, { source, start, bytes: count }] of records.entries()) {
    bytes.set(source.subarray(start, start + count), end);
    starts[index] = end;
    end += count;
  }
  return { bytes, starts, sessions: records.map(({ session }) => session) };
}

/** Their bodies are parts of the packed bytes. */
export function unpackRecords({ bytes, starts, sessions }: PackedRecords): TrafficRecord[] {
  const buffer = bufferOf(bytes);
  const view = viewOf(bytes);
  return Array.from(starts, (start, index) => unpackRecord(buffer, view, start, sessions[index] as string));
}

function unpackRecord(buffer: Buffer, view: DataView, start: number, session: string): TrafficRecord {
  const lineAt = textsAt(view, start);
  const headersAt = lineAt + view.getUint32(start + LINE_BYTES);
  const bodyAt = headersAt + view.getUint32(start + HEADERS_BYTES);
  const line = buffer.toString('utf8', lineAt, headersAt).split('\n');
  const [method = '', path = '', query = '', routeId = '', responseId = '', said = ''] = line;
  const flags = view.getUint8(start + FLAGS);
  const fault = faultOfCode(faultCodeIn(flags));
  const isProxied = faultCodeIn(flags) === PROXIED_CODE;
  const direction = messageIn(flags);
  const status = view.getUint16(start + STATUS) & ~STREAMED;
  const { problem, upstream } = isProxied ? readUpstream(said) : { problem: said, upstream: undefined };
  return {
    number: view.getFloat64(start + NUMBER),
    session,
    time: view.getFloat64(start + TIME),
    method: direction === undefined ? method : 'GET',
    path,
    query,
    headers: headersIn(buffer.toString('utf8', headersAt, bodyAt)),
    body: new Uint8Array(buffer.buffer, buffer.byteOffset + bodyAt, view.getUint32(start + BODY_BYTES)),
    bodyTruncated: isTruncated(flags),
    bodyReadAs: readAs(view.getUint8(start + BODY_READ_AS)),
    routeId,
    responseId,
    version: view.getUint32(start + VERSION),
    status: direction === undefined ? status : 0,
    durationMs: view.getUint32(start + DURATION),
    problem,
    // The line of a message has the id of its handshake where others have the method.
    ...(direction === undefined ? {} : { message: { direction, type: typeOfCode(status), requestId: method } }),
    ...(fault === undefined ? {} : { fault }),
    ...(isStreamed(view, start) ? { stream: readStream(view, start + HEAD_BYTES) } : {}),
    ...(isProxied ? { proxied: true } : {}),
    ...(upstream === undefined ? {} : { upstream }),
  };
}

/** The problem of a request that was sent on, with what its upstream did: only such records have more of it. */
export function withUpstream(problem: string, { host, status, ms, problem: kind, ...rules }: UpstreamOutcome): string {
  const { outcome, ruleIds = [], skipped, console } = rules;
  const acted = outcome === undefined ? '' : ` ${outcome} ${ruleIds.join(' ')}`;
  const more = skipped === undefined && console === undefined ? '' : MORE_MARK + JSON.stringify({ skipped, console });
  return `${problem}${UPSTREAM_MARK}${host} ${status} ${ms} ${kind}${acted}${more}`;
}

/** Neither is in what stands between them. */
const UPSTREAM_MARK = '\0';
const MORE_MARK = '\u0001';

function readUpstream(said: string): { readonly problem: string; readonly upstream?: UpstreamOutcome } {
  const at = said.lastIndexOf(UPSTREAM_MARK);
  if (at === -1) return { problem: said };
  const [line = '', more = '{}'] = said.slice(at + 1).split(MORE_MARK);
  const [host = '', status, ms, problem = '', outcome, ...ids] = line.split(' ');
  const ruleIds = ids.filter((id) => id !== '');
  const reported = JSON.parse(more) as Pick<UpstreamOutcome, 'skipped' | 'console'>;
  const acted = outcome === undefined ? {} : { outcome: outcome as UpstreamOutcome['outcome'], ruleIds, ...reported };
  return { problem: said.slice(0, at), upstream: { host, status: Number(status), ms: Number(ms), problem, ...acted } };
}

/** @param text Names and values, alternating, on a line each. */
function headersIn(text: string): TrafficRecord['headers'] {
  const lines = text === '' ? [] : text.split('\n');
  const headers = [];
  for (let index = 0; index < lines.length; index += 2) {
    headers.push({ name: lines[index] as string, value: lines[index + 1] as string });
  }
  return headers;
}

function readAs(code: number): BodyReading | null {
  return BODY_READINGS[code - 1] ?? null;
}

function viewOf({ buffer, byteOffset, length }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, length);
}
