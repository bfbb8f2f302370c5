/** The matcher of WireMock's GraphQL extension. */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import type { ReadRule } from '../../format.ts';
import type { Item } from '../../report/report.ts';
import type { Member } from '../../source/member.ts';

/** @returns Rules that must all hold, or why there are none. */
export function customRules(matcher: Member, item: Item): readonly ReadRule[] | string {
  const given = matcher.whole();
  const { name, parameters } = isObject(given) ? given : {};
  if (name !== 'graphql-body-matcher' || !isObject(parameters)) return 'customMatcher is not known';
  const { query, variables, operationName } = expectedOf(parameters);
  if (typeof query !== 'string') return 'it has no query';
  item.count('wiremock.graphql');
  const body = (property: string, value: unknown, operator: string): ReadRule =>
    value === undefined || value === null
      ? { target: 'body', property, operator: 'empty' }
      : { target: 'body', property, operator, value: typeof value === 'string' ? value : JSON.stringify(value) };
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
