/**
 * One run: asks the service what each response of a mock answers, and compares. What it needs of others, it is given: a sandbox that
 * drafts and compares, since definitions and bodies may be large or hostile, and what sends requests.
 */
import { isRefusal, type Refusal } from '../errors.ts';
import {
  DRIFT_CHANGES_MAX,
  DRIFT_CHANGES_PER_RESULT_MAX,
  DRIFT_MS,
  DRIFT_REQUESTS_AT_ONCE,
  DRIFT_REQUESTS_MAX,
  DRIFT_RESULTS_MAX,
} from '../limits.ts';
import type { Answer } from './answer.ts';
import type { ComparisonResult, Comparison } from './compare-answers.ts';
import { shownRequest } from './draft-request.ts';
import type { Check, CheckedRequest, Drafted } from './draft-checks.ts';
import { countResult, skipDetail, verdictOf, type DriftReport, type DriftResult, type SkipReason } from './report.ts';

export type NoAnswer = { readonly failure: string; readonly reason: string };

/** The answer of the service that a response gets in the working copy. */
export interface StagedAnswer {
  readonly routeId: string;
  readonly responseId: string;
  readonly answer: Answer;
}

export interface DriftPorts {
  /** Undefined when it takes too long. @param skipped Why: all that is left is skipped, and no request is drafted. */
  readonly draft: (from: number, count: number, skipped?: SkipReason) => Promise<Drafted | undefined | Refusal>;
  readonly compare: (
    mocks: readonly [Answer, ...Answer[]],
    upstreams: readonly [Answer, ...Answer[]],
    comparison: Comparison,
  ) => Promise<ComparisonResult | undefined | Refusal>;
  readonly send: (request: CheckedRequest) => Promise<Answer | NoAnswer>;
  /** Absent without `stage`. @returns How many are staged, or why none is. */
  readonly stage?: (answers: readonly StagedAnswer[]) => Promise<number | string>;
}

export interface DriftQuery extends Pick<DriftReport, 'id' | 'mockId' | 'version' | 'upstream' | 'compare'> {
  readonly ignore: readonly string[];
  readonly repeat: number;
}

type RequestCheck = Extract<Check, { readonly request: CheckedRequest }>;

/** Responses that one task goes through, which gets the whole definition. */
const DRAFTED_AT_ONCE = 200;
/** Bytes of answers that wait to be staged: no definition takes more. */
const STAGED_BYTES_MAX = 10_000_000;
const BUSY_MS = 200;
/** How a service answers a request without the credential that it wants. */
const DENIED: ReadonlySet<number> = new Set([401, 403]);
/** It says that the service could not answer, not how it does. */
const NOT_STAGED: ReadonlySet<number> = new Set([401, 403, 407, 408, 429]);

/** In the place of the means of a run that is over. */
const ENDED: DriftPorts = {
  draft: () => Promise.resolve(undefined),
  compare: () => Promise.resolve(undefined),
  send: () => Promise.resolve({ failure: 'ended', reason: 'the run is over' }),
};

