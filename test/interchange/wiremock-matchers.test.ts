/** Matchers of WireMock that are easily read for more, or less, than they say. Each answer was asked of WireMock 3.13.2. */
import { describe, expect, test } from 'vitest';
import { answerOf } from '../support/answers.ts';
import { definitionOf, imported, notesOf } from '../support/imports.ts';

type Asked = [target: string, given?: { readonly headers?: object; readonly body?: string | Buffer }];

const post = (body: string | Buffer): Asked => ['POST /a', { body }];
const basic = (text: string): Asked => ['GET /a', { headers: { authorization: `Basic ${btoa(text)}` } }];
const stub = (request: object | string): string =>
  `{"request": ${typeof request === 'string' ? request : JSON.stringify({ urlPath: '/a', ...request })}, "response": {"body": "held"}}`;
const bodyPattern = (matcher: object): object => ({ bodyPatterns: [matcher] });
const query = (matcher: object): object => ({ queryParameters: { id: matcher } });
const equalToJson = (value: unknown, options: object = {}): object =>
  bodyPattern({ equalToJson: JSON.stringify(value), ...options });
const several = (name: string, ...matchers: object[]): object => query({ [name]: matchers });

type Part = readonly [headers: Readonly<Record<string, string>>, body: string];

const form = (...parts: readonly Part[]): Asked => {
  const texts = parts.map(([headers, body]) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `--b\r\n${lines.join('')}\r\n${body}\r\n`;
  });
  const headers = { 'content-type': 'multipart/form-data; boundary=b' };
  return ['POST /a', { headers, body: `${texts.join('')}--b--\r\n` }];
};
const PICTURE: Part = [
  { 'Content-Disposition': 'form-data; name="picture"; filename="a.png"', 'Content-Type': 'image/png' },
  'pixels',
];
const NOTE: Part = [{ 'Content-Disposition': 'form-data; name="note"' }, 'hello'];
const parts = (...multipartPatterns: object[]): object => ({ multipartPatterns });

const DAY = 86_400_000;
const on = (date: string): Asked => ['GET /a', { headers: { 'x-d': date } }];
const dated = (matcher: object): object => ({ headers: { 'x-d': matcher } });
/** @param held Days from now. */
const times = (matcher: object, held: number[], missed: number[]): typeof CASES => {
  const asked = (days: number): Asked => on(new Date(Date.now() + days * DAY).toISOString());
  return [[dated(matcher), held.map(asked), missed.map(asked)]];
};
const today = new Date();
const firstOfMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 1);

