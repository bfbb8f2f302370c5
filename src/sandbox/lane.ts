/**
 * A thread that runs one task after the other. Owners take turns: a long queue of one owner delays another by one turn
 * only.
 *
 * The thread ends when it has had nothing to do for a while, and when a task exceeds its time or memory.
 */
import { Piscina } from 'piscina';
import { programFile, type PROGRAMS } from '../base/program-files.ts';
import { refuse, type Refusal } from '../errors.ts';
import { SANDBOX_TASKS_PER_OWNER_MAX } from '../limits.ts';
import type { ThreadUse } from './sandbox-worker.ts';

/** How long a thread may take to start, which is not part of its first task: seconds on a busy machine. */
const SANDBOX_START_MS = 15_000;

/** @returns undefined when the task exceeded its time or memory. */
type RunTask = <Result>(name: string, task: unknown, ms: number) => Promise<Result | undefined>;

export class Lane {
  /** Made for the first task. */
  #pool: Piscina | undefined;
  readonly #heapMb: number;
  readonly #use: ThreadUse;
  readonly #waitingMax: number;
  readonly #program: keyof typeof PROGRAMS;
  /** Waiting turns by owner. The owner whose turn is next comes first, and stays first while it runs. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isBusy = false;
  #isClosed = false;

  /**
   * @param heapMb     Heap limit of the thread, in MiB.
   * @param waitingMax Turns of one owner that wait.
   * @param program    What runs in the thread: the functions that are its tasks, and `start`.
   */
  constructor(
    use: ThreadUse,
    heapMb: number,
    waitingMax = SANDBOX_TASKS_PER_OWNER_MAX,
    program: keyof typeof PROGRAMS = 'sandbox-thread',
  ) {
    this.#use = use;
    this.#program = program;
    this.#waitingMax = waitingMax;
    this.#heapMb = heapMb;
  }

  /**
   * @returns undefined when the task exceeded its time or memory; a refusal when too many tasks wait, or the pool is
   * closed.
   */
  run<Result>(ownerId: string, name: string, task: unknown, ms: number): Promise<Result | undefined | Refusal> {
    return this.turn(ownerId, (runTask) => runTask<Result>(name, task, ms));
  }

  /** Several tasks of one owner, between which no other runs. Results as above. */
  turn<Result>(
    ownerId: string,
    work: (runTask: RunTask) => Promise<Result | undefined>,
  ): Promise<Result | undefined | Refusal> {
    const turns = this.#waiting.get(ownerId) ?? [];
    if (turns.length >= this.#waitingMax) return Promise.resolve(refuse('overloaded'));
    this.#waiting.set(ownerId, turns);
    return new Promise((resolve, reject) => {
      turns.push(() => this.#begin(work).then(resolve, reject));
      void this.#work();
    });
  }

  async #begin<Result>(work: (runTask: RunTask) => Promise<Result | undefined>): Promise<Result | undefined | Refusal> {
    if (this.#isClosed) return refuse('draining');
    const result = await work(this.#runTask);
    // Terminated by `close`, not by its limits.
    return result === undefined && this.#isClosed ? refuse('draining') : result;
  }

  readonly #runTask: RunTask = async (name, task, ms) => {
    try {
      const pool = (this.#pool ??= newPool(this.#program, this.#heapMb));
      if (pool.threads.length === 0) {
        await pool.run(this.#use, { name: 'start', signal: AbortSignal.timeout(SANDBOX_START_MS) });
      }
      return await pool.run(task, { name, signal: AbortSignal.timeout(ms) });
    } catch {
      return undefined;
    }
  };

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      const [ownerId, turns] = first;
      await turns.shift()?.();
      // The owner goes behind those that came in the meantime.
      this.#waiting.delete(ownerId);
      if (turns.length > 0) this.#waiting.set(ownerId, turns);
    }
    this.#isBusy = false;
  }

  #first(): [string, (() => Promise<void>)[]] | undefined {
    for (const each of this.#waiting) return each;
    return undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool?.destroy();
  }
}

/** @param heapMb Heap limit of its thread, in MiB. */
function newPool(program: keyof typeof PROGRAMS, heapMb: number): Piscina {
  const pool = new Piscina({
    filename: programFile(program).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 10_000,
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  // A thread that is terminated for its time may still run out of memory, and an error without a listener would end this process.
  pool.on('error', () => undefined);
  return pool;
}
