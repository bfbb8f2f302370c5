/** Rates of requests: the differences of exact counts, of one mock second by second or of all mocks together. Pure. */
import type { AllRequestCounts, RequestTotals } from '../../client/shapes.ts';

/** Per second. */
export interface RatePoint {
  readonly total: number;
  readonly missed: number;
  /** By the first digit of the status: [1xx, 2xx, 3xx, 4xx, 5xx]. */
  readonly classes: readonly number[];
}

type Counts = Pick<RequestTotals, 'total' | 'unmatched' | 'statuses'>;

/** Counts that fell were reset in between: what was counted since is taken. */
function rateBetween(before: Counts | undefined, now: Counts, seconds: number): RatePoint {
  const classes = classesOf(now);
  const earlier = before === undefined ? undefined : { ...before, classes: classesOf(before) };
  const hasFallen =
    earlier !== undefined &&
    (earlier.total > now.total ||
      earlier.unmatched > now.unmatched ||
      earlier.classes.some((count, index) => count > (classes[index] ?? 0)));
  const base = hasFallen ? undefined : earlier;
  return {
    total: (now.total - (base?.total ?? 0)) / seconds,
    missed: (now.unmatched - (base?.unmatched ?? 0)) / seconds,
    classes: classes.map((count, index) => (count - (base?.classes[index] ?? 0)) / seconds),
  };
}

function classesOf({ statuses }: Counts): number[] {
  const classes = [0, 0, 0, 0, 0];
  for (const { status, count } of statuses) classes[Math.min(Math.max(Math.floor(status / 100) - 1, 0), 4)]! += count;
  return classes;
}

/** How many seconds are kept of all mocks, for a sparkline and the chart over all. */
export const RATE_POINTS = 60;

export interface Reading {
  /** Milliseconds of a clock that does not jump. */
  readonly at: number;
  readonly counts: AllRequestCounts;
}

/** By the mock's id; oldest first, at most RATE_POINTS. */
export type MockRates = ReadonlyMap<string, readonly RatePoint[]>;

/** Adds what happened between two readings. After a restart of the data plane (another epoch), what it has counted since. */
export function addReading(rates: MockRates, before: Reading, after: Reading): MockRates {
  const seconds = Math.max((after.at - before.at) / 1_000, 0.001);
  const isSame = before.counts.epoch === after.counts.epoch;
  const known = new Map(isSame ? before.counts.mocks.map((counted) => [counted.mockId, counted]) : []);
  return new Map(
    after.counts.mocks.map((now) => {
      const point = rateBetween(known.get(now.mockId), now, seconds);
      return [now.mockId, [...(rates.get(now.mockId) ?? []), point].slice(-RATE_POINTS)];
    }),
  );
}

/** The newest points of all mocks together, after those of the seconds before, which keep what a deleted mock had. */
export function addSum(sums: readonly RatePoint[], rates: MockRates): readonly RatePoint[] {
  const newest = [...rates.values()].map((points) => points.at(-1) as RatePoint);
  const sumOf = (of: (point: RatePoint) => number): number => newest.reduce((sum, point) => sum + of(point), 0);
  const classes = [0, 1, 2, 3, 4].map((index) => sumOf((point) => point.classes[index] ?? 0));
  const sum = { total: sumOf(({ total }) => total), missed: sumOf(({ missed }) => missed), classes };
  return [...sums, sum].slice(-RATE_POINTS);
}

export interface StatusRates {
  /** A second each; oldest first, at most RATE_SECONDS. */
  readonly points: readonly RatePoint[];
  readonly last: RequestTotals | undefined;
}

export const RATE_SECONDS = 600;

export const NO_RATES: StatusRates = { points: [], last: undefined };

/** Adds the counts that a stream sends each second. Seconds without any get the mean, so that the sum stays exact. */
export function addTotals({ points, last }: StatusRates, now: RequestTotals): StatusRates {
  if (last === undefined) return { points, last: now };
  const seconds = Math.min(RATE_SECONDS, Math.max(1, Math.round((now.time - last.time) / 1_000)));
  const point = rateBetween(last.epoch === now.epoch ? last : undefined, now, seconds);
  return { points: [...points, ...Array.from({ length: seconds }, () => point)].slice(-RATE_SECONDS), last: now };
}

/** Requests that no route answered in the last seconds. */
export const missedIn = ({ points }: StatusRates, seconds: number): number =>
  Math.round(points.slice(-seconds).reduce((sum, { missed }) => sum + missed, 0));
