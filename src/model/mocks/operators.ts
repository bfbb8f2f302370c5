/**
 * The operators of rules: what each asks of the values that a rule's target has in a request.
 *
 * mocks.md, "Behaviour": comparison is between strings, numbers for `gt` and its kin; a JSON value is compared as its text; of several
 * values one is enough; without any `empty` is true and every other false. `invert` is left to who asks.
 */
import type { RuleOperator } from './definition.ts';
import { compileJsonSchema } from './json-schema.ts';
import { compilePattern, isPattern, type LinearPattern } from './linear-pattern.ts';
import { take, takeWhole, type WorkBudget } from './work-budget.ts';

/**
 * Whether the values satisfy the operator. Strings, or JSON values; none when the target is missing.
 *
 * Takes from the budget. What it is not enough for is false: whoever asks must look at the budget afterwards. Never throws.
 */
export type OperatorTest = (values: readonly unknown[], budget: WorkBudget) => boolean;

/** @returns The test, or the reason why `expected` does not fit the operator, for a person to act on. Never throws. */
export function compileOperator(operator: RuleOperator, expected: string): OperatorTest | string {
  return OPERATORS[operator](expected);
}

export function isOperatorTest(compiled: OperatorTest | string): compiled is OperatorTest {
  return typeof compiled !== 'string';
}

/** Those that take long enough to compile to be counted. */
export const HEAVY_OPERATORS: ReadonlySet<RuleOperator> = new Set<RuleOperator>(['regex', 'jsonSchema']);

/** A JSON value as it is compared. Takes from the budget for what it prints. */
export function textOf(value: unknown, budget: WorkBudget): string {
  if (typeof value === 'string') return value;
  try {
    if (!takeWhole(budget, value)) return '';
    return JSON.stringify(value) ?? '';
  } catch {
    // Nested more deeply than the stack is high: it has no text.
    return '';
  }
}

const OPERATORS: Readonly<Record<RuleOperator, (expected: string) => OperatorTest | string>> = {
  equals: (expected) => anyText((text) => text === expected),
  contains: (expected) => anyText((text) => text.includes(expected)),
  startsWith: (expected) => anyText((text) => text.startsWith(expected)),
  endsWith: (expected) => anyText((text) => text.endsWith(expected)),
  regex,
  exists: () => (values) => values.length > 0,
  empty: () => (values, budget) => values.length === 0 || values.some((value) => take(budget, 1) && isEmpty(value)),
  arrayIncludes,
  gt: (expected) => anyNumber(expected, (value, limit) => value > limit),
  gte: (expected) => anyNumber(expected, (value, limit) => value >= limit),
  lt: (expected) => anyNumber(expected, (value, limit) => value < limit),
  lte: (expected) => anyNumber(expected, (value, limit) => value <= limit),
  jsonSchema,
};

/** What comparing a text takes, in units of RULE_WORK_MAX. */
export function comparisonWork(text: string): number {
  return 1 + (text.length >> 5);
}

/** What trying a pattern takes, without what it takes for each character. */
export const PATTERN_WORK = 20;

function anyText(test: (text: string) => boolean): OperatorTest {
  return (values, budget) => {
    for (const value of values) {
      const text = textOf(value, budget);
      if (take(budget, comparisonWork(text)) && test(text)) return true;
    }
    return false;
  };
}

function regex(expected: string): OperatorTest | string {
  const pattern = compilePattern(expected);
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

function isEmpty(value: unknown): boolean {
  if (value === '' || value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && isWithoutKeys(value);
}

/** Looks at one key at most: an object of a large body has many. */
function isWithoutKeys(value: object): boolean {
  for (const key in value) if (Object.hasOwn(value, key)) return false;
  return true;
}

/** The target is an array: of JSON, or the values of a repeated parameter, header or field. */
function arrayIncludes(expected: string): OperatorTest {
  return (values, budget) => {
    for (const value of values) {
      if (!Array.isArray(value)) continue;
      for (const item of value) if (take(budget, 1) && textOf(item, budget) === expected) return true;
    }
    return false;
  };
}

const NUMBER_WORK = 20;

function anyNumber(expected: string, test: (value: number, limit: number) => boolean): OperatorTest | string {
  const limit = numberOf(expected);
  if (Number.isNaN(limit)) return 'the value must be a number';
  return (values, budget) =>
    values.some((value) => {
      if (!take(budget, NUMBER_WORK)) return false;
      const number = typeof value === 'number' ? value : typeof value === 'string' ? numberOf(value) : Number.NaN;
      return test(number, limit);
    });
}

const NOT_DECIMAL = /[^0-9eE+\-.\s]/;

/** NaN for what is no decimal number. */
function numberOf(text: string): number {
  if (text.length > 400 || NOT_DECIMAL.test(text) || text.trim() === '') return Number.NaN;
  const number = Number(text);
  return Number.isFinite(number) ? number : Number.NaN;
}

function jsonSchema(expected: string): OperatorTest | string {
  const schema = compileJsonSchema(expected);
  if (typeof schema === 'string') return schema;
  return (values, budget) => values.some((value) => schema.fits(value, budget));
}
