/** Finds the routes of a request by trying each in turn, and says why the others do not match: for explain.ts. */
import { NEAREST_ROUTES_MAX } from '../../../limits.ts';
import { METHOD_ANY, type MockDefinition, type MockRoute } from '../../../model/mocks/definition.ts';
import { decodeOnce, parseRoutePath, REST_NAME, splitPath, type PathSegment } from '../../../languages/route-path.ts';

export interface RouteMatch {
  readonly route: MockRoute;
  /** Its index in the definition. */
  readonly index: number;
  readonly params: Readonly<Record<string, string>>;
}

/** A route that did not match. */
export interface NearMiss {
  readonly routeId: string;
  readonly method: string;
  readonly path: string;
  /** Why it does not match: at least one reason. */
  readonly problems: readonly string[];
}

/**
 * @param takesAny Whether routes for `ANY` may match: they do not match preflights.
 * @returns All routes that match, in order of precedence; when none does, at most NEAREST_ROUTES_MAX others, nearest
 * first.
 */
export function explainRouting(
  { routes, settings, overlaid = 0 }: MockDefinition,
  method: string,
  path: string,
  takesAny: boolean,
): { readonly matches: readonly RouteMatch[]; readonly nearest: readonly NearMiss[] } {
  const attempts = routes.map((route, index) => attempt(route, index, method, path, takesAny));
  const matches = attempts.filter(({ problems }) => problems.length === 0);
  const isOverlaid = ({ index }: RouteMatch): number => (index >= routes.length - overlaid ? 0 : 1);
  matches.sort(
    (a, b) =>
      isOverlaid(a) - isOverlaid(b) ||
      (settings.precedence === 'listed' ? 0 : compareRanks(a.ranks, b.ranks)) ||
      a.index - b.index,
  );
  const misses = matches.length > 0 ? [] : attempts.toSorted((a, b) => a.distance - b.distance || a.index - b.index);
  return {
    matches,
    nearest: misses.slice(0, NEAREST_ROUTES_MAX).map(({ route, problems }) => ({
      routeId: route.id,
      method: route.method,
      path: route.path,
      problems,
    })),
  };
}

interface Attempt extends RouteMatch {
  /** How specific it is: each segment, then how the path ends, then the method. Smaller numbers take precedence. */
  readonly ranks: readonly number[];
  readonly problems: readonly string[];
  readonly distance: number;
}

function attempt(route: MockRoute, index: number, method: string, path: string, takesAny: boolean): Attempt {
  const segments = parseRoutePath(route.path);
  if (typeof segments === 'string') {
    return { route, index, params: {}, ranks: [], problems: [`its path ${segments}`], distance: Infinity };
  }
  const onPath = path.startsWith('/') ? matchPath(segments, splitPath(path)) : NOT_A_PATH;
  const methodRank = rankMethod(route.method, method, takesAny);
  const problems = [...onPath.problems];
  if (methodRank === undefined) problems.push(`its method is ${route.method}, the request's ${method}`);
  if (!route.enabled) problems.push('it is disabled');
  return {
    route,
    index,
    params: onPath.params,
    ranks: [...onPath.ranks, methodRank ?? 0],
    problems,
    distance: onPath.distance + (methodRank === undefined ? 1 : 0) + (route.enabled ? 0 : 1),
  };
}

/** @returns 0 for the method itself; undefined when the route does not serve it. */
function rankMethod(routeMethod: string, method: string, takesAny: boolean): number | undefined {
  if (routeMethod === method && method !== METHOD_ANY) return 0;
  if (routeMethod === 'GET' && method === 'HEAD') return 1;
  return routeMethod === METHOD_ANY && takesAny ? 2 : undefined;
}

interface PathMatch {
  readonly params: Readonly<Record<string, string>>;
  readonly ranks: readonly number[];
  readonly problems: readonly string[];
  /** 1 for each segment that differs, 0.5 where only its case differs. */
  readonly distance: number;
}

const NOT_A_PATH: PathMatch = { params: {}, ranks: [], problems: ['the path must start with "/"'], distance: Infinity };

const RANK = { literal: 0, parameter: 1, rest: 2, end: 0, optionalEnd: 1 } as const;

function matchPath(segments: readonly PathSegment[], texts: readonly string[]): PathMatch {
  const params = new Map<string, string>();
  const ranks: number[] = [];
  const problems: string[] = [];
  let distance = 0;
  let ending: number = RANK.end;
  let isOpen = false;
  for (const [at, segment] of segments.entries()) {
    const text = texts[at];
    if (segment.kind === 'rest') {
      params.set(REST_NAME, decodeOnce(texts.slice(at).join('/')));
      isOpen = true;
      ranks.push(RANK.rest);
    } else if (segment.kind === 'parameter' && segment.optional && text === undefined) {
      ending = RANK.optionalEnd;
    } else if (text === undefined) {
      problems.push(`the path ends before ${describeSegment(segment)}`);
      distance++;
    } else if (segment.kind === 'parameter') {
      ranks.push(RANK.parameter);
      if (text !== '') params.set(segment.name, decodeOnce(text));
      else {
        problems.push(`segment ${at + 1} is empty, expected ${describeSegment(segment)}`);
        distance++;
      }
    } else {
      ranks.push(RANK.literal);
      const decoded = decodeOnce(text);
      if (decoded !== segment.text) {
        problems.push(`segment ${at + 1} is "${decoded}", expected "${segment.text}"`);
        distance += decoded.toLowerCase() === segment.text.toLowerCase() ? 0.5 : 1;
      }
    }
  }
  if (!isOpen && texts.length > segments.length) {
    const text = decodeOnce(texts[segments.length] ?? '');
    problems.push(`segment ${segments.length + 1} is "${text}", expected the end of the path`);
    distance += texts.length - segments.length;
  }
  // Each segment in the order literal, parameter, rest; the end of the path in the order end, absent parameter, empty
  // rest.
  if (ranks.at(-1) !== RANK.rest || !isOpen) ranks.push(ending);
  return { params: Object.fromEntries(params), ranks, problems, distance };
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function describeSegment(segment: PathSegment): string {
  if (segment.kind === 'literal') return `"${segment.text}"`;
  return segment.kind === 'rest' ? '"*"' : `":${segment.name}"`;
}
