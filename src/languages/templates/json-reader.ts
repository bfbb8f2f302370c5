/**
 * Follows the JSON (RFC 8259) that a template renders: each piece of text and each tag leads from one state to the next, so that a value
 * goes in as its place needs. A state is a text: the open brackets, a letter of EXPECTED, and the part of an escape, a number or a word.
 */
import type { WorkBudget } from '../work-budget.ts';
import { placed, type TemplateProblem } from './template-tree.ts';

/** Where a tag stands: inside a string, as a member's name, or as a value. */
export type JsonPlace = 'string' | 'name' | 'value';

export const JSON_BEGIN = 'v';

/** The states in which a value is due, a name, and those within a string. */
const VALUE_DUE = 'vl';
const NAME_DUE = 'no';
const IN_STRING = 'sk';
const EXPECTED: Readonly<Record<string, string>> = {
  v: 'a value',
  l: 'a value or "]"',
  n: 'a name in quotes',
  o: 'a name in quotes or "}"',
  c: '":"',
  a: 'the end',
  '{a': '"," or "}"',
  '[a': '"," or "]"',
  s: 'a quote that ends the string',
  k: 'a quote that ends the name',
  w: 'a number, true, false or null',
};

const STATE = /^([[{]*)([a-z])(.*)$/;
const DEPTH_MAX = 200;
/** Characters of a string up to a quote, a backslash, or one that must be escaped. */
const STRING_RUN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /^\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})$/;
const ESCAPE_BEGIN = /^\\u[0-9A-Fa-f]{0,3}$/;
const WORD = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
const WORD_CHAR = /[-+.0-9A-Za-z]/;
/** Digits that change nothing of what may follow. Without them no word is longer than "-1.1e+1". */
const MORE_DIGITS = /([1-9]|[.eE][+-]?\d)\d+/g;
const WORD_CHARS_MAX = 7;
const SPACE = /[ \t\r\n]/;

/** The state behind a piece, and the place of a tag; or why it is not JSON. */
interface JsonStep {
  readonly state: string;
  readonly place?: JsonPlace;
  readonly fault?: TemplateProblem;
}

/** @param at Offset of the piece in the template. */
export type JsonRead = (state: string, at: number, text: string) => JsonStep;

export const behindText: JsonRead = (state, at, text) => {
  const reading = readingOf(state);
  for (let index = 0; index < text.length; index++) {
    if (IN_STRING.includes(reading.mode) && reading.part === '') {
      STRING_RUN.lastIndex = index;
      index += (STRING_RUN.exec(text) as RegExpExecArray)[0].length;
      if (index === text.length) break;
    }
    if (!take(reading, text[index] as string)) return faultOf(reading, at + index, JSON.stringify(text[index]));
  }
  return { state: stateOf(reading) };
};

export const behindTag: JsonRead = (state, at) => {
  const reading = readingOf(state);
  endWord(reading);
  const { nest, mode, part } = reading;
  if (VALUE_DUE.includes(mode)) return { state: `${nest}a`, place: 'value' };
  if (NAME_DUE.includes(mode)) return { state: `${nest}c`, place: 'name' };
  if (!IN_STRING.includes(mode)) return faultOf(reading, at, 'a tag');
  if (part === '') return { state, place: 'string' };
  return { state, fault: { problem: 'a tag may not stand in an escape of a string, behind "\\"', at } };
};

/** The end of the template. */
export const behindEnd: JsonRead = (state, at) => {
  const reading = readingOf(state);
  const isWhole = endWord(reading) && reading.nest === '' && reading.mode === 'a';
  return isWhole ? { state } : faultOf(reading, at, 'the end');
};

interface Reading {
  /** The open brackets, the innermost last. */
  nest: string;
  mode: string;
  part: string;
}

function readingOf(state: string): Reading {
  const [, nest, mode, part] = STATE.exec(state) as unknown as [string, string, string, string];
  return { nest, mode, part };
}

function stateOf({ nest, mode, part }: Reading): string {
  return nest + mode + part;
}

function faultOf(reading: Reading, at: number, found: string): JsonStep {
  const { nest, mode } = reading;
  const expected = (mode === 'a' ? EXPECTED[`${nest.at(-1) ?? ''}a`] : EXPECTED[mode]) as string;
  return { state: stateOf(reading), fault: { problem: `expected ${expected}, found ${found}`, at } };
}

/** @returns Whether the character may come there. */
function take(reading: Reading, char: string): boolean {
  if (IN_STRING.includes(reading.mode)) return takeInString(reading, char);
  if (WORD_CHAR.test(char) && (reading.mode === 'w' || VALUE_DUE.includes(reading.mode))) {
    reading.mode = 'w';
    reading.part = (reading.part + char).replaceAll(MORE_DIGITS, '$1');
    return reading.part.length <= WORD_CHARS_MAX;
  }
  return endWord(reading) && (SPACE.test(char) || takeStructure(reading, char));
}

