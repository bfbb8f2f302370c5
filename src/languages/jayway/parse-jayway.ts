/**
 * Parses a JSONPath of Jayway: `$.['a']`, `$.list.[*]`, `$..name`, `$[?(@.name =~ /re/i && !@.old)]`, `$.list.length()`. What the library
 * reads in a way that nobody means, such as a function behind "..", is a problem.
 */
import { compilePattern, isPattern } from '../linear-pattern.ts';
import { numberOf, parseExactJson } from '../json-text.ts';
import {
  ALL_SIGNS,
  FUNCTIONS,
  type FunctionName,
  type JaywayTree,
  type Operand,
  type Sign,
  type Step,
  type Test,
} from './jayway-tree.ts';

const STEPS_MAX = 32;
const TESTS_MAX = 50;
const DEPTH_MAX = 5;

/** @returns The tree, or what is wrong. Never throws. */
export function parseJayway(text: string): JaywayTree | string {
  const source = text.trim();
  const parser = new Parser(/^[$@]/.test(source) ? source : `$.${source}`);
  try {
    return parser.whole();
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
}

class Problem extends Error {}

/** A name that needs no quotes: it ends where something else begins. */
const NAME = /[^\s.[\]()'"&|<>=~!,?*]+/y;
const QUOTED = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*/sy;
const INDEXES = /\s*(-?\d{1,9}(?:\s*,\s*-?\d{1,9})*)\s*\]/y;
const SLICE = /\s*(-?\d{1,9})?\s*:\s*(-?\d{1,9})?\s*\]/y;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const WORD = /true|false|null/y;
const SIGN = /[<>=~!]+/y;
const SIGN_WORD = /[A-Za-z]+(?=[\s['"(])/y;
const PATTERN = /\/((?:[^/\\]|\\.)*)\/([a-zA-Z]*)/sy;
const SPACE = /\s*/y;

class Parser {
  readonly #text: string;
  #at = 0;
  #tests = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): JaywayTree {
    const path = this.#path(0);
    if (this.#at < this.#text.length) this.#fail('unexpected characters');
    return path;
  }

  #fail(message: string): never {
    throw new Problem(`${message} at ${JSON.stringify(this.#text.slice(this.#at, this.#at + 20))}`);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }

  /** @returns Whether the text comes next, which is then behind. */
  #skip(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #spaces(): void {
    this.#match(SPACE);
  }

  #path(depth: number): JaywayTree {
    const isRoot = this.#skip('$');
    if (!isRoot && !this.#skip('@')) this.#fail('a path begins with $ or @');
    const steps: Step[] = [];
    while (this.#text[this.#at] === '.' || this.#text[this.#at] === '[') {
      this.#step(steps, depth);
      if (steps.length > STEPS_MAX) this.#fail(`more than ${STEPS_MAX} steps`);
      if (steps.at(-1)?.kind === 'call') break;
    }
    if (steps.some(({ kind }, at) => kind === 'all' && steps[at - 1]?.kind === 'scan'))
      this.#fail('"*" behind ".." is not supported');
    if (steps.at(-1)?.kind === 'call' && steps.some(({ kind }) => kind === 'scan'))
      this.#fail('a function behind ".." is not supported');
    return { isRoot, steps };
  }

  #step(steps: Step[], depth: number): void {
    if (this.#skip('..')) steps.push({ kind: 'scan' });
    else this.#skip('.');
    if (this.#skip('[')) steps.push(this.#bracket(depth));
    else if (this.#skip('*')) steps.push({ kind: 'all' });
    else {
      const [name] = this.#match(NAME) ?? this.#fail('expected a name');
      if (!this.#skip('(')) steps.push({ kind: 'names', names: [name] });
      else if (!FUNCTIONS.includes(name as FunctionName) || !this.#skip(')'))
        this.#fail(`the function ${name}, or its arguments, are not supported`);
      else steps.push({ kind: 'call', name: name as FunctionName });
    }
  }

  #bracket(depth: number): Step {
    this.#spaces();
    if (this.#skip('?')) return this.#filter(depth);
    if (this.#skip('*')) {
      this.#closing(']');
      return { kind: 'all' };
    }
    const indexes = this.#match(INDEXES)?.[1];
    if (indexes !== undefined) return { kind: 'indexes', indexes: indexes.split(',').map(Number) };
    const slice = this.#match(SLICE);
    if (slice !== undefined) {
      const [from, to] = [slice[1], slice[2]].map((bound) => (bound === undefined ? undefined : Number(bound)));
      if (from === undefined && to === undefined) this.#fail('a slice without bounds');
      return { kind: 'slice', from, to };
    }
    const names = [this.#quoted()];
    while (this.#skip(',')) names.push(this.#quoted());
    this.#closing(']');
    return { kind: 'names', names };
  }

  #closing(bracket: string): void {
    this.#spaces();
    if (!this.#skip(bracket)) this.#fail(`expected ${bracket}`);
  }

  #quoted(): string {
    const found = this.#match(QUOTED) ?? this.#fail('expected a name in quotes');
    return unescaped(found[1] ?? found[2] ?? '');
  }

  #filter(depth: number): Step {
    if (depth >= DEPTH_MAX) this.#fail('filters are nested too deeply');
    this.#spaces();
    if (!this.#skip('(')) this.#fail('expected ( behind ?');
    const test = this.#joined(depth, 'or');
    this.#closing(')');
    this.#closing(']');
    return { kind: 'filter', test };
  }

  #joined(depth: number, kind: 'and' | 'or'): Test {
    const tests: Test[] = [];
    do {
      tests.push(kind === 'or' ? this.#joined(depth, 'and') : this.#single(depth));
      this.#spaces();
    } while (this.#skip(kind === 'or' ? '||' : '&&'));
    return tests.length === 1 ? (tests[0] as Test) : { kind, tests };
  }

  #single(depth: number): Test {
    if (++this.#tests > TESTS_MAX) this.#fail(`more than ${TESTS_MAX} comparisons`);
    this.#spaces();
    const start = this.#at;
    if (this.#skip('!')) {
      this.#spaces();
      if (!/[$@]/.test(this.#text[this.#at] ?? '')) return { kind: 'not', test: this.#single(depth) };
      // The library forgets the negation of a path that is compared.
      const path = this.#path(depth + 1);
      if (this.#sign() !== undefined) {
        this.#at = start;
        this.#fail('"!" in front of a comparison is not supported');
      }
      return { kind: 'exists', path, isWanted: false };
    }
    if (this.#skip('(')) {
      const test = this.#joined(depth, 'or');
      this.#closing(')');
      return test;
    }
    const left = this.#operand(depth);
    const sign = this.#sign();
    if (sign !== undefined) return { kind: 'compare', sign, left, right: this.#operand(depth) };
    if (left.kind !== 'path') this.#fail('expected a comparison');
    return { kind: 'exists', path: left.path, isWanted: true };
  }

  #sign(): Sign | undefined {
    this.#spaces();
    const start = this.#at;
    const [text] = this.#match(SIGN) ?? this.#match(SIGN_WORD) ?? [];
    if (text === undefined) return undefined;
    const sign = text.toLowerCase();
    if (ALL_SIGNS.has(sign)) return sign as Sign;
    this.#at = start;
    return this.#fail('the operator is not supported');
  }

  #operand(depth: number): Operand {
    this.#spaces();
    switch (this.#text[this.#at]) {
      case '$':
      case '@':
        return { kind: 'path', path: this.#path(depth + 1) };
      case "'":
      case '"':
        return { kind: 'value', value: this.#quoted() };
      case '[':
      case '{':
        return { kind: 'value', value: this.#json() };
      case '/':
        return this.#pattern();
      default: {
        const [word] = this.#match(WORD) ?? [];
        if (word !== undefined) return { kind: 'value', value: JSON.parse(word) as unknown };
        const [number] = this.#match(NUMBER) ?? this.#fail('expected a value');
        return { kind: 'value', value: numberOf(number) };
      }
    }
  }

  #pattern(): Operand {
    const [, source = '', flags = ''] = this.#match(PATTERN) ?? this.#fail('the pattern does not end');
    if (!/^[ims]*$/.test(flags)) this.#fail(`the flags ${flags} of a pattern are not supported`);
    const pattern = compilePattern(flags === '' ? source : `(?${flags})${source}`);
    if (!isPattern(pattern)) throw new Problem(`the pattern ${source}: ${pattern}`);
    return { kind: 'pattern', pattern };
  }

  /** Texts in it may have single quotes. */
  #json(): unknown {
    const start = this.#at;
    let depth = 0;
    do {
      const char = this.#text[this.#at];
      if (char === undefined) this.#fail('expected the end of JSON');
      if (char === "'" || char === '"') this.#quoted();
      else {
        depth += char === '[' || char === '{' ? 1 : char === ']' || char === '}' ? -1 : 0;
        this.#at++;
      }
    } while (depth > 0);
    const json = this.#text
      .slice(start, this.#at)
      .replaceAll(/'((?:[^'\\]|\\.)*)'/gs, (_, inner: string) => JSON.stringify(unescaped(inner)));
    return (parseExactJson(json, { work: Infinity }) ?? this.#fail('not JSON')).value;
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:u([0-9A-Fa-f]{4})|(.))/gs, (_, hex: string | undefined, char: string) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return CONTROLS[char] ?? char;
  });
}

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
