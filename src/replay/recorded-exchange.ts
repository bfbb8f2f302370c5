/** The entries of a recording, a HAR that this server wrote, as requests with their answers. What another program wrote is read leniently. */
import { isObject, type JsonObject } from '../base/json-object.ts';
import type { HeaderLine } from '../model/mocks/definition/definition.ts';
import type { NotChecked } from '../model/mocks/upstream/replay-check.ts';
import type { MockRequest } from '../serving/matching/request/mock-request.ts';

export interface ReplayedExchange {
  readonly number: number;
  readonly request: MockRequest;
  readonly answer: RecordedAnswer;
  /** Why it cannot be compared; undefined for what was recorded whole. */
  readonly problem: keyof NotChecked | undefined;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer;
}

/** @param har As `JSON.parse` returns it. */
export function recordedExchanges(har: unknown): ReplayedExchange[] {
  const entries = objectIn(har, 'log')?.entries;
  return Array.isArray(entries) ? entries.filter(isObject).map(exchangeOf) : [];
}

function exchangeOf(entry: JsonObject, index: number): ReplayedExchange {
  const request = objectIn(entry, 'request');
  const response = objectIn(entry, 'response');
  const content = objectIn(response, 'content');
  const status = numberIn(response, 'status') ?? 0;
  const own = objectIn(entry, '_switchyard');
  const id = Number(textIn(own, 'id'));
  const headers = linesIn(response);
  const type = textIn(content, 'mimeType') ?? '';
  const hasType = type === '' || headers.some(({ name }) => name.toLowerCase() === 'content-type');
  const isCut = textIn(content, 'text') === undefined && (numberIn(content, 'size') ?? 0) > 0;
  return {
    number: Number.isSafeInteger(id) ? id : index + 1,
    request: requestOf(request, textIn(own, 'requestBase64')),
    answer: {
      status,
      headers: hasType ? headers : [...headers, { name: 'content-type', value: type }],
      body: bytesIn(content),
    },
    problem: problemOf(own, status) ?? (isCut ? 'partial' : undefined),
  };
}

function problemOf(own: JsonObject | undefined, status: number): ReplayedExchange['problem'] {
  if (status < 200 || isObject(own?.failed)) return 'failed';
  if (own?.open === true) return 'open';
  return own?.partial === true ? 'partial' : undefined;
}

/** @param base64 Its body, where that is not text. */
function requestOf(request: JsonObject | undefined, base64: string | undefined): MockRequest {
  const target = /^[a-z]+:\/\/[^/?#]*([^?#]*)(?:\?([^#]*))?/i.exec(textIn(request, 'url') ?? '');
  const body = objectIn(request, 'postData');
  const type = textIn(body, 'mimeType') ?? '';
  const headers = linesIn(request).flatMap(({ name, value }) => [name.toLowerCase(), value]);
  if (type !== '' && !headers.includes('content-type')) headers.push('content-type', type);
  return {
    method: textIn(request, 'method') ?? '',
    path: target?.[1] || '/',
    query: target?.[2] ?? '',
    headers,
    body: base64 === undefined ? body && bytesIn(body) : Buffer.from(base64, 'base64'),
  };
}

function linesIn(of: JsonObject | undefined): HeaderLine[] {
  const lines = Array.isArray(of?.headers) ? of.headers : [];
  return lines.flatMap((line): HeaderLine[] => {
    const [name, value] = [textIn(line, 'name'), textIn(line, 'value')];
    return name === undefined || value === undefined ? [] : [{ name, value }];
  });
}

function bytesIn(of: JsonObject | undefined): Buffer {
  return Buffer.from(textIn(of, 'text') ?? '', textIn(of, 'encoding') === 'base64' ? 'base64' : 'utf8');
}

function memberOf(of: unknown, name: string): unknown {
  return isObject(of) ? of[name] : undefined;
}

function objectIn(of: unknown, name: string): JsonObject | undefined {
  const value = memberOf(of, name);
  return isObject(value) ? value : undefined;
}

function textIn(of: unknown, name: string): string | undefined {
  const value = memberOf(of, name);
  return typeof value === 'string' ? value : undefined;
}

function numberIn(of: unknown, name: string): number | undefined {
  const value = memberOf(of, name);
  return typeof value === 'number' ? value : undefined;
}
