/**
 * HAR 1.2 of recorded requests of a mock, of exchanges with its upstream, of its callbacks, and of exchanges of the gateway. What a mock itself answered is not
 * recorded: the body is that of the response's definition, where it is the same for every request.
 */
import { bufferOf } from '../../base/bytes.ts';
import type { ExchangeBody, ExchangeRecord } from '../../model/gateway/exchange.ts';
import type { CallbackRecord } from '../../model/mocks/callback-record.ts';
import type { HeaderLine, MockResponse } from '../../model/mocks/definition/definition.ts';
import { codeOfType } from '../../model/mocks/sockets/message-record.ts';
import { representUpstream, type TrafficRecord } from '../../model/mocks/traffic.ts';
import type { RecordedExchange } from '../../model/mocks/upstream/recording.ts';
import { headerOf } from '../exchanges/reply-headers.ts';
import { streamAsBody } from './stream-as-body.ts';

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

/** @param version That of Switchyard. @param entries The oldest first. */
export function archiveOf(entries: readonly object[], version: string): Har {
  return { log: { version: '1.2', creator: { name: 'Switchyard', version }, pages: [], entries } };
}

const HTTP_VERSION = 'HTTP/1.1';
/** HAR: not known. */
const UNKNOWN = -1;

interface Message {
  readonly headers: readonly HeaderLine[];
  /** Bytes of the body, and its text; undefined where there is none that is known. */
  readonly size: number;
  readonly text: string | undefined;
}

interface Request extends Message {
  readonly method: string;
  readonly url: string;
  readonly query: string;
}

interface Response extends Message {
  readonly status: number;
  readonly statusText: string;
  readonly encoding?: 'base64' | undefined;
  /** Bytes that were sent; those of the body when absent. */
  readonly sentBytes?: number;
}

interface Times {
  readonly time: number;
  /** Milliseconds until the response head, and in all. */
  readonly waitMs: number;
  readonly ms: number;
}

/** An entry of any source. @param more Members besides. */
function entryOf({ time, waitMs, ms }: Times, request: Request, response: Response, more: object): object {
  const { text, encoding, size, sentBytes = size } = response;
  return {
    startedDateTime: new Date(time).toISOString(),
    time: ms,
    request: {
      method: request.method,
      url: request.url,
      httpVersion: HTTP_VERSION,
      cookies: [],
      headers: request.headers,
      queryString: [...new URLSearchParams(request.query)].map(([name, value]) => ({ name, value })),
      headersSize: UNKNOWN,
      bodySize: request.size,
      ...(request.text === undefined ? {} : { postData: { mimeType: mimeTypeOf(request), text: request.text } }),
    },
    response: {
      status: response.status,
      statusText: response.statusText,
      httpVersion: HTTP_VERSION,
      cookies: [],
      headers: response.headers,
      content: {
        size,
        mimeType: mimeTypeOf(response),
        ...(text === undefined ? {} : { text, ...(encoding === undefined ? {} : { encoding }) }),
      },
      redirectURL: headerOf(response.headers, 'location') ?? '',
      headersSize: UNKNOWN,
      bodySize: sentBytes,
    },
    cache: {},
    timings: { send: 0, wait: waitMs, receive: Math.max(0, ms - waitMs) },
    ...more,
  };
}

function mimeTypeOf({ headers }: Message): string {
  return headerOf(headers, 'content-type') ?? '';
}

interface RequestSource {
  /** The address of the mock, without "/" at its end. */
  readonly url: string;
  /** @returns undefined when the version that answered is not known any more. */
  readonly responseOf: (record: TrafficRecord) => MockResponse | undefined;
  /** Messages on the WebSockets among the requests, oldest first. */
  readonly messages?: readonly TrafficRecord[];
}

/** Entries of recorded requests. */
export function requestEntries({ url, responseOf, messages = [] }: RequestSource): (record: TrafficRecord) => object {
  return (record) => {
    const isSocket = record.status === SWITCHING;
    const response = isSocket || record.responseId === '' ? undefined : responseOf(record);
    return {
      ...requestEntry(record, isSocket ? url.replace(/^http/, 'ws') : url, response),
      ...(isSocket ? socketMembers(messages.filter(({ message }) => message?.requestId === `${record.number}`)) : {}),
    };
  };
}

/** The answer to a handshake that becomes a WebSocket. */
const SWITCHING = 101;

/** Members of a WebSocket as browsers write them. A close is not a message. */
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

function requestEntry(record: TrafficRecord, base: string, response: MockResponse | undefined): object {
  const { time, durationMs, method, path, query, headers, routeId, responseId, version, bodyTruncated } = record;
  const { problem, fault, stream, upstream } = record;
  const bytes = bufferOf(record.body);
  const text = bytes.length === 0 ? undefined : bytes.toString('utf8');
  const comment = fault === undefined ? problem : `fault: ${fault}`;
  return entryOf(
    { time, waitMs: durationMs, ms: durationMs + (stream?.ms ?? 0) },
    { method, url: urlOf(base, path, query), query, headers, size: bytes.length, text },
    responseOfMock(record, response),
    {
      ...(comment === '' ? {} : { comment }),
      _switchyard: {
        routeId: routeId || null,
        responseId: responseId || null,
        version,
        truncated: bodyTruncated,
        ...(fault === undefined ? {} : { fault }),
      },
      ...(upstream === undefined ? {} : { _upstream: representUpstream(upstream) }),
    },
  );
}

