/**
 * Regular expressions whose time grows with the text alone, whatever the pattern: re2 syntax, by re2js.
 *
 * A pattern of a few characters can compile to millions of instructions ("(x{1000}){1000}"), so its size is reckoned before.
 */
import { RE2JS } from 're2js';
import { PATTERN_CHARS_MAX, PATTERN_INSTRUCTIONS_MAX } from '../../limits.ts';

export interface LinearPattern {
  /** Whether the pattern is found anywhere in the text. */
  readonly test: (text: string) => boolean;
  /** Whether it covers the whole text. */
  readonly testWhole: (text: string) => boolean;
  /** What testing takes per character, in units of RULE_WORK_MAX: a large program can fall back on a slower engine. */
  readonly workPerChar: number;
}

/** @returns The compiled pattern, or the reason why there is none, for a person to act on. Never throws. */
export function compilePattern(pattern: string): LinearPattern | string {
  if (pattern.length > PATTERN_CHARS_MAX) return `must have at most ${PATTERN_CHARS_MAX} characters`;
  if (reckonedSize(pattern) > PATTERN_INSTRUCTIONS_MAX) return 'repeats too much';
  try {
    const compiled = RE2JS.compile(pattern);
    return {
      test: (text) => compiled.test(text),
      testWhole: (text) => compiled.testExact(text),
      workPerChar: 1 + compiled.matcher('').programSize() / 100,
    };
  } catch (error) {
    return (error as Error).message;
  }
}

export function isPattern(compiled: LinearPattern | string): compiled is LinearPattern {
  return typeof compiled !== 'string';
}

const COUNT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/** Upper bound of the instructions: one per character, what is repeated as often as it is. Malformed patterns have any size. */
function reckonedSize(pattern: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at];
    if (char === '{') {
      COUNT.lastIndex = at;
      const [whole, min, max] = COUNT.exec(pattern) ?? [];
      if (whole !== undefined) {
        const times = Math.max(Number(min), Number(max ?? 0), 1);
        sum += last * (times - 1);
        last *= times;
        at += whole.length - 1;
        continue;
      }
    }
    if (char === '(') {
      outer.push(sum);
      sum = 0;
      last = 0;
      continue;
    }
    if (char === ')' && outer.length > 0) {
      last = sum + 2;
      sum = (outer.pop() as number) + last;
      continue;
    }
    if (char === '[') at = endOfClass(pattern, at);
    else if (pattern.startsWith('\\Q', at)) {
      const end = pattern.indexOf('\\E', at);
      sum += pattern.length - at;
      at = end === -1 ? pattern.length : end + 1;
    } else if (char === '\\') at++;
    last = 1;
    sum++;
  }
  return outer.reduce((total, part) => total + part, sum);
}

/** Where the "]" of a character class stands: a "(" or "{" inside is a character. */
function endOfClass(pattern: string, start: number): number {
  let at = start + 1;
  if (pattern[at] === '^') at++;
  if (pattern[at] === ']') at++;
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\') at++;
    else if (pattern.startsWith('[:', at)) {
      const end = pattern.indexOf(':]', at);
      if (end !== -1) at = end + 1;
    }
  }
  return at;
}
