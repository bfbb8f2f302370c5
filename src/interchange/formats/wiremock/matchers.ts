/** Matchers of values as rules. */
import { printJson } from '../../../base/written-numbers.ts';
import { compileTimeComparison } from '../../../languages/time-comparison.ts';
import { scalarText } from '../../reading/members.ts';
import { asBase64 } from '../../../base/base64.ts';
import type { ReadCondition, ReadRule } from '../../format.ts';
import type { Member } from '../../source/member.ts';
import { jaywayPlace } from '../../stubs/jayway-place.ts';
import { allOf, jsonRule, wholePattern, type RulePlace } from '../../stubs/stub-rules.ts';

/** @returns Rules that must all hold, or why there are none. */
export function matcherRules(matcher: Member, place: RulePlace): readonly ReadRule[] | string {
  if (!matcher.isObject) return 'it is not a matcher';
  const rules: ReadRule[] = [];
  const options = optionsOf(matcher);
  const names = matcher.names().filter((name) => !OPTIONS.has(name));
  if (names.length === 0) return 'it is not a matcher';
  for (const name of names) {
    const value = matcher.get(name) as Member;
    const made = Object.hasOwn(MATCHERS, name) ? MATCHERS[name]?.(value, place, options) : undefined;
    if (made === undefined) {
      value.whole();
      return `the matcher ${name} is not supported`;
    }
    if (typeof made === 'string') {
      value.whole();
      return made;
    }
    rules.push(...(Array.isArray(made) ? (made as ReadRule[]) : [made as ReadRule]));
  }
  return rules;
}

interface Options {
  readonly ignoreCase: boolean;
  readonly ignoreOrder: boolean;
  readonly ignoreExtra: boolean;
  /** How times are compared: those of TIME_OPTIONS that are there. */
  readonly times: Readonly<Record<string, string | undefined>>;
}

const TIME_OPTIONS = [
  'truncateExpected',
  'truncateActual',
  'applyTruncationLast',
  'expectedOffset',
  'expectedOffsetUnit',
  'actualFormat',
] as const;

const OPTIONS: ReadonlySet<string> = new Set([
  'caseInsensitive',
  'ignoreArrayOrder',
  'ignoreExtraElements',
  'schemaVersion',
  ...TIME_OPTIONS,
]);

function optionsOf(matcher: Member): Options {
  const isSet = (name: string): boolean => matcher.get(name)?.value === true;
  matcher.get('schemaVersion')?.whole();
  return {
    ignoreCase: isSet('caseInsensitive'),
    ignoreOrder: isSet('ignoreArrayOrder'),
    ignoreExtra: isSet('ignoreExtraElements'),
    times: Object.fromEntries(TIME_OPTIONS.map((name) => [name, scalarText(matcher.get(name)?.value)])),
  };
}

type MatcherResult = ReadRule | readonly ReadRule[] | string;
type Matcher = (value: Member, place: RulePlace, options: Options) => MatcherResult;

const MATCHERS: Readonly<Record<string, Matcher>> = {
  equalTo: (value, place, { ignoreCase }) => compared(value, place, 'equals', ignoreCase),
  equalToIgnoreCase: (value, place) => compared(value, place, 'equals', true),
  contains: (value, place) => compared(value, place, 'contains', false),
  doesNotContain: (value, place) => inverted(compared(value, place, 'contains', false)),
  matches: (value, place) => pattern(value, place),
  doesNotMatch: (value, place) => inverted(pattern(value, place)),
  // Whatever its value is.
  absent: (_, place) => absent(place),
  anything: () => [],
  greaterThanNumber: (value, place) => compared(value, place, 'gt', false),
  greaterThanEqualNumber: (value, place) => compared(value, place, 'gte', false),
  lessThanNumber: (value, place) => compared(value, place, 'lt', false),
  lessThanEqualNumber: (value, place) => compared(value, place, 'lte', false),
  before: (value, place, options) => time(value, place, 'before', options),
  after: (value, place, options) => time(value, place, 'after', options),
  equalToDateTime: (value, place, options) => time(value, place, 'sameTime', options),
  equalToJson: json,
  matchesJsonPath: jsonPath,
  matchesJsonSchema: (value, place) => {
    const schema = value.whole();
    return { ...place, operator: 'jsonSchema', value: typeof schema === 'string' ? schema : printJson(schema) };
  },
  binaryEqualTo: (value, place) => {
    const base64 = asBase64(value.text() ?? '');
    if (place.target !== 'body' || place.property !== '') return 'bytes are compared of bodies alone';
    return base64 === undefined ? 'its value is not base64' : { ...place, operator: 'bytes', value: base64 };
  },
  and: (value, place) => listed(value, place, (all) => all.flat()),
  or: (value, place) => listed(value, place, (all) => ({ any: all.map(allOf) })),
  not: (value, place) => {
    const rules = matcherRules(value, place);
    return typeof rules === 'string' ? rules : { not: allOf(rules) };
  },
  includes: (value, place) => severalOf(value, place),
  hasExactly: (value, place) => {
    const rules = severalOf(value, place, value.items().length === 1);
    return typeof rules === 'string'
      ? rules
      : [...rules, { ...place, operator: 'count', value: String(value.items().length) }];
  },
};

