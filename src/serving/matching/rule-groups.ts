/**
 * Responses side by side whose only rules ask the same part of the request for one value each, or one pattern each: told apart by one
 * look instead of one after the other.
 *
 * What they take from the budget is what they would take one by one, to the unit: whether a request is answered must not depend on
 * this, and the interpreter (explain.ts) asks one by one.
 */
import { RE2Set } from 're2js';
import type { LinearPattern } from '../../model/mocks/linear-pattern.ts';
import { comparisonWork, PATTERN_WORK, patternTest, textOf } from '../../model/mocks/operators.ts';
import { take } from '../../model/mocks/work-budget.ts';
import type { RequestView } from './request-view.ts';
import type { TargetValues } from './rule-target.ts';

/** @returns The index of the first response whose rules hold, or NO_CHOICE: also when the budget is used up. */
export type Step = (view: RequestView) => number;

export const NO_CHOICE = -1;

/**
 * @param isBody   Whether the target is a part of the body: then a second look takes from the budget too.
 * @param expected What the rule of each response wants.
 * @param indexes  Of the responses.
 */
export function equalsGroup(
  target: TargetValues,
  isBody: boolean,
  expected: readonly string[],
  indexes: readonly number[],
): Step {
  const positions = new Map<string, number>();
  for (const [position, value] of expected.entries()) if (!positions.has(value)) positions.set(value, position);
  return (view) => {
    if (view.work < 0) return NO_CHOICE;
    const values = target(view);
    const before = view.work;
    let first = expected.length;
    let workOfFirst = 0;
    for (const value of values) {
      const text = textOf(value, view);
      if (!take(view, comparisonWork(text))) return NO_CHOICE;
      const position = positions.get(text) ?? expected.length;
      if (position >= first) continue;
      first = position;
      workOfFirst = before - view.work;
      // The others would not be asked.
      if (first === 0) break;
    }
    const isFound = first < expected.length;
    if (first > 0) {
      const workOfEach = before - view.work;
      const workOfLook = isBody ? workOfSecondLook(target, view, before) : 0;
      // All before it have looked at all values; the first look was taken already.
      view.work = before - first * workOfEach - workOfFirst - (isFound ? first : first - 1) * workOfLook;
    }
    return isFound && view.work >= 0 ? (indexes[first] as number) : NO_CHOICE;
  };
}

/** @param before What was left of the budget behind the first. */
function workOfSecondLook(target: TargetValues, view: RequestView, before: number): number {
  view.work = before;
  target(view);
  return before - view.work;
}

/** Fewer patterns are tried one by one in the same time. */
export const PATTERN_GROUP_MIN = 4;
/** Of all patterns of a set together, in instructions: states of larger ones take longer to make than the patterns one by one. */
export const PATTERN_GROUP_INSTRUCTIONS_MAX = 4_000;
/** A set looks for all its patterns, also behind the first that is found, which is all that is charged: 5 ms of the budget at most. */
const UNCHARGED_WORK_MAX = 500_000;
const SET_BYTES_MAX = 262_144;

/**
 * 100 patterns and a value of 11 characters take 1 to 5 us, one by one 8 to 16 us.
 *
 * @param target Takes nothing from the budget for a second look: no part of a body.
 */
export function patternGroup(
  target: TargetValues,
  sources: readonly string[],
  patterns: readonly LinearPattern[],
  indexes: readonly number[],
): Step {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, SET_BYTES_MAX);
  /** What a character takes of the patterns before each, and of all at the end. */
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
    let looked = 0;
    for (const [at, text] of texts.entries()) {
      looked += text.length;
      const position = set.match(text)[0] ?? patterns.length;
      if (position >= first) continue;
      first = position;
      workOfFirst = (at + 1) * PATTERN_WORK + looked * (patterns[position] as LinearPattern).workPerChar;
    }
    view.work -= workUpTo(first, texts.length, chars) + workOfFirst;
    return first < patterns.length ? (indexes[first] as number) : NO_CHOICE;
  };
}