const CASES: readonly [request: object | string, taken: readonly Asked[], missed: readonly Asked[]][] = [
  ...['basicAuth', 'basicAuthCredentials'].map((name): (typeof CASES)[number] => [
    { [name]: { username: 'reader', password: 'secret-1' } },
    [basic('reader:secret-1')],
    [['GET /a'], basic('reader:secret-2')],
  ]),
  // Whatever its value is, it is absent.
  [{ headers: { 'x-a': { absent: false } } }, [['GET /a']], [['GET /a', { headers: { 'x-a': '1' } }]]],
  [bodyPattern({ absent: false }), [['POST /a']], [post('x')]],
  [
    { queryParameters: { q: { greaterThanNumber: '1', lessThanEqualNumber: 2.5 } } },
    [['GET /a?q=1.5'], ['GET /a?q=2.50']],
    [['GET /a'], ['GET /a?q=1'], ['GET /a?q=3'], ['GET /a?q=x']],
  ],
  [
    bodyPattern({ matchesJsonPath: { expression: '$.n', lessThanNumber: 10 } }),
    [post('{"n":9}'), post('{"n":"9"}')],
    [post('{"n":10}'), post('{"n":"x"}'), post('{}')],
  ],
  // A list with null in it fails there.
  [
    bodyPattern({ matchesJsonPath: { expression: '$.l[*]', doesNotContain: 'zz' } }),
    [post('{"l":[1]}'), post('{"l":["zz","a"]}')],
    [post('{"l":[1,null]}'), post('{"l":[null]}'), post('{"l":["zz"]}')],
  ],
  [
    bodyPattern({ matchesJsonPath: { expression: '$.l', equalTo: '1' } }),
    [post('{"l":[2,1]}')],
    [post('{"l":[1,null]}')],
  ],
  // A path finds nothing in what is no JSON, unless it begins as JSON does.
  [
    bodyPattern({ matchesJsonPath: { expression: '$.a', absent: true } }),
    [['POST /a'], post('x=1'), post('5'), post('{}'), post('{"a":null}')],
    [post('{"a":1}'), post('{x'), post('null')],
  ],
  [
    bodyPattern({ matchesJsonPath: { expression: '$[?(!@.a)]', absent: true } }),
    [['POST /a'], post('{"a":1}'), post('[]')],
    [post('{}'), post('x=1'), post('5'), post('{x'), post('null')],
  ],
  [
    equalToJson({ items: [1, 2] }, { ignoreExtraElements: true }),
    [post('{"items":[1,2]}'), post('{"items":[1,2,3],"a":1}')],
    [post('{"items":[3,1,2]}'), post('{"items":[1,3,2]}'), post('{"items":[1]}')],
  ],
  [
    equalToJson([{ a: 1 }, { b: [1] }], { ignoreExtraElements: true }),
    [post('[{"a":1,"c":1},{"b":[1,2]},5]')],
    [post('[{"b":[1]},{"a":1}]')],
  ],
  [equalToJson([1, 2], { ignoreExtraElements: true, ignoreArrayOrder: true }), [post('[2,3,1]')], [post('[2]')]],
  [
    '{"urlPath": "/a", "bodyPatterns": [{"equalToJson": "{\\"id\\":12345678901234567890}"}]}',
    [
      post('{"id":12345678901234567890}'),
      post('{"id":12345678901234567890.0}'),
      post('{"id":1.234567890123456789e19}'),
    ],
    [post('{"id":12345678901234567891}'), post('{"id":"12345678901234567890"}')],
  ],
  [
    '{"urlPath": "/a", "bodyPatterns": [{"equalToJson": {"id": 12345678901234567890, "p": 0.1}}]}',
    [post('{"id":12345678901234567890,"p":0.10}')],
    [post('{"id":12345678901234567891,"p":0.1}'), post('{"id":12345678901234567890,"p":0.1000000000000000055}')],
  ],
  // Values of one name.
  [several('hasExactly', { equalTo: '1' }), [['GET /a?id=1']], [['GET /a?id=1&id=1'], ['GET /a?id=2'], ['GET /a']]],
  [
    several('hasExactly', { contains: '1' }, { contains: '2' }),
    [['GET /a?id=12&id=99'], ['GET /a?id=1&id=2']],
    [['GET /a?id=1&id=2&id=3'], ['GET /a?id=12']],
  ],
  [several('includes', { equalTo: '1' }, { equalTo: '2' }), [['GET /a?id=1&id=2&id=3']], [['GET /a?id=1']]],
  [
    several('hasExactly', { doesNotContain: '1' }),
    [['GET /a?id=2']],
    [['GET /a?id=1'], ['GET /a'], ['GET /a?id=2&id=3']],
  ],
  [bodyPattern({ binaryEqualTo: 'AQL/' }), [post(Buffer.from('AQL/', 'base64'))], [post('AQL/'), ['POST /a']]],
  // Parts, whose names make no difference.
  [
    parts({
      matchingType: 'ANY',
      name: 'picture',
      headers: { 'Content-Type': { contains: 'image/png' } },
      bodyPatterns: [{ equalTo: 'pixels' }],
    }),
    [form(PICTURE), form(NOTE, PICTURE), form([{ 'content-type': 'image/png' }, 'pixels'])],
    [form(NOTE), form(), post('pixels'), form([{ 'Content-Type': 'image/png' }, 'x'], [{}, 'pixels'])],
  ],
  [
    parts({ bodyPatterns: [{ equalTo: 'hello' }] }, { bodyPatterns: [{ equalTo: 'pixels' }] }),
    [form(PICTURE, NOTE)],
    [form(NOTE)],
  ],
  [
    parts({ matchingType: 'ALL', bodyPatterns: [{ equalTo: 'pixels' }] }),
    [form(PICTURE), form(PICTURE, PICTURE)],
    [form(PICTURE, NOTE), form(), post('pixels')],
  ],
  [parts({ matchingType: 'ALL' }), [form(NOTE)], [form(), ['POST /a']]],
  [parts({ bodyPatterns: [{ equalToJson: '{"a":1}' }] }), [form([{}, '{"a": 1.0}'])], [form([{}, '{"a":2}'])]],
  [parts({ bodyPatterns: [{ binaryEqualTo: 'cGl4ZWxz' }] }), [form(PICTURE)], [form(NOTE)]],
  [parts({ headers: { 'Content-Type': { absent: true } } }), [form(PICTURE, NOTE)], [form(PICTURE)]],
  // Times.
  ...times({ before: 'now +3 days' }, [-40, 1, 2.9], [3.2, 40]),
  ...times({ before: 'now', expectedOffset: 2, expectedOffsetUnit: 'months' }, [-2, 40], [70]),
  ...times({ after: 'now -1 days' }, [0, 5], [-1.1]),
  [
    dated({ equalToDateTime: '2021-06-24T00:00:00', actualFormat: 'dd/MM/yyyy' }),
    [on('24/06/2021')],
    [on('25/06/2021'), on('2021-06-24'), ['GET /a']],
  ],
  [
    dated({ equalToDateTime: '2021-06-24T13:14:15Z' }),
    [on('2021-06-24T13:14:15Z'), on('2021-06-24T15:14:15+02:00')],
    [on('2021-06-24T13:14:16Z'), on('x')],
  ],
  [
    dated({ equalToDateTime: '2020-03-01T00:00:00Z', truncateActual: 'first day of month' }),
    [on('2020-03-17T10:11:12Z')],
    [on('2020-04-17T10:11:12Z')],
  ],
  [
    dated({ after: 'now +15 days', truncateExpected: 'first day of month' }),
    [on(new Date(firstOfMonth + 16 * DAY).toISOString())],
    [on(new Date(firstOfMonth + 14 * DAY).toISOString())],
  ],
  // Placeholders.
  [
    equalToJson({ a: '${json-unit.any-number}', b: '${json-unit.any-boolean}', c: '#{json-unit.any-string}' }),
    [post('{"a":1,"b":true,"c":"x"}'), post('{"a":12345678901234567890,"b":false,"c":""}')],
    [post('{"a":"1","b":true,"c":"x"}'), post('{"a":1,"b":true,"c":null}'), post('{"a":1,"b":1,"c":"x"}')],
  ],
  [
    equalToJson({ a: '${json-unit.ignore}', b: 1 }),
    [post('{"a":null,"b":1}'), post('{"a":{"x":1},"b":1}')],
    [post('{"b":1}')],
  ],
  [
    equalToJson({ a: '${json-unit.ignore-element}', b: 1 }),
    [post('{"a":5,"b":1}'), post('{"b":1}')],
    [post('{"b":1,"c":2}')],
  ],
  [equalToJson(['${json-unit.ignore-element}', 1]), [post('[5,1]')], [post('[1]')]],
  [
    equalToJson({ a: '${json-unit.regex}[A-Z]+' }),
    [post('{"a":"ABC"}')],
    [post('{"a":"ABCd"}'), post('{"a":5}'), post('{"a":["A"]}')],
  ],
  [equalToJson(['${json-unit.any-string}', 1], { ignoreArrayOrder: true }), [post('[1,"x"]')], [post('[1,2]')]],
  // Within a text and as a name it is a text.
  [equalToJson({ a: 'x${json-unit.any-string}' }), [post('{"a":"x${json-unit.any-string}"}')], [post('{"a":"xy"}')]],
  [equalToJson({ '${json-unit.ignore}': 1 }), [post('{"${json-unit.ignore}":1}')], [post('{"x":1}')]],
];

