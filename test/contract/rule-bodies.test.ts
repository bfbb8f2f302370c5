/**
 * How rules read the body of a request, over HTTP with two threads: JSON by dot path and JSONPath, forms, raw text;
 * docs/mocks-matching.md and "Behaviour". Operators on plain texts: rules.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { chunked, RawConnection, rawRequest } from '../support/raw-http.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const URLENCODED = 'application/x-www-form-urlencoded';

const JSON_BODY = JSON.stringify({
  user: { name: 'Ada', tags: ['a', 'b'], age: 36, price: 9.5, ok: true, nested: { deep: { er: 'x' } } },
  items: [
    { id: 1, name: 'one' },
    { id: 2, name: 'two' },
  ],
  text: '',
  zero: 0,
  'with space': 'w',
});

const multipart = (fields: Record<string, string>): string =>
  `${Object.entries(fields)
    .map(([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('')}--b--\r\n`;

type Row = [property: string, operator: string, value: string, holds: boolean];

/** One row per rule and body; the mock has a route per rule. */
function rowsOn(body: string | undefined, type: string | undefined, rows: readonly Row[]): void {
  let id: string;
  beforeAll(async () => {
    const response = ([property, operator, value]: Row, invert: boolean): Fields => ({
      body: 'held',
      rules: [{ target: 'body', property, operator, value, invert }],
    });
    id = await two.mock(
      rows.flatMap((row, index) => [
        route(`POST /plain/${index}`, [response(row, false), { body: 'not held' }]),
        route(`POST /inverted/${index}`, [response(row, true), { body: 'not held' }]),
      ]),
    );
  });
  test.each(rows.map((row, index) => [...row, index] as const))(
    '%j %s %j is %s',
    async (_property, _operator, _value, holds, index) => {
      const ask = {
        method: 'POST',
        headers: type === undefined ? {} : { 'content-type': type },
        ...(body === undefined ? {} : { body }),
      };
      expect(await two.text(id, `/plain/${index}`, ask)).toBe(holds ? 'held' : 'not held');
      expect(await two.text(id, `/inverted/${index}`, ask)).toBe(holds ? 'not held' : 'held');
    },
  );
}

describe('JSON by dot path:', () => {
  rowsOn(JSON_BODY, 'application/json', [
    ['user.name', 'equals', 'Ada', true],
    ['user.name', 'equals', 'ada', false],
    ['user.nested.deep.er', 'equals', 'x', true],
    ['user.tags.0', 'equals', 'a', true],
    ['user.tags.1', 'equals', 'a', false],
    ['user.tags.2', 'exists', '', false],
    ['items.1.name', 'startsWith', 'tw', true],
    ['with space', 'equals', 'w', true],
    ['user.missing', 'exists', '', false],
    ['user.missing', 'empty', '', true],
    ['user.name.length', 'exists', '', false],
    ['user.constructor', 'exists', '', false],
    ['__proto__', 'exists', '', false],
    ['text', 'exists', '', true],
    ['text', 'empty', '', true],
    ['zero', 'empty', '', false],
    ['zero', 'exists', '', true],
    // A JSON value is compared as its text.
    ['user.age', 'equals', '36', true],
    ['user.age', 'startsWith', '3', true],
    ['user.age', 'regex', '^3.$', true],
    ['user.ok', 'equals', 'true', true],
    ['user.tags', 'equals', '["a","b"]', true],
    ['user.tags', 'contains', '"b"', true],
    ['user.nested.deep', 'equals', '{"er":"x"}', true],
    // Numbers, for gt and similar operators.
    ['user.age', 'gt', '9', true],
    ['user.age', 'gt', '36', false],
    ['user.age', 'gte', '36', true],
    ['user.age', 'lt', '100', true],
    ['user.age', 'lte', '35.9', false],
    ['user.price', 'lt', '10', true],
    ['user.name', 'gt', '0', false],
    ['user.tags', 'arrayIncludes', 'b', true],
    ['user.tags', 'arrayIncludes', 'c', false],
    ['user.name', 'arrayIncludes', 'Ada', false],
    ['user', 'jsonSchema', '{"type":"object","required":["name","age"]}', true],
    ['user', 'jsonSchema', '{"type":"object","required":["email"]}', false],
    ['user.age', 'jsonSchema', '{"type":"integer","minimum":36,"maximum":36}', true],
    ['user.age', 'jsonSchema', '{"type":"string"}', false],
    ['user.tags', 'jsonSchema', '{"type":"array","items":{"enum":["a","b"]},"maxItems":2}', true],
    ['user.tags', 'jsonSchema', '{"type":"array","items":{"const":"a"}}', false],
    ['user.missing', 'jsonSchema', '{}', false],
  ]);
});

