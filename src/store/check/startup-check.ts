/**
 * A check of a store's trees that begins before the store may be opened. For a large store it takes longer than the
 * rest of a start, and it only reads, so it runs while the data plane's process starts.
 *
 * Its result holds for the state of the file that it read. When the file has changed since, `trees` checks it again.
 */
import { checkStore, stateOf, type StoreReport } from './check-store.ts';

export class StartupCheck {
  readonly #path: string;
  readonly #abort = new AbortController();
  readonly #report: Promise<StoreReport | undefined>;

  constructor(path: string) {
    this.#path = path;
    // When the store does not exist yet or cannot be read, opening it reports that.
    this.#report = checkStore(path, 'trees', this.#abort.signal).catch(() => undefined);
  }

  /** @returns Damage of the trees, as `checkStore` reports it. */
  async trees(): Promise<readonly string[]> {
    const early = await this.#report;
    if (early !== undefined && early.state === stateOf(this.#path)) return early.trees;
    return (await checkStore(this.#path, 'trees')).trees;
  }

  /** Aborts the check, for a start that fails. */
  stop(): void {
    this.#abort.abort();
  }
}
