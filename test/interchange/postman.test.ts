/** Postman collections: saved responses that are called exact are reached by their requests, and nothing vanishes silently. */
import { conditionsOf } from '../../src/model/mocks/definition/conditions.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MockImport } from '../../src/interchange/import-mocks.ts';
import { codesAt, definitionOf, imported, notesOf, tryImport } from '../support/imports.ts';
import { explainedAnswer, request } from '../support/mocks.ts';

const RUNS = 100;

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

const collection = (item: unknown, more: object = {}) => ({ info: { name: 'Shop', schema: SCHEMA }, item, ...more });

/** A request; `url` is its text. */
const ask = (target: string, more: object = {}) => {
  const [method = '', raw = ''] = target.split(' ');
  return { method, url: { raw }, ...more };
};

const saved = (name: string, originalRequest?: unknown, more: object = {}) => ({
  name,
  code: 200,
  header: [{ key: 'Content-Type', value: 'text/plain' }],
  body: name,
  ...(originalRequest === undefined ? {} : { originalRequest }),
  ...more,
});

const item = (target: string, response: unknown[] = [saved('ok')], more: object = {}) => ({
  name: target,
  request: ask(target),
  response,
  ...more,
});

const jsonBody = (raw: string) => ({ mode: 'raw', raw, options: { raw: { language: 'json' } } });
const formBody = (value: string) => ({ mode: 'urlencoded', urlencoded: [{ key: 'a', value }] });

const shownOf = (found: MockImport) =>
  definitionOf(found).routes.map(({ method, path, responses }) => [
    `${method} ${path}`,
    ...responses.map(({ status, label, rules }) =>
      [
        status,
        label,
        ...conditionsOf(rules).map(({ target, property, value }) => `${target} ${property}=${value}`),
      ].join(' '),
    ),
  ]);

/** The label that is answered. */
function answerOf(found: MockImport, target: string, given: Parameters<typeof request>[2] = {}): string | undefined {
  const [method = '', url = ''] = target.split(' ');
  const definition = definitionOf(found);
  const answer = explainedAnswer(definition, request(method, url, given));
  const route = definition.routes.find(({ id }) => id === answer?.routeId);
  return route?.responses.find(({ id }) => id === answer?.responseId)?.label;
}

describe('detection', () => {
  test.each([
    [collection([]), '2.1', '`info.schema`'],
    [{ collection: collection([]) }, '2.1', '`collection`, with `info.schema`'],
    [{ ...collection([]), info: { schema: 'https://schema.postman.com/collection/v2.0.0/' } }, '2.0', '`info.schema`'],
    [
      { ...collection([]), info: { schema: 'http://schema.getpostman.com/collection/v2/collection.json' } },
      '2.0',
      '`info.schema`',
    ],
  ])('%j', (source, version, detectedBy) => {
    const { report } = imported(source);
    expect([report.format, report.version, report.detectedBy]).toEqual(['postman', version, detectedBy]);
  });

  test.each([
    [
      { id: '1', name: 'old', order: [], requests: [] },
      'nearly postman (it is a collection of v1: export the collection as v2.1)',
    ],
    [
      { info: { name: 'a', schema: 'https://schema.getpostman.com/json/collection/v2beta/' }, item: [] },
      'nearly postman (`info.schema` names no version: supported are 2.0 and 2.1, export the collection as v2.1)',
    ],
    [
      { info: { name: 'a', schema: 'https://schema.getpostman.com/json/collection/v1.0.0/' }, item: [] },
      'nearly postman (`info.schema` names v1.0: supported are 2.0 and 2.1, export the collection as v2.1)',
    ],
    [
      { info: { name: 'a' }, item: [] },
      'nearly postman (`info.schema` names no version: supported are 2.0 and 2.1, export the collection as v2.1)',
    ],
    [{ info: { name: 'a', schema: SCHEMA } }, 'nearly postman (`item` is not an array)'],
  ])('%j is refused', (source, problem) => {
    expect(tryImport(source)).toBe(problem);
  });
});

