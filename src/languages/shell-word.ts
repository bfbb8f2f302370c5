/**
 * Untrusted text as one word of a POSIX shell. Pure.
 *
 * Characters that a terminal would interpret or hide (control characters, line ends, bidi controls) become octal escapes of `printf`:
 * the pasted text is the visible text.
 */

/** Needs no quotes; the command itself interprets a leading "-". */
const BARE = /^[\w@%+=:,./-]+$/;

/** Control characters, line ends, and characters of the format class. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/u;
const EACH_UNSEEN = new RegExp(UNSEEN, 'gu');

export const isPlain = (text: string): boolean => !UNSEEN.test(text);

/** `it`, `'it'\''s'`, or `"$(printf %b '…')"`. A shell drops NUL, and trailing line ends of the last form. */
export function shellWord(text: string): string {
  if (BARE.test(text)) return text;
  const wellFormed = text.toWellFormed();
  if (isPlain(wellFormed)) return quoted(wellFormed);
  // Backslashes first: those of the escapes stay.
  const escapes = wellFormed.replaceAll('\\', '\\\\').replaceAll(EACH_UNSEEN, octal);
  return `"$(printf %b ${quoted(escapes)})"`;
}

/** Quotes like `shellWord`, with literal line feeds and tabs, which are safe within quotes. */
export const linesWord = (text: string): string => (isText(text) ? quoted(text) : shellWord(text));

/** Whether it is free of characters that a terminal would interpret or hide, other than line feeds and tabs. */
export const isText = (text: string): boolean => isPlain(text.replaceAll(/[\n\t]/g, ''));

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const octal = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');
