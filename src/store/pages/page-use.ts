/** The pages of one transaction, each with whether something uses it: none may be used twice, and what the file lacks must be free. */

export class PageUse {
  readonly #lastPage: number;
  readonly #used: Uint8Array;
  #freeBehindFile = 0;

  /** @param fileCount Whole pages of the file: no page beyond can be used. */
  constructor(fileCount: number, lastPage: number) {
    this.#lastPage = lastPage;
    this.#used = new Uint8Array(fileCount);
    // The front pages.
    this.#used.fill(1, 0, 2);
  }

  get fileCount(): number {
    return this.#used.length;
  }

  /** Notes that something uses pages. @returns Why they cannot be what they are taken for. */
  use(first: number, count: number): string | undefined {
    if (first + count > this.#lastPage + 1) return 'lies behind the last page';
    if (first + count > this.#used.length) return 'is not in the file';
    return this.#mark(first, first + count);
  }

  /** Notes pages that are free. The file may end before the last of them. @returns Why they cannot be. */
  free(first: number, count: number): string | undefined {
    const end = first + count;
    if (end > this.#lastPage + 1) return 'lies behind the last page';
    const missing = end - Math.max(first, this.#used.length);
    if (missing > 0) this.#freeBehindFile += missing;
    return this.#mark(first, Math.min(end, this.#used.length));
  }

  /** @returns Whether the file is long enough: what it lacks must be free. */
  get isLongEnough(): boolean {
    return this.#used.length + this.#freeBehindFile > this.#lastPage;
  }

  #mark(first: number, end: number): string | undefined {
    for (let page = first; page < end; page++) {
      if (this.#used[page] === 1) return 'is used twice';
      this.#used[page] = 1;
    }
    return undefined;
  }
}
