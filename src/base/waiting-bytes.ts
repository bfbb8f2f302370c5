/** Bounds the bytes that holders have in memory, such as bodies that wait for their answers: one holder leaves space to others. */

export class WaitingBytes {
  #bytes = 0;
  readonly #byHolder = new Map<string, number>();
  readonly #bytesMax: number;
  readonly #bytesPerHolder: number;

  constructor(bytesMax: number, bytesPerHolder: number) {
    this.#bytesMax = bytesMax;
    this.#bytesPerHolder = bytesPerHolder;
  }

  /** What all holders have. */
  get bytes(): number {
    return this.#bytes;
  }

  /** @returns The bound that so many more bytes of a holder would exceed, and its value; undefined where they fit. */
  exceeded(holder: string, bytes: number): { readonly of: 'holder' | 'all'; readonly bytesMax: number } | undefined {
    const own = (this.#byHolder.get(holder) ?? 0) + bytes;
    if (own > this.#bytesPerHolder) return { of: 'holder', bytesMax: this.#bytesPerHolder };
    return this.#bytes + bytes > this.#bytesMax ? { of: 'all', bytesMax: this.#bytesMax } : undefined;
  }

  /** @returns Whether they fit: they are to be released then. */
  take(holder: string, bytes: number): boolean {
    if (this.exceeded(holder, bytes) !== undefined) return false;
    this.release(holder, -bytes);
    return true;
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
  return new WaitingBytes(bytesMax, Math.max(largestBytes, bytesMax / 2));
}
