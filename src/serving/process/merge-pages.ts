/**
 * Merges the pages of recorded requests that the threads return into one, and what they say of open streams. Runs in the main thread of the data plane's
 * process.
 */
import { PAGE_BYTES_MAX } from '../../limits.ts';
import { OPEN_STREAMS_LISTED_MAX, type StreamsAnswer } from '../../model/mocks/streams/open-stream.ts';
import type { TrafficFilter } from '../../model/mocks/traffic.ts';
import { packedRecordsOf, repack, type PackedPage, type PackedRecord } from '../shared/packed-records.ts';

/**
 * Merges the pages of all threads.
 *
 * The threads' records reach back to different times: the result is complete only from the latest of these times on,
 * which is its `oldestTime`. A thread may have more than its page holds: the result ends where the first of such pages
 * ends, since the records beyond it are not all there.
 */
export function mergePages(pages: readonly PackedPage[], filter: TrafficFilter): PackedPage {
  const truncated = pages.some((page) => page.truncated);
  const oldestTimes = pages.flatMap(({ oldestTime }) => (oldestTime === undefined ? [] : [oldestTime]));
  return {
    ...mergeRecords(pages, filter),
    count: pages.reduce((sum, page) => sum + page.count, 0),
    unjudged: pages.reduce((sum, page) => sum + page.unjudged, 0),
    seen: pages.reduce((sum, page) => sum + page.seen, 0),
    passed: pages.reduce((sum, page) => sum + page.passed, 0),
    dropped: pages.reduce((sum, page) => sum + page.dropped, 0),
    truncated,
    oldestTime: truncated ? Math.max(...oldestTimes) : undefined,
    versions: [...new Set(pages.flatMap((page) => page.versions))],
  };
}

function mergeRecords(
  pages: readonly PackedPage[],
  { limit, bytesMax = PAGE_BYTES_MAX, isOldestFirst = false }: TrafficFilter,
): Pick<PackedPage, 'records' | 'hasMore'> {
  const [only, ...others] = pages.filter(({ records }) => records.starts.length > 0);
  // No page of one thread is larger than asked for.
  if (only !== undefined && others.length === 0) return only;
  const direction = isOldestFirst ? 1 : -1;
  const order = (record: PackedRecord): number => direction * record.number;
  const lists = pages.map(({ records, hasMore }) => ({ records: packedRecordsOf(records), hasMore }));
  const ends = lists.flatMap(({ hasMore, records }) => (hasMore ? records.slice(-1).map(order) : []));
  const end = Math.min(Infinity, ...ends);
  const all = lists.flatMap(({ records }) => records).toSorted((one, other) => order(one) - order(other));
  const chosen: PackedRecord[] = [];
  let left = bytesMax;
  for (const record of all) {
    left -= record.bytes;
    if (order(record) > end || chosen.length >= limit || (left < 0 && chosen.length > 0)) break;
    chosen.push(record);
  }
  return { records: repack(chosen), hasMore: chosen.length < all.length || pages.some((page) => page.hasMore) };
}

export function mergeStreams(all: readonly StreamsAnswer[]): StreamsAnswer {
  return {
    streams: all.reduce((sum, { streams }) => sum + streams, 0),
    delivered: all.reduce((sum, { delivered }) => sum + delivered, 0),
    list: all
      .flatMap(({ list }) => list)
      .toSorted((one, other) => other.openedAt - one.openedAt || Number(other.requestId) - Number(one.requestId))
      .slice(0, OPEN_STREAMS_LISTED_MAX),
  };
}
