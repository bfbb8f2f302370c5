/** A token bucket per API key: a burst of one second's requests, refilled evenly. Off unless configured. */

interface Bucket {
  tokens: number;
  refilledAt: number;
}

export class RateLimit {
  readonly #perSecond: number;
  readonly #buckets = new Map<string, Bucket>();

  /** @param perSecond Requests a second that each key may make; 0 for any number. */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Takes a token. @returns false when there is none. */
  admits(keyId: string): boolean {
    if (this.#perSecond === 0) return true;
    const now = performance.now();
    let bucket = this.#buckets.get(keyId);
    if (bucket === undefined) {
      // Only keys that were found right get here, so there are no more buckets than keys.
      bucket = { tokens: this.#perSecond, refilledAt: now };
      this.#buckets.set(keyId, bucket);
    }
    bucket.tokens = Math.min(this.#perSecond, bucket.tokens + ((now - bucket.refilledAt) * this.#perSecond) / 1000);
    bucket.refilledAt = now;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }
}
