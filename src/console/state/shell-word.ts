/**
 * Text of strangers as one word of a POSIX shell. Pure.
 *
 * What a terminal would act on or hide (control characters, line ends, bidi controls) is written as octal escapes of `printf`, so that
 * what is pasted is what one sees.
 */

/** Needs no quotes; "-" at its beginning is for the command that reads it. */
const BARE = /^[\w@%+=:,./-]+$/;

/** Control characters, line ends, and characters of the format class. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\u2028\u2029]/u;
const EACH_UNSEEN = new RegExp(UNSEEN, 'gu');

export const isPlain = (text: string): boolean => !UNSEEN.test(text);

/** `it`, `'it'\''s'`, or `"$(printf %b '…')"`. A shell drops NUL, and line ends at the end of the second form. */
export function shellWord(text: string): string {
  if (BARE.test(text)) return text;
  const wellFormed = text.toWellFormed();
  if (isPlain(wellFormed)) return quoted(wellFormed);
  // Backslashes first: those of the escapes stay as they are.
  const escapes = wellFormed.replaceAll('\\', '\\\\').replaceAll(EACH_UNSEEN, octal);
  return `"$(printf %b ${quoted(escapes)})"`;
}

/** The same with line feeds and tabs as they are: within quotes they are safe. */
export const linesWord = (text: string): string => (isText(text) ? quoted(text) : shellWord(text));

/** Whether it has nothing beside line feeds and tabs that a terminal would act on or hide. */
export const isText = (text: string): boolean => isPlain(text.replaceAll(/[\n\t]/g, ''));

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const octal = (character: string): string =>
  [...new TextEncoder().encode(character)].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('');

/** A request to the API by curl: with a body a POST. The key is taken from the environment, as the command line does. */
export const apiCommand = (url: string, body?: string): string =>
  [
    `curl${body === undefined ? '' : ' -X POST'} ${shellWord(url)} -H "x-api-key: $SWITCHYARD_API_KEY"`,
    ...(body === undefined ? [] : [`-H 'content-type: application/json' -d ${shellWord(body)}`]),
  ].join(' ');
