/**
 * Which route a request gets, and what rules see of it, over HTTP with two threads: routes that hand requests on, forms of paths, groups of
 * rules, targets and operators, settings; docs/mocks-matching.md, "Paths", "Selection", "Operators".
 */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';
import type { Ask } from '../support/ask-mock.ts';

const two = await TwoThreads.use();

/** What `try` answers. */
const tried = (mock: string, asked: Fields) => two.data('POST', `/${mock}/try`, asked);

/** The details of a mock that is refused. */
async function refusal(routes: readonly Fields[], settings: Fields = {}): Promise<Fields[]> {
  const { status, json } = await two.api('POST', '', { name: 'refused', routes, settings });
  expect(status).toBe(400);
  return json.details;
}

const on = (target: string, property: string, operator: string, value = '', more: Fields = {}): Fields => ({
  target,
  property,
  operator,
  value,
  ...more,
});

describe('a route with `otherwise: "next"`', () => {
  const next = (path: string, name: string, body: string): Fields =>
    route(path, [{ body, rules: [on('query', name, 'exists')] }], { otherwise: 'next' });

  test('hands on what its rules do not answer, to the end', async () => {
    const mock = await two.mock([
      next('GET /a', 'x', 'one'),
      next('GET /a', 'y', 'two'),
      next('GET /:p', 'z', 'three'),
    ]);
    const asked = await Promise.all(['?x&y', '?y&z', '?z', ''].map((query) => two.ask(mock, `/a${query}`)));
    expect(asked.map(({ status, text }) => (status === 200 ? text : status))).toEqual(['one', 'two', 'three', 404]);
  });

  test('goes by the list where the list decides, and ends at a route that answers all', async () => {
    const mock = await two.mock(
      [
        next('GET /*', 'x', 'any'),
        next('GET /a', 'y', 'a'),
        route('ANY /a', [{ body: 'rest' }]),
        next('GET /a', 'z', 'late'),
      ],
      { precedence: 'listed' },
    );
    const asked = await Promise.all(['?x&y', '?y', '?z'].map((query) => two.ask(mock, `/a${query}`)));
    expect(asked.map(({ text }) => text)).toEqual(['any', 'a', 'rest']);
    expect((await two.ask(mock, '/a?y', { method: 'HEAD' })).status).toBe(200);
  });

  test('reads the body that a later route needs, and shows what was handed on', async () => {
    const mock = await two.mock([
      next('POST /a', 'x', 'one'),
      route('POST /:p', [{ body: "{{body 'n'}}", templated: true, rules: [on('body', 'n', 'equals', '7')] }]),
    ]);
    expect((await two.ask(mock, '/a', { method: 'POST', body: '{"n":7}' })).text).toBe('7');
    const { explanation } = await tried(mock, { method: 'POST', path: '/a', body: '{"n":7}' });
    expect(explanation.passedOn).toMatchObject([{ method: 'POST', path: '/a', candidates: [{ holds: false }] }]);
  });

  test('belongs to the selection rules', async () => {
    const refused = await refusal([route('GET /a', [{}], { selection: 'random', otherwise: 'next' })]);
    expect(refused).toMatchObject([{ path: '/routes/0/otherwise' }]);
  });
});

