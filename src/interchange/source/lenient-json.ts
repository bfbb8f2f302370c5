/**
 * JSON as MockServer reads it: with comments, names and texts in single quotes or without any, commas at the end of lists, and line breaks in
 * texts.
 */

const COMMENT = String.raw`//[^\n]*(?:\n|$)|/\*(?:[^*]|\*(?!/))*(?:\*/|$)`;
/** Tokens longer than a character, up to the end of the text where one is not closed, and a comma before the end of a list; a bare name is one before a colon. */
const TOKEN = new RegExp(
  String.raw`${COMMENT}|"(?:[^"\\]|\\.?)*(?:"|$)|'(?:[^'\\]|\\.?)*(?:'|$)|(?<![\w$-])([A-Za-z_$][\w$-]*)(?![\w$-])(?=\s*:)|,(?=(?:\s|${COMMENT})*[\]}])`,
  'gs',
);

/** @returns The same values as JSON, each on the line where it was, unless a text before it has line breaks. */
export function strictJson(text: string): string {
  return text.replace(TOKEN, (token: string, name: string | undefined) => {
    if (name !== undefined) return JSON.stringify(name);
    if (token === ',') return ' ';
    if (token.startsWith('/')) return token.replaceAll(/[^\n]/g, ' ');
    const inner = token.slice(1, -1);
    const own = token.startsWith("'")
      ? inner.replaceAll(/\\'/g, "'").replaceAll(/(?<!\\)((?:\\\\)*)"/g, '$1\\"')
      : inner;
    return `"${own.replaceAll(CONTROLS, escaped)}"`;
  });
}

/** Their escapes are the same in a pattern. */
const CONTROLS = new RegExp(String.raw`[\u0000-\u001f]`, 'g');

function escaped(control: string): string {
  return JSON.stringify(control).slice(1, -1);
}
