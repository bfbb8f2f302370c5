/**
 * Parses JSON that a client sent, within the budget of its request.
 *
 * JSON.parse cannot be stopped, and 10 MB take it between 15 ms (a few long strings) and 2 s (a million objects, each
 * with a different name). So long texts are first scanned character by character, and only parsed when the budget
 * suffices for what was found.
 */
import { randomInt } from 'node:crypto';
import {
  endOfString,
  exactNumber,
  isExactNumber,
  isPartOfNumber,
  isShortNumber,
  startsNumber,
} from '../base/strict-json.ts';
import { take, type WorkBudget } from './work-budget.ts';

/** The contents of a JSON text, as counts. Approximate for a text that is not JSON. */
export interface JsonSize {
  /** Values of all kinds, including objects and arrays. */
  values: number;
  /** Member names that repeat in objects of the same shape, and those that do not. */
  knownNames: number;
  newNames: number;
  /** The work of parsing, in units of RULE_WORK_MAX. */
  work: number;
}

/**
 * A longer text is measured, and must not be nested more deeply than this: 10 MB of "[" take JSON.parse more than a
 * second.
 */
const JSON_CHARS_TRUSTED = 100_000;
const JSON_DEPTH_MAX = 1_000;

/** For a text that is not measured: objects of 12 characters, each with a different name, take 160 ns each. */
const UNMEASURED_WORK_PER_CHAR = 16;
/** JSON.parse throws when a text is not JSON. */
const PARSE_ERROR_WORK = 1_000;

/** @returns undefined when the text is not JSON, or the budget does not suffice. Never throws. */
export function parseJson(text: string, budget: WorkBudget): { readonly value: unknown } | undefined {
  if (text === '') return undefined;
  if (text.length <= JSON_CHARS_TRUSTED) {
    if (!take(budget, text.length * UNMEASURED_WORK_PER_CHAR)) return undefined;
  } else {
    const size = measureJson(text, budget);
    if (size === undefined || !take(budget, size.work)) return undefined;
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    budget.work -= PARSE_ERROR_WORK;
    return undefined;
  }
}

/** Costs in units of RULE_WORK_MAX. */
const MEASURE_WORK_PER_CHAR = 0.8;
const PARSE_WORK_PER_CHAR = 0.2;
const CONTAINER_WORK = 40;
const KNOWN_NAME_WORK = 12;
/** A name that no earlier object had at this position: V8 creates a new hidden class for it. */
const NEW_NAME_WORK = 180;
const COMMA_WORK = 5;
const TEXT_WORK = 6;
/** V8 internalizes strings of 10 characters or less. */
const NEW_TEXT_WORK = 60;
const SHORT_TEXT_CHARS_MAX = 10;
const LONG_NUMBER_WORK = 18;
const SHORT_NUMBER_CHARS_MAX = 9;

/** Hashes seen so far, by their last bits. A hash that was overwritten counts as new when it repeats. */
const seen = new Int32Array(65_536);
/** Random, so that clients cannot know which texts have the same hash. */
const SEED = randomInt(2 ** 31);
const FACTOR = randomInt(2 ** 30) * 2 + 1;
/** The hash of the names so far, for each open object. */
const shapes = new Int32Array(JSON_DEPTH_MAX + 1);

/**
 * @returns undefined when the text is nested more deeply than JSON_DEPTH_MAX, or the budget does not suffice to scan
 * it.
 */
export function measureJson(text: string, budget: WorkBudget): JsonSize | undefined {
  const { length } = text;
  if (!take(budget, Math.ceil(length * MEASURE_WORK_PER_CHAR))) return undefined;
  seen.fill(0);
  let work = Math.ceil(length * PARSE_WORK_PER_CHAR);
  let values = 1;
  let knownNames = 0;
  let newNames = 0;
  let depth = 0;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x2c) {
      values++;
      work += COMMA_WORK;
    } else if (code === 0x22) {
      const start = at;
      let hash = SEED;
      for (at++; at < length; at++) {
        const char = text.charCodeAt(at);
        if (char === 0x22) break;
        if (char === 0x5c) at++;
        hash = Math.imul(hash ^ char, FACTOR);
        hash ^= hash >>> 15;
      }
      if (isName(text, at + 1)) {
        const shape = Math.imul((shapes[depth] as number) ^ hash, FACTOR);
        shapes[depth] = shape ^ (shape >>> 13);
        if (isNew(shapes[depth] as number)) newNames++;
        else knownNames++;
      } else {
        const isShort = at - start <= SHORT_TEXT_CHARS_MAX + 1;
        work += isShort && isNew(hash) ? NEW_TEXT_WORK : TEXT_WORK;
      }
    } else if (code === 0x7b || code === 0x5b) {
      if (++depth > JSON_DEPTH_MAX) return undefined;
      shapes[depth] = SEED;
      values++;
      work += CONTAINER_WORK;
    } else if (code === 0x7d || code === 0x5d) {
      if (depth > 0) depth--;
    } else if (startsNumber(code)) {
      const start = at;
      while (isPartOfNumber(text.charCodeAt(at + 1))) at++;
      if (at - start >= SHORT_NUMBER_CHARS_MAX || !isWholeNumber(text, start, at))
        work += LONG_NUMBER_WORK + at - start;
    }
  }
  work += knownNames * KNOWN_NAME_WORK + newNames * NEW_NAME_WORK;
  return { values, knownNames, newNames, work };
}

