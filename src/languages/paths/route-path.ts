/**
 * Paths of mock routes: the syntax of patterns, and how patterns and request paths are split into segments.
 *
 * Segments are decoded separately and once, in patterns and requests alike: "%2F" is a character of a segment, never a
 * separator.
 */
import { decodeOnce } from '../../base/percent.ts';
import { parseForm, type SegmentForm } from './segment-form.ts';

/**
 * Segments of a route's path. (shown: Mock definitions) Each of 4,500 routes with 960 different segments took 600 KB in a
 * thread.
 */
const ROUTE_SEGMENTS_MAX = 50;

export type PathSegment =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'parameter'; readonly name: string; readonly optional: boolean }
  /** Text and parameters, or a parameter with a pattern: `:id.json`, `:id(\\d+)`. */
  | { readonly kind: 'form'; readonly form: SegmentForm; readonly optional: boolean }
  /** One or more segments, before others. */
  | { readonly kind: 'wild'; readonly name: string }
  /** The rest of the path, which may be empty. Always the last. */
  | { readonly kind: 'rest'; readonly name: string };

/** Name of the parameter that captures the rest of a path, where it is the only "*". */
const REST_NAME = '*';

/** More of them would make a path mean too many. */
const OPTIONALS_MAX = 4;
const WILDS_MAX = 2;

/**
 * Parses the path of a route. A trailing slash is ignored.
 *
 * @returns Its segments, empty for "/", or the reason why it is invalid, in terms that a person can act on. Never
 * throws.
 */
export function parseRoutePath(path: string): readonly PathSegment[] | string {
  if (!path.startsWith('/')) return 'must start with "/"';
  const texts = splitRoutePath(path);
  if (texts.length > ROUTE_SEGMENTS_MAX) return `must have at most ${ROUTE_SEGMENTS_MAX} segments`;
  const segments: PathSegment[] = [];
  const names = new Set<string>();
  let stars = 0;
  for (const [index, text] of texts.entries()) {
    const isLast = index === texts.length - 1;
    const segment = parseSegment(text, isLast, stars);
    if (typeof segment === 'string') return segment;
    if (segment.kind === 'wild' || segment.kind === 'rest') stars++;
    for (const name of namesOf(segment)) {
      if (names.has(name)) return `has two parameters named ${name}`;
      names.add(name);
    }
    segments.push(segment);
  }
  const optionals = segments.filter((segment) => isOptional(segment)).length;
  if (optionals > OPTIONALS_MAX) return `must have at most ${OPTIONALS_MAX} optional parameters`;
  if (segments.filter(({ kind }) => kind === 'wild').length > WILDS_MAX) {
    return `must have "*" before other segments at most ${WILDS_MAX} times`;
  }
  return segments;
}

/** The names of its parameters, in their order. */
export function namesOf(segment: PathSegment): readonly string[] {
  if (segment.kind === 'literal') return [];
  return segment.kind === 'form' ? segment.form.names : [segment.name];
}

export function isOptional(segment: PathSegment): boolean {
  return (segment.kind === 'parameter' || segment.kind === 'form') && segment.optional;
}

/** A path with optional parameters before its end as paths without: first all are there, in the end none is. */
export function variantsOf(segments: readonly PathSegment[]): readonly (readonly PathSegment[])[] {
  const at = segments.findIndex(
    (segment, index) => isOptional(segment) && (index < segments.length - 1 || segment.kind === 'form'),
  );
  const segment = segments[at];
  if (segment === undefined) return [segments];
  const before = segments.slice(0, at);
  const there = { ...segment, optional: false } as PathSegment;
  return [
    ...variantsOf([...before, there, ...segments.slice(at + 1)]),
    ...variantsOf([...before, ...segments.slice(at + 1)]),
  ];
}

/** @returns The undecoded segments of a path, without the empty one after a trailing slash; empty for "/". */
export function splitPath(path: string): string[] {
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  return end === 0 ? [] : path.slice(1, end).split('/');
}

/** The same of a route's path, where a "/" within parentheses is one of a pattern. */
function splitRoutePath(path: string): string[] {
  if (!path.includes('(')) return splitPath(path);
  const segments: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 1; at < path.length; at++) {
    const char = path[at];
    if (char === '\\' && depth > 0) at++;
    else if (char === '(' && (depth > 0 || isPatternStart(path, from, at))) depth++;
    else if (char === ')' && depth > 0) depth--;
    else if (char === '/' && depth === 0) {
      segments.push(path.slice(from, at));
      from = at + 1;
    }
  }
  if (from < path.length || segments.length === 0) segments.push(path.slice(from));
  return segments;
}

const NAME_BEFORE = /:[A-Za-z_][A-Za-z0-9_-]*$/;

function isPatternStart(path: string, from: number, at: number): boolean {
  return NAME_BEFORE.test(path.slice(from, at));
}

export const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_-]*$/;
const PARAMETER = /^:([A-Za-z_][A-Za-z0-9_-]*)(\?)?$/;

/** @param stars How many "*" there were before. */
function parseSegment(text: string, isLast: boolean, stars: number): PathSegment | string {
  if (text === '*') {
    const name = stars === 0 ? REST_NAME : `${REST_NAME}${stars + 1}`;
    return isLast ? { kind: 'rest', name } : { kind: 'wild', name };
  }
  const [, name, mark] = PARAMETER.exec(text) ?? [];
  if (name !== undefined) return { kind: 'parameter', name, optional: mark !== undefined };
  const form = parseForm(text);
  if (typeof form === 'string') return form;
  if (form !== undefined) return { kind: 'form', ...form };
  if (text.startsWith(':'))
    return `${text} is not a parameter: expected ":" and a name of letters, digits, "_" and "-"`;
  if (/[?#]/.test(text)) return 'must have no query and no fragment (a literal "?" is %3F, "#" is %23)';
  if (text.includes('*')) return '"*" stands for whole segments and must be a separate segment (a literal one is %2A)';
  return { kind: 'literal', text: decodeOnce(text) };
}
