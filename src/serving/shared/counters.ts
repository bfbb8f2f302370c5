/**
 * Exact counters of one mock, shared by all threads: requests, misses by status, a sequence per route, hits per response.
 *
 * Two SharedArrayBuffers, never reused for another mock: the totals, which live until a reset, and the hits and
 * sequences of one publication, laid out by its routes. What was answered with which status follows from these, so
 * that no request counts for it. A thread that still holds an old publication cannot count into a newer one. Sequences start again with
 * each publication, unless it keeps them. `Tally`, in the main thread of the data plane's process, carries hits over: it knows the ids.
 */
import { MESSAGE_DIRECTIONS, type MessageDirection } from '../../model/mocks/sockets/message-record.ts';
import type { MockCounts, MockTotals } from '../../model/mocks/traffic.ts';
import type { RouteCounter } from '../matching/request/mock-request.ts';
import type { StoreTurn } from '../matching/stores/store-turn.ts';
import type { RouteIds, SharedCounters } from './messages.ts';
import { mergeRoutes } from './merge-counts.ts';
import { MockState, type StateLayout } from './mock-state.ts';
import {
  add,
  addHit,
  addHits,
  addProxied,
  addRefused,
  addStatuses,
  copyOf,
  copySequences,
  isSameLayout,
  publication,
  type Publication,
} from './publication.ts';
import { bucketOf, NONE_SLOW, sumOfSlow, type SlowRequests } from './slow-requests.ts';
import { increaseBy, increment, read, shared, WORDS } from './shared-words.ts';

/** Statuses of requests that no response answered. */
const MISS_STATUSES = [404, 413, 421, 426, 500, 503, 507] as const;
export type MissStatus = (typeof MISS_STATUSES)[number];
/** Requests that the rate limit refused: counted in the state of their publication, whose settings say the status. */
type MissKind = MissStatus | 'refused';

/** Indexes in the totals: of all requests, then of each status of the misses. */
const TOTAL = 0;
const MISSES = 1;
const TOTALS = MISSES + MISS_STATUSES.length;
/** After the totals: when the last request was answered, in seconds since 1970. Only where numbers are shared. */
const LAST_USED = TOTALS;
/** Then the requests that took a millisecond or longer, by SLOW_BUCKETS_MS, and the sum of what they took. */
const SLOW = LAST_USED + 1;
const SLOW_MS = SLOW + NONE_SLOW.buckets.length;
/** Then WebSockets: handshakes that a route answered, those that were accepted, and messages in each direction. */
const [HANDSHAKES, OPENED] = [SLOW_MS + 1, SLOW_MS + 2] as const;
const MESSAGES = { in: OPENED + 1, out: OPENED + 2 } satisfies Record<MessageDirection, number>;
/** Then the request numbers that messages have taken. */
const NUMBERED_MESSAGES = MESSAGES.out + 1;
const WORD_COUNT = NUMBERED_MESSAGES + 1;

const SWITCHING_PROTOCOLS = 101;

/** A thread's access to the counters of a publication. */
export class Counters implements RouteCounter {
  readonly #totals: Uint32Array;
  /** The totals, or those of the mock whose numbers are shared. */
  readonly #numbers: Uint32Array;
  readonly #sharesNumbers: boolean;
  readonly #hits: Uint32Array;

  /** Decides the draws of the mock; null: chance. */
  readonly seed: number | null;
  readonly state: MockState;
  /** The stores as the request in hand sees them. */
  turn: StoreTurn | undefined = undefined;

  constructor(
    { totals, numbers, hits, state }: SharedCounters,
    { seed, layout }: { seed: number | null; layout: StateLayout },
  ) {
    this.seed = seed;
    this.state = new MockState(layout, state);
    this.#totals = new Uint32Array(totals);
    this.#numbers = numbers === undefined ? this.#totals : new Uint32Array(numbers);
    this.#sharesNumbers = numbers !== undefined;
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
    return this.#number();
  }

