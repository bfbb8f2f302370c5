/**
 * Pages of lists: as many of the records, from the first on, as fit into PAGE_BYTES_MAX, and at least one.
 *
 * A large page is written into a buffer record by record, and the buffer is reused: as one text a page was in memory
 * three times, and its garbage was more than the memory of a small machine.
 */
import { LARGE_ANSWER_BYTES, PAGE_BYTES_MAX } from '../limits.ts';
import type { PageRequest } from '../model/queries.ts';
import type { Call } from './call.ts';

/** Buffers of large pages kept for reuse: filling a new one of 4 MB takes ten times as long. */
const SPARE_PAGES_MAX = 4;

/** Bytes for the members around the records. */
const ENVELOPE_BYTES = 256;

/** A character of a string takes three bytes at most. */
const SMALL_PAGE_CHARS = LARGE_ANSWER_BYTES / 3;

/**
 * @param represent A record as JSON.
 * @param tail      The envelope's further members, each with a comma before it, by the count of records on the page.
 * @param partsOf   As `represent`, in parts, which saves joining them.
 * @param headers   Further header lines, each with CRLF before it.
 */
export function replyList<R>(
  call: Call,
  records: readonly R[],
  represent: (record: R) => string,
  tail: (count: number) => string,
  {
    partsOf = (record) => [represent(record)],
    headers = '',
  }: { readonly partsOf?: ((record: R) => readonly string[]) | undefined; readonly headers?: string } = {},
): void {
  const texts: string[] = [];
  let chars = 0;
  for (const record of records) {
    const text = represent(record);
    texts.push(text);
    chars += text.length;
    if (chars <= SMALL_PAGE_CHARS) continue;
    const bytesMax = Math.max(PAGE_BYTES_MAX, Buffer.byteLength(texts[0] as string) + ENVELOPE_BYTES);
    return call.answer(bytesMax, () => replyLarge(call, records, partsOf, tail, headers), 1);
  }
  return call.succeed(`"data":[${texts.join()}]${tail(texts.length)}`, headers);
}

/** A page of a list that is in memory as a whole: `nextOffset` is null at its end. */
export function replySlice<R>(
  call: Call,
  all: readonly R[],
  { offset, pageSize }: PageRequest,
  represent: (record: R) => string,
): void {
  replyList(call, all.slice(offset, offset + pageSize), represent, (count) => {
    const next = offset + count;
    return `,"total":${all.length},"nextOffset":${next < all.length ? next : null}`;
  });
}

/** Starts again with the first record: an answer that waits for its owner's share must not hold texts while it waits. */
function replyLarge<R>(
  call: Call,
  records: readonly R[],
  partsOf: (record: R) => readonly string[],
  tail: (count: number) => string,
  headers: string,
): void {
  const texts: string[] = [];
  let count = 0;
  let bytes = ENVELOPE_BYTES;
  for (const record of records) {
    const parts = partsOf(record);
    const recordBytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), 1);
    if (count > 0 && bytes + recordBytes > PAGE_BYTES_MAX) break;
    if (count++ > 0) texts.push(',');
    texts.push(...parts);
    bytes += recordBytes;
  }
  const page = allocatePage(bytes);
  call.onFinished = () => recyclePage(page);
  call.sendTexts(['{"success":true,"data":[', ...texts, `]${tail(count)}}`], page, headers);
}

const spares: Buffer[] = [];

function allocatePage(bytes: number): Buffer {
  const isLarge = bytes > PAGE_BYTES_MAX / 4 && bytes <= PAGE_BYTES_MAX;
  if (!isLarge) return Buffer.allocUnsafeSlow(bytes);
  return spares.pop() ?? Buffer.allocUnsafeSlow(PAGE_BYTES_MAX);
}

function recyclePage(page: Buffer): void {
  if (page.length === PAGE_BYTES_MAX && spares.length < SPARE_PAGES_MAX) spares.push(page);
}
