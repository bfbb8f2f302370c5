/**
 * The parameters of a path for the route that was found for it: read on demand, since most requests do not use them.
 *
 * The route knows which segments are its parameters, so the walk that finds the route need not record them.
 */
import { patternValues } from '../../../languages/paths/path-pattern.ts';
import { decodeOnce } from '../../../base/percent.ts';
import { namesOf, splitPath, variantsOf, type PathSegment } from '../../../languages/paths/route-path.ts';
import { formValues } from '../../../languages/paths/segment-form.ts';
import type { CompiledRoute, FoundRoute } from '../compile/compiled-mock.ts';

type Values = readonly (string | undefined)[];
type ParametersOfPath = Pick<CompiledRoute, 'segments' | 'pathPattern' | 'hasPatternSegments' | 'parameterNames'>;

/** A route with parameters, found for one path. */
export class RouteOnPath implements FoundRoute {
  readonly route: CompiledRoute;
  readonly #path: string;

  constructor(route: CompiledRoute, path: string) {
    this.route = route;
    this.#path = path;
  }

  get params(): Values {
    return parametersOnPath(this.route, this.#path);
  }
}

/** @param path That matches the route. */
export function parametersOnPath(
  { segments, pathPattern, hasPatternSegments, parameterNames }: ParametersOfPath,
  path: string,
): Values {
  if (pathPattern !== undefined) return patternValues(pathPattern, decodeOnce(path));
  return hasPatternSegments ? valuesOf(segments, path, parameterNames) : parametersOf(segments, path);
}

/** Offset of the end of the last segment: one trailing slash is ignored. */
export function pathEnd(path: string): number {
  return endsWithSlash(path) ? path.length - 1 : path.length;
}

/** `endsWith` takes 10 ns more, a fifth of finding a route without parameters. */
export function endsWithSlash(path: string): boolean {
  return path.charCodeAt(path.length - 1) === 0x2f;
}

function parametersOf(segments: readonly PathSegment[], path: string): string[] {
  const params: string[] = [];
  const pathEndsAt = pathEnd(path);
  let start = 1;
  for (const { kind } of segments) {
    if (kind === 'rest') {
      params.push(decodeOnce(path.slice(start, pathEndsAt)));
      break;
    }
    // Only an optional parameter can be absent, and it is the last.
    if (start > pathEndsAt) break;
    const cut = path.indexOf('/', start);
    const end = cut === -1 ? pathEndsAt : Math.min(cut, pathEndsAt);
    if (kind === 'parameter') params.push(decodeOnce(path.slice(start, end)));
    start = end + 1;
  }
  return params;
}

/** The path has forms, wildcards before other segments, or optional parameters before its end. */
export function needsPatterns(segments: readonly PathSegment[]): boolean {
  return segments.some(({ kind }) => kind === 'form' || kind === 'wild') || variantsOf(segments).length > 1;
}

/** @returns In the order of the names; undefined for parameters that are absent. */
function valuesOf(segments: readonly PathSegment[], path: string, names: readonly string[]): Values {
  const texts = splitPath(path);
  for (const variant of variantsOf(segments)) {
    const found = matchFrom(variant, 0, texts, 0);
    if (found !== undefined) return names.map((name) => found.get(name));
  }
  return [];
}

/** A wildcard takes as few segments as it can. */
function matchFrom(
  segments: readonly PathSegment[],
  at: number,
  texts: readonly string[],
  from: number,
): Map<string, string> | undefined {
  const segment = segments[at];
  const text = texts[from];
  if (segment === undefined) return text === undefined ? new Map() : undefined;
  if (segment.kind === 'rest') return new Map([[segment.name, decodeOnce(texts.slice(from).join('/'))]]);
  if (text === undefined) return segment.kind === 'parameter' && segment.optional ? new Map() : undefined;
  if (segment.kind === 'wild') {
    for (let to = from + 1; to <= texts.length; to++) {
      const rest = matchFrom(segments, at + 1, texts, to);
      if (rest !== undefined) return rest.set(segment.name, decodeOnce(texts.slice(from, to).join('/')));
    }
    return undefined;
  }
  const own = valuesIn(segment, decodeOnce(text));
  const rest = own && matchFrom(segments, at + 1, texts, from + 1);
  if (rest !== undefined) for (const [index, name] of namesOf(segment).entries()) rest.set(name, own?.[index] ?? '');
  return rest;
}

/** @param text Decoded. @returns undefined when the segment does not match. */
function valuesIn(segment: PathSegment, text: string): readonly string[] | undefined {
  if (segment.kind === 'literal') return segment.text === text ? [] : undefined;
  if (text === '') return undefined;
  return segment.kind === 'form' ? formValues(segment.form, text) : [text];
}
