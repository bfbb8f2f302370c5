/** Reads the requests that a stub takes. A condition that cannot be expressed drops the stub. */
import { printJson } from '../../../base/written-numbers.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { routeMethod } from '../../exchanges/literal-path.ts';
import type { ReadRule } from '../../format.ts';
import { textIn, typed, unreadIn } from '../../reading/members.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';
import { allOf, schemeRule, type RulePlace } from '../../stubs/stub-rules.ts';
import type { StubRequest } from '../../stubs/stub.ts';
import { matcherRules } from './matchers.ts';
import { urlOf } from './url.ts';

/** Members that hold one matcher for each name. */
const NAMED: readonly (readonly [name: string, target: string])[] = [
  ['queryParameters', 'query'],
  ['headers', 'header'],
  ['cookies', 'cookie'],
  ['formParameters', 'body'],
];

/** Members whose conditions no rule says. */
const UNSAID = ['host', 'port'] as const;

/** @returns undefined when it cannot be expressed: the item reports why. */
export function readRequest(request: Member | undefined, item: Item): StubRequest | undefined {
  if (request === undefined) {
    item.note('wiremock.matcher', undefined, 'it has no request');
    return undefined;
  }
  const written = textIn(request, 'method') ?? 'ANY';
  const method = written.toUpperCase() === 'ANY' ? 'ANY' : routeMethod(written);
  if (method === undefined) item.note('wiremock.method', request.at('/method'), written);
  const { path, rules: urlRules } = urlOf(request, item);
  item.name = `${method ?? written} ${path.path}`;
  const rules: ReadRule[] = [...urlRules];
  let isSaid = method !== undefined;
  const add = (source: Member, found: readonly ReadRule[] | string): void => {
    if (typeof found === 'string') {
      item.note('wiremock.matcher', source, found);
      isSaid = false;
    } else rules.push(...found);
  };
  for (const [name, target] of NAMED) {
    for (const each of typed(request, name, 'object')?.members() ?? []) {
      const place = { target, property: each.name };
      // A cookie that is absent is taken by no other matcher than that one.
      if (name === 'cookies' && each.at('/absent')?.value !== true) rules.push({ ...place, operator: 'exists' });
      add(each, matcherRules(each, place));
    }
  }
  for (const each of typed(request, 'pathParameters', 'object')?.members() ?? [])
    add(each, matcherRules(each, { target: 'urlParam', property: each.name }));
  for (const each of typed(request, 'bodyPatterns', 'array')?.items() ?? []) add(each, matcherRules(each, BODY));
  for (const each of typed(request, 'multipartPatterns', 'array')?.items() ?? []) add(each, partRules(each));
  for (const name of ['basicAuthCredentials', 'basicAuth']) {
    const credentials = typed(request, name, 'object');
    if (credentials !== undefined) rules.push(...credentialRules(credentials));
  }
  const clientIp = typed(request, 'clientIp', 'object');
  if (clientIp !== undefined) add(clientIp, matcherRules(clientIp, { target: 'clientIp', property: '' }));
  const custom = request.get('customMatcher');
  if (custom !== undefined) add(custom, customRules(custom, item));
  const scheme = request.get('scheme');
  if (scheme !== undefined) {
    const given = scheme.whole();
    add(
      scheme,
      given === 'http' || given === 'https' ? [schemeRule(given === 'https')] : 'scheme is not http or https',
    );
  }
  for (const name of UNSAID) {
    const member = request.get(name);
    member?.whole();
    if (member !== undefined) add(member, `${name} is not supported`);
  }
  if (isSaid) for (const member of unreadIn(request)) add(member, `${member.name} is not known here`);
  return isSaid && method !== undefined ? { method, path, rules } : undefined;
}

const BODY: RulePlace = { target: 'body', property: '' };

/** One part must match, or all of them, of which there is one. What a part is called makes no difference there. */
function partRules(pattern: Member): readonly ReadRule[] | string {
  const rules: ReadRule[] = [];
  const named = typed(pattern, 'headers', 'object')?.members() ?? [];
  const places = [
    ...named.map((each) => [each, { target: 'header', property: each.name }] as const),
    ...(typed(pattern, 'bodyPatterns', 'array')?.items() ?? []).map((each) => [each, BODY] as const),
  ];
  for (const [matcher, place] of places) {
    const made = matcherRules(matcher, place);
    if (typeof made === 'string') return made;
    rules.push(...made);
  }
  for (const name of ['name', 'fileName']) textIn(pattern, name);
  const type = textIn(pattern, 'matchingType') ?? 'ANY';
  if (type === 'ANY') return [{ anyPart: rules }];
  if (type !== 'ALL') return `the matching type ${type} is not known`;
  const isOther: ReadRule = { anyPart: [{ not: allOf(rules) }] };
  return rules.length === 0 ? [{ anyPart: [] }] : [{ anyPart: [] }, { not: isOther }];
}

function credentialRules(credentials: Member): ReadRule[] {
  return ['username', 'password'].map((property) => ({
    target: 'basicAuth',
    property,
    operator: 'equals',
    value: textIn(credentials, property) ?? '',
  }));
}

/** @returns Rules that must all hold, or why there are none. */
function customRules(matcher: Member, item: Item): readonly ReadRule[] | string {
  const given = matcher.whole();
  const { name, parameters } = isObject(given) ? given : {};
  if (name !== 'graphql-body-matcher' || !isObject(parameters)) return 'customMatcher is not supported';
  const { query, variables, operationName } = expectedOf(parameters);
  if (typeof query !== 'string') return 'it has no query';
  item.count('wiremock.graphql');
  const body = (property: string, value: unknown, operator: string): ReadRule =>
    value === undefined || value === null
      ? { target: 'body', property, operator: 'empty' }
      : { target: 'body', property, operator, value: typeof value === 'string' ? value : printJson(value) };
  return [
    { target: 'graphql', property: 'query', operator: 'equals', value: query },
    body('variables', variables, 'jsonEquals'),
    body('operationName', operationName, 'equals'),
  ];
}

/** Older versions have them in one text of JSON. */
function expectedOf(parameters: JsonObject): JsonObject {
  const { expectedJson } = parameters;
  if (typeof expectedJson !== 'string') return parameters;
  try {
    const expected: unknown = JSON.parse(expectedJson.replaceAll('\n', ''));
    return isObject(expected) ? expected : {};
  } catch {
    return {};
  }
}
