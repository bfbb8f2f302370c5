/**
 * All routes that match a request, in order of precedence: for routes that hand on what they do not answer. The first is that of
 * find-route.ts.
 */
import { PATTERN_WORK } from '../../../model/mocks/operators.ts';
import { ROUTE_SEARCH_WORK_MAX } from '../../../limits.ts';
import { decodeOnce } from '../../../languages/route-path.ts';
import { METHOD_ANY } from '../../../model/mocks/definition.ts';
import type { CompiledMock, CompiledRoute, FoundRoute } from '../compiled-mock.ts';
import { findOptionsRoute, findRoute, servesMethod } from './find-route.ts';
import { pathEnd, RouteOnPath } from './path-parameters.ts';
import type { Place, RouteNode } from './route-table.ts';

/**
 * What is behind the route that was found, and looked for when that hands on. It need not be the first of `matching`: together, all may
 * take more work to find than they may.
 */
export function* furtherOf(matching: Iterable<FoundRoute>, { route: asked }: FoundRoute): Generator<FoundRoute> {
  for (const found of matching) if (found.route.index !== asked.index) yield found;
}

/** All that match, looked for when the first is asked for. The one of find-route.ts is found again. */
export function* matchingRoutes(
  mock: CompiledMock,
  method: string,
  path: string,
  takesAny: boolean,
): Generator<FoundRoute> {
  if (!mock.table.keepsAll) {
    const found = takesAny ? findRoute(mock, method, path) : findOptionsRoute(mock, path);
    if (found !== undefined) yield found;
    return;
  }
  for (const route of routesInOrder(mock, method, path, takesAny)) {
    yield route.parameterNames.length === 0 ? route.found : new RouteOnPath(route, path);
  }
}

/** @returns Each route once. Only for mocks with a route that hands on: others do not keep what this needs. */
function routesInOrder(mock: CompiledMock, method: string, path: string, takesAny: boolean): readonly CompiledRoute[] {
  const { table } = mock;
  const hasPercent = path.includes('%');
  const search: Search = {
    mock,
    path,
    end: pathEnd(path),
    hasPercent,
    method,
    takesAny,
    found: new Set(),
    work: ROUTE_SEARCH_WORK_MAX,
  };
  if (path.startsWith('/')) walk(search, table.root, 1);
  const decoded = hasPercent ? decodeOnce(path) : path;
  for (const { index, method: own, pattern } of table.patterns) {
    if (!servesMethod(own, method, takesAny)) continue;
    search.work -= PATTERN_WORK + decoded.length * pattern.workPerChar;
    if (search.work < 0) break;
    if (pattern.test(decoded)) search.found.add(index);
  }
  const indexes = [...search.found];
  if (table.precedence === 'listed') indexes.sort((one, other) => one - other);
  return indexes.map((index) => mock.routes[index] as CompiledRoute);
}

interface Search {
  readonly mock: CompiledMock;
  readonly path: string;
  readonly end: number;
  readonly hasPercent: boolean;
  readonly method: string;
  readonly takesAny: boolean;
  /** In order of precedence. */
  readonly found: Set<number>;
  work: number;
}

/** Work of a node. In units of RULE_WORK_MAX. */
const NODE_WORK = 20;

function walk(search: Search, node: RouteNode, start: number): void {
  search.work -= NODE_WORK;
  if (search.work < 0) return;
  const { path, end, hasPercent } = search;
  if (start > end) {
    for (const place of [node.end, node.optionalEnd, node.rest]) visit(search, place);
    return;
  }
  const cut = path.indexOf('/', start);
  const segmentEnd = cut === -1 || cut > end ? end : cut;
  const raw = path.slice(start, segmentEnd);
  const text = hasPercent ? decodeOnce(raw) : raw;
  const literal =
    node.literals === undefined ? (text === node.firstLiteral ? node.firstNode : undefined) : node.literals.get(text);
  if (literal !== undefined) walk(search, literal, segmentEnd + 1);
  const { exotic } = node;
  for (const { pattern, node: below } of raw === '' ? [] : (exotic?.forms ?? [])) {
    search.work -= PATTERN_WORK + text.length * pattern.workPerChar;
    if (search.work >= 0 && pattern.test(text)) walk(search, below, segmentEnd + 1);
  }
  if (node.parameter !== undefined && raw !== '') walk(search, node.parameter, segmentEnd + 1);
  if (exotic?.wild !== undefined) walkWild(search, exotic.wild, segmentEnd);
  visit(search, node.rest);
}

function walkWild(search: Search, wild: RouteNode, segmentEnd: number): void {
  const { path, end } = search;
  for (let cut = segmentEnd; search.work >= 0;) {
    walk(search, wild, cut + 1);
    if (cut >= end) return;
    const slash = path.indexOf('/', cut + 1);
    cut = slash === -1 || slash > end ? end : slash;
  }
}

/** The exact method, then GET for HEAD, then `ANY`; of each the first in the list first. */
function visit({ mock, method, takesAny, found }: Search, place: Place | undefined): void {
  const methods = place?.all?.map((index) => ({ index, method: (mock.routes[index] as CompiledRoute).method })) ?? [];
  const add = (own: string): void => {
    for (const each of methods) if (each.method === own) found.add(each.index);
  };
  add(method);
  if (method === 'HEAD') add('GET');
  if (takesAny && method !== METHOD_ANY) add(METHOD_ANY);
}
