/**
 * Recorded requests of a mock as HAR 1.2, and recorded exchanges with its upstream. What a mock itself answered is not recorded: the body is
 * that of the response's definition, where it is the same for every request.
 */
import { bufferOf } from '../../base/bytes.ts';
import type { MockResponse } from '../../model/mocks/definition/definition.ts';
import { codeOfType } from '../../model/mocks/sockets/message-record.ts';
import { representUpstream, type TrafficRecord } from '../../model/mocks/traffic.ts';
import type { RecordedExchange } from '../../model/mocks/upstream/recording.ts';
import { headerOf } from '../exchanges/reply-headers.ts';
import { streamAsBody } from './stream-as-body.ts';

/** Where a mock answers, and of which Switchyard. */
interface HarOrigin {
  /** The address of the mock, without "/" at its end. */
  readonly url: string;
  /** The version of Switchyard. */
  readonly version: string;
}

interface HarSource extends HarOrigin {
  /** @returns undefined when the version that answered is not known any more. */
  readonly responseOf: (record: TrafficRecord) => MockResponse | undefined;
  /** Messages on the WebSockets among the requests, oldest first. */
  readonly messages?: readonly TrafficRecord[];
}

/** A value for `JSON.stringify`. */
export interface Har {
  readonly log: {
    readonly version: string;
    readonly creator: object;
    readonly pages: readonly object[];
    /** The oldest request first. */
    readonly entries: readonly object[];
  };
}

export function writeHar(records: readonly TrafficRecord[], { url, version, responseOf, messages }: HarSource): Har {
  const bySocket = new Map<string, TrafficRecord[]>();
  for (const each of messages ?? []) {
    const id = each.message?.requestId ?? '';
    const known = bySocket.get(id);
    if (known === undefined) bySocket.set(id, [each]);
    else known.push(each);
  }
  const entries = records
    .toSorted((one, other) => one.number - other.number)
    .map((record) => {
      const isSocket = record.status === SWITCHING;
      const response = isSocket || record.responseId === '' ? undefined : responseOf(record);
      return {
        ...entryOf(record, isSocket ? url.replace(/^http/, 'ws') : url, response),
        ...(isSocket ? socketMembers(bySocket.get(String(record.number)) ?? []) : {}),
      };
    });
  return archiveOf(entries, version);
}

/** The answer to a handshake that becomes a WebSocket. */
const SWITCHING = 101;

/** As browsers write them. A close is not a message. */
function socketMembers(messages: readonly TrafficRecord[]): object {
  return {
    _resourceType: 'websocket',
    _webSocketMessages: messages.flatMap(({ message, time, body, bodyTruncated }) =>
      message === undefined || message.type === 'close'
        ? []
        : {
            type: message.direction === 'in' ? 'send' : 'receive',
            time: time / 1_000,
            opcode: codeOfType(message.type),
            data: bufferOf(body).toString(message.type === 'text' ? 'utf8' : 'base64'),
            ...(bodyTruncated ? { _truncated: true } : {}),
          },
    ),
  };
}

/** The paths are those within the mock: what the upstream was asked for is `_switchyard.url`. */
export function writeRecordedHar(exchanges: readonly RecordedExchange[], { url, version }: HarOrigin): Har {
  const entries = exchanges
    .toSorted((one, other) => Number(one.id) - Number(other.id))
    .map((exchange) => exchangeEntryOf(exchange, url));
  return archiveOf(entries, version);
}

function archiveOf(entries: readonly object[], version: string): Har {
  return { log: { version: '1.2', creator: { name: 'Switchyard', version }, pages: [], entries } };
}

const HTTP_VERSION = 'HTTP/1.1';
/** HAR: not known. */
const UNKNOWN = -1;

