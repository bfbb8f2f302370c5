/**
 * What a unit of RULE_WORK_MAX takes, for each price by the input that was found to take longest for it: 5 ns at most where a processor
 * has nothing else to do, so that the whole bound is STALL_MS_MAX. Twice that fails here, since neighbours slow a processor.
 */
import { describe, expect, test } from 'vitest';
import { RULE_WORK_MAX } from '../../../src/limits.ts';
import type { MockResponse } from '../../../src/model/mocks/definition/definition.ts';
import { evaluateRequest } from '../../../src/rules-table/evaluate.ts';
import { tableOf } from '../../../src/rules-table/rule-table.ts';
import type { WorkBudget } from '../../../src/languages/work-budget.ts';
import { dialectOf, type GivenParameters } from '../../../src/serving/matching/stores/dialects.ts';
import { listPart } from '../../../src/serving/matching/stores/json-server-list.ts';
import { listItems } from '../../../src/serving/matching/stores/list-query.ts';
import { define, request, response, route, rule } from '../../support/mocks.ts';
import { ANY, compiled, exchangeOf, source, type GivenPair } from '../../support/rules-table.ts';
import { type BODIES, bodyOf, typeOf } from './bodies.ts';
import { stallOf, STALL_MS_MAX } from './hunt.ts';
import { slowness, threadMsOf } from './thread-ms.ts';
import type { MatchCondition } from '../../../src/model/mocks/definition/condition-schema.ts';

const UNIT_NS = (STALL_MS_MAX * 1e6) / RULE_WORK_MAX;
/** Of less is nothing learnt, nor of work that is refused. */
const WORK_MIN = RULE_WORK_MAX / 100;
const WORK_MAX = RULE_WORK_MAX * 1.1;

type Shape = keyof typeof BODIES;
type Row = readonly [unit: string, shape: Shape | '', bytes: number, responses: readonly MockResponse[]];

const conditions = (count: number, ...each: Parameters<typeof rule>): MockResponse[] => [
  response({ rules: Array<MatchCondition>(Math.min(count, 50)).fill(rule(...each)), rulesOperator: 'OR' }),
];
const parted = (each: MatchCondition): MockResponse[] => [
  response({ rules: Array.from({ length: 20 }, () => ({ anyPart: [each] })), rulesOperator: 'OR' }),
];
const template = (body: string): MockResponse[] => [response({ templated: true, body })];
/** As often as steps allow, without printing. */
const calls = (call: string, made = ''): MockResponse[] =>
  template(`${made}{{#repeat 1000}}{{#repeat 40}}{{setVar 'q' (${call})}}{{/repeat}}{{/repeat}}`);
const PARSED = "{{setVar 'p' (parseJson request.body)}}";
const LIST = "{{setVar 'f' (array 1.5 'a' (array))}}{{#repeat 11}}{{setVar 'f' (concat f f)}}{{/repeat}}";
const DEEP = "{{setVar 'd' (object a=1)}}{{#repeat 255}}{{setVar 'd' (array d)}}{{/repeat}}";
const LONG = "{{setVar 't' (padStart 'b' 10000 'a ')}}";
/** As many as a path has room for. */
const LISTED = Array.from({ length: 100 }, (_, index) => index + 10);
const ONE = conditions(1, 'body', 'zz', 'exists');

const parsing: Shape[] = [
  'objects',
  'arrays',
  'zeros',
  'floats',
  'long numbers',
  'members alike',
  'names',
  'an object each',
  'texts',
  'texts that differ',
  'quotes in a',
  'deep arrays',
  'deep objects',
  'wide letters',
  'no UTF-8',
  'pairs',
  'names of pairs',
  'malformed pairs',
  'pluses',
  'escapes',
  'parts',
  'heads of parts',
];
const printing: Shape[] = [
  'objects in a',
  'names in a',
  'texts in a',
  'deep objects',
  'control characters in a',
  'nested members',
];

