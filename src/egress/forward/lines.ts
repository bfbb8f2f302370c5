/** Header lines of requests to upstreams and of their answers: what ends here, what is added, what is edited. */
import { PASSED_ON_HOP_HEADERS } from '../../base/hop-headers.ts';
import { DEPTH_HEADER } from '../../forward/callbacks-sent.ts';
import type { UpstreamCall } from '../../forward/upstream-call.ts';
import type { HeaderEdit } from '../../model/mocks/definition/definition.ts';

/** Names and values, alternating. */
type Lines = readonly string[];

const HOP: ReadonlySet<string> = new Set(PASSED_ON_HOP_HEADERS);
/** They named the mock and its session, or are written anew. */
const OF_REQUEST_HERE: ReadonlySet<string> = new Set([
  'host',
  'via',
  'x-mock-id',
  'x-mock-session',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]);
/** uWebSockets.js writes the first and the last itself. */
const OF_ANSWER_HERE: ReadonlySet<string> = new Set(['date', 'via', 'uwebsockets']);

/** @param lines Names in lower case. @param via Of this server; undefined leaves the line as it came. */
export function requestLines(call: UpstreamCall, lines: Lines, target: URL, via: string | undefined): string[] {
  const { client, host, keepsHost, scheme } = call;
  // No client has sent it.
  if (call.kind === 'callback') return ['host', target.host, ...lines.map(oneByteEach)];
  const before = headerValue(lines, 'x-forwarded-for');
  const asked = oneByteEach(host);
  const sent = ['host', keepsHost && host !== '' ? asked : target.host];
  passOn(lines, OF_REQUEST_HERE, (name, value) => sent.push(name, oneByteEach(value)));
  sent.push('x-forwarded-for', before === undefined ? client : `${oneByteEach(before)}, ${client}`);
  if (host !== '') sent.push('x-forwarded-host', asked);
  sent.push('x-forwarded-proto', scheme);
  const passedBy = via === undefined ? headerValue(lines, 'via') : viaOf(lines, via);
  if (passedBy !== undefined) sent.push('via', oneByteEach(passedBy));
  return edited(sent, call.requestHeaders);
}

export function answerLines(call: UpstreamCall, lines: Lines, target: URL, via: string): string[] {
  const sent: string[] = [];
  passOn(lines, OF_ANSWER_HERE, (name, value) =>
    sent.push(name, call.rewrites ? rewritten(name, value, call, target) : value),
  );
  sent.push('via', viaOf(lines, via));
  return edited(sent, call.responseHeaders);
}

/** How often this server has passed the request on before. */
export function passesOf(lines: Lines, via: string): number {
  const values = headerValue(lines, 'via') ?? '';
  return values === '' ? 0 : values.split(',').filter((each) => each.trim() === via).length;
}

/** Calls `take` with each line but those that end at this server. @param kept One that passes nevertheless. */
export function passOn(
  lines: Lines,
  others: ReadonlySet<string>,
  take: (name: string, value: string) => void,
  kept?: string,
): void {
  const named = namedBy(headerValue(lines, 'connection'));
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index] as string;
    const { lower, endsHere } = headerNamed(name);
    if (lower !== kept && (endsHere || others.has(lower) || named.includes(lower))) continue;
    take(name, lines[index + 1] as string);
  }
}

const NONE: readonly string[] = [];

/** Headers that `connection` names, which end at each server on the way. */
export function namedBy(connection: string | undefined): readonly string[] {
  return connection === undefined
    ? NONE
    : connection
        .toLowerCase()
        .split(',')
        .map((name) => name.trim());
}

interface HeaderName {
  readonly lower: string;
  /** Whether it is for a proxy. */
  readonly isForProxy: boolean;
  /** Whether such a line ends at each server on the way, or at this one. */
  readonly endsHere: boolean;
}

/** By name as it is written: the same ones come again and again. */
const NAMES_MAX = 2_000;
const NAME_CHARS_MAX = 200;
const headerNames = new Map<string, HeaderName>();

export function headerNamed(name: string): HeaderName {
  const known = headerNames.get(name);
  if (known !== undefined) return known;
  const lower = name.toLowerCase();
  // What callbacks count with is counted on behind a mock that sends requests on.
  const isOurs = lower.startsWith('x-switchyard-') && lower !== DEPTH_HEADER;
  const isForProxy = lower.startsWith('proxy-');
  const found = { lower, isForProxy, endsHere: HOP.has(lower) || isForProxy || isOurs };
  if (headerNames.size >= NAMES_MAX) headerNames.clear();
  if (name.length <= NAME_CHARS_MAX) headerNames.set(name, found);
  return found;
}

