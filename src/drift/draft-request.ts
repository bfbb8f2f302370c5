/**
 * The request that a response is compared for: its sample, else one that its route and its `equals` conditions determine.
 *
 * A draft is a proposal: whether this response answers it is for the interpreter to say. Credentials are in no request that is sent:
 * the caller of the run gives them.
 */
import { isRedacted, namesCredential } from '../base/credentials.ts';
import { parseRoutePath, type PathSegment } from '../languages/paths/route-path.ts';
import { isConditionGroup, membersOf } from '../model/mocks/definition/conditions.ts';
import {
  METHOD_ANY,
  type HeaderLine,
  type MockResponse,
  type MockRoute,
  type Sample,
} from '../model/mocks/definition/definition.ts';
import type { SkipReason } from './report.ts';
import type { Condition, MatchCondition } from '../model/mocks/definition/condition-schema.ts';

export interface DraftedRequest {
  readonly method: string;
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** Without "?". */
  readonly query: string;
  readonly headers: readonly HeaderLine[];
  readonly body: Buffer;
}

type Draft = { readonly request: DraftedRequest; readonly isSample: boolean } | { readonly skipped: SkipReason };

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

export function draftRequest(route: MockRoute, response: MockResponse, isUnsafeAllowed: boolean): Draft {
  if (response.proxy !== undefined) return { skipped: 'proxied' };
  if (response.stream !== undefined) return { skipped: 'stream' };
  if (response.fault !== undefined) return { skipped: 'fault' };
  const { sample } = response;
  if (sample === undefined && !isByRequest(route, response)) return { skipped: 'notByRequest' };
  const method = route.method === METHOD_ANY ? 'GET' : route.method;
  const drafted = sample === undefined ? requestOf(route, response, method) : sampled(sample, method);
  if (drafted === undefined) return { skipped: 'noSample' };
  if (!isUnsafeAllowed && !SAFE_METHODS.has(drafted.method)) return { skipped: 'unsafe' };
  if (sample !== undefined && isRedacted(`${drafted.path}?${drafted.query}\n${drafted.body.toString('latin1')}`))
    return { skipped: 'redacted' };
  return { request: drafted, isSample: sample !== undefined };
}

/** The header lines that the service gets. */
export function sentHeaders(headers: readonly HeaderLine[]): HeaderLine[] {
  return headers.filter((line) => !NOT_SENT.has(line.name.toLowerCase()) && !isCredentialLine(line));
}

export function isCredentialLine({ name, value }: HeaderLine): boolean {
  return namesCredential(name.toLowerCase()) || isRedacted(value);
}

/** They make an answer that depends on what the client has. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'accept-encoding',
  'if-match',
  'if-modified-since',
  'if-none-match',
  'if-range',
  'if-unmodified-since',
  'range',
]);

function sampled({ path, query, headers, body, bodyEncoding }: Sample, method: string): DraftedRequest {
  return { method, path, query, headers, body: Buffer.from(body, bodyEncoding === 'base64' ? 'base64' : 'utf8') };
}

/** Whether what a request has, and the state of scenarios, decide that the response answers. */
function isByRequest({ selection, responses }: MockRoute, response: MockResponse): boolean {
  if (selection === 'rules' || responses.length === 1) return true;
  const usual = responses.find((each) => each.default) ?? responses[0];
  return usual === response;
}

interface Parts {
  method: string;
  readonly query: [name: string, value: string][];
  queryString: string | undefined;
  readonly headers: HeaderLine[];
  readonly cookies: string[];
  readonly params: Map<string, string>;
  /** Undefined until a condition asks for one. */
  json: unknown;
  text: string;
}

function requestOf(route: MockRoute, response: MockResponse, method: string): DraftedRequest | undefined {
  const parts: Parts = {
    method,
    query: [],
    queryString: undefined,
    headers: [],
    cookies: [],
    params: new Map(),
    json: undefined,
    text: '',
  };
  const rules = response.rulesOperator === 'OR' ? response.rules.slice(0, 1) : response.rules;
  for (const rule of rules) fulfil(rule, parts);
  const path = pathOf(route, parts.params);
  if (path === undefined) return undefined;
  const { query, queryString, headers, cookies, json, text } = parts;
  const isJson = json !== undefined && !headers.some(({ name }) => name.toLowerCase() === 'content-type');
  return {
    method: parts.method,
    path,
    query: queryString ?? query.map((pair) => pair.map(encodeURIComponent).join('=')).join('&'),
    headers: [
      ...headers,
      ...(cookies.length === 0 ? [] : [{ name: 'cookie', value: cookies.join('; ') }]),
      ...(isJson ? [{ name: 'content-type', value: 'application/json' }] : []),
    ],
    body: Buffer.from(json === undefined ? text : JSON.stringify(json)),
  };
}

