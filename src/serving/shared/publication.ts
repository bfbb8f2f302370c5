/**
 * The hits and sequences of one publication of a mock or session: how they are laid out, and read back by route and by status.
 * counters.ts says what happens to them.
 */
import { STATUS_OF_UPSTREAM, type RouteIds } from './messages.ts';
import { MockState, newState, type StateLayout } from './mock-state.ts';
import { read, shared, WORDS } from './shared-words.ts';

/** Status of an answer whose response cannot be rendered. */
const FAILED_STATUS = 500;

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

export interface Publication {
  readonly routes: readonly RouteIds[];
  /** Counted after them; apart, so that sessions share the list of their mock. */
  readonly added: readonly RouteIds[];
  readonly responseCount: number;
  readonly hits: SharedArrayBuffer;
  readonly layout: StateLayout;
  readonly state: SharedArrayBuffer;
}

export function copyOf(original: Publication): Publication {
  const { hits, state, layout } = original;
  return { ...original, hits: hits.slice(0), state: layout.proxies === true ? state.slice(0) : state };
}

export function publication(
  routes: readonly RouteIds[],
  added: readonly RouteIds[],
  layout: StateLayout,
  states?: Readonly<Record<string, string>>,
): Publication {
  const responseCount = countResponses(routes) + countResponses(added);
  const hits = shared(routes.length + added.length + 2 * responseCount + countOthers(routes) + countOthers(added));
  return { routes, added, responseCount, hits, layout, state: newState(layout, states) };
}

export function countResponses(routes: readonly RouteIds[]): number {
  return routes.reduce((sum, { responseIds }) => sum + responseIds.length, 0);
}

/** The counts of their other statuses. */
export function countOthers(routes: readonly RouteIds[]): number {
  let count = 0;
  for (const { otherStatuses } of routes) {
    if (otherStatuses !== undefined) for (const each of otherStatuses) count += each.length;
  }
  return count;
}

/** Counts of one list continue with the other. */
export function isSameLayout(one: readonly RouteIds[], other: readonly RouteIds[]): boolean {
  return one === other || (one.length === other.length && comparedTo(one, other).isSame);
}

/** The differences between two lists of routes: all sessions of a mock share both. */
interface Comparison {
  /** Weak: else each version would keep all before it. */
  readonly before: WeakRef<readonly RouteIds[]>;
  readonly isSame: boolean;
  /** For each route its index in `before`; -1 for a new one. */
  readonly indexes: Int32Array;
}

const compared = new WeakMap<readonly RouteIds[], Comparison>();

function comparedTo(before: readonly RouteIds[], after: readonly RouteIds[]): Comparison {
  const known = compared.get(after);
  if (known?.before.deref() === before) return known;
  const byId = new Map(before.map(({ routeId }, index) => [routeId, index]));
  const indexes = Int32Array.from(after, ({ routeId }) => byId.get(routeId) ?? -1);
  const isSame = before.length === after.length && JSON.stringify(before) === JSON.stringify(after);
  const comparison = { before: new WeakRef(before), isSame, indexes };
  compared.set(after, comparison);
  return comparison;
}

export function copySequences(from: Publication, to: Publication): void {
  copyWords(from, to, 'routes');
  copyWords(from, to, 'added');
}

function copyWords(from: Publication, to: Publication, list: 'routes' | 'added'): void {
  const [before, after] = [from[list], to[list]];
  const [firstBefore, firstAfter] = list === 'routes' ? [0, 0] : [from.routes.length, to.routes.length];
  const [wordsBefore, wordsAfter] = [new Uint32Array(from.hits), new Uint32Array(to.hits)];
  const indexes = before === after ? undefined : comparedTo(before, after).indexes;
  for (let index = 0; index < after.length; index++) {
    const known = indexes === undefined ? index : (indexes[index] as number);
    if (known === -1) continue;
    const [first, second] = [(firstBefore + known) * WORDS, (firstAfter + index) * WORDS];
    for (let word = 0; word < WORDS; word++) wordsAfter[second + word] = wordsBefore[first + word] as number;
  }
}

/** @param isServed Whether to list responses without hits too. */
export function addHits(
  sums: Map<string, Map<string, number>>,
  { routes, added, hits }: Publication,
  isServed: boolean,
): void {
  const words = new Uint32Array(hits);
  let slot = slotOf(routes.length + added.length, 0);
  for (const list of [routes, added]) {
    for (const { routeId, responseIds } of list) {
      for (const responseId of responseIds) {
        const count = read(words, slot++);
        if ((isServed && routeId !== '') || count > 0) addHit(sums, routeId, responseId, count);
      }
    }
  }
}

const NO_OTHERS: readonly (readonly number[])[] = [];
const NO_STATUSES: readonly number[] = [];

/** Little work for a response without hits: an owner may have half a million, and looks at all of them each second. */
export function addStatuses(sums: Map<number, number>, { routes, added, responseCount, hits }: Publication): void {
  const words = new Uint32Array(hits);
  const routeCount = routes.length + added.length;
  let place = 0;
  let otherPlace = 0;
  for (const list of [routes, added]) {
    for (const { statuses, otherStatuses = NO_OTHERS } of list) {
      for (const [index, status] of statuses.entries()) {
        const count = read(words, slotOf(routeCount, place));
        const others = otherStatuses[index] ?? NO_STATUSES;
        if (count > 0) {
          // The failure of a hit that was counted since may be counted already.
          const failed = Math.min(count, read(words, failureSlotOf(routeCount, responseCount, place)));
          let own = count - failed;
          for (const [at, other] of others.entries()) {
            const times = Math.min(own, read(words, otherSlotOf(routeCount, responseCount, otherPlace + at)));
            add(sums, other, times);
            own -= times;
          }
          if (status !== STATUS_OF_UPSTREAM) add(sums, status, own);
          add(sums, FAILED_STATUS, failed);
        }
        otherPlace += others.length;
        place++;
      }
    }
  }
}

/** Takes the count of requests that the rate limit refused. @returns It, once. */
export function addRefused(sums: Map<number, number>, { layout, state }: Publication): number {
  if (layout.rate === undefined) return 0;
  const { refused } = new MockState(layout, state);
  add(sums, layout.rate.status, refused);
  return refused;
}

/** Counts of answers of upstreams. */
interface ProxiedCounts {
  readonly count: number;
  /** Those of requests that no route answered. */
  readonly unmatched: number;
}

/** Takes the counts of what upstreams answered. @returns Them, once. */
export function addProxied(sums: Map<number, number>, { layout, state }: Publication): ProxiedCounts {
  if (layout.proxies !== true) return { count: 0, unmatched: 0 };
  const { statuses, unmatched, answeredItself } = new MockState(layout, state).proxied();
  for (const [status, count] of statuses) add(sums, status, count);
  return { count: statuses.reduce((sum, [, count]) => sum + count, answeredItself), unmatched };
}

export function add<Key>(sums: Map<Key, number>, key: Key, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count);
}

export function addHit(
  sums: Map<string, Map<string, number>>,
  routeId: string,
  responseId: string,
  count: number,
): void {
  let responses = sums.get(routeId);
  if (responses === undefined) {
    responses = new Map();
    sums.set(routeId, responses);
  }
  add(responses, responseId, count);
}
