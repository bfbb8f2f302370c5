/** Splits JSON into comparable lines: only white space changes, so that no difference is hidden. */

/** Longer lines are hard to compare. */
const LINE_CHARS_MAX = 120;

/** @returns One member per line, or undefined for invalid JSON and JSON that has lines already. */
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
