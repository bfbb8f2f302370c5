/** Finds the pairs of a rule that apply to a request or, when none does, the one that came nearest. */
import type { WorkBudget } from '../languages/work-budget.ts';
import type { CompiledPair, CompiledRule, NearestMiss, PairMiss } from './compile-rule.ts';
import { firstMiss } from './filters.ts';
import type { RequestFacts } from './request-facts.ts';
import { matchSource } from './source.ts';
import type { WireUrl } from './wire-url.ts';

/** Context of matching beside the URL: the same for all rules of one exchange. */
export interface MatchContext {
  readonly facts: RequestFacts;
  readonly budget: WorkBudget;
  /** Whether the request is addressed to this server itself, to which no rule applies. */
  readonly isOwn: boolean;
}

/** @returns undefined when the pair applies. */
export function pairMiss(
  pair: CompiledPair,
  url: WireUrl,
  { facts, budget, isOwn }: MatchContext,
): PairMiss | undefined {
  if (isOwn) return 'source';
  const verdict = pair.source === undefined || matchSource(pair.source, url, budget);
  if (verdict !== true) return verdict === 'pattern' ? 'pattern' : 'source';
  return pair.filters.length === 0 ? undefined : firstMiss(pair.filters, facts, budget);
}

/**
 * @returns The pairs that are to act, else the nearest miss. Of ten thousand rules nearly all have one pair and do not
 * match; nothing is allocated for them.
 */
export function matchPairs(
  rule: CompiledRule,
  url: WireUrl,
  context: MatchContext,
): readonly CompiledPair[] | NearestMiss {
  const { only } = rule;
  if (only !== undefined) {
    const miss = pairMiss(only, url, context);
    if (miss === undefined) return rule.pairs;
    return miss === 'source' ? only.otherUrl : { pair: only, miss };
  }
  const { pairs, kind } = rule;
  let applying: CompiledPair[] | undefined;
  let nearest: NearestMiss | undefined;
  for (const pair of pairs) {
    const miss = pairMiss(pair, url, context);
    if (miss !== undefined) {
      if (nearest === undefined || rank(miss) > rank(nearest.miss)) nearest = { pair, miss };
    } else if (kind.acting === 'first') return [pair];
    else if (kind.acting === 'last' || applying === undefined) applying = [pair];
    else applying.push(pair);
  }
  return applying ?? nearest ?? [];
}

/** Ranks misses: a pair whose source matches came nearer than one whose source does not. */
export function rank(miss: PairMiss): number {
  if (miss === 'source') return 0;
  return miss === 'pattern' ? 1 : 2;
}

export function isMatch(found: readonly CompiledPair[] | NearestMiss): found is readonly CompiledPair[] {
  return Array.isArray(found);
}
