/**
 * Runs untrusted or heavy work off the event loop, in threads that can be terminated: bounded in time and in memory.
 *
 * Checks, dry runs of mocks, those of rules, and imports have threads each, so that a long task delays only tasks of its own
 * kind, and where there is memory for two, only those of its owner. Each thread runs one task at a time, and a task's time limit starts when it runs. These threads must not hold a
 * uWebSockets.js app: terminating such a thread aborts the process.
 */
import type { ComparisonResult } from '../drift/compare-answers.ts';
import type { Drafted } from '../drift/draft-checks.ts';
import { isRefusal, refuse, type Refusal } from '../errors.ts';
import type { ReadStub } from '../interchange/stubs/one-stub.ts';
import { IMPORT_MS, REPLAY_MS, SANDBOX_TASKS_PER_OWNER_MAX, TRY_MS, type Limits } from '../limits.ts';
import type { DraftKind, Drafts } from '../model/mocks/definition/mock-payload.ts';
import type { ReplayCheck } from '../model/mocks/upstream/replay-check.ts';
import type { CheckedPatterns } from '../model/pairs/source-pattern.ts';
import type { RuleAbilities } from '../model/rule-abilities.ts';
import type { Explanation } from '../serving/matching/explain/explain.ts';
import type { ConditionDifference } from '../serving/matching/explain/explain-conditions.ts';
import { Imports } from './imports.ts';
import { Lane } from './lane.ts';
import { refusalOfFields } from './refusal-fields.ts';
import { RuleEvaluator } from './rule-evaluator.ts';
import type { CompareDrift, DraftDrift } from './run-drift-task.ts';
import type {
  DraftTask,
  DryRun,
  MissedRequests,
  ParsedDraft,
  RecordedRequests,
  ReplayTask,
  StubsTask,
} from './sandbox-worker.ts';

/** Compiled rules that the thread keeps, as a share of its heap. Their size is estimated high: in fact they take half. */
const RULE_TABLES_HEAP_SHARE = 0.75;

/**
 * Imports of one owner that wait; then 503. Each may take its time, and holds its files while it waits.
 */
export const IMPORTS_PER_OWNER_MAX = 4;

/**
 * Time to check the definition of a mock; beyond it 400. 10 MB of routes take 0.1 s, the most patterns
 * that a mock may have 0.3 s.
 */
const DRAFT_MS = 5_000;

/** Time to check a rule's patterns; beyond it 400. Usual patterns take well under a millisecond. */
const SANDBOX_MS = 1_000;

export class SandboxPool {
  readonly #checks: Lane;
  readonly #dryRuns: Lane;
  readonly #evaluations: Lane;
  readonly #imports: Lane;
  readonly rules: RuleEvaluator;
  readonly imports: Imports;

  /**
   * @param heapMb Heap limit of each thread, in MiB. @param importHeapMb Of each for imports. @param threads Of each kind of task.
   * @param abilities What imported rules may do on this server.
   */
  constructor(
    { heapMb, importHeapMb, threads }: { heapMb: number; importHeapMb: number; threads: number },
    limits: Limits,
    abilities: RuleAbilities,
  ) {
    const program = { name: 'sandbox-thread', threads } as const;
    this.#checks = new Lane('checks', heapMb, SANDBOX_TASKS_PER_OWNER_MAX, program);
    this.#dryRuns = new Lane('mocks', heapMb, SANDBOX_TASKS_PER_OWNER_MAX, program);
    this.#evaluations = new Lane('rules', heapMb, SANDBOX_TASKS_PER_OWNER_MAX, program);
    this.#imports = new Lane('imports', importHeapMb, IMPORTS_PER_OWNER_MAX, program);
    const tablesBytesMax = heapMb * MIB * RULE_TABLES_HEAP_SHARE;
    this.rules = new RuleEvaluator(this.#evaluations, limits, tablesBytesMax);
    this.imports = new Imports(this.#imports, limits, IMPORT_MS, abilities);
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
    return refusalOfFields(parsed.refused);
  }

  /** @returns What each stub becomes; undefined when the task exceeded its time or memory. */
  readStubs(ownerId: string, task: StubsTask): Promise<ReadStub[] | undefined | Refusal> {
    return this.#checks.run<ReadStub[]>(ownerId, 'readStubs', task, DRAFT_MS);
  }

  /** @returns The reply and the reasons for it; undefined when the task exceeded its time or memory. */
  explain(ownerId: string, dryRun: DryRun): Promise<Explanation | undefined | Refusal> {
    return this.#dryRuns.run<Explanation>(ownerId, 'explain', dryRun, TRY_MS);
  }

  /** @returns For each request the routes that are most alike; undefined as for `explain`. */
  nearestRoutes(ownerId: string, missed: MissedRequests): Promise<MissedRequests['requests'][] | undefined | Refusal> {
    return this.#dryRuns.run<MissedRequests['requests'][]>(ownerId, 'nearestRoutes', missed, TRY_MS);
  }

  /** @returns For each recorded request the conditions that do not hold; undefined as for `explain`. */
  explainRecorded(ownerId: string, recorded: RecordedRequests): Promise<ConditionDifference[][] | undefined | Refusal> {
    return this.#dryRuns.run<ConditionDifference[][]>(ownerId, 'explainRecorded', recorded, TRY_MS);
  }

  /** @returns What differs; undefined as for `explain`. In the thread of imports: it may take as long as they do. */
  checkReplay(ownerId: string, task: ReplayTask): Promise<ReplayCheck | undefined | Refusal> {
    return this.#imports.run<ReplayCheck>(ownerId, 'checkReplay', task, REPLAY_MS + REPLAY_SPARE_MS);
  }

  /** @returns Undefined as for `explain`. */
  draftDrift(ownerId: string, task: DraftDrift): Promise<Drafted | undefined | Refusal> {
    return this.#dryRuns.run<Drafted>(ownerId, 'draftDrift', task, TRY_MS);
  }

  /** @returns Undefined as for `explain`. */
  compareDrift(ownerId: string, task: CompareDrift): Promise<ComparisonResult | undefined | Refusal> {
    return this.#dryRuns.run<ComparisonResult>(ownerId, 'compareDrift', task, TRY_MS);
  }

  /** Ends threads that have nothing to do. */
  release(): void {
    for (const lane of this.#lanes()) lane.release();
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes().map((lane) => lane.close()));
  }

  #lanes(): readonly Lane[] {
    return [this.#checks, this.#dryRuns, this.#evaluations, this.#imports];
  }
}

/** The check ends on its own in time, but for its last request and what it loads first. */
const REPLAY_SPARE_MS = 5_000;
const MIB = 1_048_576;
const TOO_LONG = 'takes too long to compile';
const DRAFT_TOO_LONG = `checking it takes more than ${DRAFT_MS / 1_000} seconds: split it, or use fewer patterns`;