function isNew(hash: number): boolean {
  const place = hash & (seen.length - 1);
  if (seen[place] === hash) return false;
  seen[place] = hash;
  return true;
}

/** Whether a colon follows. */
function isName(text: string, from: number): boolean {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return text.charCodeAt(at) === 0x3a;
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isWholeNumber(text: string, start: number, end: number): boolean {
  for (let at = start; at <= end; at++) {
    const code = text.charCodeAt(at);
    if ((code < 0x30 || code > 0x39) && (code !== 0x2d || at !== start)) return false;
  }
  return true;
}

/** Numbers of up to this many digits are exact as a double. */
const EXACT_DIGITS = 15;
const EXPONENT_DIGITS = 3;
const MARK_WORK = 200;
/** How many characters that are looked at cost as much as one unit of RULE_WORK_MAX, as bits. */
const LOOK_BITS = 1;

/** Marks a text that stands for a number. Random, so that no text of a client is taken for one. */
const MARK = `\u0000${randomInt(2 ** 47).toString(36)} `;
const MARK_IN_JSON = JSON.stringify(MARK).slice(1, -1);
const MARKED_IN_JSON = new RegExp(`"${MARK_IN_JSON.replace('\\', '\\\\')}([^"]*)"`, 'g');

/** Whether some number may have more digits than a double keeps. One pass, which looks at no number itself. */
export function mayHaveLongNumbers(text: string, budget: WorkBudget): boolean {
  if (!take(budget, text.length >> LOOK_BITS)) return false;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code >= 0x30 && code <= 0x39) || code === 0x2e) {
      if (++digits > EXACT_DIGITS) return true;
    } else {
      if (digits > 0 && (code | 0x20) === 0x65 && hasExponent(text, at + 1)) return true;
      digits = 0;
    }
  }
  return false;
}

/** Whether an exponent follows that a double may not have. */
function hasExponent(text: string, from: number): boolean {
  const sign = text.charCodeAt(from);
  let at = sign === 0x2b || sign === 0x2d ? from + 1 : from;
  const start = at;
  while (at - start < EXPONENT_DIGITS && startsNumber(text.charCodeAt(at))) at++;
  return at - start === EXPONENT_DIGITS;
}

/**
 * Makes marked texts of the numbers that a double does not keep, so that JSON.parse leaves their digits alone: each in its one form, so
 * that equal numbers are equal texts.
 *
 * Works character by character: a regular expression for strings and numbers needs a stack as deep as a string has escapes.
 */
export function markLongNumbers(text: string, budget: WorkBudget): string {
  if (!take(budget, text.length)) return '';
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = endOfString(text, at);
    else if (startsNumber(code)) {
      const start = at;
      while (isPartOfNumber(text.charCodeAt(at + 1))) at++;
      const token = text.slice(start, at + 1);
      if (isShortNumber(token)) continue;
      if (!take(budget, MARK_WORK + 2 * token.length)) return '';
      if (isExactNumber(token)) continue;
      pieces.push(text.slice(from, start), '"', MARK_IN_JSON, exactNumber(token), '"');
      from = at + 1;
    }
  }
  if (from === 0) return text;
  pieces.push(text.slice(from));
  return pieces.join('');
}

/** The number that a text stands for; undefined for any other text. */
export function markedNumber(text: string): string | undefined {
  return text.charCodeAt(0) === 0 && text.startsWith(MARK) ? text.slice(MARK.length) : undefined;
}

/** A number of a JSON text, or text that stands for it. @param isKept Whether it is printed as it is written, whatever a double keeps. */
export function numberOf(token: string, isKept = false): number | string {
  if (isKept) return MARK + token;
  return isExactNumber(token) ? Number(token) : MARK + exactNumber(token);
}

export function isNumber(value: unknown): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && markedNumber(value) !== undefined);
}

/** @param value A number, or text that stands for one. */
export function numberText(value: number | string): string {
  return typeof value === 'string' ? unmarked(value) : String(value);
}

/** @returns Below 0, 0 or above 0; by all digits where doubles are equal. */
export function compareNumbers(one: number | string, other: number | string): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other;
  const [left, right] = [exactNumber(numberText(one)), exactNumber(numberText(other))];
  if (left === right) return 0;
  const difference = Number(left) - Number(right);
  if (difference !== 0 && !Number.isNaN(difference)) return difference;
  const isGreater = left.length === right.length ? left > right : left.length > right.length;
  return isGreater === Number(left) > 0 ? 1 : -1;
}

/** A text as it is printed: the number that it stands for, else the text itself. */
export function unmarked(text: string): string {
  return markedNumber(text) ?? text;
}

/** JSON of a value that may have marked texts, with the numbers. */
export function withNumbers(json: string): string {
  return json.includes(MARK_IN_JSON) ? json.replaceAll(MARKED_IN_JSON, '$1') : json;
}

/** Parses like `parseJson`, with marked texts in place of the numbers that a double does not keep. */
export function parseExactJson(text: string, budget: WorkBudget): { readonly value: unknown } | undefined {
  const parsed = parseJson(text, budget);
  if (parsed === undefined || !mayHaveLongNumbers(text, budget)) return parsed;
  const marked = markLongNumbers(text, budget);
  return marked === text ? parsed : (parseJson(marked, budget) ?? parsed);
}
