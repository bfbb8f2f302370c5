/**
 * Replaces credentials in a text of any kind, byte for byte alike elsewhere: members of JSON, wherever they stand and also within strings of
 * JSON; what else has a name (redact-named.ts); parameters and users of URLs; web tokens. The text is searched, not parsed, so it may be cut, or several documents in a row.
 *
 * All texts here have one character for each byte.
 */
import { isRedacted, namesTypedCredential, WEB_TOKENS } from '../../base/credentials.ts';
import { decodeOnce } from '../../base/percent.ts';
import { oneByteEach } from '../forward/lines.ts';
import { redactNamed, type Writing } from './redact-named.ts';
import type { Secrets } from './secrets.ts';
import {
  TextEdits,
  endOfString,
  isSpace,
  levelOf,
  redactedString,
  skipSpaces,
  slashesBefore,
  SPACES_MAX,
  unescaped,
} from './strings-in-text.ts';

/** Shorter texts have no name with a value, and are not a token. */
export const TOKEN_CHARS_MIN = 6;

/** Matches between two pauses. */
const STRIDE = 256;
const NAME_CHARS_MAX = 200;

/** @param kind `line` is the value of a header, where parameters stand without a URL. Pauses now and then. */
export function* redactText(
  text: string,
  secrets: Secrets,
  kind: Writing | 'line' = 'program',
): Generator<void, string> {
  const writing = kind === 'prose' ? kind : 'program';
  const named = yield* redactNames(text, secrets, writing);
  const users = yield* redactUsers(yield* redactEscaped(named, secrets, writing), secrets);
  const parameters = yield* redactParameters(users, secrets, kind === 'line');
  if (!parameters.includes('eyJ')) return parameters;
  return yield* replaceEach(parameters, WEB_TOKENS, ([token]) => secrets.replace(token));
}

function* redactNames(text: string, secrets: Secrets, writing: Writing): Generator<void, string> {
  return yield* redactNamed(yield* redactMembers(text, secrets), secrets, writing);
}

/** Replaces like `replaceAll`, with pauses. */
function* replaceEach(
  text: string,
  pattern: RegExp,
  replaced: (match: RegExpExecArray) => string,
): Generator<void, string> {
  const edited = new TextEdits(text);
  let count = 0;
  for (const match of text.matchAll(pattern)) {
    if (++count % STRIDE === 0) yield;
    edited.replace(match.index, match.index + match[0].length, replaced(match));
  }
  return edited.text;
}

/** Backslashes, and what stands for a quote behind them. */
const ESCAPED_QUOTE = /(?<!\\)(\\+)u0022/g;

/** JSON in a string of JSON whose quotes are written as numbers. They are written plainly where a credential is replaced. */
function* redactEscaped(text: string, secrets: Secrets, writing: Writing): Generator<void, string> {
  if (!text.includes(String.raw`\u0022`)) return text;
  const plain = text.replaceAll(ESCAPED_QUOTE, (_, { length }: string) => `${'\\'.repeat(plainSlashes(length))}"`);
  const redacted = yield* redactNames(plain, secrets, writing);
  return redacted === plain ? text : redacted;
}

/** Those before a plain quote in the place of one with so many before its number: of an even count, it belongs to a string within. */
const plainSlashes = (count: number): number => (count % 2 === 1 ? count : 2 * plainSlashes(count / 2) + 1);

