/** Reads a page of what one thread recorded of a mock, while further requests are recorded. */
import { Slices } from '../../base/slices.ts';
import { PAGE_BYTES_MAX } from '../../limits.ts';
import type { TrafficFilter, TrafficPage, TrafficRecord } from '../../model/mocks/traffic.ts';
import { matcherOf } from './match-traffic.ts';
import {
  NONE,
  numberOf,
  previousOf,
  readRecord,
  recordBytes,
  versionOf,
  type Block,
  type MockTraffic,
} from './traffic-blocks.ts';

/** Few enough that filters which search large bodies stay within a slice or two. */
const RECORDS_PER_CLOCK_READING = 16;

/** Where a record is. */
interface Place {
  readonly block: Block;
  readonly start: number;
}

/**
 * Returns the matching records at the time of the call; requests recorded later are not included.
 *
 * Cost: a comparison of numbers for each request recorded after `afterNumber`, which the walk ends at, and a reading of
 * its texts where the filter asks for any. It yields to the event loop.
 */
export async function readPage(mock: MockTraffic, filter: TrafficFilter): Promise<TrafficPage> {
  const { droppedTo } = mock;
  const snapshot = mock.blocks.map((block) => ({ block, newest: block.newest }));
  const slices = new Slices();
  const versions = new Set<number>();
  const matches = matcherOf(filter);
  const { afterNumber = -Infinity, upToNumber = Infinity, beforeNumber = Infinity } = filter;
  const chosen = new ChosenPlaces(filter);
  let walked = 0;
  let seen = 0;
  let count = 0;
  walk: for (const { block, newest } of snapshot.toReversed()) {
    for (let start = newest; start !== NONE; start = previousOf(block, start)) {
      const number = numberOf(block, start);
      // Those of one thread are recorded in the order of their numbers.
      if (number <= afterNumber) break walk;
      // Reading the clock takes longer than a comparison of numbers.
      if (++walked % RECORDS_PER_CLOCK_READING === 0 && slices.due()) await slices.next();
      if (filter.namesVersions === true) versions.add(versionOf(block, start));
      if (number > upToNumber) continue;
      seen++;
      if (!matches(block, start)) continue;
      count++;
      if (number < beforeNumber) chosen.add(block, start);
    }
  }
  const { records, hasMore } = await readPlaces(chosen, filter, slices);
  const oldestTime =
    droppedTo === undefined ? undefined : Math.max(droppedTo, snapshot[0]?.block.oldestTime ?? droppedTo);
  return { records, count, seen, hasMore, truncated: droppedTo !== undefined, oldestTime, versions: [...versions] };
}

/** The first places that are added, which come newest first; or the last ones. */
class ChosenPlaces {
  readonly #limit: number;
  readonly #isOldestFirst: boolean;
  readonly #places: Place[] = [];
  #added = 0;

  constructor({ limit, isOldestFirst = false }: TrafficFilter) {
    this.#limit = limit;
    this.#isOldestFirst = isOldestFirst;
  }

  add(block: Block, start: number): void {
    if (this.#places.length < this.#limit) this.#places.push({ block, start });
    else if (this.#isOldestFirst && this.#limit > 0) this.#places[this.#added % this.#limit] = { block, start };
    this.#added++;
  }

  get areAll(): boolean {
    return this.#added === this.#places.length;
  }

  /** In the order of the page. */
  inOrder(): Place[] {
    if (!this.#isOldestFirst) return this.#places;
    const next = this.areAll ? 0 : this.#added % this.#limit;
    return [...this.#places.slice(next), ...this.#places.slice(0, next)].toReversed();
  }
}

async function readPlaces(
  chosen: ChosenPlaces,
  { bytesMax = PAGE_BYTES_MAX, isSummary = false }: TrafficFilter,
  slices: Slices,
): Promise<Pick<TrafficPage, 'records' | 'hasMore'>> {
  const records: TrafficRecord[] = [];
  let left = bytesMax;
  for (const { block, start } of chosen.inOrder()) {
    if (slices.due()) await slices.next();
    left -= recordBytes(block, start);
    if (left < 0 && records.length > 0) return { records, hasMore: true };
    records.push(readRecord(block, start, isSummary));
  }
  return { records, hasMore: !chosen.areAll };
}
