/** One entry of a HAR: what distinguishes its request from others, and what a mock can answer of its response. */
import { essenceOf } from '../../base/content-type.ts';
import { asBase64 } from '../../base/base64.ts';
import { isUtf8 } from 'node:buffer';
import { SAMPLE_BYTES_MAX } from '../../limits.ts';
import type { HeaderLine, MockStream, Sample } from '../../model/mocks/definition/definition.ts';
import { eventText, type EventParts } from '../../model/mocks/streams/event-text.ts';
import { readEvents } from '../../model/mocks/streams/read-events.ts';
import { sampleBytes, sampleHeaderProblem } from '../../model/mocks/upstream/sample.ts';
import {
  bodyValues,
  fieldValues,
  OPAQUE,
  queryValues,
  requestValue,
  type RequestValue,
} from '../exchanges/request-values.ts';
import { isCredential } from '../../base/credentials.ts';
import { NO_PARAMETER, segmentsOf, type IsParameter } from '../exchanges/id-segments.ts';
import { isRoutePath, literalSegment, routeMethod } from '../exchanges/literal-path.ts';
import {
  countCredentials,
  headerOf,
  inUtf8,
  isAscii,
  keptHeaders,
  type RecordedHeader,
} from '../exchanges/reply-headers.ts';
import { evenly, isEventStream, streamOf } from '../exchanges/read-stream.ts';
import type { Exchange } from '../exchanges/tell-apart.ts';
import type { ImportOptions } from '../format.ts';
import { decodeOnce } from '../../base/percent.ts';
import { countMembers, numberIn, objectsIn, textIn, toNumber, typed, type Members } from '../reading/members.ts';
import type { Item, ReportWriter } from '../report/report.ts';
import type { Member } from '../source/member.ts';

export interface Entry extends Exchange {
  readonly item: Item;
  readonly method: string;
  readonly path: RecordedPath;
  /** The same without ids that became parameters, for a route of its own. */
  readonly ownPath: RecordedPath;
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: string;
  readonly bodyEncoding: 'text' | 'base64';
  /** The entity tag by which the browser learned that its copy, which was recorded, is still good. */
  readonly unchangedTag: string | undefined;
  /** Stream that is sent in place of the body. */
  readonly stream: MockStream | undefined;
  /** Milliseconds; undefined unless it is asked for. */
  readonly latency: number | undefined;
  /** Lines of the request that may decide about its answer, by name in lower case. */
  readonly requestHeaders: () => ReadonlyMap<string, string>;
  /** The request, where it is asked for. */
  readonly sample: Sample | undefined;
}

/** How an entry is read. */
interface Reading {
  readonly options: ImportOptions;
  readonly isParameter: IsParameter;
  readonly report: ReportWriter;
}

/** The class of what has no effect; tools put an underscore before names of their own. */
export const RECORDING = { code: 'har.recording', extensions: /^_/ } as const;

const LINES: Members = { name: ['text'], value: ['text'], comment: ['text'] };
const COOKIES: Members = {
  ...LINES,
  path: ['text'],
  domain: ['text'],
  expires: ['text'],
  httpOnly: ['flag'],
  secure: ['flag'],
  sameSite: ['text'],
};
const SIZES: Members = { httpVersion: ['text'], headersSize: ['number'], bodySize: ['number'], comment: ['text'] };
const CACHED: Members = {
  expires: ['text'],
  lastAccess: ['text'],
  eTag: ['text'],
  hitCount: ['number'],
  comment: ['text'],
};
const ENTRY: Members = {
  pageref: ['text'],
  startedDateTime: ['text'],
  time: ['number'],
  serverIPAddress: ['text'],
  connection: ['text', 'number'],
  comment: ['text'],
  cache: { beforeRequest: CACHED, afterRequest: CACHED, comment: ['text'] },
  timings: {
    blocked: ['number'],
    dns: ['number'],
    connect: ['number'],
    send: ['number'],
    wait: ['number'],
    receive: ['number'],
    ssl: ['number'],
    comment: ['text'],
  },
};
const REQUEST: Members = { ...SIZES, queryString: LINES };
const RESPONSE: Members = {
  ...SIZES,
  statusText: ['text'],
  redirectURL: ['text'],
  redirectionURL: ['text'],
  cookies: COOKIES,
};
const CONTENT: Members = { size: ['number'], compression: ['number'], comment: ['text'] };
const POST_DATA: Members = { mimeType: ['text'], text: ['text'], comment: ['text'] };
const PARAM: Members = { ...LINES, fileName: ['text'], contentType: ['text'] };