const DOCUMENT = JSON.stringify({
  a: { x: 1, y: [1, 2, 3], s: 'text', e: '', z: {}, l: [], t: true, n: null, neg: -5, j: '{"x":1}' },
  items: [
    { k: 1, v: 'x', tags: ['p', 'q'] },
    { k: 2, v: 'y', tags: [] },
    { k: '3', w: { k: 9 } },
  ],
  o: { in: { k: 2 } },
  id: 0,
}).replace('"id":0', '"id":12345678901234567890');

/** Each finds something in the document. */
const FOUND = `
$.a.x
$.['a'].['s']
$['a']['s']
a.s
$.a.*
$..k
$..tags[0]
$.items.[*]
$.items.[*].['v']
$.items[-1].w
$.items[0:1]
$.items[:1].v
$.a['x','s']
$.items[0,2].k
$.items.length()
$.a.keys()
$.a.y.min()
$.a.y.sum()
$[?(!@.b)]
$.items[?(!@.w)]
$.items[?(@.w)]
$.items[?(@.['k']==1)]
$.items[?(@.v=='x'&&@.k>0)]
$.items[?(@.v=~/X/i)]
$.items[?(@.tags.size()==2)]
$[?(@.items.length()>2)]
$.items[?(@.k in [1,9])]
$.items[?(@.v nin ['x'])]
$.items[?(@.tags contains 'p')]
$.items[?(@.tags empty true)]
$[?(@.a.s contains 'ex')]
$[?(@.a.s size 4)]
$[?(@.a.y subsetof [1,2,3,4])]
$[?(@.a.y anyof [3,9])]
$[?(@.a.y noneof [7])]
$.items[?(@.k==3)]
$.items[?(@.k=='1')]
$[?(@.a.n==null)]
$[?(@.a.b!=1)]
$.o[?(@.in)]
$.o[?(@.in.k==2)].in
$.items[?(@.k==$.a.x)]
$[?(@.a.x==1&&(@.a.s=='no'||@.a.t==true))]
$.a.y[?(@>2)]
$[?(@.id==12345678901234567890)]
$..[?(@.k==2)]
$.items[?(1<@.k)]
`
  .trim()
  .split('\n');

