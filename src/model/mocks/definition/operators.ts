/**
 * The operators of conditions: each tests the values of a condition's target in a request.
 *
 * docs/mocks-matching.md: values are compared as strings, for `gt`, `gte`, `lt` and `lte` as numbers; a JSON value is compared as
 * its text; one of several values is enough; without a value `empty` is true and all others are false. The caller
 * applies `invert`.
 */
import { BlockList, isIP } from 'node:net';
import { asBase64 } from '../../../base/base64.ts';
import { matchesJson } from '../../../languages/json-compare.ts';
import { withPlaceholders } from '../../../languages/json-placeholders.ts';
import { compileJsonSchema } from '../../../languages/json-schema.ts';
import { parseExactJson, unmarked, withNumbers } from '../../../languages/json-text.ts';
import { compilePattern, isPattern, type LinearPattern } from '../../../languages/linear-pattern.ts';
import { compileTimeComparison } from '../../../languages/time-comparison.ts';
import { namesOf, take, takeWhole, type WorkBudget } from '../../../languages/work-budget.ts';
import { RULE_VALUE_CHARS_MAX } from '../../../limits.ts';
import { CONDITION_FLAGS, type ConditionFlags } from './condition-kinds.ts';
import { containsText, searchWork } from './find-text.ts';
import type { MatchCondition, ConditionOperator } from './condition-schema.ts';

/**
 * Whether the values satisfy the operator. They are strings or JSON values; empty when the target is missing.
 *
 * Takes from the budget. Returns false when the budget does not suffice, so callers must check it afterwards. Never
 * throws.
 */
export type OperatorTest = (values: readonly unknown[], budget: WorkBudget) => boolean;

/** @returns The test, or the reason why `expected` does not fit the operator, for a person to act on. Never throws. */
export function compileOperator(
  operator: ConditionOperator,
  expected: string,
  flags: ConditionFlags = {},
): OperatorTest | string {
  const unfit = CONDITION_FLAGS.find(({ name, fits }) => flags[name] === true && !fits(operator));
  if (unfit !== undefined) return `${operator} does not support ${unfit.name}`;
  return OPERATORS[operator](expected, flags);
}

/** Operators that read what they test as JSON; all but `jsonSchema` with all digits of its numbers. */
export const JSON_OPERATORS: ReadonlySet<ConditionOperator> = new Set<ConditionOperator>([
  'jsonSchema',
  'jsonEquals',
  'jsonIncludes',
]);

export function isOperatorTest(compiled: OperatorTest | string): compiled is OperatorTest {
  return typeof compiled !== 'string';
}

/** Operators whose compilation is slow enough to be counted. */
export const HEAVY_OPERATORS: ReadonlySet<ConditionOperator> = new Set<ConditionOperator>(['regex', 'jsonSchema']);

