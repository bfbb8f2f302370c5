/** Which rules act on a request in which phase, and what answers a preflight in place of them. */
import { take } from '../languages/work-budget.ts';
import type { CompiledPair, CompiledRule } from './compile-rule.ts';
import type { ExchangeRun, MatchedRule } from './exchange-run.ts';
import { isMatch, matchPairs, rank } from './match-pairs.ts';
import type { Miss, Phase } from './outcome.ts';
import { isLive, isUrlRule, type RuleTable } from './rule-table.ts';

export interface Plan {
  /** By phase: rules that match the URL as received, in order of creation. */
  readonly matched: Readonly<Record<Exclude<Phase, 'url'>, readonly MatchedRule[]>>;
  /** Matched one after the other, since each may change the URL that the next one sees. */
  readonly urlRules: readonly CompiledRule[];
  /** The rule that would answer the request which a preflight announces. */
  readonly serving?: MatchedRule | undefined;
}

/** Work of looking at a rule, in units of RULE_WORK_MAX. */
const LOOK_WORK = 10;

/** One array for all phases of all exchanges in which nothing matches. */
const NONE: MatchedRule[] = [];
const NONE_MATCHED = {
  cancel: NONE,
  requestHeaders: NONE,
  requestBody: NONE,
  delay: NONE,
  response: NONE,
  responseHeaders: NONE,
};

function note(matched: Record<string, MatchedRule[]>, phase: string, rule: MatchedRule): void {
  const others = matched[phase];
  if (others === undefined || others === NONE) matched[phase] = [rule];
  else others.push(rule);
}

export function planPhases(table: RuleTable, found: readonly CompiledRule[], run: ExchangeRun): Plan {
  const matched: Record<Exclude<Phase, 'url'>, MatchedRule[]> = { ...NONE_MATCHED };
  const plan: { -readonly [Name in keyof Plan]: Plan[Name] } & { urlRules: CompiledRule[] } = { matched, urlRules: [] };
  for (const rule of found) {
    if (!take(run.budget, LOOK_WORK)) break;
    if (!isLive(rule, table)) noteInactive(rule, run);
    else if (isUrlRule(rule)) plan.urlRules.push(rule);
    else {
      if (plan.serving === undefined) plan.serving = servingOf(rule, run);
      if (plan.serving?.rule === rule) continue;
      const pairs = matchPairs(rule, run.givenUrl, run);
      if (!isMatch(pairs)) run.noteMiss(rule, pairs.pair, pairs.miss, run.givenUrl);
      else if (run.announced !== undefined && !actsOnPreflights(rule, pairs)) notePreflight(rule, pairs, run);
      else for (const phase of rule.kind.phases) note(matched, phase, { rule, pairs });
    }
  }
  return plan;
}

/** @returns The match of a rule that would answer the request which the preflight announces, unless it names preflights themselves. */
function servingOf(rule: CompiledRule, { announced, givenUrl }: ExchangeRun): MatchedRule | undefined {
  if (announced === undefined || rule.kind.isServed === undefined) return undefined;
  const pairs = matchPairs(rule, givenUrl, announced);
  const [pair] = isMatch(pairs) ? pairs : [];
  const isServing = pair !== undefined && !pair.namesOptions && rule.kind.isServed(pair.shape);
  return isServing ? { rule, pairs: [pair] } : undefined;
}

/** Rules that replace bodies or wait do so with the request that follows, unless a filter names preflights. */
function actsOnPreflights({ kind: { phases } }: CompiledRule, pairs: readonly CompiledPair[]): boolean {
  const ofBodies = phases.some((phase) => phase === 'requestBody' || phase === 'delay' || phase === 'response');
  return !ofBodies || pairs.some(({ namesOptions }) => namesOptions);
}

export function notePreflight(rule: CompiledRule, pairs: readonly CompiledPair[], run: ExchangeRun): void {
  for (const pair of pairs) run.noteWithoutEffect(rule, pair, PREFLIGHT);
}

/** Notes an inactive rule; as a matching one if it would match the URL. */
function noteInactive(rule: CompiledRule, run: ExchangeRun): void {
  if (run.skipped === undefined) return;
  const { givenUrl, skipped } = run;
  const pairs = matchPairs(rule, givenUrl, run);
  const pair = isMatch(pairs) ? pairs[0] : pairs.pair;
  const isMatching = isMatch(pairs) || rank(pairs.miss) > 0;
  skipped.note(rule, pair, rule.status === 'Active' ? groupInactive(rule) : RULE_INACTIVE, givenUrl, isMatching);
}

const RULE_INACTIVE: Miss = { reason: 'ruleInactive', expected: 'Active', actual: 'Inactive' };

function groupInactive({ groupId }: CompiledRule): Miss {
  return { reason: 'groupInactive', expected: 'Active', actual: `${groupId} is inactive` };
}

const PREFLIGHT: Miss = { reason: 'noChange', expected: 'a request other than a preflight', actual: 'a preflight' };
