/**
 * The tags of a template as tokens: `{{…}}`, where the dots are names with paths, texts, numbers, parentheses and `name=`.
 *
 * Whatever is not a tag is text, however much it looks like one: bodies are full of braces.
 */

export type Token =
  | { readonly kind: 'value'; readonly value: string | number | boolean | null | undefined; readonly at: number }
  /** A name with its path: `user.tags.[0]`, `@index`, `../name`. */
  | {
      readonly kind: 'name';
      /** How many `../` stand before it. */
      readonly up: number;
      readonly name: string;
      readonly steps: readonly string[];
      readonly at: number;
    }
  /** `name=` before a value. */
  | { readonly kind: 'named'; readonly name: string; readonly at: number }
  | { readonly kind: '(' | ')' | '|'; readonly at: number };

export interface Tag {
  /** Offsets of its first character, and of the one behind it. */
  readonly start: number;
  readonly end: number;
  /** "" for a value, "#" for the beginning of a block, "/" for its end, "!" for a comment, which has no tokens. */
  readonly sign: '' | '#' | '/' | '!';
  readonly tokens: readonly Token[];
  /** Whether white space before it, and behind it, is left out: `{{~ x ~}}`. */
  readonly trimsBefore: boolean;
  readonly trimsAfter: boolean;
}

/** More than any tag needs, so that text with many opening braces is read in linear time. */
const TAG_CHARS_MAX = 20_000;

const BEGIN = /(\{\{\{?)(~?)\s*([#/]?)\s*/y;
const COMMENT = /\{\{~?!(?:--)?/y;
/** Beginnings of a token. */
const TOKEN_START = /[\w@.'"(-]/;
const SPACE = /\s+/y;
const TEXT = /'([^']*)'|"([^"]*)"/y;
const NUMBER = /-?\d+(?:\.\d+)?(?=[\s)}~|])/y;
const NAMED = /([A-Za-z_][\w-]*)=/y;
/** No braces in brackets: the search for an end stops at the next tag, so that many open brackets take linear time. */
const NAME = /((?:\.\.\/)*)(@?[A-Za-z_][\w-]*)((?:\.?\[[^\]\s{}]*\]|\.[\w$@-]+)*)/y;
/** `this` in another form, alone or with a path. */
const DOT = /((?:\.\.\/)*)(\.\.|\.)(?=[\s)}~])/y;
const STEP = /\.?\[([^\]]*)\]|\.([\w$@-]+)/g;

const LITERALS: ReadonlyMap<string, boolean | null | undefined> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);

/** Reads the tags of one text. */
export class TagReader {
  readonly #text: string;
  /** Behind the last end of a comment nothing is searched for one. */
  readonly #lastEnd: number;
  readonly #lastLongEnd: number;

  constructor(text: string) {
    this.#text = text;
    this.#lastEnd = text.lastIndexOf('}}');
    this.#lastLongEnd = Math.max(text.lastIndexOf('--}}'), text.lastIndexOf('--~}}'));
  }

  /** @param at Offset of `{{`. @returns undefined when it is text. */
  read(at: number): Tag | undefined {
    const text = this.#text;
    const comment = match(COMMENT, text, at);
    if (comment !== undefined) return this.#comment(comment[0], at);
    const begin = match(BEGIN, text, at);
    if (begin === undefined) return undefined;
    const [, braces = '', tilde, sign] = begin;
    const tokens: Token[] = [];
    const limit = at + TAG_CHARS_MAX;
    let next = BEGIN.lastIndex;
    if (!TOKEN_START.test(text[next] ?? '')) return undefined;
    for (;;) {
      if (match(SPACE, text, next) !== undefined) next = SPACE.lastIndex;
      const trims = text[next] === '~';
      const close = '}'.repeat(braces.length);
      if (text.startsWith(close, trims ? next + 1 : next)) {
        const end = next + (trims ? 1 : 0) + close.length;
        return { start: at, end, sign: sign as Tag['sign'], tokens, trimsBefore: tilde === '~', trimsAfter: trims };
      }
      const token = next < limit ? readToken(text, next) : undefined;
      if (token === undefined) return undefined;
      tokens.push(token.token);
      next = token.end;
    }
  }

  #comment(begin: string, at: number): Tag | undefined {
    const isLong = begin.endsWith('--');
    if (at > (isLong ? this.#lastLongEnd : this.#lastEnd)) return undefined;
    const text = this.#text;
    const plain = text.indexOf(isLong ? '--}}' : '}}', at);
    const trimming = isLong && this.#lastLongEnd > at ? text.indexOf('--~}}', at) : -1;
    const end = trimming !== -1 && (plain === -1 || trimming < plain) ? trimming + 5 : plain + (isLong ? 4 : 2);
    const trimsAfter = text[end - 3] === '~';
    return { start: at, end, sign: '!', tokens: [], trimsBefore: begin.includes('~'), trimsAfter };
  }
}

function readToken(text: string, at: number): { readonly token: Token; readonly end: number } | undefined {
  const char = text[at];
  if (char === '(' || char === ')' || char === '|') return { token: { kind: char, at }, end: at + 1 };
  const quoted = match(TEXT, text, at);
  if (quoted !== undefined) {
    return { token: { kind: 'value', value: quoted[1] ?? quoted[2] ?? '', at }, end: TEXT.lastIndex };
  }
  const number = match(NUMBER, text, at);
  if (number !== undefined) return { token: { kind: 'value', value: Number(number[0]), at }, end: NUMBER.lastIndex };
  const named = match(NAMED, text, at);
  if (named !== undefined) return { token: { kind: 'named', name: named[1] as string, at }, end: NAMED.lastIndex };
  const name = match(NAME, text, at);
  if (name !== undefined) {
    const [whole, up = '', first = '', path = ''] = name;
    if (LITERALS.has(whole)) return { token: { kind: 'value', value: LITERALS.get(whole), at }, end: NAME.lastIndex };
    const steps = [...path.matchAll(STEP)].map(([, bracketed, plain]) => bracketed ?? plain ?? '');
    return { token: { kind: 'name', up: up.length / 3, name: first, steps, at }, end: NAME.lastIndex };
  }
  const dot = match(DOT, text, at);
  if (dot === undefined) return undefined;
  const up = (dot[1] as string).length / 3 + (dot[2] === '..' ? 1 : 0);
  return { token: { kind: 'name', up, name: 'this', steps: [], at }, end: DOT.lastIndex };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

type NamedToken = Token & { readonly kind: 'named' };

/** Those of the tag itself, not of calls in it. */
export function namedOutside(tokens: readonly Token[]): NamedToken[] {
  let depth = 0;
  return tokens.filter((token): token is NamedToken => {
    if (token.kind === '(') depth++;
    if (token.kind === ')') depth--;
    return token.kind === 'named' && depth === 0;
  });
}

/** The flag of `comma=true`; undefined without one. */
export function commaOf([comma]: readonly NamedToken[], tokens: readonly Token[]): boolean | undefined {
  const value = comma === undefined ? undefined : tokens[tokens.indexOf(comma) + 1];
  return value?.kind === 'value' && typeof value.value === 'boolean' ? value.value : undefined;
}
