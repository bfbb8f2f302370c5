/** Templates of Mockoon: a repetition puts commas itself. */
import { reword, type RewordedText } from '../../templates/reword.ts';
import type { RouteContext } from './context.ts';
import { MockoonWords } from './words.ts';

/** @param text Of a body or a header's value. */
export function readTemplate(text: string, context: Pick<RouteContext, 'buckets' | 'wildcards'>): RewordedText {
  return reword(withCommas(text), new MockoonWords(context));
}

const REPEAT = /\{\{~?#repeat\b[^{}]*\}\}|\{\{~?\/repeat\s*~?\}\}/g;
const COMMA = /(?<!\s)\s*\bcomma\s*=\s*(true|false)\b/;

/** Mockoon ends each repetition with a comma, unless an option turns that off or there is one, and with a line break; the last one without comma. */
function withCommas(text: string): string {
  const open: boolean[] = [];
  const pieces: string[] = [];
  let from = 0;
  for (const { 0: tag, index } of text.matchAll(REPEAT)) {
    const before = text.slice(from, index);
    from = index + tag.length;
    if (tag.includes('#')) {
      const isCommaed = COMMA.exec(tag)?.[1] !== 'false';
      open.push(isCommaed);
      const plain = tag.replace(COMMA, '');
      pieces.push(before, isCommaed ? plain.replace(/(?<!\s)\s*(~?\}\})$/, ` ',\n'$1`) : plain);
    } else pieces.push(open.pop() === true ? before.replace(/(?<!\s)(?:\s*,)?\s*$/, '') : before, tag);
  }
  return [...pieces, text.slice(from)].join('');
}
