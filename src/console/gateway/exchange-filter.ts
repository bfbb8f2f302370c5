/** Which exchanges the screen of live traffic shows: its address, and what the API is asked for. Pure. */
import type { ExchangeQuery } from '../../client/shapes.ts';

const NAMES = ['q', 'host', 'outcome', 'rule', 'session'] as const;

/** Members of the address; "" for any. */
export type ExchangeFilter = Readonly<Record<(typeof NAMES)[number], string>>;

/** For the address: no filter at all. */
export const NO_FILTER = Object.fromEntries(NAMES.map((name) => [name, undefined]));

export const filterOf = (query: ReadonlyMap<string, string>): ExchangeFilter =>
  Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as ExchangeFilter;

/** An outcome that there is not is sent as it was typed: the server says what is wrong. */
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
