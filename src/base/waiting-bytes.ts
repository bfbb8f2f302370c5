/**
 * Bounds the bytes that holders have in memory, such as bodies that wait for their answers. A holder gets more only while as much
 * stays free as it has then: however many others have their part, the next one still finds some.
 */

/** What stays free beside the largest piece, as a part of all. */
const SPARE_PART = 1 / 64;

export class WaitingBytes {
  #bytes = 0;
  readonly #byHolder = new Map<string, number>();
  readonly #bytesMax: number;
  readonly #bytesPerHolder: number;
  readonly #largestBytes: number;

  /** @param largestBytes A holder may have so many where less stays free. */
  constructor(bytesMax: number, bytesPerHolder: number, largestBytes = 0) {
    this.#bytesMax = bytesMax;
    this.#bytesPerHolder = bytesPerHolder;
    this.#largestBytes = largestBytes;
  }

  /** What all holders have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns The bound that so many more bytes of a holder would exceed, and its value; undefined where they fit. */
  exceeded(holder: string, bytes: number): { readonly of: 'holder' | 'all'; readonly bytesMax: number } | undefined {
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

  /** @returns Whether they fit: they are to be released then. */
  take(holder: string, bytes: number): boolean {
    if (this.exceeded(holder, bytes) !== undefined) return false;
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
