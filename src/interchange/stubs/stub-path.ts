/** Paths and patterns of stubs as those of routes: plain where they can be, so that the table of routes finds them. */
import { decodeOnce } from '../../base/percent.ts';
import { isRoutePath, literalSegment } from '../exchanges/literal-path.ts';

export interface StubPath {
  readonly path: string;
  readonly pathKind?: 'regex';
}

export const EVERY_PATH: StubPath = { path: '/*' };

/** @param path As it is requested, encoded. */
export function pathOfText(path: string): StubPath {
  const segments = path.slice(1).split('/').map(literalSegment);
  const own = `/${segments.join('/')}`;
  const isPlain = path.startsWith('/') && !segments.includes(undefined) && !/.\/$|\/\//.test(path) && isRoutePath(own);
  return isPlain ? { path: own } : { path: escapePattern(decodeOnce(path)), pathKind: 'regex' };
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.|?*+()[\]{}]/g, '\\$&');
}

/**
 * @param pattern Of the whole path, with or without ^ and $. Whether it is one that is read is for the check of the route.
 * @returns A path of segments where one matches the same paths, but for a slash at their end.
 */
export function pathOfPattern(pattern: string): StubPath {
  const bare = pattern.replace(/^\^/, '').replace(/(?<!\\)((?:\\\\)*)\$$/, '$1');
  const segments: string[] = [];
  let number = 0;
  for (const text of bare.split('/').slice(1)) {
    const literal = literalText(text);
    if (literal !== undefined) segments.push(literalSegment(encodeURI(literal)) ?? '');
    else if (CLASS.test(text)) segments.push(`:p${++number}(${text})`);
    else segments.push('');
  }
  const own = `/${segments.join('/')}`;
  const isPlain = bare.startsWith('/') && !segments.includes('') && isRoutePath(own);
  return isPlain || bare === '/' ? { path: own } : { path: bare, pathKind: 'regex' };
}

/** A class of characters without a slash, repeated: what matches it is one segment. */
const CLASS = /^(?:\\d|\\w|\[[A-Za-z0-9_.-]+\])(?:[+]|\{\d{1,2}(?:,\d{0,2})?\})?$/;

/** Text of a pattern without operators; undefined for one that has some. */
function literalText(pattern: string): string | undefined {
  let text = '';
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] as string;
    if (char === '\\' && /[^A-Za-z0-9]/.test(pattern[at + 1] ?? '')) text += pattern[++at];
    else if (/[\\^$.|?*+()[\]{}]/.test(char)) return undefined;
    else text += char;
  }
  return text;
}
