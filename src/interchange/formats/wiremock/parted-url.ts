/**
 * Patterns of whole URLs whose "?" may be matched in several places: `/a/.+` matches `/a/b`, and `/a/b?c`. Each place where it may be is
 * a pattern of the path with one of the query.
 */
import type { ReadRule } from '../../format.ts';
import { pathOfPattern, type StubPath } from '../../stubs/stub-path.ts';
import { allOf } from '../../stubs/stub-rules.ts';

export interface Url {
  readonly path: StubPath;
  readonly rules: readonly ReadRule[];
}

export const NO_QUERY: ReadRule = { target: 'queryString', operator: 'only', value: '' };
const HAS_QUERY: ReadRule = { ...NO_QUERY, invert: true };

/** One of a character, a class or a group, with how often it is repeated. */
const PIECE =
  /(\((?:\?:)?(?:\.|\[\^[^\]?]*\])[*+]\??\)|\((?!\?[^:])(?:\?:)?(?:\\[^DSW?]|\[[^\]^?][^\]?]*\]|[^()\\[.])*\)|\.|\[\^?[^\]]*\]|\\.|[^()|\\[])([*+?]\??|\{[\d,]*\})?/sy;
/** Pattern of any character, or of all but some. Alone in a group, it may be repeated there. */
const OPEN = /^(?:\((?:\?:)?)?(\.|\[\^[^\]?]*\])(?:[*+]\??\))?$/;
const PLACES_MAX = 4;

/** @returns undefined for a pattern with other parts. */
export function partedUrl(pattern: string): Url | undefined {
  const pieces = piecesOf(pattern.replace(/^\^/, '').replace(/(?<!\\)\$$/, ''));
  const places = pieces?.flatMap(({ text }, index) => (mayBeQuestion(text) ? [index] : [])) ?? [];
  const [first] = places;
  if (pieces === undefined || first === undefined || places.length > PLACES_MAX) return undefined;
  const written = (from: number, to?: number): string =>
    pieces.slice(from, to).reduce((all, { text, times }) => all + text + times, '');
  const alternatives = places.map((place) => {
    const { text, times } = pieces[place] as Piece;
    const many = /^[*+]/.test(times) || /[*+]\??\)$/.test(text) ? `${OPEN.exec(text)?.[1]}*` : '';
    return [matches('path', written(0, place) + many), HAS_QUERY, matches('queryString', many + written(place + 1))];
  });
  // The first has the whole pattern, by which an export finds it again.
  const all = [[matches('path', written(0)), NO_QUERY], ...alternatives].map(allOf);
  return { path: pathOfPattern(`${written(0, first)}.*`), rules: [{ any: all }] };
}

interface Piece {
  readonly text: string;
  readonly times: string;
}

function piecesOf(pattern: string): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  PIECE.lastIndex = 0;
  while (PIECE.lastIndex < pattern.length) {
    const [, text, times = ''] = PIECE.exec(pattern) ?? [];
    if (text === undefined) return undefined;
    const isOpen = mayBeQuestion(text);
    // How often the "?" and its neighbours are matched together is not said by two patterns.
    if (isOpen && (times.startsWith('{') || (times !== '' && text.startsWith('(')))) return undefined;
    // Others that may match it.
    const isWide = /\\[DSW]/.test(text) || /^\[[^^].*\?/.test(text) || (text === String.raw`\?` && times !== '');
    if (isWide) return undefined;
    pieces.push({ text, times });
  }
  return pieces;
}

function mayBeQuestion(text: string): boolean {
  return OPEN.test(text) || text === String.raw`\?`;
}

function matches(target: string, pattern: string): ReadRule {
  return { target, property: '', operator: 'regex', value: `^(?:${pattern})$` };
}
