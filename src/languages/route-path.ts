/**
 * Paths of mock routes: the syntax of patterns, and how patterns and request paths are split into segments.
 *
 * Segments are decoded separately and once, in patterns and requests alike: "%2F" is a character of a segment, never a
 * separator.
 */
import { ROUTE_SEGMENTS_MAX } from '../limits.ts';

export type PathSegment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly optional: boolean }
  /** The rest of the path, which may be empty. Always the last. */
  | { readonly kind: 'rest' };

/** Name of the parameter that captures the rest of a path. */
export const REST_NAME = '*';

/**
 * Parses the path of a route. A trailing slash is ignored.
 *
 * @returns Its segments, empty for "/", or the reason why it is invalid, in terms that a person can act on. Never
 * throws.
 */
export function parseRoutePath(path: string): readonly PathSegment[] | string {
  if (!path.startsWith('/')) return 'must start with "/"';
  const texts = splitPath(path);
  if (texts.length > ROUTE_SEGMENTS_MAX) return `must have at most ${ROUTE_SEGMENTS_MAX} segments`;
  const segments: PathSegment[] = [];
  const names = new Set<string>();
  for (const [index, text] of texts.entries()) {
    const isLast = index === texts.length - 1;
    const segment = parseSegment(text, isLast);
    if (typeof segment === 'string') return segment;
    if (segment.kind === 'parameter') {
      if (names.has(segment.name)) return `has two parameters named ${segment.name}`;
      names.add(segment.name);
    }
    segments.push(segment);
  }
  return segments;
}

/** @returns The undecoded segments of a path, without the empty one after a trailing slash; empty for "/". */
export function splitPath(path: string): string[] {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  return end === 0 ? [] : path.slice(1, end).split('/');
}

/** Percent-decodes once. A malformed text stays unchanged as a whole. */
export function decodeOnce(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const PARAMETER = /^:([A-Za-z_][A-Za-z0-9_-]*)(\?)?$/;

function parseSegment(text: string, isLast: boolean): PathSegment | string {
  if (text === '*') return isLast ? { kind: 'rest' } : '"*" must be the last segment';
  if (!text.startsWith(':')) {
    if (/[?#]/.test(text)) return 'must have no query and no fragment (a literal "?" is %3F, "#" is %23)';
    if (text.includes('*'))
      return '"*" stands for the whole rest and must be a segment of its own (a literal one is %2A)';
    return { kind: 'literal', text: decodeOnce(text) };
  }
  const [, name, optional] = PARAMETER.exec(text) ?? [];
  if (name === undefined) return `${text} is no parameter: expected ":" and a name of letters, digits, "_" and "-"`;
  if (optional !== undefined && !isLast) return `${text} is optional, so it must be the last segment`;
  return { kind: 'parameter', name, optional: optional !== undefined };
}
