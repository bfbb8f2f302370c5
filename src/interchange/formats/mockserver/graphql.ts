/** GraphQL bodies of expectations: the document, or the fields of its operation, with the name of the operation and its variables. */
import { parseGraphql } from '../../../languages/graphql.ts';
import type { ReadRule } from '../../format.ts';
import { wholePattern } from '../../stubs/stub-rules.ts';
import { isPlain } from './texts.ts';

/** @returns Rules that must all hold, or why there are none. */
export function graphqlRules(body: Readonly<Record<string, unknown>>): readonly ReadRule[] | string {
  const { query, operationName, variablesSchema: schema, selectionSetMatchType: how = 'NORMALISED_STRING' } = body;
  if (body['schema'] !== undefined) return 'responses from a GraphQL schema are not supported';
  if (typeof query !== 'string' || query.trim() === '') return 'it has no query';
  const asked = how === 'AST_SUBSET' ? fieldRules(query, body['fields']) : documentRules(query, how);
  if (typeof asked === 'string') return asked;
  const name = nameRule(operationName);
  if (typeof name === 'string') return name;
  return [
    ...asked,
    ...(name === undefined ? [] : [name]),
    ...(schema === undefined
      ? []
      : [{ target: 'body', property: 'variables', operator: 'jsonSchema', value: textOf(schema) }]),
  ];
}

function documentRules(query: string, how: unknown): readonly ReadRule[] | string {
  return how === 'NORMALISED_STRING'
    ? [{ target: 'graphql', property: 'query', operator: 'equals', value: query }]
    : `the comparison ${String(how)} of queries is not supported`;
}

/** At least these fields; without a list those of the query. */
function fieldRules(query: string, given: unknown): readonly ReadRule[] | string {
  const { operation, fields, problem } = parseGraphql(query);
  if (operation === undefined) return `the query: ${problem}`;
  const names: readonly unknown[] =
    Array.isArray(given) && given.length > 0 ? given : fields.map((each) => each.name.value);
  const rule = (property: string, value: string): ReadRule => ({
    target: 'graphql',
    property,
    operator: 'equals',
    value,
  });
  return [
    rule('type', operation.operation),
    ...(operation.name === undefined ? [] : [rule('operation', operation.name.value)]),
    ...[...new Set(names)].map((field) => rule('field', String(field))),
  ];
}

/** A text or a pattern of what the request calls it, not the document. */
function nameRule(given: unknown): ReadRule | undefined | string {
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  const place = { target: 'body', property: 'operationName' };
  return isPlain(given) ? { ...place, operator: 'equals', value: given } : wholePattern(place, given);
}

function textOf(schema: unknown): string {
  return typeof schema === 'string' ? schema : JSON.stringify(schema);
}
