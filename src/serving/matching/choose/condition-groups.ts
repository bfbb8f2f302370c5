/**
 * Groups of consecutive responses whose only conditions test the same target for one value each, or one pattern each: one
 * lookup chooses among them instead of one test after the other.
 *
 * A group charges the budget exactly what its conditions would charge one by one: whether a request is answered must not
 * depend on grouping, and the interpreter (explain.ts) evaluates conditions one by one.
 */
import { RULE_VALUE_CHARS_MAX } from '../../../limits.ts';
import type { LinearPattern } from '../../../languages/linear-pattern.ts';
import { re2 } from '../../../languages/re2.ts';
import { comparisonWork, PATTERN_WORK, patternTest, textOf } from '../../../model/mocks/definition/operators.ts';
import type { RequestView } from '../request/request-view.ts';
import type { TargetValues } from '../request/condition-target.ts';

/** @returns The index of the first response whose conditions hold; NO_CHOICE when none of them hold or the budget is used up. */
export type Step = (view: RequestView) => number;

export const NO_CHOICE = -1;

/**
 * @param target   Shared (condition-target.ts): its work is charged once.
 * @param expected The value of each response's condition.
 * @param indexes  The indexes of the responses.
 */
export function equalsGroup(target: TargetValues, expected: readonly string[], indexes: readonly number[]): Step {
  const positions = new Map<string, number>();
  for (const [position, value] of expected.entries()) if (!positions.has(value)) positions.set(value, position);
  return (view) => {
    if (view.work < 0) return NO_CHOICE;
    let first = expected.length;
    let compared = 0;
    let comparedByFirst = 0;
    for (const value of target(view)) {
      const text = textOf(value, view);
      compared += comparisonWork(value, text);
      // A map lookup hashes the whole text.
      const position = text.length > RULE_VALUE_CHARS_MAX ? undefined : positions.get(text);
      if (position === undefined || position >= first) continue;
      first = position;
      comparedByFirst = compared;
      // One by one, further values would not be compared.
      if (first === 0) break;
    }
    // The conditions before the first that holds have compared all values.
    view.work -= first * compared + comparedByFirst;
    return first < expected.length && view.work >= 0 ? (indexes[first] as number) : NO_CHOICE;
  };
}

/** Fewer patterns take the same time one by one. */
export const PATTERN_GROUP_MIN = 4;
/**
 * Limit of all patterns of a set together, in instructions: building the states of a larger set takes longer than the
 * patterns one by one.
 */
export const PATTERN_GROUP_INSTRUCTIONS_MAX = 4_000;
/**
 * A set searches for all its patterns, but only those up to the first match are charged: this bounds the rest, to 5 ms
 * of the budget.
 */
const UNCHARGED_WORK_MAX = 500_000;
const SET_BYTES_MAX = 262_144;

/**
 * 100 patterns and a value of 11 characters take 1 to 5 µs; one by one they take 8 to 16 µs.
 *
 * @param target Of texts. Shared (condition-target.ts): its work is charged once.
 */
export function patternGroup(
  target: TargetValues,
  sources: readonly string[],
  patterns: readonly LinearPattern[],
  indexes: readonly number[],
): Step {
  const { RE2Set } = re2();
  const set = new RE2Set(RE2Set.UNANCHORED, 0, SET_BYTES_MAX);
  /** Work per character of all patterns before each one, and of all patterns at the end. */
  const workPerChar = [0];
  for (const pattern of patterns) workPerChar.push((workPerChar.at(-1) as number) + pattern.workPerChar);
  for (const source of sources) set.add(source);
  set.compile();
  const workUpTo = (count: number, values: number, chars: number): number =>
    count * values * PATTERN_WORK + (workPerChar[count] as number) * chars;

  const tests = patterns.map(patternTest);
  const firstInTurn = (texts: readonly string[], view: RequestView): number =>
    indexes[tests.findIndex((test) => test(texts, view))] ?? NO_CHOICE;

  return (view) => {
    if (view.work < 0) return NO_CHOICE;
    const texts = target(view) as readonly string[];
    if (texts.length === 0) return NO_CHOICE;
    let chars = 0;
    for (const text of texts) chars += text.length;
    if (workUpTo(patterns.length, texts.length, chars) > Math.min(UNCHARGED_WORK_MAX, view.work)) {
      return firstInTurn(texts, view);
    }
    let first = patterns.length;
    let workOfFirst = 0;
    let searched = 0;
    for (const [at, text] of texts.entries()) {
      searched += text.length;
      const position = set.match(text)[0] ?? patterns.length;
      if (position >= first) continue;
      first = position;
      workOfFirst = (at + 1) * PATTERN_WORK + searched * (patterns[position] as LinearPattern).workPerChar;
    }
    view.work -= workUpTo(first, texts.length, chars) + workOfFirst;
    return first < patterns.length ? (indexes[first] as number) : NO_CHOICE;
  };
}
