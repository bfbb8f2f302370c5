/**
 * Merges the pages of recorded requests that the threads return into one. Runs in the main thread of the data plane's
 * process.
 */
import { PAGE_BYTES_MAX } from '../../limits.ts';
import type { TrafficFilter, TrafficPage, TrafficRecord } from '../../model/mocks/traffic.ts';

/**
 * Merges the pages of all threads.
 *
 * The threads' records reach back to different times: the result is complete only from the latest of these times on,
 * which is its `oldestTime`. A thread may have more than its page holds: the result ends where the first of such pages
 * ends, since the records beyond it are not all there.
 */
export function mergePages(
  pages: readonly TrafficPage[],
  { limit, bytesMax = PAGE_BYTES_MAX, isOldestFirst = false }: TrafficFilter,
): TrafficPage {
  const truncated = pages.some((page) => page.truncated);
  const oldestTimes = pages.flatMap(({ oldestTime }) => (oldestTime === undefined ? [] : [oldestTime]));
  const direction = isOldestFirst ? 1 : -1;
  const order = (record: TrafficRecord): number => direction * record.number;
  const ends = pages.flatMap(({ hasMore, records }) => (hasMore ? records.slice(-1).map(order) : []));
  const end = Math.min(Infinity, ...ends);
  const all = pages.flatMap((page) => page.records).toSorted((one, other) => order(one) - order(other));
  const records: TrafficRecord[] = [];
  let left = bytesMax;
  for (const record of all) {
    left -= textAndBodyBytes(record);
    if (order(record) > end || records.length >= limit || (left < 0 && records.length > 0)) break;
    records.push(record);
  }
  return {
    records,
    count: pages.reduce((sum, page) => sum + page.count, 0),
    seen: pages.reduce((sum, page) => sum + page.seen, 0),
    dropped: pages.reduce((sum, page) => sum + page.dropped, 0),
    hasMore: records.length < all.length || pages.some((page) => page.hasMore),
    truncated,
    oldestTime: truncated ? Math.max(...oldestTimes) : undefined,
    versions: [...new Set(pages.flatMap((page) => page.versions))],
  };
}

/** A lower bound of the size of its JSON. */
function textAndBodyBytes({ path, query, headers, body }: TrafficRecord): number {
  let bytes = path.length + query.length + body.length;
  for (const { name, value } of headers) bytes += name.length + value.length;
  return bytes;
}
