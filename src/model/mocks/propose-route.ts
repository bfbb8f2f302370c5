/** The route that a recorded request asks for: its path with what looks like an id as a parameter. Pure. */
import { literalColons } from './definition/old-path.ts';

interface RouteProposal {
  readonly method: string;
  /** A path that a route may have, and that the request's path fits. */
  readonly path: string;
}

interface RequestLine {
  readonly method: string;
  readonly path: string;
}

/** A valid method; test/model/mocks/propose-route.test.ts compares it with the rules of the server. */
const METHOD = /^[A-Z][A-Z-]{0,31}$/;
const SEGMENTS_MAX = 50;
const PATH_CHARS_MAX = 2_000;

export function proposeRoute({ method, path }: RequestLine): RouteProposal {
  return { method: METHOD.test(method) ? method : 'ANY', path: proposePath(path) };
}

function proposePath(path: string): string {
  // A slash at the end means nothing to a route.
  const texts = path === '/' ? [] : path.replace(/\/$/, '').split('/').slice(1);
  const names = new Set<string>();
  let before = '';
  const segments = texts.map((text) => {
    const fixed = literal(text);
    if (fixed === undefined || looksLikeId(decoded(text))) return `:${parameterName(before, names)}`;
    before = decoded(text);
    return fixed;
  });
  const proposed = `/${segments.join('/')}${segments.at(-1) === '' ? '/' : ''}`;
  const mayBe = path.startsWith('/') && segments.length <= SEGMENTS_MAX && proposed.length <= PATH_CHARS_MAX;
  return mayBe ? proposed : '/*';
}

/** Requests that the same route would answer, in order. */
export const foldedWith = <Request extends RequestLine>(
  { method, path }: RouteProposal,
  requests: readonly Request[],
): Request[] =>
  requests.filter((request) => {
    const other = proposeRoute(request);
    return other.method === method && other.path === path;
  });

const NUMBER = /^\d+$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** A hash, or the id of a database object. */
const HEX = /^(?=.*\d)[0-9a-f]{8,}$/i;
/** `ch_1a2b`, `order-7`: a word, and then a part with a digit. */
const PREFIXED = /^[a-z]{1,12}[_-](?=[\w-]*\d)[\w-]+$/i;
/** ULID, nanoid, base64: long, of letters and digits. */
const LONG = /^(?=.*\d)(?=.*[a-z])[\w-]{16,}$/i;
const DATE = /^\d{4}-\d\d-\d\d/;
const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;
/** `v1`, `v2`: a version of an API, and no id. */
const VERSION = /^v\d+$/i;

export function looksLikeId(text: string): boolean {
  if (VERSION.test(text)) return false;
  return [NUMBER, UUID, HEX, PREFIXED, LONG, DATE, EMAIL].some((pattern) => pattern.test(text));
}

/** `id` for the first; then after the segment before it: `itemId` below `items`. */
function parameterName(before: string, taken: Set<string>): string {
  const base = taken.size === 0 ? 'id' : `${singular(before)}Id`;
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
  taken.add(name);
  return name;
}

function singular(text: string): string {
  const word = text.replaceAll(/[^A-Za-z0-9_]/g, '').replace(/^\d+/, '');
  return word.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '') || 'other';
}

/** Characters that a route's path takes for something else are percent-encoded. @returns undefined when that changes it. */
function literal(text: string): string | undefined {
  const written = literalColons(text).replaceAll('*', '%2A').replaceAll('?', '%3F').replaceAll('#', '%23');
  return decoded(written) === decoded(text) ? written : undefined;
}

/** Decodes a segment once, like the server; a malformed one stays unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
