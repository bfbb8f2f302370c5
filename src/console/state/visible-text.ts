/** Untrusted text for display: invisible and reordering characters become escapes. */

/** Control characters except tab and line feed, and format characters: bidi controls, zero-width ones. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu;

/** @returns The text with `\u{202e}` for such a character. */
export function visibleText(text: string): string {
  return text.replace(UNSEEN, (character) =>
    character === '\t' || character === '\n' ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** In one line: tabs and line feeds become escapes too. @param max Characters before truncation. */
export function visibleLine(text: string, max = 200): string {
  const line = visibleText(text.slice(0, max)).replaceAll('\t', '\\t').replaceAll('\n', '\\n');
  return text.length > max ? `${line}…` : line;
}
