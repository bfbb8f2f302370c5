/**
 * Finds routes that never answer because others match all their requests, for warnings.ts.
 *
 * Runs after every edit, also of a mock with thousands of routes: parsed routes are cached, since a route never
 * changes, and earlier routes are searched by segment instead of one by one.
 */
import { SHADOWS_TRIED_MAX } from '../../limits.ts';
import { METHOD_ANY, type MockRoute, type MockSettings } from './definition.ts';
import { isOptional, parseRoutePath, type PathSegment } from '../../languages/route-path.ts';
import type { WorkBudget } from '../../languages/work-budget.ts';

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
export function pathOf(route: MockRoute): RoutePath {
  let known = paths.get(route);
  if (known === undefined) {
    const parsed = route.pathKind === 'regex' ? 'a pattern' : parseRoutePath(route.path);
    const segments = typeof parsed === 'string' ? [] : parsed;
    // Names of parameters and encodings of literals make no difference to the matched requests.
    const shape = typeof parsed === 'string' ? `~${route.path}` : segments.map(shapeOf).join('');
    known = { segments, shape: `${route.method} ${shape}`, isPlain: typeof parsed !== 'string' && isPlain(segments) };
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
      // It hands on what it does not answer.
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
  const byMethod = new Map<string, GeneralNode>();
  let count = 0;
  for (const [index, route] of routes.entries()) {
    if (budget.work <= 0) return;
    const { method } = route;
    const { segments, isPlain: isKnown } = pathOf(route);
    if (route.pathKind === 'regex') continue;
    let covering = coveringIndex(byMethod.get(method), segments, 0, budget);
    // With `cors`, only OPTIONS routes get preflights.
    const isForAny = method !== METHOD_ANY && !(cors && method === 'OPTIONS');
    if (isForAny) covering = Math.min(covering, coveringIndex(byMethod.get(METHOD_ANY), segments, 0, budget));
    if (covering !== NONE) shadows.set(route, routes[covering] as MockRoute);
    const isGeneral = method === METHOD_ANY || segments.some(({ kind }) => kind !== 'literal');
    if (!isGeneral || !isKnown || route.otherwise === 'next' || count >= SHADOWS_TRIED_MAX) continue;
    count++;
    let root = byMethod.get(method);
    if (root === undefined) byMethod.set(method, (root = newNode()));
    addGeneral(root, segments, index);
  }
}

/** Larger than any index. */
const NONE = Infinity;

/** Earlier routes, as a tree of their segments. */
interface GeneralNode {
  readonly literals: Map<string, GeneralNode>;
  parameter: GeneralNode | undefined;
  /** Index of the first route that ends here, has an optional parameter here, or captures the rest from here. */
  end: number;
  optional: number;
  rest: number;
}

function newNode(): GeneralNode {
  return { literals: new Map(), parameter: undefined, end: NONE, optional: NONE, rest: NONE };
}

function addGeneral(root: GeneralNode, segments: readonly PathSegment[], index: number): void {
  let node = root;
  for (const segment of segments) {
    if (segment.kind === 'rest') {
      node.rest = Math.min(node.rest, index);
      return;
    }
    if (segment.kind === 'parameter') {
      if (segment.optional) {
        node.optional = Math.min(node.optional, index);
        return;
      }
      node = node.parameter ??= newNode();
    } else if (segment.kind === 'literal') {
      let next = node.literals.get(segment.text);
      if (next === undefined) node.literals.set(segment.text, (next = newNode()));
      node = next;
    }
  }
  node.end = Math.min(node.end, index);
}

/** @returns The index of the first route that matches everything that these segments match; NONE without one. */
function coveringIndex(
  node: GeneralNode | undefined,
  segments: readonly PathSegment[],
  at: number,
  budget: WorkBudget,
): number {
  if (node === undefined) return NONE;
  budget.work--;
  const segment = segments[at];
  if (segment === undefined) return Math.min(node.rest, node.optional, node.end);
  if (segment.kind === 'rest' || segment.kind === 'wild') return node.rest;
  const isLast = at === segments.length - 1;
  const own = Math.min(node.rest, isLast ? node.optional : NONE);
  if (isOptional(segment)) return isLast ? own : node.rest;
  const literal = segment.kind === 'literal' ? node.literals.get(segment.text) : undefined;
  return Math.min(
    own,
    coveringIndex(literal, segments, at + 1, budget),
    coveringIndex(node.parameter, segments, at + 1, budget),
  );
}
