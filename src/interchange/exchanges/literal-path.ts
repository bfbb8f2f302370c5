/** Segments of recorded paths as those of routes, which give ":", "*", "?" and "#" a meaning. */
import { literalColons } from '../../model/mocks/definition/old-path.ts';
import { decodeOnce } from '../../base/percent.ts';
import { parseRoutePath, splitPath } from '../../languages/paths/route-path.ts';

const ESCAPES: Readonly<Record<string, string>> = { '*': '%2A', '?': '%3F', '#': '%23' };

/** @returns The segment as a route writes it; undefined when a route cannot. */
export function literalSegment(text: string): string | undefined {
  const escaped = literalColons(text).replace(/[*?#]/g, (char) => ESCAPES[char] as string);
  return decodeOnce(escaped) === decodeOnce(text) ? escaped : undefined;
}

/** @returns A name that a parameter of a route may have, from what another tool calls it. */
export function parameterName(text: string): string {
  const name = text
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .replace(/^(?=[^A-Za-z_])/, '_');
  return name === '' ? '_' : name;
}

const PATH_CHARS_MAX = 2_000;

export function isRoutePath(path: string): boolean {
  return path.length <= PATH_CHARS_MAX && typeof parseRoutePath(path) !== 'string';
}

/** Equal for paths that match the same requests. */
export function pathShape(path: string): string {
  const segments = parseRoutePath(path);
  if (typeof segments === 'string') return JSON.stringify(splitPath(path).map(decodeOnce));
  return JSON.stringify(
    segments.map((segment) => {
      if (segment.kind === 'literal') return segment.text;
      return segment.kind === 'form' ? [segment.form.shape] : [];
    }),
  );
}

const METHOD = /^[A-Z][A-Z-]{0,31}$/;

/** @returns undefined for what is not a method of a route. "ANY" would be every method. */
export function routeMethod(text: string): string | undefined {
  const method = text.trim().toUpperCase();
  return METHOD.test(method) && method !== 'ANY' ? method : undefined;
}