/** @param url Parsed from the entry. @returns undefined for an entry that is left out, which is noted. */
export function readEntry(
  entry: Member,
  url: URL,
  item: Item,
  { options, isParameter, report }: Reading,
): Entry | undefined {
  const request = typed(entry, 'request', 'object') as Member;
  request.get('url');
  const method = routeMethod(textIn(request, 'method') ?? '');
  const path = readPath(url, isParameter);
  const ownPath = readPath(url, NO_PARAMETER);
  if (method === undefined || path === undefined || ownPath === undefined) {
    entry.whole();
    item.note('har.request');
    return undefined;
  }
  item.name = `${method} ${path.text}`;
  const response = typed(entry, 'response', 'object');
  const recordedStatus = response && numberIn(response, 'status');
  // The browser had the content, and recorded it.
  const isCached = recordedStatus === 304 && (response?.at('/content/text')?.text() ?? '') !== '';
  const status = isCached ? 200 : recordedStatus;
  if (response === undefined || status === undefined || status < FINAL_STATUS_MIN) {
    entry.whole();
    item.note('har.status');
    return undefined;
  }
  countMembers(entry, ENTRY, RECORDING, report);
  countMembers(request, REQUEST, RECORDING, report);
  const sample = options.samples === true ? readSample(entry, url, report) : undefined;
  const code = sample === undefined ? 'har.request-headers' : RECORDING.code;
  countMembers(request, { headers: LINES, cookies: COOKIES }, { code }, report);
  countMembers(response, RESPONSE, RECORDING, report);
  if (entry.at('/_switchyard/partial')?.value === true) {
    entry.whole();
    item.note('recording.partial');
    return undefined;
  }
  if (entry.at('/_switchyard/open')?.value === true) item.note('recording.stream');
  if (recordedStatus === 304) item.note(isCached ? 'har.cached' : 'har.not-modified');

  const asked = readBody(request, report);
  const chosen = headerValues(request, options.distinguishBy);
  const hasNoBody = method === 'HEAD' || status === 204 || status === 304;
  const messages = hasNoBody ? [] : messagesOf(entry);
  const said = messages.map(({ text }) => text).join('');
  const reply = readReply(response, { hasNoBody, said }, item, report);
  return {
    item,
    method,
    path,
    ownPath,
    status,
    ...reply,
    unchangedTag: isCached ? headerOf(reply.headers, 'etag') : undefined,
    stream: hasNoBody ? undefined : readStream(reply, entry, options, item),
    sample,
    latency: options.latency === true ? readLatency(entry, item) : undefined,
    identity: JSON.stringify([
      url.pathname,
      url.search,
      asked.text,
      chosen.map(({ property, value }) => [property, value]),
    ]),
    reply: JSON.stringify([
      status,
      headerOf(reply.headers, 'content-type'),
      headerOf(reply.headers, 'location'),
      reply.body,
    ]),
    values: [...queryValues(url.search.slice(1)), ...chosen],
    requestHeaders: () => new Map(headersOf(request).filter(([name]) => !DECIDES_NOTHING.test(name))),
    bodyValues: asked.values,
  };
}

