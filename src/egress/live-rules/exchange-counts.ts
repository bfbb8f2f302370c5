/** Exact counts of exchanges: of an owner, of a session, of all. */
import {
  EXCHANGE_OUTCOMES,
  type ExchangeCounts,
  type ExchangeOutcome,
  type ExchangeRecord,
} from '../../model/gateway/exchange.ts';

export interface Counts {
  total: number;
  /** Sum of all rules. */
  ruleHits: number;
  readonly outcomes: Record<ExchangeOutcome, number>;
  /** By rule; undefined where only the sum is counted. */
  readonly rules: Map<string, number> | undefined;
  readonly skipped: Map<string, number>;
}

export function newCounts(): Counts {
  const outcomes = Object.fromEntries(EXCHANGE_OUTCOMES.map((outcome) => [outcome, 0]));
  return { total: 0, ruleHits: 0, outcomes: outcomes as Counts['outcomes'], rules: new Map(), skipped: new Map() };
}

export function countExchange(
  counts: Counts,
  { outcome, ruleIds, skipped }: Pick<ExchangeRecord, 'outcome' | 'ruleIds' | 'skipped'>,
): void {
  counts.total++;
  counts.outcomes[outcome]++;
  counts.ruleHits += ruleIds.length;
  for (const id of ruleIds) counts.rules?.set(id, (counts.rules.get(id) ?? 0) + 1);
  for (const { reason } of skipped) counts.skipped.set(reason, (counts.skipped.get(reason) ?? 0) + 1);
}

export function shownCounts({ total, ruleHits, outcomes, rules = new Map(), skipped }: Counts): ExchangeCounts {
  return { total, ruleHits, outcomes, rules: Object.fromEntries(rules), skipped: Object.fromEntries(skipped) };
}