describe('paths', () => {
  const variable = [
    { key: 'version', value: 'v2' },
    { key: 'prefix', value: '/api/{{version}}/' },
    { key: 'empty', value: '' },
    { key: 'off', value: 'off', disabled: true },
    { key: 'myToken', value: 's3cr3t' },
    { key: 'loop', value: '{{loop}}' },
  ];
  test.each<[unknown, string, string[]]>([
    ['{{baseUrl}}/users?x=1#f', '/users', []],
    ['https://api.test:8443/users/', '/users/', []],
    ['{{protocol}}://{{host}}:{{port}}/users', '/users', []],
    ['localhost:3000/users', '/users', []],
    ['/users', '/users', []],
    ['{{baseUrl}}', '/', ['postman.host']],
    ['https://api.test', '/', []],
    ['{{baseUrl}}api/users', '/users', ['postman.host']],
    ['{{baseUrl}}/users/:id/posts/:id', '/users/:id/posts/:id_2', []],
    ['{{baseUrl}}/users/:user id', '/users/:user_id', []],
    ['{{baseUrl}}/files/:name.json', '/files/:name_json', ['postman.parameter']],
    ['{{baseUrl}}/{{version}}/users', '/v2/users', []],
    ['{{baseUrl}}/{{prefix}}/users', '/api/v2/users', []],
    ['{{baseUrl}}/users/{{userId}}', '/users/:userId', ['postman.variable']],
    ['{{baseUrl}}/users/{{$guid}}', '/users/:guid', ['postman.variable']],
    ['{{baseUrl}}/a-{{x}}-{{y}}/{{empty}}/{{off}}', '/:x/:empty/:off', Array(3).fill('postman.variable')],
    ['{{baseUrl}}/users/{{myToken}}/{{loop}}', '/users/:myToken/:loop', Array(2).fill('postman.variable')],
    ['{{baseUrl}}/a*b/:/c', '/a%2Ab/%3A/c', []],
    [{ host: ['api', 'test'], path: ['users', ':id'] }, '/users/:id', []],
    [{ host: '{{baseUrl}}', path: '/users/:id' }, '/users/:id', []],
    [{ host: ['{{baseUrl}}'], path: ['users', { type: 'string', value: ':id' }, 7] }, '/users/:id/7', []],
    [{ raw: '{{baseUrl}}/users', path: [] }, '/', ['postman.host']],
  ])('%j', (url, path, codes) => {
    const found = imported(
      collection([{ name: 'a', request: { method: 'GET', url }, response: [saved('ok')] }], { variable }),
    );
    expect(definitionOf(found).routes.map((route) => route.path)).toEqual([path]);
    expect(codesAt(found, '/item/0')).toEqual(codes);
    expect(JSON.stringify(found)).not.toContain('s3cr3t');
  });

  test.each([
    ['https://api.shop.example/v1', '{{baseUrl}}/users', '/v1/users', 'api.shop.example'],
    ['https://ann:pw@api.shop.example:8443/v1/', '{{baseUrl}}/users/:id', '/v1/users/:id', 'api.shop.example:8443'],
    ['api.shop.example/a/{{version}}', 'https://{{baseUrl}}/users', '/a/v2/users', 'api.shop.example'],
    ['https://api.shop.example', '{{baseUrl}}', '/', 'api.shop.example'],
    ['https://api.shop.example/v1/users', '{{baseUrl}}', '/v1/users', 'api.shop.example'],
    ['https://api.shop.example/v1/', '{{baseUrl}}users', '/v1/users', 'api.shop.example'],
    ['', '{{baseUrl}}/users', '/users', '{{baseUrl}} has no known value: a path in it is dropped'],
  ])('a base URL of %s: %s is %s', (value, raw, path, host) => {
    const found = imported(
      collection([item(`GET ${raw}`), item(`POST ${raw}`)], { variable: [...variable, { key: 'baseUrl', value }] }),
    );
    expect(shownOf(found).map(([route]) => route)).toEqual([`GET ${path}`, `POST ${path}`]);
    const hosts = found.report.entries.filter(({ item: kind }) => kind === 'mock');
    expect(hosts).toMatchObject([
      { code: 'postman.host', message: expect.stringMatching(`: ${host.replaceAll(/[{}]/g, '.')}$`) },
    ]);
    expect(JSON.stringify(found)).not.toContain('pw@');
  });

  test.each([
    ['a method that no route can have', { request: ask('{{method}} /a') }],
    ['no request', {}],
    ['a path of too many parts', { request: ask(`GET /${'a/'.repeat(60)}`) }],
  ])('%s is left out', (_name, given) => {
    const found = imported(collection([item('GET /kept'), { name: 'a', ...given }]));
    expect(notesOf(found)).toEqual(['postman.url /item/1']);
    expect(found.report.items.routes).toEqual({ exact: 1, approximated: 0, dropped: 1 });
  });

  test('a request that is a text is a GET', () => {
    expect(shownOf(imported(collection([{ name: 'a', request: '{{u}}/a' }])))).toEqual([['GET /a', '200 ']]);
  });

  test('folders are described, and have variables of their own', () => {
    const inner = { name: 'Inner', item: [item('GET /{{v}}/a')], variable: [{ key: 'v', value: 'deep' }] };
    const source = collection([{ name: 'Outer', item: [inner, item('GET /{{v}}/a', [])] }], {
      variable: [{ key: 'v', value: 'top' }],
    });
    const { routes } = definitionOf(imported(source));
    expect(routes.map(({ path, description }) => [path, description])).toEqual([
      ['/deep/a', 'Outer / Inner / GET /{{v}}/a'],
      ['/top/a', 'Outer / GET /{{v}}/a'],
    ]);
  });
});

