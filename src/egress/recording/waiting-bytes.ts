/** Bounds the bytes that are held for now, such as bodies that are received to be recorded: one holder leaves space to others. */

export class WaitingBytes {
  #bytes = 0;
  readonly #byHolder = new Map<string, number>();
  readonly #bytesMax: number;
  readonly #bytesPerHolder: number;

  constructor(bytesMax: number, bytesPerHolder: number) {
    this.#bytesMax = bytesMax;
    this.#bytesPerHolder = bytesPerHolder;
  }

  /** @returns Whether they fit: they are to be released then. */
  take(holder: string, bytes: number): boolean {
    const own = (this.#byHolder.get(holder) ?? 0) + bytes;
    if (own > this.#bytesPerHolder || this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    if (own > 0) this.#byHolder.set(holder, own);
    return true;
  }

  release(holder: string, bytes: number): void {
    this.#bytes -= bytes;
    const own = (this.#byHolder.get(holder) ?? 0) - bytes;
    if (own > 0) this.#byHolder.set(holder, own);
    else this.#byHolder.delete(holder);
  }
}
