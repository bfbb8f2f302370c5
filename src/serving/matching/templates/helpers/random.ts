/** Helpers whose values are drawn: with a seed, the same for the same number of a request. */
import { randomUUID } from 'node:crypto';
import type { Random } from '../../../../base/seeded-draw.ts';
import { fakerHelper } from '../faker.ts';
import {
  asNumber,
  asText,
  isTruthy,
  literalNumber,
  plain,
  type Argument,
  type Evaluate,
  type Helpers,
  type MakeHelper,
} from '../helper.ts';
import { printed } from '../print.ts';
import type { TemplateRun } from '../template-run.ts';
import { asList, listOf } from '../values.ts';

export const RANDOM_HELPERS: Helpers<
  'uuid' | 'randomInt' | 'randomDecimal' | 'randomValue' | 'pickRandom' | 'oneOf' | 'someOf' | 'faker'
> = {
  uuid:
    () =>
    ({ view, random }) =>
      view.seed === null ? randomUUID() : uuidFrom(random),
  randomInt: ([from, to], { lower = from, upper = to }) => {
    const least = bound(lower, INT_MIN);
    const most = bound(upper, INT_MAX);
    if (typeof least !== 'number' || typeof most !== 'number')
      return (run) => between(run.random, evaluateNumber(run, least), evaluateNumber(run, most));
    return Number.isNaN(least + most) ? () => undefined : ({ random }) => between(random, least, most);
  },
  randomDecimal: ([from, to], { lower = from, upper = to }) => {
    const least = bound(lower, 0);
    const most = bound(upper, 1);
    return (run) => {
      const start = evaluateNumber(run, least);
      const value = start + run.random() * (evaluateNumber(run, most) - start);
      return Number.isFinite(value) ? value : undefined;
    };
  },
  randomValue:
    (_args, { length, type, uppercase }) =>
    (run) => {
      const asked = length === undefined ? VALUE_CHARS : Math.trunc(asNumber(run, length.evaluate(run)));
      const kind = type === undefined ? 'ALPHANUMERIC' : asText(run, type.evaluate(run));
      if (Number.isNaN(asked)) return undefined;
      const count = Math.min(VALUE_CHARS_MAX, Math.max(0, asked));
      if (!run.mayMakeText(10 * count)) return undefined;
      const text =
        kind === 'UUID' ? uuidFrom(run.random) : charsFrom(run.random, ALPHABETS.get(kind) ?? ALPHANUMERIC, count);
      return isTruthy(uppercase?.evaluate(run)) ? text.toUpperCase() : text;
    },
  pickRandom: (args) => (run) => {
    const [first] = args;
    const list = args.length === 1 && first !== undefined ? first.evaluate(run) : undefined;
    if (Array.isArray(list)) return picked(run, list);
    return args[Math.floor(run.random() * args.length)]?.evaluate(run);
  },
  oneOf: oneOf(),
  someOf: plain((run, value, least, most) => {
    const list = asList(run, value);
    if (list === undefined || !run.mayMakeList(list.length)) return undefined;
    const from = Math.min(list.length, Math.max(0, asNumber(run, least) || 0));
    const count = between(run.random, from, Math.min(list.length, Math.max(from, asNumber(run, most) || 0))) ?? 0;
    const left = [...list];
    // As many draws as items are taken.
    for (let at = 0; at < count; at++) {
      const other = at + Math.floor(run.random() * (left.length - at));
      [left[at], left[other]] = [left[other], left[at]];
    }
    return listOf(run, left.slice(0, count));
  }),
  faker: fakerHelper,
};

/** 32 bits. */
const INT_MIN = -(2 ** 31);
const INT_MAX = 2 ** 31 - 1;

/** A literal is read once. */
function bound(argument: Argument | undefined, whenAbsent: number): number | Evaluate {
  if (argument === undefined) return whenAbsent;
  return argument.literal === undefined ? argument.evaluate : literalNumber(argument.literal.value);
}

function evaluateNumber(run: TemplateRun, value: number | Evaluate): number {
  return typeof value === 'number' ? value : asNumber(run, value(run));
}

const VALUE_CHARS = 36;
const VALUE_CHARS_MAX = 10_000;

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const ALPHANUMERIC = `${LETTERS}0123456789`;
const ALPHABETS: ReadonlyMap<string, string> = new Map([
  ['ALPHANUMERIC', ALPHANUMERIC],
  ['ALPHABETIC', LETTERS],
  ['NUMERIC', '0123456789'],
  ['HEXADECIMAL', '0123456789abcdef'],
  ['ALPHANUMERIC_AND_SYMBOLS', `${ALPHANUMERIC}!#$%&()*+,-./:;<=>?@[]^_{|}~`],
]);

function oneOf(): MakeHelper {
  return ([list, isJson]) =>
    (run) => {
      const items = asList(run, list?.evaluate(run));
      const item = items && picked(run, items);
      return isTruthy(isJson?.evaluate(run)) ? printed(run, item, 'value') : item;
    };
}

function picked({ random }: TemplateRun, list: readonly unknown[]): unknown {
  return list[Math.floor(random() * list.length)];
}

/** Both ends included, in either order. @returns undefined when one of them is not a number. */
function between(random: Random, one: number, other: number): number | undefined {
  const min = Math.ceil(Math.min(one, other));
  const span = Math.floor(Math.max(one, other)) - min + 1;
  // The draw is rounded down before it is added: near 2^53 the sum with a fraction could round to a value out of the
  // range.
  const value = min + Math.floor(random() * span);
  return Number.isNaN(value) ? undefined : value;
}

function charsFrom(random: Random, alphabet: string, count: number): string {
  let text = '';
  for (let at = 0; at < count; at++) text += alphabet[Math.floor(random() * alphabet.length)];
  return text;
}

/** A UUID of version 4: 122 bits of four draws. */
export function uuidFrom(random: Random): string {
  const one = wordOf(random);
  const two = (wordOf(random) & 0xffff_0fff) | 0x4000;
  const three = (wordOf(random) & 0x3fff_ffff) | 0x8000_0000;
  const four = wordOf(random);
  return `${hexOf(one >>> 16)}${hexOf(one)}-${hexOf(two >>> 16)}-${hexOf(two)}-${hexOf(three >>> 16)}-${hexOf(three)}${hexOf(four >>> 16)}${hexOf(four)}`;
}

function wordOf(random: Random): number {
  return Math.floor(random() * 0x1_0000_0000);
}

const HEX_BYTES: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** The last 16 bits as four digits. From a table: `toString` and `padStart` took 3 µs for a UUID. */
function hexOf(bits: number): string {
  return `${HEX_BYTES[(bits >>> 8) & 0xff]}${HEX_BYTES[bits & 0xff]}`;
}