export class DriftRun {
  readonly #asked: DriftQuery;
  /** Nothing of them is kept after the run: they hold the definition, and credentials of the service. */
  #means: DriftPorts;
  readonly #results: { readonly index: number; readonly result: DriftResult }[] = [];
  readonly #underWay = new Map<number, Check>();
  #toStage: StagedAnswer[] = [];
  readonly #waiting: Check[] = [];
  #stagedBytes = 0;
  #isTooMuchToStage = false;
  /** Index of the next response that is drafted; undefined after the last. */
  #next: number | undefined = 0;
  #drafting: Promise<void> | undefined;
  #changesLeft = DRIFT_CHANGES_MAX;
  #skippedLeft = DRIFT_RESULTS_MAX - DRIFT_REQUESTS_MAX;
  #summary: Omit<DriftReport, 'results'>;
  /** Set once: why nothing more is sent. */
  #over: 'cancelled' | 'outOfTime' | undefined;
  #stop!: () => void;
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve;
  });
  readonly finished: Promise<void>;

  /** @param now Milliseconds since the Unix epoch. */
  constructor(asked: DriftQuery, means: DriftPorts, now: () => number) {
    this.#asked = asked;
    this.#means = means;
    const { id, mockId, version, upstream, compare } = asked;
    this.#summary = {
      id,
      mockId,
      version,
      upstream,
      compare,
      state: 'running',
      verdict: null,
      startedAt: now(),
      finishedAt: null,
      requests: 0,
      counts: { same: 0, changed: 0, breaking: 0, failed: 0, skipped: 0 },
      staged: null,
      problem: null,
    };
    this.finished = this.#run(now);
  }

  get report(): DriftReport {
    const sorted = this.#results.toSorted((one, other) => one.index - other.index);
    return { ...this.#summary, results: sorted.map(({ result }) => result) };
  }

  get isRunning(): boolean {
    return this.#summary.state === 'running';
  }

  /** Requests that are under way are not waited for. */
  cancel(reason: 'cancelled' | 'outOfTime' = 'cancelled'): void {
    this.#over ??= reason;
    this.#stop();
  }

  async #run(now: () => number): Promise<void> {
    const timer = setTimeout(() => this.cancel('outOfTime'), DRIFT_MS);
    let problem: string | null = null;
    try {
      const workers = Array.from({ length: DRIFT_REQUESTS_AT_ONCE }, () => this.#work());
      await Promise.race([Promise.all(workers), this.#stopped]);
      if (this.#over !== undefined) await this.#skipRest(this.#over);
    } catch (error) {
      problem = (error as Error).message;
      this.cancel();
    }
    clearTimeout(timer);
    const over = this.#over;
    const staged = over === 'cancelled' ? null : await this.#stage();
    this.#over ??= 'cancelled';
    this.#means = ENDED;
    this.#toStage = [];
    this.#underWay.clear();
    const { counts } = this.#summary;
    const isNothing = over === 'cancelled' && counts.same + counts.changed + counts.failed === 0 && problem === null;
    this.#summary = {
      ...this.#summary,
      state: over ?? 'finished',
      verdict: isNothing ? null : verdictOf(counts),
      finishedAt: now(),
      staged: typeof staged === 'number' ? staged : null,
      problem: problem ?? (typeof staged === 'string' ? staged : null),
    };
  }

  /** Takes one response after the other, until none is left. */
  async #work(): Promise<void> {
    for (;;) {
      const check = await this.#take();
      if (check === undefined) return;
      if ('skipped' in check) this.#skip(check, check.skipped, check.detail);
      else await this.#check(check);
    }
  }

  async #take(): Promise<Check | undefined> {
    while (this.#waiting.length === 0) {
      if (this.#over !== undefined || this.#next === undefined) return undefined;
      this.#drafting ??= this.#draft(this.#next).finally(() => {
        this.#drafting = undefined;
      });
      await this.#drafting;
    }
    return this.#over === undefined ? this.#waiting.shift() : undefined;
  }

  async #draft(from: number): Promise<void> {
    const isFull = this.#summary.requests + this.#asked.repeat > DRIFT_REQUESTS_MAX;
    const skipped = isFull ? 'tooMany' : undefined;
    let drafted = await this.#whenFree(() => this.#means.draft(from, DRAFTED_AT_ONCE, skipped));
    // One of them takes too long.
    drafted ??= await this.#whenFree(() => this.#means.draft(from, 1, skipped));
    drafted ??= await this.#whenFree(() => this.#means.draft(from, 1, 'mockProblem'));
    if (drafted === undefined) throw new Error('reading the mock took too long');
    this.#waiting.push(...drafted.checks);
    this.#next = drafted.next;
  }

  /** Runs a task of the sandbox; again while others fill it. */
  async #whenFree<Value>(task: () => Promise<Value | Refusal>): Promise<Value> {
    for (;;) {
      const value = await task();
      if (!isRefusal(value)) return value;
      if (value.kind !== 'overloaded' || this.#over !== undefined) throw new Error(value.message);
      await new Promise((resolve) => {
        setTimeout(resolve, BUSY_MS);
      });
    }
  }

  async #check(check: RequestCheck): Promise<void> {
    const { repeat } = this.#asked;
    if (this.#summary.requests + repeat > DRIFT_REQUESTS_MAX) return this.#skip(check, 'tooMany');
    // Counted before they are sent: others look at the count in the meantime.
    this.#summary = { ...this.#summary, requests: this.#summary.requests + repeat };
    this.#underWay.set(check.index, check);
    const answers: Answer[] = [];
    for (let sent = 0; sent < repeat && this.#over === undefined; sent++) {
      const answer = await this.#means.send(check.request);
      if ('failure' in answer) {
        this.#summary = { ...this.#summary, requests: this.#summary.requests - (repeat - sent - 1) };
        return this.#end(check, { verdict: 'failed', reason: answer.failure, detail: answer.reason });
      }
      answers.push(answer);
    }
    const [first, ...others] = answers;
    if (first === undefined) return undefined;
    return this.#compare(check, [first, ...others]);
  }

  async #compare(check: RequestCheck, answers: readonly [Answer, ...Answer[]]): Promise<void> {
    if (this.#over !== undefined) return undefined;
    const { withheld = [], answers: mocks } = check;
    const { status } = answers[0];
    // The service has not got the request that the mock answers.
    if (withheld.length > 0 && DENIED.has(status) && mocks[0].status !== status)
      return this.#skip(
        check,
        'noCredential',
        `${skipDetail('noCredential')}: give ${withheld.join(', ')} in the headers of the run`,
      );
    const { compare, ignore } = this.#asked;
    const comparison = { compare, ignore, changesMax: DRIFT_CHANGES_PER_RESULT_MAX };
    const compared = await this.#whenFree(() => this.#means.compare(check.answers, answers, comparison));
    if (compared === undefined) return this.#skip(check, 'tooLarge');
    const { changes, changeCount, breakingCount, volatile, skipped } = compared;
    if (changeCount === 0 && skipped !== undefined) return this.#skip(check, skipped);
    if (breakingCount > 0) this.#keepForStaging(check, answers[0]);
    const listed = changes.slice(0, Math.max(1, this.#changesLeft));
    this.#changesLeft -= listed.length;
    return this.#end(check, {
      verdict: changeCount === 0 ? 'same' : 'changed',
      breaking: breakingCount > 0,
      changes: [...listed],
      changeCount,
      volatile: [...volatile],
    });
  }

  #keepForStaging({ routeId, responseId }: Check, answer: Answer): void {
    if (this.#means.stage === undefined || this.#over !== undefined || answer.bodyOmitted !== undefined) return;
    if (answer.status >= 500 || NOT_STAGED.has(answer.status)) return;
    this.#stagedBytes += answer.body.length;
    if (this.#stagedBytes > STAGED_BYTES_MAX) this.#isTooMuchToStage = true;
    else this.#toStage.push({ routeId, responseId, answer });
  }

  async #stage(): Promise<number | string | null> {
    const { stage } = this.#means;
    if (stage === undefined) return null;
    if (this.#isTooMuchToStage) return 'nothing was staged: the responses of the service are too large in total';
    return this.#toStage.length === 0 ? 0 : stage(this.#toStage);
  }

  async #skipRest(reason: 'cancelled' | 'outOfTime'): Promise<void> {
    await this.#drafting?.catch(() => undefined);
    // First those whose answers are still to come: they were sent.
    for (const check of [...this.#underWay.values(), ...this.#waiting.splice(0)]) this.#skip(check, reason);
    while (this.#next !== undefined) {
      const drafted = await this.#means.draft(this.#next, DRIFT_RESULTS_MAX, reason);
      if (drafted === undefined || isRefusal(drafted)) return;
      for (const check of drafted.checks) this.#skip(check, reason);
      this.#next = drafted.next;
    }
  }

  #skip(check: Check, reason: SkipReason, detail = skipDetail(reason)): void {
    this.#end(check, { verdict: 'skipped', reason, detail });
  }

  #end(check: Check, outcome: Pick<DriftResult, 'verdict'> & Partial<DriftResult>): void {
    // What comes after the end of the run is not looked at: the report has it as skipped.
    if (!this.isRunning || (this.#over !== undefined && outcome.reason !== this.#over)) return;
    this.#underWay.delete(check.index);
    const { routeId, responseId, route, label, status } = check;
    const result: DriftResult = {
      routeId,
      responseId,
      route,
      label,
      status,
      request: 'request' in check ? shownRequest(check.request) : null,
      breaking: false,
      reason: null,
      detail: null,
      changes: [],
      changeCount: 0,
      volatile: [],
      ...outcome,
    };
    this.#summary = { ...this.#summary, counts: countResult(this.#summary.counts, result) };
    const isListed = result.verdict !== 'skipped' || this.#skippedLeft-- > 0;
    if (isListed) this.#results.push({ index: check.index, result });
  }
}
