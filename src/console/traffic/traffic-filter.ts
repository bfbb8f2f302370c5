/** Which requests the traffic screen shows: its address, and what the API is asked for. Pure. */
import type { RequestQuery } from '../../client/shapes.ts';

export interface TrafficFilter {
  readonly show: 'all' | 'missed' | 'answered';
  readonly q: string;
  readonly method: string;
  readonly status: string;
  readonly route: string;
  /** "": those of the mock and of all its sessions. */
  readonly session: string;
}

export function filterOf(query: ReadonlyMap<string, string>): TrafficFilter {
  const missed = query.get('missed');
  return {
    show: missed === 'true' ? 'missed' : missed === 'false' ? 'answered' : 'all',
    q: query.get('q') ?? '',
    method: query.get('method') ?? '',
    status: query.get('status') ?? '',
    route: query.get('route') ?? '',
    session: query.get('session') ?? '',
  };
}

/** As a member of the address's query. */
export const missedOf = (show: TrafficFilter['show']): string | undefined =>
  ({ all: undefined, missed: 'true', answered: 'false' })[show];

/** What is no status is sent as it was typed: the server says what is wrong. */
export function selectionOf({
  show,
  q,
  method,
  status,
  route,
  session,
}: TrafficFilter): Omit<RequestQuery, 'limit' | 'before'> {
  return {
    ...(show === 'all' ? {} : { matched: show === 'answered' }),
    ...(q === '' ? {} : { q }),
    ...(method === '' ? {} : { method }),
    ...(status === '' ? {} : { status: status as unknown as number }),
    ...(route === '' ? {} : { routeId: route }),
    ...(session === '' ? {} : { session }),
  };
}

export const isFiltered = (filter: TrafficFilter): boolean => Object.keys(selectionOf(filter)).length > 0;
