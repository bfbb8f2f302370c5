/**
 * Finds the routes that a request which matched none may have meant, for its 404.
 *
 * Bounded: routes of the same path for other methods, one search each, and the most similar ones of the first routes in
 * the list.
 */
import { NEAREST_ROUTES_MAX, NEAREST_SCANNED_MAX, ROUTE_SEARCH_WORK_MAX } from '../../../limits.ts';
import { decodeOnce } from '../../../base/percent.ts';
import { isOptional, splitPath, type PathSegment } from '../../../languages/paths/route-path.ts';
import { patternOf, type SegmentForm } from '../../../languages/paths/segment-form.ts';
import { PATTERN_WORK } from '../../../model/mocks/definition/operators.ts';
import type { CompiledMock, CompiledRoute } from '../compile/compiled-mock.ts';
import { findRoute, servesMethod } from './find-route.ts';

interface NearestRoute {
  readonly method: string;
  /** The path in the definition. */
  readonly path: string;
}

export interface Nearest {
  /** At most NEAREST_ROUTES_MAX, most alike first; none when nothing is alike. */
  readonly routes: readonly NearestRoute[];
  /** Every method that the path is declared for; none when there are too many methods to try. */
  readonly declaredFor: readonly string[];
}

const METHODS_TRIED_MAX = 16;
/** A search may visit every route of the tree: for a path with more segments only two methods are tried. */
const SEGMENTS_TRIED = 16;

/** Never throws. */
export function nearestRoutes(mock: CompiledMock, method: string, path: string): Nearest {
  const nearest = new Set<CompiledRoute>();
  const texts = splitPath(path.slice(0, PATH_CHARS_SCANNED));
  const tried = texts.length > SEGMENTS_TRIED ? 2 : METHODS_TRIED_MAX;
  for (const other of [...mock.table.methods].slice(0, tried)) {
    const found = other === method ? undefined : findRoute(mock, other, path);
    if (found !== undefined) nearest.add(found.route);
  }
  const declaredFor = mock.table.methods.size > tried ? [] : [...nearest].map((route) => route.method);
  const budget = { work: ROUTE_SEARCH_WORK_MAX };
  const scored = mock.routes.slice(0, NEAREST_SCANNED_MAX).flatMap((route) => {
    if (route === undefined) return [];
    const score = similarityOf(route.segments, texts, budget) + (servesMethod(route.method, method, true) ? 0.5 : 0);
    return score < 1 ? [] : [{ route, score }];
  });
  for (const { route } of scored.toSorted((a, b) => b.score - a.score)) nearest.add(route);
  const routes = [...nearest].slice(0, NEAREST_ROUTES_MAX);
  return { routes: routes.map((route) => ({ method: route.method, path: route.path })), declaredFor };
}

const PATH_CHARS_SCANNED = 1_000;

/** Compares them from their beginnings, and from their ends: a base path may be missing, or be one too many. */
function similarityOf(segments: readonly PathSegment[], texts: readonly string[], budget: Budget): number {
  const similar = similarity(segments, texts, budget);
  const missing = segments.length - texts.length;
  if (missing === 0) return similar;
  const shifted = similarity(segments.slice(Math.max(0, missing)), texts.slice(Math.max(0, -missing)), budget);
  return Math.max(similar, shifted - BASE_PATH_COST * Math.abs(missing));
}

/** Remaining work for the patterns of segments: beyond it none matches. */
interface Budget {
  work: number;
}

const BASE_PATH_COST = 0.25;

/**
 * Scores matching segments: a literal 2, one that differs only in case 1, a parameter 0.5; less for missing or extra
 * segments.
 */
function similarity(segments: readonly PathSegment[], texts: readonly string[], budget: Budget): number {
  let score = 0;
  for (const [index, segment] of segments.entries()) {
    const text = texts[index];
    if (text === undefined) break;
    if (segment.kind === 'form') score += matches(segment.form, text, budget) ? 0.5 : 0;
    else if (segment.kind !== 'literal') score += 0.5;
    else if (segment.text === text) score += 2;
    else if (segment.text.toLowerCase() === text.toLowerCase()) score += 1;
  }
  return score - 0.25 * missingSegments(segments, texts.length);
}

function matches(form: SegmentForm, raw: string, budget: Budget): boolean {
  const pattern = patternOf(form);
  const text = decodeOnce(raw);
  budget.work -= PATTERN_WORK + text.length * pattern.workPerChar;
  return budget.work >= 0 && pattern.test(text);
}

/** By how many segments a path is too short or too long. */
function missingSegments(segments: readonly PathSegment[], count: number): number {
  const last = segments.at(-1);
  const least = segments.length - (last?.kind === 'rest' || (last !== undefined && isOptional(last)) ? 1 : 0);
  const most = last?.kind === 'rest' ? Number.POSITIVE_INFINITY : segments.length;
  return Math.max(0, least - count, count - most);
}
