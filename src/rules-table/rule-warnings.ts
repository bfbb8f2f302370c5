/** Warnings about a stored rule: patterns that the engine cannot express, which disable their pair. */
import { RULE_WORK_MAX, WARNINGS_MAX } from '../limits.ts';
import type { Rule } from '../model/rule.ts';
import type { WorkBudget } from '../languages/work-budget.ts';
import { patternsOfRule } from './compile-rule.ts';

export interface RuleWarning {
  readonly pairId: string;
  /** JSON pointer into the rule. */
  readonly path: string;
  readonly warning: string;
}

/** Pairs are stored as JSON text, which is parsed only when it may contain a pattern. */
const MAY_HAVE_PATTERN = /"Matches"|"from":"\//;

/**
 * @param budget Work of compiling the patterns. Patterns beyond it are not examined: a rule of a thousand pairs must not
 * delay a read.
 */
export function ruleWarnings(
  rule: Pick<Rule, 'ruleType' | 'pairs'>,
  budget: WorkBudget = { work: RULE_WORK_MAX },
): RuleWarning[] {
  if (!MAY_HAVE_PATTERN.test(rule.pairs)) return [];
  const warnings: RuleWarning[] = [];
  for (const { pairId, path, pattern } of patternsOfRule(rule)) {
    const problem = pattern.problem(budget);
    if (problem !== undefined) warnings.push({ pairId, path, warning: `keeps the rule off: the pattern ${problem}` });
    if (warnings.length >= WARNINGS_MAX || budget.work < 0) break;
  }
  return warnings;
}
