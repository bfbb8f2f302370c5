/** What a rule cannot do that was stored all the same: its patterns that keep it off, told wherever the rule is returned. */
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

/** Who reads a rule gives its pairs as text: one in which no pattern can stand is not parsed. */
const MAY_HAVE_PATTERN = /"Matches"|"from":"\//;

/**
 * @param budget What compiling the patterns may take. Those that it is not enough for are not warned of: a rule of a thousand pairs
 * must not delay the reader.
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
