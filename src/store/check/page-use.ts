/** Which pages of one transaction are in use: none may be used twice, and pages missing from the file must be free. */

export class PageUse {
  readonly #lastPage: number;
  readonly #used: Uint8Array;
  #freeBeyondFile = 0;

  /** @param fileCount Complete pages of the file: no page beyond them can be used. */
  constructor(fileCount: number, lastPage: number) {
    this.#lastPage = lastPage;
    this.#used = new Uint8Array(fileCount);
    // The front pages.
    this.#used.fill(1, 0, 2);
  }

  get fileCount(): number {
    return this.#used.length;
  }

  /** Marks pages as used. @returns The fault, when they cannot be. */
  use(first: number, count: number): string | undefined {
    if (first + count > this.#lastPage + 1) return 'lies beyond the last page';
    if (first + count > this.#used.length) return 'is not in the file';
    return this.#mark(first, first + count);
  }

  /** Marks pages as free. The file may end before the last of them. @returns The fault, when they cannot be. */
  free(first: number, count: number): string | undefined {
    const end = first + count;
    if (end > this.#lastPage + 1) return 'lies beyond the last page';
    const missing = end - Math.max(first, this.#used.length);
    if (missing > 0) this.#freeBeyondFile += missing;
    return this.#mark(first, Math.min(end, this.#used.length));
  }

  /** Whether the file is long enough: all pages missing from it must be free. */
  get isLongEnough(): boolean {
    return this.#used.length + this.#freeBeyondFile > this.#lastPage;
  }

  #mark(first: number, end: number): string | undefined {
    for (let page = first; page < end; page++) {
      if (this.#used[page] === 1) return 'is used twice';
      this.#used[page] = 1;
    }
    return undefined;
  }
}