/** The text of a JSON value for comparison. For an object or array, its first conversion takes from the budget. */
export function textOf(value: unknown, budget: WorkBudget): string {
  if (typeof value === 'string') return unmarked(value);
  // As JSON has them, and several times as fast.
  if (Number.isFinite(value) || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? '';
  if (Buffer.isBuffer(value)) return value.subarray(0, SHOWN_BYTES).toString('base64');
  const known = budget.texts?.get(value);
  if (known !== undefined) return known;
  const text = take(budget, PRINT_WORK) ? print(value, budget) : '';
  (budget.texts ??= new Map()).set(value, text);
  return text;
}

/** Bytes are only shown. */
const SHOWN_BYTES = 1_024;

function print(value: object, budget: WorkBudget): string {
  try {
    return takeWhole(budget, value) ? withNumbers(JSON.stringify(value)) : '';
  } catch {
    // Nested too deeply for the stack: it has no text.
    return '';
  }
}

/**
 * The cost of a value that may be a number, which is printed each time; and of printing an object, in addition to its
 * content.
 */
const TEXT_WORK = 2;
const PRINT_WORK = 20;

function valueWork(value: unknown): number {
  return typeof value === 'string' ? TEXT_WORK : PRINT_WORK;
}

type Compile = (expected: string, flags: ConditionFlags) => OperatorTest | string;

const OPERATORS: Readonly<Record<ConditionOperator, Compile>> = {
  equals: textual((text, expected) => text === expected),
  contains,
  startsWith: textual((text, expected) => text.startsWith(expected)),
  endsWith: textual((text, expected) => text.endsWith(expected)),
  regex,
  exists: () => (values) => values.length > 0,
  empty: () => (values, budget) =>
    values.length === 0 || values.some((value) => take(budget, 2) && isEmpty(value, budget)),
  arrayIncludes,
  gt: (expected) => anyNumber(expected, (value, limit) => value > limit),
  gte: (expected) => anyNumber(expected, (value, limit) => value >= limit),
  lt: (expected) => anyNumber(expected, (value, limit) => value < limit),
  lte: (expected) => anyNumber(expected, (value, limit) => value <= limit),
  jsonSchema,
  jsonEquals: (expected, flags) => comparedJson(expected, flags, false),
  jsonIncludes: (expected, flags) => comparedJson(expected, flags, true),
  only,
  cidr: (expected) => {
    const isIn = compileIpRanges(expected);
    return typeof isIn === 'string' ? isIn : anyText((text) => isIn(text));
  },
  before: (expected) => anyTime(expected, (value, limit) => value < limit),
  after: (expected) => anyTime(expected, (value, limit) => value > limit),
  sameTime: (expected) => anyTime(expected, (value, limit) => value === limit),
  count,
  bytes,
};

const COUNT_MAX = 1_000;

/** How many values there are. */
function count(expected: string): OperatorTest | string {
  const wanted = /^\d{1,4}$/.test(expected) ? Number(expected) : Infinity;
  if (wanted > COUNT_MAX) return `the value must be a whole number from 0 to ${COUNT_MAX}`;
  return (values) => values.length === wanted;
}

/** Bytes that are compared in a unit of RULE_WORK_MAX, as bits. */
const COMPARED_BYTES_BITS = 5;

/** The values are bytes: of the body as it was sent, in its encoding. */
function bytes(expected: string): OperatorTest | string {
  const base64 = asBase64(expected);
  if (base64 === undefined) return 'the value must be base64';
  const wanted = Buffer.from(base64, 'base64');
  return (values, budget) =>
    values.some(
      (value) => Buffer.isBuffer(value) && take(budget, value.length >> COMPARED_BYTES_BITS) && wanted.equals(value),
    );
}

/**
 * The cost of comparing a text with a condition's value, in units of RULE_WORK_MAX: no more than the longest possible value
 * is compared.
 */
export function comparisonWork(value: unknown, text: string): number {
  return valueWork(value) + (Math.min(text.length, RULE_VALUE_CHARS_MAX) >> 5);
}

/** The fixed cost of testing a pattern, without the cost per character. */
export const PATTERN_WORK = 20;

function textual(test: (text: string, expected: string) => boolean): Compile {
  return (expected, { ignoreCase }) => {
    if (ignoreCase !== true) return anyText((text) => test(text, expected));
    const folded = expected.toLowerCase();
    return anyText((text, budget) => take(budget, text.length >> 3) && test(text.toLowerCase(), folded));
  };
}

function anyText(test: (text: string, budget: WorkBudget) => boolean): OperatorTest {
  return (values, budget) => {
    for (const value of values) {
      const text = textOf(value, budget);
      if (take(budget, comparisonWork(value, text)) && test(text, budget)) return true;
    }
    return false;
  };
}

function contains(given: string, { ignoreCase = false }: ConditionFlags): OperatorTest {
  const expected = ignoreCase ? given.toLowerCase() : given;
  return (values, budget) => {
    for (const value of values) {
      let text = textOf(value, budget);
      if (ignoreCase) text = take(budget, text.length >> 3) ? text.toLowerCase() : '';
      if (take(budget, valueWork(value) + searchWork(text, expected)) && containsText(text, expected)) return true;
    }
    return false;
  };
}

/** A pattern as it is compiled. */
export function patternSource({ value, ignoreCase }: Pick<MatchCondition, 'value' | 'ignoreCase'>): string {
  return ignoreCase === true ? `(?i)${value}` : value;
}

function regex(value: string, { ignoreCase = false }: ConditionFlags): OperatorTest | string {
  const pattern = compilePattern(patternSource({ value, ignoreCase }));
  if (!isPattern(pattern)) return `the pattern, read as RE2 (no look-around, no back-references): ${pattern}`;
  return patternTest(pattern);
}

export function patternTest(pattern: LinearPattern): OperatorTest {
  return (values, budget) => {
    for (const value of values) {
      const text = textOf(value, budget);
      if (take(budget, PATTERN_WORK + text.length * pattern.workPerChar) && pattern.test(text)) return true;
    }
    return false;
  };
}

function isEmpty(value: unknown, budget: WorkBudget): boolean {
  if (value === '' || value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && namesOf(budget, value).length === 0 && budget.work >= 0;
}

/** The target is an array: of JSON, or the values of a repeated parameter, header or field. */
function arrayIncludes(given: string, { ignoreCase = false }: ConditionFlags): OperatorTest {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const expected = fold(given);
  return (values, budget) => {
    for (const value of values) {
      if (!Array.isArray(value)) continue;
      for (const item of value)
        if (take(budget, valueWork(item)) && fold(textOf(item, budget)) === expected) return true;
    }
    return false;
  };
}

/** A text that is a number has at most 400 characters, at 10 ns each. */
const NUMBER_WORK = 20;
const NUMBER_CHARS_MAX = 400;

function anyNumber(expected: string, test: (value: number, limit: number) => boolean): OperatorTest | string {
  const limit = numberOf(expected);
  if (Number.isNaN(limit)) return 'the value must be a number';
  return (values, budget) =>
    values.some((value) => {
      const chars = typeof value === 'string' && value.length <= NUMBER_CHARS_MAX ? value.length : 0;
      if (!take(budget, NUMBER_WORK + chars)) return false;
      const number =
        typeof value === 'number' ? value : typeof value === 'string' ? numberOf(unmarked(value)) : Number.NaN;
      return test(number, limit);
    });
}

const NOT_DECIMAL = /[^0-9eE+\-.\s]/;

/** NaN for a text that is not a decimal number. */
function numberOf(text: string): number {
  if (text.length > NUMBER_CHARS_MAX || NOT_DECIMAL.test(text) || text.trim() === '') return Number.NaN;
  const number = Number(text);
  return Number.isFinite(number) ? number : Number.NaN;
}

function jsonSchema(expected: string): OperatorTest | string {
  const schema = compileJsonSchema(expected);
  if (typeof schema === 'string') return schema;
  return (values, budget) => values.some((value) => schema.fits(value, budget));
}

/** A value that is not JSON never matches. */
function comparedJson(
  expected: string,
  { ignoreOrder = false, extraItems = false, placeholders = false }: ConditionFlags,
  isPart: boolean,
): OperatorTest | string {
  const read = exactJsonOf(expected);
  if ('problem' in read) return `the value must be JSON: ${read.problem}`;
  const wanted = placeholders ? withPlaceholders(read.value) : read;
  if ('problem' in wanted) return wanted.problem;
  const comparison = { ignoreOrder, isPart, extraItems };
  return (values, budget) => values.some((value) => matchesJson(value, wanted.value, comparison, budget));
}

function exactJsonOf(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return parseExactJson(text, { work: Infinity }) ?? { value };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** Whether all names are among the expected ones. True without any. */
function only(expected: string, { ignoreCase = false }: ConditionFlags): OperatorTest {
  const fold = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const names = new Set(expected.split(',').map((name) => fold(name.trim())));
  return (values, budget) =>
    values.every(
      (value) => typeof value === 'string' && take(budget, TEXT_WORK + value.length) && names.has(fold(value)),
    );
}

/** The expected time is as time-comparison.ts has it: "now+1d", "2026-01-31; format dd/MM/yyyy". */
function anyTime(expected: string, test: (value: number, limit: number) => boolean): OperatorTest | string {
  const times = compileTimeComparison(expected);
  if (times === undefined)
    return 'the value must be a time as ISO 8601, milliseconds since 1970, or such as now, now+1d, now-PT1H';
  return (values, budget) =>
    values.some((value) => {
      if (!take(budget, TIME_WORK)) return false;
      return test(times.read(value, budget), times.expected((budget.now ?? Date.now)()));
    });
}

const TIME_WORK = 200;

/** @returns Whether an address is in one of the ranges; the reason why they are invalid. */
function compileIpRanges(text: string): ((address: string) => boolean) | string {
  const list = new BlockList();
  for (const range of text.split(',').map((each) => each.trim())) {
    const [address = '', bits, ...more] = range.split('/');
    const version = isIP(address);
    const most = version === 4 ? 32 : 128;
    const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Infinity;
    if (version === 0 || length > most || more.length > 0) {
      return `${JSON.stringify(range)} is neither an address nor a range such as 10.0.0.0/8`;
    }
    list.addSubnet(address, length, version === 4 ? 'ipv4' : 'ipv6');
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}
