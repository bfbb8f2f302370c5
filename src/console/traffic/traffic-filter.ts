/** The filters of the traffic screen: in the address, and in requests to the API. Pure. */
import type { RequestQuery } from '../../client/shapes.ts';
import type { StreamEnd } from '../../model/mocks/streams/stream-record.ts';

const NAMES = ['missed', 'q', 'method', 'status', 'ended', 'route', 'session', 'trace', 'rules'] as const;

/** Query members of the address; "" for any. `missed` is "true" or "false"; no session means the mock and all its sessions. `rules`: JSON. */
export type TrafficFilter = Readonly<Record<(typeof NAMES)[number], string>>;

/** The query that clears all filters. */
export const NO_FILTER = Object.fromEntries(NAMES.map((name) => [name, undefined]));

export const filterOf = (query: ReadonlyMap<string, string>): TrafficFilter =>
  Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as TrafficFilter;

/** An invalid status is sent as typed: the server reports it. */
export function selectionOf(filter: TrafficFilter): Omit<RequestQuery, 'limit' | 'before'> {
  const { missed, q, method, status, ended, route, session, trace, rules } = filter;
  return {
    ...(missed === 'true' || missed === 'false' ? { matched: missed === 'false' } : {}),
    ...(q === '' ? {} : { q }),
    ...(method === '' ? {} : { method }),
    ...(status === '' ? {} : { status: status as unknown as number }),
    ...(ended === '' ? {} : { ended: ended as StreamEnd }),
    ...(route === '' ? {} : { routeId: route }),
    ...(session === '' ? {} : { session }),
    ...(trace === '' ? {} : { trace }),
    ...(rules === '' ? {} : { rules }),
  };
}

export const isFiltered = (filter: TrafficFilter): boolean => Object.keys(selectionOf(filter)).length > 0;
