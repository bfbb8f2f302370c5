/**
 * Fills a text of a rule: group references with captured texts, and calls of functions with their results.
 *
 * In one pass: captured text comes from the URL's author, so nothing in it is expanded again.
 */
import { take, type WorkBudget } from '../languages/work-budget.ts';
import type { RequestFacts } from './request-facts.ts';
import type { Groups } from './source.ts';
import type { EvaluateOptions } from './stage.ts';

/** Input of functions. */
interface FunctionInput {
  readonly facts: RequestFacts;
  readonly options: Pick<EvaluateOptions, 'random'>;
}

const REFERENCE = String.raw`\$(?:([1-9]\d?)|<([^<>]*)>)`;
/** A call ends with the first closing bracket: functions are not nested. */
const CALL = String.raw`\brq_([a-z_]+)\(([^()]*)\)`;
const FILLED = new RegExp(`${REFERENCE}|${CALL}`, 'g');
const REFERENCES = new RegExp(REFERENCE, 'g');
const CALLS = new RegExp(CALL, 'g');
const GROUP_OR_WHOLE = new RegExp(String.raw`${REFERENCE}|\$([$&])`, 'g');

/** Whether `fillText` may change it. */
export function mayFill(template: string): boolean {
  return /\$[1-9<]|\brq_/.test(template);
}

/**
 * "$1" to "$99", "$<name>", and functions, whose arguments may have references. A group that did not participate is empty;
 * what names no group or function stays as written.
 *
 * @returns undefined when it would exceed `charsMax`, or the budget is used up.
 */
export function fillText(
  template: string,
  groups: () => Groups,
  input: FunctionInput,
  charsMax: number,
  budget: WorkBudget,
): string | undefined {
  let found: Groups | undefined;
  const reference = (number?: string, name?: string): string | undefined =>
    groupText((found ??= groups()), number, name);
  return fill(template, FILLED, charsMax, budget, ([, number, name, called, argument = '']) => {
    if (called === undefined) return reference(number, name);
    const given = fill(argument, REFERENCES, charsMax, budget, ([, itsNumber, itsName]) =>
      reference(itsNumber, itsName),
    );
    return given === undefined ? undefined : (FUNCTIONS.get(called)?.(given, input) ?? `rq_${called}(${given})`);
  });
}

/** Fills references like `fillText`, "$&" for the whole match and "$$" for a dollar. */
export function fillReplacement(
  template: string,
  whole: string,
  groups: Groups,
  charsMax: number,
  budget: WorkBudget,
): string | undefined {
  return fill(template, GROUP_OR_WHOLE, charsMax, budget, ([, number, name, sign]) => {
    if (sign !== undefined) return sign === '$' ? '$' : whole;
    return groupText(groups, number, name);
  });
}

/** Text of a group, as in JavaScript: of two digits the second is text where there are fewer groups. */
function groupText({ texts, names }: Groups, number = '', name = ''): string | undefined {
  const index = number === '' ? names?.get(name) : Number(number);
  if (index === undefined) return undefined;
  if (index <= texts.length) return texts[index - 1] ?? '';
  const first = Math.floor(index / 10);
  return first === 0 || first > texts.length ? undefined : `${texts[first - 1] ?? ''}${index % 10}`;
}

type RuleFunction = (argument: string, input: FunctionInput) => string | undefined;

const DIGITS = /^(?:[1-9]|[1-5]\d|6[0-4])$/;

/** By name, without `rq_`. `rq_rand` gives at most 64 digits. @returns undefined for an argument that it cannot have. */
const FUNCTIONS: ReadonlyMap<string, RuleFunction> = new Map<string, RuleFunction>([
  ['rand', (digits, { options }) => (DIGITS.test(digits) ? randomDigits(Number(digits), options) : undefined)],
  ['request_initiator_origin', (none, { facts }) => (none === '' ? (facts.header('origin') ?? '*') : undefined)],
  ['encode', (text) => orUndefined(() => encodeURIComponent(text))],
  ['decode', (text) => orUndefined(() => decodeURIComponent(text))],
  ['increment', (numbers) => sumOf(numbers, 1)],
  ['decrement', (numbers) => sumOf(numbers, -1)],
]);

/** The names of functions that a text calls. */
export function functionsIn(text: string): string[] {
  return [...text.matchAll(CALLS)].map(([, name = '']) => `rq_${name}`);
}

/** The same of functions that do not exist. */
export function unknownFunctions(text: string): string[] {
  return functionsIn(text).filter((name) => !FUNCTIONS.has(name.slice('rq_'.length)));
}

function orUndefined(make: () => string): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** A number, and after a comma a step, 1 unless given. */
function sumOf(numbers: string, sign: 1 | -1): string | undefined {
  const [, number, step = '1'] = /^\s*(\d{1,15})\s*(?:,\s*(\d{1,15})\s*)?$/.exec(numbers) ?? [];
  return number === undefined ? undefined : `${Number(number) + sign * Number(step)}`;
}

/** A number with that many digits, of which the first is not 0. */
function randomDigits(count: number, { random }: FunctionInput['options']): string {
  let digits = `${1 + Math.floor(random() * 9)}`;
  while (digits.length < count) digits += `${Math.floor(random() * 10)}`;
  return digits;
}

/** @returns undefined when the result would exceed `charsMax`, or the budget is used up. */
function fill(
  template: string,
  signs: RegExp,
  charsMax: number,
  budget: WorkBudget,
  textOf: (match: RegExpExecArray) => string | undefined,
): string | undefined {
  let out = '';
  let at = 0;
  for (const match of template.matchAll(signs)) {
    const [sign] = match;
    out += template.slice(at, match.index) + (textOf(match) ?? sign);
    at = match.index + sign.length;
    if (out.length > charsMax || !take(budget, 10)) return undefined;
  }
  out += template.slice(at);
  return out.length > charsMax || !take(budget, out.length >> 4) ? undefined : out;
}
