/** The order of paths, the most specific first, where the order of a list does not decide. */
import type { PathSegment } from './route-path.ts';
import { compareForms } from './segment-form.ts';

/** By segment: an optional parameter that is present counts like others. */
const RANKS: Readonly<Record<PathSegment['kind'], number>> = { literal: 0, form: 2, parameter: 3, wild: 4, rest: 5 };

/** Where a path ends: before segments that may be absent. */
const END = 1;

/**
 * Compares as the walk of the path tree does, for any request that both paths match. Two cases depend on the request, and this order
 * decides them by the paths as written: optional parameters before the end, and wildcards that take a different number of segments.
 */
export function comparePaths(one: readonly PathSegment[], other: readonly PathSegment[]): number {
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const [left, right] = [one[at], other[at]];
    const difference =
      left?.kind === 'form' && right?.kind === 'form'
        ? compareForms(left.form, right.form)
        : rankOf(left) - rankOf(right);
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankOf(segment: PathSegment | undefined): number {
  return segment === undefined ? END : RANKS[segment.kind];
}
