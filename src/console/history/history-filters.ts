/** The filters of the history: for the API, and the same for a change as it comes. */
import type { ChangeRecord, HistoryQuery } from '../../client/shapes.ts';

export interface HistoryFilters {
  readonly record: string | undefined;
  readonly user: string | undefined;
  readonly command: string | undefined;
}

/** For the API. */
export function queryOf({ record, user, command }: HistoryFilters): HistoryQuery {
  const named = { recordId: record, user, command };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined && value !== ''));
}

/** As the server filters. */
export const fits = (
  { recordIds, user, command }: Pick<ChangeRecord, 'recordIds' | 'user' | 'command'>,
  filters: HistoryFilters,
): boolean =>
  (filters.record === undefined || recordIds.includes(filters.record)) &&
  (filters.user === undefined || user === filters.user) &&
  (filters.command === undefined || command === filters.command);
