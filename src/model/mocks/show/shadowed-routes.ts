/**
 * Finds routes that never answer because others match all their requests, for warnings.ts.
 *
 * Runs after every edit, also of a mock with thousands of routes: parsed routes are cached, since a route never
 * changes, and earlier routes are searched by segment instead of one by one.
 */
import { METHOD_ANY, type MockRoute, type MockSettings } from '../definition/definition.ts';
import { routingMethod, UPGRADE_METHOD } from '../sockets/socket.ts';
import { literalBelow, newPathNode, NO_INDEX, placesOf, type PathNode } from '../../../languages/paths/path-tree.ts';
import { isOptional, parseRoutePath, type PathSegment } from '../../../languages/paths/route-path.ts';
import type { WorkBudget } from '../../../languages/work-budget.ts';

/** Routes with parameters that a later route is compared with, to warn of a route that they shadow. */
const SHADOWS_TRIED_MAX = 50;

/**
 * @param routes Enabled routes, in the order of the list.
 * @param budget Characters of paths to parse, and segments to compare. Routes beyond it are left out.
 * @returns For each route that never answers, one that matches its requests.
 */
export function shadowedRoutes(
  routes: readonly MockRoute[],
  settings: MockSettings,
  budget: WorkBudget,
): Map<MockRoute, MockRoute> {
  const parsed = routes.slice(0, countParsed(routes, budget));
  const shadows = shadowedByShape(parsed);
  if (settings.precedence === 'listed') addShadowedByOrder(shadows, parsed, settings, budget);
  return shadows;
}

/** Counts the routes from the first on whose paths are parsed within the budget. */
function countParsed(routes: readonly MockRoute[], budget: WorkBudget): number {
  for (const [index, route] of routes.entries()) {
    if (paths.has(route)) continue;
    if (budget.work <= 0) return index;
    budget.work -= route.path.length;
    pathOf(route);
  }
  return routes.length;
}

interface RoutePath {
  readonly segments: readonly PathSegment[];
  /** Equal for paths that match the same requests. */
  readonly shape: string;
  /** Literals, parameters, and at the end an optional parameter or the rest. */
  readonly isPlain: boolean;
}

const paths = new WeakMap<MockRoute, RoutePath>();

/** The path of a route, parsed once. */
function pathOf(route: MockRoute): RoutePath {
  let known = paths.get(route);
  if (known === undefined) {
    const parsed = route.pathKind === 'regex' ? 'a pattern' : parseRoutePath(route.path);
    const segments = typeof parsed === 'string' ? [] : parsed;
    // Names of parameters and encodings of literals make no difference to the matched requests.
    const shape = typeof parsed === 'string' ? `~${route.path}` : segments.map(shapeOf).join('');
    known = {
      segments,
      shape: `${routingMethod(route)} ${shape}`,
      isPlain: typeof parsed !== 'string' && isPlain(segments),
    };
    paths.set(route, known);
  }
  return known;
}

function shapeOf(segment: PathSegment): string {
  if (segment.kind === 'literal') return `/${encodeURIComponent(segment.text)}`;
  if (segment.kind === 'rest') return '/*';
  if (segment.kind === 'wild') return '/*/';
  const shape = segment.kind === 'form' ? `~${segment.form.shape}` : ':';
  return segment.optional ? `/${shape}?` : `/${shape}`;
}

/** Whether an earlier route with it is looked at as one that covers others. */
function isPlain(segments: readonly PathSegment[]): boolean {
  return segments.every((segment, index) => {
    if (segment.kind === 'form' || segment.kind === 'wild') return false;
    return !isOptional(segment) || index === segments.length - 1;
  });
}

/** With either precedence: the first of the routes that match the same requests gets all of them. */
function shadowedByShape(routes: readonly MockRoute[]): Map<MockRoute, MockRoute> {
  const shadows = new Map<MockRoute, MockRoute>();
  const first = new Map<string, MockRoute>();
  for (const route of routes) {
    const { shape } = pathOf(route);
    const shadow = first.get(shape);
    if (shadow === undefined) {
      // What it does not answer falls through.
      if (route.otherwise !== 'next') first.set(shape, route);
    } else shadows.set(route, shadow);
  }
  return shadows;
}

/**
 * With `listed`: an earlier route that matches everything that a later one matches gets its requests, however general
 * it is.
 */
function addShadowedByOrder(
  shadows: Map<MockRoute, MockRoute>,
  routes: readonly MockRoute[],
  { cors }: MockSettings,
  budget: WorkBudget,
): void {
  const byMethod = new Map<string, PathNode<First>>();
  let count = 0;
  for (const [index, route] of routes.entries()) {
    if (budget.work <= 0) return;
    const method = routingMethod(route);
    const { segments, isPlain: isKnown } = pathOf(route);
    if (route.pathKind === 'regex') continue;
    let covering = coveringIndex(byMethod.get(method), segments, 0, budget);
    // With `cors`, only OPTIONS routes get preflights.
    const isForAny = method !== METHOD_ANY && method !== UPGRADE_METHOD && !(cors && method === 'OPTIONS');
    if (isForAny) covering = Math.min(covering, coveringIndex(byMethod.get(METHOD_ANY), segments, 0, budget));
    if (covering !== NO_INDEX) shadows.set(route, routes[covering] as MockRoute);
    const isGeneral = method === METHOD_ANY || segments.some(({ kind }) => kind !== 'literal');
    if (!isGeneral || !isKnown || route.otherwise === 'next' || count >= SHADOWS_TRIED_MAX) continue;
    count++;
    let root = byMethod.get(method);
    if (root === undefined) byMethod.set(method, (root = newPathNode<First>()));
    for (const place of placesOf(root, segments, index, () => ({ index }))) place.index = Math.min(place.index, index);
  }
}

/** The index of the first route of a place. */
interface First {
  index: number;
}

function indexOf(place: First | undefined): number {
  return place?.index ?? NO_INDEX;
}

/** @returns The index of the first route that matches everything that these segments match; NO_INDEX without one. */
function coveringIndex(
  node: PathNode<First> | undefined,
  segments: readonly PathSegment[],
  at: number,
  budget: WorkBudget,
): number {
  if (node === undefined) return NO_INDEX;
  budget.work--;
  const segment = segments[at];
  if (segment === undefined) return Math.min(indexOf(node.rest), indexOf(node.optionalEnd), indexOf(node.end));
  if (segment.kind === 'rest' || segment.kind === 'wild') return indexOf(node.rest);
  const isLast = at === segments.length - 1;
  const own = Math.min(indexOf(node.rest), isLast ? indexOf(node.optionalEnd) : NO_INDEX);
  if (isOptional(segment)) return isLast ? own : indexOf(node.rest);
  const literal = segment.kind === 'literal' ? literalBelow(node, segment.text) : undefined;
  return Math.min(
    own,
    coveringIndex(literal, segments, at + 1, budget),
    coveringIndex(node.parameter, segments, at + 1, budget),
  );
}
