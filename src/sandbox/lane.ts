/**
 * Threads that run one task after the other, each of another owner. Owners take turns: a long queue of one owner delays another by one
 * turn only, and with two threads not at all.
 *
 * The thread ends when it has had nothing to do for a while, and when a task exceeds its processor time or memory.
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

type Turn = (runTask: RunTask) => Promise<void>;

interface Thread {
  /** Made for its first task. */
  pool?: Piscina | undefined;
  isBusy: boolean;
}

interface Program {
  readonly name: keyof typeof PROGRAMS;
  /** How many threads run it at most. */
  readonly threads: number;
}

const SANDBOX: Program = { name: 'sandbox-thread', threads: 1 };

export class Lane {
  readonly #threads: readonly Thread[];
  readonly #heapMb: number;
  readonly #use: ThreadUse;
  readonly #waitingMax: number;
  readonly #program: Program['name'];
  /** Waiting turns by owner. The owner whose turn is next comes first. */
  readonly #waiting = new Map<string, Turn[]>();
  /** Those of the owners that have one running. */
  readonly #running = new Map<string, Turn[]>();
  #isClosed = false;

  /**
   * @param heapMb     Heap limit of each thread, in MiB.
   * @param waitingMax Turns of one owner that wait.
   * @param program    What runs in the threads: the functions that are its tasks, and `start`.
   */
  constructor(
    use: ThreadUse,
    heapMb: number,
    waitingMax = SANDBOX_TASKS_PER_OWNER_MAX,
    { name, threads }: Program = SANDBOX,
  ) {
    this.#use = use;
    this.#program = name;
    this.#threads = Array.from({ length: threads }, () => ({ isBusy: false }));
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
    const running = this.#running.get(ownerId);
    const turns = running ?? this.#waiting.get(ownerId) ?? [];
    if (turns.length >= this.#waitingMax) return Promise.resolve(refuse('overloaded'));
    if (running === undefined) this.#waiting.set(ownerId, turns);
    return new Promise((resolve, reject) => {
      turns.push((runTask) => this.#begin(work, runTask).then(resolve, reject));
      this.#startNext();
    });
  }

  async #begin<Result>(
    work: (runTask: RunTask) => Promise<Result | undefined>,
    runTask: RunTask,
  ): Promise<Result | undefined | Refusal> {
    if (this.#isClosed) return refuse('draining');
    const result = await work(runTask);
    // Terminated by `close`, not by its limits.
    return result === undefined && this.#isClosed ? refuse('draining') : result;
  }

  async #runTask<Result>(thread: Thread, ...[name, task, ms]: Parameters<RunTask>): Promise<Result | undefined> {
    try {
      const pool = (thread.pool ??= newPool(this.#program, this.#heapMb));
      if (pool.threads.length === 0) {
        await pool.run(this.#use, { name: 'start', signal: AbortSignal.timeout(SANDBOX_START_MS) });
      }
      const { signal, end } = processorTime(ms);
      return await pool.run(task, { name, signal }).finally(end);
    } catch {
      return undefined;
    }
  }

  #startNext(): void {
    for (const thread of this.#threads) {
      const [next] = this.#waiting;
      if (next !== undefined && !thread.isBusy) void this.#run(thread, ...next);
    }
  }

  async #run(thread: Thread, ownerId: string, turns: Turn[]): Promise<void> {
    thread.isBusy = true;
    this.#waiting.delete(ownerId);
    this.#running.set(ownerId, turns);
    await turns.shift()?.((...task) => this.#runTask(thread, ...task));
    thread.isBusy = false;
    this.#running.delete(ownerId);
    // The owner goes behind those that came in the meantime.
    if (turns.length > 0) this.#waiting.set(ownerId, turns);
    this.#startNext();
  }

  /** Ends threads that have nothing to do: their heaps are garbage. */
  release(): void {
    for (const thread of this.#threads) {
      if (thread.isBusy) continue;
      void thread.pool?.destroy();
      thread.pool = undefined;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#threads.map(async ({ pool }) => pool?.destroy()));
  }
}

/** How often its time a task may take by the clock, of a process that others keep from the processor. */
const STARVED_TIMES_MAX = 5;

/** Aborts when this process has had the processor for a time: a thread of it has had no more. */
function processorTime(ms: number): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const before = process.cpuUsage();
  const endsAt = performance.now() + ms * STARVED_TIMES_MAX;
  const look = (): void => {
    const { user, system } = process.cpuUsage(before);
    const left = Math.min(ms - (user + system) / 1_000, endsAt - performance.now());
    if (left <= 0) controller.abort();
    else timer = setTimeout(look, Math.ceil(left));
  };
  let timer = setTimeout(look, ms);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
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
