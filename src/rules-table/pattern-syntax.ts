/** Translates patterns from JavaScript's syntax to RE2's. The input must be valid in JavaScript. */

type Translated =
  /** `names`: the numbers of groups that have a name, from 1. */
  | { readonly pattern: string; readonly names: ReadonlyMap<string, number>; readonly problem?: never }
  | { readonly pattern?: never; readonly names?: never; readonly problem: string };

const LOOK_AROUND = 'uses look-around, which is not supported';
const BACK_REFERENCE = 'uses a back-reference, which is not supported';
const SET_OPERATION = 'uses a nested character class or a set operation, which is not supported';

/** Classes that match no character and every character. */
const NEVER = '[^\\x{0}-\\x{10FFFF}]';
const ANY = '[\\x{0}-\\x{10FFFF}]';

/** Escapes with the same meaning in both. */
const SHARED_ESCAPES = 'dDwWsSfnrtv';

export function translateForLinear(body: string, flags: string): Translated {
  const reader = new Reader(body, flags);
  const pattern = reader.read();
  if (reader.problem !== undefined) return { problem: reader.problem };
  const inline = ['i', 'm', 's'].filter((flag) => flags.includes(flag)).join('');
  // A sticky pattern matches only at the beginning.
  const anchored = flags.includes('y') ? `\\A(?:${pattern})` : pattern;
  return { pattern: inline === '' ? anchored : `(?${inline})${anchored}`, names: reader.names };
}

class Reader {
  readonly #body: string;
  readonly #isUnicode: boolean;
  readonly #hasSets: boolean;
  #at = 0;
  #groups = 0;
  readonly names = new Map<string, number>();
  problem: string | undefined;

  constructor(body: string, flags: string) {
    this.#body = body;
    this.#hasSets = flags.includes('v');
    this.#isUnicode = flags.includes('u') || this.#hasSets;
  }

  read(): string {
    let out = '';
    while (this.#at < this.#body.length && this.problem === undefined) {
      const char = this.#body[this.#at++] as string;
      if (char === '\\') out += this.#escape();
      else if (char === '[') out += this.#class();
      else if (char === '(') out += this.#group();
      else out += char;
    }
    return out;
  }

  /** Drops the names of groups, and notes their numbers. */
  #group(): string {
    if (/\?(?:<?[=!])/y.test(this.#ahead(3))) this.problem = LOOK_AROUND;
    const [whole = '', name] = /^\?<([^>]*)>/.exec(this.#body.slice(this.#at)) ?? [];
    this.#at += whole.length;
    if (name !== undefined || this.#ahead(1) !== '?') this.#groups++;
    if (name !== undefined) this.names.set(name, this.#groups);
    return '(';
  }

  #class(): string {
    if (this.#take(']')) return NEVER;
    if (this.#take('^]')) return ANY;
    let out = '[';
    if (this.#take('^')) out += '^';
    while (this.#at < this.#body.length && this.problem === undefined) {
      const char = this.#body[this.#at++] as string;
      if (char === ']') return `${out}]`;
      if (this.#hasSets && (char === '[' || this.#isSetOperation())) this.problem = SET_OPERATION;
      if (char === '\\') out += this.#classEscape();
      // JavaScript has no named classes such as "[[:alpha:]]".
      else out += char === '[' || char === '^' ? `\\${char}` : char;
    }
    return out;
  }

  #isSetOperation(): boolean {
    const two = this.#body.slice(this.#at - 1, this.#at + 1);
    return two === '--' || two === '&&';
  }

  #classEscape(): string {
    if (this.#take('b')) return '\\x08';
    if (this.#hasSets && this.#body[this.#at] === 'q') this.problem = SET_OPERATION;
    return this.#escape();
  }

  /** Reads what follows a backslash. */
  #escape(): string {
    const char = this.#body[this.#at++] ?? '';
    if (char === '0' && !/[0-9]/.test(this.#ahead(1))) return '\\x00';
    if (/[0-9]/.test(char) || (char === 'k' && (this.#isUnicode || this.#body.includes('(?<')))) {
      this.problem = BACK_REFERENCE;
      return '';
    }
    if (SHARED_ESCAPES.includes(char) || char === 'b' || char === 'B') return `\\${char}`;
    if (char === 'x') return this.#hexadecimal(/^[0-9A-Fa-f]{2}/, 'x');
    if (char === 'u') return this.#codePoint();
    if (char === 'c') return this.#control();
    if ((char === 'p' || char === 'P') && this.#isUnicode) return `\\${char}`;
    return /[A-Za-z]/.test(char) || char.charCodeAt(0) > 0x7e ? char : `\\${char}`;
  }

  #codePoint(): string {
    if (!this.#isUnicode) return this.#hexadecimal(/^[0-9A-Fa-f]{4}/, 'u');
    const [braced, digits] = /^\{([0-9A-Fa-f]+)\}/.exec(this.#body.slice(this.#at)) ?? [];
    if (braced === undefined) return this.#hexadecimal(/^[0-9A-Fa-f]{4}/, 'u');
    this.#at += braced.length;
    return `\\x{${digits}}`;
  }

  /** Without digits the letter stands for itself. */
  #hexadecimal(digits: RegExp, letter: string): string {
    const [found] = digits.exec(this.#ahead(4)) ?? [];
    if (found === undefined) return letter;
    this.#at += found.length;
    return `\\x{${found}}`;
  }

  #control(): string {
    const letter = this.#ahead(1);
    if (!/[A-Za-z]/.test(letter)) return '\\\\c';
    this.#at++;
    return `\\x{${(letter.charCodeAt(0) % 32).toString(16)}}`;
  }

  #ahead(chars: number): string {
    return this.#body.slice(this.#at, this.#at + chars);
  }

  #take(text: string): boolean {
    if (!this.#body.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }
}
