/**
 * Runs untrusted or heavy work off the event loop, in threads that can be terminated: bounded in time and in memory.
 *
 * Checks and dry runs have a thread each, so that a long task delays only tasks of its own kind. Each thread runs one
 * task at a time, and a task's time limit starts when it runs. These threads must not hold a uWebSockets.js app:
 * terminating such a thread aborts the process.
 */
import { Piscina } from 'piscina';
import { isRefusal, refuse, Refusal } from '../errors.ts';
import { DRAFT_MS, SANDBOX_MS, SANDBOX_TASKS_PER_OWNER_MAX, TRY_MS } from '../limits.ts';
import type { DraftKind, Drafts } from '../model/mocks/mock-payload.ts';
import type { CheckedPatterns } from '../model/pairs/source-pattern.ts';
import type { Explained } from '../serving/matching/explain.ts';
import type { DraftTask, DryRun, ParsedDraft } from './sandbox-worker.ts';

export class SandboxPool {
  readonly #checks: Lane;
  readonly #dryRuns: Lane;

  /** @param heapMb Heap limit of each thread, in MiB. */
  constructor(heapMb: number) {
    this.#checks = new Lane(heapMb);
    this.#dryRuns = new Lane(heapMb);
  }

  /**
   * @returns The problem of each pattern, undefined for none; a refusal when too many of the owner's tasks wait.
   * Patterns that take too long have a problem.
   */
  async checkPatterns(ownerId: string, patterns: readonly string[]): Promise<CheckedPatterns | Refusal> {
    const problems = await this.#checks.run<(string | undefined)[]>(ownerId, 'checkPatterns', patterns, SANDBOX_MS);
    if (isRefusal(problems)) return problems;
    return new Map(patterns.map((pattern, index) => [pattern, problems === undefined ? TOO_LONG : problems[index]]));
  }

  /** @returns The draft, or why it is refused. */
  async parseDraft<Kind extends DraftKind>(ownerId: string, task: DraftTask<Kind>): Promise<Drafts[Kind] | Refusal> {
    const parsed = await this.#checks.run<ParsedDraft<Kind>>(ownerId, 'parseDraft', task, DRAFT_MS);
    if (isRefusal(parsed)) return parsed;
    if (parsed === undefined) return refuse('mockPayloadInvalid', [{ path: '', message: DRAFT_TOO_LONG }]);
    if ('draft' in parsed) return parsed.draft;
    const { kind, details, reason } = parsed.refused;
    return new Refusal(kind, details, reason);
  }

  /** @returns The reply and the reasons for it; undefined when the task exceeded its time or memory. */
  explain(ownerId: string, dryRun: DryRun): Promise<Explained | undefined | Refusal> {
    return this.#dryRuns.run<Explained>(ownerId, 'explain', dryRun, TRY_MS);
  }

  async close(): Promise<void> {
    await Promise.all([this.#checks.close(), this.#dryRuns.close()]);
  }
}

/**
 * A thread that runs one task after the other. Owners take turns: a long queue of one owner delays another by one task
 * only.
 */
class Lane {
  readonly #pool: Piscina;
  /** Waiting tasks by owner. The owner whose task is next comes first, and stays first while the task runs. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isBusy = false;
  #isClosed = false;

  constructor(heapMb: number) {
    this.#pool = new Piscina({
      filename: import.meta.url.replace(/sandbox-pool(\.\w+)$/, 'sandbox-worker$1'),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: 10_000,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
  }

  /**
   * @returns undefined when the task exceeded its time or memory; a refusal when too many tasks wait, or the pool is
   * closed.
   */
  run<Result>(ownerId: string, name: string, task: unknown, ms: number): Promise<Result | undefined | Refusal> {
    const tasks = this.#waiting.get(ownerId) ?? [];
    if (tasks.length >= SANDBOX_TASKS_PER_OWNER_MAX) return Promise.resolve(refuse('overloaded'));
    this.#waiting.set(ownerId, tasks);
    return new Promise((resolve) => {
      tasks.push(async () => {
        if (this.#isClosed) return resolve(refuse('draining'));
        const run = this.#pool.run(task, { name, signal: AbortSignal.timeout(ms) }) as Promise<Result>;
        const result = await run.catch(() => undefined);
        // Terminated by `close`, not by its limits.
        resolve(result === undefined && this.#isClosed ? refuse('draining') : result);
      });
      void this.#work();
    });
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    for (let first = this.#first(); first !== undefined; first = this.#first()) {
      const [ownerId, tasks] = first;
      await tasks.shift()?.();
      // The owner goes behind those that came in the meantime.
      this.#waiting.delete(ownerId);
      if (tasks.length > 0) this.#waiting.set(ownerId, tasks);
    }
    this.#isBusy = false;
  }

  #first(): [string, (() => Promise<void>)[]] | undefined {
    for (const each of this.#waiting) return each;
    return undefined;
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.destroy();
  }
}

const TOO_LONG = 'takes too long to compile';
const DRAFT_TOO_LONG = `takes more than ${DRAFT_MS / 1_000} seconds to check: split it, or use fewer patterns`;