  /**
   * Counts an answer of an upstream.
   *
   * @param slot From `slotOf`; undefined where no response is counted. @param isUnmatched Whether no route answers. @returns As `hit`.
   */
  proxied(status: number, slot: number | undefined, isUnmatched: boolean): number {
    this.state.countProxied(status, isUnmatched);
    if (slot !== undefined) increment(this.#hits, slot);
    return this.#number();
  }

  /** The hit of a response was answered otherwise. @param slot From `failureSlotOf` or `otherSlotOf`. */
  fail(slot: number): void {
    increment(this.#hits, slot);
  }

  /** @returns As `hit`. */
  miss(kind: MissKind): number {
    if (kind === 'refused') this.state.countRefused();
    else increment(this.#totals, MISSES + MISS_STATUSES.indexOf(kind));
    return this.#number();
  }

  /** @returns The number of a WebSocket handshake among those of the mock or session, from 1. */
  handshake(): number {
    return increment(this.#totals, HANDSHAKES);
  }

  /** A handshake is accepted. @param slot From `slotOf`; undefined where no response is counted. @returns As `hit`. */
  opened(slot: number | undefined): number {
    increment(this.#totals, OPENED);
    return slot === undefined ? this.#number() : this.hit(slot);
  }

  /** A message has come or is sent. @param slot Of the response to a message that has come. @returns As `hit`. */
  message(direction: MessageDirection, slot?: number): number {
    increment(this.#totals, MESSAGES[direction]);
    increment(this.#numbers, NUMBERED_MESSAGES);
    if (slot !== undefined) increment(this.#hits, slot);
    if (this.#sharesNumbers) this.#used();
    return increment(this.#numbers, TOTAL);
  }

  /** Counts how long a request took, in whole milliseconds. */
  took(ms: number): void {
    if (ms < 1) return;
    increment(this.#totals, SLOW + bucketOf(ms));
    increaseBy(this.#totals, SLOW_MS, Math.round(ms));
  }

  #number(): number {
    if (this.#sharesNumbers) {
      increment(this.#totals, TOTAL);
      this.#used();
    }
    return increment(this.#numbers, TOTAL);
  }

  #used(): void {
    Atomics.store(this.#totals, LAST_USED * WORDS, Math.floor(Date.now() / 1_000));
  }
}

/** Parts that the tally of a session, or of a mock that was reset while it has sessions, has beyond that of a mock. */
interface TallyShare {
  /** The totals that give numbers to requests. */
  readonly numbers: SharedArrayBuffer;
  /** Routes that are counted after those of the mock. */
  readonly added?: readonly RouteIds[];
  /** States of scenarios at first, and after a reset, by scenario. */
  readonly states?: Readonly<Record<string, string>>;
}

/** The counts of one mock or session since its last reset, over all its publications. */
export class Tally {
  readonly #totals = shared(WORD_COUNT);
  readonly #share: TallyShare | undefined;
  #current: Publication;
  /** Superseded publications that threads may still count into, until every thread has the successor. */
  readonly #superseded = new Set<Publication>();
  /** Hits of publications that no thread holds any more, and of ended sessions, by route and response. */
  readonly #past = new Map<string, Map<string, number>>();
  /** The same by status. */
  readonly #pastStatuses = new Map<number, number>();
  /** Misses of ended sessions, by status. */
  readonly #pastMisses = new Map<number, number>();
  /** Requests that no route answered and that are not among these: the rate limit refused them, or an upstream answered. */
  #pastUnanswered = 0;
  /** Answers of upstreams before. */
  #pastProxied = 0;
  /** Slow requests of ended sessions. */
  #pastSlow = NONE_SLOW;
  /** Messages of ended sessions. */
  readonly #pastMessages = { in: 0, out: 0 };

  constructor(routes: readonly RouteIds[], layout: StateLayout, share?: TallyShare) {
    this.#share = share;
    this.#current = publication(routes, share?.added ?? [], layout, share?.states);
  }

  get counters(): SharedCounters {
    const { hits, state } = this.#current;
    return { totals: this.#totals, numbers: this.#share?.numbers, hits, state };
  }

  /** Sessions and the requests outside of them share one sequence of numbers. */
  get numbers(): SharedArrayBuffer {
    return this.#share?.numbers ?? this.#totals;
  }

  /** The number of the last request, in sessions and outside. */
  get newestNumber(): number {
    return read(new Uint32Array(this.numbers), TOTAL);
  }

  /** Numbers of sequences and responses, which lay out the counters. */
  get layout(): { readonly routeCount: number; readonly responseCount: number } {
    const { routes, added, responseCount } = this.#current;
    return { routeCount: routes.length + added.length, responseCount };
  }

  /**
   * Starts a new publication: counts go on, sequences start again.
   *
   * @param keepsSequences Whether those of routes whose id stays go on, and states: in the same counters where nothing is counted
   *   otherwise. Else a thread that still has the old publication may give a position once more.
   * @param added As that of the share.
   * @returns Call it when every thread has confirmed the new `counters`.
   */
  supersede(
    routes: readonly RouteIds[],
    layout: StateLayout,
    keepsSequences = false,
    added: readonly RouteIds[] = [],
  ): () => void {
    const old = this.#current;
    if (keepsSequences && isSameLayout(old.routes, routes) && isSameLayout(old.added, added)) {
      if (JSON.stringify(old.layout) === JSON.stringify(layout)) return () => undefined;
    }
    this.#superseded.add(old);
    const state = new MockState(old.layout, old.state);
    const states = keepsSequences ? state.states() : {};
    this.#current = publication(routes, added, layout, { ...this.#share?.states, ...states });
    if (keepsSequences) {
      copySequences(old, this.#current);
      new MockState(layout, this.#current.state).keepRate(state);
    }
    return () => {
      this.#superseded.delete(old);
      addHits(this.#past, old, false);
      addStatuses(this.#pastStatuses, old);
      this.#keepState(old);
    };
  }

  #keepState(old: Publication): void {
    const { unanswered, proxied } = addOthers(this.#pastStatuses, [old]);
    this.#pastUnanswered += unanswered;
    this.#pastProxied += proxied;
  }

  /** The states of scenarios and the rate limit, as the threads have them. */
  get state(): MockState {
    const { layout, state } = this.#current;
    return new MockState(layout, state);
  }

  /**
   * The same routes with every counter at zero, and scenarios in their first states.
   *
   * @param keepsNumbers Whether numbers go on: sessions, which share them, are not reset.
   */
  fresh(keepsNumbers = false): Tally {
    const { routes, added, layout } = this.#current;
    const share = this.#share?.added === undefined ? undefined : { ...this.#share, added };
    return new Tally(routes, layout, share ?? (keepsNumbers ? { numbers: this.numbers } : undefined));
  }

  /**
   * Adds what an ended session has counted: no thread counts into it any more.
   *
   * What only its overlay had is counted under empty ids, so that what is kept does not grow with each session.
   */
  settle(session: Tally): void {
    const routes = new Map(this.#current.routes.map((route) => [route.routeId, route]));
    this.#add(session, (routeId, responseId) => {
      const [served, past] = [routes.get(routeId), this.#past.get(routeId)];
      if (served === undefined && past === undefined) return ['', ''];
      const isKnown = served?.responseIds.includes(responseId) === true || past?.has(responseId) === true;
      return [routeId, isKnown ? responseId : ''];
    });
  }

  /** @param idsOf Under which route and response a hit is counted here. */
  #add(other: Tally, idsOf: (routeId: string, responseId: string) => readonly [string, string]): void {
    const hits = new Map<string, Map<string, number>>();
    for (const each of [other.#current, ...other.#superseded]) {
      addHits(hits, each, false);
      addStatuses(this.#pastStatuses, each);
      this.#keepState(each);
    }
    this.#pastUnanswered += other.#pastUnanswered;
    this.#pastProxied += other.#pastProxied;
    for (const [routeId, responses] of [...hits, ...other.#past]) {
      for (const [responseId, count] of responses) addHit(this.#past, ...idsOf(routeId, responseId), count);
    }
    for (const [status, count] of other.#pastStatuses) add(this.#pastStatuses, status, count);
    for (const { status, count } of missesOf(new Uint32Array(other.#totals))) add(this.#pastMisses, status, count);
    for (const [status, count] of other.#pastMisses) add(this.#pastMisses, status, count);
    add(this.#pastStatuses, SWITCHING_PROTOCOLS, read(new Uint32Array(other.#totals), OPENED));
    for (const direction of MESSAGE_DIRECTIONS) this.#pastMessages[direction] += other.#messages()[direction];
    this.#pastSlow = sumOfSlow([this.#pastSlow, other.slow]);
  }

  /** A copy of its counts with those of sessions. Pauses after each: all of an owner's have millions of counters. */
  *with(sessions: Iterable<Tally>): Generator<void, MockCounts> {
    const sum = new Tally([], { scenarios: [], rateSlots: 0 });
    for (const each of [this, ...sessions]) yield sum.#add(each, (...ids) => ids);
    const { routes, ...totals } = sum.counts();
    const counted = new Map(routes.map((each) => [each.routeId, each]));
    // Routes without hits too, as without sessions.
    return { ...totals, routes: mergeRoutes(this.counts().routes, counted) };
  }

  /** When its last request was answered: milliseconds since 1970, to a second; 0 without one. Of a session. */
  get lastUsedAt(): number {
    return 1_000 * Atomics.load(new Uint32Array(this.#totals), LAST_USED * WORDS);
  }

  /** Only requests and misses, of a session. */
  get ownFigures(): { readonly total: number; readonly unmatched: number } {
    return { total: read(new Uint32Array(this.#totals), TOTAL), unmatched: this.#unmatched() };
  }

  /** Only requests, of all that have a number, and misses outside of live sessions. */
  get figures(): { readonly total: number; readonly unmatched: number } {
    const messages = read(new Uint32Array(this.numbers), NUMBERED_MESSAGES);
    return { total: this.newestNumber - messages, unmatched: this.#unmatched() };
  }

  /** Messages that WebSockets have received and sent. */
  #messages(): NonNullable<MockTotals['messages']> {
    const totals = new Uint32Array(this.#totals);
    return {
      in: read(totals, MESSAGES.in) + this.#pastMessages.in,
      out: read(totals, MESSAGES.out) + this.#pastMessages.out,
    };
  }

  #unmatched(): number {
    const { unanswered } = addOthers(new Map(), [this.#current, ...this.#superseded]);
    const misses = sumOf(missesOf(new Uint32Array(this.#totals)));
    return misses + unanswered + this.#pastUnanswered + sumOfValues(this.#pastMisses);
  }

  get slow(): SlowRequests {
    const totals = new Uint32Array(this.#totals);
    const buckets = NONE_SLOW.buckets.map((_, index) => read(totals, SLOW + index));
    return sumOfSlow([this.#pastSlow, { buckets, ms: read(totals, SLOW_MS) }]);
  }

  /** To be called every few minutes, for words of the rate limit that nobody uses. */
  keepClosest(): void {
    new MockState(this.#current.layout, this.#current.state).keepClosest();
  }

  /** @returns The number that the next request of a route gets; 1 for a route that is not served. */
  upcoming(routeId: string): number {
    const { routes, added, hits } = this.#current;
    const index = [...routes, ...added].findIndex((route) => route.routeId === routeId);
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
    const misses = missesOf(new Uint32Array(this.#totals)).map(({ status, count }) => ({
      status,
      count: count + (this.#pastMisses.get(status) ?? 0),
    }));
    const sums = new Map(this.#pastStatuses);
    for (const { status, count } of misses) add(sums, status, count);
    add(sums, SWITCHING_PROTOCOLS, read(new Uint32Array(this.#totals), OPENED));
    for (const each of publications) addStatuses(sums, each);
    const { unanswered, proxied } = addOthers(sums, publications);
    const statuses = [...sums]
      .filter(([, count]) => count > 0)
      .map(([status, count]) => ({ status, count }))
      .toSorted((one, other) => one.status - other.status);
    const proxiedTotal = proxied + this.#pastProxied;
    const messages = this.#messages();
    return {
      total: sumOf(statuses),
      unmatched: sumOf(misses) + unanswered + this.#pastUnanswered,
      ...(proxiedTotal === 0 ? {} : { proxied: proxiedTotal }),
      ...(messages.in + messages.out === 0 ? {} : { messages }),
      statuses,
    };
  }
}

/** Takes what is counted in the states of publications. */
function addOthers(
  sums: Map<number, number>,
  publications: readonly Publication[],
): { readonly unanswered: number; readonly proxied: number } {
  let [unanswered, proxied] = [0, 0];
  for (const each of publications) {
    const upstream = addProxied(sums, each);
    unanswered += addRefused(sums, each) + upstream.unmatched;
    proxied += upstream.count;
  }
  return { unanswered, proxied };
}

function missesOf(totals: Uint32Array): MockTotals['statuses'] {
  return MISS_STATUSES.map((status, index) => ({ status, count: read(totals, MISSES + index) }));
}

function sumOfValues(sums: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const count of sums.values()) sum += count;
  return sum;
}

function sumOf(statuses: MockTotals['statuses']): number {
  return statuses.reduce((sum, { count }) => sum + count, 0);
}
