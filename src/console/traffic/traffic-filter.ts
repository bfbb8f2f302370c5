/** The filters of the traffic screen: in the address, and in requests to the API. Pure. */
import type { RequestQuery } from '../../client/shapes.ts';
import type { StreamEnd } from '../../model/mocks/streams/stream-record.ts';
import { dropEmpty, filtersBy } from '../state/filters.ts';

/** `missed` is "true" or "false"; no session means the mock and all its sessions. `rules`: JSON. */
export const FILTERS = filtersBy('missed', 'q', 'method', 'status', 'ended', 'route', 'session', 'trace', 'rules');

export type TrafficFilter = ReturnType<typeof FILTERS.of>;

export type Selection = Omit<RequestQuery, 'limit' | 'before'>;

/** An invalid status is sent as typed: the server reports it. */
export const selectionOf = ({ missed, status, ended, route, ...same }: TrafficFilter): Selection =>
  dropEmpty({
    ...same,
    matched: missed === 'true' || missed === 'false' ? missed === 'false' : undefined,
    status: status as unknown as number,
    ended: ended as StreamEnd,
    routeId: route,
  });
