/** GraphQL documents that are made to take long: each shape with as many characters as are asked for, carried in each way, read by rules and a template. */
import { conditionProblem } from '../../../src/model/mocks/definition/edit-checks.ts';
import { define, response, route } from '../../support/mocks.ts';
import { chosenOf, radixesOf, type CaseFamily, type StallCase } from './case-family.ts';
import type { MatchCondition } from '../../../src/model/mocks/definition/condition-schema.ts';

/** `start`, then units as long as there is room, then `end`. */
const filled =
  (start: string, unit: (index: number) => string, end: string) =>
  (chars: number): string => {
    const units: string[] = [];
    for (let index = 0, left = chars - start.length - end.length; left > 0; index++) {
      const next = unit(index);
      left -= next.length;
      if (left >= 0) units.push(next);
    }
    return `${start}${units.join('')}${end}`;
  };

const DOCUMENTS: Readonly<Record<string, (chars: number) => string>> = {
  fields: filled('{', () => 'a ', '}'),
  'fields that differ': filled('{', (index) => `k${index} `, '}'),
  aliases: filled('{', (index) => `b${index}:a `, '}'),
  arguments: filled('{a(', (index) => `k${index}:1 `, ')}'),
  'a list': filled('{a(b:[', () => '1 ', '])}'),
  'lists in lists': filled('{a(b:[', () => `${'['.repeat(190)}${']'.repeat(190)}`, '])}'),
  objects: filled('{a(b:{', (index) => `k${index}:{}`, '})}'),
  'a text': filled('{a(b:"', () => 'a', '")}'),
  escapes: filled('{a(b:"', () => String.raw`\u00e9`, '")}'),
  'lines of a text': filled('{a(b:"""', () => '\n a', '""")}'),
  'texts of lines': filled('{a(b:[', () => '"""\n a\n"""', '])}'),
  comments: filled('{a', () => '#\n', '}'),
  commas: filled('{a', () => ',', '}'),
  numbers: filled('{a(b:[', () => '1.5e300 ', '])}'),
  'long numbers': filled('{a(b:', () => '7', ')}'),
  deep: filled('{', () => `a${'{a'.repeat(190)}${'}'.repeat(190)} `, '}'),
  fragments: filled('{...f0}', (index) => `fragment f${index} on A{...f${index + 1} ...f${index + 2}}`, ''),
  'fragments of many': filled('{...f}fragment f on A{', () => '...f ', '}'),
  'inline fragments': filled('{', () => '...{a}', '}'),
  directives: filled('{a', () => '@a ', '}'),
  variables: filled('query A(', (index) => `$k${index}:A=[1]`, '){a}'),
  operations: filled('query A{a}', (index) => `query B${index}{a}`, ''),
  'no document': filled('{a(b:"', () => 'a', ''),
  brackets: filled('', () => '{', ''),
};

/** How a document comes. */
const CARRIED: Readonly<Record<string, (query: string) => { readonly type: string; readonly body: string }>> = {
  json: (query) => ({
    type: 'application/json',
    body: JSON.stringify({ query, operationName: 'A', variables: VARIABLES }),
  }),
  batch: (query) => ({ type: 'application/json', body: JSON.stringify([{ query }, { query }]) }),
  itself: (query) => ({ type: 'application/graphql', body: query }),
  form: (query) => ({
    type: 'multipart/form-data; boundary=b',
    body: `--b\r\nContent-Disposition: form-data; name="operations"\r\n\r\n${JSON.stringify({ query })}\r\n--b--\r\n`,
  }),
};
const VARIABLES = { a: { b: Array.from({ length: 2_000 }, (_, index) => index) } };

const PROPERTIES = ['operation', 'type', 'field', 'query', 'valid', 'hash', 'variables.a.b', 'argument.a.b'];
const OPERATORS = ['equals', 'contains', 'regex', 'exists', 'arrayIncludes', 'jsonEquals'] as const;
const VALUES = ['a', '1', '(a|b)*c', '[1]', `{${'a '.repeat(5_000)}}`];
const TEMPLATES = [
  '',
  ...PROPERTIES.map((property) => `{{#repeat 1000}}{{#if (eq (graphql '${property}') 'a')}}x{{/if}}{{/repeat}}`),
  "{{graphql 'query'}}",
  "{{len (json (graphql 'variables.a'))}}",
];

const CHOICES = {
  document: Object.keys(DOCUMENTS),
  // Longer ones are not parsed, nor those of more tokens: of the shortest, as many are in 39,000 characters.
  chars: [100_000, 39_000, 59_000, 10_000, 1_000_000],
  carried: Object.keys(CARRIED),
  rules: [1, 20, 0],
  property: PROPERTIES,
  operator: OPERATORS,
  value: VALUES,
  template: TEMPLATES,
} as const;

function caseOf(digits: readonly number[]): StallCase {
  const { document, chars, carried, rules, property, operator, value, template } = chosenOf(CHOICES, digits);
  const query = (DOCUMENTS[document] as (chars: number) => string)(chars);
  const { type, body } = (CARRIED[carried] as (typeof CARRIED)[string])(query);
  const rule = (index: number): MatchCondition => ({
    target: 'graphql',
    property,
    operator,
    value: operator === 'equals' ? `${value} ${index}` : value,
    invert: index % 2 === 0,
  });
  const all = Array.from({ length: rules }, (_, index) => rule(index)).filter(
    (each) => conditionProblem(each) === undefined,
  );
  const templated = { templated: template !== '', body: template };
  return {
    words: `${document} of ${chars} characters, by ${carried}; ${all.length} rules ${property} ${operator} ${value.slice(0, 40)}; ${template}`,
    definition: define([
      route(
        'POST /p/:id',
        [response({ id: 'a', rules: all, rulesOperator: 'OR', ...templated }), response({ id: 'else', ...templated })],
        { id: 'route' },
      ),
    ]),
    request: {
      method: 'POST',
      path: '/p/7',
      query: '',
      headers: ['content-type', type],
      body: Buffer.from(body),
    },
    isSmall: false,
  };
}

const NAMES = Object.keys(DOCUMENTS);

export const GRAPHQL_CASES: CaseFamily = {
  radixes: radixesOf(CHOICES),
  // Each document with its fields asked for, as long as is parsed and with as many tokens.
  first: NAMES.flatMap((_, document) =>
    [0, 1].map((chars) => [document, chars, 0, 0, PROPERTIES.indexOf('field'), 0, 0, 0]),
  ),
  sureCount: 2 * NAMES.length,
  caseOf,
  kindOf: (digits) => `graphql ${chosenOf(CHOICES, digits).document}`,
};