function takeInString(reading: Reading, char: string): boolean {
  if (reading.part === '' && char === '"') {
    reading.mode = reading.mode === 's' ? 'a' : 'c';
    return true;
  }
  reading.part += char;
  const isWhole = ESCAPE.test(reading.part);
  const isPart = reading.part === '\\' || ESCAPE_BEGIN.test(reading.part);
  if (isWhole) reading.part = '';
  return isWhole || isPart;
}

/** @returns false where a word or a number is not whole. */
function endWord(reading: Reading): boolean {
  if (reading.mode !== 'w') return true;
  if (!WORD.test(reading.part)) return false;
  reading.mode = 'a';
  reading.part = '';
  return true;
}

function takeStructure(reading: Reading, char: string): boolean {
  const { nest, mode } = reading;
  const open = nest.at(-1);
  const go = (to: string, within = nest): boolean => {
    reading.mode = to;
    reading.nest = within;
    return true;
  };
  switch (char) {
    case '"':
      return VALUE_DUE.includes(mode) ? go('s') : NAME_DUE.includes(mode) && go('k');
    case '{':
    case '[':
      return VALUE_DUE.includes(mode) && nest.length < DEPTH_MAX && go(char === '{' ? 'o' : 'l', nest + char);
    case '}':
      return open === '{' && 'ao'.includes(mode) && go('a', nest.slice(0, -1));
    case ']':
      return open === '[' && 'al'.includes(mode) && go('a', nest.slice(0, -1));
    case ',':
      return open !== undefined && mode === 'a' && go(open === '{' ? 'n' : 'v');
    default:
      return char === ':' && mode === 'c' && go('v');
  }
}

/** A text, a tag, whose text is empty, or the end. */
export interface JsonPiece {
  readonly read: JsonRead;
  readonly at: number;
  readonly text: string;
}

/** The state behind pieces that follow each other, and the places of their tags; or why they are not JSON. */
interface JsonSteps {
  readonly state: string;
  /** That of the state among those of the template; -1 where it has too many. */
  readonly index: number;
  readonly places: readonly JsonPlace[];
  readonly fault: TemplateProblem | undefined;
}

export const JSON_BEGUN: JsonSteps = { state: JSON_BEGIN, index: 0, places: [], fault: undefined };

/** States of one template whose steps are kept. Only loops that open brackets make more. */
const STATES_MAX = 256;
/** Work of reading a piece anew, and of each of its characters. In units of RULE_WORK_MAX. */
const PIECE_WORK = 200;
const CHAR_WORK = 4;

/** The stretches of one template, and the states in which they were met. */
export class JsonTemplate {
  readonly #text: string;
  readonly #indexes = new Map([[JSON_BEGIN, 0]]);

  constructor(text: string) {
    this.#text = text;
  }

  stepsBehind(state: string, places: readonly JsonPlace[], fault: TemplateProblem | undefined): JsonSteps {
    let index = this.#indexes.get(state);
    if (index === undefined) {
      index = this.#indexes.size < STATES_MAX ? this.#indexes.size : -1;
      if (index > 0) this.#indexes.set(state, index);
    }
    return { state, index, places, fault };
  }

  problem(fault: TemplateProblem): string {
    return `the template does not render JSON: ${placed(this.#text, fault)}`;
  }
}

/** Pieces of a template without a block between them: one look-up for all of them, each time they are rendered. */
export class JsonStretch {
  readonly template: JsonTemplate;
  /** That of the first piece: what to print. */
  readonly text: string;
  readonly #pieces: readonly JsonPiece[];
  /** By the index of the state before them. */
  readonly #steps: (JsonSteps | undefined)[] = [];

  constructor(template: JsonTemplate, pieces: readonly JsonPiece[], text: string) {
    this.template = template;
    this.text = text;
    this.#pieces = pieces;
  }

  behind(from: JsonSteps, budget: WorkBudget): JsonSteps {
    const known = this.#steps[from.index];
    if (known !== undefined) return known;
    const steps = this.#read(from.state);
    if (from.index >= 0) this.#steps[from.index] = steps;
    else for (const { text } of this.#pieces) budget.work -= PIECE_WORK + text.length * CHAR_WORK;
    return steps;
  }

  /** The same pieces behind another one. */
  after(piece: JsonPiece): JsonStretch {
    return new JsonStretch(this.template, [piece, ...this.#pieces], piece.text + this.text);
  }

  #read(from: string): JsonSteps {
    const places: JsonPlace[] = [];
    let state = from;
    for (const { read, at, text } of this.#pieces) {
      const step = read(state, at, text);
      if (step.fault !== undefined) return this.template.stepsBehind(state, places, step.fault);
      if (step.place !== undefined) places.push(step.place);
      ({ state } = step);
    }
    return this.template.stepsBehind(state, places, undefined);
  }
}
