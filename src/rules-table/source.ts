/**
 * The source of a pair decides which URLs the pair applies to: compiled once, then matched against each URL.
 *
 * Defines what each key selects, how each operator compares, and what "$1" and so on stand for. Filters are in filters.ts.
 */
import { delimitedPattern } from '../model/pairs/source-pattern.ts';
import { comparisonWork } from '../model/mocks/definition/operators.ts';
import { take, type WorkBudget } from '../languages/work-budget.ts';
import { Pattern } from './pattern.ts';
import { find } from './text-search.ts';
import { matchWildcard, parseWildcard, type Wildcard } from './wildcard.ts';
import { asOnTheWire, encodeForbidden, wireHost, type SourceVerdict, type WireUrl } from './wire-url.ts';

const KEYS = ['url', 'host', 'path'] as const;
type SourceKey = (typeof KEYS)[number];
const OPERATORS = ['Equals', 'Contains', 'Matches', 'Wildcard_Matches'] as const;
type SourceOperator = (typeof OPERATORS)[number];

export interface Source {
  readonly key: SourceKey;
  readonly operator: SourceOperator;
  /** Value as written by the client. */
  readonly value: string;
  /** Value as compared: as the wire has it, and a bare origin with its root path. */
  readonly compared: string;
  /** Whether it has percent-encoded bytes, which have two spellings: it is compared in the upper case. */
  readonly hasEscapes: boolean;
  readonly pattern: Pattern | undefined;
  readonly wildcard: Wildcard | undefined;
  /** Equal for sources that match the same URLs. */
  readonly identity: string;
}

/** Texts that a source captured from the URL. */
export interface Groups {
  /** Texts that "$1", "$2" and so on stand for; undefined for a group that did not participate. */
  readonly texts: readonly (string | undefined)[];
  /** Numbers of the groups that have a name, from 1. */
  readonly names?: ReadonlyMap<string, number> | undefined;
}

const BARE_ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/i;

/**
 * @param isText Whether it matches texts, as they are, that are presented as the path of a URL.
 * @returns undefined for a source that matches every URL: one that is absent, or has no value.
 */
export function compileSource(given: unknown, isText = false): Source | undefined {
  const { key, operator, value } = (given ?? {}) as Record<string, unknown>;
  if (typeof value !== 'string' || value === '') return undefined;
  return sourceOf(keyOf(key), operatorOf(operator), value, isText);
}

export function keyOf(given: unknown): SourceKey {
  const name = typeof given === 'string' ? given.toLowerCase() : '';
  return KEYS.find((each) => each === name) ?? 'url';
}

export function operatorOf(given: unknown): SourceOperator {
  return OPERATORS.find((each) => each === given) ?? 'Equals';
}

function sourceOf(key: SourceKey, operator: SourceOperator, value: string, isText: boolean): Source {
  const isAsWritten = isText || operator === 'Matches';
  const compared = isAsWritten ? value : upperEscapes(comparedValue(key, operator, value));
  return {
    key,
    operator,
    value,
    compared,
    hasEscapes: !isAsWritten && ESCAPE.test(compared),
    pattern: operator === 'Matches' ? compileMatches(value, key === 'host') : undefined,
    wildcard: operator === 'Wildcard_Matches' ? parseWildcard(compared) : undefined,
    identity: `${key} ${operator} ${value}`,
  };
}

function comparedValue(key: SourceKey, operator: SourceOperator, value: string): string {
  if (key === 'host') return wireHost(value, '');
  if (key === 'path') return encodeForbidden(value);
  const compared = asOnTheWire(value);
  // A URL on the wire always has a path, so a bare origin would never be equal to one.
  return operator === 'Equals' && BARE_ORIGIN.test(compared) ? `${compared}/` : compared;
}

const ESCAPE = /%[0-9a-f]{2}/i;

function upperEscapes(text: string): string {
  return text.includes('%') ? text.replaceAll(/%[0-9a-f]{2}/gi, (escape) => escape.toUpperCase()) : text;
}

/** Compiles `/.../flags`, or a bare pattern. Hosts are compared without case. */
function compileMatches(value: string, ignoresCase: boolean): Pattern {
  const { body, flags } = delimitedPattern(value) ?? { body: value, flags: '' };
  return new Pattern(body, ignoresCase ? `${flags}i` : flags);
}

