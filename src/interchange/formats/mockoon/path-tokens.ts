/** The path patterns of Mockoon 9, and the forms of earlier versions that it still reads: as tokens, and as paths of routes. */
import { decodeOnce } from '../../../base/percent.ts';
import { isRoutePath, literalSegment, parameterName } from '../../exchanges/literal-path.ts';
import { escapePattern, type StubPath } from '../../stubs/stub-path.ts';

/** A wildcard is one or more segments, a group is optional. */
type PathToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'param' | 'wildcard'; readonly name: string }
  | { readonly kind: 'group'; readonly tokens: readonly PathToken[] };

/** Forms of earlier versions, in the order in which they are read, each as it is written today. */
const OLDER_FORMS: readonly (readonly [RegExp, string])[] = [
  [/(?<!\\)\(([^()]+)\)\??/g, '{$1}'],
  [/([/.~-]):([A-Za-z_$][\w$]*)\?/g, '{$1:$2}'],
  [/:([A-Za-z_$][\w$]*)\+/g, '*$1'],
  [/\/:([A-Za-z_$][\w$]*)\*/g, '{/*$1}'],
  [/(?<!\\)([A-Za-z0-9])\?/g, '{$1}'],
  [/(?<!\\)([A-Za-z0-9])\+/g, '$1{$1}'],
];
const NAMELESS = /(^|\/)\*(?![A-Za-z0-9_"])/g;

/** @returns undefined for a path that no request matches there: it is not valid. */
export function parsePath(path: string): readonly PathToken[] | undefined {
  let count = 0;
  const named = path.replaceAll(NAMELESS, (_, before: string) => `${before}*wildcard${count++}`);
  const reader = new Reader(OLDER_FORMS.reduce((text, [form, today]) => text.replaceAll(form, today), named));
  const tokens = reader.tokens('');
  return tokens === undefined || !arePartedByText(tokens) ? undefined : tokens;
}

const NAME = /[$_\p{ID_Start}][$\u200c\u200d\p{ID_Continue}]*|"((?:[^"\\]|\\.)+)"/uy;
const RESERVED = '}()[]+?!';

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param end What ends them: "}" in a group. */
  tokens(end: '' | '}'): PathToken[] | undefined {
    const tokens: PathToken[] = [];
    let text = '';
    const endText = (): void => {
      if (text !== '') tokens.push({ kind: 'text', text });
      text = '';
    };
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at++] as string;
      if (char === end) {
        endText();
        return tokens;
      }
      if (RESERVED.includes(char)) return undefined;
      if (char === '\\') text += this.#text[this.#at++] ?? '';
      else if (char === ':' || char === '*') {
        const name = this.#name();
        if (name === undefined) return undefined;
        endText();
        tokens.push({ kind: char === ':' ? 'param' : 'wildcard', name });
      } else if (char === '{') {
        endText();
        const group = this.tokens('}');
        if (group === undefined) return undefined;
        tokens.push({ kind: 'group', tokens: group });
      } else text += char;
    }
    endText();
    return end === '' ? tokens : undefined;
  }

  #name(): string | undefined {
    NAME.lastIndex = this.#at;
    const [whole, inQuotes] = NAME.exec(this.#text) ?? [];
    this.#at += whole?.length ?? 0;
    return inQuotes?.replaceAll(/\\(.)/g, '$1') ?? whole;
  }
}

/** More ways to leave out groups are not valid. */
const WAYS_MAX = 256;

/** Whether there is text between parameters, whichever groups are left out. */
function arePartedByText(tokens: readonly PathToken[]): boolean {
  let ways = 0;
  const walk = (rest: readonly PathToken[], isBehindName: boolean): boolean => {
    const [token, ...others] = rest;
    if (token === undefined) return ++ways <= WAYS_MAX;
    if (token.kind === 'group') return walk([...token.tokens, ...others], isBehindName) && walk(others, isBehindName);
    if (token.kind === 'text') return walk(others, false);
    return !isBehindName && walk(others, true);
  };
  return walk(tokens, false);
}

