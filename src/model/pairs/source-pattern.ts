/**
 * Whether the value of a `Matches` source compiles.
 *
 * Patterns are only compiled, never run. V8 does that in time linear in the pattern, but for Unicode property escapes: a megabyte
 * of those held the event loop for 26 seconds. Patterns that have any are checked beforehand in a thread that can be ended.
 */

const DELIMITED = /^\/(.*)\/([a-z]*)$/s;
const FLAGS = /^(?!.*(.).*\1)[dgimsuvy]*$/;
const PROPERTY_ESCAPE = /\\p/i;

/** Problems of patterns that were checked beforehand; undefined for those that compile. */
export type CheckedPatterns = ReadonlyMap<string, string | undefined>;

export const NONE_CHECKED: CheckedPatterns = new Map();

/** Whether compiling may take long. */
export function isHeavyPattern(pattern: string): boolean {
  return PROPERTY_ESCAPE.test(pattern);
}

/** The heavy patterns of a rule's body, wherever they stand in it; the body need not be valid. */
export function heavyPatterns(body: { readonly pairs?: unknown }): string[] {
  if (!Array.isArray(body.pairs)) return [];
  const heavy = new Set<string>();
  for (const pair of body.pairs as ({ source?: { operator?: unknown; value?: unknown } | null } | null)[]) {
    const source = pair?.source;
    if (source?.operator === 'Matches' && typeof source.value === 'string' && isHeavyPattern(source.value)) {
      heavy.add(source.value);
    }
  }
  return [...heavy];
}

/** @returns The reason why the pattern does not compile, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  const [, body, flags] = DELIMITED.exec(pattern) ?? [];
  try {
    // "/api/users" only looks delimited: what would be its flags are none.
    if (body !== undefined && flags !== undefined && FLAGS.test(flags)) new RegExp(body, flags);
    else new RegExp(pattern);
    return undefined;
  } catch (error) {
    return `does not compile: ${(error as Error).message}`;
  }
}