/** These find nothing in it. */
const UNFOUND = `
$.a.n
$.a.z
$.a.l
$.a.b
$.a.x.y
$.items[9]
$[?(!@.a)]
$.items[?(@.k==4)]
$.items[?(@.v=~/X/)]
$.items[?(@.tags.size()==3)]
$[?(@.a.b==null)]
$[?(@.a.b)]
$.o[?(@.k==2)]
$.a.l.min()
$.items[?(@.k=='3.0')]
$.items[?(@.v>1)]
$.a[?(@.y contains 4)]
$[?(@.a.z empty true)]
$[?(@.id==12345678901234567891)]
$.items[?(@.v nin 'x')]
`
  .trim()
  .split('\n');

describe('a JSONPath', () => {
  const path = (matcher: unknown) => imported(stub(bodyPattern({ matchesJsonPath: matcher })));
  const isTaken = (matcher: unknown): boolean => {
    const found = path(matcher);
    expect(notesOf(found)).toEqual([]);
    return answerOf(found, 'POST /a', { body: DOCUMENT }) !== undefined;
  };

  test.each(FOUND)('%s finds something', (expression) => {
    expect(isTaken(expression)).toBe(true);
    expect(answerOf(path(expression), 'POST /a', { body: 'x' })).toBeUndefined();
  });

  test.each(UNFOUND)('%s finds nothing', (expression) => {
    expect(isTaken(expression)).toBe(false);
  });

  test.each<[string, object, boolean]>([
    ['$.a.x', { equalTo: '1' }, true],
    ['$.id', { equalTo: '12345678901234567890' }, true],
    ['$.a.y', { equalTo: '3' }, true],
    ['$.a.y', { doesNotContain: '3' }, true],
    ['$.items[*].v', { not: { equalTo: 'x' } }, true],
    ['$.items[?(@.k==1)].v', { doesNotMatch: '[a-z]' }, false],
    ['$.a.n', { absent: true }, true],
    ['$.a.l', { absent: true }, true],
    ['$.a.x', { absent: true }, false],
    ['$.a.b', { doesNotContain: 'x' }, false],
    ['$.a.y', { equalToJson: '[1,2,3]' }, true],
    ['$.a.y', { equalToJson: '[3,2,1]', ignoreArrayOrder: true }, true],
    ['$.a.y', { equalToJson: '1' }, false],
    ['$..k', { equalToJson: '[1,2,"3",9,2]' }, true],
    ['$.a.j', { equalToJson: '{"x":1}' }, true],
    ['$.a.j', { matchesJsonSchema: '{"type":"object","required":["x"]}' }, true],
    ['$.a.s', { equalToJson: '"text"' }, false],
    ['$.o', { contains: '"k" : 2' }, true],
    ['$.o', { contains: '"k":2' }, false],
    ['$.items[*]', { contains: 'w={k=9}' }, true],
    ['$.a.y.sum()', { equalTo: '6.0' }, true],
    ['$.items.length()', { equalTo: '3' }, true],
    ['$.a.s', { and: [{ contains: 't' }, { contains: 'x' }] }, true],
    ['$.a.y', { or: [{ equalTo: '7' }, { equalTo: '1' }] }, true],
  ])('%s %j: %s', (expression, matcher, isFound) => {
    expect(isTaken({ expression, ...matcher })).toBe(isFound);
  });

  test.each([
    ['$..num.max()', 'a function behind'],
    ['$..[*].k', '"*" behind'],
    ['$.a.first()', 'the function first'],
    ['$[?(@.a =~ /(?=x)/)]', 'the pattern'],
    ['$[?(!@.a == 1)]', '"!" in front of a comparison'],
    ['$[?(@.a all [1])]', 'the operator is not supported'],
    [{ expression: '$', absent: true }, 'absent of all'],
    [{ expression: '$.a[?(@.b)].b', absent: true }, 'behind a filter'],
    [{ expression: '$.a', matchesJsonPath: '$.b' }, 'matchesJsonPath'],
    [{ expression: '$.a', or: [{ equalToJson: '1' }] }, 'JSON in or'],
    [{ expression: '$.a[*]', and: [{ contains: '1' }, { contains: '2' }] }, 'several matchers'],
  ])('%j drops the stub', (matcher, why) => {
    const found = path(matcher);
    expect(found.report.entries.map(({ message }) => message)).toEqual([expect.stringContaining(why)]);
    expect(definitionOf(found).routes).toEqual([]);
  });
});

