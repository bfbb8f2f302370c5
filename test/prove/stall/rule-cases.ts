/** Mocks of many rules, or of a template known to be slow, with a large request: how many rules, of which operator, about what. */
import { templateProblem } from '../../../src/languages/templates/template-checks.ts';
import type { MockResponse, MockRoute } from '../../../src/model/mocks/definition/definition.ts';
import {
  routeInstructions,
  conditionInstructions,
  conditionProblem,
} from '../../../src/model/mocks/definition/edit-checks.ts';
import { DEFAULT_LIMITS, MOCK_INSTRUCTIONS_MAX, MOCK_REQUEST_BYTES_MAX } from '../../../src/limits.ts';
import { define, response, route } from '../../support/mocks.ts';
import { BODIES, bodyOf, CONTENT_TYPES, typeOf } from './bodies.ts';
import { chosenOf, radixesOf, type CaseFamily, type Chosen, type StallCase } from './case-family.ts';
import { filled, QUERIES } from './heads.ts';
import type { MatchCondition } from '../../../src/model/mocks/definition/condition-schema.ts';

const OPERATORS = [
  'contains',
  'equals',
  'startsWith',
  'endsWith',
  'regex',
  'exists',
  'empty',
  'arrayIncludes',
  'gt',
  'jsonSchema',
] as const;

const NEEDLES = [
  'x',
  'aaaaab',
  'b',
  '"}',
  `${'a'.repeat(200)}b`,
  `b${'a'.repeat(10_000)}`,
  `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`,
];
const PATTERNS = ['zz', 'a.*b.*c', '(a|b)*c', 'a[ab]{20}[^ab]', 'a[ab]{400}[^ab]', '(\\w+\\s?)+!', '\\p{L}{3}x'];
const SCHEMAS: readonly object[] = [
  { type: 'string' },
  { items: { type: 'object', minProperties: 1, required: ['a'], properties: { a: { type: 'number' } } } },
  { additionalProperties: { type: 'array' } },
  { anyOf: Array.from({ length: 300 }, (_, index) => ({ propertyNames: { const: `n${index}` } })) },
  { anyOf: Array.from({ length: 300 }, (_, index) => ({ additionalProperties: { const: index } })) },
  { allOf: Array.from({ length: 300 }, () => ({ minProperties: 0 })) },
  { uniqueItems: true },
  { items: { uniqueItems: true, additionalProperties: { uniqueItems: true } } },
  { items: { minLength: 1, maxLength: 20_000_000, format: 'uri' } },
  { items: { allOf: Array.from({ length: 30 }, () => ({ minimum: 0, maximum: 9, multipleOf: 1, type: 'number' })) } },
  { enum: [{ a: 1 }, [{}, {}], { a: { a: [1] } }, Array.from({ length: 1_000 }, () => 0)] },
  { patternProperties: { 'a[ab]{20}c': false, '^k\\d+$': { type: 'number' } } },
  { contains: { $ref: '#' }, items: { $ref: '#' }, additionalProperties: { $ref: '#' } },
];

const DOT_PATHS = ['a', '0', 'a.a', 'list', 'zz', Array(200).fill('0').join('.')];
const JSON_PATHS = [
  '$.a',
  '$..a',
  '$..*',
  '$[*]',
  '$[*].a',
  '$..zz',
  '$..[*,*,*,*]',
  '$[?@.a==1]',
  '$..[?@.a==1 && @.b!=2 || @.c>3]',
  "$..[?search(@.a,'a[ab]{20}c')]",
  '$..[?count(@.*)>1]',
  '$[::2]',
  '$..[0,1,2,-1]',
  'jayway:$..a',
  'jayway:$..[?(@.a)]',
  'jayway:$..[?(@.a == 1 || @.a =~ /a[ab]{20}c/)]',
  'jayway:$[?(@[?(@[?(@.a)])])]',
  'jayway:$..a..a..a[*]',
  'jayway:$.list[?(@ == 12345678901234568)]',
];

