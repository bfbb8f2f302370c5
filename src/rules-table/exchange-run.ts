/**
 * The state of one exchange during its phases: applies pairs to it, and records what they changed or why they did not.
 *
 * evaluate.ts decides which rules act in which order.
 */
import { CODE_CALLS_MAX, CODE_LINES_MAX } from '../limits.ts';
import { take, type WorkBudget } from '../languages/work-budget.ts';
import type { CompiledPair, CompiledRule, NearestMiss, PairMiss } from './compile-rule.ts';
import type { ConsoleLine, SkippedRule } from '../model/rule-reports.ts';
import type { CodeResult, RunCode } from './code-call.ts';
import type { HeaderLines } from './header-list.ts';
import { pairMiss, rank, type MatchContext } from './match-pairs.ts';
import type { Change, Miss, Phase, Step, UnreadReason } from './outcome.ts';
import { RequestFacts, type GivenRequest } from './request-facts.ts';
import type { RuleFile } from './rule-file.ts';
import type { SkippedRules } from './skipped-rules.ts';
import { groupsOf, type Groups } from './source.ts';
import type { Answer, EvaluateOptions, Stage } from './stage.ts';
import type { WireUrl } from './wire-url.ts';

/** A rule with the pairs whose source and filters match. */
export interface MatchedRule {
  readonly rule: CompiledRule;
  readonly pairs: readonly CompiledPair[];
}

/** The options of one run. */
export interface RunOptions extends EvaluateOptions {
  readonly isOwn: boolean;
  readonly skipped: SkippedRules | undefined;
  readonly runCode: RunCode | undefined;
  /** Undefined where none is read. */
  readonly files: ReadonlyMap<string, RuleFile> | undefined;
}

interface PairAndMiss {
  readonly pair: CompiledPair;
  readonly miss: Miss;
}

export class ExchangeRun implements Stage, MatchContext {
  readonly options: EvaluateOptions;
  readonly budget: WorkBudget;
  readonly facts: RequestFacts;
  /** By which rules match that act on the request which a preflight announces; undefined for other requests. */
  readonly announced: MatchContext | undefined;
  readonly isOwn: boolean;
  /** Absent when skipped rules are not reported. */
  readonly skipped: SkippedRules | undefined;
  readonly steps: Step[] = [];
  /** Rules whose code or file had no effect though it should have; collected always. */
  readonly problems: SkippedRule[] = [];
  readonly console: ConsoleLine[] = [];

  /** The URL as received: all rules except URL rules are matched against it. */
  readonly givenUrl: WireUrl;
  url: WireUrl;
  headers: HeaderLines;
  body: Buffer | undefined;
  unread: UnreadReason | undefined;
  answer: Answer | undefined;
  delayMs = 0;

  phase: Phase = 'cancel';
  ruleName = '';
  changed: Change[] = [];
  refused: Miss[] = [];
  code: CodeResult | undefined;
  file: Answer | undefined;
  /** The file without which the evaluation cannot go on. */
  wantedFile: string | undefined;
  readonly #files: ReadonlyMap<string, RuleFile> | undefined;
  readonly #runCode: RunCode | undefined;
  #calls = 0;
  #acting: CompiledPair | undefined;

  /** Rules that acted, and matching ones without effect so far; one on response headers may still act. Undefined where skipped rules are not reported. */
  readonly #reported:
    | { readonly acted: Set<CompiledRule>; readonly withoutEffect: Map<CompiledRule, PairAndMiss> }
    | undefined;

  constructor(request: GivenRequest, url: WireUrl, options: RunOptions, budget: WorkBudget) {
    const { isOwn, skipped, runCode, files } = options;
    this.options = options;
    this.budget = budget;
    this.facts = new RequestFacts(request, url, budget);
    const method = this.facts.announcedMethod;
    this.announced =
      method === undefined
        ? undefined
        : { facts: new RequestFacts({ ...request, method }, url, budget), budget, isOwn };
    this.isOwn = isOwn;
    this.skipped = skipped;
    this.givenUrl = url;
    this.url = url;
    this.headers = request.headers;
    this.body = request.body;
    this.unread = request.unread;
    this.#runCode = runCode;
    this.#files = files;
    this.#reported = skipped && { acted: new Set(), withoutEffect: new Map() };
  }

