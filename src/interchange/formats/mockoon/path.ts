/** Paths of Mockoon as those of routes: parameters, wildcards, and optional parts as its path patterns have them. */
import type { ReadRule } from '../../format.ts';
import { isRoutePath, literalSegment, parameterName } from '../../exchanges/literal-path.ts';
import { escapePattern, type StubPath } from '../../stubs/stub-path.ts';

interface EndpointPath extends StubPath {
  /** Whether Mockoon's newest server answers it: older ones had further forms. */
  readonly isAnswered: boolean;
  /** Whether it has letters, whose case Mockoon ignores. */
  readonly hasCase: boolean;
  /** What a fragment or a query in the path asks for. */
  readonly rules: readonly ReadRule[];
}

/** With one slash in front, and none twice. */
export function joinedPath(prefix: string, endpoint: string): string {
  return `/${prefix}/${endpoint.replaceAll(' ', '%20')}`.replaceAll(/\/{2,}/g, '/');
}

/** Behind "?" names have values: without one it says that a part is optional. */
const CONDITION =
  /^([^#?]*)(?:#([A-Za-z_][\w.:-]*(?:=[^#&]*)?(?:&[A-Za-z_][\w.:-]*(?:=[^#&]*)?)*)|\?([A-Za-z_][\w.:-]*=[^#&]*(?:&[A-Za-z_][\w.:-]*=[^#&]*)*))$/;

export function endpointPath(joined: string): EndpointPath {
  const [, path = joined, inFragment, inQuery] = CONDITION.exec(joined) ?? [];
  const condition = inFragment ?? inQuery;
  return {
    ...pathOf(path === '' ? '/' : path),
    isAnswered: !UNANSWERED.test(path),
    hasCase: /[A-Za-z]/.test(path.replaceAll(/[:*][A-Za-z_$][\w$]*|\\./g, '')),
    rules: condition === undefined ? [] : condition.split('&').map(ruleOf),
  };
}

/** A header where it looks like one, else a parameter of the query or of a form. */
function ruleOf(text: string): ReadRule {
  const [property = '', value] = text.split(/=(.*)/s);
  const operator = value === undefined ? 'exists' : 'equals';
  const of = (target: string): ReadRule => ({ target, property, operator, ...(value === undefined ? {} : { value }) });
  return /^x-/i.test(property) ? of('header') : { any: [of('query'), of('body')] };
}

/** Patterns, wildcards behind text, and parameters without text between them; characters that it reserves. */
const UNANSWERED =
  /(?<!\\)(?:[^/\\]\*(?!\w)|:\w+:\w|:\w+[*+?]?\((?!\w+\)\??$)|\([^()]*[[\]\\.*+?|^$][^()]*\)|[[\]!]|\/\?|:\d)/;

export function pathOf(path: string): StubPath {
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

/** What the parts of a path stand for that is not a path of segments. */
const PARTS =
  /\\(.)|([/.~-]?):([A-Za-z_$][A-Za-z0-9_$]*)(\([^()]*\))?([?+*]?)|\(([^()]*)\)\??|(\/)\*|(\*)|([A-Za-z0-9_])([?+])|(.)/gs;

function patternOf(path: string): string {
  return path.replaceAll(
    PARTS,
    (_, escaped, before, name, pattern, mark, group, slash, star, char, times, other): string => {
      if (escaped !== undefined) return escapePattern(escaped as string);
      if (name !== undefined)
        return parameterPattern(before as string, name as string, pattern as string | undefined, mark as string);
      if (group !== undefined)
        return isPatternText(group as string) ? `(?:${group})` : `(?:${escapePattern(group as string)})?`;
      if (slash !== undefined) return '/.+';
      if (star !== undefined) return '.*';
      if (char === undefined) return escapePattern(other as string);
      return times === '+' ? `${char}${char}?` : `${char}?`;
    },
  );
}

/** What is optional is so with the character in front of it. */
function parameterPattern(before: string, name: string, pattern: string | undefined, mark: string): string {
  const inside = pattern === undefined ? (mark === '+' || mark === '*' ? '.+' : '[^/]+') : pattern.slice(1, -1);
  const own = `${escapePattern(before)}(?P<${name.replaceAll('$', '_')}>${inside})`;
  return mark === '?' || mark === '*' ? `(?:${own})?` : own;
}

function isPatternText(text: string): boolean {
  return /[\\.*+?|[\]^$]/.test(text);
}
