/** Finds the values of a JSONPath of Jayway in a body, for conditions. */
import { compileJayway, JAYWAY, type JaywayPath } from '../../../languages/jayway/jayway-path.ts';
import { isNumber, parseExactJson, parseJson, unmarked } from '../../../languages/json-text.ts';
import { namesOf, take } from '../../../languages/work-budget.ts';
import { JSON_OPERATORS, textOf, type OperatorTest } from '../../../model/mocks/definition/operators.ts';
import { wiremockText } from '../wiremock-text.ts';
import type { RequestView } from './request-view.ts';
import type { ConditionOperator, MatchCondition } from '../../../model/mocks/definition/condition-schema.ts';

const NONE: readonly unknown[] = [];

/** Compares found values like WireMock: a list as its items, an object as text with spaces, and null as nothing. */
export function jaywayTarget(property: string, operator: ConditionOperator): (view: RequestView) => readonly unknown[] {
  let path: JaywayPath | string | undefined;
  return (view) => {
    path ??= compileJayway(property);
    if (typeof path === 'string' || view.json === undefined) return NONE;
    const found = path.read(view.jsonFor(operator), view);
    if (found === undefined || found === 'failed' || view.work < 0) return NONE;
    return jaywayValues(found.value, operator, view);
  };
}

function jaywayValues(value: unknown, operator: ConditionOperator, view: RequestView): readonly unknown[] {
  if (value === null || value === undefined) return NONE;
  if (operator === 'exists') return typeof value === 'object' && namesOf(view, value).length === 0 ? NONE : [value];
  if (operator === 'arrayIncludes') return Array.isArray(value) ? [value] : NONE;
  if (operator === 'jsonSchema' && Array.isArray(value)) return value;
  if (JSON_OPERATORS.has(operator)) {
    if (typeof value !== 'string' || isNumber(value)) return [value];
    const parsed = (operator === 'jsonSchema' ? parseJson : parseExactJson)(value, view);
    return parsed === undefined ? NONE : [parsed.value];
  }
  if (Array.isArray(value)) {
    // WireMock fails at a list with null in it, and matches nothing.
    const isRead = take(view, value.length) && (operator === 'count' || !value.includes(null));
    return isRead ? value.map((each) => itemOf(each, view)) : NONE;
  }
  if (typeof value !== 'object' || !take(view, PRINTED_WORK * textOf(value, view).length)) return [value];
  return [wiremockText(value)];
}

/** Work of a character of an object. In units of RULE_WORK_MAX. */
const PRINTED_WORK = 8;

/** An object in a list is printed as Java does: {a=1, b={c=x}}. */
function itemOf(item: unknown, view: RequestView): unknown {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item ?? 'null';
  if (!take(view, PRINTED_WORK * textOf(item, view).length)) return '';
  const members = namesOf(view, item).map((name) => {
    const member = itemOf((item as Readonly<Record<string, unknown>>)[name], view);
    return `${name}=${typeof member === 'string' ? unmarked(member) : textOf(member, view)}`;
  });
  return `{${members.join(', ')}}`;
}

/** Operators of how many values there are. */
const OF_ALL: ReadonlySet<ConditionOperator> = new Set(['exists', 'empty', 'count']);

/**
 * Whether a condition holds for the values of its target. Of what Jayway finds, WireMock asks each value: inverted, one must be there for
 * which it does not hold.
 */
export function judgement(
  { invert, property, operator }: MatchCondition,
  test: OperatorTest,
): (values: readonly unknown[], view: RequestView) => boolean {
  if (!invert || !property.startsWith(JAYWAY) || OF_ALL.has(operator))
    return (values, view) => test(values, view) !== invert;
  return (values, view) => values.some((value) => !test([value], view)) && view.work >= 0;
}