/** All values of a name, as one. */
export function headerValue(lines: Lines, name: string): string | undefined {
  let values: string | undefined;
  for (let index = 0; index < lines.length; index += 2) {
    const each = lines[index] as string;
    if (each.length !== name.length || each.toLowerCase() !== name) continue;
    values = values === undefined ? lines[index + 1] : `${values}, ${lines[index + 1]}`;
  }
  return values;
}

/** The value of the line that says which servers have passed it on. */
function viaOf(lines: Lines, via: string): string {
  const before = headerValue(lines, 'via');
  return before === undefined ? via : `${before}, ${via}`;
}

/** Bytes above 127 were read as UTF-8, and are written as one byte for each character. */
export function oneByteEach(text: string): string {
  return isPlain(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

/** The target of the request, byte by byte. */
export function targetPath(target: URL, path: string, query: string): string {
  const base = target.pathname.replace(/\/$/, '');
  const asked = query === '' ? path : `${path}?${query}`;
  return `${base}${oneByteEach(asked)}`.replaceAll(/[^\u0021-\u00ff]|#/g, (each) => encodeURIComponent(each));
}

/** A percent sign that is escaped itself, once or more often, before what this file reads: some servers decode twice. */
const ESCAPED_AGAIN = /%(?:25)+(?=00|2[ef]|3b|5c)/gi;
const SLASHES = /%2f|%5c|\\/gi;
const SEGMENT_PARAMETERS = /(?:;|%3b)[^/]*/gi;
/** The dots at the begin of a segment, before its parameters, or before a zero that ends it for programs in C; others drop zeros. */
const DOTS = /^((?:\.|%2e|%00)*)(?:;|%3b|%00|$)/i;

/**
 * Whether dots in the path lead out of the base path of the upstream, by the reading of any server: they differ in what separates segments,
 * and in what belongs to them. The path itself is sent as it came.
 */
export function leavesBase({ pathname }: URL, path: string): boolean {
  if (pathname === '/' || !/\.\.|%(?:25)*(?:2e|00)/i.test(path)) return false;
  const once = path.replaceAll(ESCAPED_AGAIN, '%');
  return [once, ...[once, once.replaceAll(SEGMENT_PARAMETERS, '')].map((each) => each.replaceAll(SLASHES, '/'))].some(
    (read) => climbsOut(read.split('/')),
  );
}

/** Whether a segment goes above the first one. Empty ones count for nothing: some servers merge slashes. */
function climbsOut(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    const dots = DOTS.exec(segment)?.[1]?.replaceAll(/%2e|%00/gi, (each) => (each === '%00' ? '' : '.')).length ?? 3;
    if (dots > 2) depth++;
    else if (dots === 2 && --depth < 0) return true;
  }
  return false;
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 127) return false;
  return true;
}

function rewritten(written: string, value: string, { root }: UpstreamCall, target: URL): string {
  const name = written.toLowerCase();
  if (name === 'set-cookie') return value.replaceAll(/;\s*domain\s*=[^;]*/gi, '');
  return name === 'location' || name === 'content-location' ? ownLocation(value, root, target) : value;
}

/** A place of the upstream as one of the mock; others stay. */
function ownLocation(value: string, root: string, target: URL): string {
  const isPath = value.startsWith('/') && !value.startsWith('//');
  if (!URL.canParse(value, isPath ? target.href : undefined)) return value;
  const place = new URL(value, target);
  if (place.origin !== target.origin) return value;
  const base = target.pathname.replace(/\/$/, '');
  const path = place.pathname;
  const isBelow = path === base || path.startsWith(`${base}/`);
  return `${root}${isBelow ? path.slice(base.length) || '/' : path}${place.search}${place.hash}`;
}

function edited(lines: string[], edits: readonly HeaderEdit[]): string[] {
  if (edits.length === 0) return lines;
  const names = new Set(edits.map(({ name }) => name.toLowerCase()));
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index] as string;
    if (!names.has(name.toLowerCase())) kept.push(name, lines[index + 1] as string);
  }
  for (const { name, value } of edits) if (value !== null) kept.push(name, value);
  return kept;
}
