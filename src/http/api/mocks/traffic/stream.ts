/**
 * The live stream of a mock's requests, as server-sent events; docs/mocks-traffic.md, `GET /mocks/:id/requests/stream`.
 *
 * The data plane is polled for new requests (traffic-feed.ts), independent of the number and speed of followers: a
 * stream never holds it up. A follower that does not keep up misses requests, and gets a count of them.
 */
import { isRefusal } from '../../../../errors.ts';
import { readMock } from '../../../../model/mocks/show/query-mock.ts';
import { sessionStreamQuerySchema, streamQuerySchema } from '../../../../model/mocks/traffic-queries.ts';
import { type TrafficRecord } from '../../../../model/mocks/traffic.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { LiveSession } from '../../../../sessions/live-sessions.ts';
import type { Call } from '../../../call.ts';
import { endpoint, type Endpoint } from '../../../endpoint.ts';
import { EVENT_STREAM, EventStream, hasRoom } from '../../../event-stream.ts';
import { representRequest, representSummary } from './recorded-request.ts';
import type { MockTraffic } from './traffic.ts';
import type { Numbered, RecordSelection } from './traffic-cursor.ts';
import { catchUp, followTraffic, type Followed, type Follower } from './traffic-feed.ts';
import { parseStreamQuery, type StreamPosition, type TrafficSelection } from './traffic-query.ts';
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
  const followedBy = (ownerId: string): Followed<TrafficRecord, TrafficSelection> => ({
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
  return scopes.map(({ kind, path, suffix, refusals, enter }) =>
    endpoint({
      method: 'GET',
      path: `${path}/requests/stream`,
      access: 'read',
      doc: {
        operationId: `streamRequests${suffix}`,
        tag: 'Traffic',
        summary:
          'Follow recorded requests as server-sent events: `request`, `message` (WebSocket), `dropped` with a count, `reset`, and `counts` once a second',
        query: kind === 'mock' ? streamQuerySchema : sessionStreamQuerySchema,
        answer: Type.Object({}),
        contentType: 'text/event-stream',
        headers: ['Last-Event-ID'],
        refusals: [...refusals, 'badRequest', 'overloaded'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const { mock, live } = scoped;
          const asked = parseStreamQuery(call.head.query, call.head.lastEventId, kind);
          if (isRefusal(asked)) return call.refuse(asked);
          if (call.head.method === 'HEAD') return call.send(200, EVENT_STREAM, '');
          if (!hasRoom(call.caller.ownerId)) return call.refuse('overloaded');
          if (!mayContinue(call)) return call.refuse('draining');
          const isThere = async (): Promise<boolean> =>
            live === undefined ? exists(owners, call, mock.id) : isLive(live);
          const conditions =
            asked.rules.length === 0 ? {} : { conditions: { rules: asked.rules, clock: clockOf(scoped) } };
          const query = { ...asked, selection: { ...asked.selection, ...conditions, ...scopeFilter(scoped) } };
          const isHome = sameHomes();
          const isAllowed = async (): Promise<boolean> => isHome() && mayContinue(call) && (await isThere());
          return follow(call, mock.id, query, followedBy(call.caller.ownerId), isAllowed);
        }),
    }),
  );
}

function exists(owners: OwnerDirectory, call: Call, mockId: string): Promise<boolean> {
  return new Promise((resolve) => {
    owners.query(readMock, { mockId }, call.caller, (found) => resolve(!isRefusal(found)));
  });
}

/** Runs until the client disconnects, its access ends, another node has what is followed, or the service stops. */
export async function follow<Record extends Numbered, Selection extends RecordSelection>(
  call: Call,
  id: string,
  { selection, after }: { readonly selection: Selection; readonly after: StreamPosition | undefined },
  followed: Followed<Record, Selection>,
  isAllowed: () => Promise<boolean>,
): Promise<void> {
  const stream = new EventStream(call);
  const follower: Follower = {
    after,
    onBegin: () => call.startStream(EVENT_STREAM),
    stream,
    missed: 0,
    missedReset: false,
  };
  const leave = followTraffic(id, selection, followed, follower);
  try {
    await stream.hold(isAllowed, () => catchUp(follower));
  } finally {
    leave();
  }
}
