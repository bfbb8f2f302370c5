/** Patterns of whole paths, for routes that no path of segments describes. */
import { compilePattern, estimatedSize, isPattern, type LinearPattern } from '../linear-pattern.ts';

export interface PathPattern {
  readonly pattern: LinearPattern;
  /** Its groups: by name, else by number from 1. */
  readonly names: readonly string[];
}

/** @returns The reason why it is invalid. */
export function compilePathPattern(source: string): PathPattern | string {
  const pattern = compilePattern(whole(source));
  if (!isPattern(pattern)) return `the pattern, read as RE2: ${pattern}`;
  return { pattern, names: groupNames(source) };
}

/** It is one of the whole path, with or without ^ and $. */
function whole(source: string): string {
  return `^(?:${source})$`;
}

export function pathPatternInstructions(source: string): number {
  return estimatedSize(whole(source));
}

/** @param path Decoded. @returns Values in the order of the names, undefined for groups that took no part. */
export function patternValues({ pattern, names }: PathPattern, path: string): readonly (string | undefined)[] {
  const places = pattern.findGroups(path, 0) ?? [];
  return names.map((_, index) => {
    const [start = -1, end = -1] = places.slice(2 * index + 2, 2 * index + 4);
    return start === -1 ? undefined : path.slice(start, end);
  });
}

/** Names of the parameters of a pattern that is valid. */
export function groupNames(source: string): string[] {
  const names: string[] = [];
  let isClass = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === '\\') at++;
    else if (char === '[') isClass = true;
    else if (char === ']') isClass = false;
    else if (char === '(' && !isClass) {
      const named = /^\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>/.exec(source.slice(at, at + 100));
      if (named !== null) names.push(named[1] as string);
      else if (source[at + 1] !== '?') names.push(String(names.length + 1));
    }
  }
  return names;
}
