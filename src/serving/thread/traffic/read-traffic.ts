/** Reads a page of what one thread recorded of a mock and its sessions, while further requests are recorded. */
import { PAGE_BYTES_MAX } from '../../../limits.ts';
import type { TrafficFilter } from '../../../model/mocks/traffic.ts';
import type { PackedPage } from '../../shared/packed-records.ts';
import { judgeOf } from './judge-conditions.ts';
import { matcherOf, plainMatcherOf } from './match-traffic.ts';
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

/** Few enough that filters which search large bodies stay within a slice or two. Conditions may take a slice for one record. */
const RECORDS_PER_CLOCK_READING = 16;

/** Place of a record. */
interface Place {
  readonly block: Block;
  readonly start: number;
}

/**
 * Returns the matching records of a mock, or of a mock and its sessions, at the time of the call; requests recorded later are not
 * included.
 *
 * Cost: a comparison of numbers for each request recorded after `afterNumber`, which the walk ends at, and a reading of
 * its texts where the filter asks for any.
 *
 * @returns What reads it, in steps.
 */
export function readPage(mocks: readonly MockTraffic[], filter: TrafficFilter): Generator<void, PackedPage> {
  // Now: blocks may be dropped before the first step.
  return walkAll(
    mocks.map((mock) => walkOf(mock, filter)),
    filter,
  );
}

function walkOf(mock: MockTraffic, filter: TrafficFilter) {
  return {
    droppedTo: mock.droppedTo,
    total: mock.total,
    dropped: droppedIn(mock, filter),
    snapshot: mock.blocks.map((block) => ({ block, newest: block.newest })),
  };
}

function* walkAll(walks: readonly ReturnType<typeof walkOf>[], filter: TrafficFilter): Generator<void, PackedPage> {
  const versions = new Set<number>();
  const judge =
    filter.stopsAtLimit === true && filter.conditions !== undefined ? judgeOf(filter.conditions) : undefined;
  const toJudge: (Place & { readonly places: ChosenPlaces })[] = [];
  const matches = judge === undefined ? matcherOf(filter) : plainMatcherOf(filter);
  const perReading = filter.conditions === undefined ? RECORDS_PER_CLOCK_READING : 1;
  const { afterNumber = -Infinity, upToNumber = Infinity, beforeNumber = Infinity } = filter;
  const chosen: ChosenPlaces[] = [];
  let walked = 0;
  let seen = 0;
  let later = 0;
  let count = 0;
  let unjudged = 0;
  for (const { snapshot } of walks) {
    const places = new ChosenPlaces(filter);
    chosen.push(places);
    walk: for (const { block, newest } of snapshot.toReversed()) {
      for (let start = newest; start !== NONE; start = previousOf(block, start)) {
        const number = numberOf(block, start);
        // Those of one thread are recorded in the order of their numbers.
        if (number <= afterNumber && number <= upToNumber) break walk;
        // Reading the clock takes longer than a comparison of numbers.
        if (++walked % perReading === 0) yield;
        if (filter.namesVersions === true) versions.add(versionOf(block, start));
        if (number > upToNumber) {
          later++;
          continue;
        }
        seen++;
        const isMatch = matches(block, start);
        if (isMatch === 'unjudged') unjudged++;
        if (isMatch !== true) continue;
        if (judge !== undefined) {
          toJudge.push({ block, start, places });
          continue;
        }
        count++;
        if (number < beforeNumber) places.add(block, start);
      }
    }
  }
  if (judge !== undefined) {
    toJudge.sort((one, other) => numberOf(one.block, one.start) - numberOf(other.block, other.start));
    for (const { block, start, places } of toJudge) {
      if (count >= filter.limit) break;
      yield;
      const isMatch = judge(block, start);
      if (isMatch === 'unjudged') unjudged++;
      if (isMatch !== true) continue;
      count++;
      places.add(block, start);
    }
  }
  const { records, hasMore } = yield* packPlaces(chosen, filter);
  const incomplete = walks.filter(({ droppedTo }) => droppedTo !== undefined);
  const oldestTimes = incomplete.map(({ droppedTo = 0, snapshot }) =>
    Math.max(droppedTo, snapshot[0]?.block.oldestTime ?? droppedTo),
  );
  return {
    records,
    count,
    unjudged,
    seen,
    passed: walks.reduce((sum, { total }) => sum + total, -later),
    dropped: walks.reduce((sum, { dropped }) => sum + dropped, 0),
    hasMore,
    truncated: incomplete.length > 0,
    oldestTime: incomplete.length === 0 ? undefined : Math.max(...oldestTimes),
    versions: [...versions],
  };
}

/** All records count of a block that was dropped only in part of the range. */
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

  /** Number of added ones, including those that are not among the places any more. */
  get added(): number {
    return this.#added;
  }

  /** In the order of the page. */
  inOrder(): Place[] {
    if (!this.#isOldestFirst) return this.#places;
    const next = this.#added === this.#places.length ? 0 : this.#added % this.#limit;
    return [...this.#places.slice(next), ...this.#places.slice(0, next)].toReversed();
  }
}

/** Packs as many of the chosen records as the page may hold. @param chosen Of each mock or session. */
function* packPlaces(
  chosen: readonly ChosenPlaces[],
  { limit, bytesMax = PAGE_BYTES_MAX, isSummary = false, isOldestFirst = false }: TrafficFilter,
): Generator<void, Pick<PackedPage, 'records' | 'hasMore'>> {
  const places: Place[] = [];
  let total = 0;
  for (const place of inOneOrder(chosen, limit, isOldestFirst)) {
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
    if (index % RECORDS_PER_CLOCK_READING === 0) yield;
    starts[index] = end;
    end = packRecord(block, start, isSummary, target, end);
  }
  const added = chosen.reduce((sum, each) => sum + each.added, 0);
  const sessions = places.map(({ block }) => block.mock.session);
  return { records: { bytes, starts, sessions }, hasMore: added > places.length };
}

function inOneOrder(chosen: readonly ChosenPlaces[], limit: number, isOldestFirst: boolean): readonly Place[] {
  const [only, ...others] = chosen.filter(({ added }) => added > 0);
  if (only === undefined) return [];
  if (others.length === 0) return only.inOrder();
  const direction = isOldestFirst ? 1 : -1;
  return [only, ...others]
    .flatMap((each) => each.inOrder().map(({ block, start }) => ({ block, start, number: numberOf(block, start) })))
    .toSorted((one, other) => direction * (one.number - other.number))
    .slice(0, limit);
}
