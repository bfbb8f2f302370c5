/** Rules as the matchers of a request. */
import type { MatchCondition, Condition, ConditionGroup } from '../../../model/mocks/definition/definition.ts';
import { conditionsOf, isConditionGroup, membersOf } from '../../../model/mocks/definition/conditions.ts';
import { withGraphqlAsBody } from '../../graphql-as-body.ts';
import { escapePattern } from '../../stubs/stub-path.ts';
import { withQuery, type Url } from './write-url.ts';

type Matcher = Readonly<Record<string, unknown>>;

const MEMBERS: Readonly<Record<string, string>> = {
  query: 'queryParameters',
  header: 'headers',
  cookie: 'cookies',
  urlParam: 'pathParameters',
};

/** @returns The URL and the other members of the request, or why there are none. */
export function writtenRequest(rules: readonly Condition[], path: Url): object | string {
  let url = path;
  const request: Record<string, unknown> = {};
  const named = new Map<string, Map<string, Matcher[]>>();
  const bodies: Matcher[] = [];
  const all = flat(withGraphqlAsBody(rules));
  for (const [index, rule] of all.entries()) {
    if (isImplied(rule, all[index + 1])) continue;
    const urlPattern = urlPatternIn(rule);
    if (urlPattern !== undefined) {
      url = { urlPattern };
      continue;
    }
    const place = placeOf(rule);
    if (place === undefined) return 'groups of rules on several parts of the request';
    const { target, property } = place;
    if (target === 'urlParam' && url.urlPathTemplate === undefined) return 'parameters of this path';
    if (target === 'queryString' && !isConditionGroup(rule)) {
      const own = withQuery(url, rule);
      if (own === undefined) return 'the whole query';
      url = own;
      continue;
    }
    const matcher = isConditionGroup(rule) ? groupMatcher(rule) : matcherOf(rule);
    if (typeof matcher === 'string') return matcher;
    const member = MEMBERS[target];
    if (member !== undefined) {
      const byName = named.get(member) ?? new Map<string, Matcher[]>();
      named.set(member, byName);
      byName.set(property, [...(byName.get(property) ?? []), matcher]);
    } else if (target === 'body') bodies.push(bodyMatcher(property, matcher));
    else if (target === 'basicAuth' && 'equalTo' in matcher) {
      const { basicAuthCredentials } = request;
      request['basicAuthCredentials'] = {
        ...(basicAuthCredentials as object | undefined),
        [property]: matcher['equalTo'],
      };
    } else return `the target ${target}`;
  }
  for (const [member, byName] of named) {
    request[member] = Object.fromEntries(
      [...byName].map(([name, matchers]) => [name, joinedMatcher(member, matchers)]),
    );
  }
  if (bodies.length > 0) request['bodyPatterns'] = bodies;
  return { ...url, ...request };
}

/** Every other matcher of a cookie asks for its presence already. */
function joinedMatcher(member: string, matchers: readonly Matcher[]): Matcher {
  const own =
    member === 'cookies' && matchers.length > 1 ? matchers.filter((each) => each['matches'] !== ANYTHING) : matchers;
  return own.length === 1 ? (own[0] as Matcher) : { and: own };
}

/** Groups of which all must hold are not groups. */
function flat(rules: readonly Condition[]): readonly Condition[] {
  return rules.flatMap((rule) => ('all' in rule ? flat(rule.all) : [rule]));
}

interface Place {
  readonly target: string;
  readonly property: string;
}

/** What all conditions of a group are about. A filter of the whole body is about the body. @returns undefined for several things. */
export function placeOf(rule: Condition): Place | undefined {
  if (!isConditionGroup(rule)) return rule;
  if (filterIn(rule) !== undefined) return { target: 'body', property: '' };
  if (urlPatternIn(rule) !== undefined) return { target: 'url', property: '' };
  const [first, ...others] = conditionsOf([rule]);
  const isOne = others.every(({ target, property }) => target === first?.target && property === first.property);
  return isOne ? first : undefined;
}

/** A negation of what a JSONPath finds asks for its presence already. */
function isImplied(rule: Condition, next: Condition | undefined): boolean {
  if (next === undefined || isConditionGroup(rule) || isConditionGroup(next)) return false;
  const isPresence = rule.operator === 'exists' && !rule.invert && rule.property.startsWith('$');
  const isNegation = next.invert && next.operator !== 'exists' && next.operator !== 'empty';
  return isPresence && isNegation && next.target === rule.target && next.property === rule.property;
}

