/**
 * Finds the route that answers a request: one map lookup for a path without parameters, else a walk down the tree.
 *
 * Order (docs/mocks.md). `specific`: segment by segment literal, text with parameters, parameter, wildcard, rest; then, at one place,
 * the exact method before `ANY`; then the list; at last patterns of whole paths. `listed`: only the list. HEAD is served by GET routes too, after HEAD routes.
 * explain.ts must agree on every input (test/serving/conformance).
 */
import { decodeOnce } from '../../../languages/route-path.ts';
import { PATTERN_WORK } from '../../../model/mocks/operators.ts';
import { ROUTE_SEARCH_WORK_MAX } from '../../../limits.ts';
import type { CompiledMock, CompiledRoute, FoundRoute } from '../compiled-mock.ts';
import { METHOD_ANY } from '../../../model/mocks/definition.ts';
import { endsWithSlash, pathEnd, RouteOnPath } from './path-parameters.ts';
import { indexOf, NO_ROUTE, type ExoticEdges, type PatternRoute, type Place, type RouteNode } from './route-table.ts';

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
  if (index !== NO_ROUTE && (!listed || (!table.needsTree && table.patterns.length === 0)))
    return routeAt(mock, index).found;
  const hasPercent = path.includes('%');
  if (!path.startsWith('/') || (!table.needsTree && !hasPercent && table.patterns.length === 0)) return undefined;
  const search: Search = {
    path,
    end: pathEnd(path),
    hasPercent,
    method,
    takesAny,
    listed,
    best: index,
    work: ROUTE_SEARCH_WORK_MAX,
  };
  if (table.needsTree || hasPercent) walk(search, table.root, 1);
  if (table.patterns.length > 0 && (listed || search.best === NO_ROUTE)) matchPatterns(search, table.patterns);
  if (search.best === NO_ROUTE) return undefined;
  const route = routeAt(mock, search.best);
  return route.parameterNames.length === 0 ? route.found : new RouteOnPath(route, path);
}

/** Takes the first in the list that matches and comes before the best so far. */
function matchPatterns(search: Search, patterns: readonly PatternRoute[]): void {
  const path = search.hasPercent ? decodeOnce(search.path) : search.path;
  for (const { index, method, pattern } of patterns) {
    if (index >= search.best) return;
    if (!servesMethod(method, search.method, search.takesAny)) continue;
    search.work -= PATTERN_WORK + path.length * pattern.workPerChar;
    if (search.work < 0) return;
    if (pattern.test(path)) {
      search.best = index;
      return;
    }
  }
}

/** Whether a route of a method serves a request of another. */
export function servesMethod(route: string, asked: string, takesAny: boolean): boolean {
  if (route === METHOD_ANY) return takesAny;
  return route === asked || (route === 'GET' && asked === 'HEAD');
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
  /** What is left for forms, wildcards and patterns: beyond it nothing more is tried. */
  work: number;
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
    if (node.exotic !== undefined)
      return walkExotic(search, node, node.exotic, { literal, parameter, start, segmentEnd });
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

/** Work of one try of an edge. In units of RULE_WORK_MAX. */
const TRY_WORK = 20;

interface Step {
  readonly literal: RouteNode | undefined;
  readonly parameter: RouteNode | undefined;
  readonly start: number;
  readonly segmentEnd: number;
}

/** As `walk`, below a node with forms or a wildcard. */
function walkExotic(search: Search, node: RouteNode, exotic: ExoticEdges, step: Step): boolean {
  const { path, end, hasPercent } = search;
  const { literal, parameter, start, segmentEnd } = step;
  const next = segmentEnd + 1;
  search.work -= TRY_WORK;
  if (search.work < 0) return true;
  if (literal !== undefined && walk(search, literal, next)) return true;
  if (exotic.forms.length > 0 && segmentEnd > start) {
    const raw = path.slice(start, segmentEnd);
    const text = hasPercent ? decodeOnce(raw) : raw;
    for (const { pattern, node: below } of exotic.forms) {
      search.work -= PATTERN_WORK + text.length * pattern.workPerChar;
      if (search.work < 0) return true;
      if (pattern.test(text) && walk(search, below, next)) return true;
    }
  }
  if (parameter !== undefined && walk(search, parameter, next)) return true;
  if (exotic.wild !== undefined) {
    for (let cut = segmentEnd; ;) {
      search.work -= TRY_WORK;
      if (search.work < 0 || walk(search, exotic.wild, cut + 1)) return true;
      if (cut >= end) break;
      const slash = path.indexOf('/', cut + 1);
      cut = slash === -1 || slash > end ? end : slash;
    }
  }
  return visit(search, node.rest);
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
