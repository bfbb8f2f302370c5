/** A page of recorded requests as HAR 1.2. */
import { requestEntries } from '../../../../interchange/formats/har-write.ts';
import { TRAFFIC_LIMIT_MAX } from '../../../../limits.ts';
import type { MockResponse } from '../../../../model/mocks/definition/definition.ts';
import type { Mock } from '../../../../model/mocks/mock.ts';
import type { TrafficFilter, TrafficPage, TrafficRecord } from '../../../../model/mocks/traffic.ts';
import type { Call } from '../../../call.ts';
import { replyHar, type HarOrigin } from '../../journal/har.ts';

/** Filter for the messages on the WebSockets of a page, at most one page of them. */
export function messagesOf({ records }: TrafficPage): TrafficFilter | undefined {
  const handshakes = records.filter(({ status }) => status === SWITCHING).map(({ number }) => number);
  if (handshakes.length === 0) return undefined;
  return { message: 'any', afterNumber: Math.min(...handshakes), isOldestFirst: true, limit: TRAFFIC_LIMIT_MAX };
}

const SWITCHING = 101;

/** @param said See `messagesOf`. */
export function replyRequestsHar(
  call: Call,
  mock: Mock,
  page: TrafficPage,
  said: TrafficPage | undefined,
  { urlOf, version }: HarOrigin,
): void {
  const url = urlOf(mock.id).replace(/(?<!\/)\/+$/, '');
  const entryOf = requestEntries({ url, responseOf: servedResponses(mock), messages: said?.records ?? [] });
  const more = said?.hasMore === true ? { messagesCut: true } : {};
  replyHar(call, page, { entryOf, name: mock.id, version, more });
}

/**
 * The response that answered a request, where it is what is served now: the content of older routes is in the store, and
 * may be 50 times as much as a mock.
 */
function servedResponses({ saved, versions }: Mock): (record: TrafficRecord) => MockResponse | undefined {
  const routes = new Map(saved.routes.map((each) => [each.route.id, each]));
  const revisions = new Map(versions.map(({ number, revisions: listed }) => [number, new Set(listed)]));
  return ({ session, routeId, responseId, version, proxied }) => {
    // Which overlay answered is not known any more, and what an upstream answered was not kept.
    if (session !== '' || proxied === true) return undefined;
    const served = routes.get(routeId);
    if (served === undefined || revisions.get(version)?.has(served.revision) !== true) return undefined;
    return served.route.responses.find(({ id }) => id === responseId);
  };
}
