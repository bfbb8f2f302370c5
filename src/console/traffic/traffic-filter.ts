/** Which requests the traffic screen shows: its address, and what the API is asked for. Pure. */
import type { RequestQuery } from '../../client/shapes.ts';
import type { StreamEnd } from '../../model/mocks/streams/stream-record.ts';

const NAMES = ['missed', 'q', 'method', 'status', 'ended', 'route', 'session', 'trace', 'rules'] as const;

/** Members of the address; "" for any. `missed` is "true" or "false"; without a session, those of the mock and of all its sessions. `rules`: JSON. */
export type TrafficFilter = Readonly<Record<(typeof NAMES)[number], string>>;

/** For the address: no filter at all. */
export const NO_FILTER = Object.fromEntries(NAMES.map((name) => [name, undefined]));

export const filterOf = (query: ReadonlyMap<string, string>): TrafficFilter =>
  Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ''])) as TrafficFilter;

/** A status that is not a number is sent as it was typed: the server says what is wrong. */
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
