/**
 * A token bucket per API key: a burst of one second's requests, refilled evenly. Off unless configured.
 *
 * With a whole number of tokens per second there is one after a second at the latest: `Retry-After` (errors.ts).
 */

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** After so long without a request a bucket is full again, and need not be kept. */
const FULL_AFTER_MS = 1_000;

export class RateLimit {
  readonly #perSecond: number;
  /** Buckets of keys used since the last rotation, and in the period before: old keys must not fill the memory. */
  #recent = new Map<string, Bucket>();
  #former = new Map<string, Bucket>();
  #rotatedAt = performance.now();

  /** @param perSecond Requests per second that each key may make; 0 for any number. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Buckets in memory: of the keys used within about two seconds. */
  get count(): number {
    return this.#recent.size + this.#former.size;
  }

  /** Takes a token. @param perSecond In place of the usual rate. @returns false when there is none. */
  admits(keyId: string, perSecond = this.#perSecond): boolean {
    if (perSecond === 0) return true;
    const now = performance.now();
    const bucket = this.#bucket(keyId, now, perSecond);
    bucket.tokens = Math.min(perSecond, bucket.tokens + ((now - bucket.refilledAt) * perSecond) / 1000);
    bucket.refilledAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #bucket(keyId: string, now: number, perSecond: number): Bucket {
    if (now - this.#rotatedAt >= FULL_AFTER_MS) {
      // The former ones have not been used for as long as it takes to refill them.
      this.#former = this.#recent;
      this.#recent = new Map();
      this.#rotatedAt = now;
    }
    const known = this.#recent.get(keyId);
    if (known !== undefined) return known;
    const bucket = this.#former.get(keyId) ?? { tokens: perSecond, refilledAt: now };
    this.#former.delete(keyId);
    this.#recent.set(keyId, bucket);
    return bucket;
  }
}
