/**
 * Checks that the value of a `Matches` source compiles.
 *
 * Patterns are only compiled, never run. V8 does that in time linear in the pattern, except for Unicode property
 * escapes: a megabyte of those blocked the event loop for 26 seconds. Patterns with any are checked beforehand in the
 * sandbox.
 */

/** Property escapes (`\p{…}`) of one pattern with the flag `v`: each costs V8 up to 25 ms, and nothing can interrupt it. */
const SET_PROPERTY_ESCAPES_MAX = 40;

const DELIMITED = /^\/(.*)\/([a-z]*)$/s;
const FLAGS = /^(?!.*(.).*\1)[dgimsuvy]*$/;
const PROPERTY_ESCAPE = /\\p/i;
const PROPERTY_ESCAPES = /\\p/gi;

/** Results of patterns that were checked beforehand: the problem, or undefined for those that compile. */
export type CheckedPatterns = ReadonlyMap<string, string | undefined>;

export const NONE_CHECKED: CheckedPatterns = new Map();

/** Whether compiling may take long. */
export function isHeavyPattern(pattern: string): boolean {
  return PROPERTY_ESCAPE.test(pattern);
}

/** All heavy patterns in a rule's body, which need not be valid. */
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

/** The parts of `/.../flags`; undefined where it is not delimited. "/api/users" is not: "users" are not flags. */
export function delimitedPattern(pattern: string): { readonly body: string; readonly flags: string } | undefined {
  const [, body, flags] = DELIMITED.exec(pattern) ?? [];
  return body !== undefined && flags !== undefined && FLAGS.test(flags) ? { body, flags } : undefined;
}

/**
 * @returns The reason why the pattern does not compile, or undefined. The compilation of one pattern cannot be ended, not even with its
 * thread, so those that would take seconds are refused by their count of property escapes.
 */
export function patternProblem(pattern: string): string | undefined {
  const { body, flags } = delimitedPattern(pattern) ?? { body: pattern, flags: '' };
  if (flags.includes('v') && (body.match(PROPERTY_ESCAPES)?.length ?? 0) > SET_PROPERTY_ESCAPES_MAX) {
    return `takes too long to compile: more than ${SET_PROPERTY_ESCAPES_MAX} property escapes with the flag v`;
  }
  try {
    new RegExp(body, flags);
    return undefined;
  } catch (error) {
    return `does not compile: ${(error as Error).message}`;
  }
}