  get codeState(): 'on' | 'off' | 'exhausted' {
    if (this.#runCode === undefined) return 'off';
    return this.#calls < CODE_CALLS_MAX ? 'on' : 'exhausted';
  }

  get readsFiles(): boolean {
    return this.#files !== undefined;
  }

  /** Whether no further rule may change the URL. */
  get endsUrlPhase(): boolean {
    return this.file !== undefined || this.wantedFile !== undefined || this.isOverdrawn;
  }

  get isOverdrawn(): boolean {
    return this.budget.work < 0;
  }

  get groups(): () => Groups {
    return () => groupsOf(this.#acting?.source, this.phase === 'url' ? this.url : this.givenUrl, this.budget);
  }

  fileAt(path: string): RuleFile | undefined {
    const known = this.#files?.get(path);
    if (known === undefined) this.wantedFile = path;
    return known;
  }

  /** @returns Whether any of the pairs acted. */
  act(phase: Phase, { rule, pairs }: MatchedRule): boolean {
    let hasActed = false;
    for (const pair of pairs) {
      if (rule.kind.concerns?.(pair.shape, phase) === false) continue;
      const miss = this.#actPair(phase, rule, pair);
      if (miss === undefined) hasActed = true;
      else this.noteWithoutEffect(rule, pair, miss);
    }
    return hasActed;
  }

  /** Acts like `act`, once the rule's code has run. @returns Undefined where there is no code to run: `act` is to be called. */
  actByCode(phase: Phase, matched: MatchedRule): Promise<unknown> | undefined {
    const { rule, pairs } = matched;
    // Rules that may have code act by the first pair that matches.
    const [pair] = pairs;
    if (this.#runCode === undefined || rule.kind.codeOf === undefined || pair === undefined) return undefined;
    const source = rule.kind.codeOf(pair.shape);
    const call = source === undefined ? undefined : rule.kind.callOf?.(pair.shape, this);
    if (source === undefined || call === undefined) return undefined;
    this.#calls++;
    return this.#runCode({ ruleId: rule.id, source, ...call }).then((result) => {
      const room = CODE_LINES_MAX - this.console.length;
      this.console.push(...result.console.slice(0, room).map((line) => ({ ruleId: rule.id, ...line })));
      this.code = result;
      this.act(phase, matched);
      this.code = undefined;
    });
  }

  /** The rule answers a preflight in place of the upstream. */
  answerPreflight({ rule, pairs: [pair] }: MatchedRule): void {
    this.#reported?.acted.add(rule);
    const changed = [{ what: 'status', before: null, after: '204' }] as const;
    this.steps.push({ ruleId: rule.id, name: rule.name, phase: 'response', pairId: pair?.id ?? '', changed });
  }

  /** Matches each pair against the URL that the previous pair left. */
  actInTurn(phase: Phase, rule: CompiledRule): void {
    let nearest: NearestMiss | undefined;
    let hasApplied = false;
    const { url } = this;
    for (const pair of rule.pairs) {
      const miss = pairMiss(pair, this.url, this.announced ?? this);
      if (miss === undefined) {
        hasApplied = true;
        const reason = this.#actPair(phase, rule, pair);
        if (reason !== undefined) this.noteWithoutEffect(rule, pair, reason);
        if (this.endsUrlPhase) break;
      } else if (nearest === undefined || rank(miss) > rank(nearest.miss)) nearest = { pair, miss };
    }
    if (!hasApplied && nearest !== undefined) this.noteMiss(rule, nearest.pair, nearest.miss, url);
  }

  /** Notes that a matching rule had no effect. The first reason is kept; it is dropped if the rule acts later. */
  noteWithoutEffect(rule: CompiledRule, pair: CompiledPair, miss: Miss): void {
    const { withoutEffect } = this.#reported ?? {};
    if (withoutEffect?.has(rule) === false) withoutEffect.set(rule, { pair, miss });
  }

  noteMiss(rule: CompiledRule, pair: CompiledPair | undefined, miss: PairMiss, url: WireUrl): void {
    this.skipped?.note(rule, pair, miss, url);
  }

  /** Reports the matching rules that never acted. To be called once, after the last phase. */
  reportWithoutEffect(): void {
    if (this.#reported === undefined) return;
    const { acted, withoutEffect } = this.#reported;
    for (const [rule, { pair, miss }] of withoutEffect) {
      if (!acted.has(rule)) this.skipped?.note(rule, pair, miss, this.givenUrl);
    }
  }

  /** @returns Why it had no effect; undefined when it had one. */
  #actPair(phase: Phase, rule: CompiledRule, pair: CompiledPair): Miss | undefined {
    if (!take(this.budget, ACT_WORK)) return { reason: 'noChange' };
    this.phase = phase;
    this.ruleName = rule.name;
    this.#acting = pair;
    this.changed = [];
    this.refused = [];
    if (!rule.kind.apply(pair.shape, this)) {
      const isCode = this.#runCode !== undefined && rule.kind.codeOf?.(pair.shape) !== undefined;
      const isFile = this.readsFiles && rule.kind.readsFile?.(pair.shape) === true;
      if (this.skipped === undefined && !isCode && !isFile) return { reason: 'noChange' };
      const miss = rule.kind.explain(pair.shape, this);
      if ((isCode || isFile) && isProblem(miss)) {
        const { reason, actual } = miss;
        this.problems.push({ ruleId: rule.id, reason, ...(actual === undefined ? {} : { actual }) });
      }
      return miss;
    }
    this.#reported?.acted.add(rule);
    this.steps.push({ ruleId: rule.id, name: rule.name, phase, pairId: pair.id, changed: this.changed });
    for (const miss of this.refused) this.skipped?.note(rule, pair, miss, this.givenUrl);
    return undefined;
  }
}

/** Work of letting a pair act and noting it, in units of RULE_WORK_MAX. */
const ACT_WORK = 200;

function isProblem({ reason }: Miss): boolean {
  return reason !== 'noChange' && reason !== 'noBody';
}