const REQUESTS: readonly Row[] = [
  ...parsing.map((shape): Row => [`parsing ${shape}`, shape, 500_000, ONE]),
  ...parsing
    .slice(0, 13)
    .map((shape): Row => [
      `parsing ${shape} again and again`,
      shape,
      90_000,
      template(`{{#repeat 7}}{{setVar 'q' (parseJson (concat request.body ' '))}}{{/repeat}}`),
    ]),
  ...printing.map((shape): Row => [`printing ${shape}`, shape, 400_000, conditions(1, 'body', 'a', 'contains', 'zz')]),
  ['marking long numbers', 'long numbers', 400_000, conditions(1, 'body', 'list.0', 'equals', '1')],
  ['comparing long numbers', 'long numbers', 200_000, conditions(50, 'body', 'list', 'jsonIncludes', '[1]')],
  ...['x', 'aaaaab', `b${'a'.repeat(200)}`, `${'a'.repeat(30_000)}b${'a'.repeat(30_000)}`].map((value): Row => [
    `searching ${value.length} characters`,
    'letters',
    400_000,
    conditions(50, 'body', '', 'contains', value),
  ]),
  ...[
    'zz',
    'a.*b.*c',
    '(a|b)*c',
    'a[ab]{20}[^ab]',
    'a[ab]{400}[^ab]',
    String.raw`(\w+\s?)+!`,
    String.raw`\p{L}{3}x`,
  ].map((value): Row => [
    `pattern ${value}`,
    'letters by chance',
    5_000,
    conditions(value.includes('400') ? 1 : 50, 'body', '', 'regex', value),
  ]),
  ['comparing items', 'texts', 400_000, conditions(50, 'body', '$', 'arrayIncludes', 'zz')],
  ['comparing numbers', 'long digits', 400_000, conditions(50, 'body', '$[*]', 'gt', '1')],
  ['comparing times', 'times', 50_000, conditions(50, 'body', '$[*]', 'after', 'now')],
  ...[
    { items: { type: 'object', minProperties: 1, required: ['a'], properties: { a: { type: 'number' } } } },
    { uniqueItems: true },
    { items: { allOf: Array.from({ length: 30 }, () => ({ minimum: 0, maximum: 9, multipleOf: 1, type: 'number' })) } },
    { contains: { $ref: '#' }, items: { $ref: '#' }, additionalProperties: { $ref: '#' } },
  ].map((schema): Row => [
    `schema ${JSON.stringify(schema).slice(0, 40)}`,
    'orders of names',
    200_000,
    conditions(50, 'body', '$', 'jsonSchema', JSON.stringify(schema)),
  ]),
  ['format of a schema', 'times', 200_000, conditions(50, 'body', '$', 'jsonSchema', '{"items": {"format": "uri"}}')],
  [
    'comparing JSON',
    'nested members',
    200_000,
    conditions(50, 'body', '$', 'jsonIncludes', '[{"a":{"a":[1,2]}},{"b":1}]'),
  ],
  ...['$..a', '$..*', '$[*].a', '$[?@.a==1]', "$..[?search(@.a,'a[ab]{20}c')]", '$[::2]', '$..[0,1,2,-1]'].map(
    (path): Row => [`path ${path}`, 'nested members', 100_000, conditions(50, 'body', path, 'equals', 'zz')],
  ),
  ...[
    '$..a',
    '$..[?(@.a)]',
    '$[?(@.a.a == 1 || @.a =~ /a[ab]{20}c/)]',
    '$[*].a.a[0]',
    '$..a..a[*]',
    '$[?(@.a.length() > 3)].a',
    '$.list[?(@ == 12345678901234568)]',
  ].map((path): Row => [
    `path of Jayway ${path}`,
    path.includes('list') ? 'long numbers' : 'nested members',
    100_000,
    conditions(50, 'body', `jayway:${path}`, 'equals', 'zz'),
  ]),
  ['objects as WireMock prints them', 'nested members', 100_000, conditions(50, 'body', 'jayway:$[*]', 'equals', 'zz')],
  [
    'conditions on parts',
    'parts',
    100_000,
    parted({ target: 'body', property: 'a', operator: 'equals', value: 'x', invert: false }),
  ],
  ['headers of parts', 'heads of parts', 400_000, parted(rule('header', 'zz', 'exists'))],
  ...(
    [
      ['many names', 'objects', `$[*][${LISTED.map((each) => `'n${each}'`).join()}]`],
      ['many names before a step', 'objects', `$[*][${LISTED.map((each) => `'n${each}'`).join()}].a`],
      ['many indexes', 'arrays', `$[*][${LISTED.join()}]`],
      ['a long filter', 'objects', `$[?(@${'.a'.repeat(30)})]`],
      ['a slice', 'arrays', '$[*][0:3]'],
    ] as const
  ).map(([name, shape, path]): Row => [
    `path of Jayway with ${name}`,
    shape,
    40_000,
    conditions(1, 'body', `jayway:${path}`, 'equals', 'zz'),
  ]),
  ...(
    [
      'attributes of XML',
      'attributes of XML that differ',
      'elements of XML',
      'elements of XML that differ',
      'entities of XML',
      'lists of pairs',
      'nested pairs',
    ] as const
  ).map((shape): Row => [shape, shape, 200_000, conditions(1, 'body', '$.zz', 'exists')]),
  ['path of deep values', 'deep objects', 300_000, conditions(50, 'body', '$..*.k', 'equals', 'zz')],
  ['a step of a template', '', 0, template('{{#repeat 1000}}{{#repeat 40}}{{#if x}}{{/if}}{{/repeat}}{{/repeat}}')],
  ['a name that is looked up', '', 0, calls('variable t t', LONG)],
  ['a long name in a list', '', 0, template(`${LIST.replace('11', '9')}${LONG}{{setVar 'q' (filter f t 'a')}}`)],
  ['many names in a list', '', 0, calls('filter f d 1', LIST + DEEP)],
  ['tokens', 'quotes in a', 90_000, calls('tokens (body) 1')],
  ['members that are merged', 'short members', 9_000, calls('jsonMerge p p p p', PARSED)],
  ['members of an object', '', 0, calls('object k0=1 k1=1 k2=1 k3=1 k4=1 k5=1 k6=1 k7=1 k8=1 k9=1')],
  ['items of a list', '', 0, calls('concat f f', LIST)],
  ['sorting', 'texts that differ', 5_000, calls("sortBy p 'a'", PARSED)],
  ['indents', 'short members', 26_000, calls('json p true', PARSED)],
  ['characters made', 'letters', 500_000, calls("replaceAll request.body 'a' 'b'")],
  ['characters encoded', 'wide letters', 26_000, calls('urlEncode request.body')],
  ['characters of words', 'letters', 26_000, calls('capitalize request.body')],
  ['bytes hashed', 'times', 400_000, calls("hash request.body 'sha512'")],
  ['hashes', '', 0, calls("hash 'a' 'sha512'")],
  ['signatures by a secret', '', 0, calls("jwtSign (object a=1) secret='a'")],
  ['characters of secrets', 'letters', 400_000, calls('jwtSign (object a=1) secret=request.body')],
  ['characters of types', 'letters', 26_000, calls("jwtSign (object a=1) secret='a' typ=request.body")],
  ['times', '', 0, calls("now timezone='Europe/Berlin' format='z z z z z z z z'")],
  ['time zones', 'spellings of a time zone', 26_000, template('{{#each request.body}}{{now timezone=this}}{{/each}}')],
  ...[
    "'lorem.paragraphs' 10",
    "'internet.jwt'",
    "'system.fileName'",
    "'system.fileName' extensionCount=1000",
    "'string.nanoid' 1000",
    "'word.sample' length=1000",
    "'person.fullName'",
  ].map((call): Row => [`faker ${call}`, '', 0, calls(`faker ${call}`)]),
  [
    'text that is assigned',
    'letters',
    90_000,
    template("{{#repeat 1000}}{{#assign 'v'}}{{request.body}}{{/assign}}{{v}}{{/repeat}}"),
  ],
];

