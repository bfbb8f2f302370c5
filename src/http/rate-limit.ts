/**
 * A token bucket per API key: a burst of one second's requests, refilled evenly. Off unless configured.
 *
 * With a whole number of tokens a second there is one after a second at the latest: what `Retry-After` says (errors.ts).
 */

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** After so long without a request a bucket is full again, and need not be remembered. */
const FULL_AFTER_MS = 1_000;

export class RateLimit {
  readonly #perSecond: number;
  /** Buckets of keys that were used since the last turn-over, and of those that were before it: keys come and go for years. */
  #recent = new Map<string, Bucket>();
  #former = new Map<string, Bucket>();
  #turnedOverAt = performance.now();

  /** @param perSecond Requests a second that each key may make; 0 for any number. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Buckets in memory: of no more keys than were used within two seconds or so. */
  get count(): number {
    return this.#recent.size + this.#former.size;
  }

  /** Takes a token. @returns false when there is none. */
  admits(keyId: string): boolean {
    if (this.#perSecond === 0) return true;
    const now = performance.now();
    const bucket = this.#bucket(keyId, now);
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.refilledAt) * this.#perSecond) / 1000);
    bucket.refilledAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  #bucket(keyId: string, now: number): Bucket {
    if (now - this.#turnedOverAt >= FULL_AFTER_MS) {
      // The former ones have not been used for as long as it takes to fill them.
      this.#former = this.#recent;
      this.#recent = new Map();
      this.#turnedOverAt = now;
    }
    const known = this.#recent.get(keyId);
    if (known !== undefined) return known;
    const bucket = this.#former.get(keyId) ?? { tokens: this.#perSecond, refilledAt: now };
    this.#former.delete(keyId);
    this.#recent.set(keyId, bucket);
    return bucket;
  }
}
