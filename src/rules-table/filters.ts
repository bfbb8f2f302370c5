/**
 * The filters of a source: conditions on the request beyond its URL. All keys must hold, of a key's values any; several
 * filter objects must all hold. Empty lists and values are ignored; a filter of an unknown name never holds.
 */
import { textOf } from '../model/mocks/definition/operators.ts';
import { take, type WorkBudget } from '../languages/work-budget.ts';
import { excerpt } from '../base/excerpt.ts';
import type { Miss, SkipReason } from './outcome.ts';
import { patternMiss } from './pattern.ts';
import { isToken } from './header-list.ts';
import { RESOURCE_TYPE_NAMES, type RequestFacts } from './request-facts.ts';
import { compileSource, expectationOf, matchSource, operatorOf, subjectOf, type Source } from './source.ts';
import { parseUrl, wireHost, type WireUrl } from './wire-url.ts';

/** One condition. @returns undefined when it holds. The result is arbitrary once the budget is used up. */
export type Filter = (facts: RequestFacts, budget: WorkBudget) => Miss | undefined;

interface CompiledFilters {
  readonly filters: readonly Filter[];
  /** The sources that filters use to match texts. */
  readonly sources: readonly Source[];
  /** Whether a filter reads what the request carries. */
  readonly readsPayload: boolean;
  /** Whether a filter names the method of preflights. */
  readonly namesOptions: boolean;
  /** Why filters, or some of their values, can never hold. */
  readonly problems: readonly string[];
  /** Whether the pair can never apply because of them. */
  readonly isNever: boolean;
}

/** @param given Absent, null, one object or a list of them. */
export function compileFilters(given: unknown): CompiledFilters {
  const filters: Filter[] = [];
  const sources: Source[] = [];
  let readsPayload = false;
  let namesOptions = false;
  let isNever = false;
  const problems: string[] = [];
  for (const each of [given].flat()) {
    if (typeof each !== 'object' || each === null) continue;
    for (const [name, value] of Object.entries(each)) {
      const known = FILTER_NAMES.find((filter) => filter.toLowerCase() === name.toLowerCase());
      if (known === undefined && hasNothing(value)) continue;
      const compiled = known === undefined ? unknownFilter(name) : COMPILERS[known](value, sources);
      if (known === undefined) problems.push(`no filter is named ${excerpt(name)}: use ${FILTER_NAMES.join(', ')}`);
      else problems.push(...misspeltValues(known, value));
      if (compiled === undefined) continue;
      filters.push(compiled);
      readsPayload ||= known === 'requestPayload';
      namesOptions ||= known === 'requestMethod' && methodsOf(value).includes('OPTIONS');
      isNever ||= known === undefined || isAllMisspelt(known, value);
    }
  }
  return { filters, sources, readsPayload, namesOptions, problems, isNever };
}

const FILTER_NAMES = ['requestMethod', 'resourceType', 'pageDomains', 'pageUrl', 'requestPayload'] as const;
type FilterName = (typeof FILTER_NAMES)[number];

const COMPILERS: Readonly<Record<FilterName, (value: unknown, sources: Source[]) => Filter | undefined>> = {
  requestMethod,
  resourceType,
  pageDomains,
  pageUrl,
  requestPayload,
};

function hasNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(hasNothing);
  return value === undefined || value === null || value === '';
}

/** A rule with a misspelt filter acts on nothing rather than on everything. */
function unknownFilter(name: string): Filter {
  return () => ({ reason: 'filter:unknown', expected: FILTER_NAMES.join(', '), actual: excerpt(name) });
}

function isAllMisspelt(name: FilterName, value: unknown): boolean {
  const wrong = misspeltValues(name, value);
  return wrong.length > 0 && wrong.length === textsOf(value).length;
}

/** Why some values of a filter can never hold. */
function misspeltValues(name: FilterName, value: unknown): string[] {
  if (name === 'requestMethod') {
    const wrong = textsOf(value).filter((each) => !isToken(each));
    return wrong.map((each) => `${excerpt(each)} is not a method`);
  }
  if (name !== 'resourceType') return [];
  const wrong = textsOf(value).filter((each) => !RESOURCE_TYPE_NAMES.has(each.toLowerCase()));
  return wrong.map(
    (each) => `no request has the resource type ${excerpt(each)}: use ${[...RESOURCE_TYPE_NAMES].join(', ')}`,
  );
}

/** The result of the first filter that does not hold. */
export function firstMiss(filters: readonly Filter[], facts: RequestFacts, budget: WorkBudget): Miss | undefined {
  for (const filter of filters) {
    const miss = filter(facts, budget);
    if (miss !== undefined) return miss;
  }
  return undefined;
}

function requestMethod(value: unknown): Filter | undefined {
  const methods = methodsOf(value);
  if (methods.length === 0) return undefined;
  return oneOf('filter:requestMethod', methods, (facts) => facts.method);
}

function methodsOf(value: unknown): string[] {
  return textsOf(value).map((each) => each.toUpperCase());
}

function resourceType(value: unknown): Filter | undefined {
  const types = textsOf(value).map((each) => each.toLowerCase());
  if (types.length === 0) return undefined;
  return oneOf('filter:resourceType', types, (facts) => facts.resourceType);
}

function oneOf(
  reason: SkipReason,
  wanted: readonly string[],
  ask: (facts: RequestFacts) => string | undefined,
): Filter {
  return (facts, budget) => {
    const actual = ask(facts);
    take(budget, wanted.length);
    return actual !== undefined && wanted.includes(actual) ? undefined : missOf(reason, wanted, actual);
  };
}