function leastNs(measure: () => { readonly cpuMs: number; readonly work: number }): number {
  let least = Infinity;
  // What else the machine does slows single runs.
  for (let run = 0; run < 6 && least > UNIT_NS; run++) {
    const { cpuMs, work } = measure();
    expect(work).toBeGreaterThan(WORK_MIN);
    expect(work).toBeLessThan(WORK_MAX);
    least = Math.min(least, (cpuMs * 1e6) / work);
  }
  if (process.env['WORK_NS'] !== undefined) console.log(`${expect.getState().currentTestName}: ${least.toFixed(1)} ns`);
  return least;
}

test.each(REQUESTS)('a unit of %s takes 5 ns', (_unit, shape, bytes, responses) => {
  const headers = shape === '' ? {} : { 'content-type': typeOf(shape) };
  const body = shape === '' ? Buffer.alloc(0) : bodyOf(shape, bytes);
  const definition = define([route('POST /', [...responses, response()])]);
  const made = { words: '', isSmall: false, definition, request: { ...request('POST', '/', { headers }), body } };
  expect(leastNs(() => stallOf(0, made))).toBeLessThan(2 * UNIT_NS);
});

const header = (name: string, value: string) => ({ modifications: [{ header: name, type: 'Add', value }] });
const LONG_URL = `http://a.test/${'a'.repeat(65_536)}`;
const payload = (key: string) =>
  source('a.test', 'Contains', 'Url', { requestPayload: { key, operator: 'Contains', value: 'zz' } });

