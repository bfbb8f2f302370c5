/**
 * Finds the route that answers a request: one map lookup for a path without parameters, else a walk down the tree.
 *
 * Order (docs/mocks.md). `specific`: segment by segment literal, parameter, rest; then, at one place, the exact
 * method before `ANY`; then the list. `listed`: only the list. HEAD is served by GET routes too, after HEAD routes.
 * explain.ts must agree on every input (test/serving/conformance).
 */
import { decodeOnce } from '../../../languages/route-path.ts';
import type { CompiledMock, CompiledRoute, FoundRoute } from '../compiled-mock.ts';
import { endsWithSlash, pathEnd, RouteOnPath } from './path-parameters.ts';
import { indexOf, NO_ROUTE, type Place, type RouteNode } from './route-table.ts';

/**
 * @param method As received.
 * @param path   Percent-encoded as received, no query.
 * @returns undefined when no route matches. Never throws.
 *
 * Cost: independent of the number of routes. Allocates only when the tree is walked.
 */
export function findRoute(mock: CompiledMock, method: string, path: string): FoundRoute | undefined {
  return find(mock, method, path, true);
}

/** The route declared for OPTIONS: it answers preflights in place of the mock. Routes for `ANY` never do. */
export function findOptionsRoute(mock: CompiledMock, path: string): FoundRoute | undefined {
  return mock.table.methods.has('OPTIONS') ? find(mock, 'OPTIONS', path, false) : undefined;
}

function find(mock: CompiledMock, method: string, path: string, takesAny: boolean): FoundRoute | undefined {
  const { table } = mock;
  const place = table.whole.get(path) ?? (hasTrailingSlash(path) ? table.whole.get(path.slice(0, -1)) : undefined);
  const listed = table.precedence === 'listed';
  const index = place === undefined ? NO_ROUTE : indexAt(place, method, takesAny, listed);
  // A path without parameters is the most specific, and with `listed` it wins when no route is in the tree only.
  if (index !== NO_ROUTE && (!listed || !table.needsTree)) return routeAt(mock, index).found;
  const hasPercent = path.includes('%');
  if (!path.startsWith('/') || (!table.needsTree && !hasPercent)) return undefined;
  const search: Search = { path, end: pathEnd(path), hasPercent, method, takesAny, listed, best: index };
  walk(search, table.root, 1);
  if (search.best === NO_ROUTE) return undefined;
  const route = routeAt(mock, search.best);
  return route.parameterNames.length === 0 ? route.found : new RouteOnPath(route, path);
}

/** "//" is an empty segment, not "/" with a trailing slash. */
function hasTrailingSlash(path: string): boolean {
  return path.length > 2 && endsWithSlash(path);
}

function routeAt(mock: CompiledMock, index: number): CompiledRoute {
  return mock.routes[index] as CompiledRoute;
}

/** The index of the route for a method at a place, or NO_ROUTE. */
function indexAt(place: Place, method: string, takesAny: boolean, listed: boolean): number {
  const exact = indexOf(place, method);
  if (!listed && exact !== NO_ROUTE) return exact;
  const asGet = method === 'HEAD' ? indexOf(place, 'GET') : NO_ROUTE;
  const any = takesAny ? place.any : NO_ROUTE;
  if (listed) return Math.min(exact, asGet, any);
  return asGet !== NO_ROUTE ? asGet : any;
}

interface Search {
  readonly path: string;
  /** Where the path ends, without a trailing slash. */
  readonly end: number;
  readonly hasPercent: boolean;
  readonly method: string;
  readonly takesAny: boolean;
  readonly listed: boolean;
  /** The index of the best route so far, or NO_ROUTE. With `listed` a better route has a smaller index. */
  best: number;
}

/**
 * Searches below a node, most specific first. With `specific` the first route found is the best one; with `listed` all
 * are tried, except those that come later in the list than the best so far.
 *
 * Loops where there is only one way, which is nearly everywhere; it recurses only where there are several.
 *
 * @param firstStart Offset of the next segment; beyond the end after the last one.
 * @returns Whether the search is over.
 */
function walk(search: Search, from: RouteNode, firstStart: number): boolean {
  const { path, end, hasPercent, listed } = search;
  let node = from;
  let start = firstStart;
  for (;;) {
    if (listed && !hasPercent && node.firstIndex >= search.best) return false;
    if (start > end) return visit(search, node.end) || visit(search, node.optionalEnd) || visit(search, node.rest);
    const cut = path.indexOf('/', start);
    const segmentEnd = cut === -1 || cut > end ? end : cut;
    const literal =
      node.firstLiteral === undefined ? undefined : literalAt(node, path.slice(start, segmentEnd), hasPercent);
    const parameter = segmentEnd === start ? undefined : node.parameter;
    start = segmentEnd + 1;
    const next = literal ?? parameter;
    if (next === undefined) return visit(search, node.rest);
    if (node.rest === undefined && (literal === undefined || parameter === undefined)) {
      node = next;
      continue;
    }
    if (walk(search, next, start)) return true;
    if (literal !== undefined && parameter !== undefined && walk(search, parameter, start)) return true;
    return visit(search, node.rest);
  }
}

function literalAt(node: RouteNode, raw: string, hasPercent: boolean): RouteNode | undefined {
  const text = hasPercent ? decodeOnce(raw) : raw;
  if (node.literals !== undefined) return node.literals.get(text);
  return text === node.firstLiteral ? node.firstNode : undefined;
}

/** Takes the route of a place if it is better. @returns Whether the search is over. */
function visit(search: Search, place: Place | undefined): boolean {
  if (place === undefined) return false;
  const index = indexAt(place, search.method, search.takesAny, search.listed);
  if (index >= search.best) return false;
  search.best = index;
  return !search.listed;
}
