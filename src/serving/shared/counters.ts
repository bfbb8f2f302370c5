/**
 * Exact counters of one mock, shared by all threads: requests, misses by status, a sequence per route, hits per
 * response.
 *
 * Two SharedArrayBuffers, never reused for another mock: the totals, which live until a reset, and the hits and
 * sequences of one publication, laid out by its routes. What was answered with which status follows from these, so
 * that no request counts for it. A thread that still holds an old publication cannot count into
 * a newer one. Sequences start again with each publication, unless it is told to keep them. `Tally`, in the main thread of the data plane's process,
 * carries hits over: only there are the ids known.
 */
import type { MockCounts, MockTotals } from '../../model/mocks/traffic.ts';
import type { RouteCounter } from '../matching/mock-request.ts';
import type { RouteIds, SharedCounters } from './messages.ts';
import { MockState, newState, type StateLayout } from './mock-state.ts';

/** Two 32-bit words per counter: at 100,000 requests a second, one word overflows within half a day. */
const WORDS = 2;
const WORD_BYTES = 4;
/** Statuses of requests that no response answered. */
const MISS_STATUSES = [404, 413, 500, 503] as const;
export type MissStatus = (typeof MISS_STATUSES)[number];

/** Indexes in the totals: of all requests, then of each status of the misses. */
const TOTAL = 0;
const MISSES = 1;
const TOTALS = MISSES + MISS_STATUSES.length;

/** What a response that cannot be rendered is answered with. */
const FAILED_STATUS = 500;

/** One thread's access to the counters of a publication. */
export class Counters implements RouteCounter {
  readonly #totals: Uint32Array;
  readonly #hits: Uint32Array;

  /** What decides the draws of the mock; null: chance. */
  readonly seed: number | null;
  readonly state: MockState;

  constructor({ totals, hits, state }: SharedCounters, { seed, layout }: { seed: number | null; layout: StateLayout }) {
    this.seed = seed;
    this.state = new MockState(layout, state);
    this.#totals = new Uint32Array(totals);
    this.#hits = new Uint32Array(hits);
  }