export const HELPERS = [
  '{{body}}',
  "{{body 'a'}}",
  "{{body '0'}}",
  "{{body '$..a'}}",
  "{{body '$..zz'}}",
  "{{queryParam 'zz'}}",
  "{{queryParam 'a'}}",
  "{{header 'zz'}}",
  "{{cookie 'zz'}}",
  "{{urlParam 'id'}}",
  '{{uuid}}',
  '{{now}}',
  '{{randomInt 1 9007199254740991}}',
  "{{faker 'internet.jwt'}}",
  "{{faker 'string.nanoid'}}",
  "{{faker 'system.fileName'}}",
  "{{faker 'lorem.paragraphs'}}",
  "{{faker 'commerce.productName'}}",
  "{{faker 'finance.transactionDescription'}}",
  "{{#if (eq (body 'a') (body '0'))}}x{{/if}}",
  "{{#if (gt (body 'a') (body '0'))}}x{{/if}}",
  "{{#if (contains (body) 'aaaaab')}}x{{/if}}",
  '{{#each request.body}}{{@key}}{{/each}}',
  '{{#each (parseJson (body))}}{{#each this}}{{#if x}}{{/if}}{{/each}}{{/each}}',
  "{{#assign 'x'}}{{body 'a'}}{{/assign}}",
  "{{setVar 'x' (array x (body 'a') x)}}{{#if (eq x 'zz')}}x{{/if}}",
  '{{#if (header (body))}}x{{/if}}',
  '{{#if (body (body))}}x{{/if}}',
  '{{#if request.pathSegments}}x{{/if}}',
  "{{#switch (body 'a')}}{{#case (body '0') 'zz'}}x{{/case}}{{/switch}}",
  "{{faker 'lorem.paragraphs' 1000}}",
  '{{pathSegment 0}}',
  "{{contains request.body 'aaaaab'}}",
  "{{eq request.body (body '0')}}",
  '{{len (capitalize request.body)}}',
  "{{len (replaceAll request.body 'a' 'b')}}",
  "{{len (split request.body 'aaaaab')}}",
  "{{len (join (parseJson request.body) '')}}",
  "{{indexOf (parseJson request.body) 'zz'}}",
  "{{regexExtract request.body 'a[ab]{20}[^ab]'}}",
  "{{parseDate '5 March 2020 1:02 pm' (concat 'd MMMM yyyy' ' h:mm a')}}",
  "{{now timezone='Europe/Berlin' format='z z z z z z z z'}}",
  '{{len (json (parseJson request.body) true)}}',
  '{{len (jsonMerge request.body request.body)}}',
  "{{len (jsonRemove request.body 'a')}}",
  "{{len (jsonPath request.body '$[*]')}}",
  '{{len (sort request.body)}}',
  "{{len (sortBy (body '$') 'a')}}",
  "{{len (filter (body '$') 'a' 1)}}",
  '{{len (urlEncode request.body decode=true)}}',
  "{{hash request.body 'sha512'}}",
  '{{jwtPayload request.body}}',
  '{{oneOf request.body}}',
  "{{setVar 'x' (array (var 'x') (var 'x'))}}{{len (json (var 'x'))}}",
  '{{#each request.body}}{{/each}}',
  "{{#each (body '$')}}{{this}}{{/each}}",
  "{{#assign 'v'}}{{request.body}}{{/assign}}{{v}}",
];
export const TEMPLATES: readonly ((helper: string) => string)[] = [
  () => '',
  (helper) => `{{#repeat 1000}}{{#repeat 40}}${helper}{{/repeat}}{{/repeat}}`,
  (helper) => `{{#repeat 1000}}${helper}{{/repeat}}`,
  (helper) => Array.from({ length: 99 }, (_, index) => helper.replace('zz', `z${index}`)).join(''),
  (helper) =>
    Array.from({ length: 4_900 }, (_, index) => helper.replace('$..', '').replace('zz', `z${index}`)).join(''),
];

const COOKIES = ['', filled('a=1;'), filled('a=%ff;'), filled(';')];

const FITTING = 'fitting';

/** Each digit, and how many choices it has. */
const CHOICES = {
  responses: [1, 10, 99],
  rules: [1, 10, 50, 0],
  // Those that ask every rule come more often than those that stop at the first.
  logic: ['OR', 'AND not', 'OR', 'AND not', 'OR not', 'AND'],
  operator: [...OPERATORS, 'mixed'],
  target: ['dot', 'path', 'text', 'dot', 'path', 'text', 'query', 'header', 'cookie', 'urlParam', 'mixed'],
  distinct: [false, true],
  property: [...Array(13).keys()],
  value: [...Array(13).keys()],
  bodyShape: Object.keys(BODIES) as (keyof typeof BODIES)[],
  bodyBytes: [MOCK_REQUEST_BYTES_MAX, MOCK_REQUEST_BYTES_MAX, 4_000_000, 2_000_000, 1_000_000, 300_000, 90_000],
  type: [FITTING, FITTING, FITTING, FITTING, ...Object.values(CONTENT_TYPES)],
  template: [0, 0, 0, ...TEMPLATES.keys()],
  helper: [...HELPERS.keys()],
  query: [...QUERIES.keys()],
  cookie: [...COOKIES.keys()],
} as const;

type Choices = Chosen<typeof CHOICES>;

/** What of a case matters most: a search that knows the worst of one kind alone would look for nothing else. */
function kindOf(digits: readonly number[]): string {
  const { template, helper, operator } = chosenOf(CHOICES, digits);
  return template === 0 ? operator : (HELPERS[helper] as string);
}

