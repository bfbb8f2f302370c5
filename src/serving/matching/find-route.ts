/**
 * Finds the route that answers a request: one look into a map for a path without parameters, else a walk down the tree.
 *
 * Order (mocks.md, "Behaviour"). `specific`: segment by segment literal, parameter, rest; then, at one place, the exact method before
 * `ANY`; then the list. `listed`: the list alone. HEAD counts as GET too, next after routes of its own; explain.ts must agree on every
 * input (test/serving/conformance).
 */
import { decodeOnce } from '../../model/mocks/route-path.ts';
import type { CompiledMock, CompiledRoute, FoundRoute } from './compiled-mock.ts';
import { NO_ROUTE, type Place, type RouteNode } from './route-table.ts';

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

/** The route declared for OPTIONS itself, which takes preflights where the mock answers them; `ANY` does not. */
export function findOptionsRoute(mock: CompiledMock, path: string): FoundRoute | undefined {
  return find(mock, 'OPTIONS', path, false);
}

/** Whether a preflight belongs to a route rather than to the mock. */
export function hasRouteForOptions(mock: CompiledMock, path: string): boolean {
  return mock.table.methods.has('OPTIONS') && findOptionsRoute(mock, path) !== undefined;
}

function find(mock: CompiledMock, method: string, path: string, takesAny: boolean): FoundRoute | undefined {
  const { table } = mock;
  const place = table.whole.get(path) ?? (hasTrailingSlash(path) ? table.whole.get(path.slice(0, -1)) : undefined);
  const listed = table.precedence === 'listed';
  const index = place === undefined ? NO_ROUTE : serving(place, method, takesAny, listed);
  // A path without parameters is the most specific there is, and the first of the list when nothing stands before it.
  if (index !== NO_ROUTE && (!listed || !table.needsTree)) return routeAt(mock, index).found;
  if (!path.startsWith('/') || (!table.needsTree && !path.includes('%'))) return undefined;
  const search = new Search(path, method, takesAny, listed, index);
  search.walk(table.root, 1);
  if (search.best === NO_ROUTE) return undefined;
  const route = routeAt(mock, search.best);
  return search.captures.length === 0 ? route.found : { route, params: search.captures };
}

/** "//" is an empty segment, not "/" once more. */
function hasTrailingSlash(path: string): boolean {
  return path.length > 2 && path.endsWith('/');
}

function routeAt(mock: CompiledMock, index: number): CompiledRoute {
  return mock.routes[index] as CompiledRoute;
}

/** The index of the route that serves a method at a place, or NO_ROUTE. */
function serving(place: Place, method: string, takesAny: boolean, listed: boolean): number {
  const exact = place.byMethod.get(method) ?? NO_ROUTE;
  if (!listed && exact !== NO_ROUTE) return exact;
  const asGet = method === 'HEAD' ? (place.byMethod.get('GET') ?? NO_ROUTE) : NO_ROUTE;
  const any = takesAny ? place.any : NO_ROUTE;
  if (listed) return Math.min(exact, asGet, any);
  return asGet !== NO_ROUTE ? asGet : any;
}

class Search {
  readonly #path: string;
  /** Where the path ends, without a trailing slash. */
  readonly #end: number;
  readonly #hasPercent: boolean;
  readonly #method: string;
  readonly #takesAny: boolean;
  readonly #listed: boolean;
  readonly #stack: string[] = [];
  best: number;
  captures: readonly string[] = NONE;

  /** @param best What was found already, which a `listed` route must come before. */
  constructor(path: string, method: string, takesAny: boolean, listed: boolean, best: number) {
    this.#path = path;
    this.#end = path.endsWith('/') ? path.length - 1 : path.length;
    this.#hasPercent = path.includes('%');
    this.#method = method;
    this.#takesAny = takesAny;
    this.#listed = listed;
    this.best = best;
  }

  /**
   * Looks below a node, most specific first. With `specific` the first route is the best one; with `listed` all are looked at, but for
   * those that come later in the list than what was found.
   *
   * @param start Where the next segment starts; behind the end when there is none.
   * @returns Whether the search is over.
   */
  walk(node: RouteNode, start: number): boolean {
    if (this.#listed && !this.#hasPercent && node.firstIndex >= this.best) return false;
    if (start > this.#end) {
      return (
        this.#take(node.end) ||
        this.#take(node.optionalEnd) ||
        (node.rest !== undefined && this.#takeRest(node.rest, ''))
      );
    }
    const cut = this.#path.indexOf('/', start);
    const end = cut === -1 || cut > this.#end ? this.#end : cut;
    const raw = this.#path.slice(start, end);
    const segment = this.#hasPercent ? decodeOnce(raw) : raw;

    const literal = node.literals.get(segment);
    if (literal !== undefined && this.walk(literal, end + 1)) return true;
    if (node.parameter !== undefined && raw !== '') {
      this.#stack.push(segment);
      if (this.walk(node.parameter, end + 1)) return true;
      this.#stack.pop();
    }
    if (node.rest === undefined) return false;
    const rest = this.#path.slice(start, this.#end);
    return this.#takeRest(node.rest, this.#hasPercent ? decodeOnce(rest) : rest);
  }

  #takeRest(place: Place, rest: string): boolean {
    this.#stack.push(rest);
    const isOver = this.#take(place);
    this.#stack.pop();
    return isOver;
  }

  #take(place: Place | undefined): boolean {
    if (place === undefined) return false;
    const index = serving(place, this.#method, this.#takesAny, this.#listed);
    if (index >= this.best) return false;
    this.best = index;
    this.captures = this.#stack.length === 0 ? NONE : [...this.#stack];
    return !this.#listed;
  }
}

const NONE: readonly string[] = [];
