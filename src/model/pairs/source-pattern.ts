/**
 * Whether the value of a `Matches` source compiles.
 *
 * Only compiled, never run: V8 parses a pattern in time linear in its length, so this needs no guarded thread.
 */

const DELIMITED = /^\/(.*)\/([a-z]*)$/s;

/** @returns The reason why the pattern does not compile, or undefined. */
export function patternProblem(pattern: string): string | undefined {
  const delimited = DELIMITED.exec(pattern);
  try {
    if (delimited === null) new RegExp(pattern);
    else new RegExp(delimited[1] as string, delimited[2]);
    return undefined;
  } catch (error) {
    return `does not compile: ${(error as Error).message}`;
  }
}
