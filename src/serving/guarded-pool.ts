/**
 * Untrusted or heavy work off the event loop, in a thread that can be ended: bounded in time and in memory.
 *
 * One task at a time, so that its time counts from when it runs. No thread of this pool may hold a uWebSockets.js app: ending
 * such a thread aborts the process.
 */
import { Piscina } from 'piscina';
import { isRefusal, refuse, type Refusal } from '../errors.ts';
import { GUARDED_HEAP_MB, GUARDED_MS, GUARDED_TASKS_MAX, TRY_MS } from '../limits.ts';
import type { CheckedPatterns } from '../model/pairs/source-pattern.ts';
import type { Explained } from './explain.ts';
import type { DryRun } from './guarded-worker.ts';

export class GuardedPool {
  readonly #pool: Piscina;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor() {
    const worker = import.meta.url.replace(/guarded-pool(\.\w+)$/, 'guarded-worker$1');
    this.#pool = new Piscina({
      filename: worker,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: GUARDED_HEAP_MB },
    });
  }

  /** @returns What is wrong with each pattern; a refusal when too many tasks wait. Patterns that take too long are wrong. */
  async checkPatterns(patterns: readonly string[]): Promise<CheckedPatterns | Refusal> {
    const problems = await this.#run<(string | undefined)[]>('checkPatterns', patterns, GUARDED_MS);
    if (isRefusal(problems)) return problems;
    return new Map(patterns.map((pattern, index) => [pattern, problems === undefined ? TOO_LONG : problems[index]]));
  }

  /** @returns The answer with its reasons; undefined when it took too long or too much memory. */
  explain(dryRun: DryRun): Promise<Explained | undefined | Refusal> {
    return this.#run<Explained>('explain', dryRun, TRY_MS);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  /** @returns undefined when the task took too long or too much memory. */
  async #run<Result>(name: string, task: unknown, ms: number): Promise<Result | undefined | Refusal> {
    if (this.#count >= GUARDED_TASKS_MAX) return refuse('overloaded');
    this.#count++;
    const result = this.#last.then(() =>
      this.#pool.run(task, { name, signal: AbortSignal.timeout(ms) }).catch(() => undefined),
    ) as Promise<Result | undefined>;
    this.#last = result;
    try {
      return await result;
    } finally {
      this.#count--;
    }
  }
}

const TOO_LONG = 'takes too long to compile';
