/** Rates of all mocks: the difference of two looks at exact counts, a second apart. Pure; rate-poller.ts looks. */
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

export interface Look {
  /** Milliseconds of a clock that does not jump. */
  readonly at: number;
  readonly counts: AllRequestCounts;
}

/** How many seconds a sparkline and the chart over all show. */
export const RATE_POINTS = 60;

type Counted = AllRequestCounts['mocks'][number];

/**
 * Adds what happened between two looks.
 *
 * When the data plane began anew (another epoch) or a mock was reset, what it has counted since is taken.
 */
export function addLook(rates: ReadonlyMap<string, MockRates>, before: Look, after: Look): Map<string, MockRates> {
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

/** The sum over all mocks, second by second. */
export function sumOf(rates: ReadonlyMap<string, MockRates>): readonly RatePoint[] {
  const sums: RatePoint[] = [];
  for (const { points } of rates.values()) {
    // The newest are of the same second; a mock that is new has fewer.
    for (let back = 1; back <= points.length; back++) {
      sums[back - 1] = add(sums[back - 1], points.at(-back) as RatePoint);
    }
  }
  return sums.toReversed();
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

const add = (one: RatePoint | undefined, other: RatePoint): RatePoint => ({
  total: (one?.total ?? 0) + other.total,
  missed: (one?.missed ?? 0) + other.missed,
  classes: other.classes.map((rate, index) => rate + (one?.classes[index] ?? 0)),
});