const EXCHANGES: readonly (readonly [
  string,
  number,
  Parameters<typeof compiled>[0],
  (index: number) => GivenPair,
  object,
])[] = [
  [
    'sources of a long URL',
    5_000,
    'Headers',
    (index) => ({ ...source(`b${index}`), ...header('x', '1') }),
    { url: LONG_URL },
  ],
  [
    'sources',
    100_000,
    'Headers',
    (index) => ({ ...source(`b${index}`), ...header('x', '1') }),
    { url: 'http://a.test/' },
  ],
  [
    'patterns',
    500,
    'Headers',
    (index) => ({ ...source(`(a+)+${index}$`, 'Matches'), ...header('x', '1') }),
    { url: LONG_URL },
  ],
  [
    'wildcards',
    500,
    'Headers',
    (index) => ({ ...source(`${'*a'.repeat(4_000)}${index}*`, 'Wildcard_Matches'), ...header('x', '1') }),
    { url: LONG_URL },
  ],
  [
    'parameters',
    400,
    'QueryParam',
    () => ({
      ...ANY,
      modifications: [
        { param: 'a', type: 'Remove' },
        { param: 'b', type: 'Add', value: '1' },
      ],
    }),
    { url: `http://a.test/?${'a%20&'.repeat(10_000)}` },
  ],
  [
    'header lines',
    300,
    'Headers',
    (index) => ({ ...ANY, ...header(`x-${index}`, 'y'.repeat(900)) }),
    { url: 'http://a.test/' },
  ],
  ['one header line', 10_000, 'Headers', () => ({ ...ANY, ...header('server', '1') }), { url: 'http://a.test/' }],
  [
    'replaced characters',
    5,
    'Replace',
    (index) => ({ ...ANY, from: index % 2 ? '/a/g' : '/b/g', to: index % 2 ? 'b' : 'a' }),
    { url: `http://a.test/${'a'.repeat(200)}` },
  ],
  [
    'fields of a query',
    1_000,
    'Cancel',
    () => payload(''),
    { url: `http://a.test/?${'a&'.repeat(30_000)}`, method: 'GET' },
  ],
  ...(
    [
      'objects',
      'arrays',
      'zeros',
      'floats',
      'an object each',
      'names',
      'texts that differ',
      'members alike',
      'control characters in a',
    ] as const
  ).map(
    (shape) =>
      [
        `payload of ${shape}`,
        1,
        'Cancel',
        () => payload('a'),
        { method: 'POST', body: bodyOf(shape, 600_000).toString() },
      ] as const,
  ),
  [
    'a payload printed',
    20,
    'Cancel',
    (index) => payload(index % 2 ? '' : 'a'),
    { method: 'POST', body: bodyOf('names in a', 400_000).toString() },
  ],
];

