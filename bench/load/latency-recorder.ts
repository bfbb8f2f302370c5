/**
 * Latencies by the microsecond, one counter for each up to a second: exact quantiles of any number of them, in 4 MB and without
 * a choice of buckets.
 */

const MICROSECONDS_MAX = 1_000_000;

export class LatencyRecorder {
  readonly #counts = new Uint32Array(MICROSECONDS_MAX + 1);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** What took longer than a second counts as a second. */
  record(milliseconds: number): void {
    const microseconds = Math.min(MICROSECONDS_MAX, Math.max(0, Math.round(milliseconds * 1e3)));
    this.#counts[microseconds] = (this.#counts[microseconds] as number) + 1;
    this.#count++;
  }

  /** @returns The least number of microseconds that this share of all did not exceed. */
  quantile(share: number): number {
    const wanted = Math.max(1, Math.ceil(this.#count * share));
    let seen = 0;
    for (let microseconds = 0; microseconds <= MICROSECONDS_MAX; microseconds++) {
      seen += this.#counts[microseconds] as number;
      if (seen >= wanted) return microseconds;
    }
    return 0;
  }
}
