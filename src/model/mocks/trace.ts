/** The trace that a request belongs to, by its header `traceparent` (W3C Trace Context, levels 1 and 2). */

/** 16 bytes in lower-case hexadecimal. */
export const TRACE_ID_PATTERN = '^[0-9a-f]{32}$';

export const TRACE_HEADER = 'traceparent';

/** No version has the number `ff`. What a version after `00` adds follows a hyphen. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/;

/** @returns The id of the trace; undefined for a value that the recommendation says to ignore. */
export function traceIdOf(traceparent: string): string | undefined {
  const [, version, id, more] = TRACEPARENT.exec(traceparent) ?? [];
  return version === '00' && more !== undefined ? undefined : id;
}