/**
 * Matches the page's host and its subdomains: "example.com" matches "www.example.com"; "ample.com" does not, and "*.example.com"
 * subdomains alone. With a port, or as an origin, that of the page.
 */
function pageDomains(value: unknown): Filter | undefined {
  const domains = textsOf(value).map(pageDomainOf);
  if (domains.length === 0) return undefined;
  return (facts, budget) => {
    const { page } = facts;
    take(budget, domains.length);
    const isPage =
      page !== undefined &&
      domains.some(({ scheme, host, isParent }) => {
        if (scheme !== undefined && scheme !== page.scheme) return false;
        const named = /:\d+$/.test(host) ? page.host : page.host.replace(/:\d+$/, '');
        return (named === host && !isParent) || named.endsWith(`.${host}`);
      });
    const wanted = domains.map(({ isParent, host }) => (isParent ? `*.${host}` : host));
    return isPage ? undefined : missOf('filter:pageDomains', wanted, page?.host);
  };
}

function pageDomainOf(text: string): {
  readonly scheme: string | undefined;
  readonly host: string;
  readonly isParent: boolean;
} {
  const [, scheme, rest = text] = /^(https?):\/\/([^/?#]*)/i.exec(text.trim()) ?? [];
  const isParent = rest.startsWith('*.');
  return {
    scheme: scheme?.toLowerCase(),
    host: wireHost(isParent ? rest.slice(2) : rest, scheme?.toLowerCase() ?? ''),
    isParent,
  };
}

/** Matches the referring page; holds when the request names none. A plain string means "contains". */
function pageUrl(value: unknown, sources: Source[]): Filter | undefined {
  const given = typeof value === 'string' ? { key: 'url', operator: 'Contains', value } : value;
  if (typeof given !== 'object') return undefined;
  const source = compileSource(given);
  if (source === undefined) return undefined;
  sources.push(source);
  return (facts, budget) => {
    const page = facts.referer;
    if (page === undefined) return undefined;
    const verdict = matchSource(source, page, budget);
    if (verdict === true) return undefined;
    if (verdict === 'pattern') return patternMiss(source.pattern, source.value, budget);
    return { reason: 'filter:pageUrl', expected: expectationOf(source), actual: subjectOf(source.key, page) };
  };
}

/** Work of matching one text, in units of RULE_WORK_MAX. */
const TEXT_WORK = 25;

/** Matches a part of the payload as text; without a key the whole payload. */
function requestPayload(value: unknown, sources: Source[]): Filter | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { key, operator, value: wanted } = value as Record<string, unknown>;
  const path = typeof key === 'string' ? key : '';
  const text = wanted === undefined || wanted === null ? '' : plainText(wanted);
  if (path === '' && text === '') return undefined;
  const test = compileTextTest(operator, text, sources);
  const expected = `${path === '' ? 'the payload' : path} ${expectationOf({ operator: operatorOf(operator), value: text })}`;
  return (facts, budget) => {
    const { payload } = facts;
    if (payload === 'encoded') {
      return { reason: 'bodyEncoded', expected, actual: facts.header('content-encoding') };
    }
    const found = payload === undefined ? [] : payloadTexts(payload, path, budget);
    if (!take(budget, found.length * TEXT_WORK)) return undefined;
    if (typeof test !== 'function') {
      const problem = test.pattern?.problem(budget);
      if (problem !== undefined) return patternMiss(test.pattern, test.value, budget);
    }
    if (found.some((each) => (typeof test === 'function' ? test(each) : matchText(test, each, budget))))
      return undefined;
    return {
      reason: 'filter:requestPayload',
      expected,
      actual: found.length === 0 ? undefined : excerpt(found.join()),
    };
  };
}

/** Matches any text with a source, by presenting it as the path of a URL. */
function matchText(source: Source, text: string, budget: WorkBudget): boolean {
  return matchSource(source, textAsPath(text), budget) === true;
}

const SOME_URL = parseUrl('http://localhost/') as WireUrl;

function textAsPath(path: string): WireUrl {
  return { ...SOME_URL, path, verdicts: undefined };
}

function compileTextTest(operator: unknown, text: string, sources: Source[]): Source | ((found: string) => boolean) {
  const source = compileSource({ key: 'path', operator: operatorOf(operator), value: text }, true);
  // There is no source only for an empty text.
  if (source === undefined) return (found) => operatorOf(operator) !== 'Equals' || found === '';
  sources.push(source);
  return source;
}

function payloadTexts(
  payload: Exclude<RequestFacts['payload'], 'encoded' | undefined>,
  path: string,
  budget: WorkBudget,
): readonly string[] {
  if ('fields' in payload) {
    const { fields, text } = payload;
    if (path !== '') return fields.get(path) ?? [];
    const members = [...fields].flatMap(([name, values]) => values.map((each) => `${name}=${each}`));
    return text === undefined ? members : [text, ...members];
  }
  const value = valueAt(payload.value, path);
  return value === undefined ? [] : [textOf(value, budget)];
}

/** Own properties only: a path comes from a client. */
function valueAt(root: unknown, path: string): unknown {
  if (path === '') return root;
  let value = root;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    if (Array.isArray(value) && step === 'length') return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

/** Accepts one text or a list of texts. */
function textsOf(value: unknown): string[] {
  return [value].flat().filter((each): each is string => typeof each === 'string' && each !== '');
}

function plainText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function missOf(reason: SkipReason, wanted: readonly string[], actual: string | undefined): Miss {
  return { reason, expected: excerpt(wanted.join(', ')), actual };
}
