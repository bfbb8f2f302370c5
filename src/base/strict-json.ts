/**
 * JSON that can be stored and returned exactly as it was sent.
 *
 * `JSON.parse` silently changes what it cannot represent: the last of two equal keys wins, 2^53 + 1 becomes 2^53, 1e999
 * becomes infinity; and lone surrogates and `__proto__` keys do not survive storage. A stored rule must be returned
 * unchanged, so all of these are refused with a reason (docs/api.md, "Choices"). Depth is bounded before parsing: deep
 * JSON parses, but overflows the stack of the code that stores and prints it.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import type { JsonObject } from './json-object.ts';

/** Why a text was refused; the message says what to change. */
interface JsonProblem {
  readonly problem: string;
}

export function isJsonProblem(value: JsonProblem | { value: unknown }): value is JsonProblem {
  return 'problem' in value;
}

/**
 * Parses a whole JSON text.
 *
 * @param bytes    The text in UTF-8. Only read during the call.
 * @param depthMax Deepest accepted nesting of arrays and objects, counted from 1.
 * @param areNumbersExact Whether a number that no double represents is refused: not where the caller keeps its digits.
 * @returns The value, or the reason why the text is refused. Never throws.
 *
 * Cost: one pass over the characters, one parse, one walk over the keys.
 */
export function parseStrictJson(
  bytes: Buffer,
  depthMax: number,
  areNumbersExact = true,
): { value: unknown } | JsonProblem {
  let text: string;
  if (isAscii(bytes)) text = bytes.toString('latin1');
  else {
    const problem = encodingProblem(bytes);
    if (problem !== undefined) return { problem };
    text = bytes.toString('utf8');
  }

  const scan = scanText(text, depthMax, areNumbersExact);
  if (typeof scan === 'string') return { problem: scan };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `the body is not valid JSON: ${(error as Error).message}` };
  }
  const walk: KeyWalk = { count: 0, proto: false };
  if (typeof value === 'object' && value !== null) countKeys(value, walk);
  if (walk.proto) return { problem: 'the key "__proto__" is not accepted' };
  if (walk.count !== scan.members) return { problem: 'an object has the same key twice' };
  if (scan.unicodeEscapes && hasLoneSurrogate(value)) {
    return { problem: 'a string contains half of a surrogate pair (a lone \\ud800 to \\udfff)' };
  }
  return { value };
}

/** A byte order mark is named: editors add it, and it is invisible. */
function encodingProblem(bytes: Buffer): string | undefined {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) {
    return 'the body starts with a byte order mark; send it without one';
  }
  if (isUtf8(bytes)) return undefined;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return `the body is not valid UTF-8${isUtf16 ? ': it starts with a UTF-16 byte order mark' : ''}`;
}

interface Scan {
  /** Count of `:` outside strings: the number of object members in the text. */
  members: number;
  /** Whether there may be a `\u` escape: only an escape can produce a lone surrogate in valid UTF-8. */
  readonly unicodeEscapes: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const MINUS = 0x2d;

/**
 * One pass over the text before it is parsed. Does not check syntax, which `JSON.parse` does. Returns a problem or the
 * counts.
 */
function scanText(text: string, depthMax: number, areNumbersExact: boolean): Scan | string {
  const scan: Scan = { members: 0, unicodeEscapes: text.includes(String.raw`\u`) };
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === COLON) {
      scan.members++;
    } else if (code === 0x7b || code === 0x5b) {
      depth++;
      if (depth > depthMax) return `the body is nested deeper than ${depthMax} levels`;
    } else if (code === 0x7d || code === 0x5d) {
      depth--;
    } else if (startsNumber(code)) {
      const token = numberAt(text, at);
      if (areNumbersExact && !isExactNumber(token)) return inexact(token);
      at += token.length - 1;
    }
  }
  return scan;
}

/** Work of looking at a number, and at one that is not short: in units of RULE_WORK_MAX. */
const NUMBER_WORK = 15;
const LONG_NUMBER_WORK = 500;

/**
 * Names the first number beyond 2^53 of a JSON text that `JSON.parse` would change. Fractions below are rounded, as everywhere.
 *
 * @param budget A unit for each character, and more for numbers; what it does not suffice for is not looked at.
 */