describe('responses', () => {
  test('a request without one answers 200 and nothing; requests of one path are one route', () => {
    const found = imported(
      collection([item('GET /a', []), item('POST /a', []), item('GET /a/', [saved('x', undefined, { code: 404 })])]),
    );
    expect(shownOf(found)).toEqual([
      ['GET /a', '404 x'],
      ['POST /a', '200 '],
    ]);
    expect(notesOf(found)).toEqual(['postman.no-example /item/0', 'postman.no-example /item/1']);
    expect(found.report.items).toMatchObject({
      routes: { exact: 1, approximated: 2, dropped: 0 },
      responses: { exact: 1, approximated: 0, dropped: 0 },
    });
  });

  test('are told apart by the path, the query and the body that they were saved with', () => {
    const body = (raw: string) => ({ body: { mode: 'raw', raw } });
    const found = imported(
      collection([
        item('GET /users/:id', [
          saved('seven', {
            method: 'GET',
            url: { raw: '{{u}}/users/:id', path: ['users', ':id'], variable: [{ key: 'id', value: '7' }] },
          }),
          saved('eight', ask('GET {{u}}/users/8')),
          saved('me', ask('GET {{u}}/users/me')),
        ]),
        item('GET /users/me', []),
        item('GET /list', [
          saved('all', ask('GET /list')),
          saved('second', {
            method: 'GET',
            url: {
              raw: '/list',
              query: [
                { key: 'page', value: '2' },
                { key: 'x', value: '1', disabled: true },
              ],
            },
          }),
        ]),
        item('POST /list', [
          saved('created', ask('POST /list', body('{"name":"a","n":1}'))),
          saved('refused', ask('POST /list', body('{"name":"","n":1}')), { code: 400 }),
          saved('elsewhere', ask('PUT /list')),
        ]),
      ]),
    );
    expect(shownOf(found)).toEqual([
      ['GET /users/:id', '200 seven urlParam id=7', '200 eight urlParam id=8'],
      ['GET /users/me', '200 me'],
      ['GET /list', '200 second query page=2', '200 all'],
      ['POST /list', '200 created body name=a', '400 refused body name='],
      ['PUT /list', '200 elsewhere'],
    ]);
    expect(notesOf(found)).toEqual(['postman.no-example /item/1']);
    expect(answerOf(found, 'GET /users/9')).toBe('seven');
    expect(answerOf(found, 'GET /list?page=2')).toBe('second');
    expect(answerOf(found, 'POST /list', { body: '{"n":1,"name":""}' })).toBe('refused');
  });

  test('of one request the first is answered, and the others are kept', () => {
    const found = imported(
      collection([
        item('GET /a', [
          saved('one', ask('GET /a')),
          saved('two', ask('GET /a'), { code: 404 }),
          saved('same', ask('GET /a'), { body: 'one' }),
        ]),
      ]),
    );
    expect(shownOf(found)).toEqual([['GET /a', '200 one', '404 two', '200 same']]);
    expect(notesOf(found)).toEqual(['postman.by-name /item/0/response/1']);
    expect(answerOf(found, 'GET /a')).toBe('one');
    expect(definitionOf(found).settings.forced).toBe(true);
    expect(answerOf(found, 'GET /a', { headers: { 'x-mock-response-name': 'two' } })).toBe('two');
    expect(definitionOf(imported(collection([item('GET /a')]))).settings.forced).toBe(false);
  });

  test('each that is not chosen gets a label of its own, by which a request gets it', () => {
    const other = { key: 'Content-Type', value: 'text/plain' };
    const found = imported(
      collection([
        item('GET /a', [
          saved('ok', ask('GET /a?x=1'), { body: 'first' }),
          saved(' ok ', ask('GET /a?x=1'), { body: 'second', header: [other] }),
          saved('', ask('GET /a?x=1'), { body: 'third' }),
          saved('ok', ask('GET /a?x=2'), { body: 'fourth' }),
          saved('ok', ask('GET /a?x=2'), { body: 'fifth' }),
          saved('ok (3)', ask('GET /a?x=2'), { body: 'sixth' }),
          saved('x'.repeat(1_000), ask('GET /a?x=2'), { body: 'seventh' }),
          saved('x'.repeat(1_000), ask('GET /a?x=2'), { body: 'eighth' }),
        ]),
      ]),
    );
    const definition = definitionOf(found);
    const named = found.report.entries.filter(({ code }) => code === 'postman.by-name');
    const labels = named.map(({ message }) => message.slice(message.lastIndexOf(': ') + 2));
    expect(labels.slice(0, 4)).toEqual(['ok (2)', '(2)', 'ok (4)', 'ok (3)']);
    const bodies = labels.map((label) => {
      const headers = { 'x-mock-response-name': label };
      return explainedAnswer(definition, request('GET', '/a', { headers }))?.body;
    });
    expect(bodies).toEqual(['second', 'third', 'fifth', 'sixth', 'seventh', 'eighth']);
  });

  test.each<[unknown, string[]]>([
    [[{ key: 'Accept', value: 'application/json' }], ['postman.by-type /item/0/response/0']],
    ['accept: application/json', ['postman.by-type /item/0/response/0']],
    [[{ key: 'Accept', value: '*/*' }], []],
    [[{ key: 'Accept', value: 'text/css', disabled: true }], []],
  ])('of a request with the headers %j, Accept may pick another type', (header, expected) => {
    const original = ask('GET /a', { header });
    const json = { header: [{ key: 'Content-Type', value: 'application/json' }] };
    const found = imported(collection([item('GET /a', [saved('text', original), saved('json', ask('GET /a'), json)])]));
    expect(notesOf(found).filter((note) => !note.startsWith('postman.by-name'))).toEqual(expected);
    expect(answerOf(found, 'GET /a')).toBe('text');
    expect(answerOf(found, 'GET /a', { headers: { accept: 'application/json' } })).toBe('json');
  });

  test.each([
    ['variables alone', ask('POST /a?q={{term}}'), ask('POST /a?q={{other}}')],
    ['JSON with comments', ...['1', '2'].map((x) => ask('POST /a', { body: jsonBody(`{"a":${x}} // note`) }))],
    ['escapes of a form', ...['%31', '2'].map((value) => ask('POST /a', { body: formBody(value) }))],
    ['a file', ...['1', '2'].map((src) => ask('POST /a', { body: { mode: 'file', file: { src } } }))],
  ])('%s: what is not known as it is sent tells nothing apart', (_name, one, other) => {
    const found = imported(collection([item('POST /a', [saved('one', one), saved('two', other)])]));
    expect(notesOf(found)).toEqual(['postman.by-name /item/0/response/1']);
  });

  test('a variable beside a value takes what the value does not', () => {
    const targets = ['GET /a', 'GET /a?colour=red', 'GET /a?colour={{colour}}'];
    const responses = ['all', 'red only', 'by colour'].map((name, at) => saved(name, ask(targets[at] as string)));
    const found = imported(collection([item('GET /a', responses)]));
    expect(notesOf(found)).toEqual([]);
    expect(['GET /a', 'GET /a?colour=red', 'GET /a?colour=blue'].map((target) => answerOf(found, target))).toEqual([
      'all',
      'red only',
      'by colour',
    ]);
  });

  test('variables in bodies have their values, dynamic ones new ones for each request; unknown ones are named', () => {
    const variable = [{ key: 'shop', value: 'Corner' }];
    const body =
      '{"a":"{{$guid}}","b":{{$randomInt}},"c":"{{$randomFirstName}}","d":"{{shop}}","e":"{{none}}","f":{{$timestamp}}}';
    const found = imported(collection([item('GET /a', [saved('one', undefined, { body })])], { variable }));
    expect(notesOf(found)).toEqual(['postman.body-variable /item/0/response/0']);
    const answer = JSON.parse(explainedAnswer(definitionOf(found), request('GET', '/a'))?.body ?? '') as Record<
      string,
      unknown
    >;
    expect(answer).toEqual({
      a: expect.stringMatching(/^[\da-f-]{36}$/),
      b: expect.any(Number),
      c: expect.stringMatching(/^[A-Z]/),
      d: 'Corner',
      e: '{{none}}',
      f: expect.any(Number),
    });
    const plain = imported(
      collection([item('GET /a', [saved('one', undefined, { body: '{{shop}} {{none}}' })])], { variable }),
    );
    expect(definitionOf(plain).routes[0]?.responses[0]).toMatchObject({ body: 'Corner {{none}}', templated: false });
  });

  test.each<[string, object, string[], object]>([
    ['no code', { code: undefined }, ['postman.status'], { status: 200 }],
    ['a code of another protocol', { code: 99 }, ['postman.status'], { status: 200 }],
    ['no body', { body: null }, [], { body: '' }],
    [
      'headers that are a text',
      { header: 'X-A: 1\r\nContent-Length: 3\nX-B:2' },
      [],
      {
        headers: [
          { name: 'X-A', value: '1' },
          { name: 'X-B', value: '2' },
        ],
      },
    ],
    ['a header that is off', { header: [{ key: 'X-A', value: '1', disabled: true }] }, [], { headers: [] }],
    [
      'no header',
      { header: null, _postman_previewlanguage: 'json' },
      ['postman.content-type'],
      {
        headers: [{ name: 'Content-Type', value: 'application/json' }],
      },
    ],
    [
      'a variable in the body',
      { body: 'a {{name}}' },
      ['postman.body-variable'],
      { body: 'a {{name}}', templated: false },
    ],
    [
      'a cookie of a domain',
      { header: [{ key: 'Set-Cookie', value: 'a=1; Domain=shop.test' }] },
      ['postman.cookie-domain'],
      {
        headers: [{ name: 'Set-Cookie', value: 'a=1' }],
      },
    ],
  ])('%s', (_name, given, codes, response) => {
    const found = imported(collection([item('GET /a', [saved('one', undefined, given)])]));
    expect(definitionOf(found).routes[0]?.responses[0]).toMatchObject(response);
    expect(codesAt(found, '/item/0')).toEqual(codes);
  });

  test('whatever was saved, what is called exact is reached by its request', () => {
    const segments = fc.constantFrom('7', 'me', ':id');
    const queries = fc.array(fc.constantFrom('x=1', 'x=2', 'y', 'z=a%20b', 'x={{v}}', 'x={{w}}'), { maxLength: 2 });
    const bodies = fc.constantFrom(
      undefined,
      { mode: 'raw', raw: '{"a":1}' },
      { mode: 'raw', raw: '{"a":2,"b":{"c":[1]}}' },
      { mode: 'raw', raw: 'plain {{v}}' },
      { mode: 'raw', raw: '{"a":{{w}}}' },
      { mode: 'urlencoded', urlencoded: [{ key: 'a', value: '1' }] },
      {
        mode: 'urlencoded',
        urlencoded: [
          { key: 'a', value: '2' },
          { key: 'a', value: '1', disabled: true },
        ],
      },
      { mode: 'graphql', graphql: { query: 'q', variables: '{"a":1}' } },
      { mode: 'file', file: { src: 'x' } },
    );
    const original = fc.record({
      segment: segments,
      value: fc.constantFrom('7', '8', '', '<id>'),
      query: queries,
      body: bodies,
    });
    const items = fc.array(fc.record({ segment: segments, saved: fc.array(original, { maxLength: 4 }) }), {
      minLength: 1,
      maxLength: 3,
    });
    let compared = 0;
    fc.assert(
      fc.property(items, (given) => {
        const source = collection(
          given.map(({ segment, saved: list }, at) => ({
            name: `${at}`,
            request: { method: 'POST', url: { raw: `{{u}}/a/${segment}`, path: ['a', segment] } },
            response: list.map((each, index) =>
              saved(`${at}.${index}`, {
                method: 'POST',
                url: {
                  raw: `{{u}}/a/${each.segment}?${each.query.join('&')}`,
                  ...(each.segment === ':id' ? { variable: [{ key: 'id', value: each.value }] } : {}),
                },
                ...(each.body === undefined ? {} : { body: each.body }),
              }),
            ),
          })),
          { variable: [{ key: 'v', value: '1' }] },
        );
        const found = imported(source);
        for (const [at, { saved: list }] of given.entries()) {
          for (const [index, each] of list.entries()) {
            if (codesAt(found, `/item/${at}/response/${index}`).length > 0) continue;
            const sent = requestOf(each);
            if (sent === undefined) continue;
            compared++;
            expect(answerOf(found, sent.target, sent.given)).toBe(`${at}.${index}`);
          }
        }
      }),
      { numRuns: RUNS },
    );
    expect(compared).toBeGreaterThan(RUNS);
  });
});

