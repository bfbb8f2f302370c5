/** Data as lines for a person: a member on a line, what is below it indented; a list of small objects as a line each. */

const INDENT = '  ';
/** Bound of a list item that stays on one line. */
const LINE_CHARS_MAX = 160;

export function outlineLines(data: object): string[] {
  return Object.entries(data).flatMap(([name, value]) => memberLines(name, value));
}

function memberLines(name: string, value: unknown): string[] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [`${name}: none`];
    return [`${name}:`, ...value.flatMap(itemLines)];
  }
  if (typeof value === 'object' && value !== null)
    return [`${name}:`, ...outlineLines(value).map((line) => INDENT + line)];
  const [first = '', ...more] = textOf(value).split('\n');
  return [`${name}: ${first}`, ...more.map((line) => INDENT + line)];
}

function itemLines(item: unknown): string[] {
  if (typeof item !== 'object' || item === null) return [`- ${textOf(item)}`];
  const line = Object.entries(item)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(', ');
  if (line.length <= LINE_CHARS_MAX && !line.includes('\n')) return [`- ${line}`];
  const [first = '', ...more] = outlineLines(item);
  return [`- ${first}`, ...more.map((each) => INDENT + each)];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
