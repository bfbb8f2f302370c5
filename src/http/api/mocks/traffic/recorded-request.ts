/** A recorded request as clients see it. */
import { bufferOf } from '../../../../base/bytes.ts';
import { isUtf8 } from 'node:buffer';
import { TRACE_HEADER, traceIdOf } from '../../../../model/mocks/trace.ts';
import { representUpstream, type TrafficRecord } from '../../../../model/mocks/traffic.ts';

export function representRequest(record: TrafficRecord): object {
  const { headers, body, bodyTruncated, bodyReadAs } = record;
  const traceId = traceOf(record);
  return {
    ...lineOf(record),
    headers,
    ...bodyMembers(body, bodyTruncated),
    bodyTruncated,
    bodyReadAs,
    ...(traceId === undefined ? {} : { traceId }),
    ...outcomeOf(record),
  };
}

/** The trace that a request belongs to; of several headers none counts, as the recommendation says. */
export function traceOf({ headers }: Pick<TrafficRecord, 'headers'>): string | undefined {
  const [only, ...others] = headers.filter(({ name }) => name === TRACE_HEADER);
  return only === undefined || others.length > 0 ? undefined : traceIdOf(only.value);
}

/** Without headers and body. */
export function representSummary(record: TrafficRecord): object {
  return { ...lineOf(record), ...outcomeOf(record) };
}

/**
 * A body as text, or in base64 where it is not UTF-8.
 *
 * @param isCut Whether it may end within a character, which is then left out.
 */
export function bodyMembers(body: Uint8Array, isCut = false): { body: string; bodyEncoding?: 'base64' } {
  const bytes = bufferOf(body);
  const text = isCut ? bytes.subarray(0, bytes.length - openBytes(bytes)) : bytes;
  return isUtf8(text) ? { body: text.toString('utf8') } : { body: bytes.toString('base64'), bodyEncoding: 'base64' };
}

/** Bytes at the end that begin a character of UTF-8 and do not complete it. */
function openBytes(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return count < lengthOfCharacter(byte) ? count : 0;
  }
  return 0;
}

function lengthOfCharacter(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}

function lineOf({ number, session, time, method, path, query }: TrafficRecord): object {
  return { id: String(number), ...(session === '' ? {} : { session }), time, method, path, query };
}

function outcomeOf({
  routeId,
  responseId,
  version,
  status,
  durationMs,
  problem,
  fault,
  proxied,
  upstream,
}: TrafficRecord): object {
  return {
    routeId: routeId === '' ? null : routeId,
    responseId: responseId === '' ? null : responseId,
    version,
    status,
    durationMs,
    ...(problem === '' ? {} : { problem }),
    ...(fault === undefined ? {} : { fault }),
    ...(proxied === undefined ? {} : { proxied }),
    ...(upstream === undefined ? {} : { upstream: representUpstream(upstream) }),
  };
}
