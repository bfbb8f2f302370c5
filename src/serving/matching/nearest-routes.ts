/**
 * The routes that a request which matched none may have meant, for its 404.
 *
 * Bounded: routes of the same path for other methods, which cost one look-up each, and the first of the list by likeness.
 */
import { NEAREST_ROUTES_MAX, NEAREST_SCANNED_MAX } from '../../limits.ts';
import { splitPath, type PathSegment } from '../../model/mocks/route-path.ts';
import type { CompiledMock, CompiledRoute } from './compiled-mock.ts';
import { findRoute } from './find-route.ts';

export interface NearestRoute {
  readonly method: string;
  /** As defined. */
  readonly path: string;
}

const METHODS_TRIED_MAX = 16;
/** A search may go through every route of the tree: of a long path only two are made. */
const SEGMENTS_TRIED = 16;

/** @returns At most NEAREST_ROUTES_MAX, most alike first; none when nothing is alike. Never throws. */
export function nearestRoutes(mock: CompiledMock, method: string, path: string): readonly NearestRoute[] {
  const nearest = new Set<CompiledRoute>();
  const texts = splitPath(path.slice(0, PATH_CHARS_LOOKED_AT));
  for (const other of [...mock.table.methods].slice(0, texts.length > SEGMENTS_TRIED ? 2 : METHODS_TRIED_MAX)) {
    const found = other === method ? undefined : findRoute(mock, other, path);
    if (found !== undefined) nearest.add(found.route);
  }
  const scored = mock.routes.slice(0, NEAREST_SCANNED_MAX).flatMap((route) => {
    const score = route === undefined ? 0 : likeness(route.segments, texts) + (route.method === method ? 0.5 : 0);
    return route === undefined || score < 1 ? [] : [{ route, score }];
  });
  for (const { route } of scored.toSorted((a, b) => b.score - a.score)) nearest.add(route);
  return [...nearest].slice(0, NEAREST_ROUTES_MAX).map((route) => ({ method: route.method, path: route.path }));
}

const PATH_CHARS_LOOKED_AT = 1_000;

/** Counts segments that fit at their place, those that fit but for their case half; less for a difference in number. */
function likeness(segments: readonly PathSegment[], texts: readonly string[]): number {
  let score = 0;
  for (const [index, segment] of segments.entries()) {
    const text = texts[index];
    if (text === undefined) break;
    if (segment.kind !== 'literal') score += 0.5;
    else if (segment.text === text) score += 2;
    else if (segment.text.toLowerCase() === text.toLowerCase()) score += 1;
  }
  return score - 0.25 * missing(segments, texts.length);
}

/** By how many segments a path is too short or too long. */
function missing(segments: readonly PathSegment[], count: number): number {
  const last = segments.at(-1);
  const least = segments.length - (last !== undefined && isOptional(last) ? 1 : 0);
  const most = last?.kind === 'rest' ? Number.POSITIVE_INFINITY : segments.length;
  return Math.max(0, least - count, count - most);
}

function isOptional(segment: PathSegment): boolean {
  return segment.kind === 'rest' || (segment.kind === 'parameter' && segment.optional);
}