export function numberProblem(text: string, budget: { work: number }): string | undefined {
  budget.work -= text.length;
  for (let at = 0; at < text.length && budget.work >= 0; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (startsNumber(code)) {
      const token = numberAt(text, at);
      at += token.length - 1;
      budget.work -= NUMBER_WORK;
      if (isShortNumber(token)) continue;
      budget.work -= LONG_NUMBER_WORK;
      if (Math.abs(Number(token)) > Number.MAX_SAFE_INTEGER && !isExactNumber(token)) return inexact(token);
    }
  }
  return undefined;
}

/** @returns Where its closing quote is; behind the text without one. */
export function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

export function startsNumber(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || code === MINUS;
}

/** Digits, "+", "-", ".", "e" and "E". */
export function isPartOfNumber(code: number): boolean {
  return startsNumber(code) || code === 0x2e || code === 0x2b || (code | 0x20) === 0x65;
}

function numberAt(text: string, start: number): string {
  let end = start + 1;
  while (isPartOfNumber(text.charCodeAt(end))) end++;
  return text.slice(start, end);
}

/** Fifteen digits always fit a double exactly. */
export function isShortNumber(token: string): boolean {
  return token.length <= 15 && !token.includes('e') && !token.includes('E');
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a double represents the number: printed again it has the same digits and magnitude. True for a syntax error
 * too.
 */
export function isExactNumber(token: string): boolean {
  if (isShortNumber(token)) return true;
  const sent = decimalForm(token);
  return sent === undefined || sent === decimalForm(String(Number(token)));
}

/** "sign digits e exponent" without leading or trailing zeros, so that 1.50, 15e-1 and 1.5 agree. */
function decimalForm(token: string): string | undefined {
  const decimal = decimalOf(token);
  if (decimal === undefined) return token === 'Infinity' || token === '-Infinity' ? token : undefined;
  return decimal.digits === '' ? '0' : `${decimal.sign}${decimal.digits}e${decimal.exponent}`;
}

/** Digits of a number that are written without an exponent. */
const PLAIN_DIGITS_MAX = 400;
const ZEROS_MAX = 6;

/**
 * A number in its one form, however it is written: with all its digits, and an exponent only where it is very large or small.
 *
 * @param token A number of JSON.
 */
export function exactNumber(token: string): string {
  const { sign, digits, exponent } = decimalOf(token) ?? { sign: '', digits: '', exponent: 0 };
  if (digits === '') return '0';
  /** Digits before the point. */
  const point = digits.length + exponent;
  if (exponent >= 0 && point <= PLAIN_DIGITS_MAX) return sign + digits + '0'.repeat(exponent);
  if (point > 0 && exponent < 0) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
  if (point <= 0 && point > -ZEROS_MAX) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  const fraction = digits.length === 1 ? '' : `.${digits.slice(1)}`;
  return `${sign}${digits.slice(0, 1)}${fraction}e${point > 0 ? '+' : ''}${point - 1}`;
}

interface Decimal {
  readonly sign: string;
  /** Without zeros at either end; "" for zero. */
  readonly digits: string;
  readonly exponent: number;
}

function decimalOf(token: string): Decimal | undefined {
  const parts = NUMBER.exec(token);
  if (parts === null) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = parts;
  const digits = (whole + fraction).replace(/^0+/, '');
  // Not by the pattern /0+$/: its time is quadratic in zeros inside a number, which blocked the event loop for minutes.
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end--;
  const significant = digits.slice(0, end);
  const exponent = Number(exponentText) - fraction.length + (digits.length - significant.length);
  return { sign, digits: significant, exponent };
}

interface KeyWalk {
  count: number;
  proto: boolean;
}

function countKeys(value: object, walk: KeyWalk): void {
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) countKeys(item, walk);
    return;
  }
  // JSON.parse makes plain objects without inherited enumerable keys; `__proto__` is an own key too.
  for (const key in value) {
    walk.count++;
    if (key === '__proto__') walk.proto = true;
    const item = (value as JsonObject)[key];
    if (typeof item === 'object' && item !== null) countKeys(item, walk);
  }
}

function hasLoneSurrogate(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(hasLoneSurrogate);
  return Object.entries(value).some(([key, item]) => !key.isWellFormed() || hasLoneSurrogate(item));
}

function inexact(token: string): string {
  return `the number ${shorten(token)} cannot be represented exactly; send it as a string`;
}

function shorten(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 37)}...`;
}
