/** Helpers of texts. Values that are not texts count as what they print; missing ones as "". */
import { unmarked } from '../../../../languages/json-text.ts';
import { MOCK_STREAM_ITEMS_MAX, TEMPLATE_LIST_ITEMS_MAX } from '../../../../limits.ts';
import { compilePattern, isPattern, type LinearPattern } from '../../../../languages/linear-pattern.ts';
import { namesOf, take } from '../../../../languages/work-budget.ts';
import { indexOfText, searchWork } from '../../../../model/mocks/definition/find-text.ts';
import { PATTERN_WORK } from '../../../../model/mocks/definition/operators.ts';
import { asNumber, asText, literalText, plain, type Evaluate, type Helpers, type MakeHelper } from '../helper.ts';
import type { TemplateRun } from '../template-run.ts';

/** Work of an item that is printed or compared, of an occurrence that is replaced, and of a word. In units of RULE_WORK_MAX. */
const ITEM_WORK = 30;
const OCCURRENCE_WORK = 6;
const WORD_WORK_PER_CHAR = 12;
const TOKEN_WORK_PER_CHAR = 8;
/** Letters beyond Latin-1 take a table: 15 ns. */
const CASE_WORK_PER_CHAR = 2;

export const TEXT_HELPERS: Helpers<
  | 'concat'
  | 'upper'
  | 'lower'
  | 'capitalize'
  | 'capitalizeFirst'
  | 'trim'
  | 'replace'
  | 'replaceAll'
  | 'substr'
  | 'substring'
  | 'slice'
  | 'split'
  | 'tokens'
  | 'join'
  | 'padStart'
  | 'padEnd'
  | 'indexOf'
  | 'len'
  | 'regexExtract'
> = {
  concat: plain(concat),
  upper: converter((text) => text.toUpperCase(), CASE_WORK_PER_CHAR),
  lower: converter((text) => text.toLowerCase(), CASE_WORK_PER_CHAR),
  capitalize: converter((text) => text.replace(FIRST_OF_WORD, upperCase), WORD_WORK_PER_CHAR),
  capitalizeFirst: converter((text) => text.slice(0, 1).toUpperCase() + text.slice(1), 0),
  trim: converter((text) => text.trim(), 1),
  replace: plain((run, value, expected, by) => replace(run, value, expected, by, 1)),
  replaceAll: plain((run, value, expected, by) => replace(run, value, expected, by, Infinity)),
  substr: plain(substr),
  substring: plain(substring),
  slice: plain(slice),
  split: plain(split),
  tokens: plain(tokens),
  join: plain(join),
  padStart: plain((run, value, length, by) => pad(run, value, length, by, true)),
  padEnd: plain((run, value, length, by) => pad(run, value, length, by, false)),
  indexOf: plain(indexOf),
  len: plain(len),
  regexExtract,
};

/** Lists become one list, when the first value is one. */
function concat(run: TemplateRun, ...values: unknown[]): unknown {
  if (Array.isArray(values[0])) {
    const count = values.reduce<number>((sum, value) => sum + (Array.isArray(value) ? value.length : 1), 0);
    return run.mayMakeList(count) ? values.flat() : undefined;
  }
  const texts = values.map((value) => asText(run, value));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return run.mayMakeText(length) ? texts.join('') : '';
}

/** @param workPerChar In addition to the making of the text. */
function converter(convert: (text: string) => string, workPerChar: number): MakeHelper {
  return plain((run, value) => {
    const text = asText(run, value);
    run.view.work -= text.length * workPerChar;
    return run.mayMakeText(text.length) ? convert(text) : '';
  });
}

const FIRST_OF_WORD = /(?:^|\s)\S/g;

function upperCase(text: string): string {
  return text.toUpperCase();
}

