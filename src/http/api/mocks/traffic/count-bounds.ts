/** How many there should be, and whether what was found settles it: of requests, callbacks and exchanges. */

/** Bounds of a count, from an expectation. */
export interface Bounds {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
}

interface Range {
  readonly lower: number;
  readonly upper: number;
}

export function boundsOf({ atLeast, atMost = Infinity, exactly }: Bounds): Range {
  const upper = Math.min(atMost, exactly ?? Infinity);
  return { lower: exactly ?? atLeast ?? (upper === Infinity ? 1 : 0), upper };
}

/** @param found `unjudged`: how many match otherwise, of which it is not known whether they count. */
export function judged(
  { lower, upper }: Range,
  {
    count,
    truncated,
    unjudged = 0,
  }: { readonly count: number; readonly truncated: boolean; readonly unjudged?: number },
): { readonly verified: boolean; /** No wait changes that. */ readonly isAbove: boolean } {
  // With entries lost, an upper bound cannot be confirmed; with unjudged ones, only if they may all match.
  const isUpperKnown = upper === Infinity || (!truncated && count + unjudged <= upper);
  return { verified: count >= lower && count <= upper && isUpperKnown, isAbove: count > upper };
}
