/**
 * A text for a pattern: literals, classes, groups, alternatives and repetitions, of which the first that fits is taken. Conditions around a
 * place are not read, and references to groups not supported: whether the text matches is for the caller to test.
 */

/** Characters of a text that is made, and pieces of which it is made: repetitions of nothing have no end. */
const CHARS_MAX = 4_000;
const PIECES_MAX = 20_000;

interface Piece {
  readonly min: number;
  readonly max: number;
  /** Texts of which one is taken, or the alternatives of a group. */
  readonly chars: string;
  readonly group: readonly (readonly Piece[])[] | undefined;
}

/** @returns undefined for a pattern that is not supported. */
export function readPattern(pattern: string): ((extra: number, variant: number) => string | undefined) | undefined {
  const reader = { pattern, at: 0 };
  try {
    const pieces = readAlternatives(reader, 0);
    if (reader.at < pattern.length) return undefined;
    return (extra, variant) => {
      const writer = { text: '', pieces: 0, extra, variant };
      return write(writer, pieces) ? writer.text : undefined;
    };
  } catch (error) {
    if (error instanceof NotSupported) return undefined;
    throw error;
  }
}

class NotSupported extends Error {}

interface Reader {
  readonly pattern: string;
  at: number;
}

/** Groups within one another. */
const GROUPS_MAX = 50;

function readAlternatives(reader: Reader, level: number): (readonly Piece[])[] {
  if (level > GROUPS_MAX) throw new NotSupported();
  const alternatives: (readonly Piece[])[] = [];
  let pieces: Piece[] = [];
  while (reader.at < reader.pattern.length && reader.pattern[reader.at] !== ')') {
    if (reader.pattern[reader.at] === '|') {
      reader.at++;
      alternatives.push(pieces);
      pieces = [];
      continue;
    }
    const piece = readPiece(reader, level);
    if (piece !== undefined) pieces.push({ ...piece, ...readTimes(reader) });
  }
  return [...alternatives, pieces];
}

type Once = Pick<Piece, 'chars' | 'group'>;

/** @returns undefined for what stands for no text. */
function readPiece(reader: Reader, level: number): Once | undefined {
  const { pattern } = reader;
  const char = pattern[reader.at++] as string;
  if (char === '^' || char === '$') return undefined;
  if (char === '(') return readGroup(reader, level);
  if (char === '[') return { chars: readClass(reader), group: undefined };
  if (char === '.') return { chars: LETTERS, group: undefined };
  if (char !== '\\') return { chars: char, group: undefined };
  if (pattern[reader.at] === 'b' || pattern[reader.at] === 'B') {
    reader.at++;
    return undefined;
  }
  return { chars: readEscape(reader), group: undefined };
}

function readGroup(reader: Reader, level: number): Once | undefined {
  const [head = ''] = /^\?(?:[:=!]|<[=!]|P?<\w+>|[a-z]+:)/.exec(reader.pattern.slice(reader.at, reader.at + 60)) ?? [];
  if (head === '' && reader.pattern[reader.at] === '?') throw new NotSupported();
  reader.at += head.length;
  const group = readAlternatives(reader, level + 1);
  if (reader.pattern[reader.at++] !== ')') throw new NotSupported();
  return /[=!]$/.test(head) ? undefined : { chars: '', group };
}

const TIMES = /(?:([*+?])|\{(\d{1,9})(,(\d{0,9}))?\})[?+]?/y;

function readTimes(reader: Reader): Pick<Piece, 'min' | 'max'> {
  TIMES.lastIndex = reader.at;
  const [whole, sign, least, several, most] = TIMES.exec(reader.pattern) ?? [];
  if (whole === undefined) return { min: 1, max: 1 };
  reader.at += whole.length;
  if (sign !== undefined) return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  const min = Number(least);
  return { min, max: several === undefined ? min : most === '' ? Infinity : Number(most) };
}

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const WORD = `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_`;
const SIGNS = '-_ .,:;/+@#!?=%&*()[]{}<>\'"|$^~`\\';
/** A negated class leaves some of them. */
const ALL = `${WORD}${SIGNS}`;
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['d', DIGITS],
  ['D', LETTERS],
  ['w', WORD],
  ['W', SIGNS.replace('_', '')],
  ['s', ' '],
  ['S', WORD],
  ['t', '\t'],
  ['n', '\n'],
  ['r', '\r'],
  ['f', '\f'],
  ['v', '\v'],
]);
const PROPERTIES: ReadonlyMap<string, string> = new Map([
  ['L', LETTERS],
  ['Ll', LETTERS],
  ['Lu', LETTERS.toUpperCase()],
  ['N', DIGITS],
  ['Nd', DIGITS],
]);

