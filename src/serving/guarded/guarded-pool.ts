/**
 * Untrusted or heavy work off the event loop, in threads that can be ended: bounded in time and in memory.
 *
 * Checks and dry runs have a thread each, so that a long one of a kind holds up its own alone. One task at a time in each: its
 * time counts from when it runs. No thread of these may hold a uWebSockets.js app: ending such a thread aborts the process.
 */
import { Piscina } from 'piscina';
import { isRefusal, refuse, Refusal } from '../../errors.ts';
import { DRAFT_MS, GUARDED_HEAP_MB, GUARDED_MS, GUARDED_TASKS_PER_OWNER_MAX, TRY_MS } from '../../limits.ts';
import type { DraftKind, Drafts } from '../../model/mocks/mock-payload.ts';
import type { CheckedPatterns } from '../../model/pairs/source-pattern.ts';
import type { Explained } from '../matching/explain.ts';
import type { DraftTask, DryRun, ParsedDraft } from './guarded-worker.ts';

export class GuardedPool {
  readonly #checks = new Lane();
  readonly #dryRuns = new Lane();

  /** @returns What is wrong with each pattern; a refusal when too many of the owner's tasks wait. Patterns that take too long are wrong. */
  async checkPatterns(ownerId: string, patterns: readonly string[]): Promise<CheckedPatterns | Refusal> {
    const problems = await this.#checks.run<(string | undefined)[]>(ownerId, 'checkPatterns', patterns, GUARDED_MS);
    if (isRefusal(problems)) return problems;
    return new Map(patterns.map((pattern, index) => [pattern, problems === undefined ? TOO_LONG : problems[index]]));
  }

  /** @param task Its bytes are handed over. @returns The draft, or the refusal of it. */
  async parseDraft<Kind extends DraftKind>(ownerId: string, task: DraftTask<Kind>): Promise<Drafts[Kind] | Refusal> {
    const parsed = await this.#checks.run<ParsedDraft<Kind>>(ownerId, 'parseDraft', task, DRAFT_MS);
    if (isRefusal(parsed)) return parsed;
    if (parsed === undefined) return refuse('mockPayloadInvalid', [{ path: '', message: DRAFT_TOO_LONG }]);
    if ('draft' in parsed) return parsed.draft;
    const { kind, details, reason } = parsed.refused;
    return new Refusal(kind, details, reason);
  }

  /** @returns The answer with its reasons; undefined when it took too long or too much memory. */
  explain(ownerId: string, dryRun: DryRun): Promise<Explained | undefined | Refusal> {
    return this.#dryRuns.run<Explained>(ownerId, 'explain', dryRun, TRY_MS);
  }

  async close(): Promise<void> {
    await Promise.all([this.#checks.close(), this.#dryRuns.close()]);
  }
}

/** A thread that takes one task after the other, owner by owner: a long queue of one costs another the wait for one task of it. */
class Lane {
  readonly #pool = new Piscina({
    filename: import.meta.url.replace(/guarded-pool(\.\w+)$/, 'guarded-worker$1'),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 10_000,
    resourceLimits: { maxOldGenerationSizeMb: GUARDED_HEAP_MB },
  });
  /** Whose turn it is comes first, and stays there while the task runs. */
  readonly #waiting = new Map<string, (() => Promise<void>)[]>();
  #isBusy = false;
  #isClosed = false;

  /** @returns undefined when the task took too long or too much memory. */
  run<Result>(ownerId: string, name: string, task: unknown, ms: number): Promise<Result | undefined | Refusal> {
    const tasks = this.#waiting.get(ownerId) ?? [];
    if (tasks.length >= GUARDED_TASKS_PER_OWNER_MAX) return Promise.resolve(refuse('overloaded'));
    this.#waiting.set(ownerId, tasks);
    return new Promise((resolve) => {
      tasks.push(async () => {
        if (this.#isClosed) return resolve(refuse('draining'));
        const run = this.#pool.run(task, { name, signal: AbortSignal.timeout(ms) }) as Promise<Result>;
        const result = await run.catch(() => undefined);
        // Ended by the close, not by its bounds.
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
      // Behind those who came meanwhile.
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
