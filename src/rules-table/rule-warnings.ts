/** Warnings about a stored rule: what keeps a pair off, such as patterns that the engine cannot express. */
import { RULE_WARNINGS_WORK_MAX, WARNINGS_MAX } from '../limits.ts';
import type { Rule } from '../model/rule.ts';
import type { WorkBudget } from '../languages/work-budget.ts';
import type { PairObject } from '../model/pairs/pair-kind.ts';
import { ABLE, type RuleAbilities, type Unable } from '../model/rule-abilities.ts';
import { patternsByPair, type PlacedPattern } from './compile-rule.ts';
import { neverActs } from './never-acts.ts';
import { RULE_KINDS } from './rule-types/rule-kinds.ts';

export interface RuleWarning {
  readonly pairId: string;
  /** JSON pointer into the rule. */
  readonly path: string;
  readonly warning: string;
  /** Where an option of the server would let the pair act: the reason that an evaluation gives. */
  readonly code?: Unable;
}

/**
 * `"Wildcard_Matches"` ends like it. It is searched first: a search for a quotation mark stops at each one of a rule,
 * which took a microsecond.
 */
const MATCHES_END = 'Matches"';
const PATTERN_OF_SOURCE = /"Matches"/;
const PATTERN_OF_REPLACE = /"Matches"|"from":"\//;

/**
 * @param abilities Of this server. @param budget Work of compiling the patterns. Patterns beyond it are not examined: a rule of a thousand pairs must not
 * delay a read.
 */
export function ruleWarnings(
  rule: Pick<Rule, 'ruleType' | 'pairs'>,
  abilities: RuleAbilities = ABLE,
  budget: WorkBudget = { work: RULE_WARNINGS_WORK_MAX },
): RuleWarning[] {
  const warnings: RuleWarning[] = pairsOf(rule).flatMap((pair, index) =>
    neverActs(rule.ruleType, pair, abilities).map(({ path, text, isNever, code }) => ({
      pairId: typeof pair.id === 'string' ? pair.id : '',
      path: `/pairs/${index}${path}`,
      warning: isNever && code === undefined ? `this pair stays off: ${text}` : text,
      ...(code === undefined ? {} : { code }),
    })),
  );
  if (!mayHavePattern(rule)) return warnings.slice(0, WARNINGS_MAX);
  for (const { pairId, path, pattern } of eachPattern(rule)) {
    const problem = pattern.problem(budget);
    if (problem !== undefined) {
      warnings.push({ pairId, path, warning: `this pair stays off: the pattern ${problem}` });
      // A client chose it: a long one is not repeated for each pattern of its pair.
      budget.work -= pairId.length;
    }
    if (warnings.length >= WARNINGS_MAX || budget.work < 0) break;
  }
  return warnings.slice(0, WARNINGS_MAX);
}

/**
 * Whether no pair of the rule can act, since each can never match, or has a pattern with something that the engine does not
 * support. Stops at the first pair that can. Patterns of filters do not count: one for the page holds for requests that name none.
 */
export function isUnsupported(rule: Pick<Rule, 'ruleType' | 'pairs'>, abilities: RuleAbilities = ABLE): boolean {
  const patterns = mayHavePattern(rule) ? patternsByPair(rule) : undefined;
  for (const pair of pairsOf(rule)) {
    const ofPair: readonly PlacedPattern[] = patterns?.next().value ?? [];
    const isOff =
      neverActs(rule.ruleType, pair, abilities).some(({ isNever }) => isNever) ||
      ofPair.some(({ path, pattern }) => !path.endsWith('/filters') && pattern.isUnsupported);
    if (!isOff) return false;
  }
  return true;
}

function pairsOf({ pairs }: Pick<Rule, 'pairs'>): readonly PairObject[] {
  return JSON.parse(pairs) as PairObject[];
}

interface PlacedCode extends Pick<RuleWarning, 'pairId' | 'path'> {
  readonly source: string;
}

/** The code of the first pairs of a rule that have code, with its place. Text is parsed only where it may name code. */
export function codeIn({ ruleType, pairs }: Pick<Rule, 'ruleType' | 'pairs'>): PlacedCode[] {
  const kind = RULE_KINDS[ruleType];
  if (kind.codeOf === undefined || !pairs.includes('"code"')) return [];
  const found = pairsOf({ pairs }).flatMap((pair, index) => {
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

function mayHavePattern({ ruleType, pairs }: Pick<Rule, 'ruleType' | 'pairs'>): boolean {
  if (ruleType === 'Replace') return PATTERN_OF_REPLACE.test(pairs);
  return pairs.includes(MATCHES_END) && PATTERN_OF_SOURCE.test(pairs);
}
