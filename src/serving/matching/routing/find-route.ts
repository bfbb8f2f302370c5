/**
 * Finds the route that answers a request: one map lookup for a path without parameters, else a walk down the tree. The same walk finds
 * all routes that match, for routes that fall through.
 *
 * Order (docs/mocks-matching.md). `specific`: segment by segment literal, text with parameters, parameter, wildcard, rest; then, at one place,
 * the exact method before `ANY`; then the list; at last patterns of whole paths. `listed`: only the list. HEAD is served by GET routes
 * too, after HEAD routes. explain.ts must agree on every input (test/serving/conformance).
 */
import { decodeOnce } from '../../../base/percent.ts';
import { literalBelow, NO_INDEX, type PathNode, type PatternEdges } from '../../../languages/paths/path-tree.ts';
import { PATTERN_WORK } from '../../../model/mocks/definition/operators.ts';
import { ROUTE_SEARCH_WORK_MAX } from '../../../limits.ts';
import type { CompiledMock, CompiledRoute, FoundRoute } from '../compile/compiled-mock.ts';
import { UPGRADE_METHOD } from '../../../model/mocks/sockets/socket.ts';
import { METHOD_ANY } from '../../../model/mocks/definition/definition.ts';
import { endsWithSlash, pathEnd, RouteOnPath } from './path-parameters.ts';
import { indexOf, type PatternRoute, type Place } from './route-table.ts';

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

/** The route that answers a WebSocket handshake. */
export function findSocketRoute(mock: CompiledMock, path: string): FoundRoute | undefined {
  return mock.table.methods.has(UPGRADE_METHOD) ? find(mock, UPGRADE_METHOD, path, false) : undefined;
}

function find(mock: CompiledMock, method: string, path: string, takesAny: boolean): FoundRoute | undefined {
  const { table } = mock;
  const place = table.whole.get(path) ?? (hasTrailingSlash(path) ? table.whole.get(path.slice(0, -1)) : undefined);
  const listed = table.precedence === 'listed';
  const index = place === undefined ? NO_INDEX : indexAt(place, method, takesAny, listed);
  // A path without parameters is the most specific, and with `listed` it wins when no route is in the tree only.
  if (index !== NO_INDEX && (!listed || (!table.needsTree && table.patterns.length === 0)))
    return routeAt(mock, index).found;
  const hasPercent = path.includes('%');
  if (!path.startsWith('/') || (!table.needsTree && !hasPercent && table.patterns.length === 0)) return undefined;
  const search = newSearch(path, hasPercent, method, takesAny, listed);
  search.best = index;
  if (table.needsTree || hasPercent) walk(search, table.root, 1);
  if (table.patterns.length > 0 && (listed || search.best === NO_INDEX)) matchPatterns(search, table.patterns);
  return search.best === NO_INDEX ? undefined : foundAt(mock, search.best, path);
}

/** @returns All routes that match, each once, in order of precedence. The table keeps what this needs if some route falls through. */
export function* findAllRoutes(
  mock: CompiledMock,
  method: string,
  path: string,
  takesAny: boolean,
): Generator<FoundRoute> {
  const { precedence, root, patterns } = mock.table;
  const all = new Set<number>();
  const search = newSearch(path, path.includes('%'), method, takesAny, false);
  search.all = all;
  if (path.startsWith('/')) walk(search, root, 1);
  matchPatterns(search, patterns);
  const indexes = precedence === 'listed' ? [...all].toSorted((one, other) => one - other) : all;
  for (const index of indexes) yield foundAt(mock, index, path);
}

/** Takes those that match: the first in the list that comes before the best so far, or all. */
function matchPatterns(search: Search, patterns: readonly PatternRoute[]): void {
  const path = search.hasPercent ? decodeOnce(search.path) : search.path;
  for (const { index, method, pattern } of patterns) {
    if (index >= search.best) return;
    if (!servesMethod(method, search.method, search.takesAny)) continue;
    search.work -= PATTERN_WORK + path.length * pattern.workPerChar;
    if (search.work < 0) return;
    if (!pattern.test(path)) continue;
    if (search.all === undefined) search.best = index;
    else search.all.add(index);
  }
}

/** A route with one method serves a request with another. */
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

function foundAt(mock: CompiledMock, index: number, path: string): FoundRoute {
  const route = routeAt(mock, index);
  return route.parameterNames.length === 0 ? route.found : new RouteOnPath(route, path);
}

/** The index of the route for a method at a place, or NO_INDEX. */
function indexAt(place: Place, method: string, takesAny: boolean, listed: boolean): number {
  const exact = indexOf(place, method);
  if (!listed && exact !== NO_INDEX) return exact;
  const asGet = method === 'HEAD' ? indexOf(place, 'GET') : NO_INDEX;
  const any = takesAny ? place.any : NO_INDEX;
  if (listed) return Math.min(exact, asGet, any);
  return asGet !== NO_INDEX ? asGet : any;
}

interface Search {
  readonly path: string;
  /** End of the path, without a trailing slash. */
  readonly end: number;
  readonly hasPercent: boolean;
  readonly method: string;
  readonly takesAny: boolean;
  readonly listed: boolean;
  /** The index of the best route so far, or NO_INDEX. With `listed` a better route has a smaller index. */
  best: number;
  /** The indexes of all that match, in order of precedence; undefined when one is searched. */
  all: Set<number> | undefined;
  /** Remaining work for forms, wildcards, patterns, and nodes with several ways: beyond it the search ends. */
  work: number;
}

