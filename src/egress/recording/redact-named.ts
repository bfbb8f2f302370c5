/**
 * Replaces credentials that stand behind or within their names in markup, programs, settings and lines of text: `name: value`, `name = value`,
 * elements and attributes. Searched as redact-text.ts does it. A value without quotes is one in prose alone: in a program it is an expression.
 */
import { namesTypedCredential } from '../../base/credentials.ts';
import type { Secrets } from './secrets.ts';
import { TextEdits, endOfString, levelOf, redactedString, slashesBefore, SPACES_MAX } from './strings-in-text.ts';

/** How a text writes values: `prose` has them without quotes. */
export type Writing = 'program' | 'prose';

/** Matches between two pauses. */
const STRIDE = 256;
const NAME_CHARS_MAX = 200;

/** Not that of a comparison, an arrow or a declaration. */
const SEPARATOR = /[:=](?![:=>])/g;
const NAME_CHAR = /[\w\-$\x80-\xff]/;
const QUOTES = '"\'`';
const BLANKS = /[ \t]*/y;
/** To the closing quote, or the end of the line. */
const STRINGS: Readonly<Record<string, RegExp>> = {
  "'": /[^'\\\n]*(?:\\.[^'\\\n]*)*/y,
  '`': /[^`\\]*(?:\\.[^`\\]*)*/y,
};
/** Characters behind a quote that ends a string, as in `"token="+t`: a label has the form of a name, too. */
const BEHIND_STRING = /[\s,;:.)}\]>&?|\\<]|\+(?![\w+/=-]*[\w/=-]["'`])|$/y;
const WITH_SCHEME = /(?:bearer|basic|token|apikey|negotiate) +[\w+/=.~-]{6,}/iy;
const WORD = /[^\s"'`<>(){}[\],;\\&|][^\s"'`<>(){}[\],;\\&]*/y;
/** Neither a block of YAML nor a mapping. */
const LINE = /(?![|>][+-]?\s|\{)[^\r\n<"'\\]+/y;
/** Before parameters of URLs and forms, which redact-text.ts replaces. */
const URL_BEGINS = new Set(['?', '&', '#']);
const FORM_BEGINS = new Set(['', '\n', ';']);
const LITERAL = /^(?:null|true|false|none|~)$/i;
const NUMBER = /^-?\d[\d.eE+-]*$/;

export function* redactNamed(text: string, secrets: Secrets, writing: Writing): Generator<void, string> {
  const values = yield* redactAssigned(text, secrets, writing);
  return values.includes('<') ? yield* redactTags(values, secrets, writing) : values;
}

/** Alone, `key` names what is looked up more often than a secret. */
const namesSecret = (name: string, secrets: Secrets): boolean =>
  secrets.isNamed(name) || (name.toLowerCase() !== 'key' && secrets.areCommonly(name));

function* redactAssigned(text: string, secrets: Secrets, writing: Writing): Generator<void, string> {
  const edited = new TextEdits(text);
  let count = 0;
  let done = 0;
  for (const { index, 0: separator } of text.matchAll(SEPARATOR)) {
    if (++count % STRIDE === 0) yield;
    if (index < done) continue;
    const found = nameBefore(text, index);
    if (!namesSecret(found.name, secrets)) continue;
    const before = text[found.begin - 1] ?? '';
    if (separator === '=' && URL_BEGINS.has(before)) continue;
    const at = endOf(BLANKS, text, index + 1);
    const isApart = at > index + 1 || (separator === '=' && !FORM_BEGINS.has(before));
    const isProse = writing === 'prose' && !found.isQuoted && isApart;
    const [begin, end] = quotedAt(text, at) ?? [
      at,
      (separator === ':' && endOf(WITH_SCHEME, text, at)) ||
        (isProse ? endOf(beginsLine(text, found.begin) ? LINE : WORD, text, at) : at),
    ];
    done = Math.max(end, index);
    replaceValue(text, [begin, end], found.name, secrets, edited);
  }
  return edited.text;
}

/** @returns Where a match at this place ends; 0 without one. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}

/** The name that ends before a separator, without what it is a member of. */
function nameBefore(text: string, separator: number): { name: string; begin: number; isQuoted: boolean } {
  let end = separator;
  while (separator - end < SPACES_MAX && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  if (text[end - 1] === ']') end--;
  const isQuoted = end > 0 && QUOTES.includes(text[end - 1] as string);
  if (isQuoted) end -= 1 + slashesBefore(text, end - 1);
  let begin = end;
  while (begin > 0 && end - begin < NAME_CHARS_MAX && NAME_CHAR.test(text[begin - 1] as string)) begin--;
  return { name: text.slice(begin, end), begin, isQuoted };
}

/** Finds the text between the quotes that begin at a place; undefined without any. */
function quotedAt(text: string, at: number): readonly [begin: number, end: number] | undefined {
  let quote = at;
  while (text[quote] === '\\') quote++;
  const begin = quote + 1;
  if (endOf(BEHIND_STRING, text, begin) > 0) return undefined;
  if (text[quote] === '"') return [begin, endOfString(text, begin, levelOf(quote - at))];
  const string = STRINGS[text[quote] ?? ''];
  return string && [begin, endOf(string, text, begin)];
}

/** Whether only blanks and the marks of a list stand before a name. */
function beginsLine(text: string, name: number): boolean {
  let at = name - 1;
  while (name - at < SPACES_MAX && (text[at] === ' ' || text[at] === '\t' || text[at] === '-')) at--;
  return at < 0 || text[at] === '\n';
}

/** Numbers are replaced where people type them. */
function replaceValue(
  text: string,
  [from, to]: readonly [from: number, to: number],
  name: string,
  secrets: Secrets,
  edited: TextEdits,
): void {
  const raw = text.slice(from, to);
  const value = raw.trim();
  const isNumber = NUMBER.test(value) && !secrets.isNamed(name) && !namesTypedCredential(name);
  if (value === '' || LITERAL.test(value) || isNumber) return;
  const begin = from + raw.indexOf(value);
  edited.replace(begin, begin + value.length, redactedString(value, undefined, secrets));
}

const TAG = /<([\w.:-]{1,100})(?:[\s/][^<>]*)?>/g;
const ATTRIBUTE = /(?<![\w.:-])([\w.:-]{1,100})\s{0,9}=\s{0,9}\\{0,9}(?:"([^"\\]*)|'([^'\\]*)|([^\s"'\\>]+))/dg;
/** Attributes that name a field or a setting, and those that have its value. */
const NAMING = /^(?:name|id|key|property)$/i;
const VALUES = /^(?:value|content)$/i;
const DATA = '<![CDATA[';
const ELEMENT_END = /<[/\\]/y;

/** The texts of elements, and values of attributes. */
function* redactTags(text: string, secrets: Secrets, writing: Writing): Generator<void, string> {
  const edited = new TextEdits(text);
  let count = 0;
  let done = 0;
  for (const { index, 0: tag, 1: element = '' } of text.matchAll(TAG)) {
    if (++count % STRIDE === 0) yield;
    if (index < done) continue;
    const places: { readonly name: string; readonly at: readonly [number, number] }[] = [];
    let field = '';
    for (const { 1: name = '', 2: double, 3: single, 4: bare, indices } of tag.matchAll(ATTRIBUTE)) {
      if (++count % STRIDE === 0) yield;
      const isField = NAMING.test(name) && namesSecret(double ?? single ?? bare ?? '', secrets);
      if (isField) field = double ?? single ?? bare ?? '';
      else if (VALUES.test(name) || namesSecret(name, secrets))
        places.push({ name, at: (indices?.[2] ?? indices?.[3] ?? indices?.[4]) as [number, number] });
    }
    for (const { name, at } of places) {
      const named = VALUES.test(name) ? field : name;
      if (named !== '') replaceValue(text, [index + at[0], index + at[1]], named, secrets, edited);
    }
    const own = element.slice(element.lastIndexOf(':') + 1);
    const named = namesSecret(own, secrets) ? own : writing === 'prose' ? field : '';
    if (named === '' || tag.endsWith('/>')) continue;
    const after = index + tag.length;
    const isData = text.startsWith(DATA, after);
    const begin = isData ? after + DATA.length : after;
    const end = text.indexOf(isData ? ']]>' : '<', begin);
    // Programs have comparisons and types of this form.
    if (end !== -1 && !isData && endOf(ELEMENT_END, text, end) === 0) continue;
    done = end === -1 ? text.length : end;
    replaceValue(text, [begin, done], named, secrets, edited);
  }
  return edited.text;
}