describe('requests', () => {
  test.each(CASES)('%j', (request, taken, missed) => {
    const found = imported(stub(request));
    expect(notesOf(found)).toEqual([]);
    for (const [target, given] of taken)
      expect(answerOf(found, target, given as never), target).toMatchObject({ body: 'held' });
    for (const [target, given] of missed) expect(answerOf(found, target, given as never), target).toBeUndefined();
  });

  test.each<[object, string]>([
    [{ nonsense: 1 }, '/request/nonsense'],
    [{ headers: 'x' }, '/request/headers'],
    [{ bodyPatterns: { equalTo: 'x' } }, '/request/bodyPatterns'],
    [{ basicAuth: 'x' }, '/request/basicAuth'],
    [query({ nonsense: 'x' }), '/request/queryParameters/id'],
    [several('includes', { doesNotContain: '1' }), '/request/queryParameters/id'],
    [several('hasExactly', { doesNotContain: '1' }, { contains: '2' }), '/request/queryParameters/id'],
    [query({ hasExactly: [] }), '/request/queryParameters/id'],
    [equalToJson({ a: '${json-unit.matches:x}' }), '/request/bodyPatterns/0'],
    [equalToJson({ a: '${json-unit.regex}(?=a)' }), '/request/bodyPatterns/0'],
  ])('%j is not known, and drops the stub', (request, pointer) => {
    const found = imported(stub(request));
    expect(notesOf(found)).toEqual([`wiremock.matcher ${pointer}`]);
    expect(definitionOf(found).routes).toEqual([]);
  });
});

test('numbers of a body are sent as they are written', () => {
  const json = '{"units":12345678901234567890,"price":1.10,"rate":0.1000000000000000055,"list":[5.0,1]}';
  const found = imported(`{"request": {"urlPath": "/a"}, "response": {"jsonBody": ${json}}}`);
  expect(notesOf(found)).toEqual([]);
  expect(answerOf(found, 'GET /a')?.body).toBe(json);
});

test('templates print all digits of a number', () => {
  const body =
    "{{jsonPath request.body '$.id'}} {{jsonPath request.body '$.d'}} {{lookup (parseJson request.body) 'id'}} {{toJson (jsonPath request.body '$.l')}}";
  const found = imported({
    request: { urlPath: '/a' },
    response: { body, transformers: ['response-template'] },
  });
  const sent = '{"id":12345678901234567890,"d":0.1000000000000000055,"l":[12345678901234567890]}';
  expect(answerOf(found, 'POST /a', { body: sent })?.body).toBe(
    '12345678901234567890 0.1000000000000000055 12345678901234567890 [12345678901234567890]',
  );
});
