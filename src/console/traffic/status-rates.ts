/** Rates by class of status, second by second: the differences of the exact counts that a stream sends. Pure. */
import type { RequestTotals } from '../../client/shapes.ts';

export interface StatusRates {
  /** Per second, [1xx, 2xx, 3xx, 4xx, 5xx]; oldest first, at most RATE_SECONDS. */
  readonly points: readonly (readonly number[])[];
  /** Per second; oldest first, as many as `points`. */
  readonly missed: readonly number[];
  readonly last: RequestTotals | undefined;
}

export const RATE_SECONDS = 600;

export const NO_RATES: StatusRates = { points: [], missed: [], last: undefined };

/**
 * Adds a reading of the counts.
 *
 * Looks are a second apart. Seconds in which nobody looked get the mean, so that the sum stays exact and the axis true.
 */
export function addTotals(rates: StatusRates, now: RequestTotals): StatusRates {
  const { last } = rates;
  if (last === undefined) return { ...rates, last: now };
  const before = last.epoch === now.epoch && last.total <= now.total ? last : undefined;
  const seconds = Math.min(RATE_SECONDS, Math.max(1, Math.round((now.time - last.time) / 1_000)));
  const classes = [0, 0, 0, 0, 0];
  for (const { status, count } of now.statuses) classes[classOf(status)]! += count;
  for (const { status, count } of before?.statuses ?? []) classes[classOf(status)]! -= count;
  const missed = now.unmatched - (before?.unmatched ?? 0);
  const repeat = <Value>(value: Value): Value[] => Array.from({ length: seconds }, () => value);
  return {
    points: [...rates.points, ...repeat(classes.map((count) => count / seconds))].slice(-RATE_SECONDS),
    missed: [...rates.missed, ...repeat(missed / seconds)].slice(-RATE_SECONDS),
    last: now,
  };
}

/** Requests that no route answered in the last seconds. */
export const missedIn = ({ missed }: StatusRates, seconds: number): number =>
  Math.round(missed.slice(-seconds).reduce((sum, rate) => sum + rate, 0));

const classOf = (status: number): number => Math.min(Math.max(Math.floor(status / 100) - 1, 0), 4);