/** After the backslash. */
function readEscape(reader: Reader): string {
  const char = reader.pattern[reader.at++];
  if (char === undefined || /[1-9k]/.test(char)) throw new NotSupported();
  const rest = reader.pattern.slice(reader.at, reader.at + 20);
  if (char === 'x' || char === 'u') {
    const [whole, short, long] =
      (char === 'x' ? /^(?:([0-9a-f]{2})|\{([0-9a-f]{1,5})\})/i : /^(?:([0-9a-f]{4}))/i).exec(rest) ?? [];
    if (whole === undefined) throw new NotSupported();
    reader.at += whole.length;
    return String.fromCodePoint(Number.parseInt(short ?? (long as string), 16));
  }
  if (char === 'p') {
    const [whole = '', name = ''] = /^\{(\w{1,10})\}/.exec(rest) ?? [];
    reader.at += whole.length;
    const chars = PROPERTIES.get(name);
    if (chars === undefined) throw new NotSupported();
    return chars;
  }
  const chars = ESCAPED.get(char) ?? (/[A-Za-z]/.test(char) ? undefined : char);
  if (chars === undefined) throw new NotSupported();
  return chars;
}

/** After the bracket. @returns What is in it, letters first where it has any, since they read best. */
function readClass(reader: Reader): string {
  const { pattern } = reader;
  const isNegated = pattern[reader.at] === '^';
  if (isNegated) reader.at++;
  let chars = '';
  while (pattern[reader.at] !== ']') {
    const first = readClassChar(reader);
    const isRange = pattern[reader.at] === '-' && pattern[reader.at + 1] !== ']' && Array.from(first).length === 1;
    if (!isRange) {
      chars += first;
      continue;
    }
    reader.at++;
    chars += range(first, readClassChar(reader));
  }
  reader.at++;
  if (isNegated) {
    const excluded = new Set(chars);
    chars = Array.from(ALL)
      .filter((char) => !excluded.has(char))
      .join('');
  }
  if (chars === '') throw new NotSupported();
  const letters = Array.from(chars).filter((char) => /[a-z]/i.test(char));
  return letters.length === 0
    ? chars
    : letters.join('') +
        Array.from(chars)
          .filter((char) => !/[a-z]/i.test(char))
          .join('');
}

function readClassChar(reader: Reader): string {
  const char = reader.pattern[reader.at++];
  if (char === undefined) throw new NotSupported();
  if (char === '[' && reader.pattern[reader.at] === ':') throw new NotSupported();
  return char === '\\' ? readEscape(reader) : char;
}

/** The first of them: a range may have all characters that there are. */
const RANGE_CHARS_MAX = 100;

function range(first: string, last: string): string {
  const [from, to] = [first.codePointAt(0) as number, last.codePointAt(0) as number];
  if (to < from) throw new NotSupported();
  // What begins with control characters, such as \x00-\x7F, goes on with what can be read.
  const start = from < 32 && to >= 126 ? 97 : from;
  const end = Math.min(to, start + RANGE_CHARS_MAX);
  let chars = '';
  for (let code = start; code <= end; code++) chars += String.fromCodePoint(code);
  return chars;
}

interface Writer {
  text: string;
  pieces: number;
  /** How often a repetition is taken beyond its least, as far as it may. */
  readonly extra: number;
  readonly variant: number;
}

/** @returns Whether the text stayed within its bounds. */
function write(writer: Writer, alternatives: readonly (readonly Piece[])[]): boolean {
  const pieces = alternatives[writer.variant % alternatives.length] as readonly Piece[];
  for (const piece of pieces) {
    const times = Math.min(piece.max, piece.min + writer.extra);
    for (let time = 0; time < times; time++) {
      if (++writer.pieces > PIECES_MAX || writer.text.length > CHARS_MAX) return false;
      if (piece.group !== undefined) {
        if (!write(writer, piece.group)) return false;
      } else writer.text += charOf(piece.chars, writer.text.length + writer.variant);
    }
  }
  return true;
}

function charOf(chars: string, index: number): string {
  const list = chars.length === 1 ? [chars] : Array.from(chars);
  return list[index % list.length] as string;
}