export function namesIn(tokens: readonly PathToken[], kind: 'param' | 'wildcard'): string[] {
  return tokens.flatMap((token) => {
    if (token.kind === 'group') return namesIn(token.tokens, kind);
    return token.kind === kind ? [token.name] : [];
  });
}

export function pathOfTokens(tokens: readonly PathToken[]): StubPath {
  const own = segmentsOf(tokens);
  const isPlain = own !== undefined && isRoutePath(own) && (own === '/' || !own.endsWith('/'));
  if (isPlain) return { path: own };
  const seen = new Set<string>();
  const pattern = patternOf(tokens, seen);
  return { path: pattern.endsWith('/') ? pattern : `${pattern}/?`, pathKind: 'regex' };
}

const ANY_OF_SEGMENT = '([^/]+)';

/** @returns undefined for what only a pattern can say. A slash at the end is asked for there. */
function segmentsOf(tokens: readonly PathToken[]): string | undefined {
  let path = '';
  for (const [index, token] of tokens.entries()) {
    const [before, next] = [tokens[index - 1], tokens[index + 1]];
    if (token.kind === 'text') {
      const parts = token.text.split('/').map(literalSegment);
      if (parts.includes(undefined)) return undefined;
      path += parts.join('/');
    } else if (token.kind === 'param') {
      const isBehindWord = before?.kind === 'text' && /\w$/.test(before.text);
      // A name goes on with a hyphen, and the first of several parameters takes all that it can.
      const isLonger = next?.kind === 'text' && (/^[\w-]/.test(next.text) || sharesSegment(tokens, index));
      path += `:${parameterName(token.name)}${isBehindWord || isLonger ? ANY_OF_SEGMENT : ''}`;
    } else {
      const optional = token.kind === 'group' ? optionalSegments(token.tokens, next === undefined) : undefined;
      if (optional === undefined || !(next === undefined || (next.kind === 'text' && next.text.startsWith('/'))))
        return undefined;
      path += optional;
    }
  }
  return path;
}

/** Whether another parameter follows in the same segment. */
function sharesSegment(tokens: readonly PathToken[], index: number): boolean {
  const next = tokens[index + 1];
  return next?.kind === 'text' && !next.text.includes('/') && tokens[index + 2] !== undefined;
}

/** "{/:a}", at the end "{/:a{/:b}}" too. */
function optionalSegments([slash, param, ...inner]: readonly PathToken[], isLast: boolean): string | undefined {
  if (slash?.kind !== 'text' || slash.text !== '/' || param?.kind !== 'param') return undefined;
  const own = `/:${parameterName(param.name)}?`;
  const [group, ...more] = inner;
  if (group === undefined) return own;
  const further =
    isLast && group.kind === 'group' && more.length === 0 ? optionalSegments(group.tokens, true) : undefined;
  return further && own + further;
}

/** Keeps the optional text behind a parameter where it can be there. */
function segmentPattern(before: PathToken | undefined, next: PathToken | undefined): string {
  const isEnded = next?.kind === 'group' && next.tokens[0]?.kind === 'text';
  const isBehindText = before?.kind === 'text' && before.text.length === 1 && before.text !== '/';
  return `[^/${isBehindText ? escapePattern(before.text) : ''}]+${isEnded ? '?' : ''}`;
}

/** @param seen Names that stand further on: the last of a name has the value. */
function patternOf(tokens: readonly PathToken[], seen: Set<string>): string {
  return tokens
    .map((token, index) => ({ token, before: tokens[index - 1], next: tokens[index + 1] }))
    .toReversed()
    .map(({ token, before, next }) => {
      if (token.kind === 'text') return escapePattern(decodeOnce(token.text));
      if (token.kind === 'group') return `(?:${patternOf(token.tokens, seen)})?`;
      const inside = token.kind === 'wildcard' ? '.+' : segmentPattern(before, next);
      const name = parameterName(token.name).replaceAll('-', '_');
      const isNamed = !seen.has(name);
      seen.add(name);
      return isNamed ? `(?P<${name}>${inside})` : `(?:${inside})`;
    })
    .toReversed()
    .join('');
}
