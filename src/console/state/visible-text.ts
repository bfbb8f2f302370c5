/** Text of strangers as it may be shown: characters that are unseen, or that reorder others, are written as escapes. */

/** Control characters but tab and line feed, and characters of the format class: bidi controls, zero-width ones. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** @returns The text with `\u{202e}` in place of the character. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (character) =>
    character === '\t' || character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** The same in one line: tabs and line feeds are escapes too. @param max Characters after which it is cut. */
export function visibleLine(text: string, max = 200): string {
  const line = visibleText(text.slice(0, max)).replaceAll('\t', '\\t').replaceAll('\n', '\\n');
  return text.length > max ? `${line}…` : line;
}
