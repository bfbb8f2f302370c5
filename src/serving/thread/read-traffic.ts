/** Reads a page of what one thread recorded of a mock and its sessions, while further requests are recorded. */
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
 * Returns the matching records of a mock, or of a mock and its sessions, at the time of the call; requests recorded later are not
 * included.
 *
 * Cost: a comparison of numbers for each request recorded after `afterNumber`, which the walk ends at, and a reading of
 * its texts where the filter asks for any. It yields to the event loop.
 */
export async function readPage(mocks: readonly MockTraffic[], filter: TrafficFilter): Promise<TrafficPage> {
  // Before the first yield: blocks may be dropped meanwhile.
  const walks = mocks.map((mock) => ({
    mock,
    droppedTo: mock.droppedTo,
    dropped: droppedIn(mock, filter),
    snapshot: mock.blocks.map((block) => ({ block, newest: block.newest })),
  }));
  const slices = new Slices();
  const versions = new Set<number>();
  const matches = matcherOf(filter);
  const { afterNumber = -Infinity, upToNumber = Infinity, beforeNumber = Infinity } = filter;
  const chosen: ChosenPlaces[] = [];
  let walked = 0;
  let seen = 0;
  let count = 0;
  for (const { snapshot } of walks) {
    const places = new ChosenPlaces(filter);
    chosen.push(places);
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
        if (number < beforeNumber) places.add(block, start);
      }
    }
  }
  const { records, hasMore } = await readPlaces(chosen, filter, slices);
  const incomplete = walks.filter(({ droppedTo }) => droppedTo !== undefined);
  const oldestTimes = incomplete.map(({ droppedTo = 0, snapshot }) =>
    Math.max(droppedTo, snapshot[0]?.block.oldestTime ?? droppedTo),
  );
  return {
    records,
    count,
    seen,
    dropped: walks.reduce((sum, { dropped }) => sum + dropped, 0),
    hasMore,
    truncated: incomplete.length > 0,
    oldestTime: incomplete.length === 0 ? undefined : Math.max(...oldestTimes),
    versions: [...versions],
  };
}

/** Of a block that was dropped only in part of the range, all records count. */
function droppedIn(
  { dropped }: MockTraffic,
  { afterNumber = -Infinity, upToNumber = Infinity }: TrafficFilter,
): number {
  let sum = 0;
  for (const { from, to, count } of dropped) if (to > afterNumber && from <= upToNumber) sum += count;
  return sum;
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

  /** How many were added, those that are not among the places any more too. */
  get added(): number {
    return this.#added;
  }

  get isEmpty(): boolean {
    return this.#added === 0;
  }

  /** In the order of the page. */
  inOrder(): Place[] {
    if (!this.#isOldestFirst) return this.#places;
    const next = this.#added === this.#places.length ? 0 : this.#added % this.#limit;
    return [...this.#places.slice(next), ...this.#places.slice(0, next)].toReversed();
  }
}

/** @param chosen Of each mock or session. */
async function readPlaces(
  chosen: readonly ChosenPlaces[],
  { limit, bytesMax = PAGE_BYTES_MAX, isSummary = false, isOldestFirst = false }: TrafficFilter,
  slices: Slices,
): Promise<Pick<TrafficPage, 'records' | 'hasMore'>> {
  const records: TrafficRecord[] = [];
  let left = bytesMax;
  const [only, ...others] = chosen.filter(({ isEmpty }) => !isEmpty);
  if (only === undefined) return { records, hasMore: false };
  const places = others.length === 0 ? only.inOrder() : inOneOrder([only, ...others], limit, isOldestFirst);
  for (const { block, start } of places) {
    if (slices.due()) await slices.next();
    left -= recordBytes(block, start);
    if (left < 0 && records.length > 0) return { records, hasMore: true };
    records.push(readRecord(block, start, isSummary));
  }
  return { records, hasMore: added(chosen) > places.length };
}

function inOneOrder(chosen: readonly ChosenPlaces[], limit: number, isOldestFirst: boolean): Place[] {
  const direction = isOldestFirst ? 1 : -1;
  return chosen
    .flatMap((each) => each.inOrder().map((place) => ({ ...place, number: numberOf(place.block, place.start) })))
    .toSorted((one, other) => direction * (one.number - other.number))
    .slice(0, limit);
}

function added(chosen: readonly ChosenPlaces[]): number {
  return chosen.reduce((sum, each) => sum + each.added, 0);
}
