/** A page of recorded requests as HAR 1.2. It ends where a page of the list would, with as many of the newest as fit. */
import { writeHar } from '../../../../interchange/formats/har-write.ts';
import { PAGE_BYTES_MAX, TRAFFIC_LIMIT_MAX } from '../../../../limits.ts';
import type { MockResponse } from '../../../../model/mocks/definition/definition.ts';
import type { Mock } from '../../../../model/mocks/mock.ts';
import type { TrafficFilter, TrafficPage, TrafficRecord } from '../../../../model/mocks/traffic.ts';
import type { Call } from '../../../call.ts';

/** Where a mock answers, and of which Switchyard. */
export interface HarOrigin {
  readonly urlOf: (mockId: string) => string;
  readonly version: string;
}

/** Filter for the messages on the WebSockets of a page, at most one page of them. */
export function messagesOf({ records }: TrafficPage): TrafficFilter | undefined {
  const handshakes = records.filter(({ status }) => status === SWITCHING).map(({ number }) => number);
  if (handshakes.length === 0) return undefined;
  return { message: 'any', afterNumber: Math.min(...handshakes), isOldestFirst: true, limit: TRAFFIC_LIMIT_MAX };
}

const SWITCHING = 101;

/** @param said See `messagesOf`. */
export function replyHar(
  call: Call,
  mock: Mock,
  page: TrafficPage,
  said: TrafficPage | undefined,
  { urlOf, version }: HarOrigin,
): void {
  const { records, count: total, hasMore, truncated } = page;
  const responseOf = servedResponses(mock);
  const url = urlOf(mock.id).replace(/(?<!\/)\/+$/, '');
  const { log } = writeHar(records, { url, version, responseOf, messages: said?.records ?? [] });
  const texts: string[] = [];
  let bytes = 0;
  for (const entry of log.entries.toReversed()) {
    const text = JSON.stringify(entry);
    bytes += Buffer.byteLength(text) + 1;
    if (texts.length > 0 && bytes > PAGE_BYTES_MAX) break;
    texts.push(text);
  }
  const isCut = hasMore || texts.length < records.length;
  const nextBefore = isCut ? (records[texts.length - 1]?.number ?? null) : null;
  const head = JSON.stringify({
    ...log,
    entries: undefined,
    _switchyard: { total, truncated, nextBefore, ...(said?.hasMore === true ? { messagesCut: true } : {}) },
  });
  const body = Buffer.from(`{"log":${head.slice(0, -1)},"entries":[${texts.toReversed().join()}]}}`);
  const headers = `\r\ncontent-disposition: attachment; filename="${mock.id}.har"`;
  call.answer(body.length, () => call.send(200, 'application/json; charset=utf-8', body, headers), 1);
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
