/** Bodies of requests as rules: a text, JSON as it is, or an object that says how it is compared. */
import { printJson } from '../../../base/written-numbers.ts';
import { isObject } from '../../../base/json-object.ts';
import type { ReadRule } from '../../format.ts';
import { jaywayPlace } from '../../stubs/jayway-place.ts';
import { allOf, jsonRule, wholePattern } from '../../stubs/stub-rules.ts';
import { graphqlRules } from './graphql.ts';
import { namedRules } from './named.ts';

const BODY = { target: 'body', property: '' } as const;

/** @returns Rules that must all hold, or why there are none. */
export function bodyRules(body: unknown): readonly ReadRule[] | string {
  if (typeof body === 'string') return body === '' ? [] : [{ ...BODY, operator: 'equals', value: body }];
  if (Array.isArray(body)) return jsonRules(body, undefined);
  if (!isObject(body)) return 'it is not a body';
  const kind = kindOf(body);
  const rules = kind === undefined ? jsonRules(body, undefined) : comparedRules(kind, body);
  if (typeof rules === 'string') return rules;
  return body.not === true && kind !== undefined ? [{ not: allOf(rules) }] : rules;
}

const KINDS: Readonly<Record<string, string>> = {
  base64Bytes: 'BINARY',
  json: 'JSON',
  jsonSchema: 'JSON_SCHEMA',
  jsonPath: 'JSON_PATH',
  parameters: 'PARAMETERS',
  regex: 'REGEX',
  string: 'STRING',
  xml: 'XML',
  xmlSchema: 'XML_SCHEMA',
  xpath: 'XPATH',
};
const NAMES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(KINDS).map(([name, kind]) => [kind, name])),
  // Without its type such a body is JSON.
  GRAPHQL: 'query',
};

const FURTHER: ReadonlySet<string> = new Set(
  'type not optional contentType charset rawBytes matchType subString namespacePrefixes'
    .concat(' operationName variablesSchema selectionSetMatchType fields schema')
    .split(' '),
);

/** @returns undefined for an object that is JSON to compare with. */
export function kindOf(body: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof body.type === 'string' && Object.hasOwn(NAMES, body.type)) return body.type;
  const name = Object.keys(KINDS).find((each) => Object.hasOwn(body, each));
  return name && KINDS[name];
}

function comparedRules(kind: string, body: Readonly<Record<string, unknown>>): readonly ReadRule[] | string {
  const name = NAMES[kind] as string;
  const unknown = Object.keys(body).find((each) => each !== name && !FURTHER.has(each));
  if (unknown !== undefined) return `${unknown} is not known here`;
  const value = body[name];
  if (value === undefined) return 'it has nothing to compare with';
  switch (kind) {
    case 'STRING':
      if (typeof value !== 'string') return 'it is not a string';
      return [{ ...BODY, operator: body.subString === true ? 'contains' : 'equals', value }];
    case 'REGEX':
      return typeof value === 'string' ? listOf(wholePattern(BODY, value, true)) : 'it is not a pattern';
    case 'JSON':
      return jsonRules(value, body.matchType);
    case 'JSON_SCHEMA':
      return [{ ...BODY, operator: 'jsonSchema', value: typeof value === 'string' ? value : printJson(value) }];
    case 'JSON_PATH':
      return typeof value === 'string' ? pathRules(value) : 'it is not a JSONPath';
    case 'PARAMETERS':
      return namedRules('body', value);
    case 'GRAPHQL':
      return graphqlRules(body);
    default:
      return `bodies of the type ${kind} are not supported`;
  }
}

function pathRules(path: string): readonly ReadRule[] | string {
  const found = jaywayPlace(path);
  return typeof found === 'string' ? found : [{ ...found.place, operator: 'exists' }];
}

/** Unless it is strict, there may be more members and items, and items in any order. */
function jsonRules(value: unknown, matchType: unknown): readonly ReadRule[] | string {
  if (value === undefined) return 'its value is not JSON';
  const isStrict = matchType === 'STRICT';
  return listOf(
    jsonRule(BODY, value, isStrict ? { operator: 'jsonEquals' } : { operator: 'jsonIncludes', ignoreOrder: true }),
  );
}

function listOf(rule: ReadRule | string): readonly ReadRule[] | string {
  return typeof rule === 'string' ? rule : [rule];
}