/** An empty text is nowhere. */
function replace(run: TemplateRun, value: unknown, part: unknown, by: unknown, timesMax: number): string {
  const text = asText(run, value);
  const expected = asText(run, part);
  const replacement = asText(run, by);
  if (expected === '' || !take(run.view, searchWork(text, expected))) return text;
  const places: number[] = [];
  for (let at = indexOfText(text, expected, 0); at !== -1; at = indexOfText(text, expected, at + expected.length)) {
    places.push(at);
    if (!take(run.view, OCCURRENCE_WORK)) return '';
    if (places.length >= timesMax) break;
  }
  if (!run.mayMakeText(text.length + places.length * (replacement.length - expected.length))) return '';
  let result = '';
  let end = 0;
  for (const at of places) {
    result += text.slice(end, at) + replacement;
    end = at + expected.length;
  }
  return result + text.slice(end);
}

/** From a place, which counts from the end when it is negative, as many characters as given. */
function substr(run: TemplateRun, value: unknown, from: unknown, length: unknown): string {
  const text = asText(run, value);
  const start = placeIn(run, text, from);
  const count = length === undefined ? Infinity : Math.max(asNumber(run, length) || 0, 0);
  return between(run, text, start, start + count);
}

/** Between two places. */
function substring(run: TemplateRun, value: unknown, from: unknown, to: unknown): string {
  const text = asText(run, value);
  const end = to === undefined ? Infinity : Math.max(asNumber(run, to) || 0, 0);
  return between(run, text, Math.max(asNumber(run, from) || 0, 0), end);
}

/** Slices a text or a list between two places, which count from the end when they are negative. */
function slice(run: TemplateRun, value: unknown, from: unknown, to: unknown): unknown {
  if (!Array.isArray(value)) {
    const text = asText(run, value);
    return between(run, text, placeIn(run, text, from), to === undefined ? Infinity : placeIn(run, text, to));
  }
  const start = placeIn(run, value, from);
  const end = to === undefined ? value.length : Math.min(placeIn(run, value, to), value.length);
  return run.mayMakeList(Math.max(end - start, 0)) ? value.slice(start, end) : undefined;
}

/** Anything but a number means the start. */
function placeIn(run: TemplateRun, whole: { readonly length: number }, place: unknown): number {
  const number = Math.trunc(asNumber(run, place)) || 0;
  return number < 0 ? Math.max(whole.length + number, 0) : number;
}

function between(run: TemplateRun, text: string, start: number, end: number): string {
  const result = text.slice(start, end);
  return run.mayMakeText(result.length) ? result : '';
}

function split(run: TemplateRun, value: unknown, separator: unknown): unknown {
  const text = asText(run, value);
  const separatorText = asText(run, separator) || ' ';
  if (text === '' || !take(run.view, searchWork(text, separatorText))) return [];
  const items: string[] = [];
  let start = 0;
  for (let at = indexOfText(text, separatorText, 0); at !== -1; at = indexOfText(text, separatorText, start)) {
    items.push(text.slice(start, at));
    start = at + separatorText.length;
    if (items.length > TEMPLATE_LIST_ITEMS_MAX) break;
  }
  items.push(text.slice(start));
  return run.mayMakeList(items.length) ? items : undefined;
}

/**
 * Words with the white space before them, which together are the text: as models of languages stream it. Words are cut that have more
 * than `chars` characters. Of a long text a piece has several words, so that a stream may send all.
 */
function tokens(run: TemplateRun, value: unknown, chars: unknown): unknown {
  const text = asText(run, value);
  if (!take(run.view, text.length * TOKEN_WORK_PER_CHAR)) return [];
  const most = Math.max(Math.trunc(asNumber(run, chars)) || Infinity, 1);
  const ends: number[] = [];
  let start = 0;
  for (let at = 1; at <= text.length; at++) {
    const isWordEnd = at === text.length || (isSpace(text, at) && !isSpace(text, at - 1));
    if (isWordEnd || (at - start >= most && !isInsidePair(text, at))) ends.push((start = at));
  }
  const each = Math.ceil(ends.length / MOCK_STREAM_ITEMS_MAX);
  const kept = each > 1 ? ends.filter((end, index) => (index + 1) % each === 0 || end === text.length) : ends;
  if (!run.mayMakeList(kept.length)) return undefined;
  return kept.map((end, index) => text.slice(kept[index - 1] ?? 0, end));
}