function entryOf(record: TrafficRecord, url: string, response: MockResponse | undefined): object {
  const { time, durationMs, routeId, responseId, version, bodyTruncated, problem, fault, stream, upstream } = record;
  const receive = stream?.ms ?? 0;
  const comment = fault === undefined ? problem : `fault: ${fault}`;
  return {
    startedDateTime: new Date(time).toISOString(),
    time: durationMs + receive,
    request: requestOf(record, url),
    response: responseOfEntry(record, response),
    cache: {},
    timings: { send: 0, wait: durationMs, receive },
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
  const text = bytes.length === 0 ? undefined : bytes.toString('utf8');
  return requestMembers({ method, path, query, headers }, url, { size: bytes.length, text });
}

function requestMembers(
  { method, path, query, headers }: Pick<TrafficRecord, 'method' | 'path' | 'query' | 'headers'>,
  url: string,
  { size, text }: { readonly size: number; readonly text: string | undefined },
): object {
  return {
    method,
    url: `${url}${path}${query === '' ? '' : `?${query}`}`,
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers,
    queryString: [...new URLSearchParams(query)].map(([name, value]) => ({ name, value })),
    headersSize: UNKNOWN,
    bodySize: size,
    ...(text === undefined ? {} : { postData: { mimeType: headerOf(headers, 'content-type') ?? '', text } }),
  };
}

/** What HAR has no place for is in `_switchyard`: also the body of a request that is not text. */
function exchangeEntryOf(exchange: RecordedExchange, base: string): object {
  const { id, session, time, headMs = 0, durationMs, url, request, response, partial, open, failed } = exchange;
  const isBinary = request.bodyEncoding === 'base64';
  const asked = request.body === '' || isBinary ? undefined : request.body;
  return {
    startedDateTime: new Date(time).toISOString(),
    time: durationMs,
    request: requestMembers({ ...exchange, headers: request.headers }, base, { size: sizeOf(request), text: asked }),
    response: recordedResponse(response),
    cache: {},
    timings: { send: 0, wait: headMs, receive: Math.max(0, durationMs - headMs) },
    ...(failed === undefined ? {} : { comment: `${failed.kind}: ${failed.reason}` }),
    _switchyard: {
      id,
      session,
      url,
      partial,
      open,
      failed,
      requestOmitted: request.bodyOmitted,
      responseOmitted: response?.bodyOmitted,
      ...(isBinary ? { requestBase64: request.body } : {}),
    },
  };
}

function recordedResponse(response: RecordedExchange['response']): object {
  const { status, reason, headers, body, bodyEncoding } = response ?? { ...NO_RESPONSE, bodyEncoding: undefined };
  const size = response === undefined ? 0 : sizeOf(response);
  return {
    status,
    statusText: reason,
    httpVersion: HTTP_VERSION,
    cookies: [],
    headers,
    content: {
      size,
      mimeType: headerOf(headers, 'content-type') ?? '',
      ...(size > 0 ? { text: body } : {}),
      ...(size > 0 && bodyEncoding !== undefined ? { encoding: bodyEncoding } : {}),
    },
    redirectURL: headerOf(headers, 'location') ?? '',
    headersSize: UNKNOWN,
    bodySize: size,
  };
}

const NO_RESPONSE = { status: 0, reason: '', headers: [], body: '' };

function sizeOf({ body, bodyEncoding, bodyOmitted }: RecordedExchange['request']): number {
  return bodyOmitted === undefined ? Buffer.byteLength(body, bodyEncoding ?? 'utf8') : UNKNOWN;
}

function responseOfEntry(record: TrafficRecord, response: MockResponse | undefined): object {
  const { method, status, problem, fault } = record;
  const hasBody = method !== 'HEAD' && status !== 0 && status !== 204 && status !== 304;
  const isKnown = response !== undefined && problem === '' && fault === undefined && response.templated === false;
  const headers = isKnown ? streamAsBody(response).headers : [];
  const whole = isKnown ? wholeOf(response, record) : undefined;
  const isBase64 = whole?.bodyEncoding === 'base64';
  const bytes = whole !== undefined && hasBody ? Buffer.byteLength(whole.body, isBase64 ? 'base64' : 'utf8') : UNKNOWN;
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
      ...(size > 0 && whole !== undefined ? { text: whole.body, ...(isBase64 ? { encoding: 'base64' } : {}) } : {}),
    },
    redirectURL: headerOf(headers, 'location') ?? '',
    headersSize: UNKNOWN,
    bodySize: size,
  };
}

/** @returns undefined for a stream of which more or less was sent than its events once. */
function wholeOf(response: MockResponse, { stream: sent }: TrafficRecord): MockResponse | undefined {
  const { stream } = response;
  if (stream === undefined) return response;
  const isWhole = sent?.ended === 'script' && sent.events === stream.events.length && stream.ids === undefined;
  return isWhole ? streamAsBody(response) : undefined;
}
