/** Reads a page of what one thread recorded of a mock, while further requests are recorded. */
import { Slices } from '../../base/slices.ts';
import { PAGE_BYTES_MAX } from '../../limits.ts';
import type { TrafficFilter } from '../../model/mocks/traffic.ts';
import type { PackedPage } from '../shared/packed-records.ts';
import { matcherOf } from './match-traffic.ts';
import {
  NONE,
  numberOf,
  previousOf,
  packedBytes,
  packRecord,
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
export async function readPage(mock: MockTraffic, filter: TrafficFilter): Promise<PackedPage> {
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
  const { records, hasMore } = await packPlaces(chosen, filter, slices);
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

  /** Whether no more than so many were added. */
  areAllIn(count: number): boolean {
    return this.#added === count;
  }

  /** In the order of the page. */
  inOrder(): Place[] {
    if (!this.#isOldestFirst) return this.#places;
    const next = this.areAllIn(this.#places.length) ? 0 : this.#added % this.#limit;
    return [...this.#places.slice(next), ...this.#places.slice(0, next)].toReversed();
  }
}

/** Packs as many of the chosen records as the page may hold. */
async function packPlaces(
  chosen: ChosenPlaces,
  { bytesMax = PAGE_BYTES_MAX, isSummary = false }: TrafficFilter,
  slices: Slices,
): Promise<Pick<PackedPage, 'records' | 'hasMore'>> {
  const places: Place[] = [];
  let total = 0;
  for (const place of chosen.inOrder()) {
    const bytes = packedBytes(place.block, place.start, isSummary);
    if (total + bytes > bytesMax && places.length > 0) break;
    places.push(place);
    total += bytes;
  }
  // Not from the pool: it is handed over to another thread.
  const bytes = Buffer.allocUnsafeSlow(total);
  const target = { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, total) };
  const starts = new Uint32Array(places.length);
  let end = 0;
  for (const [index, { block, start }] of places.entries()) {
    if (index % RECORDS_PER_CLOCK_READING === 0 && slices.due()) await slices.next();
    starts[index] = end;
    end = packRecord(block, start, isSummary, target, end);
  }
  return { records: { bytes, starts, sessions: places.map(() => '') }, hasMore: !chosen.areAllIn(places.length) };
}