function urlOf(base: string, path: string, query: string): string {
  return `${base}${path}${query === '' ? '' : `?${query}`}`;
}

function responseOfMock(record: TrafficRecord, response: MockResponse | undefined): Response {
  const { method, status, problem, fault } = record;
  const hasBody = method !== 'HEAD' && status !== 0 && status !== 204 && status !== 304;
  const isKnown = response !== undefined && problem === '' && fault === undefined && response.templated === false;
  const headers = isKnown ? streamAsBody(response).headers : [];
  const whole = isKnown ? wholeOf(response, record) : undefined;
  const encoding = whole?.bodyEncoding === 'base64' ? 'base64' : undefined;
  const bytes = whole === undefined ? UNKNOWN : Buffer.byteLength(whole.body, encoding);
  const size = hasBody ? bytes : 0;
  return { status, statusText: '', headers, size, text: size > 0 ? whole?.body : undefined, encoding };
}

/** @returns undefined for a stream of which more or less was sent than its events once. */
function wholeOf(response: MockResponse, { stream: sent }: TrafficRecord): MockResponse | undefined {
  const { stream } = response;
  if (stream === undefined) return response;
  const isWhole = sent?.ended === 'script' && sent.events === stream.events.length && stream.ids === undefined;
  return isWhole ? streamAsBody(response) : undefined;
}

/** Entry of an exchange with an upstream. @param base The path follows it, as within the mock: what the upstream was asked for is `_switchyard.url`. */
export function recordedEntry(exchange: RecordedExchange, base: string): object {
  const { id, session, time, headMs = 0, durationMs, method, path, query, url, request, response } = exchange;
  const { partial, open, failed } = exchange;
  const { status, reason, headers, ...answered } = response ?? NO_RESPONSE;
  return entryOf(
    { time, waitMs: headMs, ms: durationMs },
    { method, url: urlOf(base, path, query), query, headers: request.headers, ...textOf(request) },
    { status, statusText: reason, headers, ...contentOf(answered) },
    {
      ...(failed === undefined ? {} : { comment: `${failed.kind}: ${failed.reason}` }),
      _switchyard: { id, session, url, partial, open, failed, ...membersOf(request, response) },
    },
  );
}

const NO_RESPONSE = { status: 0, reason: '', headers: [], body: '' };

/** Entry of an exchange of the gateway. Its lines are those of the client: a body that was sent encoded had other bytes. */
export function exchangeEntry(record: ExchangeRecord): object {
  const { time, ms, totalMs = ms, method, url, status, statusText, requestHeaders, responseHeaders } = record;
  const { problem, requestBody, responseBody, number, session, outcome, ruleIds, attached, version } = record;
  const query = URL.canParse(url) ? new URL(url).search : '';
  return entryOf(
    { time, waitMs: ms, ms: totalMs },
    { method, url, query, headers: requestHeaders, ...textOf(requestBody) },
    { status, statusText, headers: responseHeaders, ...contentOf(responseBody), sentBytes: UNKNOWN },
    {
      ...(problem === undefined ? {} : { comment: problem }),
      _switchyard: { number, session, outcome, ruleIds, attached, version, ...membersOf(requestBody, responseBody) },
    },
  );
}

/** Entry of a callback, with its last attempt: what is kept of an answer is its status. */
export function callbackEntry(record: CallbackRecord): object {
  const { time, method, url, headers, problem, attempts, body, bodyEncoding, ...kept } = record;
  const { status = null, ms = 0 } = attempts.at(-1) ?? {};
  const query = URL.canParse(url) ? new URL(url).search : '';
  const sent = { body, ...(bodyEncoding === undefined ? {} : { bodyEncoding }) };
  return entryOf(
    { time, waitMs: ms, ms },
    { method, url, query, headers, ...textOf(sent) },
    { status: status ?? 0, statusText: '', headers: [], size: UNKNOWN, text: undefined },
    {
      ...(problem === null ? {} : { comment: problem }),
      _switchyard: { ...kept, attempts, ...membersOf(sent, undefined) },
    },
  );
}

/** A body of a request is text. */
function textOf(body: ExchangeBody | undefined): Pick<Message, 'size' | 'text'> {
  const { size, text, encoding } = contentOf(body);
  return { size, text: encoding === undefined ? text : undefined };
}

function contentOf(body: ExchangeBody | undefined): Pick<Response, 'size' | 'text' | 'encoding'> {
  if (body === undefined || body.bodyOmitted !== undefined) return { size: UNKNOWN, text: undefined };
  const size = Buffer.byteLength(body.body, body.bodyEncoding ?? 'utf8');
  return { size, text: size > 0 ? body.body : undefined, encoding: body.bodyEncoding };
}

/** Members that HAR has no place for: also the body of a request that is not text. */
function membersOf(request: ExchangeBody | undefined, response: ExchangeBody | undefined): object {
  return {
    requestOmitted: request?.bodyOmitted,
    responseOmitted: response?.bodyOmitted,
    ...(request?.bodyEncoding === 'base64' ? { requestBase64: request.body } : {}),
  };
}
