/** Replaces text in the URL: the first occurrence of a text, or the matches of a pattern. */
import { PATTERN_CHARS_MAX, RULE_URL_CHARS_MAX } from '../../limits.ts';
import { delimitedPattern, isHeavyPattern, patternProblem } from '../../model/pairs/source-pattern.ts';
import { take } from '../../languages/work-budget.ts';
import { excerpt } from '../../base/excerpt.ts';
import { fillReplacement } from '../expand-groups.ts';
import { Pattern, patternMiss } from '../pattern.ts';
import { patternGroups } from '../source.ts';
import type { Stage } from '../stage.ts';
import { find } from '../text-search.ts';
import { parseUrl, type WireUrl } from '../wire-url.ts';
import { changeUrl } from './change-url.ts';
import type { RuleKind } from './rule-kind.ts';

interface Replace {
  readonly from: string;
  readonly to: string;
  /** Defined when `from` is a valid pattern in the form `/.../flags`. */
  readonly pattern: Pattern | undefined;
}

export const replace: RuleKind<Replace> = {
  phases: ['url'],
  acting: 'each',
  normalise: ({ from, to }) => ({ from: String(from), to: String(to), pattern: patternOf(String(from)) }),
  apply(shape, stage) {
    const next = replaced(shape, stage);
    const target = next === undefined ? undefined : parseReplaced(next, stage.url);
    return target !== undefined && changeUrl(stage, target);
  },
  explain(shape, stage) {
    const { from, pattern } = shape;
    if (pattern?.problem(stage.budget) !== undefined) return patternMiss(pattern, from, stage.budget);
    const next = replaced(shape, stage);
    if (next !== undefined && parseReplaced(next, stage.url) !== undefined) {
      return { reason: 'noChange', expected: excerpt(`a URL with ${from}`), actual: excerpt(stage.url.text) };
    }
    const expected = `an http or https URL of at most ${RULE_URL_CHARS_MAX} characters`;
    return { reason: 'destinationInvalid', expected, actual: excerpt(next ?? `a longer one: ${shape.to}`) };
  },
  patterns: ({ pattern }) => (pattern === undefined ? [] : [{ member: 'from', pattern }]),
};

function patternOf(from: string): Pattern | undefined {
  const parts = delimitedPattern(from);
  if (parts === undefined) return undefined;
  // Validation in JavaScript could take long, and the engine accepts no pattern of that length.
  const isChecked = !isHeavyPattern(from) || from.length <= PATTERN_CHARS_MAX;
  return isChecked && patternProblem(from) !== undefined ? undefined : new Pattern(parts.body, parts.flags);
}

/** User and password are not part of the text in which it replaces. */
function parseReplaced(text: string, before: WireUrl): WireUrl | undefined {
  const next = parseUrl(text);
  return next === undefined || before.user === '' ? next : { ...next, user: before.user };
}

/** @returns undefined when it would be too long. */
function replaced(shape: Replace, { url: { text }, budget }: Stage): string | undefined {
  const { from, to, pattern } = shape;
  if (pattern !== undefined) return replacedByPattern(shape, pattern, text, budget);
  const at = from === '' ? -1 : find(text, from, 0, budget);
  const next = at === -1 ? text : text.slice(0, at) + to + text.slice(at + from.length);
  return next.length > RULE_URL_CHARS_MAX ? undefined : next;
}

function replacedByPattern(
  { to }: Replace,
  pattern: Pattern,
  text: string,
  budget: Stage['budget'],
): string | undefined {
  if (!pattern.test(text, budget)) return text;
  let out = '';
  let copied = 0;
  for (let from = 0; from <= text.length && take(budget, 1);) {
    const places = pattern.findGroups(text, from, budget);
    if (places === undefined) break;
    const [start = 0, end = 0] = places;
    const room = RULE_URL_CHARS_MAX - out.length;
    const filled = fillReplacement(to, text.slice(start, end), patternGroups(text, places, pattern), room, budget);
    if (filled === undefined) return undefined;
    out += text.slice(copied, start) + filled;
    copied = end;
    // After an empty match the search continues after the next character, which is kept.
    from = end === start ? end + 1 : end;
    if (!pattern.isGlobal) break;
  }
  const next = out + text.slice(copied);
  return next.length > RULE_URL_CHARS_MAX ? undefined : next;
}
