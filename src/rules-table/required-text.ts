/** The longest text that a URL must contain for a source to match it: what source-index.ts finds rules by. */
import { delimitedPattern } from '../model/pairs/source-pattern.ts';
import type { Source } from './source.ts';

/** @returns In lower case, since hosts are, and patterns may ignore it; "" when nothing is known. */
export function requiredText({ key, operator, value, compared, wildcard }: Source): string {
  switch (operator) {
    case 'Equals':
      return (key === 'host' ? compared.replace(/:(?:80|443)$/, '') : compared).toLowerCase();
    case 'Contains':
      return compared.toLowerCase();
    case 'Wildcard_Matches':
      return longest(wildcard ?? []).toLowerCase();
    case 'Matches': {
      const { body, flags } = delimitedPattern(value) ?? { body: value, flags: '' };
      // Its classes may have others in them.
      return flags.includes('v') ? '' : longest(literalsOf(body)).toLowerCase();
    }
  }
}

function longest(texts: readonly string[]): string {
  return texts.reduce((best, each) => (each.length > best.length ? each : best), '');
}

/** Characters that end a run of characters that stand for themselves. */
const BREAKS = '.^$)]}|';
/** Escapes of one letter that stand for a place or a class of characters. */
const CLASS_ESCAPES = 'dDwWsSbBnrtvf';

/** The texts that every match contains: at the top level, outside of groups and classes. */
function literalsOf(body: string): string[] {
  const texts: string[] = [];
  let text = '';
  const end = (): void => {
    texts.push(text);
    text = '';
  };
  for (let at = 0; at < body.length;) {
    const char = body[at] as string;
    if (char === '|') return [];
    if (char === '(' || char === '[') {
      const after = char === '(' ? afterGroup(body, at) : afterClass(body, at);
      end();
      at = after;
    } else if (char === '\\') {
      const escaped = body[at + 1] ?? '';
      if (/[A-Za-z0-9]/.test(escaped)) {
        // The others name characters by their number, or a group.
        if (!CLASS_ESCAPES.includes(escaped)) return [];
        end();
      } else if (isAscii(escaped)) text += escaped;
      else end();
      at += 2;
    } else if (char === '*' || char === '?' || char === '+' || char === '{') {
      // Without it the character before is there at least once.
      if (char !== '+') text = text.slice(0, -1);
      end();
      at = char === '{' ? afterBraces(body, at) : at + 1;
    } else {
      if (BREAKS.includes(char) || !isAscii(char)) end();
      else text += char;
      at++;
    }
  }
  end();
  return texts;
}

/** A pattern that ignores case may match another character by one beyond ASCII. */
function isAscii(char: string): boolean {
  return char.charCodeAt(0) < 128;
}

function afterBraces(body: string, from: number): number {
  const quantifier = /^\{\d*,?\d*\}/.exec(body.slice(from, from + 24));
  return from + (quantifier?.[0].length ?? 1);
}

function afterClass(body: string, from: number): number {
  let at = from + 1;
  while (at < body.length && body[at] !== ']') at += body[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterGroup(body: string, from: number): number {
  let depth = 0;
  for (let at = from; at < body.length;) {
    const char = body[at] as string;
    if (char === '[') at = afterClass(body, at);
    else if (char === '\\') at += 2;
    else {
      if (char === '(') depth++;
      if (char === ')' && --depth === 0) return at + 1;
      at++;
    }
  }
  return body.length;
}