/** Names of headers that differ from request to request, whatever is asked for, or whose values are not kept. */
const DECIDES_NOTHING =
  /^(?:host|user-agent|accept-encoding|connection|content-length|cookie|date|referer|if-.*|via|forwarded|baggage|traceparent|tracestate|x-(?:forwarded|mock|switchyard|b3)-.*|.*(?:auth|token|key|secret|signature|nonce|timestamp|(?:request|correlation|trace|span)-?id).*)$/;

/** Names in lower case. */
function headersOf(request: Member): [name: string, value: string][] {
  return (request.at('/headers')?.items() ?? []).flatMap((line): [string, string][] => {
    const [name, value] = [line.at('/name')?.text(), line.at('/value')?.text()];
    return name === undefined || value === undefined ? [] : [[name.toLowerCase(), value]];
  });
}

function headerValues(request: Member, names: readonly string[] = []): RequestValue[] {
  if (names.length === 0) return [];
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  return headersOf(request).flatMap(([name, value]) => (wanted.has(name) ? requestValue('header', name, value) : []));
}

const FINAL_STATUS_MIN = 200;
/** A mock waits no longer. */
const LATENCY_MAX = 600_000;

/** To the head of the reply, where the recorder says how long the body took. */
function readLatency(entry: Member, item: Item): number | undefined {
  const time = (numberIn(entry, 'time') ?? 0) - Math.max(0, entry.at('/timings/receive')?.number() ?? 0);
  if (time > LATENCY_MAX) item.note('har.latency');
  return time > 0 ? Math.min(Math.round(time), LATENCY_MAX) : undefined;
}

/** @returns undefined for an answer that is not of events. */
function readStream(
  { headers, body, bodyEncoding }: Reply,
  entry: Member,
  { latency = false }: ImportOptions,
  item: Item,
): MockStream | undefined {
  if (bodyEncoding === 'base64' || !isEventStream(headerOf(headers, 'content-type'))) return undefined;
  const { events, isPartial, rest } = readEvents(body);
  if (events.length === 0) return undefined;
  if (isPartial || rest !== '') item.note('har.event-lines');
  const ms = latency ? Math.max(0, entry.at('/timings/receive')?.number() ?? 0) : 0;
  const known = latency ? delaysOf(events, messagesOf(entry), ms) : undefined;
  if (known === undefined && ms > 0) item.note('har.event-times');
  const stream = streamOf(events, known ?? evenly(events.length, ms));
  return entry.at('/_switchyard/open')?.value === true ? { ...stream, end: 'open' } : stream;
}

interface Message {
  /** In milliseconds, since any time; NaN where it is not recorded. */
  readonly time: number;
  readonly text: string;
}

/** Reads the messages that Chromium records of an EventSource, of whose answer it often has no text. */
function messagesOf(entry: Member): readonly Message[] {
  return (entry.at('/_eventSourceMessages')?.items() ?? []).flatMap((message): Message[] => {
    const [data, event = '', id = ''] = ['data', 'eventName', 'eventId'].map((name) => message.at(`/${name}`)?.text());
    if (data === undefined) return [];
    const named = event === '' || event === 'message' ? {} : { event };
    const text = eventText('sse', { ...named, ...(id === '' ? {} : { id }), data });
    return [{ time: toNumber(message.at('/time')?.value ?? Number.NaN) * 1_000, text }];
  });
}

/** @returns undefined where it is not recorded when each came. */
function delaysOf(events: readonly EventParts[], messages: readonly Message[], ms: number): number[] | undefined {
  const times = messages.map(({ time }) => time);
  const isEach = messages.length > 0 && events.filter(({ data }) => data !== undefined).length === messages.length;
  if (!isEach || times.some(Number.isNaN)) return undefined;
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  let before = first - Math.max(0, ms - (last - first));
  let index = 0;
  return events.map(({ data }) => {
    const time = data === undefined ? before : (times[index++] ?? before);
    const delay = Math.max(0, time - before);
    before = time;
    return delay;
  });
}

