/** JSON in lines that can be compared: white space alone is changed, so that no difference is hidden. */

/** A text with lines longer than this is hard to compare. */
const LINE_CHARS_MAX = 120;

/** @returns The text in lines of one member each, or undefined where it is not JSON, or is in lines already. */
export function jsonLines(text: string): string | undefined {
  if (!/^\s*[[{]/.test(text) || !hasLongLine(text)) return undefined;
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  let depth = 0;
  const newLine = (): string => `\n${'  '.repeat(depth)}`;
  return text.replace(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|\s+/g, (token) => {
    if (token === ':') return ': ';
    if (token === ',') return `,${newLine()}`;
    if (token === '{' || token === '[') {
      depth++;
      return token + newLine();
    }
    if (token === '}' || token === ']') {
      depth--;
      return newLine() + token;
    }
    return /^\s/.test(token) ? '' : token.replace(/^([{[])\s+/, '$1');
  });
}

const hasLongLine = (text: string): boolean => text.split('\n').some((line) => line.length > LINE_CHARS_MAX);
