/** Rates of requests, from differences of exact counts. Pure. */
import type { AllRequestCounts, RequestTotals } from '../../client/shapes.ts';

/** Per second. */
export interface RatePoint {
  readonly total: number;
  readonly missed: number;
  /** By the first digit of the status: [1xx, 2xx, 3xx, 4xx, 5xx]. */
  readonly classes: readonly number[];
}

type Counts = Pick<RequestTotals, 'total' | 'unmatched' | 'statuses'>;

/** A lower count means a reset: counts since then are used. */
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

/** Seconds kept for the sparklines and the overall chart. */
export const RATE_POINTS = 60;

export interface Reading {
  /** Monotonic milliseconds. */
  readonly at: number;
  readonly counts: AllRequestCounts;
}

/** By the mock's id; oldest first, at most RATE_POINTS. */
export type MockRates = ReadonlyMap<string, readonly RatePoint[]>;

/** Adds the rate between two readings. A new epoch (a restarted data plane) starts from zero. */
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

/** Adds the newest points of all mocks. Earlier seconds keep the share of deleted mocks. */
export function addSum(sums: readonly RatePoint[], rates: MockRates): readonly RatePoint[] {
  const newest = [...rates.values()].map((points) => points.at(-1) as RatePoint);
  const sumOf = (of: (point: RatePoint) => number): number => newest.reduce((sum, point) => sum + of(point), 0);
  const classes = [0, 1, 2, 3, 4].map((index) => sumOf((point) => point.classes[index] ?? 0));
  const sum = { total: sumOf(({ total }) => total), missed: sumOf(({ missed }) => missed), classes };
  return [...sums, sum].slice(-RATE_POINTS);
}

export interface StatusRates {
  /** One per second, oldest first, at most RATE_SECONDS. */
  readonly points: readonly RatePoint[];
  readonly last: RequestTotals | undefined;
}

export const RATE_SECONDS = 600;

export const NO_RATES: StatusRates = { points: [], last: undefined };

/** Adds a second's counts from the stream. Missing seconds get the mean, so that the sum stays exact. */
export function addTotals({ points, last }: StatusRates, now: RequestTotals): StatusRates {
  if (last === undefined) return { points, last: now };
  const seconds = Math.min(RATE_SECONDS, Math.max(1, Math.round((now.time - last.time) / 1_000)));
  const point = rateBetween(last.epoch === now.epoch ? last : undefined, now, seconds);
  return { points: [...points, ...Array.from({ length: seconds }, () => point)].slice(-RATE_SECONDS), last: now };
}

/** Misses in the last seconds. */
export const missedIn = ({ points }: StatusRates, seconds: number): number =>
  Math.round(points.slice(-seconds).reduce((sum, { missed }) => sum + missed, 0));