/** Each matcher is met by some value. @param mayNegate Whether there is one value. */
function severalOf(value: Member, place: RulePlace, mayNegate = false): readonly ReadRule[] | string {
  const all: ReadRule[] = [];
  for (const each of value.items()) {
    const rules = matcherRules(each, place);
    if (typeof rules === 'string') return rules;
    if (!mayNegate && rules.some(isNegation)) return 'that one of several values is not something is not supported';
    all.push(allOf(rules));
  }
  return all.length === 0 ? 'without matchers it never holds' : all;
}

function isNegation(rule: ReadRule): boolean {
  if ('all' in rule) return rule.all.some(isNegation);
  if ('any' in rule) return rule.any.some(isNegation);
  if ('anyPart' in rule) return false;
  return 'not' in rule || rule.invert === true;
}

function exists(place: RulePlace): ReadCondition {
  return place.target === 'body' && place.property === ''
    ? { ...place, operator: 'empty', invert: true }
    : { ...place, operator: 'exists' };
}

function absent(place: RulePlace): ReadCondition {
  const { invert, ...present } = exists(place);
  return invert === true ? present : { ...present, invert: true };
}

function scalar(value: Member): string | undefined {
  const { value: given } = value;
  return typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean'
    ? String(given)
    : undefined;
}

function compared(value: Member, place: RulePlace, operator: string, ignoreCase: boolean): ReadCondition | string {
  const text = scalar(value);
  return text === undefined
    ? 'its value is not a string'
    : { ...place, operator, value: text, ...(ignoreCase ? { ignoreCase } : {}) };
}

function pattern(value: Member, place: RulePlace): ReadCondition | string {
  const text = scalar(value);
  if (text === undefined) return 'it is not a pattern';
  // A dot stands for a line break, too: headers have none.
  const isOneLine = place.target === 'header' || place.target === 'cookie' || !/(?<!\\)\./.test(text);
  return wholePattern(place, isOneLine || text.startsWith('(?s)') ? text : `(?s)${text}`);
}

/** Inverts a condition; an absent value matches every negation. */
function inverted(rule: ReadCondition | string): MatcherResult {
  return typeof rule === 'string' ? rule : { ...rule, invert: true };
}

const OFFSET = /^(?:now\s*)?([+-]?\d+ [A-Za-z]+)?$/i;

/** The expected time may move with the clock; both may be moved to the beginning of a unit. */
function time(value: Member, place: RulePlace, operator: string, { times }: Options): MatcherResult {
  const text = scalar(value);
  if (text === undefined) return 'it is not a time';
  const { truncateExpected, truncateActual, actualFormat, expectedOffset, expectedOffsetUnit, applyTruncationLast } =
    times;
  const [isMoving, own = ''] = text === '' ? [] : (OFFSET.exec(text) ?? []);
  const given = expectedOffset !== undefined && expectedOffsetUnit !== undefined;
  const offset = given ? `${expectedOffset} ${expectedOffsetUnit}` : own;
  const truncated = truncateExpected === undefined ? [] : [truncateExpected];
  const moves = applyTruncationLast === 'true' ? [offset, ...truncated] : [...truncated, offset];
  const expected = isMoving === undefined ? text : ['now', ...moves.filter((move) => move !== '')].join(', ');
  const actual = [truncateActual, actualFormat === undefined ? undefined : `format ${actualFormat}`];
  const written = [expected, ...actual.filter((part) => part !== undefined)].join('; ');
  return compileTimeComparison(written) === undefined
    ? `the time ${written} is not supported`
    : { ...place, operator, value: written };
}

