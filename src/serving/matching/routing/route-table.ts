/**
 * The routes of a mock by path: built once per version, searched by find-route.ts.
 *
 * Paths without parameters are found as a whole, in a map. All paths are also in a tree of segments: for those with
 * parameters, and for requests that write a literal with percent signs. Precedence among routes of one place is decided
 * here, so that a request needs one lookup.
 */
import type { Precedence } from '../../../model/mocks/definition/definition.ts';
import type { LinearPattern } from '../../../languages/linear-pattern.ts';
import { newPathNode, NO_INDEX, placesOf, type PathNode } from '../../../languages/paths/path-tree.ts';
import { variantsOf, type PathSegment } from '../../../languages/paths/route-path.ts';
import { METHOD_ANY } from '../../../model/mocks/definition/definition.ts';

export interface RouteTable {
  readonly precedence: Precedence;
  /** Routes by their whole path, for paths without parameters and percent signs. */
  readonly whole: ReadonlyMap<string, Place>;
  readonly root: PathNode<Place>;
  /** Some route is in the tree alone. */
  readonly needsTree: boolean;
  /** Finding a route may take up to ROUTE_SEARCH_WORK_MAX: by forms of segments, wildcards or patterns. */
  readonly isSearched: boolean;
  /** Routes whose path is a pattern, in the order of the list. */
  readonly patterns: readonly PatternRoute[];
  /** Some route falls through: then the table keeps all routes of a place. */
  readonly keepsAll: boolean;
  /** All methods of routes, except `ANY`. */
  readonly methods: ReadonlySet<string>;
}

/** A route that is found by a pattern of the whole path. */
export interface PatternRoute {
  readonly index: number;
  readonly method: string;
  readonly pattern: LinearPattern;
}

/** The routes of one place: for each method the first one in the list. */
export interface Place {
  /** The method and index of the first route that is not for `ANY`; "" and NO_INDEX without one. */
  method: string;
  index: number;
  /** The indexes for further methods. */
  others: Map<string, number> | undefined;
  /** The index of the first route for `ANY`; NO_INDEX without one. */
  any: number;
  /** The indexes of all its routes by method; only in tables whose routes may fall through. */
  all: Map<string, number[]> | undefined;
}

export interface TableEntry {
  readonly index: number;
  readonly route: { readonly method: string; readonly path: string; readonly fallsThrough: boolean };
  /** Undefined for a pattern of the whole path. */
  readonly segments: readonly PathSegment[] | undefined;
  readonly pattern: LinearPattern | undefined;
}

/** @param entries Enabled routes, in the order of the list. */
export function buildRouteTable(entries: readonly TableEntry[], precedence: Precedence): RouteTable {
  const keepsAll = entries.some(({ route }) => route.fallsThrough);
  const patterns: PatternRoute[] = [];
  const root = newPathNode<Place>();
  const whole = new Map<string, Place>();
  const methods = new Set<string>();
  let needsTree = false;
  let isSearched = false;
  for (const { index, route, segments, pattern } of entries) {
    if (route.method !== METHOD_ANY) methods.add(route.method);
    if (pattern !== undefined) patterns.push({ index, method: route.method, pattern });
    isSearched ||= segments === undefined || segments.some(({ kind }) => kind !== 'literal' && kind !== 'parameter');
    if (segments === undefined) continue;
    const path = wholePath(segments);
    const variants = variantsOf(segments);
    const places = variants.flatMap((each) => placesOf(root, each, path === undefined ? index : NO_INDEX, newPlace));
    for (const place of places) {
      addRoute(place, route.method, index);
      if (keepsAll) keep(place, route.method, index);
    }
    if (path === undefined) needsTree = true;
    // The existing string, when it is the same: a concatenated one is not flat, and would be a second copy.
    else whole.set(path === route.path ? route.path : path, places[0] as Place);
  }
  return { precedence, whole, root, needsTree, isSearched, patterns, keepsAll, methods };
}

function newPlace(): Place {
  return { method: '', index: NO_INDEX, others: undefined, any: NO_INDEX, all: undefined };
}

/** The index of the first route for a method, ignoring `ANY`; NO_INDEX without one. */
export function indexOf(place: Place, method: string): number {
  if (method === place.method) return place.index;
  return place.others?.get(method) ?? NO_INDEX;
}

function keep(place: Place, method: string, index: number): void {
  const all = (place.all ??= new Map<string, number[]>());
  const known = all.get(method);
  if (known === undefined) all.set(method, [index]);
  else known.push(index);
}

/** Routes are added in the order of the list: the first one stays. */
function addRoute(place: Place, method: string, index: number): void {
  if (method === METHOD_ANY) place.any = Math.min(place.any, index);
  else if (indexOf(place, method) !== NO_INDEX) return;
  else if (place.index === NO_INDEX) {
    place.method = method;
    place.index = index;
  } else {
    place.others ??= new Map();
    place.others.set(method, index);
  }
}

/** @returns undefined for a path that has parameters, or that a request could write in other ways. */
function wholePath(segments: readonly PathSegment[]): string | undefined {
  let path = '';
  for (const segment of segments) {
    if (segment.kind !== 'literal' || /[%/]/.test(segment.text)) return undefined;
    path += `/${segment.text}`;
  }
  if (segments.length === 0) return '/';
  return path.endsWith('/') ? undefined : path;
}
