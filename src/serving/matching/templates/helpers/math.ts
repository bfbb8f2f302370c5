/**
 * Helpers that calculate. A text that is a number counts as one; with anything else, and for a result that is not a number, the value is
 * missing.
 */
import { unmarked } from '../../../../languages/json-text.ts';
import { compileDecimalFormat, javaDouble } from '../../../../languages/decimal-format.ts';
import { asNumber, literalText, plain, type Helpers, type MakeHelper } from '../helper.ts';

export const MATH_HELPERS: Helpers<
  | 'add'
  | 'subtract'
  | 'multiply'
  | 'divide'
  | 'modulo'
  | 'math'
  | 'round'
  | 'floor'
  | 'ceil'
  | 'toFixed'
  | 'numberFormat'
  | 'toNumber'
  | 'parseInt'
> = {
  add: fold((left, right) => left + right),
  subtract: fold((left, right) => left - right),
  multiply: fold((left, right) => left * right),
  divide: fold((left, right) => left / right),
  modulo: fold((left, right) => left % right),
  math: ([left, operator, right], { as }) => {
    const isJava = as?.literal?.value === 'java';
    const evaluate = isJava ? calculateAsJava : calculate;
    const sign = operator?.literal?.value;
    return (run) => {
      const [one, other] = [left?.evaluate(run), right?.evaluate(run)];
      const [first, second] = [one, other].map((each) => (isJava && isMissing(each) ? 0 : asNumber(run, each)));
      return evaluate(first ?? Number.NaN, sign ?? operator?.evaluate(run), second ?? Number.NaN);
    };
  },
  round: ofNumber(Math.round),
  floor: ofNumber(Math.floor),
  ceil: ofNumber(Math.ceil),
  toFixed: plain((run, value, digits) => withDigits(asNumber(run, value), asNumber(run, digits ?? 0))),
  toNumber: ofNumber((value) => value),
  numberFormat: ([value, pattern]) => {
    const print = compileDecimalFormat(pattern === undefined ? undefined : literalText(pattern));
    return (run) => {
      const number = asNumber(run, value?.evaluate(run));
      return print === undefined || Number.isNaN(number) ? undefined : print(number);
    };
  },
  parseInt: plain((_run, value) => leadingInteger(value)),
};

function fold(calculateTwo: (left: number, right: number) => number): MakeHelper {
  return (args) => {
    const [first, ...others] = args.map(({ evaluate }) => evaluate);
    if (first === undefined) return () => undefined;
    return (run) => {
      let result = asNumber(run, first(run));
      for (const other of others) result = calculateTwo(result, asNumber(run, other(run)));
      return finite(result);
    };
  };
}

function ofNumber(calculateOne: (value: number) => number): MakeHelper {
  return plain((run, value) => finite(calculateOne(asNumber(run, value))));
}

/** Whole numbers stay whole, others keep a fraction, which may be 0. A quotient has as many decimals as its first number. */
function calculateAsJava(left: number, operator: unknown, right: number): number | string | undefined {
  const result = calculate(left, operator, right);
  const isWhole = Number.isInteger(left) && Number.isInteger(right);
  if (result === undefined) return undefined;
  const rounded = operator === '/' ? withDecimalsOf(left, result) : result;
  return isWhole ? rounded : javaDouble(rounded);
}

/** Java counts it as 0. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function withDecimalsOf(left: number, result: number): number {
  const scale = 10 ** (String(left).split('.')[1]?.length ?? 0);
  return (Math.sign(result) * Math.round(Math.abs(result) * scale)) / scale;
}

function calculate(left: number, operator: unknown, right: number): number | undefined {
  switch (operator) {
    case '+':
      return finite(left + right);
    case '-':
      return finite(left - right);
    case '*':
    case 'x':
      return finite(left * right);
    case '/':
      return finite(left / right);
    case '%':
      return finite(left % right);
    default:
      return undefined;
  }
}

/** Rounds away the errors of doubles: 0.1 + 0.2 is 0.3. */
const DIGITS = 15;

function finite(value: number): number | undefined {
  if (!Number.isFinite(value)) return undefined;
  // No template shows "-0".
  return Number.isInteger(value) ? value + 0 : Number(value.toPrecision(DIGITS));
}

const FIXED_DIGITS_MAX = 100;

/** A text: a number would lose the zeros at its end. */
function withDigits(value: number, digits: number): string | undefined {
  if (Number.isNaN(value) || Number.isNaN(digits)) return undefined;
  return value.toFixed(Math.min(Math.max(Math.trunc(digits), 0), FIXED_DIGITS_MAX));
}

/** Digits of a number that a double keeps, and white space before it. */
const INTEGER_CHARS_MAX = 400;

function leadingInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return finite(Math.trunc(value));
  return typeof value === 'string'
    ? finite(Number.parseInt(unmarked(value).slice(0, INTEGER_CHARS_MAX), 10))
    : undefined;
}
