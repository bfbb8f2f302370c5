/** Requests that took a millisecond or longer, by how long: most take less, and count nothing for this. */

/** Upper bounds in milliseconds, after the first of all, which is a millisecond; a last bucket has none. */
export const SLOW_BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

export interface SlowRequests {
  /** Counts by SLOW_BUCKETS_MS, not cumulative. */
  readonly buckets: readonly number[];
  /** Milliseconds of all of them together. */
  readonly ms: number;
}

export const NONE_SLOW: SlowRequests = { buckets: [...SLOW_BUCKETS_MS, Infinity].map(() => 0), ms: 0 };

export function bucketOf(ms: number): number {
  let bucket = 0;
  while (bucket < SLOW_BUCKETS_MS.length && ms > (SLOW_BUCKETS_MS[bucket] as number)) bucket++;
  return bucket;
}

export function sumOfSlow(all: readonly SlowRequests[]): SlowRequests {
  return all.reduce(
    (sum, { buckets, ms }) => ({
      buckets: sum.buckets.map((count, index) => count + (buckets[index] as number)),
      ms: sum.ms + ms,
    }),
    NONE_SLOW,
  );
}
