/** The filters of live traffic: in the address, and in requests to the API. Pure. */
import type { ExchangeQuery } from '../../client/shapes.ts';

const NAMES = ['q', 'host', 'outcome', 'rule', 'session'] as const;

/** Query members of the address; "" for any. */
export type ExchangeFilter = Readonly<Record<(typeof NAMES)[number], string>>;

/** The query that clears all filters. */
export const NO_FILTER = Object.fromEntries(NAMES.map((name) => [name, undefined]));

export const filterOf = (query: ReadonlyMap<string, string>): ExchangeFilter =>
  Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as ExchangeFilter;

/** An unknown outcome is sent as typed: the server reports it. */
export function selectionOf({
  q,
  host,
  outcome,
  rule,
  session,
}: ExchangeFilter): Omit<ExchangeQuery, 'limit' | 'before'> {
  return {
    ...(q === '' ? {} : { q }),
    ...(host === '' ? {} : { host }),
    ...(outcome === '' ? {} : { outcome: outcome as NonNullable<ExchangeQuery['outcome']> }),
    ...(rule === '' ? {} : { ruleId: rule }),
    ...(session === '' ? {} : { session }),
  };
}

export const isFiltered = (filter: ExchangeFilter): boolean => Object.keys(selectionOf(filter)).length > 0;