/** As `partedUrl` reads it. */
function urlPatternIn(rule: Condition): string | undefined {
  const [first] = 'any' in rule ? rule.any : [];
  const [path, query] = first !== undefined && 'all' in first ? first.all : [];
  const isUrl =
    path !== undefined && query !== undefined && 'target' in path && 'target' in query && path.target === 'path';
  return isUrl && query.operator === 'only' ? /^\^\(\?:(.*)\)\$$/s.exec(path.value)?.[1] : undefined;
}

/** As it was read: conditions on the object itself, or the path of a list. */
function filterIn(rule: Condition): string | undefined {
  const last = 'any' in rule ? rule.any.at(-1) : undefined;
  if (last === undefined || !('all' in last) || last.all.length !== 2) return undefined;
  const [base, path] = last.all.map((each) => ('target' in each && each.operator === 'exists' ? each.property : ''));
  return base?.endsWith('[0]') && path?.startsWith(`${base.slice(0, -'[0]'.length)}[?`) ? path : undefined;
}

function groupMatcher(group: ConditionGroup): Matcher | string {
  const filter = filterIn(group);
  if (filter !== undefined) return { matchesJsonPath: filter };
  const members = membersOf(group).map((rule) => (isConditionGroup(rule) ? groupMatcher(rule) : matcherOf(rule)));
  const problem = members.find((each) => typeof each === 'string');
  if (problem !== undefined) return problem;
  if ('not' in group) return { not: members[0] };
  return 'all' in group ? { and: members } : { or: members };
}

/** @returns Why there is none. */
function matcherOf(rule: MatchCondition): Matcher | string {
  const matcher = plainMatcher(rule);
  if (typeof matcher === 'string' || !rule.invert) return matcher;
  if (rule.operator === 'exists') return { absent: true };
  if (rule.operator === 'empty') return { matches: ANYTHING };
  return rule.operator === 'regex'
    ? { doesNotMatch: matcher['matches'] }
    : 'contains' in matcher
      ? { doesNotContain: matcher['contains'] }
      : { not: matcher };
}

const ANYTHING = '[\\s\\S]*';

function plainMatcher({ operator, value, ignoreCase = false, ignoreOrder = false }: MatchCondition): Matcher | string {
  const pattern = (source: string): Matcher => ({ matches: `${ignoreCase ? '(?i)' : ''}${source}` });
  switch (operator) {
    case 'equals':
      return { equalTo: value, ...(ignoreCase ? { caseInsensitive: true } : {}) };
    case 'contains':
      return ignoreCase ? pattern(`${ANYTHING}${escapePattern(value)}${ANYTHING}`) : { contains: value };
    case 'startsWith':
      return pattern(`${escapePattern(value)}${ANYTHING}`);
    case 'endsWith':
      return pattern(`${ANYTHING}${escapePattern(value)}`);
    case 'regex':
      return pattern(wholePattern(value));
    case 'exists':
      return { matches: ANYTHING };
    case 'empty':
      return { absent: true };
    case 'arrayIncludes':
      return { contains: value };
    case 'jsonEquals':
      return { equalToJson: value, ...(ignoreOrder ? { ignoreArrayOrder: true } : {}) };
    case 'jsonIncludes':
      return { equalToJson: value, ignoreExtraElements: true, ...(ignoreOrder ? { ignoreArrayOrder: true } : {}) };
    case 'jsonSchema':
      return { matchesJsonSchema: value };
    default:
      return `the operator ${operator}`;
  }
}

/** Patterns of WireMock are of the whole value. */
function wholePattern(source: string): string {
  const [, whole] = /^\^\(\?:(.*)\)\$$/s.exec(source) ?? [];
  if (whole !== undefined) return whole;
  return `${ANYTHING}(?:${source})${ANYTHING}`;
}

function bodyMatcher(property: string, matcher: Matcher): Matcher {
  if (property === '') return matcher;
  const expression = property.startsWith('$') ? property : `$.${property.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')}`;
  return matcher['matches'] === ANYTHING
    ? { matchesJsonPath: expression }
    : { matchesJsonPath: { expression, ...matcher } };
}
