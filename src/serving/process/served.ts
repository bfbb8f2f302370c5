/** A mock as the main thread of the data plane's process knows it, and what is read of it. */
import type { SessionDefinition } from '../../model/mocks/sessions/session.ts';
import type { MockCounts, MockTotals, TrafficFilter } from '../../model/mocks/traffic.ts';
import type { RouteSlots } from '../matching/compile/compiled-mock.ts';
import { Tally } from '../shared/counters.ts';
import type { MockBytes, MockFigures, MockForThread, MockVersion } from '../shared/messages.ts';
import { add } from '../shared/publication.ts';
import { layRoutes, type LaidRoutes } from '../shared/route-slots.ts';
import { sumOfSlow } from '../shared/slow-requests.ts';
import { MockSessions, newGeneration } from './mock-sessions.ts';

/** Requests that no response answered, which the end of a session hands back. */
const SESSION_MISSES_MAX = 50;

export interface PublishedMock {
  readonly ownerId: string;
  readonly createdVersion: number;
  state: 'running' | 'stopped';
  version: number;
  tally: Tally;
  /** Routes in the layout of `tally`. */
  laid: LaidRoutes;
  /** Differs after each reset of its traffic and counts; 0 before the first. */
  resets: number;
  /** The number of its last request before the last reset. */
  numbersFrom: number;
  /** Another one when its stores begin anew. */
  storesOf: number;
  readonly sessions: MockSessions;
}

export const NO_TOTALS: MockTotals = { total: 0, unmatched: 0, statuses: [] };
export const NO_COUNTS = { ...NO_TOTALS, routes: [] };

/** The misses that the end of a session returns. */
export const MISSES: TrafficFilter = { matched: false, limit: SESSION_MISSES_MAX };

export function newServed(
  mock: MockBytes,
  definition: SharedArrayBuffer,
  sessions: readonly SessionDefinition[],
): PublishedMock {
  const { ownerId, createdVersion, state, version, stateLayout } = mock;
  const laid = layRoutes(mock.routes);
  const { routes } = laid;
  const tally = new Tally(routes, stateLayout);
  const live = new MockSessions({ routes, stateLayout, definition, numbers: tally.numbers }, sessions);
  const storesOf = newGeneration();
  return { ownerId, createdVersion, state, version, tally, laid, resets: 0, numbersFrom: 0, storesOf, sessions: live };
}

export function togetherOf(all: readonly MockFigures[]): MockFigures {
  const statuses = new Map<number, number>();
  for (const each of all) for (const { status, count } of each.statuses) add(statuses, status, count);
  return {
    mockId: undefined,
    total: all.reduce((sum, { total }) => sum + total, 0),
    unmatched: all.reduce((sum, { unmatched }) => sum + unmatched, 0),
    statuses: [...statuses].map(([status, count]) => ({ status, count })),
    slow: sumOfSlow(all.map(({ slow }) => slow)),
  };
}

/** The scope is a session, rather than a mock. */
export function isSession(session: string | undefined): session is string {
  return session !== undefined && session !== '';
}

/** @param live Of its sessions that are live. */
export function* countsOf(tally: Tally | undefined, live: readonly Tally[]): Generator<void, MockCounts> {
  if (tally === undefined) return NO_COUNTS;
  return live.length === 0 ? tally.counts() : yield* tally.with(live);
}

/** Without a scope, of what is outside of sessions and in all live ones. */
export function* totalsOf(served: PublishedMock | undefined, session: string | undefined): Generator<void, MockTotals> {
  if (served === undefined) return NO_TOTALS;
  if (isSession(session)) return served.sessions.get(session)?.tally.totals() ?? NO_TOTALS;
  if (session === '' || served.sessions.isEmpty) return served.tally.totals();
  return yield* served.tally.with(served.sessions.tallies());
}

/** For all threads: shared memory cannot cross from the API process, so `toBytes` cannot fill it there. */
export function sharedCopy(bytes: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}

export function toVersion(
  { mockId, ownerId, state, version, parts }: MockBytes,
  definition: SharedArrayBuffer,
  slots: RouteSlots,
): MockVersion {
  return { mockId, ownerId, state, version, definition, parts, slots };
}

export function toServe(mockId: string, { tally, storesOf, sessions }: PublishedMock): MockForThread {
  return { mockId, counters: tally.counters, storesOf, ...sessions.forThreads() };
}
