/** Rates of all mocks: the difference of two readings of exact counts, a second apart. Pure; rate-poller.ts reads. */
import type { AllRequestCounts } from '../../client/shapes.ts';

/** Per second, between two readings. */
export interface RatePoint {
  readonly total: number;
  readonly missed: number;
  /** By the first digit of the status: [1xx, 2xx, 3xx, 4xx, 5xx]. */
  readonly classes: readonly number[];
}

export interface MockRates {
  /** Oldest first; at most RATE_POINTS. */
  readonly points: readonly RatePoint[];
}

export interface Reading {
  /** Milliseconds of a clock that does not jump. */
  readonly at: number;
  readonly counts: AllRequestCounts;
}

/** How many seconds a sparkline and the chart over all show. */
export const RATE_POINTS = 60;

type Counted = AllRequestCounts['mocks'][number];

/**
 * Adds what happened between two readings.
 *
 * When the data plane began anew (another epoch) or a mock was reset, what it has counted since is taken.
 */
export function addReading(
  rates: ReadonlyMap<string, MockRates>,
  before: Reading,
  after: Reading,
): Map<string, MockRates> {
  const seconds = Math.max((after.at - before.at) / 1_000, 0.001);
  const isSame = before.counts.epoch === after.counts.epoch;
  const known = new Map(isSame ? before.counts.mocks.map((counted) => [counted.mockId, counted]) : []);
  return new Map(
    after.counts.mocks.map((now) => {
      const earlier = known.get(now.mockId);
      const point = rateBetween(
        earlier !== undefined && earlier.total <= now.total ? earlier : undefined,
        now,
        seconds,
      );
      const points = [...(rates.get(now.mockId)?.points ?? []), point].slice(-RATE_POINTS);
      return [now.mockId, { points }];
    }),
  );
}

/** The newest points of all mocks together, after those of the seconds before. A mock that is deleted takes none along. */
export function addSum(sums: readonly RatePoint[], rates: ReadonlyMap<string, MockRates>): readonly RatePoint[] {
  const classes = [0, 0, 0, 0, 0];
  let total = 0;
  let missed = 0;
  for (const { points } of rates.values()) {
    const point = points.at(-1) as RatePoint;
    total += point.total;
    missed += point.missed;
    for (const [index, rate] of point.classes.entries()) classes[index]! += rate;
  }
  return [...sums, { total, missed, classes }].slice(-RATE_POINTS);
}

function rateBetween(before: Counted | undefined, now: Counted, seconds: number): RatePoint {
  const classes = [0, 0, 0, 0, 0];
  for (const { status, count } of now.statuses) classes[classOf(status)]! += count;
  for (const { status, count } of before?.statuses ?? []) classes[classOf(status)]! -= count;
  return {
    total: (now.total - (before?.total ?? 0)) / seconds,
    missed: (now.unmatched - (before?.unmatched ?? 0)) / seconds,
    classes: classes.map((count) => Math.max(0, count) / seconds),
  };
}

const classOf = (status: number): number => Math.min(Math.max(Math.floor(status / 100) - 1, 0), 4);