describe('JSONPath:', () => {
  rowsOn(JSON_BODY, 'application/json', [
    ['$.user.name', 'equals', 'Ada', true],
    ["$['user']['name']", 'equals', 'Ada', true],
    ['$.items[*].id', 'equals', '2', true],
    ['$.items[*].id', 'equals', '3', false],
    ['$.items[*].id', 'gt', '1', true],
    ['$.items[*].id', 'arrayIncludes', '2', true],
    ['$..name', 'equals', 'two', true],
    ['$..name', 'equals', 'three', false],
    ['$.items[0].name', 'equals', 'one', true],
    ['$.items[-1].name', 'equals', 'two', true],
    ['$.items[?@.id > 1].name', 'equals', 'two', true],
    ['$.items[?@.id > 1].name', 'equals', 'one', false],
    ['$.items[?@.id > 9]', 'exists', '', false],
    ['$.items[?@.id > 9]', 'empty', '', true],
    ['$.user.tags', 'arrayIncludes', 'a', true],
    ['$', 'jsonSchema', '{"required":["user","items"]}', true],
    ['$.items', 'jsonSchema', '{"type":"array","minItems":3}', false],
  ]);
});

describe('the raw text:', () => {
  rowsOn('plain {text', 'text/plain', [
    ['', 'equals', 'plain {text', true],
    ['', 'contains', '{', true],
    ['', 'regex', '^plain', true],
    ['', 'empty', '', false],
    ['', 'exists', '', true],
    ['a', 'exists', '', false],
    ['$.a', 'exists', '', false],
  ]);
  describe('also of JSON:', () => {
    rowsOn('{"a": 1}', 'application/json', [
      ['', 'equals', '{"a": 1}', true],
      ['', 'contains', '{"a":1}', false],
      ['', 'jsonSchema', '{"required":["a"]}', true],
      ['', 'jsonSchema', '{"required":["b"]}', false],
    ]);
  });
  describe('of no body:', () => {
    rowsOn(undefined, undefined, [
      ['', 'exists', '', false],
      ['', 'empty', '', true],
      ['', 'equals', '', false],
      ['', 'regex', '', false],
      ['', 'contains', '', false],
      ['a', 'empty', '', true],
    ]);
  });
  describe('in UTF-8:', () => {
    rowsOn('é✓', 'text/plain', [['', 'equals', 'é✓', true]]);
  });
});

describe('a body that parses as JSON is JSON, whatever its declared type:', () => {
  for (const type of [undefined, 'text/plain', 'application/xml', 'application/octet-stream', 'nonsense']) {
    describe(`${type}:`, () => {
      rowsOn(JSON_BODY, type, [
        ['user.name', 'equals', 'Ada', true],
        ['$.user.age', 'gt', '35', true],
      ]);
    });
  }
  describe('also when it is declared as a form, as curl -d does:', () => {
    for (const type of [URLENCODED, `${URLENCODED}; charset=utf-8`, 'Multipart/Form-Data; boundary=b']) {
      describe(`${type}:`, () => {
        rowsOn(JSON_BODY, type, [
          ['user.name', 'equals', 'Ada', true],
          ['$.user.age', 'gt', '35', true],
          ['', 'contains', '"Ada"', true],
        ]);
        rowsOn('{"user":{"name":"Ada"}', type, [
          ['user.name', 'exists', '', false],
          ['', 'contains', '"Ada"', true],
        ]);
      });
    }
  });
});