/** Within what the API takes of a mock, and the mock port of a request. */
function caseOf(digits: readonly number[]): StallCase {
  const chosen = chosenOf(CHOICES, digits);
  const { bodyShape, bodyBytes, type, query, cookie } = chosen;
  const cookies = COOKIES[cookie] as string;
  const search = cookies === '' ? (QUERIES[query] as string) : '';
  const headers = ['content-type', type === FITTING ? typeOf(bodyShape) : type, 'x-a', 'a'];
  if (cookies !== '') headers.push('cookie', cookies);
  const body = bodyOf(bodyShape, bodyBytes);
  return {
    words: Object.entries(chosen)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
    definition: define([routeOf(chosen)]),
    request: { method: 'POST', path: '/p/7', query: search, headers, body },
    isSmall: false,
  };
}

export const RULE_CASES: CaseFamily = { radixes: radixesOf(CHOICES), first: [], sureCount: 0, caseOf, kindOf };

/** Rules as many as chosen, while a mock may have as many, and as many patterns. */
function routeOf(chosen: Choices): MockRoute {
  const template = (TEMPLATES[chosen.template] as (helper: string) => string)(HELPERS[chosen.helper] as string);
  const templated = { templated: true, body: templateProblem(template, 'text') === undefined ? template : '' };
  // The first and the last alone have it: to compile it for each would take the search more time than all its requests.
  let instructions = 2 * routeInstructions(route('POST /', [response(templated)]));
  let chars = 2 * templated.body.length + 200 * chosen.responses;
  const responses: MockResponse[] = [];
  for (let at = 0; at < chosen.responses; at++) {
    const rules: MatchCondition[] = [];
    for (let index = 0; index < chosen.rules; index++) {
      const rule = ruleOf(chosen, at * chosen.rules + index);
      instructions += instructionsOf(rule);
      chars += 150 + JSON.stringify(rule.value).length + rule.property.length;
      if (instructions > MOCK_INSTRUCTIONS_MAX || chars > DEFAULT_LIMITS.mocks.definitionBytesMax) break;
      rules.push(rule);
    }
    const rulesOperator = chosen.logic.startsWith('OR') ? 'OR' : 'AND';
    responses.push(response({ id: `r${at}`, rulesOperator, rules, ...(at === 0 ? templated : undefined) }));
  }
  return route('POST /p/:id', [...responses, response({ id: 'else', ...templated })], { id: 'route' });
}

/** What the digits of a number add to a pattern or a path, at the most. */
const DIGITS_INSTRUCTIONS = 20;
const known = new Map<string, number>();

/** What is refused has more than any mock may. Looked at once for rules that differ in a number. */
function instructionsOf(rule: MatchCondition): number {
  const key = `${rule.operator} ${rule.target} ${rule.property.replace(/\d+$/, '')} ${rule.value}`;
  let count = known.get(key);
  if (count === undefined) {
    count = conditionProblem(rule) === undefined ? conditionInstructions(rule) + DIGITS_INSTRUCTIONS : Infinity;
    known.set(key, count);
  }
  return count;
}

function ruleOf(chosen: Choices, index: number): MatchCondition {
  const operator = chosen.operator === 'mixed' ? (OPERATORS[index % OPERATORS.length] ?? 'equals') : chosen.operator;
  const kinds = CHOICES.target.slice(0, -1);
  const kind = chosen.target === 'mixed' ? kinds[index % kinds.length] : chosen.target;
  const suffix = chosen.distinct ? String(index) : '';
  const value = valueOf(operator, chosen.value);
  const rule = { operator, value, invert: chosen.logic.endsWith('not') };
  switch (kind) {
    case 'dot':
      return { ...rule, target: 'body', property: `${pick(DOT_PATHS, chosen.property)}${suffix && `.${suffix}`}` };
    case 'path':
      return { ...rule, target: 'body', property: `${pick(JSON_PATHS, chosen.property)}${suffix && `.k${suffix}`}` };
    case 'query':
    case 'header':
    case 'cookie':
      return { ...rule, target: kind, property: `a${suffix}` };
    case 'urlParam':
      return { ...rule, target: kind, property: 'id' };
    default:
      return { ...rule, target: 'body', property: '' };
  }
}

function valueOf(operator: MatchCondition['operator'], index: number): string {
  if (operator === 'regex') return pick(PATTERNS, index);
  if (operator === 'jsonSchema') return JSON.stringify(pick(SCHEMAS, index));
  return operator === 'gt' ? '1e300' : pick(NEEDLES, index);
}

function pick<Item>(items: readonly Item[], index: number): Item {
  return items[index % items.length] as Item;
}