test.each(EXCHANGES)('a unit of %s takes 5 ns', (_unit, count, ruleType, pairOf, asked) => {
  const table = tableOf(Array.from({ length: count }, (__, index) => compiled(ruleType, [pairOf(index)])));
  const exchange = exchangeOf(asked);
  const measure = () => {
    const budget = { work: RULE_WORK_MAX };
    const slow = slowness();
    const cpuMs = threadMsOf(() => evaluateRequest(table, exchange.request, { budget, details: 'applied' })) / slow;
    return { cpuMs, work: RULE_WORK_MAX - budget.work };
  };
  expect(leastNs(measure)).toBeLessThan(2 * UNIT_NS);
});

/** As many items as a store may have, with members of every kind. */
const ITEMS = Array.from({ length: 10_000 }, (_, id) => ({
  id,
  title: `title ${(id * 7_919) % 10_000}`,
  views: (id * 7_919) % 10_000,
  number: String(id),
  tags: ['a', 'b', id],
  deep: { a: { a: { a: { a: { a: `text ${id}` } } } } },
}));
const many = (count: number, value: (index: number) => string) => Array.from({ length: count }, (_, at) => value(at));

const repeated = (count: number, name: string, before = ''): GivenParameters =>
  many(count, (at) => `${before}${at}`).map((value) => [name, value]);

const LISTS: readonly (readonly [string, GivenParameters])[] = [
  ['values of a filter', repeated(300, 'title')],
  ['values that no item may have', repeated(300, 'title_ne')],
  ['values of a list', repeated(100, 'tags', 'a,')],
  ['numbers', repeated(300, 'views_lte', '-')],
  ['numbers of texts', repeated(300, 'number_gt', '99999')],
  ['a path', repeated(100, `deep${'.a'.repeat(5)}`)],
  ['a path of many steps', [[`deep${'.a'.repeat(100)}_gte`, 'a']]],
  ['names that no item has', many(40, (at) => `none${at}`).map((name) => [name, '1'])],
  ['a pattern', [['title_like', 'a[ab]{20}[^ab]']]],
  ['a search', [['q', 'zz']]],
  [
    'an order',
    [
      ['_sort', 'title,deep.a.a.a.a.a,views,tags,id'],
      ['_order', 'desc,asc'],
    ],
  ],
  [
    'pages',
    [
      ['_page', '3'],
      ['_limit', '4000'],
      ['_sort', 'tags'],
    ],
  ],
];

describe.each([
  ['rest', (given: GivenParameters, budget: WorkBudget) => listItems(ITEMS, given, dialectOf('rest'), budget)],
  ['mockoon', (given: GivenParameters, budget: WorkBudget) => listItems(ITEMS, given, dialectOf('mockoon'), budget)],
  ['json-server', (given: GivenParameters, budget: WorkBudget) => listPart(ITEMS, queryOf(given), budget)],
] as const)('lists of the dialect %s', (_dialect, listOf) => {
  test.each(LISTS)('a unit of %s takes 5 ns', (_unit, given) => {
    let least = Infinity;
    for (let run = 0; run < 6 && least > UNIT_NS; run++) {
      const budget = { work: RULE_WORK_MAX };
      const slow = slowness();
      const cpuMs = threadMsOf(() => void listOf(given, budget)) / slow;
      // What a dialect does not know costs next to nothing.
      const work = Math.max(WORK_MIN, RULE_WORK_MAX - budget.work);
      least = Math.min(least, (cpuMs * 1e6) / work);
    }
    if (process.env['WORK_NS'] !== undefined)
      console.log(`${expect.getState().currentTestName}: ${least.toFixed(1)} ns`);
    expect(least).toBeLessThan(2 * UNIT_NS);
  });
});

/** Repeated ones are lists. */
function queryOf(given: GivenParameters): Record<string, unknown> {
  const names = new Set(given.map(([name]) => name));
  return Object.fromEntries(
    [...names].map((name) => {
      const values = given.flatMap(([each, value]) => (each === name ? [value] : []));
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}
