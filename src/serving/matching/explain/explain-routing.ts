/** Finds the routes of a request by trying each in turn, and says why the others do not match: for explain.ts. */
import { NEAREST_ROUTES_MAX } from '../../../limits.ts';
import { METHOD_ANY, type MockDefinition, type MockRoute } from '../../../model/mocks/definition/definition.ts';
import type { NearRoute } from '../../../model/mocks/show/explanation.ts';
import { servedPlaces } from '../../../model/mocks/stores/crud.ts';
import { compilePathPattern, patternValues } from '../../../languages/paths/path-pattern.ts';
import { decodeOnce } from '../../../base/percent.ts';
import {
  namesOf,
  parseRoutePath,
  splitPath,
  variantsOf,
  type PathSegment,
} from '../../../languages/paths/route-path.ts';
import { compareForms, formValues, textOfForm, type SegmentForm } from '../../../languages/paths/segment-form.ts';

export interface RouteMatch {
  readonly route: MockRoute;
  /** Its index in the definition. */
  readonly index: number;
  readonly params: Readonly<Record<string, string>>;
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
): { readonly matches: readonly RouteMatch[]; readonly nearest: readonly NearRoute[] } {
  const attempts = routes.flatMap((route, index) =>
    servedPlaces(route).map((place) => attempt(route, place, index, { method, path, takesAny })),
  );
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
    nearest: misses.slice(0, NEAREST_ROUTES_MAX).map(({ route, place, problems }) => ({
      routeId: route.id,
      method: place.method,
      path: place.path,
      problems,
    })),
  };
}

interface Attempt extends RouteMatch {
  /** Method and path, of all those that the route serves. */
  readonly place: Pick<MockRoute, 'method' | 'path'>;
  /** Precedence: of each segment, then of the end of the path, then of the method. Smaller numbers come first. */
  readonly ranks: readonly Rank[];
  readonly problems: readonly string[];
  readonly distance: number;
}

function attempt(
  route: MockRoute,
  place: Attempt['place'],
  index: number,
  { method, path, takesAny }: { readonly method: string; readonly path: string; readonly takesAny: boolean },
): Attempt {
  const { pathKind } = route;
  const onPath = path.startsWith('/')
    ? matchRoute({ path: place.path, ...(pathKind && { pathKind }) }, path)
    : NOT_A_PATH;
  const methodRank = rankMethod(place.method, method, takesAny);
  const problems = [...onPath.problems];
  if (methodRank === undefined) problems.push(`its method is ${place.method}, the request has ${method}`);
  if (!route.enabled) problems.push('it is disabled');
  return {
    route,
    place,
    index,
    params: onPath.params,
    // Among patterns, the list alone decides.
    ranks: route.pathKind === 'regex' ? onPath.ranks : [...onPath.ranks, methodRank ?? 0],
    problems,
    distance: onPath.distance + (methodRank === undefined ? 1 : 0) + (route.enabled ? 0 : 1),
  };
}

function matchRoute(route: Pick<MockRoute, 'path' | 'pathKind'>, path: string): PathMatch {
  if (route.pathKind === 'regex') return matchPattern(route.path, decodeOnce(path));
  const segments = parseRoutePath(route.path);
  if (typeof segments === 'string') return { ...NOT_A_PATH, problems: [`its path ${segments}`] };
  const texts = splitPath(path);
  const tried = variantsOf(segments).map((variant) => matchSegments(variant, texts));
  const matching = tried.filter(({ problems }) => problems.length === 0);
  const [first] = matching;
  // The values are those of the first way to read it, in which most parameters are there.
  if (first !== undefined) {
    const [best] = matching.toSorted((a, b) => compareRanks(a.ranks, b.ranks)) as [PathMatch];
    return { ...best, params: first.params };
  }
  return tried.toSorted((a, b) => a.distance - b.distance)[0] as PathMatch;
}

function matchPattern(source: string, path: string): PathMatch {
  const pattern = compilePathPattern(source);
  if (typeof pattern === 'string') return { ...NOT_A_PATH, problems: [`its path: ${pattern}`] };
  if (!pattern.pattern.test(path)) {
    return {
      params: {},
      ranks: [RANK.pattern],
      problems: [`the path does not match the pattern ${source}`],
      distance: 1,
    };
  }
  const values = patternValues(pattern, path);
  const found = pattern.names.flatMap((name, index) =>
    values[index] === undefined ? [] : [[name, values[index]] as const],
  );
  return { params: Object.fromEntries(found), ranks: [RANK.pattern], problems: [], distance: 0 };
}

/** @returns 0 for the method itself; undefined when the route does not serve it. */
function rankMethod(routeMethod: string, method: string, takesAny: boolean): number | undefined {
  if (routeMethod === method && method !== METHOD_ANY) return 0;
  if (routeMethod === 'GET' && method === 'HEAD') return 1;
  return routeMethod === METHOD_ANY && takesAny ? 2 : undefined;
}

