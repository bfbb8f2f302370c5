/**
 * The states of a JSON reader (RFC 8259), character by character. A state is one object for all that are equal, so that sets of them are
 * small and quickly compared.
 */

/** What encloses the place, the innermost first. */
interface Nest {
  readonly id: number;
  readonly open: '{' | '[' | undefined;
  readonly outer: Nest | undefined;
  readonly depth: number;
  readonly inner: Map<string, Nest>;
}

const MODES = [
  'value',
  'valueOrEnd',
  'name',
  'nameOrEnd',
  'colon',
  'after',
  'string',
  'escape',
  'unicode',
  'minus',
  'zero',
  'digits',
  'point',
  'fraction',
  'e',
  'sign',
  'exponent',
  'word',
] as const;
type Mode = (typeof MODES)[number];

export interface JsonState {
  /** Differs from that of every other state. */
  readonly key: string;
  readonly nest: Nest;
  readonly mode: Mode;
  /** Within a string: whether it is a member's name. */
  readonly isName: boolean;
  /** Within a word, the rest of it; after \u, how many digits are left. */
  readonly rest: string;
}

const DEPTH_MAX = 200;

const NUMBERS: Readonly<Partial<Record<Mode, readonly (readonly [pattern: RegExp, next: Mode])[]>>> = {
  minus: [
    [/0/, 'zero'],
    [/[1-9]/, 'digits'],
  ],
  zero: [
    [/\./, 'point'],
    [/[eE]/, 'e'],
  ],
  digits: [
    [/[0-9]/, 'digits'],
    [/\./, 'point'],
    [/[eE]/, 'e'],
  ],
  point: [[/[0-9]/, 'fraction']],
  fraction: [
    [/[0-9]/, 'fraction'],
    [/[eE]/, 'e'],
  ],
  e: [
    [/[0-9]/, 'exponent'],
    [/[+-]/, 'sign'],
  ],
  sign: [[/[0-9]/, 'exponent']],
  exponent: [[/[0-9]/, 'exponent']],
};
const WHOLE_NUMBERS: ReadonlySet<Mode> = new Set(['zero', 'digits', 'fraction', 'exponent']);
const WORDS: Readonly<Record<string, string>> = { t: 'rue', f: 'alse', n: 'ull' };
const SPACE = /[ \t\r\n]/;
/** Characters of a string that end a run: a quote, a backslash, or one that must be escaped. */
const STRING_RUN = /["\\]|[^ -\uffff]/g;

export class JsonStates {
  readonly #states = new Map<string, JsonState>();
  #nests = 0;
  readonly begin: JsonState;

  constructor() {
    this.begin = this.#state(this.#nest(undefined, undefined), 'value');
  }

  /** @returns The state behind the text, or the offset of the character that it does not take. */
  read(from: JsonState, text: string): JsonState | number {
    let state = from;
    for (let at = 0; at < text.length; at++) {
      if (state.mode === 'string') {
        STRING_RUN.lastIndex = at;
        const stop = STRING_RUN.exec(text);
        if (stop === null) return state;
        at = stop.index;
      }
      const next = this.#step(state, text[at] as string);
      if (next === undefined) return at;
      state = next;
    }
    return state;
  }

  isInString({ mode }: JsonState): boolean {
    return mode === 'string' || mode === 'escape' || mode === 'unicode';
  }

  /** Inside `\n` or `\u0041`, which a value would tear. */
  isInEscape({ mode }: JsonState): boolean {
    return mode === 'escape' || mode === 'unicode';
  }

  /** The state behind a value, where one is taken. */
  behindValue({ nest, mode }: JsonState): JsonState | undefined {
    return mode === 'value' || mode === 'valueOrEnd' ? this.#state(nest, 'after') : undefined;
  }

  /** The same for the name of a member. */
  behindName({ nest, mode }: JsonState): JsonState | undefined {
    return mode === 'name' || mode === 'nameOrEnd' ? this.#state(nest, 'colon') : undefined;
  }

  /** Whether the text may end here. */
  mayEnd({ nest, mode }: JsonState): boolean {
    return nest.depth === 0 && (mode === 'after' || WHOLE_NUMBERS.has(mode));
  }

  /** "\",\" or \"}\"" */
  expected(states: readonly JsonState[]): string {
    const words = new Set(states.flatMap((state) => expectedBy(state)));
    return [...words].join(' or ');
  }

  #step(state: JsonState, char: string): JsonState | undefined {
    const { nest, mode, isName, rest } = state;
    switch (mode) {
      case 'string':
        if (char === '"') return this.#state(nest, isName ? 'colon' : 'after');
        return char === '\\' ? this.#state(nest, 'escape', isName) : undefined;
      case 'escape':
        if (char === 'u') return this.#state(nest, 'unicode', isName, '4');
        return /["\\/bfnrt]/.test(char) ? this.#state(nest, 'string', isName) : undefined;
      case 'unicode': {
        if (!/[0-9A-Fa-f]/.test(char)) return undefined;
        return rest === '1'
          ? this.#state(nest, 'string', isName)
          : this.#state(nest, 'unicode', isName, `${Number(rest) - 1}`);
      }
      case 'word':
        if (char !== rest[0]) return undefined;
        return rest.length === 1 ? this.#state(nest, 'after') : this.#state(nest, 'word', false, rest.slice(1));
      default:
        if (SPACE.test(char)) return this.#space(state);
        return NUMBERS[mode] === undefined ? this.#structure(state, char) : this.#number(state, char);
    }
  }

  #space(state: JsonState): JsonState | undefined {
    if (WHOLE_NUMBERS.has(state.mode)) return this.#state(state.nest, 'after');
    return NUMBERS[state.mode] === undefined ? state : undefined;
  }

  #number({ nest, mode }: JsonState, char: string): JsonState | undefined {
    const next = NUMBERS[mode]?.find(([pattern]) => pattern.test(char));
    if (next !== undefined) return this.#state(nest, next[1]);
    return WHOLE_NUMBERS.has(mode) ? this.#structure(this.#state(nest, 'after'), char) : undefined;
  }

  #structure({ nest, mode }: JsonState, char: string): JsonState | undefined {
    switch (mode) {
      case 'valueOrEnd':
        return char === ']' ? this.#close(nest) : this.#value(nest, char);
      case 'value':
        return this.#value(nest, char);
      case 'nameOrEnd':
        if (char === '}') return this.#close(nest);
        return char === '"' ? this.#state(nest, 'string', true) : undefined;
      case 'name':
        return char === '"' ? this.#state(nest, 'string', true) : undefined;
      case 'colon':
        return char === ':' ? this.#state(nest, 'value') : undefined;
      default:
        if (char === ',' && nest.open !== undefined) return this.#state(nest, nest.open === '{' ? 'name' : 'value');
        return char === (nest.open === '{' ? '}' : ']') && nest.open !== undefined ? this.#close(nest) : undefined;
    }
  }

  #value(nest: Nest, char: string): JsonState | undefined {
    if (char === '"') return this.#state(nest, 'string');
    if (char === '{' || char === '[') {
      if (nest.depth === DEPTH_MAX) return undefined;
      return this.#state(this.#nest(nest, char), char === '{' ? 'nameOrEnd' : 'valueOrEnd');
    }
    if (char === '-') return this.#state(nest, 'minus');
    if (/[0-9]/.test(char)) return this.#state(nest, char === '0' ? 'zero' : 'digits');
    const word = Object.hasOwn(WORDS, char) ? WORDS[char] : undefined;
    return word === undefined ? undefined : this.#state(nest, 'word', false, word);
  }

  #close({ outer }: Nest): JsonState {
    return this.#state(outer as Nest, 'after');
  }

  #nest(outer: Nest | undefined, open: '{' | '[' | undefined): Nest {
    const known = outer?.inner.get(open ?? '');
    if (known !== undefined) return known;
    const nest: Nest = { id: this.#nests++, open, outer, depth: (outer?.depth ?? -1) + 1, inner: new Map() };
    outer?.inner.set(open ?? '', nest);
    return nest;
  }

  #state(nest: Nest, mode: Mode, isName = false, rest = ''): JsonState {
    const key = `${nest.id} ${mode} ${isName ? 1 : 0}${rest}`;
    let state = this.#states.get(key);
    if (state === undefined) this.#states.set(key, (state = { key, nest, mode, isName, rest }));
    return state;
  }
}

function expectedBy({ nest, mode, rest }: JsonState): string[] {
  switch (mode) {
    case 'value':
      return ['a value'];
    case 'valueOrEnd':
      return ['a value', '"]"'];
    case 'name':
      return ['a name in quotes'];
    case 'nameOrEnd':
      return ['a name in quotes', '"}"'];
    case 'colon':
      return ['":"'];
    case 'string':
      return ['a quote that ends the string'];
    case 'escape':
      return ['an escape such as \\n'];
    case 'unicode':
      return ['a hexadecimal digit'];
    case 'word':
      return [`"${rest}"`];
    default: {
      if (NUMBERS[mode] !== undefined && !WHOLE_NUMBERS.has(mode)) return ['a digit'];
      if (nest.open === undefined) return ['the end'];
      return ['","', nest.open === '{' ? '"}"' : '"]"'];
    }
  }
}
