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
  [several('hasExactly', { doesNotContain: '1' }), [['GET /a?id=2']], [['GET /a?id=1'], ['GET /a'], ['GET /a?id=2&id=3']]],
  [bodyPattern({ binaryEqualTo: 'AQL/' }), [post(Buffer.from('AQL/', 'base64'))], [post('AQL/'), ['POST /a']]],
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

describe('requests', () => {
  test.each(CASES)('%j', (request, taken, missed) => {
    const found = imported(stub(request));
    expect(notesOf(found)).toEqual([]);
    for (const [target, given] of taken) expect(answerOf(found, target, given as never), target).toMatchObject({ body: 'held' });
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