  next(routeIndex: number): number {
    return increment(this.#hits, routeIndex);
  }

  upcoming(routeIndex: number): number {
    return read(this.#hits, routeIndex) + 1;
  }

  /** @param slot From `slotOf`. @returns The number of this request among all of the mock. */
  hit(slot: number): number {
    increment(this.#hits, slot);
    return increment(this.#totals, TOTAL);
  }

  /** The hit of a response was answered otherwise. @param slot From `failureSlotOf` or `otherSlotOf`. */
  fail(slot: number): void {
    increment(this.#hits, slot);
  }

  /** @returns As `hit`. */
  miss(status: MissStatus): number {
    increment(this.#totals, MISSES + MISS_STATUSES.indexOf(status));
    return increment(this.#totals, TOTAL);
  }
}

/** The slot of a response. @param place Among all responses of the mock, from 0. */
export function slotOf(routeCount: number, place: number): number {
  return routeCount + place;
}

export function failureSlotOf(routeCount: number, responseCount: number, place: number): number {
  return routeCount + responseCount + place;
}

/** @param otherPlace Among `otherStatuses` of all responses of the mock, from 0. */
export function otherSlotOf(routeCount: number, responseCount: number, otherPlace: number): number {
  return routeCount + 2 * responseCount + otherPlace;
}

/** The counts of one mock since its last reset, over all its publications. */
export class Tally {
  readonly #totals = shared(TOTALS);
  #current: Publication;
  /** Superseded publications that threads may still count into, until every thread has the successor. */
  readonly #superseded = new Set<Publication>();
  /** Hits of publications that no thread holds any more, by route and response. */
  readonly #past = new Map<string, Map<string, number>>();
  /** The same by status. */
  readonly #pastStatuses = new Map<number, number>();

  constructor(routes: readonly RouteIds[], layout: StateLayout) {
    this.#current = publication(routes, layout);
  }

  get counters(): SharedCounters {
    const { hits, state } = this.#current;
    return { totals: this.#totals, hits, state };
  }

  /**
   * Starts a new publication: counts go on, sequences start again.
   *
   * @param keepsSequences Whether those of routes whose id stays go on. A thread that still has the old publication may give a position
   *   once more.
   * @returns Call it when every thread has confirmed the new `counters`.
   */
  supersede(routes: readonly RouteIds[], layout: StateLayout, keepsSequences = false): () => void {
    const old = this.#current;
    this.#superseded.add(old);
    const states = keepsSequences ? new MockState(old.layout, old.state).states() : {};
    this.#current = publication(routes, layout, states);
    if (keepsSequences) copySequences(old, this.#current);
    return () => {
      this.#superseded.delete(old);
      addHits(this.#past, old, false);
      addStatuses(this.#pastStatuses, old);
    };
  }

  /** The states of scenarios and the rate limit, as the threads have them. */
  get state(): MockState {
    const { layout, state } = this.#current;
    return new MockState(layout, state);
  }

  /** The same routes with every counter at zero, and scenarios in their initial states. */
  fresh(): Tally {
    return new Tally(this.#current.routes, this.#current.layout);
  }

  /** Only requests and misses. */
  get figures(): { readonly total: number; readonly unmatched: number } {
    const totals = new Uint32Array(this.#totals);
    return { total: read(totals, TOTAL), unmatched: sumOf(missesOf(totals)) };
  }

  /** @returns The number that the next request of a route gets; 1 for a route that is not served. */
  upcoming(routeId: string): number {
    const { routes, hits } = this.#current;
    const index = routes.findIndex((route) => route.routeId === routeId);
    return index === -1 ? 1 : read(new Uint32Array(hits), index) + 1;
  }

  totals(): MockTotals {
    return this.#totalsOf([this.#current, ...this.#superseded]);
  }

  /** Includes removed routes and responses that were hit. */
  counts(): MockCounts {
    // Copies, so that what is said of routes and of statuses is of one moment.
    const current = copyOf(this.#current);
    const superseded = [...this.#superseded].map(copyOf);
    const hits = new Map<string, Map<string, number>>();
    addHits(hits, current, true);
    const served = new Set(hits.keys());
    for (const each of superseded) addHits(hits, each, false);
    for (const [routeId, responses] of this.#past) {
      for (const [responseId, count] of responses) addHit(hits, routeId, responseId, count);
    }
    const routes = [...hits]
      .map(([routeId, responses]) => ({
        routeId,
        count: [...responses.values()].reduce((sum, count) => sum + count, 0),
        responses: [...responses].map(([responseId, count]) => ({ responseId, count })),
      }))
      .filter(({ routeId, count }) => count > 0 || served.has(routeId));
    return { ...this.#totalsOf([current, ...superseded]), routes };
  }

  /** The total is the sum of what is read, since threads go on counting between two readings. */
  #totalsOf(publications: readonly Publication[]): MockTotals {
    const misses = missesOf(new Uint32Array(this.#totals));
    const sums = new Map(this.#pastStatuses);
    for (const { status, count } of misses) add(sums, status, count);
    for (const each of publications) addStatuses(sums, each);
    const statuses = [...sums]
      .filter(([, count]) => count > 0)
      .map(([status, count]) => ({ status, count }))
      .toSorted((one, other) => one.status - other.status);
    return { total: sumOf(statuses), unmatched: sumOf(misses), statuses };
  }
}

interface Publication {
  readonly routes: readonly RouteIds[];
  readonly responseCount: number;
  readonly hits: SharedArrayBuffer;
  readonly layout: StateLayout;
  readonly state: SharedArrayBuffer;
}

function copyOf(original: Publication): Publication {
  return { ...original, hits: original.hits.slice(0) };
}

function publication(
  routes: readonly RouteIds[],
  layout: StateLayout,
  states?: Readonly<Record<string, string>>,
): Publication {
  const responseCount = routes.reduce((sum, { responseIds }) => sum + responseIds.length, 0);
  const otherCount = routes.reduce((sum, { otherStatuses = NO_OTHERS }) => sum + otherStatuses.flat().length, 0);
  const hits = shared(routes.length + 2 * responseCount + otherCount);
  return { routes, responseCount, hits, layout, state: newState(layout, states) };
}

function copySequences(from: Publication, to: Publication): void {
  const [before, after] = [new Uint32Array(from.hits), new Uint32Array(to.hits)];
  const indexes = new Map(from.routes.map(({ routeId }, index) => [routeId, index]));
  for (const [index, { routeId }] of to.routes.entries()) {
    const known = indexes.get(routeId);
    if (known !== undefined) after.set(before.subarray(known * WORDS, (known + 1) * WORDS), index * WORDS);
  }
}

function shared(counters: number): SharedArrayBuffer {
  return new SharedArrayBuffer(counters * WORDS * WORD_BYTES);
}

/** @param isServed Whether to list responses without hits too. */
function addHits(sums: Map<string, Map<string, number>>, { routes, hits }: Publication, isServed: boolean): void {
  const words = new Uint32Array(hits);
  let before = 0;
  for (const { routeId, responseIds } of routes) {
    for (const [index, responseId] of responseIds.entries()) {
      const count = read(words, slotOf(routes.length, before + index));
      if (isServed || count > 0) addHit(sums, routeId, responseId, count);
    }
    before += responseIds.length;
  }
}

const NO_OTHERS: readonly (readonly number[])[] = [];
const NO_STATUSES: readonly number[] = [];

function missesOf(totals: Uint32Array): MockTotals['statuses'] {
  return MISS_STATUSES.map((status, index) => ({ status, count: read(totals, MISSES + index) }));
}

/** Little work for a response without hits: an owner may have half a million, and looks at all of them each second. */
function addStatuses(sums: Map<number, number>, { routes, responseCount, hits }: Publication): void {
  const words = new Uint32Array(hits);
  let place = 0;
  let otherPlace = 0;
  for (const { statuses, otherStatuses = NO_OTHERS } of routes) {
    for (const [index, status] of statuses.entries()) {
      const count = read(words, slotOf(routes.length, place));
      const others = otherStatuses[index] ?? NO_STATUSES;
      if (count > 0) {
        // Of a hit that was counted since, it may be counted already that it failed.
        const failed = Math.min(count, read(words, failureSlotOf(routes.length, responseCount, place)));
        let own = count - failed;
        for (const [at, other] of others.entries()) {
          const times = Math.min(own, read(words, otherSlotOf(routes.length, responseCount, otherPlace + at)));
          add(sums, other, times);
          own -= times;
        }
        add(sums, status, own);
        add(sums, FAILED_STATUS, failed);
      }
      otherPlace += others.length;
      place++;
    }
  }
}

function sumOf(statuses: MockTotals['statuses']): number {
  return statuses.reduce((sum, { count }) => sum + count, 0);
}

function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count);
}

function addHit(sums: Map<string, Map<string, number>>, routeId: string, responseId: string, count: number): void {
  let responses = sums.get(routeId);
  if (responses === undefined) {
    responses = new Map();
    sums.set(routeId, responses);
  }
  add(responses, responseId, count);
}

/** @returns The value after adding one. No two threads get the same, except perhaps once when the high word changes. */
function increment(words: Uint32Array, index: number): number {
  const low = Atomics.add(words, index * WORDS, 1);
  if (low === 0xffff_ffff) Atomics.add(words, index * WORDS + 1, 1);
  return (words[index * WORDS + 1] as number) * 0x1_0000_0000 + ((low + 1) >>> 0);
}

function read(words: Uint32Array, index: number): number {
  return Atomics.load(words, index * WORDS + 1) * 0x1_0000_0000 + Atomics.load(words, index * WORDS);
}