/** Adds to a request what a condition requires, as far as that can be known; others are left to the interpreter. */
function fulfil(rule: Condition, parts: Parts): void {
  if (!isConditionGroup(rule)) {
    if (rule.operator === 'equals' && !rule.invert) set(rule, parts);
  } else if ('all' in rule) for (const each of membersOf(rule)) fulfil(each, parts);
  else if ('any' in rule && rule.any[0] !== undefined) fulfil(rule.any[0], parts);
}

function set({ target, property, value }: MatchCondition, parts: Parts): void {
  switch (target) {
    case 'method':
      parts.method = value;
      return;
    case 'query':
      parts.query.push([property, value]);
      return;
    case 'queryString':
      parts.queryString = value;
      return;
    case 'header':
      parts.headers.push({ name: property, value });
      return;
    case 'cookie':
      parts.cookies.push(`${property}=${value}`);
      return;
    case 'urlParam':
      parts.params.set(property, value);
      return;
    case 'body':
      if (property === '') parts.text = value;
      else if (!property.startsWith('$')) parts.json = withMember(parts.json, property.split('.'), value);
      return;
    default:
  }
}

/** @returns The value with a member that a dot path leads to. */
function withMember(value: unknown, [name, ...rest]: readonly string[], member: string): unknown {
  if (name === undefined) return parseLiteral(member);
  if (/^\d+$/.test(name) && (value === undefined || Array.isArray(value))) {
    const items = [...((value as unknown[] | undefined) ?? [])];
    // A body of a million items is nobody's.
    if (Number(name) > items.length) return items;
    items[Number(name)] = withMember(items[Number(name)], rest, member);
    return items;
  }
  const object = (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
  return { ...object, [name]: withMember(object[name], rest, member) };
}

/** `equals` compares texts: numbers and the like are sent as such. */
function parseLiteral(text: string): unknown {
  return /^(?:true|false|null|-?(?:0|[1-9]\d{0,14})(?:\.\d{1,9})?)$/.test(text) ? (JSON.parse(text) as unknown) : text;
}

/** @returns Undefined when the route and the conditions do not determine it. */
function pathOf({ path, pathKind }: MockRoute, params: ReadonlyMap<string, string>): string | undefined {
  const segments = pathKind === undefined ? parseRoutePath(path) : '';
  if (typeof segments === 'string') return undefined;
  let written = '';
  for (const segment of segments) {
    const text = segmentText(segment, params);
    if (text !== undefined) written += text === '' ? '' : `/${text}`;
    else if (!mayBeAbsent(segment)) return undefined;
  }
  return written === '' ? '/' : written;
}

function mayBeAbsent(segment: PathSegment): boolean {
  return segment.kind === 'rest' || ('optional' in segment && segment.optional);
}

function segmentText(segment: PathSegment, params: ReadonlyMap<string, string>): string | undefined {
  if (segment.kind === 'literal') return encoded(segment.text);
  if (segment.kind !== 'form') return encoded(params.get(segment.name), segment.kind !== 'parameter');
  const pieces = segment.form.pieces.map((piece) =>
    encoded(typeof piece === 'string' ? piece : params.get(piece.name)),
  );
  return pieces.includes(undefined) ? undefined : pieces.join('');
}

/** @param isPath Whether it may have several segments. */
function encoded(text: string | undefined, isPath = false): string | undefined {
  if (text === undefined) return undefined;
  const own = encodeURIComponent(text);
  return isPath ? own.replaceAll('%2F', '/') : own;
}

/** Part of a request that a report shows. */
export function shownRequest({ method, path, query }: Omit<DraftedRequest, 'headers' | 'body'>): {
  method: string;
  path: string;
} {
  return { method, path: query === '' ? path : `${path}?${query}` };
}