function isSpace(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at));
}

/** The place is between the two units of a character. */
function isInsidePair(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
}

/** `join list separator`; also `join separator list`, as WireMock has it. */
function join(run: TemplateRun, one: unknown, other: unknown): unknown {
  const [list, separator] = Array.isArray(one) || !Array.isArray(other) ? [one, other] : [other, one];
  if (!Array.isArray(list)) return list;
  if (!take(run.view, list.length * ITEM_WORK)) return '';
  const separatorText = separator === undefined ? ', ' : asText(run, separator);
  const texts: string[] = [];
  let length = Math.max(list.length - 1, 0) * separatorText.length;
  for (const item of list) {
    const text = asText(run, item);
    length += text.length;
    texts.push(text);
  }
  return run.mayMakeText(length) ? texts.join(separatorText) : '';
}

function pad(run: TemplateRun, value: unknown, length: unknown, by: unknown, atStart: boolean): string {
  const text = asText(run, value);
  const filler = by === undefined ? ' ' : asText(run, by);
  const wanted = Math.trunc(asNumber(run, length));
  if (!(wanted > text.length) || filler === '' || !run.mayMakeText(wanted)) return text;
  return atStart ? text.padStart(wanted, filler) : text.padEnd(wanted, filler);
}

/** -1 where it is not found. Of a list: the index of an item that prints the same. */
function indexOf(run: TemplateRun, value: unknown, search: unknown, from: unknown): number {
  const expected = asText(run, search);
  const start = Math.max(asNumber(run, from) || 0, 0);
  if (Array.isArray(value)) {
    if (!take(run.view, value.length * ITEM_WORK)) return -1;
    return value.findIndex((item, index) => index >= start && asText(run, item) === expected);
  }
  const text = asText(run, value);
  return take(run.view, searchWork(text, expected)) ? indexOfText(text, expected, start) : -1;
}

/** Characters, items or members; 0 for what has none. */
function len(run: TemplateRun, value: unknown): number {
  if (typeof value === 'string') return unmarked(value).length;
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? namesOf(run.view, value).length : 0;
}

/**
 * Extracts the first match of the pattern, or one of its groups: by its number from 1. A quoted name instead is a variable: it gets the list of all
 * groups, and nothing is printed, as WireMock has it.
 */
function regexExtract(...[args, named]: Parameters<MakeHelper>): Evaluate {
  const [value, expected, group] = args;
  const fallback = named['default']?.evaluate ?? (() => undefined);
  const pattern = compilePattern(literalText(expected));
  if (value === undefined || !isPattern(pattern)) return fallback;
  const groupsAt = (run: TemplateRun) => groupsOf(run, pattern, asText(run, value.evaluate(run)));
  const variable = group?.literal?.value;
  if (typeof variable === 'string') {
    return (run) => {
      (run.variables ??= new Map()).set(variable, groupsAt(run)?.slice(1) ?? fallback(run));
      return undefined;
    };
  }
  return (run) => {
    const number = group === undefined ? 0 : asNumber(run, group.evaluate(run));
    return groupsAt(run)?.[number] ?? fallback(run);
  };
}

/** The whole, then each group. */
function groupsOf(run: TemplateRun, pattern: LinearPattern, text: string): (string | undefined)[] | undefined {
  // The cheap engine says first whether there is anything to find.
  if (!take(run.view, PATTERN_WORK + text.length * pattern.workPerChar) || !pattern.test(text)) return undefined;
  if (!take(run.view, text.length * pattern.groupsWorkPerChar)) return undefined;
  const places = pattern.findGroups(text, 0) ?? [];
  const groups: (string | undefined)[] = [];
  for (let at = 0; at + 1 < places.length; at += 2) {
    const start = places[at] ?? -1;
    groups.push(start === -1 ? undefined : text.slice(start, places[at + 1]));
  }
  return groups;
}