interface RecordedPath {
  /** Text in a route. */
  readonly text: string;
  readonly parameters: readonly RequestValue[];
}

/** @returns undefined when no route has the path. */
function readPath(url: URL, isParameter: IsParameter): RecordedPath | undefined {
  const parameters: RequestValue[] = [];
  const recorded = segmentsOf(url.pathname);
  const segments = recorded.map((text, index) => {
    if (!isCredential(decodeOnce(text)) && !isParameter(recorded, index)) return literalSegment(text);
    const name = parameters.length === 0 ? 'id' : `id${parameters.length + 1}`;
    parameters.push(requestValue('urlParam', name, text));
    return `:${name}`;
  });
  if (segments.includes(undefined)) return undefined;
  const text = `/${segments.join('/')}`;
  return isRoutePath(text) ? { text, parameters } : undefined;
}

/** @returns undefined for a request that is too large. */
function readSample(entry: Member, { pathname, search }: URL, report: ReportWriter): Sample | undefined {
  const request = entry.at('/request') as Member;
  const headers = (request.at('/headers')?.items() ?? []).flatMap((line): HeaderLine[] => {
    const [name, value] = [line.at('/name')?.text(), line.at('/value')?.text()];
    if (name === undefined || value === undefined || LEFT_OUT_OF_SAMPLES.test(name)) return [];
    return sampleHeaderProblem({ name, value }) === undefined ? [{ name, value }] : [];
  });
  const base64 = entry.at('/_switchyard/requestBase64')?.text();
  const sample: Sample = {
    path: pathname,
    query: search.slice(1),
    headers: headers.slice(0, SAMPLE_HEADERS_MAX),
    body: base64 ?? request.at('/postData/text')?.text() ?? '',
    bodyEncoding: base64 === undefined ? 'text' : 'base64',
  };
  if (sampleBytes(sample) <= SAMPLE_BYTES_MAX) return sample;
  report.count('har.sample');
  return undefined;
}

const SAMPLE_HEADERS_MAX = 100;
/** Headers that say where and by whom the request was sent. */
const LEFT_OUT_OF_SAMPLES =
  /^(?:host|via|forwarded|baggage|traceparent|tracestate|x-(?:forwarded|mock|switchyard)-.*)$/i;

interface RequestBody {
  readonly text: string;
  readonly values: Exchange['bodyValues'];
}

function readBody(request: Member, report: ReportWriter): RequestBody {
  const data = typed(request, 'postData', 'object');
  const bytes = request.at('/bodySize')?.number() ?? 0;
  if (data === undefined) {
    if (request.at('/postData')?.value === null) request.get('postData');
    return { text: '', values: () => (bytes > 0 ? OPAQUE : []) };
  }
  countMembers(data, POST_DATA, RECORDING, report);
  const type = textIn(data, 'mimeType') ?? '';
  const text = textIn(data, 'text') ?? '';
  const isForm = essenceOf(type) === 'multipart/form-data';
  const params = objectsIn(data, 'params', report).map((param) => {
    countMembers(param, PARAM, RECORDING, report);
    return { name: textIn(param, 'name') ?? '', value: textIn(param, 'value'), file: textIn(param, 'fileName') };
  });
  if (text !== '' && !isForm) return { text: `${type}\n${text}`, values: () => bodyValues(text, type) };
  const isKnown = params.length > 0 && params.every(({ value, file }) => value !== undefined && file === undefined);
  const fields = params.map(({ name, value = '' }) => [name, value] as const);
  return {
    text: `${type}\n${text}\n${JSON.stringify(params)}`,
    // Recorders write the parameters of a urlencoded body with their escapes, or without.
    values: () => (isKnown && (isForm || !/[%+]/.test(JSON.stringify(fields))) ? fieldValues(fields) : OPAQUE),
  };
}

type Reply = Pick<Entry, 'headers' | 'body' | 'bodyEncoding'>;

