/** Exact counts of exchanges: of an owner, of a session, of all. */
import {
  EXCHANGE_OUTCOMES,
  type ExchangeCounts,
  type ExchangeOutcome,
  type ExchangeRecord,
  type ExchangeTotals,
} from '../../model/gateway/exchange.ts';

/**
 * Rules that an owner's counts name; further hits are only in the total. Overlays of sessions name ever new
 * ones.
 */
export const RULES_COUNTED_MAX = 20_000;

export interface Counts {
  total: number;
  /** Sum of all rules. */
  ruleHits: number;
  readonly outcomes: Record<ExchangeOutcome, number>;
  /** By rule; undefined where only the sum is counted. */
  readonly rules: Map<string, number> | undefined;
  readonly skipped: Map<string, number>;
  readonly problems: Map<string, number>;
}

export function newCounts(): Counts {
  const outcomes = Object.fromEntries(EXCHANGE_OUTCOMES.map((outcome) => [outcome, 0]));
  return {
    total: 0,
    ruleHits: 0,
    outcomes: outcomes as Counts['outcomes'],
    rules: new Map(),
    skipped: new Map(),
    problems: new Map(),
  };
}

export function countExchange(
  counts: Counts,
  { outcome, ruleIds, skipped, problem }: Pick<ExchangeRecord, 'outcome' | 'ruleIds' | 'skipped' | 'problem'>,
): void {
  counts.total++;
  counts.outcomes[outcome]++;
  counts.ruleHits += ruleIds.length;
  if (problem !== undefined) countOne(counts.problems, problem);
  const { rules } = counts;
  if (rules !== undefined) {
    for (const id of ruleIds) if (rules.size < RULES_COUNTED_MAX || rules.has(id)) countOne(rules, id);
  }
  for (const { reason } of skipped) countOne(counts.skipped, reason);
}

function countOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

export function totalsOf({ total, ruleHits, outcomes }: Counts): ExchangeTotals {
  return { total, ruleHits, outcomes };
}

export function shownCounts(counts: Counts): ExchangeCounts {
  const { rules = new Map(), skipped, problems } = counts;
  const shown = (counted: Map<string, number>): Record<string, number> => Object.fromEntries(counted);
  return { ...totalsOf(counts), rules: shown(rules), skipped: shown(skipped), problems: shown(problems) };
}
