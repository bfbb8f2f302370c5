/**
 * Group commit: commits that arrive while one batch is being made durable form the next one, with one transaction and
 * one fsync.
 *
 * With one batch in flight, batches grow with the load: with 1 writer a commit never waits, with 512 writers 187,000
 * commits a second were made durable against 153,000 with a transaction each. A batch that does not return within
 * COMMIT_HANG_MS counts as failed, since lmdb-js does not always reject after an I/O error. After the first failure
 * nothing more is written: disk and memory may differ, and only a restart can show it.
 */
import { COMMIT_HANG_MS } from '../limits.ts';
import { CommitHangError, CommitSkippedError, type StoreFigures } from './store.ts';

/** Ticks of the watchdog within the time that it allows. */
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

  /** Whether a thread may be writing; also true after its batch was given up as hung. */
  get isWriting(): boolean {
    return this.#isWriting;
  }

  /**
   * Resolves when the item is durable; all items of a batch share one promise. Rejects with CommitSkippedError when
   * nothing of it was written, with another error when that is unknown.
   */
  submit(item: Item): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(new CommitSkippedError(this.#failure));
    if (this.#waiting === undefined) {
      this.#waiting = new Batch();
      // Commits submitted later in this turn of the event loop join the batch.
      if (this.#inFlight === undefined) setImmediate(() => this.#start());
    }
    this.#waiting.items.push(item);
    return this.#waiting.durable;
  }

  /** Waits until everything submitted before the call is durable or rejected. */
  async settled(): Promise<void> {
    await (this.#waiting ?? this.#inFlight)?.durable.catch(() => undefined);
  }

  /** Ends all writing. Also called for an engine error that occurred elsewhere. */
  fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#inFlight?.reject(error);
    this.#waiting?.reject(new CommitSkippedError(error));
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
      this.fail(new CommitHangError(`a commit took longer than ${this.#hangMs} ms; the disk may hang`)),
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
 * Calls `onHang` after a time in which the event loop actually ran: after a stopped process or a paused machine
 * continues, timers are due before the commit's completion is processed.
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
    // Every submitter gets the rejection; a batch without a waiting submitter must not end the process.
    this.durable.catch(() => undefined);
  }
}