describe('paths', () => {
  const echo = (path: string, template: string, more: Fields = {}): Fields =>
    route(path, [{ body: template, templated: true }], more);

  test.each([
    ['GET /files/:name.:ending', '/files/a.b.txt', "{{urlParam 'name'}} {{urlParam 'ending'}}", 'a b.txt'],
    ['GET /:from-:to', '/x-y', "{{urlParam 'from'}} {{urlParam 'to'}}", 'x y'],
    ['GET /v:major([0-9]+)/x', '/v12/x', "{{urlParam 'major'}}", '12'],
    ['GET /:id([0-9]{1,3}|me)', '/me', "{{urlParam 'id'}}", 'me'],
    ['GET /a/:b?/c', '/a/c', "[{{urlParam 'b'}}]", '[]'],
    ['GET /a/:b?/c', '/a/x/c', "[{{urlParam 'b'}}]", '[x]'],
    ['GET /a/*/c', '/a/1/2/c', "{{urlParam '*'}}", '1/2'],
    ['GET /a/*/c/*', '/a/1/c/2/3', "{{urlParam '*'}} {{urlParam '*2'}}", '1 2/3'],
    ['GET /jobs/7:cancel', '/jobs/7:cancel', 'literal', 'literal'],
  ])('%s gets %s', async (path, target, template, text) => {
    const mock = await two.mock([echo(path, template)]);
    expect((await two.ask(mock, target)).text).toBe(text);
    expect((await tried(mock, { method: 'GET', path: target })).response.body).toBe(text);
  });

  test('a pattern of the whole path comes last, with its groups as parameters', async () => {
    const mock = await two.mock([
      echo('GET ^/(?P<kind>books|films)/([0-9]+)$', "{{urlParam 'kind'}} {{urlParam '2'}}", { pathKind: 'regex' }),
      echo('GET /books/1', 'literal'),
    ]);
    const asked = await Promise.all(['/films/7', '/books/1', '/books/x'].map((path) => two.ask(mock, path)));
    expect(asked.map(({ status, text }) => (status === 200 ? text : status))).toEqual(['films 7', 'literal', 404]);
  });

  test.each([
    ['/:a(', 'lacks a ")"'],
    ['/:a([)', 'read as RE2'],
    ['/:a(1):b(2)', 'two parameters without text between them'],
    ['/:a.:a', 'two parameters named a'],
    ['/*/*/*/a', 'at most 2 times'],
    ['/:a?/:b?/:c?/:d?/:e?', 'at most 4 optional'],
  ])('%s is refused', async (path, reason) => {
    expect(await refusal([route(`GET ${path}`, [{}])])).toMatchObject([{ message: expect.stringContaining(reason) }]);
  });

  test('a pattern that is none is refused with its place', async () => {
    const refused = await refusal([route('GET (', [{}], { pathKind: 'regex' })]);
    expect(refused).toMatchObject([{ path: '/routes/0/path', message: expect.stringContaining('RE2') }]);
  });

  // reaches ROUTE_SEARCH_WORK_MAX
  test('a path that takes too much work to find has no route', async () => {
    const routes = Array.from({ length: 400 }, (_, index) => route(`GET /:a(x*y{1,50}${index})/:b`, [{}]));
    const mock = await two.mock(routes);
    const began = performance.now();
    expect((await two.ask(mock, `/${'x'.repeat(6_000)}/b`)).status).toBe(404);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

const part = (head: string, content: string): string =>
  `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${content}\r\n`;
const UPLOAD = `${part('name="note"', 'hi')}${part('name="doc"; filename="a.txt"\r\nContent-Type: text/plain', 'hello')}--b--\r\n`;
const MULTIPART: Ask = {
  method: 'POST',
  body: UPLOAD,
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
};
const token = (claims: object): Ask => ({
  headers: { authorization: `Bearer e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x` },
});
const json = (body: unknown): Ask => ({ method: 'POST', body: JSON.stringify(body) });
const coded = (coding: string, body: Buffer): Ask => ({
  method: 'POST',
  body,
  headers: { 'content-encoding': coding },
});
const plainBody = (body: string): Ask => ({ method: 'POST', body });

describe('rules', () => {
  const cases: readonly (readonly [rule: Fields, target: string, ask: Ask, holds: boolean])[] = [
    [on('method', '', 'equals', 'POST'), '/p', json(1), true],
    [on('path', '', 'endsWith', '/ü'), '/p/%C3%BC', {}, true],
    [on('queryString', '', 'only', 'a, b'), '/p?b=1&a', {}, true],
    [on('queryString', '', 'only', 'a'), '/p?b=1&a', {}, false],
    [on('queryString', '', 'only'), '/p', {}, true],
    [on('queryString', '', 'only'), '/p?a', {}, false],
    [on('queryString', '', 'equals', 'a=%20'), '/p?a=%20', {}, true],
    [on('requestNumber', '', 'lte', '1'), '/p', {}, true],
    [on('requestNumber', '', 'gt', '1'), '/p', {}, false],
    [on('clientIp', '', 'cidr', '10.0.0.0/8,127.0.0.0/8'), '/p', {}, true],
    [on('clientIp', '', 'equals', '127.0.0.2'), '/p', {}, false],
    [on('basicAuth', 'username', 'equals', 'ann'), '/p', { headers: { authorization: 'Basic YW5uOng6eQ==' } }, true],
    [on('basicAuth', 'password', 'equals', 'x:y'), '/p', { headers: { authorization: 'Basic YW5uOng6eQ==' } }, true],
    [on('basicAuth', 'password', 'exists'), '/p', { headers: { authorization: 'Basic ???' } }, false],
    [on('jwt', 'user.name', 'equals', 'ann'), '/p', token({ user: { name: 'ann' } }), true],
    [on('jwt', 'roles', 'arrayIncludes', 'admin'), '/p', token({ roles: ['admin'] }), true],
    [on('jwt', '', 'jsonIncludes', '{"sub":"1"}'), '/p', token({ sub: '1', exp: 3 }), true],
    [on('jwt', 'sub', 'exists'), '/p', { headers: { authorization: 'Bearer x' } }, false],
    [on('files', 'doc.filename', 'equals', 'a.txt'), '/p', MULTIPART, true],
    [on('files', 'doc.contentType', 'equals', 'text/plain'), '/p', MULTIPART, true],
    [on('files', 'doc.size', 'equals', '5'), '/p', MULTIPART, true],
    [on('files', 'doc.text', 'contains', 'ell'), '/p', MULTIPART, true],
    [on('files', 'note.text', 'exists'), '/p', MULTIPART, false],
    [on('body', '', 'jsonEquals', '{"b":[1.0,2],"a":null}'), '/p', json({ a: null, b: [1, 2] }), true],
    [on('body', '', 'jsonEquals', '{"a":1}'), '/p', json({ a: 1, b: 2 }), false],
    [on('body', 'b', 'jsonEquals', '[2,1]', { ignoreOrder: true }), '/p', json({ b: [1, 2] }), true],
    [on('body', 'b', 'jsonEquals', '[2,1,1]', { ignoreOrder: true }), '/p', json({ b: [1, 2, 2] }), false],
    [on('body', '', 'jsonIncludes', '{"a":{"x":1}}'), '/p', json({ a: { x: 1, y: 2 }, b: 3 }), true],
    [on('body', '', 'jsonIncludes', '{"b":[3]}', { ignoreOrder: true }), '/p', json({ b: [1, 3] }), true],
    [
      on('body', '', 'jsonIncludes', '[{"a":1},{"a":1,"b":2}]', { ignoreOrder: true }),
      '/p',
      json([
        { a: 1, b: 2 },
        { a: 1, b: 3 },
      ]),
      true,
    ],
    [
      on('body', '', 'jsonIncludes', '[{"a":1},{"a":1,"b":2}]', { ignoreOrder: true }),
      '/p',
      json([{ a: 1, b: 2 }, { b: 2 }]),
      false,
    ],
    [on('body', '', 'jsonIncludes', '{"b":[3]}'), '/p', json({ b: [1, 3] }), false],
    [on('body', '', 'jsonEquals', '{"__proto__":1}'), '/p', { method: 'POST', body: '{"__proto__":1}' }, true],
    [on('body', '', 'jsonIncludes', '{"b":[1]}', { extraItems: true }), '/p', json({ b: [1, 3] }), true],
    [on('body', '', 'jsonIncludes', '{"b":[3]}', { extraItems: true }), '/p', json({ b: [1, 3] }), false],
    [on('body', '', 'jsonEquals', '["${json-unit.any-string}"]', { placeholders: true }), '/p', json(['x']), true],
    [on('body', '', 'jsonEquals', '["${json-unit.any-string}"]', { placeholders: true }), '/p', json([1]), false],
    [on('body', '', 'jsonEquals', '["${json-unit.any-string}"]'), '/p', json(['x']), false],
    [on('body', 'id', 'equals', '12345678901234567890'), '/p', plainBody('{"id":12345678901234567890}'), true],
    [on('body', '$.id', 'equals', '12345678901234567890'), '/p', plainBody('{"id":12345678901234567891}'), false],
    [on('body', '$..id', 'equals', '0.1000000000000000055'), '/p', plainBody('[{"id":0.1000000000000000055}]'), true],
    [on('body', '', 'contains', '{"id":12345678901234567890'), '/p', plainBody('{"id":12345678901234567890}'), true],
    [on('body', 'o', 'contains', '[12345678901234567890]'), '/p', plainBody('{"o":[12345678901234567890]}'), true],
    [on('body', 'id', 'gt', '5'), '/p', plainBody('{"id":12345678901234567890}'), true],
    [
      on('body', '', 'jsonSchema', '{"properties":{"id":{"type":"number"}}}'),
      '/p',
      plainBody('{"id":1234567890123456789}'),
      true,
    ],
    [on('query', 'id', 'jsonEquals', '12345678901234567890'), '/p?id=12345678901234567891', {}, false],
    [on('query', 'a', 'count', '2'), '/p?a=1&a=1', {}, true],
    [on('query', 'a', 'count', '2'), '/p?a=1', {}, false],
    [on('query', 'a', 'count', '0'), '/p', {}, true],
    [on('body', '$..a', 'count', '2'), '/p', json([{ a: 1 }, { a: 2 }]), true],
    [on('body', '', 'bytes', 'AQID'), '/p', { method: 'POST', body: Buffer.from([1, 2, 3]) }, true],
    [on('body', '', 'bytes', 'AQID'), '/p', { method: 'POST', body: Buffer.from([1, 2, 3, 4]) }, false],
    [on('body', '', 'bytes', 'AQID'), '/p', {}, false],
    [on('body', 'a', 'equals', '1'), '/p', coded('gzip', gzipSync('{"a":1}')), true],
    [on('body', 'a', 'equals', '1'), '/p', coded('br, gzip', gzipSync(brotliCompressSync('{"a":1}'))), true],
    [on('body', '', 'equals', 'plain'), '/p', coded('gzip', Buffer.from('plain')), true],
    [on('header', 'x', 'equals', 'ABC', { ignoreCase: true }), '/p', { headers: { x: 'abc' } }, true],
    [on('header', 'x', 'regex', '^AB', { ignoreCase: true }), '/p', { headers: { x: 'abc' } }, true],
    [on('header', 'x', 'contains', 'B', { ignoreCase: true }), '/p', { headers: { x: 'abc' } }, true],
    [on('header', 'x', 'before', 'now'), '/p', { headers: { x: '2001-01-01T00:00:00Z' } }, true],
    [on('header', 'x', 'after', 'now+1d'), '/p', { headers: { x: '9999-01-01' } }, true],
    [on('header', 'x', 'after', '2001-01-01'), '/p', { headers: { x: 'soon' } }, false],
    [on('header', 'x', 'sameTime', '2001-01-01'), '/p', { headers: { x: 'Mon, 01 Jan 2001 00:00:00 GMT' } }, true],
    [on('header', 'x', 'sameTime', 'Mon, 01 Jan 2001 00:00:00 GMT'), '/p', { headers: { x: '2001-01-01' } }, true],
    [
      on('header', 'x', 'sameTime', '2001-01-01; first day of year; format d.M.yyyy'),
      '/p',
      { headers: { x: '7.8.2001' } },
      true,
    ],
    [on('header', 'x', 'before', 'now, first day of year, +1 days'), '/p', { headers: { x: '2001-01-01' } }, true],
    [
      { anyPart: [on('header', 'content-type', 'equals', 'text/plain'), on('body', '', 'equals', 'hello')] },
      '/p',
      MULTIPART,
      true,
    ],
    [{ anyPart: [on('header', 'content-type', 'equals', 'image/png')] }, '/p', MULTIPART, false],
    [{ not: { anyPart: [on('body', '', 'equals', 'hello')] } }, '/p', MULTIPART, false],
    [{ anyPart: [] }, '/p', MULTIPART, true],
    [{ anyPart: [] }, '/p', plainBody('hello'), false],
    [{ all: [on('query', 'a', 'exists'), { not: on('query', 'b', 'exists') }] }, '/p?a', {}, true],
    [{ all: [on('query', 'a', 'exists'), { not: on('query', 'b', 'exists') }] }, '/p?a&b', {}, false],
    [{ any: [on('query', 'a', 'exists'), { all: [on('query', 'b', 'exists')] }] }, '/p?b', {}, true],
  ];
  test.each(cases)('%j on %s %j is %s', async (rule, target, ask, holds) => {
    const mock = await two.mock([route('ANY /p/:x?', [{ body: 'held', rules: [rule] }, { body: 'not' }])]);
    expect((await two.ask(mock, target, ask)).text).toBe(holds ? 'held' : 'not');
  });

  test.each([
    [on('query', '', 'only'), 'is only for the target queryString'],
    [on('method', 'x', 'equals'), 'a condition on method has no property'],
    [on('basicAuth', 'x', 'equals'), 'username or password'],
    [on('files', 'doc', 'exists'), 'the name of a field, a dot'],
    [on('query', 'a', 'gt', '1', { ignoreCase: true }), 'gt does not support ignoreCase'],
    [on('query', 'a', 'equals', '1', { ignoreOrder: true }), 'equals does not support ignoreOrder'],
    [on('body', '', 'jsonEquals', '{'), 'must be JSON'],
    [on('body', '', 'jsonEquals', '[1]', { extraItems: true }), 'jsonEquals does not support extraItems'],
    [on('body', '', 'equals', '[1]', { placeholders: true }), 'equals does not support placeholders'],
    [
      on('body', '', 'jsonEquals', '["${json-unit.none}"]', { placeholders: true }),
      'the placeholder ${json-unit.none}',
    ],
    [on('query', 'a', 'count', '-1'), 'a whole number from 0 to 1000'],
    [on('query', 'a', 'count', '1001'), 'a whole number from 0 to 1000'],
    [on('query', 'a', 'count', ''), 'a whole number from 0 to 1000'],
    [on('body', '', 'bytes', '?'), 'must be base64'],
    [on('query', 'a', 'bytes', 'AQID'), 'bytes is only for the whole body'],
    [on('clientIp', '', 'cidr', '10.0.0.0/99'), 'nor a range'],
    [on('query', 'a', 'before', 'soon'), 'must be a time'],
    [{ anyPart: [on('query', 'a', 'exists')] }, 'only the targets header and body'],
    [{ anyPart: [{ not: { anyPart: [] } }] }, 'a part has no parts'],
    [on('body', 'jayway:$.a.first()', 'exists'), 'the JSONPath of Jayway: the function first'],
    [{ all: [] }, 'must have at least one'],
    [{ all: 1 }, 'expected an array'],
    [{ not: [] }, 'expected an object'],
    [{ any: [{ target: 'query' }] }, 'is required'],
    [{ any: [on('query', 'a', 'exists')], target: 'query' }, 'cannot be combined with target'],
    [{ not: { not: { not: { not: { not: { not: on('query', 'a', 'exists') } } } } } }, 'nested at most 5 deep'],
  ])('%j is refused', async (rule, reason) => {
    const refused = await refusal([route('GET /p', [{ rules: [rule] }])]);
    expect(refused[0]).toMatchObject({
      path: expect.stringMatching(/^\/routes\/0\/responses\/0\/rules\/0/),
      message: expect.stringContaining(reason),
    });
  });

  test('a body that decodes to more than its conditions may read is not answered by them, and quickly refused', async () => {
    const mock = await two.mock([route('ANY /p', [{ body: 'held', rules: [on('body', '', 'contains', 'x')] }, {}])]);
    const started = performance.now();
    const { status } = await two.ask(mock, '/p', coded('gzip', gzipSync(Buffer.alloc(60_000_000))));
    expect(status).toBe(500);
    // A hundredth of it on an idle machine.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test('fifty conditions are the most, those in groups too', async () => {
    const all = Array.from({ length: 51 }, () => on('query', 'a', 'exists'));
    expect((await refusal([route('GET /p', [{ rules: [{ all }] }])]))[0]).toMatchObject({
      message: expect.stringContaining('at most 50 conditions'),
    });
  });

  test('an explanation shows the part that came closest, and a miss names what it lacks', async () => {
    const rules = [
      { anyPart: [on('header', 'content-type', 'equals', 'text/plain'), on('body', '', 'equals', 'bye')] },
    ];
    const mock = await two.mock([route('POST /p', [{ body: 'held', rules }], { otherwise: 'next' })]);
    const ask = MULTIPART as { headers: Record<string, string>; body: string };
    const { explanation } = await tried(mock, { method: 'POST', path: '/p', headers: ask.headers, body: ask.body });
    const [group] = explanation.passedOn[0].candidates[0].rules;
    expect(group).toMatchObject({ group: 'anyPart', holds: false, rules: [{ holds: true }, { holds: false }] });
    expect(group.part).toBeGreaterThan(0);
    expect((await two.ask(mock, '/p', MULTIPART)).text).toContain('requires body equals bye; got');
    expect((await two.ask(mock, '/p', plainBody('x'))).text).toContain('a part of a multipart body');
  });

  test('an explanation shows groups as they are', async () => {
    const rules = [{ any: [on('query', 'a', 'exists'), { not: on('query', 'b', 'exists') }] }];
    const mock = await two.mock([route('GET /p', [{ body: 'held', rules }, { body: 'not' }])]);
    const { explanation } = await tried(mock, { method: 'GET', path: '/p?b' });
    expect(explanation.candidates[0].rules).toMatchObject([
      {
        group: 'any',
        holds: false,
        rules: [{ holds: false }, { group: 'not', holds: false, rules: [{ holds: true }] }],
      },
    ]);
  });
});

describe('settings', () => {
  test('headers go with responses that have none of the name; the clock stands still; variables are read', async () => {
    const settings = {
      headers: [
        { name: 'X-Mock', value: 'yes' },
        { name: 'content-type', value: 'text/plain' },
      ],
      clock: '2026-01-02T03:04:05Z',
      variables: { base: { url: 'http://a.test' } },
    };
    const body = "{{now}} {{variable 'base.url'}}";
    const mock = await two.mock(
      [
        route('GET /a', [{ body, templated: true, headers: [{ name: 'Content-Type', value: 'text/css' }] }]),
        route('GET /b', [{ rules: [on('query', 'at', 'before', 'now')] }, { status: 404 }]),
      ],
      settings,
    );
    const { text, headers } = await two.ask(mock, '/a');
    expect([text, headers['x-mock'], headers['content-type']]).toEqual([
      '2026-01-02T03:04:05.000Z http://a.test',
      'yes',
      'text/css',
    ]);
    expect((await two.ask(mock, '/b?at=2026-01-01')).headers['content-type']).toBe('text/plain');
    expect((await two.ask(mock, '/b?at=2026-01-03')).status).toBe(404);
  });

  test('those of a session are in place of those of its mock, each alone', async () => {
    const settings = {
      headers: [{ name: 'X-Mock', value: 'mock' }],
      clock: '2026-01-02T03:04:05Z',
      variables: { who: 'mock', kept: 'mock' },
    };
    const body = "{{now}} {{variable 'who'}} {{variable 'kept' 'none'}}";
    const ruled = route('GET /b', [{ rules: [on('query', 'at', 'before', 'now')] }, { status: 404 }]);
    const mock = await two.mock([route('GET /a', [{ body, templated: true }]), ruled], settings);
    const session = async (overlay: Fields) => {
      const { id } = await two.data('POST', `/${mock}/sessions`, { overlay });
      const headers = { 'x-mock-session': id as string };
      const { text, headers: sent } = await two.both(mock, '/a', { headers });
      const explained = await two.data('POST', `/${mock}/sessions/${id}/try`, { method: 'GET', path: '/a' });
      expect(explained.response.body).toBe(text);
      return { text, mock: sent['x-mock'], session: sent['x-session'], headers };
    };
    const usual = { text: '2026-01-02T03:04:05.000Z mock mock', mock: 'mock', session: undefined };
    expect(await session({})).toMatchObject(usual);
    expect(await session({ settings: { variables: { who: 'session' } } })).toMatchObject({
      ...usual,
      text: '2026-01-02T03:04:05.000Z session none',
    });
    expect(
      await session({ settings: { headers: [{ name: 'X-Session', value: "{{method}} {{variable 'who'}}" }] } }),
    ).toMatchObject({ ...usual, mock: undefined, session: 'GET mock' });
    expect(await session({ settings: { headers: [] } })).toMatchObject({ ...usual, mock: undefined });
    const own = route('GET /own', [{ body, templated: true }]);
    const { headers, ...early } = await session({ routes: [own], settings: { clock: '2020-01-01T00:00:00Z' } });
    expect(early).toMatchObject({ ...usual, text: '2020-01-01T00:00:00.000Z mock mock' });
    expect(await two.text(mock, '/own', { headers })).toBe(early.text);
    expect((await two.both(mock, '/b?at=2021-01-01', { headers })).status).toBe(404);
    expect((await two.both(mock, '/b?at=2021-01-01')).status).toBe(200);
  });

  test('headers of a session read the body, also behind a route that hands requests on', async () => {
    const first = route('POST /a', [{ rules: [on('query', 'none', 'exists')] }], { otherwise: 'next' });
    const mock = await two.mock([first, route('POST /:x', [{ templated: true }])]);
    const settings = { headers: [{ name: 'X-Read', value: "{{body 'a'}}" }] };
    const { id } = await two.data('POST', `/${mock}/sessions`, { overlay: { settings } });
    const asked = { method: 'POST', headers: { 'x-mock-session': id as string }, body: '{"a":1}' };
    expect((await two.both(mock, '/a', asked)).headers['x-read']).toBe('1');
  });

  test.each([
    [{ clock: 'soon' }, '/settings/clock', 'ISO 8601'],
    [{ headers: [{ name: 'a b', value: '' }] }, '/settings/headers/0', 'the name must be'],
    [{ headers: [{ name: 'a', value: '{{#if true}}' }] }, '/settings/headers/0', 'lacks its'],
    [{ variables: { 'a b': 1 } }, '/settings/variables/a b', 'a name starts'],
    // reaches SETTINGS_VARIABLES_CHARS_MAX
    [{ variables: { a: 'x'.repeat(100_001) } }, '/settings/variables', 'at most 100000 characters'],
  ])('%j is refused', async (settings, path, reason) => {
    const refused = await refusal([], settings);
    expect(refused[0]).toMatchObject({ path, message: expect.stringContaining(reason) });
    const mock = await two.mock([]);
    const inSession = await two.api('POST', `/${mock}/sessions`, { overlay: { settings } });
    expect(inSession.json.details[0]).toMatchObject({
      path: `/overlay${path}`,
      message: expect.stringContaining(reason),
    });
  });
});
