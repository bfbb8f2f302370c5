/**
 * One exchange on its way through the phases: lets pairs act on it, and notes what they changed or why they did not.
 *
 * evaluate.ts decides who acts when.
 */
import type { WorkBudget } from '../languages/work-budget.ts';
import type { CompiledPair, CompiledRule, NearestMiss, PairMiss } from './compile-rule.ts';
import type { HeaderLines } from './header-list.ts';
import { pairMiss, rank, type Asked } from './match-pairs.ts';
import type { Changed, Miss, Phase, Step } from './outcome.ts';
import { RequestFacts, type GivenRequest } from './request-facts.ts';
import type { SkippedRules } from './skipped-rules.ts';
import { groupsOf, type Groups } from './source.ts';
import type { Answer, EvaluateOptions, Stage } from './stage.ts';
import type { WireUrl } from './wire-url.ts';

/** A rule of which some pairs have the URL and the filters. */
export interface Matched {
  readonly rule: CompiledRule;
  readonly pairs: readonly CompiledPair[];
}

export class ExchangeRun implements Stage, Asked {
  readonly options: EvaluateOptions;
  readonly budget: WorkBudget;
  readonly facts: RequestFacts;
  readonly isOwn: boolean;
  /** Absent where nobody wants to know. */
  readonly skipped: SkippedRules | undefined;
  readonly steps: Step[] = [];

  /** The URL as it came: what all but URL rules see. */
  readonly givenUrl: WireUrl;
  url: WireUrl;
  headers: HeaderLines;
  body: Buffer | undefined;
  answer: Answer | undefined;
  delayMs = 0;

  phase: Phase = 'cancel';
  ruleName = '';
  changed: Changed[] = [];
  refused: Miss[] = [];
  #acting: CompiledPair | undefined;

  readonly #acted = new Set<CompiledRule>();
  /** Of rules that have the URL and have not acted so far: one with headers of the response may act later. */
  readonly #idle = new Map<CompiledRule, { readonly pair: CompiledPair; readonly miss: Miss }>();

  constructor(
    request: GivenRequest,
    url: WireUrl,
    options: EvaluateOptions,
    budget: WorkBudget,
    isOwn: boolean,
    skipped: SkippedRules | undefined,
  ) {
    this.options = options;
    this.budget = budget;
    this.facts = new RequestFacts(request, url, budget);
    this.isOwn = isOwn;
    this.skipped = skipped;
    this.givenUrl = url;
    this.url = url;
    this.headers = request.headers;
    this.body = request.body;
  }

  get isOverdrawn(): boolean {
    return this.budget.work < 0;
  }

  readonly groups = (): Groups => {
    const url = this.phase === 'url' ? this.url : this.givenUrl;
    return groupsOf(this.#acting?.source, url, this.budget);
  };

  /** @returns Whether any of the pairs acted. */
  act(phase: Phase, { rule, pairs }: Matched): boolean {
    let hasActed = false;
    for (const pair of pairs) {
      if (rule.kind.concerns?.(pair.shape, phase) === false) continue;
      const miss = this.#actPair(phase, rule, pair);
      if (miss === undefined) hasActed = true;
      else this.idle(rule, pair, miss);
    }
    return hasActed;
  }

  /** Each pair is held against what the one before made of the URL. */
  actInTurn(phase: Phase, rule: CompiledRule, hold: Miss | undefined): void {
    let nearest: NearestMiss | undefined;
    let hasApplied = false;
    const { url } = this;
    for (const pair of rule.pairs) {
      const miss = pairMiss(pair, this.url, this);
      if (miss === undefined) {
        hasApplied = true;
        const idle = hold ?? this.#actPair(phase, rule, pair);
        if (idle !== undefined) this.idle(rule, pair, idle);
      } else if (nearest === undefined || rank(miss) > rank(nearest.miss)) nearest = { pair, miss };
    }
    if (!hasApplied && nearest !== undefined) this.noteMiss(rule, nearest.pair, nearest.miss, url);
  }

  /** Notes that a rule that has the URL does nothing, unless it acts in the end; the first reason is kept. */
  idle(rule: CompiledRule, pair: CompiledPair, miss: Miss): void {
    if (this.skipped !== undefined && !this.#idle.has(rule)) this.#idle.set(rule, { pair, miss });
  }

  noteMiss(rule: CompiledRule, pair: CompiledPair | undefined, miss: PairMiss, url: WireUrl): void {
    this.skipped?.note(rule, pair, miss, url);
  }

  /** Rules that had the URL and never acted. To be asked once, when nothing acts any more. */
  noteIdle(): void {
    for (const [rule, { pair, miss }] of this.#idle) {
      if (!this.#acted.has(rule)) this.skipped?.note(rule, pair, miss, this.givenUrl);
    }
  }

  /** @returns Why it did nothing. */
  #actPair(phase: Phase, rule: CompiledRule, pair: CompiledPair): Miss | undefined {
    this.phase = phase;
    this.ruleName = rule.name;
    this.#acting = pair;
    this.changed = [];
    this.refused = [];
    if (!rule.kind.apply(pair.shape, this)) {
      return this.skipped === undefined ? { reason: 'noChange' } : rule.kind.explain(pair.shape, this);
    }
    this.#acted.add(rule);
    this.steps.push({ ruleId: rule.id, name: rule.name, phase, pairId: pair.id, changed: this.changed });
    for (const miss of this.refused) this.skipped?.note(rule, pair, miss, this.givenUrl);
    return undefined;
  }
}
