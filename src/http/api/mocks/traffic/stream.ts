/**
 * The live stream of a mock's requests, as server-sent events; docs/mocks-traffic.md, `GET /mocks/:id/requests/stream`.
 *
 * The data plane is polled for new requests (journal/feed.ts), independent of the number and speed of followers: a
 * stream never holds it up. A follower that does not keep up misses requests, and gets a count of them.
 */
import { isRefusal } from '../../../../errors.ts';
import { readMock } from '../../../../model/mocks/show/query-mock.ts';
import { sessionStreamQuerySchema, streamQuerySchema } from '../../../../model/mocks/traffic-queries.ts';
import { type TrafficRecord } from '../../../../model/mocks/traffic.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { LiveSession } from '../../../../sessions/live-sessions.ts';
import type { Call } from '../../../call.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { operationsOf } from '../../operation.ts';
import { admitStream } from '../../../event-stream.ts';
import { representRequest, representSummary } from './recorded-request.ts';
import type { MockTraffic } from './traffic.ts';
import { follow, type FollowedRecords } from '../../journal/feed.ts';
import { parseStreamQuery, type TrafficSelection } from './traffic-query.ts';
import { clockOf } from './recorded-conditions.ts';
import { scopeFilter, type TrafficScope } from './traffic-scope.ts';

/** Permits that bound the number of streams. */
interface StreamPermits {
  /** Whether the call's key is still valid, and the service is not stopping. */
  readonly mayContinue: (call: Call) => boolean;
  readonly isLive: (session: LiveSession) => boolean;
  /** Whether the mocks that this node serves now are still its own, whenever that is called. */
  readonly sameHomes: () => () => boolean;
}

export function mockStreamApi(
  owners: OwnerDirectory,
  scopes: readonly TrafficScope[],
  traffic: MockTraffic,
  { mayContinue, isLive, sameHomes }: StreamPermits,
): Endpoint[] {
  const followedBy = (ownerId: string): FollowedRecords<TrafficRecord, TrafficSelection> => ({
    async requests(mockId, asked) {
      const [page, [ownerWaits]] = await Promise.all([
        traffic.requests(mockId, asked),
        asked.countsStatuses === true ? traffic.ownerWaits(ownerId) : [],
      ]);
      return page?.totals === undefined ? page : { ...page, totals: { ...page.totals, ownerWaits } };
    },
    eventName: ({ message }) => (message === undefined ? 'request' : 'message'),
    represent: (record, { isSummary }) => (isSummary === true ? representSummary : representRequest)(record),
  });
  return scopes.map((scope) =>
    operationsOf('Traffic', scope)('streamRequests', 'GET /requests/stream', {
      summary:
        'Follow recorded requests as server-sent events: `request`, `message` (WebSocket), `dropped` with a count, `reset`, and `counts` once a second',
      query: scope.kind === 'mock' ? streamQuerySchema : sessionStreamQuerySchema,
      events: true,
      refuses: ['overloaded'],
      readQuery: (query, { head }) => parseStreamQuery(query, head.lastEventId, scope.kind),
      async run(call, { found, query }) {
        const { mock, live } = found;
        const { rules, after } = query;
        if (!admitStream(call, mayContinue)) return;
        const conditions = rules.length === 0 ? {} : { conditions: { rules, clock: clockOf(found) } };
        const selection = { ...query.selection, ...conditions, ...scopeFilter(found) };
        const isHome = sameHomes();
        const isAllowed = async (): Promise<boolean> =>
          isHome() && mayContinue(call) && (live === undefined ? exists(owners, call, mock.id) : isLive(live));
        await follow(call, mock.id, { selection, after }, followedBy(call.caller.ownerId), isAllowed);
      },
    }),
  );
}

function exists(owners: OwnerDirectory, call: Call, mockId: string): Promise<boolean> {
  return new Promise((resolve) => {
    owners.query(readMock, { mockId }, call.caller, (found) => resolve(!isRefusal(found)));
  });
}