function json(value: Member, place: RulePlace, { ignoreOrder, ignoreExtra }: Options): MatcherResult {
  const operator = ignoreExtra ? 'jsonIncludes' : 'jsonEquals';
  return jsonRule(place, value.whole(), {
    operator,
    ...(ignoreOrder ? { ignoreOrder } : {}),
    ...(ignoreExtra && !ignoreOrder ? { extraItems: true } : {}),
  });
}

/** Matchers of what a path finds. A list is its items there, any of which may match. */
function jsonPath(value: Member, place: RulePlace): MatcherResult {
  if (place.target !== 'body' || place.property !== '') return 'a JSONPath works only on bodies';
  const expression = value.isObject ? value.get('expression')?.text() : value.text();
  if (expression === undefined) return 'it is not a JSONPath';
  const found = jaywayPlace(expression);
  if (typeof found === 'string') return found;
  const own = value.names().filter((name) => name !== 'expression' && !OPTIONS.has(name));
  if (own.length === 0) return { ...found.place, operator: 'exists' };
  const options = optionsOf(value);
  const rules: ReadRule[] = [];
  for (const name of own) {
    const inner = value.get(name) as Member;
    const made =
      UNFOUND.has(name) || !Object.hasOwn(MATCHERS, name) ? undefined : MATCHERS[name]?.(inner, found.place, options);
    if (made === undefined) return `the matcher ${name} of what a JSONPath finds is not supported`;
    if (typeof made === 'string') return made;
    if (JOINED.has(name) && comparesJson(inner)) return `JSON in ${name} of what a JSONPath finds is not supported`;
    rules.push(...(Array.isArray(made) ? (made as ReadRule[]) : [made as ReadRule]).map(plainNegation));
  }
  if (own.includes('absent')) return absentAt(found.place, expression);
  // One item must match them all.
  const isOfItems = rules.length > 1 || rules.some((rule) => !('target' in rule) && !('any' in rule));
  if (isOfItems && !found.isDefinite) return 'several matchers of a list are not supported';
  return isOfItems ? [{ ...found.place, operator: 'count', value: '1' }, ...rules] : rules;
}

/** A path finds nothing in a plain text. It fails where a body begins as JSON does and is broken, a filter in all but lists and objects. */
function absentAt(place: RulePlace, expression: string): MatcherResult {
  const [, hasFilter, rest = ''] = /^\$\.?(\[\?)?(.*)$/s.exec(expression) ?? [];
  if (expression === '$' || rest.includes('[?')) return 'absent of all, or behind a filter, is not supported';
  const body = { target: 'body', property: '' };
  const isTree = [
    { ...body, operator: 'regex', value: String.raw`^\s*[\[{]` },
    { ...body, property: '$', operator: 'exists' },
  ];
  const isOther = hasFilter
    ? { ...body, operator: 'empty' }
    : { ...body, operator: 'regex', value: String.raw`^\s*(?:[\[{]|null\s*$)`, invert: true };
  return [{ ...place, operator: 'count', value: '0' }, { any: [isOther, { all: isTree }] }];
}

/** A negation of one matcher is asked of each item, as the matcher is. */
function plainNegation(rule: ReadRule): ReadRule {
  if (!('not' in rule) || !('target' in rule.not)) return rule;
  return { ...rule.not, invert: rule.not.invert !== true };
}

/** Those of several values, and of what is inside again. */
const UNFOUND: ReadonlySet<string> = new Set(['hasExactly', 'includes', 'matchesJsonPath', 'binaryEqualTo']);
const JOINED: ReadonlySet<string> = new Set(['and', 'or', 'not']);

function comparesJson(matcher: Member): boolean {
  return /"(?:equalToJson|matchesJsonSchema)"/.test(JSON.stringify(matcher.value));
}

function listed(
  value: Member,
  place: RulePlace,
  join: (all: readonly (readonly ReadRule[])[]) => MatcherResult,
): MatcherResult {
  const all: (readonly ReadRule[])[] = [];
  for (const each of value.items()) {
    const rules = matcherRules(each, place);
    if (typeof rules === 'string') return rules;
    all.push(rules);
  }
  return all.length === 0 ? 'the list is empty' : join(all);
}
