/**
 * Bounds the bytes that holders have in memory, such as bodies that wait for their answers. A holder gets more only while as much
 * stays free as it has then: however many others have their part, the next one still finds some. One large piece may take all that is free:
 * `makeRoom` ends it for a holder that has less.
 */

/** Part of all bytes that stays free beside the largest piece. */
const SPARE_PART = 1 / 64;

export interface Exceeded {
  readonly of: 'holder' | 'all';
  readonly bytesMax: number;
}

export class WaitingBytes {
  #bytes = 0;
  readonly #byHolder = new Map<string, number>();
  /** How the pieces that wait for a client can be ended, by holder, oldest first. */
  readonly #ends = new Map<string, Set<() => void>>();
  readonly #bytesMax: number;
  readonly #bytesPerHolder: number;
  readonly #largestBytes: number;

  /** @param largestBytes A holder may have so many where less stays free. */
  constructor(bytesMax: number, bytesPerHolder: number, largestBytes = 0) {
    this.#bytesMax = bytesMax;
    this.#bytesPerHolder = bytesPerHolder;
    this.#largestBytes = largestBytes;
  }

  /** Bytes of all holders. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns The bound that so many more bytes of a holder would exceed, and its value; undefined where they fit. */
  exceeded(holder: string, bytes: number): Exceeded | undefined {
    const own = (this.#byHolder.get(holder) ?? 0) + bytes;
    if (own > this.#bytesPerHolder) return { of: 'holder', bytesMax: this.#bytesPerHolder };
    const free = this.#bytesMax - this.#bytes - bytes;
    return free >= this.#leastFree(own, free) ? undefined : { of: 'all', bytesMax: this.#bytesMax };
  }

  #leastFree(own: number, free: number): number {
    const isAlone = own + free === this.#bytesMax;
    if (isAlone) return 0;
    return own <= this.#largestBytes ? Math.min(own, this.#bytesMax * SPARE_PART) : own;
  }

  /**
   * Makes room for so many bytes of a holder: the oldest pieces of holders that have more are ended. @returns The bound that they would
   * exceed all the same; undefined where they fit.
   */
  makeRoom(holder: string, bytes: number): Exceeded | undefined {
    for (;;) {
      const exceeded = this.exceeded(holder, bytes);
      const largest =
        exceeded?.of === 'all' ? this.#largestBeyond((this.#byHolder.get(holder) ?? 0) + bytes) : undefined;
      const [end] = largest ?? [];
      if (end === undefined) return exceeded;
      largest?.delete(end);
      end();
    }
  }

  /** @returns What can be ended of the holder that has most, and more than so many bytes. */
  #largestBeyond(bytes: number): Set<() => void> | undefined {
    let found: Set<() => void> | undefined;
    let most = bytes;
    for (const [holder, ends] of this.#ends) {
      const own = this.#byHolder.get(holder) ?? 0;
      if (own <= most || ends.size === 0) continue;
      [found, most] = [ends, own];
    }
    return found;
  }

  /** @param end Ends a piece of the holder that waits for its client, and releases it. @returns Takes that back. */
  endsBy(holder: string, end: () => void): () => void {
    const ends = this.#ends.get(holder) ?? new Set();
    this.#ends.set(holder, ends.add(end));
    return () => {
      ends.delete(end);
      if (ends.size === 0 && this.#ends.get(holder) === ends) this.#ends.delete(holder);
    };
  }

  /** @returns Whether they fit: they are to be released then. */
  take(holder: string, bytes: number): boolean {
    if (this.makeRoom(holder, bytes) !== undefined) return false;
    this.add(holder, bytes);
    return true;
  }

  /** Counts what has to be kept, whether it fits or not. */
  add(holder: string, bytes: number): void {
    this.release(holder, -bytes);
  }

  release(holder: string, bytes: number): void {
    this.#bytes -= bytes;
    const own = (this.#byHolder.get(holder) ?? 0) - bytes;
    if (own > 0) this.#byHolder.set(holder, own);
    else this.#byHolder.delete(holder);
  }
}

/** The holders are owners: one has at most half, but room for one of the largest. */
export function sharedByOwners(bytesMax: number, largestBytes: number): WaitingBytes {
  return new WaitingBytes(bytesMax, Math.max(largestBytes, bytesMax / 2), largestBytes);
}
