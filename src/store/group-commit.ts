/**
 * Group commit: what waits while one batch is being made durable goes into the next, with one transaction and one fsync.
 *
 * With one batch in flight, a batch grows as the load does: at 1 writer a commit waits for nobody, at 512 writers 187,000
 * commits a second were made durable here against 153,000 with a transaction each. A batch that does not return in
 * COMMIT_HANG_MS is taken for failed, since lmdb-js does not always reject after an I/O error. After the first failure
 * nothing more is written: the disk and the memory may differ, and only a new start tells.
 */
import { COMMIT_HANG_MS } from '../limits.ts';
import { CommitHangError, NotTriedError, type StoreFigures } from './store.ts';

/** The watchdog looks this often within the time it allows. */
const WATCHDOG_TICKS = 20;

export class GroupCommit<Item> {
  readonly figures: StoreFigures = { batches: 0, commits: 0, commitSeconds: 0, damagedOwners: 0 };
  readonly failed: Promise<Error>;
  readonly #write: (items: readonly Item[]) => Promise<void>;
  readonly #hangMs: number;
  #reportFailure!: (error: Error) => void;
  #failure: Error | undefined;
  #waiting: Batch<Item> | undefined;
  #inFlight: Batch<Item> | undefined;
  #isWriting = false;

  /** @param write Writes all items in one transaction; resolves when they are durable. */
  constructor(write: (items: readonly Item[]) => Promise<void>, hangMs = COMMIT_HANG_MS) {
    this.#write = write;
    this.#hangMs = hangMs;
    this.failed = new Promise((resolve) => {
      this.#reportFailure = resolve;
    });
  }

  /** Whether a thread is about to write: also after what it writes was given up as hung. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /**
   * Resolves when the item is durable; all items of a batch share one promise. Rejects with NotTriedError when nothing of it
   * was written, with another error when that is unknown.
   */
  submit(item: Item): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(new NotTriedError(this.#failure));
    if (this.#waiting === undefined) {
      this.#waiting = new Batch();
      // Everything that this turn of the event loop still brings joins the batch.
      if (this.#inFlight === undefined) setImmediate(() => this.#start());
    }
    this.#waiting.items.push(item);
    return this.#waiting.durable;
  }

  /** Waits until all that was submitted before the call is durable or refused. */
  async settled(): Promise<void> {
    await (this.#waiting ?? this.#inFlight)?.durable.catch(() => undefined);
  }

  /** Ends all writing: for an error of the engine that was met elsewhere, too. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#inFlight?.reject(error);
    this.#waiting?.reject(new NotTriedError(error));
    this.#inFlight = undefined;
    this.#waiting = undefined;
    this.#reportFailure(error);
  }

  #start(): void {
    const batch = this.#waiting;
    if (batch === undefined || this.#inFlight !== undefined) return;
    this.#waiting = undefined;
    this.#inFlight = batch;
    this.#isWriting = true;
    const started = performance.now();
    const watchdog = watch(this.#hangMs, () =>
      this.fail(new CommitHangError(`a commit took longer than ${this.#hangMs} ms`)),
    );
    this.#write(batch.items).then(
      () => {
        clearInterval(watchdog);
        this.#isWriting = false;
        if (this.#failure !== undefined) return;
        this.figures.batches++;
        this.figures.commits += batch.items.length;
        this.figures.commitSeconds += (performance.now() - started) / 1000;
        this.#inFlight = undefined;
        batch.resolve();
        if (this.#waiting !== undefined) this.#start();
      },
      (error: unknown) => {
        clearInterval(watchdog);
        this.#isWriting = false;
        this.fail(error instanceof Error ? error : new Error(String(error)));
      },
    );
  }
}

/**
 * Calls `onHang` after a time in which the event loop really ran: a process that was stopped, or a paused machine, finds
 * its timers due before the commit's own completion is seen.
 */
function watch(hangMs: number, onHang: () => void): NodeJS.Timeout {
  let ticks = 0;
  return setInterval(() => {
    ticks++;
    if (ticks >= WATCHDOG_TICKS) onHang();
  }, hangMs / WATCHDOG_TICKS);
}

class Batch<Item> {
  readonly items: Item[] = [];
  readonly durable: Promise<void>;
  resolve!: () => void;
  reject!: (error: Error) => void;

  constructor() {
    this.durable = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    // Whoever submitted hears of a failure; a batch that nobody waits for must not end the process.
    this.durable.catch(() => undefined);
  }
}