describe('form fields:', () => {
  rowsOn('a=1+2&b=%C3%A9&tags=x&tags=y&user.name=Ada&n=10&e=', URLENCODED, [
    ['a', 'equals', '1 2', true],
    ['b', 'equals', 'é', true],
    ['tags', 'equals', 'y', true],
    ['tags', 'equals', 'z', false],
    ['tags', 'arrayIncludes', 'x', true],
    ['tags.0', 'equals', 'x', true],
    ['tags.1', 'equals', 'x', false],
    ['tags.2', 'exists', '', false],
    ['user.name', 'equals', 'Ada', true],
    ['n', 'gt', '9', true],
    ['n', 'lt', '9', false],
    ['e', 'exists', '', true],
    ['e', 'empty', '', true],
    ['none', 'empty', '', true],
    ['none', 'exists', '', false],
    ['', 'contains', 'a=1+2', true],
  ]);
  describe('of several parts:', () => {
    rowsOn(multipart({ note: 'two\r\nlines', n: '7', 'user.name': 'Ada' }), 'multipart/form-data; boundary=b', [
      ['note', 'equals', 'two\r\nlines', true],
      ['n', 'gte', '7', true],
      ['user.name', 'equals', 'Ada', true],
      ['other', 'exists', '', false],
    ]);
  });
});

test('a whole number with more digits than a double keeps is compared as its text', async () => {
  const value = '12345678901234567890';
  const rules = [{ target: 'body', property: 'id', operator: 'equals', value }];
  const id = await two.mock([route('POST /', [{ body: 'held', rules }, { body: 'not held' }])]);
  expect(await two.text(id, '/', { method: 'POST', body: `{"id":${value}}` })).toBe('held');
});

test('a long whole number beside a fraction of many digits', async () => {
  const rules = [{ target: 'body', property: 'id', operator: 'equals', value: '12345678901234567890' }];
  const id = await two.mock([route('POST /', [{ body: 'held', rules }, { body: 'not held' }])]);
  const body =
    '{"x":0.30000000000000004,"s":"1234567890123456789","id":12345678901234567890,"e":1e-1234567890123456789}';
  expect(await two.text(id, '/', { method: 'POST', body })).toBe('held');
});

describe('a body is read whole', () => {
  let id: string;
  beforeAll(async () => {
    const rules = [{ target: 'body', property: 'last', operator: 'equals', value: 'here' }];
    id = await two.mock([route('ANY /', [{ body: 'held', rules }, { body: 'not held' }])]);
  });
  const large = JSON.stringify({ fill: 'x'.repeat(3_000_000), last: 'here' });

  test('when it is large', async () => {
    expect(await two.text(id, '/', { method: 'POST', body: large })).toBe('held');
  });

  test('with every method that has one', async () => {
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const ask = { method, body: '{"last":"here"}', headers: { 'content-length': '15' } };
      expect([method, await two.text(id, '/', ask)]).toEqual([method, 'held']);
    }
  });

  test('when it is sent in chunks, cut anywhere', async () => {
    for (let thread = 0; thread < 2; thread++) {
      const connection = await RawConnection.open(two.server.mockPort);
      const head = ['Transfer-Encoding: chunked', `Host: ${id}.localhost`];
      const [first, ...rest] = chunked('{"la', 'st":', '"here"}').split(/(?<=\r\n)/);
      await connection.write(rawRequest('POST / HTTP/1.1', head, first));
      for (const piece of rest) {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await connection.write(piece);
      }
      expect((await connection.answer()).body.toString()).toBe('held');
      await connection.close();
    }
  });
});

describe('a rule is refused when the mock is edited', () => {
  test.each<[string, Fields]>([
    ['with an unknown target', { target: 'path', property: 'p', operator: 'exists' }],
    ['with an unknown operator', { target: 'query', property: 'p', operator: 'like' }],
    ['without a target', { property: 'p', operator: 'exists' }],
    ['without an operator', { target: 'query', property: 'p' }],
    ['with a JSONPath that does not parse', { target: 'body', property: '$.[', operator: 'exists' }],
    ['with a schema that is not JSON', { target: 'body', operator: 'jsonSchema', value: '{' }],
    ['with a limit that is not a number', { target: 'query', property: 'p', operator: 'gt', value: 'ten' }],
  ])('%s', async (_what, rule) => {
    const { status, json } = await two.api('POST', '', { name: 'm', routes: [route('GET /', [{ rules: [rule] }])] });
    expect(status).toBe(400);
    expect(json.details[0].path).toMatch(/^\/routes\/0\/responses\/0\/rules\/0/);
  });
});
