/**
 * Regular expressions in time linear in the text, for any pattern: re2 syntax, by re2js.
 *
 * A pattern of a few characters can compile to millions of instructions ("(x{1000}){1000}"), so its size is estimated
 * first.
 */
import type { RE2JS } from 're2js';
import { PATTERN_CHARS_MAX, PATTERN_INSTRUCTIONS_MAX } from '../limits.ts';
import { re2 } from './re2.ts';

export interface LinearPattern {
  /** Whether the pattern is found anywhere in the text. */
  readonly test: (text: string) => boolean;
  /** Whether the pattern matches the whole text. */
  readonly testWhole: (text: string) => boolean;
  /** Cost of a test per character, in units of RULE_WORK_MAX: a large program can fall back on a slower engine. */
  readonly workPerChar: number;
  /**
   * Where the pattern is found first from a place on: start and end of the whole, then of each group, -1 for one that took no part.
   * Takes `groupsWorkPerChar` for every character from there to the end.
   */
  readonly findGroups: (text: string, from: number) => readonly number[] | undefined;
  /** Groups take the engine that goes through all instructions: 0.1 us for each of them was measured. */
  readonly groupsWorkPerChar: number;
}

/** @returns The compiled pattern, or the reason why it is invalid, in terms that a person can act on. Never throws. */
export function compilePattern(pattern: string): LinearPattern | string {
  if (pattern.length > PATTERN_CHARS_MAX) return `it must have at most ${PATTERN_CHARS_MAX} characters`;
  if (estimatedSize(pattern) > PATTERN_INSTRUCTIONS_MAX)
    return 'it is too large: too many repetitions, or too many or too wide character classes';
  try {
    const compiled = re2().RE2JS.compile(pattern);
    const size = compiled.matcher('').programSize();
    return {
      test: (text) => compiled.test(text),
      testWhole: (text) => compiled.testExact(text),
      workPerChar: workPerChar(size),
      findGroups: (text, from) => findGroups(compiled, text, from),
      groupsWorkPerChar: 12 * (1 + size),
    };
  } catch (error) {
    return (error as Error).message;
  }
}

/**
 * Small programs run as automata, at a few nanoseconds a character. Larger ones can fall back on an engine that runs
 * all instructions for each character: at most 36 ns for each of them was measured.
 */
function workPerChar(size: number): number {
  return size <= 32 ? 1 + size : 1 + 4 * size;
}

function findGroups(compiled: RE2JS, text: string, from: number): readonly number[] | undefined {
  const matcher = compiled.matcher(text);
  if (!matcher.find(from)) return undefined;
  const places: number[] = [];
  for (let group = 0; group <= matcher.groupCount(); group++) places.push(matcher.start(group), matcher.end(group));
  return places;
}

export function isPattern(compiled: LinearPattern | string): compiled is LinearPattern {
  return typeof compiled !== 'string';
}

/** @param shown What a person wrote, where the pattern is made of it. @returns Why it is not a pattern; undefined when it is one. */
export function patternProblem(pattern: string, shown = pattern): string | undefined {
  const compiled = compilePattern(pattern);
  return isPattern(compiled) ? undefined : `the pattern ${shown}, read as RE2: ${compiled}`;
}

const COUNT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/** Cost of compiling, in units of RULE_WORK_MAX: up to 1.5 us for each instruction. */
export const COMPILE_WORK_PER_INSTRUCTION = 150;

/**
 * Upper bound of a pattern's compiled size, in instructions: one per character, multiplied by repetitions, and the cost
 * of building each character class once. For malformed patterns the result is arbitrary.
 */
export function estimatedSize(pattern: string): number {
  // It is refused anyway, and the estimate takes quadratic time.
  if (pattern.length > PATTERN_CHARS_MAX) return PATTERN_INSTRUCTIONS_MAX + 1;
  const folds = FOLDS.test(pattern);
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  let classes = 0;
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
    if (char === '[') {
      const end = endOfClass(pattern, at);
      classes += classWork(pattern.slice(at + 1, end), folds);
      at = end;
    } else if (pattern.startsWith('\\Q', at)) {
      const end = pattern.indexOf('\\E', at);
      sum += pattern.length - at;
      at = end === -1 ? pattern.length : end + 1;
    } else if (char === '\\') {
      at++;
      classes += classWork(`\\${pattern[at] ?? ''}`, folds);
    }
    last = 1;
    sum++;
  }
  return outer.reduce((total, part) => total + part, sum) + classes;
}

/** A group of flags that ignores case, anywhere in the pattern. */
const FOLDS = /\(\?[A-Za-z]*i/;
/** `\p{L}`: some 50 us, twice that when case is ignored. */
const PROPERTY_WORK = 130;
/**
 * A range that ignores case is expanded character by character, up to the last character with case: 65,536 of them take
 * 1.3 ms.
 */
const FOLDED_CHARS_PER_INSTRUCTION = 30;
const FOLDED_CHARS_MAX = 130_000;

const PROPERTY = /\\[pP]/g;
const RANGE_END = String.raw`\\x\{([0-9A-Fa-f]+)\}|\\x([0-9A-Fa-f]{2})|\\(.)|([^\\])`;
const RANGE = new RegExp(`(?:${RANGE_END})-(?:${RANGE_END})`, 'gsu');

/** Cost of building a character class, in instructions. */
function classWork(content: string, folds: boolean): number {
  let work = 0;
  for (const _ of content.matchAll(PROPERTY)) work += PROPERTY_WORK;
  if (!folds) return work;
  for (const [, ...ends] of content.matchAll(RANGE)) {
    const width = codePoint(ends.slice(4, 8)) - codePoint(ends.slice(0, 4));
    work += Math.ceil(Math.min(Math.max(width, 0), FOLDED_CHARS_MAX) / FOLDED_CHARS_PER_INSTRUCTION);
  }
  return work;
}

function codePoint([long, short, escaped, plain]: readonly (string | undefined)[]): number {
  const hexadecimal = long ?? short;
  return hexadecimal === undefined ? ((escaped ?? plain)?.codePointAt(0) ?? 0) : Number.parseInt(hexadecimal, 16);
}

/** The index of a character class's "]": a "(" or "{" inside it is a character. */
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
