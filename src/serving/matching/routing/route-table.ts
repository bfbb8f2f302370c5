/**
 * The routes of a mock by path: built once per version, searched by find-route.ts.
 *
 * Paths without parameters are found as a whole, in a map. All paths are also in a tree of segments: for those with
 * parameters, and for requests that write a literal with percent signs. Precedence among routes of one place is decided
 * here, so that a request needs one lookup.
 */
import type { Precedence } from '../../../model/mocks/definition.ts';
import type { LinearPattern } from '../../../languages/linear-pattern.ts';
import { variantsOf, type PathSegment } from '../../../languages/route-path.ts';
import { compareForms, patternOf, type SegmentForm } from '../../../languages/segment-form.ts';
import { METHOD_ANY } from '../../../model/mocks/definition.ts';

export interface RouteTable {
  readonly precedence: Precedence;
  /** Routes by their whole path, for paths without parameters and percent signs. */
  readonly whole: ReadonlyMap<string, Place>;
  readonly root: RouteNode;
  /** Whether some route is only in the tree. */
  readonly needsTree: boolean;
  /** Routes whose path is a pattern, in the order of the list. */
  readonly patterns: readonly PatternRoute[];
  /** Whether some route hands requests on: then the table keeps all routes of a place. */
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

/** What few nodes have: segments that mix text and parameters, and wildcards before other segments. */
export interface ExoticEdges {
  /** The most specific first. */
  readonly forms: { readonly form: SegmentForm; readonly pattern: LinearPattern; readonly node: RouteNode }[];
  wild: RouteNode | undefined;
}

export interface RouteNode {
  /** Most nodes have one literal below them: a comparison takes half the time of a map lookup, and no memory. */
  firstLiteral: string | undefined;
  firstNode: RouteNode | undefined;
  /** All literals, when there are several. */
  literals: Map<string, RouteNode> | undefined;
  parameter: RouteNode | undefined;
  exotic: ExoticEdges | undefined;
  /**
   * Routes that end here; routes whose optional parameter is absent here; routes that match any rest. In order of
   * precedence.
   */
  end: Place | undefined;
  optionalEnd: Place | undefined;
  rest: Place | undefined;
  /**
   * The smallest index among routes at or below this node that are only in the tree: `listed` skips subtrees that
   * cannot win.
   */
  firstIndex: number;
}

/** The routes of one place: for each method the first one in the list. */
export interface Place {
  /** The method and index of the first route that is not for `ANY`; "" and NO_ROUTE without one. */
  method: string;
  index: number;
  /** The indexes for further methods. */
  others: Map<string, number> | undefined;
  /** The index of the first route for `ANY`; NO_ROUTE without one. */
  any: number;
  /** All of its routes; only in tables whose routes may hand a request on. */
  all: number[] | undefined;
}

/** Larger than any index, so that it loses every comparison. */
export const NO_ROUTE = 0x7fff_ffff;

export interface TableEntry {
  readonly index: number;
  readonly route: { readonly method: string; readonly path: string; readonly handsOn: boolean };
  /** Undefined for a pattern of the whole path. */
  readonly segments: readonly PathSegment[] | undefined;
  readonly pattern: LinearPattern | undefined;
}

/** @param entries Enabled routes, in the order of the list. */
export function buildRouteTable(entries: readonly TableEntry[], precedence: Precedence): RouteTable {
  const keepsAll = entries.some(({ route }) => route.handsOn);
  const patterns: PatternRoute[] = [];
  const root = newNode();
  const whole = new Map<string, Place>();
  const methods = new Set<string>();
  let needsTree = false;
  for (const { index, route, segments, pattern } of entries) {
    if (route.method !== METHOD_ANY) methods.add(route.method);
    if (pattern !== undefined) patterns.push({ index, method: route.method, pattern });
    if (segments === undefined) continue;
    const path = wholePath(segments);
    const variants = variantsOf(segments);
    const places = variants.flatMap((each) => placesOf(root, each, path === undefined ? index : NO_ROUTE));
    for (const place of places) {
      addRoute(place, route.method, index);
      if (keepsAll) (place.all ??= []).push(index);
    }
    if (path === undefined) needsTree = true;
    // The existing string, when it is the same: a concatenated one is not flat, and would be a second copy.
    else whole.set(path === route.path ? route.path : path, places[0] as Place);
  }
  return { precedence, whole, root, needsTree, patterns, keepsAll, methods };
}

function newNode(): RouteNode {
  return {
    firstLiteral: undefined,
    firstNode: undefined,
    literals: undefined,
    parameter: undefined,
    exotic: undefined,
    end: undefined,
    optionalEnd: undefined,
    rest: undefined,
    firstIndex: NO_ROUTE,
  };
}

/** The places where a path may end, created if missing. Lowers `firstIndex` to `index` on the way. */
function placesOf(root: RouteNode, segments: readonly PathSegment[], index: number): Place[] {
  const places: Place[] = [];
  let node = root;
  node.firstIndex = Math.min(node.firstIndex, index);
  for (const segment of segments) {
    if (segment.kind === 'rest') return [(node.rest ??= newPlace())];
    switch (segment.kind) {
      case 'parameter':
        if (segment.optional) places.push((node.optionalEnd ??= newPlace()));
        node = node.parameter ??= newNode();
        break;
      case 'literal':
        node = literalBelow(node, segment.text);
        break;
      default:
        node = exoticBelow(node, segment);
    }
    node.firstIndex = Math.min(node.firstIndex, index);
  }
  places.push((node.end ??= newPlace()));
  return places;
}

/** Created if missing. */
function exoticBelow(node: RouteNode, segment: PathSegment & { kind: 'form' | 'wild' }): RouteNode {
  const exotic = (node.exotic ??= { forms: [], wild: undefined });
  if (segment.kind === 'wild') return (exotic.wild ??= newNode());
  const { form } = segment;
  const known = exotic.forms.find((each) => each.form.shape === form.shape);
  if (known !== undefined) return known.node;
  const edge = { form, pattern: patternOf(form), node: newNode() };
  exotic.forms.push(edge);
  exotic.forms.sort((one, other) => compareForms(one.form, other.form));
  return edge.node;
}

/** Created if missing. */
function literalBelow(node: RouteNode, text: string): RouteNode {
  if (node.firstNode === undefined || node.firstLiteral === undefined) {
    node.firstLiteral = text;
    node.firstNode = newNode();
    return node.firstNode;
  }
  if (text === node.firstLiteral) return node.firstNode;
  node.literals ??= new Map([[node.firstLiteral, node.firstNode]]);
  const known = node.literals.get(text);
  if (known !== undefined) return known;
  const next = newNode();
  node.literals.set(text, next);
  return next;
}

function newPlace(): Place {
  return { method: '', index: NO_ROUTE, others: undefined, any: NO_ROUTE, all: undefined };
}

/** The index of the first route for a method, ignoring `ANY`; NO_ROUTE without one. */
export function indexOf(place: Place, method: string): number {
  if (method === place.method) return place.index;
  return place.others?.get(method) ?? NO_ROUTE;
}

/** Routes are added in the order of the list: the first one stays. */
function addRoute(place: Place, method: string, index: number): void {
  if (method === METHOD_ANY) place.any = Math.min(place.any, index);
  else if (indexOf(place, method) !== NO_ROUTE) return;
  else if (place.index === NO_ROUTE) {
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
