/** Helpers of numbers. What is no number makes the result missing. */
import { asNumber, plain, type Helpers } from '../helper.ts';

export const MATH_HELPERS: Helpers<
  'add' | 'subtract' | 'multiply' | 'divide' | 'modulo' | 'math' | 'round' | 'floor' | 'ceil' | 'toFixed' | 'toNumber'
> = {
  add: fold((one, other) => one + other),
  subtract: fold((one, other) => one - other),
  multiply: fold((one, other) => one * other),
  divide: fold((one, other) => one / other),
  modulo: fold((one, other) => one % other),
  math: plain((_run, one, operator, other) => {
    const calculate = OPERATORS[String(operator)];
    return calculate && finite(calculate(asNumber(one), asNumber(other)));
  }),
  round: ofOne(Math.round),
  floor: ofOne(Math.floor),
  ceil: ofOne(Math.ceil),
  toFixed: plain((_run, value, digits) => {
    const number = finite(asNumber(value));
    const count = Math.min(Math.max(0, Math.trunc(asNumber(digits) || 0)), DIGITS_MAX);
    return number?.toFixed(count);
  }),
  toNumber: ofOne((value) => value),
};

const DIGITS_MAX = 20;

const OPERATORS: Readonly<Record<string, (one: number, other: number) => number>> = {
  '+': (one, other) => one + other,
  '-': (one, other) => one - other,
  '*': (one, other) => one * other,
  '/': (one, other) => one / other,
  '%': (one, other) => one % other,
  '**': (one, other) => one ** other,
};

function fold(calculate: (one: number, other: number) => number) {
  return plain((_run, first, ...others) =>
    finite(others.reduce<number>((sum, each) => calculate(sum, asNumber(each)), asNumber(first))),
  );
}

function ofOne(calculate: (value: number) => number) {
  return plain((_run, value) => finite(calculate(asNumber(value))));
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