const USER = /(:\/\/)([^\s/?#@"'<>\\]{1,700})(?=@)/g;

/** Users and passwords of URLs: a user alone may be a token. */
export function* redactUsers(text: string, secrets: Secrets): Generator<void, string> {
  if (!text.includes('@') || !text.includes('://')) return text;
  const replaced = (part: string): string => (part === '' ? '' : secrets.replace(part));
  return yield* replaceEach(text, USER, ([, begin, user = '']) => `${begin}${user.split(':').map(replaced).join(':')}`);
}

interface MemberName {
  readonly name: string;
  /** Count of backslashes before its quotes. */
  readonly slashes: number;
}

const QUOTE = 34;

/** The name that ends before a colon. */
function nameBefore(text: string, colon: number): MemberName | undefined {
  let quote = colon - 1;
  while (colon - quote < SPACES_MAX && isSpace(text.charCodeAt(quote))) quote--;
  if (text.charCodeAt(quote) !== QUOTE) return undefined;
  const slashes = levelOf(slashesBefore(text, quote));
  const end = quote - slashes;
  let begin = text.lastIndexOf('"', end - 1);
  // A quote within the name has more backslashes.
  while (begin > 0 && end - begin <= NAME_CHARS_MAX && slashesBefore(text, begin) > slashes)
    begin = text.lastIndexOf('"', begin - 1);
  if (begin === -1 || end - begin > NAME_CHARS_MAX) return undefined;
  return { name: unescaped(text.slice(begin + 1, end), slashes), slashes };
}

function* redactMembers(text: string, secrets: Secrets): Generator<void, string> {
  const edited = new TextEdits(text);
  let count = 0;
  let colon = text.indexOf(':');
  while (colon !== -1) {
    if (++count % STRIDE === 0) yield;
    let next = colon + 1;
    const found = nameBefore(text, colon);
    if (found !== undefined && secrets.names(found.name)) next = yield* redactValue(text, next, found, secrets, edited);
    colon = text.indexOf(':', next);
  }
  return edited.text;
}

/** @returns Behind what was replaced. */
function* redactValue(
  text: string,
  from: number,
  { name, slashes }: MemberName,
  secrets: Secrets,
  edited: TextEdits,
): Generator<void, number> {
  const at = skipSpaces(text, from);
  const isNamed = secrets.isNamed(name);
  const first = text[at];
  if (first === '[' || (first === '{' && isNamed))
    return yield* redactItems(text, at, slashes, { secrets, edited, isNamed });
  return redactScalar(text, at, slashes, { secrets, edited, takesNumbers: isNamed || namesTypedCredential(name) });
}

interface Replacing {
  readonly secrets: Secrets;
  readonly edited: TextEdits;
}

const NUMBER = /-?\d[\d.eE+-]*/y;

/** Replaces a string or a number. @returns Behind it, or `at` for anything else. */
function redactScalar(
  text: string,
  at: number,
  slashes: number,
  { secrets, edited, takesNumbers }: Replacing & { readonly takesNumbers: boolean },
): number {
  const quote = `${'\\'.repeat(slashes)}"`;
  if (text.startsWith(quote, at)) {
    const begin = at + quote.length;
    const end = endOfString(text, begin, slashes);
    if (end > begin) edited.replace(begin, end, redactedString(text.slice(begin, end), slashes, secrets));
    return end + quote.length;
  }
  NUMBER.lastIndex = at;
  const [digits] = NUMBER.exec(text) ?? [];
  if (digits === undefined || !takesNumbers) return at;
  edited.replace(at, at + digits.length, `${quote}${secrets.replace(digits)}${quote}`);
  return at + digits.length;
}

/**
 * Replaces the items of an array; of what the mock names all that it holds.
 *
 * @returns Behind what was replaced: members of objects in an array have names of their own.
 */
function* redactItems(
  text: string,
  from: number,
  slashes: number,
  { secrets, edited, isNamed }: Replacing & { readonly isNamed: boolean },
): Generator<void, number> {
  const quote = `${'\\'.repeat(slashes)}"`;
  let depth = 0;
  let count = 0;
  let at = from;
  while (at < text.length) {
    if (++count % STRIDE === 0) yield;
    const each = text[at] as string;
    if (each === '[' || each === '{') {
      if (each === '{' && !isNamed) return at;
      depth++;
    } else if (each === ']' || each === '}') {
      if (--depth === 0) return at + 1;
    } else if (text.startsWith(quote, at)) {
      const begin = at + quote.length;
      const end = endOfString(text, begin, slashes);
      const isName = text[skipSpaces(text, end + quote.length)] === ':';
      if (!isName && end > begin) edited.replace(begin, end, redactedString(text.slice(begin, end), slashes, secrets));
      at = end + quote.length;
      continue;
    } else if (isNamed && /[-\d]/.test(each)) {
      const end = redactScalar(text, at, slashes, { secrets, edited, takesNumbers: true });
      if (end > at) {
        at = end;
        continue;
      }
    }
    at++;
  }
  return at;
}

const EQUALS = /=|%3D/gi;
const NAME_CHAR = /[\w.\-[\]$]/;
/** The last two: a form without its media type, and files of settings. */
const BEGINS = new Set(['?', '&', ';', '#', '', '\n']);
const BEGINS_LINE = new Set([' ', ',', '\t', '"']);
/** Beginnings of a parameter in a URL, and in JSON that avoids `&`. */
const ESCAPED = /^(?:26|3f|23|3b)/i;
const UNICODE = /^u00(?:26|3f|23)/i;
/** Value that the end of the text around it ends, unless it goes on. */
const VALUE = /(?:(?!%26|%23|%3B)[^\s&;"'<>\\#`)\]}]|['`)\]}](?=[\w%~-]))+/iy;
const VALUE_OF_LINE = /(?:(?!%26|%23|%3B)[^\s&;"'<>\\#`,]|['`](?=[\w%~-]))+/iy;

function* redactParameters(text: string, secrets: Secrets, isLine: boolean): Generator<void, string> {
  const edited = new TextEdits(text);
  const value = isLine ? VALUE_OF_LINE : VALUE;
  let count = 0;
  let done = 0;
  for (const { index, 0: equals } of text.matchAll(EQUALS)) {
    if (++count % STRIDE === 0) yield;
    if (index < done) continue;
    const name = decodeOnce(parameterBefore(text, index, isLine));
    if (name === '') continue;
    const at = index + equals.length;
    value.lastIndex = isLine && text[at] === '"' ? at + 1 : at;
    const found = value.exec(text);
    if (found === null || isRedacted(found[0])) continue;
    const credential = oneByteEach(decodeOnce(found[0]));
    if (!secrets.namesParameter(name, credential)) continue;
    done = found.index + found[0].length;
    edited.replace(found.index, done, secrets.replace(credential));
  }
  return edited.text;
}

/** The name of the parameter whose value begins at `end`; "" where there is none. */
function parameterBefore(text: string, end: number, isLine: boolean): string {
  let begin = end;
  while (begin > 0 && end - begin < NAME_CHARS_MAX && NAME_CHAR.test(text[begin - 1] as string)) begin--;
  const name = text.slice(begin, end);
  const before = text[begin - 1] ?? '';
  if (BEGINS.has(before) || (isLine && BEGINS_LINE.has(before))) return name;
  if (before === '%' && ESCAPED.test(name)) return name.slice(2);
  return before === '\\' && UNICODE.test(name) ? name.slice(5) : '';
}