/** A single literal, so that all searches have one object shape. */
function newSearch(path: string, hasPercent: boolean, method: string, takesAny: boolean, listed: boolean): Search {
  const work = ROUTE_SEARCH_WORK_MAX;
  return { path, end: pathEnd(path), hasPercent, method, takesAny, listed, best: NO_INDEX, all: undefined, work };
}

/** Work of a node with several ways on, and of one try of a wildcard. In units of RULE_WORK_MAX. */
const TRY_WORK = 20;

/**
 * Searches below a node, most specific first. With `specific` the first route found is the best one; with `listed` all
 * are tried, except those that come later in the list than the best so far.
 *
 * Loops where there is only one way, which is nearly everywhere; it recurses only where there are several.
 *
 * @param firstStart Offset of the next segment; beyond the end after the last one.
 * @returns Whether the search is over.
 */
function walk(search: Search, from: PathNode<Place>, firstStart: number): boolean {
  const { path, end, hasPercent, listed } = search;
  let node = from;
  let start = firstStart;
  for (;;) {
    if (listed && !hasPercent && node.firstIndex >= search.best) return false;
    if (start > end) return visit(search, node.end) || visit(search, node.optionalEnd) || visit(search, node.rest);
    const cut = path.indexOf('/', start);
    const segmentEnd = cut === -1 || cut > end ? end : cut;
    // Decoding takes 1 ns a character.
    if (hasPercent) search.work -= (segmentEnd - start) >> 2;
    const literal =
      node.firstLiteral === undefined ? undefined : literalAt(node, path.slice(start, segmentEnd), hasPercent);
    const parameter = segmentEnd === start ? undefined : node.parameter;
    if (node.patternEdges !== undefined)
      return walkPatterns(search, node, node.patternEdges, { literal, parameter, start, segmentEnd });
    start = segmentEnd + 1;
    const next = literal ?? parameter;
    if (next === undefined) return visit(search, node.rest);
    if (node.rest === undefined && (literal === undefined || parameter === undefined)) {
      node = next;
      continue;
    }
    search.work -= TRY_WORK;
    if (search.work < 0) return true;
    if (walk(search, next, start)) return true;
    if (literal !== undefined && parameter !== undefined && walk(search, parameter, start)) return true;
    return visit(search, node.rest);
  }
}

interface Step {
  readonly literal: PathNode<Place> | undefined;
  readonly parameter: PathNode<Place> | undefined;
  readonly start: number;
  readonly segmentEnd: number;
}

/** The same as `walk`, below a node with forms or a wildcard. */
function walkPatterns(search: Search, node: PathNode<Place>, edges: PatternEdges<Place>, step: Step): boolean {
  const { path, end, hasPercent } = search;
  const { literal, parameter, start, segmentEnd } = step;
  const next = segmentEnd + 1;
  search.work -= TRY_WORK;
  if (search.work < 0) return true;
  if (literal !== undefined && walk(search, literal, next)) return true;
  if (edges.forms.length > 0 && segmentEnd > start) {
    const raw = path.slice(start, segmentEnd);
    const text = hasPercent ? decodeOnce(raw) : raw;
    for (const { pattern, node: below } of edges.forms) {
      search.work -= PATTERN_WORK + text.length * pattern.workPerChar;
      if (search.work < 0) return true;
      if (pattern.test(text) && walk(search, below, next)) return true;
    }
  }
  if (parameter !== undefined && walk(search, parameter, next)) return true;
  if (edges.wild !== undefined) {
    for (let cut = segmentEnd; ;) {
      search.work -= TRY_WORK;
      if (search.work < 0 || walk(search, edges.wild, cut + 1)) return true;
      if (cut >= end) break;
      const slash = path.indexOf('/', cut + 1);
      cut = slash === -1 || slash > end ? end : slash;
    }
  }
  return visit(search, node.rest);
}

function literalAt(node: PathNode<Place>, raw: string, hasPercent: boolean): PathNode<Place> | undefined {
  return literalBelow(node, hasPercent ? decodeOnce(raw) : raw);
}

/** Takes the route of a place if it is better. @returns Whether the search is over. */
function visit(search: Search, place: Place | undefined): boolean {
  if (place === undefined) return false;
  if (search.all !== undefined) return takeAll(search.all, search, place);
  const index = indexAt(place, search.method, search.takesAny, search.listed);
  if (index >= search.best) return false;
  search.best = index;
  return !search.listed;
}

/** The exact method, then GET for HEAD, then `ANY`; of each the first in the list first. @returns false: the search goes on. */
function takeAll(taken: Set<number>, { method, takesAny }: Search, { all }: Place): boolean {
  const own = method === METHOD_ANY ? undefined : all?.get(method);
  for (const index of own ?? []) taken.add(index);
  if (method === 'HEAD') for (const index of all?.get('GET') ?? []) taken.add(index);
  if (takesAny) for (const index of all?.get(METHOD_ANY) ?? []) taken.add(index);
  return false;
}