/** @param said The body, where the response has none. */
function readReply(
  response: Member,
  { hasNoBody, said }: { readonly hasNoBody: boolean; readonly said: string },
  item: Item,
  report: ReportWriter,
): Reply {
  const recording = { format: 'har', item, report } as const;
  const lines = objectsIn(response, 'headers', report).flatMap((line): RecordedHeader[] => {
    countMembers(line, { comment: ['text'] }, RECORDING, report);
    const name = textIn(line, 'name');
    const value = textIn(line, 'value');
    if (name !== undefined && value !== undefined) return [{ name, value, source: line }];
    item.note('har.header', line, 'it has no name or no value');
    return [];
  });
  const content = typed(response, 'content', 'object');
  const type = content && textIn(content, 'mimeType');
  if (type !== undefined && type !== '' && type !== 'x-unknown' && headerOf(lines, 'content-type') === undefined) {
    lines.push({ name: 'Content-Type', value: type, source: content as Member });
  } else if (type !== undefined) report.count('har.recording');
  const text = content && readText(content, item, report);
  const headers = keptHeaders(lines, text?.isBase64 === true && isEncoded(text.text, lines), recording);
  const size = content?.at('/size')?.number();
  if (text === undefined || (text.text === '' && ((size ?? 0) > 0 || said !== ''))) {
    if (!hasNoBody && size !== 0 && said === '') item.note('har.no-body');
    return { headers, body: said, bodyEncoding: 'text' };
  }
  const body = text.text;
  if (text.isBase64) return { headers, body, bodyEncoding: 'base64' };
  const isShort = size !== undefined && size > Buffer.byteLength(body) + BYTE_ORDER_MARK_BYTES;
  const isLost = body.includes('\ufffd') || !body.isWellFormed();
  const isNoText = BINARY.test(headerOf(headers, 'content-type') ?? '') && !isAscii(body);
  if (!hasNoBody && (isShort || isLost || isNoText)) item.note('har.partial-body');
  countCredentials(body, recording);
  return { headers: inUtf8(headers, body, recording), body, bodyEncoding: 'text' };
}

const BINARY =
  /^\s*(?:image\/(?!svg)|audio\/|video\/|font\/|application\/(?:octet-stream|pdf|zip|gzip|wasm|font|x-font|protobuf|grpc))/i;
const TEXTUAL = /^\s*(?:text\/|application\/(?:[\w.-]*\+)?(?:json|xml|javascript|x-javascript))/i;

/** Some recorders keep the bytes as they were sent, though the content should be decoded. */
function isEncoded(base64: string, headers: readonly HeaderLine[]): boolean {
  if (headerOf(headers, 'content-encoding') === undefined) return false;
  const bytes = Buffer.from(base64, 'base64');
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isGzip || (TEXTUAL.test(headerOf(headers, 'content-type') ?? '') && !isUtf8(bytes));
}

/** Recorders leave it out of the text. */
const BYTE_ORDER_MARK_BYTES = 3;
/** @returns undefined when there is none that can be read. */
function readText(
  content: Member,
  item: Item,
  report: ReportWriter,
): { readonly text: string; readonly isBase64: boolean } | undefined {
  countMembers(content, CONTENT, RECORDING, report);
  const encoding = content.at('/encoding')?.value ?? '';
  // Another one stays unread, so that the report names it.
  const isBase64 = typeof encoding === 'string' && encoding.toLowerCase() === 'base64';
  if (isBase64 || encoding === '') countMembers(content, { encoding: ['text'] }, RECORDING, report);
  if (content.at('/text')?.value === null) content.get('text');
  const text = textIn(content, 'text');
  if (text === undefined || !isBase64) return text === undefined ? undefined : { text, isBase64 };
  const plain = asBase64(text);
  if (plain !== undefined) return { text: plain, isBase64 };
  item.note('har.partial-body', content, 'it is not base64');
  return { text: '', isBase64: false };
}
