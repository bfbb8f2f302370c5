/** Paths that Mockoon answered before version 9 alone: parameters with patterns, and patterns. */
import { isRoutePath, literalSegment, parameterName } from '../../exchanges/literal-path.ts';
import { escapePattern, type StubPath } from '../../stubs/stub-path.ts';

export function olderPath(path: string): StubPath {
  const segments = path
    .split('/')
    .filter((text) => text !== '')
    .map(segmentOf);
  const own = `/${segments.join('/')}`;
  // A route's wildcard at the end may be empty, Mockoon's not; a slash there is ignored, and Mockoon asks for it.
  const isPlain =
    !segments.includes(undefined) &&
    segments.at(-1) !== '*' &&
    isRoutePath(own) &&
    (path === '/' || !path.endsWith('/'));
  return isPlain ? { path: own } : { path: patternOf(path), pathKind: 'regex' };
}

const ANY_SEGMENT_GROUP = '([^/]+)';
const NAME = /:([A-Za-z_$][A-Za-z0-9_$]*)/y;

/** @returns undefined for what only a pattern can say. */
function segmentOf(text: string): string | undefined {
  if (text === '*') return text;
  if (/^:[A-Za-z_][A-Za-z0-9_]*\?$/.test(text)) return text;
  if (/[()?+*{}[\]]/.test(text.replaceAll(/\\./g, ''))) return undefined;
  let segment = '';
  let literal = '';
  const addLiteral = (): void => {
    segment += literalSegment(literal) ?? '';
    literal = '';
  };
  for (let at = 0; at < text.length; at++) {
    NAME.lastIndex = at;
    const name = NAME.exec(text)?.[1];
    if (name !== undefined) {
      const isBehindWord = /\w$/.test(literal);
      addLiteral();
      at += name.length;
      // A name ends in front of a hyphen, and the first of several parameters takes all that it can.
      const isLonger = text[at + 1] === '-' || text.slice(at + 1).includes(':');
      segment += `:${parameterName(name)}${isBehindWord || isLonger ? ANY_SEGMENT_GROUP : ''}`;
    } else {
      if (text[at] === '\\') at++;
      literal += text[at] ?? '';
    }
  }
  addLiteral();
  return segment;
}

/** Parts of a path that is not a path of segments. */
const PARTS =
  /\\(.)|([/.~-]?):([A-Za-z_$][A-Za-z0-9_$]*)(\([^()]*\))?([?+*]?)|\(([^()]*)\)\??|(\/)\*|(\*)|([A-Za-z0-9_])([?+])|(.)/gs;

function patternOf(path: string): string {
  return path.replaceAll(PARTS, (_, ...groups: (string | undefined)[]): string => {
    const [escaped, before = '', name, pattern, mark = '', group, slash, star, char, times, other = ''] = groups;
    if (escaped !== undefined) return escapePattern(escaped);
    if (name !== undefined) return parameterPattern(before, name, pattern, mark);
    if (group !== undefined) return isPatternText(group) ? `(?:${group})` : `(?:${escapePattern(group)})?`;
    if (slash !== undefined) return '/.+';
    if (star !== undefined) return '.*';
    if (char === undefined) return escapePattern(other);
    return times === '+' ? `${char}${char}?` : `${char}?`;
  });
}

/** Makes the character in front of an optional parameter optional with it. */
function parameterPattern(before: string, name: string, pattern: string | undefined, mark: string): string {
  const inside = pattern === undefined ? (mark === '+' || mark === '*' ? '.+' : '[^/]+') : pattern.slice(1, -1);
  const own = `${escapePattern(before)}(?P<${name.replaceAll('$', '_')}>${inside})`;
  return mark === '?' || mark === '*' ? `(?:${own})?` : own;
}

function isPatternText(text: string): boolean {
  return /[\\.*+?|[\]^$]/.test(text);
}