interface Original {
  readonly segment: string;
  readonly value: string;
  readonly query: readonly string[];
  readonly body:
    | {
        readonly mode: string;
        readonly raw?: string;
        readonly urlencoded?: readonly object[];
        readonly graphql?: object;
      }
    | undefined;
}

/** What Postman sends; undefined when a part of it is not known. */
function requestOf({ segment, value, query, body }: Original) {
  const text = JSON.stringify([query, body]);
  if (text.includes('{{w}}') || body?.mode === 'file') return undefined;
  const own = segment === ':id' ? value : segment;
  if (own === '' || own === '<id>') return undefined;
  const target = `POST /a/${own}?${query.join('&').replace('{{v}}', '1')}`;
  if (body === undefined) return { target, given: {} };
  if (body.mode === 'raw') return { target, given: { body: (body.raw ?? '').replace('{{v}}', '1') } };
  if (body.mode === 'graphql') return { target, given: { body: '{"query":"q","variables":{"a":1}}' } };
  const [{ value: field }] = body.urlencoded as [{ value: string }];
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return { target, given: { headers, body: `a=${field}` } };
}

test('credentials of requests do not enter a mock, and those of responses are counted', () => {
  const secret = 's3cr3t';
  const header = [{ key: 'Authorization', value: `Bearer ${secret}` }];
  const auth = { type: 'basic', basic: [{ key: 'password', value: secret }] };
  const pair = (make: (text: string) => unknown, more: object = {}) => [
    saved('one', make(`${secret}1`), more),
    saved('two', make(`${secret}2`)),
  ];
  const found = imported(
    collection(
      [
        item(
          'GET /a',
          pair((text) => ask(`GET /a?api_key=${text}`, { header, auth })),
        ),
        item(
          'POST /b',
          pair((text) => ask('POST /b', { body: { mode: 'raw', raw: `{"password":"${text}"}` } })),
        ),
        item(
          'POST /c',
          pair((text) => ask('POST /c', { body: { mode: 'urlencoded', urlencoded: [{ key: 'pwd', value: text }] } })),
        ),
        item(
          'GET /d/:token',
          pair((text) => ({ method: 'GET', url: { raw: '/d/:token', variable: [{ key: 'token', value: text }] } })),
        ),
        item('GET /e', [saved('e', undefined, { body: '{"token":"kept"}' })]),
      ],
      { auth, variable: [{ key: 'secret', value: secret }] },
    ),
  );
  expect(JSON.stringify(found)).not.toContain(secret);
  expect(found.report.classes).toContainEqual(
    expect.objectContaining({ code: 'postman.response-credentials', level: 'exact', count: 1 }),
  );
});
