/**
 * The parameters that a path has for the route that was found for it: read when something asks, which for most routes nothing does.
 *
 * A route knows at which segments its parameters stand, so the walk that finds it keeps none of them.
 */
import { decodeOnce, type PathSegment } from '../../model/mocks/route-path.ts';
import type { CompiledRoute, FoundRoute } from './compiled-mock.ts';

/** A route with parameters, found for one path. */
export class RouteOnPath implements FoundRoute {
  readonly route: CompiledRoute;
  readonly #path: string;

  constructor(route: CompiledRoute, path: string) {
    this.route = route;
    this.#path = path;
  }

  get params(): readonly string[] {
    return parametersOf(this.route.segments, this.#path);
  }
}

/** Where the last segment of a path ends: one trailing slash is none of it. */
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