/** Work of comparing a short text, in units of RULE_WORK_MAX. */
const COMPARE_WORK = 8;

/** Results of equal sources are cached for URLs longer than this, and for patterns. */
const LONG_CHARS = 256;

/** @returns Whether the source matches; false also when the budget is used up. */
export function matchSource(source: Source, url: WireUrl, budget: WorkBudget): SourceVerdict {
  if (source.pattern === undefined && url.text.length <= LONG_CHARS) return verdictOf(source, url, budget);
  const verdicts = (url.verdicts ??= new Map());
  const known = verdicts.get(source.identity);
  if (known !== undefined) {
    take(budget, comparisonWork(source.identity, source.identity));
    return known;
  }
  const verdict = verdictOf(source, url, budget);
  verdicts.set(source.identity, verdict);
  return verdict;
}

function verdictOf(source: Source, url: WireUrl, budget: WorkBudget): SourceVerdict {
  const subject = comparedSubject(source, url, budget);
  switch (source.operator) {
    case 'Equals':
      return take(budget, COMPARE_WORK) && (subject === source.compared || isDefaultPort(source, url));
    case 'Contains':
      return find(subject, source.compared, 0, budget) !== -1;
    case 'Wildcard_Matches':
      return wildcardGroups(source, subject, budget) !== undefined;
    case 'Matches': {
      const pattern = source.pattern as Pattern;
      return pattern.problem(budget) === undefined ? pattern.test(subject, budget) : 'pattern';
    }
  }
}

function comparedSubject({ key, hasEscapes }: Source, url: WireUrl, budget: WorkBudget): string {
  const subject = subjectOf(key, url);
  return hasEscapes && take(budget, subject.length >> 2) ? upperEscapes(subject) : subject;
}

/** Whether a source names the host with the port that its scheme leaves out. */
function isDefaultPort({ key, compared }: Source, { scheme, host }: WireUrl): boolean {
  const port = scheme === 'https' ? ':443' : ':80';
  return key === 'host' && compared.endsWith(port) && compared.slice(0, -port.length) === host;
}

/** The texts that a matching source captured from the URL. */
export function groupsOf(source: Source | undefined, url: WireUrl, budget: WorkBudget): Groups {
  if (source === undefined) return { texts: [] };
  const subject = comparedSubject(source, url, budget);
  if (source.wildcard !== undefined) return { texts: wildcardGroups(source, subject, budget) ?? [] };
  const places = source.pattern?.findGroups(subject, 0, budget) ?? [];
  return patternGroups(subject, places, source.pattern);
}

/** @param places Start and end of the whole match, then of each group. */
export function patternGroups(text: string, places: readonly number[], pattern: Pattern | undefined): Groups {
  const texts: (string | undefined)[] = [];
  for (let at = 2; at < places.length; at += 2) {
    const start = places[at] as number;
    texts.push(start < 0 ? undefined : text.slice(start, places[at + 1]));
  }
  return { texts, names: pattern?.names };
}

/** Also matches a root URL without its trailing slash, which people leave out. */
function wildcardGroups(source: Source, subject: string, budget: WorkBudget): readonly string[] | undefined {
  if (!take(budget, COMPARE_WORK)) return undefined;
  const pieces = source.wildcard as Wildcard;
  const taken = matchWildcard(pieces, subject, budget);
  if (taken !== undefined || source.key !== 'url' || !subject.endsWith('/')) return taken;
  const withoutSlash = subject.slice(0, -1);
  return BARE_ORIGIN.test(withoutSlash) ? matchWildcard(pieces, withoutSlash, budget) : undefined;
}

/** The part of the URL that a key selects. */
export function subjectOf(key: SourceKey, url: WireUrl): string {
  switch (key) {
    case 'url':
      return url.text;
    case 'host':
      return url.host;
    case 'path':
      return url.path;
  }
}

/** Expectation of a source, in words. */
export function expectationOf({
  operator,
  value,
}: {
  readonly operator: SourceOperator;
  readonly value: string;
}): string {
  switch (operator) {
    case 'Equals':
      return value;
    case 'Contains':
      return `contains ${value}`;
    case 'Wildcard_Matches':
      return `matches the wildcard ${value}`;
    case 'Matches':
      return `matches ${value}`;
  }
}
