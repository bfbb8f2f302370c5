/** Percentiles and a histogram of durations. Pure. */

interface Durations {
  readonly count: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** The number of durations below each of BUCKET_ENDS, and of the rest. */
  readonly buckets: readonly number[];
}

/** In milliseconds, exclusive. */
export const BUCKET_ENDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000];

export function durationsOf(given: readonly number[]): Durations | undefined {
  if (given.length === 0) return undefined;
  const sorted = Float64Array.from(given).toSorted();
  const buckets = Array.from({ length: BUCKET_ENDS.length + 1 }, () => 0);
  for (const duration of sorted) {
    const bucket = BUCKET_ENDS.findIndex((end) => duration < end);
    buckets[bucket === -1 ? BUCKET_ENDS.length : bucket]!++;
  }
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] as number;
  return { count: sorted.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) as number, buckets };
}

/** "1.2 s", "34 ms", "< 1 ms": recorded in whole milliseconds. */
export function durationText(ms: number): string {
  if (ms >= 10_000) return `${Math.round(ms / 1_000)} s`;
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 1 ? '< 1 ms' : `${Math.round(ms)} ms`;
}
