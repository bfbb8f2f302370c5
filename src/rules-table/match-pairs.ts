/** Which pairs of a rule apply to a request, and, when none does, which came nearest. */
import type { WorkBudget } from '../languages/work-budget.ts';
import type { CompiledPair, CompiledRule, NearestMiss, PairMiss } from './compile-rule.ts';
import { firstMiss } from './filters.ts';
import type { RequestFacts } from './request-facts.ts';
import { matchSource } from './source.ts';
import type { WireUrl } from './wire-url.ts';

/** What asking needs, the same for all rules of one exchange. */
export interface Asked {
  readonly facts: RequestFacts;
  readonly budget: WorkBudget;
  /** Whether the request is for this server, which no rule applies to. */
  readonly isOwn: boolean;
}

/** @returns undefined when the pair applies. */
export function pairMiss(pair: CompiledPair, url: WireUrl, { facts, budget, isOwn }: Asked): PairMiss | undefined {
  if (isOwn) return 'source';
  const verdict = pair.source === undefined || matchSource(pair.source, url, budget);
  if (verdict !== true) return verdict === 'pattern' ? 'pattern' : 'source';
  return pair.filters.length === 0 ? undefined : firstMiss(pair.filters, facts, budget);
}

/**
 * Those of the pairs that are to act; else the nearest miss. Of ten thousand rules nearly all have one pair and another URL: nothing is
 * made anew for them.
 */
export function matchPairs(rule: CompiledRule, url: WireUrl, asked: Asked): readonly CompiledPair[] | NearestMiss {
  const { only } = rule;
  if (only !== undefined) {
    const miss = pairMiss(only, url, asked);
    if (miss === undefined) return rule.pairs;
    return miss === 'source' ? only.otherUrl : { pair: only, miss };
  }
  const { pairs, kind } = rule;
  let applying: CompiledPair[] | undefined;
  let nearest: NearestMiss | undefined;
  for (const pair of pairs) {
    const miss = pairMiss(pair, url, asked);
    if (miss !== undefined) {
      if (nearest === undefined || rank(miss) > rank(nearest.miss)) nearest = { pair, miss };
    } else if (kind.acting === 'first') return [pair];
    else if (kind.acting === 'last' || applying === undefined) applying = [pair];
    else applying.push(pair);
  }
  return applying ?? nearest ?? [];
}

/** A pair that has the URL came nearer than one that has not. */
export function rank(miss: PairMiss): number {
  if (miss === 'source') return 0;
  return miss === 'pattern' ? 1 : 2;
}

export function isMatch(found: readonly CompiledPair[] | NearestMiss): found is readonly CompiledPair[] {
  return Array.isArray(found);
}
