/** Warnings about a stored rule: patterns that the engine cannot express, which disable their pair. */
import { RULE_WARNINGS_WORK_MAX, WARNINGS_MAX } from '../limits.ts';
import type { Rule } from '../model/rule.ts';
import type { WorkBudget } from '../languages/work-budget.ts';
import type { PairObject } from '../model/pairs/pair-kind.ts';
import { patternsByPair } from './compile-rule.ts';
import { RULE_KINDS } from './rule-types/rule-kinds.ts';

export interface RuleWarning {
  readonly pairId: string;
  /** JSON pointer into the rule. */
  readonly path: string;
  readonly warning: string;
}

/**
 * `"Wildcard_Matches"` ends like it. It is searched first: a search for a quotation mark stops at each one of a rule,
 * which took a microsecond.
 */
const MATCHES_END = 'Matches"';
const PATTERN_OF_SOURCE = /"Matches"/;
const PATTERN_OF_REPLACE = /"Matches"|"from":"\//;

/**
 * Pairs are stored as JSON text, which is parsed only when it may contain a pattern. A rule without one costs 30 ns.
 *
 * @param budget Work of compiling the patterns. Patterns beyond it are not examined: a rule of a thousand pairs must not
 * delay a read.
 */
export function ruleWarnings(
  rule: Pick<Rule, 'ruleType' | 'pairs'>,
  budget: WorkBudget = { work: RULE_WARNINGS_WORK_MAX },
): RuleWarning[] {
  if (!mayHavePattern(rule)) return [];
  const warnings: RuleWarning[] = [];
  for (const { pairId, path, pattern } of eachPattern(rule)) {
    const problem = pattern.problem(budget);
    if (problem !== undefined) {
      warnings.push({ pairId, path, warning: `this pair stays off: the pattern ${problem}` });
      // A client chose it: a long one is not repeated for each pattern of its pair.
      budget.work -= pairId.length;
    }
    if (warnings.length >= WARNINGS_MAX || budget.work < 0) break;
  }
  return warnings;
}

/**
 * Whether no pair of the rule can act, since each has a pattern with something that the engine does not support. Stops at
 * the first pair that can. Filters do not count: one for the page holds for requests that name none.
 */
export function isUnsupported(rule: Pick<Rule, 'ruleType' | 'pairs'>): boolean {
  if (!mayHavePattern(rule)) return false;
  for (const patterns of patternsByPair(rule)) {
    if (!patterns.some(({ path, pattern }) => !path.endsWith('/filters') && pattern.isUnsupported)) return false;
  }
  return true;
}

interface PlacedCode extends Pick<RuleWarning, 'pairId' | 'path'> {
  readonly source: string;
}

/** The code of the first pairs of a rule that have code, with its place. Text is parsed only where it may name code. */
export function codeIn({ ruleType, pairs }: Pick<Rule, 'ruleType' | 'pairs'>): PlacedCode[] {
  const kind = RULE_KINDS[ruleType];
  if (kind.codeOf === undefined || !pairs.includes('"code"')) return [];
  const found = (JSON.parse(pairs) as PairObject[]).flatMap((pair, index) => {
    const source = kind.codeOf?.(kind.normalise(pair));
    if (source === undefined) return [];
    const member = ['request', 'response'].find((name) => typeof pair[name] === 'object' && pair[name] !== null);
    const path = `/pairs/${index}${member === undefined ? '' : `/${member}`}/value`;
    return [{ pairId: typeof pair.id === 'string' ? pair.id : '', path, source }];
  });
  return found.slice(0, WARNINGS_MAX);
}

function* eachPattern(rule: Pick<Rule, 'ruleType' | 'pairs'>) {
  for (const patterns of patternsByPair(rule)) yield* patterns;
}

export function mayHavePattern({ ruleType, pairs }: Pick<Rule, 'ruleType' | 'pairs'>): boolean {
  if (ruleType === 'Replace') return PATTERN_OF_REPLACE.test(pairs);
  return pairs.includes(MATCHES_END) && PATTERN_OF_SOURCE.test(pairs);
}
