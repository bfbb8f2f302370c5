/**
 * Recorded requests of a mock as HAR 1.2. What a mock answered is not recorded: the body is that of the response's definition, where it is the
 * same for every request.
 */
import { bufferOf } from '../../base/bytes.ts';
import type { MockResponse } from '../../model/mocks/definition/definition.ts';
import { representUpstream, type TrafficRecord } from '../../model/mocks/traffic.ts';
import { headerOf } from '../exchanges/reply-headers.ts';

interface HarSource {
  /** The address of the mock, without "/" at its end. */
  readonly url: string;
  /** The version of Switchyard. */
  readonly version: string;
  /** @returns undefined when the version that answered is not known any more. */
  readonly responseOf: (record: TrafficRecord) => MockResponse | undefined;
}

/** A value for `JSON.stringify`. */
interface Har {
  readonly log: {
    readonly version: string;
    readonly creator: object;
    readonly pages: readonly object[];
    /** The oldest request first. */
    readonly entries: readonly object[];
  };
}

export function writeHar(records: readonly TrafficRecord[], { url, version, responseOf }: HarSource): Har {
  const entries = records
    .toSorted((one, other) => one.number - other.number)
    .map((record) => entryOf(record, url, record.responseId === '' ? undefined : responseOf(record)));
  return { log: { version: '1.2', creator: { name: 'Switchyard', version }, pages: [], entries } };
}

const HTTP_VERSION = 'HTTP/1.1';
/** HAR: not known. */
const UNKNOWN = -1;

function entryOf(record: TrafficRecord, url: string, response: MockResponse | undefined): object {
  const { time, durationMs, routeId, responseId, version, bodyTruncated, problem, fault, upstream } = record;
  const comment = fault === undefined ? problem : `fault: ${fault}`;
  return {
    startedDateTime: new Date(time).toISOString(),
    time: durationMs,
    request: requestOf(record, url),
    response: responseOfEntry(record, response),
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    ...(comment === '' ? {} : { comment }),
    _switchyard: {
      routeId: routeId || null,
      responseId: responseId || null,
      version,
      truncated: bodyTruncated,
      ...(fault === undefined ? {} : { fault }),
    },
    ...(upstream === undefined ? {} : { _upstream: representUpstream(upstream) }),
  };
}

function requestOf({ method, path, query, headers, body }: TrafficRecord, url: string): object {
  const bytes = bufferOf(body);
  return {
    method,
    url: `${url}${path}${query === '' ? '' : `?${query}`}`,
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers,
    queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
    headersSize: UNKNOWN,
    bodySize: bytes.length,
    ...(bytes.length === 0
      ? {}
      : { postData: { mimeType: headerOf(headers, 'content-type') ?? '', text: bytes.toString('utf8') } }),
  };
}

function responseOfEntry(
  { method, status, problem, fault }: TrafficRecord,
  response: MockResponse | undefined,
): object {
  const hasBody = method !== 'HEAD' && status !== 0 && status !== 204 && status !== 304;
  const isKnown = response !== undefined && problem === '' && fault === undefined && !response.templated;
  const headers = isKnown ? response.headers : [];
  const isBase64 = isKnown && response.bodyEncoding === 'base64';
  const bytes = isKnown && hasBody ? Buffer.byteLength(response.body, isBase64 ? 'base64' : 'utf8') : UNKNOWN;
  const size = hasBody ? bytes : 0;
  return {
    status,
    statusText: '',
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers,
    content: {
      size,
      mimeType: headerOf(headers, 'content-type') ?? '',
      ...(size > 0 && isKnown ? { text: response.body, ...(isBase64 ? { encoding: 'base64' } : {}) } : {}),
    },
    redirectURL: headerOf(headers, 'location') ?? '',
    headersSize: UNKNOWN,
    bodySize: size,
  };
}
