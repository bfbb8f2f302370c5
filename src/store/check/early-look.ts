/**
 * A look at a store's trees that begins before the store may be opened: of a large store it takes longer than all else of a start, and
 * it only reads. So it runs while the data plane's process starts.
 *
 * What it finds counts for the state of the file that it saw: whoever has opened the store since asks with the state that there is now.
 */
import { checkStore, stateOf, type StoreReport } from './check-store.ts';

export class EarlyLook {
  readonly #path: string;
  readonly #end = new AbortController();
  readonly #report: Promise<StoreReport | undefined>;

  constructor(path: string) {
    this.#path = path;
    // A store that is not there yet, or that cannot be read: the opening of it tells.
    this.#report = checkStore(path, 'trees', this.#end.signal).catch(() => undefined);
  }

  /** @returns What is wrong with the trees, as `checkStore` finds it. */
  async trees(): Promise<readonly string[]> {
    const early = await this.#report;
    if (early !== undefined && early.state === stateOf(this.#path)) return early.trees;
    return (await checkStore(this.#path, 'trees')).trees;
  }

  /** Ends it, for a start that does not go through. */
  stop(): void {
    this.#end.abort();
  }
}
