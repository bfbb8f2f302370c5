/** Rules that the readers of stubs have in common. Where there is no rule, the text says why. */
import { printJson } from '../../base/written-numbers.ts';
import { withPlaceholders } from '../../languages/json-placeholders.ts';
import { patternProblem } from '../../languages/linear-pattern.ts';
import type { ReadCondition, ReadRule } from '../format.ts';

/** Place that is compared. */
export interface RulePlace {
  readonly target: string;
  readonly property?: string;
}

/** One rule that holds when all hold. */
export function allOf(rules: readonly ReadRule[]): ReadRule {
  return rules.length === 1 ? (rules[0] as ReadRule) : { all: rules };
}

/** A pattern of the whole value. */
export function wholePattern(place: RulePlace, text: string, ignoreCase = false): ReadCondition | string {
  const value = `^(?:${text})$`;
  return patternProblem(value, text) ?? { ...place, operator: 'regex', value, ...(ignoreCase ? { ignoreCase } : {}) };
}

/** @param expected A text of JSON, or the value. */
export function jsonRule(
  place: RulePlace,
  expected: unknown,
  how: Pick<ReadCondition, 'operator' | 'ignoreOrder' | 'extraItems'>,
): ReadCondition | string {
  const value = typeof expected === 'string' ? expected : printJson(expected);
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    return 'its value is not JSON';
  }
  if (!/[$#]\{json-unit\./.test(value)) return { ...place, value, ...how };
  const read = withPlaceholders(parsed);
  return 'problem' in read ? read.problem : { ...place, value, ...how, placeholders: true };
}

/** The port by which a request came: that of HTTPS (`serve --https`), or the other one. */
export function schemeRule(isSecure: boolean): ReadRule {
  const value = isSecure ? '^https:' : '^http:';
  return { target: 'template', property: '{{baseUrl}}', operator: 'regex', value };
}