interface PathMatch {
  readonly params: Readonly<Record<string, string>>;
  readonly ranks: readonly Rank[];
  readonly problems: readonly string[];
  /** 1 for each segment that differs, 0.5 where only its case differs. */
  readonly distance: number;
}

const NOT_A_PATH: PathMatch = { params: {}, ranks: [], problems: ['the path must start with "/"'], distance: Infinity };

const RANK = { literal: 0, form: 0.5, parameter: 1, wild: 2, rest: 3, pattern: 4, end: 0, optionalEnd: 1 } as const;
/** A wildcard that takes fewer segments comes first: less than this many can be in a path. */
const SEGMENTS = 1_000_000;

/** Tries a wildcard with one segment, then with more, until all matches. */
function matchSegments(
  segments: readonly PathSegment[],
  texts: readonly string[],
  taken: readonly number[] = [],
): PathMatch {
  const wilds = segments.filter(({ kind }) => kind === 'wild').length;
  if (taken.length === wilds) return matchPath(segments, texts, taken);
  let nearest: PathMatch | undefined;
  for (let count = 1; count <= Math.max(1, texts.length); count++) {
    const match = matchSegments(segments, texts, [...taken, count]);
    if (match.problems.length === 0) return match;
    if (nearest === undefined || match.distance < nearest.distance) nearest = match;
  }
  return nearest as PathMatch;
}

/** @param taken How many segments each wildcard takes. */
function matchPath(segments: readonly PathSegment[], texts: readonly string[], taken: readonly number[]): PathMatch {
  const params = new Map<string, string>();
  const ranks: Rank[] = [];
  const problems: string[] = [];
  let distance = 0;
  let ending: number = RANK.end;
  let isOpen = false;
  let from = 0;
  let wilds = 0;
  const fail = (problem: string, by = 1): void => {
    problems.push(problem);
    distance += by;
  };
  for (const segment of segments) {
    const at = from++;
    const text = texts[at];
    if (segment.kind === 'rest') {
      params.set(segment.name, decodeOnce(texts.slice(at).join('/')));
      isOpen = true;
      ranks.push(RANK.rest);
    } else if (segment.kind === 'parameter' && segment.optional && text === undefined) {
      ending = RANK.optionalEnd;
    } else if (text === undefined) {
      fail(`the path ends before ${describeSegment(segment)}`);
    } else if (segment.kind === 'wild') {
      const count = taken[wilds++] as number;
      params.set(segment.name, decodeOnce(texts.slice(at, at + count).join('/')));
      ranks.push(RANK.wild + count / SEGMENTS);
      from = at + count;
      if (from > texts.length) fail('the path ends before "*"');
    } else if (segment.kind === 'literal') {
      ranks.push(RANK.literal);
      const decoded = decodeOnce(text);
      if (decoded === segment.text) continue;
      const isNear = decoded.toLowerCase() === segment.text.toLowerCase();
      fail(`segment ${at + 1} is "${decoded}", expected "${segment.text}"`, isNear ? 0.5 : 1);
    } else {
      ranks.push(segment.kind === 'form' ? segment.form : RANK.parameter);
      const decoded = decodeOnce(text);
      const values = segment.kind === 'form' ? formValues(segment.form, decoded) : [decoded];
      if (text === '') fail(`segment ${at + 1} is empty, expected ${describeSegment(segment)}`);
      else if (values === undefined) fail(`segment ${at + 1} is "${decoded}", expected ${describeSegment(segment)}`);
      else for (const [index, name] of namesOf(segment).entries()) params.set(name, values[index] as string);
    }
  }
  if (!isOpen && texts.length > from) {
    fail(
      `segment ${from + 1} is "${decodeOnce(texts[from] ?? '')}", expected the end of the path`,
      texts.length - from,
    );
  }
  // Each segment in the order literal, text with parameters, parameter, wildcard, rest; the end of the path in the order end, absent
  // parameter, empty rest.
  if (ranks.at(-1) !== RANK.rest || !isOpen) ranks.push(ending);
  return { params: Object.fromEntries(params), ranks, problems, distance };
}

/** The rank of a segment: its kind, or the form, which compares with others. */
type Rank = number | SegmentForm;

function compareRanks(one: readonly Rank[], other: readonly Rank[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const [left = 0, right = 0] = [one[at], other[at]];
    if (typeof left === 'object' && typeof right === 'object') {
      const difference = compareForms(left, right);
      if (difference !== 0) return difference;
      continue;
    }
    const difference = (typeof left === 'object' ? RANK.form : left) - (typeof right === 'object' ? RANK.form : right);
    if (difference !== 0) return difference;
  }
  return 0;
}

function describeSegment(segment: PathSegment): string {
  if (segment.kind === 'literal') return `"${segment.text}"`;
  if (segment.kind === 'form') return `"${textOfForm(segment.form)}"`;
  return segment.kind === 'parameter' ? `":${segment.name}"` : '"*"';
}
