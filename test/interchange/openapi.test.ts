/** OpenAPI documents: what is called exact is answered as the document says, and nothing vanishes silently. */
import { describe, expect, test } from 'vitest';
import type { ImportOptions } from '../../src/interchange/format.ts';
import { importMocks, type MockImport } from '../../src/interchange/import-mocks.ts';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { cpuMs } from '../support/cpu-ms.ts';
import { isFullEffort } from '../support/effort.ts';
import { codesAt, definitionOf, imported, notesOf, tryImport } from '../support/imports.ts';
import { explainedAnswer, request } from '../support/mocks.ts';

const INFO = { title: 'Shop', version: '1' };
const document = (paths: unknown, more: object = {}) => ({ openapi: '3.0.3', info: INFO, paths, ...more });
const swagger = (paths: unknown, more: object = {}) => ({ swagger: '2.0', info: INFO, paths, ...more });

/** A response with an example. */
const json = (example: unknown, more: object = {}) => ({
  description: 'd',
  content: { 'application/json': { example } },
  ...more,
});
const ok = { responses: { 200: json('ok') } };
const get = (responses: object, more: object = {}) => document({ '/a': { get: { responses, ...more } } });

const routesOf = (found: MockImport) => definitionOf(found).routes.map(({ method, path }) => `${method} ${path}`);
const responsesOf = (found: MockImport) => definitionOf(found).routes[0]?.responses ?? [];
const shownOf = (found: MockImport) =>
  responsesOf(found).map(({ status, label, headers, body }) =>
    [status, label, headers.find(({ name }) => name === 'Content-Type')?.value ?? '', body].join(' | '),
  );

describe('detection', () => {
  test.each<[unknown, string, string]>([
    [document({}), '3.0', '`openapi: 3.0.3`'],
    [{ ...document({}), openapi: '3.1.0' }, '3.1', '`openapi: 3.1.0`'],
    [{ ...document({}), openapi: '3.2.0' }, '3.2', '`openapi: 3.2.0`'],
    ['openapi: 3.1\npaths: {}\n', '3.1', '`openapi: 3.1`'],
    ['openapi: 3.0\npaths: {}\n', '3.0', '`openapi: 3.0`'],
    ['swagger: 2.0\npaths: {}\n', '2.0', '`swagger: 2.0`'],
    [swagger({}), '2.0', '`swagger: 2.0`'],
  ])('%j', (source, version, detectedBy) => {
    const { report } = imported(source);
    expect([report.format, report.version, report.detectedBy]).toEqual(['openapi', version, detectedBy]);
  });

  test.each<[unknown, string]>([
    [{ openapi: '4.0.0' }, 'nearly openapi (`openapi` is "4.0.0": supported are 3.0 and 3.1)'],
    [{ openapi: {} }, 'nearly openapi (`openapi` is {}: supported are 3.0 and 3.1)'],
    [{ swagger: '1.2' }, 'nearly openapi (`swagger` is "1.2": supported is 2.0)'],
    [{ swaggerVersion: '1.2' }, 'nearly openapi (`swagger` is "1.2": supported is 2.0)'],
    [{ info: {}, paths: {} }, 'nearly openapi (`openapi` or `swagger` with a version is missing)'],
  ])('%j is refused', (source, problem) => {
    expect(tryImport(source)).toBe(problem);
  });
});

describe('paths', () => {
  const at = (path: string, more: object = {}) => document({ [path]: { get: ok } }, more);

  test.each<[string, string, string[]]>([
    ['/users/{id}', '/users/:id', []],
    ['/users/{user id}/{1st}', '/users/:user_id/:_1st', []],
    ['/{a}/{a}/{a_2}', '/:a/:a_2/:a_2_2', []],
    ['/a:b/:c/d*', '/a:b/%3Ac/d%2A', []],
    ['/', '/', []],
    ['/a/', '/a/', []],
    ['users', '/users', []],
    ['/a#part', '/a', ['openapi.fragment']],
    ['/{a}.{b}', '/:a.:b', []],
    ['/{id}.json', '/:id.json', []],
    ['/a-{b}/{id}:go', '/a-:b/:id%3Ago', []],
    ['/v{version}/{a}s/{a}-b/{a}-{b}', '/v:version(.+)/:a(.+)s/:a_2(.+)-b/:a_3-:b', []],
    ["/Users('{id}')/{set}({key})", "/Users(':id')/:set(.+)(:key)", []],
    ['/{a-}.{b--c}.{d e}', '/:a.:b-c.:d_e', []],
    ['/{a}?/{b}*', '/:a', []],
    ['/{b}*.x/{c}%2F{d}', '/:b%2A.x/:c%2F:d(.+)', []],
    ['/x{a', '/x{a', []],
    ['/{{a}}', '/{:a}', []],
    ['/{a}.{a}/{a}', '/:a.:a_2/:a_3', []],
    ['/{a}{b}', '/:ab', ['openapi.parameter']],
    ['/{a}{b}.{c}/{d}%zz', '/:ab.:c/:d%zz', ['openapi.parameter']],
    ['/{a}*%zz', '/:a_zz', ['openapi.parameter']],
  ])('%s', (path, written, codes) => {
    const found = imported(at(path));
    expect(routesOf(found)).toEqual([`GET ${written}`]);
    expect(codesAt(found, '')).toEqual(codes);
  });

  test.each([
    ['of many parts', `/${'a/'.repeat(70)}`],
    ['of many characters', `/${'a'.repeat(3_000)}`],
  ])('a path %s has no route', (_name, path) => {
    const found = imported(document({ [path]: { get: ok, put: ok }, '/kept': { get: ok } }));
    expect(routesOf(found)).toEqual(['GET /kept']);
    expect(found.report.entries.map(({ code }) => code)).toEqual(['openapi.path', 'openapi.path']);
    expect(found.report.items.routes).toEqual({ exact: 1, approximated: 0, dropped: 2 });
  });

  test.each<[object, string, string[]]>([
    [{ servers: [{ url: 'https://api.shop.test:8443/v1/' }] }, '/v1/a', []],
    [{ servers: [{ url: '/v1' }] }, '/v1/a', []],
    [{ servers: [{ url: 'http:///localhost:80/v1' }] }, '/v1/a', []],
    [{ servers: [{ url: '/' }] }, '/a', []],
    [{ servers: [] }, '/a', []],
    [{ servers: [{ url: '//api.shop.test/v1' }] }, '/v1/a', []],
    [
      {
        servers: [
          {
            url: 'https://{host}/{base}',
            variables: { host: { default: 'x' }, base: { default: 'v1/x', enum: ['v1/x'] } },
          },
        ],
      },
      '/v1/x/a',
      [],
    ],
    [{ servers: [{ url: '{scheme}://shop.test/{tenant}' }] }, '/:tenant/a', []],
    [{ servers: [{ url: 'shop.test/v1' }] }, '/v1/a', ['openapi.base-path']],
    [{ servers: [{ url: '{server}/v1' }] }, '/v1/a', ['openapi.base-path']],
    [{ servers: [{ url: './v1' }] }, '/v1/a', ['openapi.base-path']],
    [{ servers: [{ url: 'https://shop.test/v1?x=1' }] }, '/v1/a', ['openapi.base-path']],
  ])('%j', (more, path, codes) => {
    const found = imported(at('/a', more));
    expect(routesOf(found)).toEqual([`GET ${path}`]);
    expect(codesAt(found, '')).toEqual(codes);
  });

  test('a path and an operation may have servers of their own; others are counted', () => {
    const servers = (...urls: string[]) => urls.map((url) => ({ url }));
    const found = imported(
      document(
        {
          '/a': { servers: servers('/path'), get: { ...ok, servers: servers('/own', '/more') }, put: ok },
          '/b': { get: ok },
        },
        { servers: servers('https://shop.test/all', '/second', 'https://sandbox.test/all/') },
      ),
    );
    expect(routesOf(found)).toEqual(['GET /own/a', 'PUT /path/a', 'GET /all/b']);
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'openapi.server', level: 'dropped', count: 2 }),
    );
  });

  test('Swagger has one base path', () => {
    const paths = { '/a': { get: ok } };
    const bases = ['/v1/', 'v1', '/', ''].map((basePath) => routesOf(imported(swagger(paths, { basePath }))));
    expect(bases).toEqual([['GET /v1/a'], ['GET /v1/a'], ['GET /a'], ['GET /a']]);
  });

  test('the first of operations that take the same requests is answered, and the others are kept', () => {
    const answers = (text: string) => ({ get: { responses: { 200: json(text) } } });
    const found = imported(
      document({
        '/a/{x}': answers('one'),
        '/a/{y}': answers('two'),
        '/a/{x}#part': answers('three'),
        '/a/{y}/': { put: ok },
      }),
    );
    expect(routesOf(found)).toEqual(['GET /a/:x', 'PUT /a/:y/']);
    expect(shownOf(found).map((shown) => shown.replace(' | application/json', ''))).toEqual([
      '200 |  | "one"',
      '200 | /a/{y} | "two"',
      '200 | part | "three"',
    ]);
    expect(notesOf(found)).toEqual(['openapi.by-name /paths/~1a~1{y}/get', 'openapi.by-name /paths/~1a~1{x}#part/get']);
    expect(explainedAnswer(definitionOf(found), request('GET', '/a/7'))?.body).toBe('"one"');
  });

  test('what follows a path tells its operations apart', () => {
    const answers = (text: string, more: object = {}) => ({
      post: { ...more, responses: { 200: json(text), 400: json('bad') } },
    });
    const target = [{ name: 'X-Target', in: 'header', required: true }];
    const acl = [{ name: 'acl', in: 'query', required: true }];
    const found = imported(
      document({
        '/': answers('plain'),
        '/?Action=Add': answers('add'),
        '/?Action=Add&Dry=1': answers('dry'),
        '/#X-Target=Svc.Get': answers('get', { parameters: target }),
        '/#acl': answers('acl', { parameters: acl }),
        '/?by={name}': answers('by'),
        '/{?optional}': answers('never'),
      }),
      { validate: true },
    );
    expect(routesOf(found)).toEqual(['POST /']);
    const answer = (path: string, headers: Record<string, string> = {}) =>
      JSON.parse(explainedAnswer(definitionOf(found), request('POST', path, { headers }))?.body ?? '') as unknown;
    expect([
      answer('/'),
      answer('/?Action=Other'),
      answer('/?Action=Add'),
      answer('/?Dry=1&Action=Add'),
      answer('/', { 'X-Target': 'Svc.Get' }),
      answer('/?acl'),
      answer('/?by=x'),
    ]).toEqual(['plain', 'plain', 'add', 'dry', 'get', 'acl', 'by']);
    expect(responsesOf(found).map(({ label }) => label)).toContain('Action=Add (400)');
    expect(notesOf(found)).toEqual(['openapi.by-name /paths/~1{?optional}/post']);
    expect(found.report.items.routes).toEqual({ exact: 6, approximated: 1, dropped: 0 });
  });

  test('operations beyond the responses of a route are reported', () => {
    const paths = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`/#Action=A${index}`, { get: ok }]));
    const found = imported(document(paths));
    expect(responsesOf(found)).toHaveLength(100);
    expect(found.report.items.routes).toEqual({ exact: 100, approximated: 0, dropped: 20 });
  });

  test('an exact path is kept rather than one that a route has in part', () => {
    const found = imported(
      document({ '/a/{x}{z}': { get: ok }, '/b#c': { get: ok }, '/a/{y}': { get: ok }, '/b': { get: ok } }),
    );
    expect(routesOf(found)).toEqual(['GET /a/:y', 'GET /b']);
    expect(found.report.items.routes).toEqual({ exact: 2, approximated: 1, dropped: 1 });
  });

  test('segments of text and parameters tell operations apart', () => {
    const answers = (text: string) => ({ get: { responses: { 200: json(text) } } });
    const found = imported(
      document({
        '/a/{id}': answers('whole'),
        '/a/{id}.json': answers('json'),
        '/a/{id}.{format}': answers('format'),
        '/a/{name}.{ending}': answers('same'),
        '/a/v{id}': answers('v'),
      }),
    );
    expect(routesOf(found)).toEqual(['GET /a/:id', 'GET /a/:id.json', 'GET /a/:id.:format', 'GET /a/v:id(.+)']);
    expect(notesOf(found)).toEqual(['openapi.by-name /paths/~1a~1{name}.{ending}/get']);
    const answer = (path: string) => explainedAnswer(definitionOf(found), request('GET', path))?.body;
    expect(['/a/7', '/a/7.json', '/a/7.xml', '/a/v7', '/a/v'].map(answer)).toEqual(
      ['whole', 'json', 'format', 'v', 'whole'].map((text) => JSON.stringify(text)),
    );
  });

  test('methods of every version; the summary is the description', () => {
    const paths = { '/a': { trace: ok, query: { ...ok, summary: 's' }, additionalOperations: { COPY: ok } } };
    const found = imported({ ...document(paths), openapi: '3.2.0' });
    expect(routesOf(found)).toEqual(['TRACE /a', 'QUERY /a', 'COPY /a']);
    expect(definitionOf(found).routes.map(({ description }) => description)).toEqual(['', 's', '']);
    expect(notesOf(found)).toEqual(['openapi.version ']);
  });

  test('names are data', () => {
    const source = JSON.stringify(document({ '/a': { get: ok } })).replace('"/a"', '"__proto__"');
    expect(routesOf(imported(source))).toEqual(['GET /__proto__']);
  });
});

describe('statuses', () => {
  test.each<[string[], number[], string[]]>([
    [['200', '404'], [200, 404], []],
    [['201', '200', '404'], [200, 201, 404], []],
    [['404', '201'], [201, 404], []],
    [['302', '400'], [302, 400], []],
    [['default'], [200], ['openapi.default-status']],
    [['200', 'default'], [200, 500], ['openapi.default-status']],
    [['404', 'default'], [200, 404], ['openapi.default-status']],
    [
      ['2XX', '4xx'],
      [200, 400],
      ['openapi.status-range', 'openapi.status-range'],
    ],
    [['101', '200'], [200], ['openapi.status']],
    [['ok', '600'], [200], ['openapi.status', 'openapi.status', 'openapi.no-response']],
    [[], [200], ['openapi.no-response']],
  ])('%j', (names, statuses, codes) => {
    const found = imported(get(Object.fromEntries(names.map((name) => [name, { description: 'd' }]))));
    expect(responsesOf(found).map(({ status }) => status)).toEqual(statuses);
    expect(codesAt(found, '').toSorted()).toEqual(codes.toSorted());
    expect(explainedAnswer(definitionOf(found), request('GET', '/a'))?.status).toBe(statuses[0]);
  });

  test('each declared response is an item', () => {
    const found = imported(get({ 101: json(1), 200: json(1), 404: { $ref: '#/nowhere' }, default: json(1) }));
    expect(found.report.items.responses).toEqual({ exact: 1, approximated: 1, dropped: 2 });
    expect(found.report.items.routes).toEqual({ exact: 1, approximated: 0, dropped: 0 });
    expect(notesOf(found)[1]).toBe('openapi.reference /paths/~1a/get/responses/404');
  });

  test('replies without a body have none', () => {
    const found = imported(get({ 204: json({ a: 1 }) }));
    expect(shownOf(found)).toEqual(['204 |  |  | ']);
    expect(codesAt(found, '')).toEqual(['openapi.bodiless']);
  });
});

describe('bodies', () => {
  const media = (content: object) => get({ 200: { description: 'd', content } });

  test.each<[object, string[], string[]]>([
    [{ 'application/json': { example: { a: [1, 'x'] } } }, ['200 |  | application/json | {"a":[1,"x"]}'], []],
    [{ 'application/json': { example: 'x' } }, ['200 |  | application/json | "x"'], []],
    [{ 'application/json': { example: '{"a": 1}' } }, ['200 |  | application/json | {"a": 1}'], ['openapi.written']],
    [
      { 'application/json': { example: '{"a": 1}', schema: { type: 'string' } } },
      ['200 |  | application/json | "{\\"a\\": 1}"'],
      [],
    ],
    [{ 'application/vnd.api+json; v=1': { example: 0 } }, ['200 |  | application/vnd.api+json; v=1 | 0'], []],
    [{ 'application/json': { example: false } }, ['200 |  | application/json | false'], []],
    [{ 'text/plain': { example: 'x' } }, ['200 |  | text/plain | x'], []],
    [{ 'text/plain; charset=latin1': { example: 'x' } }, ['200 |  | text/plain; charset=latin1 | x'], []],
    [
      { 'text/plain; charset=latin1': { example: 'é' } },
      ['200 |  | text/plain; charset=utf-8 | é'],
      ['openapi.charset'],
    ],
    [{ 'text/plain': { example: 7 } }, ['200 |  | text/plain | 7'], []],
    [{ 'text/csv': { example: { a: 1 } } }, ['200 |  | text/csv | {"a":1}'], ['openapi.written']],
    [{ 'application/xml': { example: '<a/>' } }, ['200 |  | application/xml | <a/>'], []],
    [
      { 'application/x-www-form-urlencoded': { example: { a: 1, b: 'x y' } } },
      ['200 |  | application/x-www-form-urlencoded | a=1&b=x+y'],
      [],
    ],
    [{ 'application/json': { schema: { example: { a: 1 } } } }, ['200 |  | application/json | {"a":1}'], []],
    [{ 'application/json': { schema: { examples: [{ a: 1 }, 2] } } }, ['200 |  | application/json | {"a":1}'], []],
    [{ 'application/json': {} }, ['200 |  | application/json | '], ['openapi.no-example']],
    [{ '*/*': { example: 1 } }, ['200 |  | application/json | 1'], ['openapi.media-range']],
    [{ 'text/*': { example: 'x' } }, ['200 |  | text/plain | x'], ['openapi.media-range']],
    [{ 'application/*+json': { example: 1 }, 'text/json': { example: 2 } }, ['200 |  | text/json | 2'], []],
    [
      { 'text/plain': { example: 'x' }, 'application/json': { example: 1 } },
      ['200 | application/json | application/json | 1', '200 | text/plain | text/plain | x'],
      [],
    ],
    [
      { 'application/json': { examples: { one: { value: 1 }, two: { value: 2, summary: 's' } } } },
      ['200 | one | application/json | 1', '200 | two | application/json | 2'],
      [],
    ],
    [
      { 'application/json': { examples: { one: { value: 1 } } }, 'text/plain': { examples: { one: { value: 'x' } } } },
      ['200 | one | application/json | 1', '200 | one (text/plain) | text/plain | x'],
      [],
    ],
    [
      { 'application/json': { examples: { far: { externalValue: 'http://x.test/a' }, near: { value: 1 } } } },
      ['200 | near | application/json | 1'],
      ['openapi.example'],
    ],
    [
      { 'application/json': { examples: { raw: { serializedValue: '{ }' }, data: { dataValue: {} } } } },
      ['200 | raw | application/json | { }', '200 | data | application/json | {}'],
      [],
    ],
  ])('%j', (content, shown, codes) => {
    const found = imported(media(content));
    expect(shownOf(found)).toEqual(shown);
    expect(codesAt(found, '')).toEqual(codes);
  });

  test.each<[object, object[], string[]]>([
    [{ example: 'event: a\ndata: 1\n\ndata: 2' }, [{ event: 'a', data: '1' }, { data: '2' }], []],
    [{ example: 'hello' }, [{ data: 'hello' }], []],
    [{ example: { id: 'x', choices: [] } }, [{ data: '{"id":"x","choices":[]}' }], []],
    [
      { example: [{ data: 'a', event: 'e', id: 7, retry: 5 }, 'data: b'] },
      [{ event: 'e', id: '7', retry: 5, data: 'a' }, { data: 'b' }],
      [],
    ],
    [{ examples: { raw: { serializedValue: 'data: 1\n\n' } } }, [{ data: '1' }], []],
    [
      { schema: { type: 'object', properties: { a: { const: 1 } }, required: ['a'] } },
      [{ data: '{"a":1}' }],
      ['openapi.sampled'],
    ],
    [
      {
        itemSchema: {
          type: 'object',
          required: ['data', 'event'],
          properties: {
            event: { const: 'tick' },
            data: {
              type: 'string',
              contentMediaType: 'application/json',
              contentSchema: { type: 'object', required: ['n'], properties: { n: { const: 5 } } },
            },
          },
        },
      },
      [{ event: 'tick', data: '{"n":5}' }],
      ['openapi.sampled'],
    ],
    [{ itemSchema: { type: 'object', example: { data: { a: 1 } } } }, [{ data: '{"a":1}' }], []],
  ])('events are a stream: %j', (content, events, codes) => {
    const found = imported(media({ 'text/event-stream': content }));
    const [response] = responsesOf(found);
    expect([response?.body, response?.stream]).toEqual(['', { events }]);
    expect(codesAt(found, '')).toEqual(['openapi.events', ...codes]);
  });

  test('a schema without an example makes a body', () => {
    const pet = {
      type: 'object',
      properties: { id: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } },
    };
    const found = imported({
      ...media({ 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } }),
      components: { schemas: { Pet: pet } },
    });
    const body = JSON.parse(responsesOf(found)[0]?.body ?? '') as Record<string, unknown>;
    expect([typeof body.id, Array.isArray(body.tags)]).toEqual(['number', true]);
    expect(notesOf(found)).toEqual(['openapi.sampled /paths/~1a/get/responses/200/content/application~1json/schema']);
  });

  test('a schema whose part is elsewhere makes a body that is said not to be complete', () => {
    const found = imported(
      media({ 'application/json': { schema: { properties: { a: { $ref: 'http://x.test/a' } } } } }),
    );
    expect(codesAt(found, '')).toEqual(['openapi.part', 'openapi.incomplete']);
    expect(found.report.items.responses).toEqual({ exact: 0, approximated: 1, dropped: 0 });
  });

  test('XML is made from its schema', () => {
    const found = imported(media({ 'application/xml': { schema: { properties: { id: { type: 'integer' } } } } }));
    expect(responsesOf(found)[0]?.body).toMatch(/^(?:<\?xml[^>]*>\s*)?<root>[^]*<\/root>\s*$/);
  });

  test('labels are unique within a route', () => {
    const two = (value: unknown) => ({
      description: 'd',
      content: { 'application/json': { examples: { same: { value } } } },
    });
    expect(responsesOf(imported(get({ 200: two(1), 404: two(2), 410: two(3) }))).map(({ label }) => label)).toEqual([
      'same',
      'same (404)',
      'same (410)',
    ]);
  });

  test('Swagger has examples and schemas by media type', () => {
    const schema = { type: 'object', example: { b: 2 } };
    const operation = {
      produces: ['text/plain', 'application/json'],
      responses: { 200: { description: 'd', examples: { 'application/json': { a: 1 } }, schema } },
    };
    const found = imported(swagger({ '/a': { get: operation } }));
    expect(shownOf(found)).toEqual([
      '200 | application/json | application/json | {"a":1}',
      '200 | text/plain | text/plain | {"b":2}',
    ]);
    const all = { responses: { 200: { description: 'd', schema } } };
    expect(shownOf(imported(swagger({ '/a': { get: all } })))).toEqual(['200 |  | application/json | {"b":2}']);
    const file = { responses: { 200: { description: 'd', schema: { type: 'file' } } } };
    expect(shownOf(imported(swagger({ '/a': { get: file } })))).toEqual(['200 |  | application/octet-stream | ']);
    expect(shownOf(imported(swagger({ '/a': { get: all } }, { produces: ['text/json'] })))).toEqual([
      '200 |  | text/json | {"b":2}',
    ]);
  });
});

describe('bodies that a schema describes', () => {
  const bodyFor = (schema: object) =>
    responsesOf(imported(get({ 200: { description: 'd', content: { 'application/json': { schema } } } })))[0]?.body;
  const properties = (type: string) => ({ type: 'object', required: [type], properties: { [type]: { type } } });

  test.each([
    [{ type: 'object', properties: { a: { type: 'string', nullable: true, default: null } } }, '{"a":null}'],
    [{ type: 'object', properties: { a: { type: 'string', contentEncoding: 'base64' } } }, '{"a":"dGV4dA=="}'],
    [
      { type: 'array', items: { oneOf: [properties('string'), properties('integer'), { type: 'null' }] } },
      '[{"string":"string"},{"integer":0}]',
    ],
    [{ type: 'array', maxItems: 1, items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } }, '["string"]'],
    [{ type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }], example: 'x' } }, '["x"]'],
  ])('%j', (schema, body) => {
    expect(JSON.stringify(JSON.parse(bodyFor(schema) ?? ''))).toBe(body);
  });

  test('an example under a range has the type that stands beside it', () => {
    const schema = { type: 'string' };
    const content = { 'application/json': { schema }, '*/*': { schema, example: 'seen' } };
    const found = imported(get({ 200: { description: 'd', content } }));
    expect(shownOf(found)).toEqual(['200 |  | application/json | "seen"']);
    const produced = { produces: ['text/plain'], responses: { 200: { schema, examples: { '*/*': 'seen' } } } };
    expect(shownOf(imported(swagger({ '/a': { get: produced } })))).toEqual(['200 |  | text/plain | seen']);
  });

  test('an example that does not fit its schema is sent, and said', () => {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } };
    const examples = { good: { value: { id: 1 } }, bad: { value: { id: 'x' } } };
    const found = imported(get({ 200: { description: 'd', content: { 'application/json': { schema, examples } } } }));
    const at = '/paths/~1a/get/responses/200/content/application~1json/examples';
    expect(notesOf(found).filter((note) => note.startsWith('openapi.misfit'))).toEqual([
      `openapi.misfit ${at}/bad/value`,
    ]);
  });

  test('a document without paths says that the mock answers nothing', () => {
    const kinds = { definitions: { Kind: { type: 'object' } } };
    for (const source of [swagger({}, kinds), { openapi: '3.1.0', info: INFO }]) {
      expect(notesOf(imported(source))).toEqual(['openapi.no-paths ']);
    }
  });

  test('a merged member of YAML is one of the schema', () => {
    const text = `openapi: 3.0.3
info: {title: T, version: '1'}
x-shapes: {stamped: &stamped {type: object, required: [id], properties: {id: {type: integer, example: 17}}}}
paths:
  /a: {get: {responses: {'200': {description: d, content: {application/json: {schema: {<<: *stamped}}}}}}}
`;
    expect(JSON.parse(responsesOf(imported(text))[0]?.body ?? '')).toEqual({ id: 17 });
  });
});

describe('headers', () => {
  test.each<[object, string | undefined, string[]]>([
    [{ example: 'v' }, 'v', []],
    [{ schema: { type: 'integer', example: 7 } }, '7', []],
    [{ schema: { default: true } }, 'true', []],
    [{ schema: { enum: ['x', 'y'] } }, 'x', []],
    [{ schema: { $ref: '#/components/schemas/S' } }, 's', []],
    [{ example: ['a', 'b'] }, 'a,b', []],
    [{ examples: { one: { value: 'v' } } }, 'v', []],
    [{ content: { 'text/plain': { example: 'v' } } }, 'v', []],
    [{ $ref: '#/components/headers/H' }, 'h', []],
    [{ schema: { type: 'string' } }, 'string', ['openapi.sampled-header']],
    [{ schema: { type: 'object' } }, undefined, ['openapi.header']],
    [{ example: 'a\nb' }, undefined, ['openapi.header']],
    [{ $ref: '#/components/headers/None' }, undefined, ['openapi.part']],
  ])('%j', (header, value, codes) => {
    const found = imported({
      ...get({ 200: { description: 'd', headers: { 'X-A': header, 'Content-Type': { example: 'x' } } } }),
      components: { headers: { H: { example: 'h' } }, schemas: { S: { default: 's' } } },
    });
    expect(responsesOf(found)[0]?.headers).toEqual(value === undefined ? [] : [{ name: 'X-A', value }]);
    expect(codesAt(found, '')).toEqual(codes);
  });

  test('a header with a schema alone is made as a body is, but for those that browsers act on for all answers', () => {
    const schema = { type: 'string' };
    const headers = {
      'X-Total-Count': { required: true, schema: { type: 'integer', minimum: 0 } },
      Location: { schema: { ...schema, format: 'uri' } },
      'Access-Control-Allow-Origin': { schema },
      'Set-Cookie': { schema },
    };
    const found = imported(get({ 200: { description: 'd', headers } }));
    expect(responsesOf(found)[0]?.headers).toEqual([
      { name: 'X-Total-Count', value: '0' },
      { name: 'Location', value: 'https://example.com' },
    ]);
    expect(found.report.entries.map(({ code, message }) => `${code} ${message}`)).toEqual([
      expect.stringMatching(/^openapi\.header .*Access-Control-Allow-Origin, Set-Cookie/),
      expect.stringMatching(/^openapi\.sampled-header .*X-Total-Count, Location/),
    ]);
    const ofSwagger = swagger({ '/a': { get: { responses: { 200: { headers: { 'X-A': { type: 'integer' } } } } } } });
    expect(responsesOf(imported(ofSwagger))[0]?.headers).toEqual([{ name: 'X-A', value: '0' }]);
  });

  test('cookies lose their Domain; what says how the body is compressed is left out', () => {
    const headers = {
      'Set-Cookie': { example: 'a=1; Domain=shop.test; Path=/' },
      'Content-Encoding': { example: 'gzip' },
      'Content-Length': { example: 7 },
    };
    const found = imported(get({ 200: { description: 'd', headers } }));
    expect(responsesOf(found)[0]?.headers).toEqual([{ name: 'Set-Cookie', value: 'a=1; Path=/' }]);
    expect(codesAt(found, '')).toEqual(['openapi.cookie-domain', 'openapi.header']);
  });

  test('of Swagger', () => {
    const headers = {
      'X-A': { type: 'integer', default: 7, description: 'd' },
      Date: { type: 'string', default: 'x' },
    };
    const found = imported(swagger({ '/a': { get: { responses: { 200: { description: 'd', headers } } } } }));
    expect(responsesOf(found)[0]?.headers).toEqual([{ name: 'X-A', value: '7' }]);
    expect(found.report.entries).toEqual([]);
  });
});

describe('references', () => {
  test('of every part are followed; what nothing refers to is counted', () => {
    const found = imported(
      document(
        {
          '/a': { $ref: '#/components/pathItems/A' },
          '/gone': { $ref: 'http://x.test/a' },
        },
        {
          components: {
            pathItems: {
              A: {
                get: {
                  parameters: [{ $ref: '#/components/parameters/P' }],
                  responses: { 200: { $ref: '#/components/responses/R' } },
                },
              },
            },
            parameters: {
              P: { name: 'p', in: 'query', schema: { $ref: '#/components/schemas/S' } },
              Q: { name: 'q', in: 'query' },
            },
            responses: {
              R: {
                description: 'd',
                content: { 'application/json': { examples: { e: { $ref: '#/components/examples/E' } } } },
              },
            },
            examples: { E: { value: 1 }, F: { value: 2 } },
            schemas: {
              S: { properties: { t: { $ref: '#/components/schemas/T/properties/u' } } },
              T: { type: 'object', properties: { u: {}, v: {} } },
            },
          },
        },
      ),
    );
    expect(shownOf(found)).toEqual(['200 | e | application/json | 1']);
    expect(notesOf(found)).toEqual(['openapi.reference /paths/~1gone']);
    // The values of Q, of F, of the path that is gone, and of T its type and v.
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'openapi.unused', level: 'exact', count: 3 + 2 + 2 + 2 }),
    );
  });

  const load = (files: Record<string, unknown>) => {
    const sources = Object.entries(files).map(([path, value]) => ({ path, bytes: Buffer.from(JSON.stringify(value)) }));
    const found = importMocks(sources, sources[0]?.path ?? '', {}, DEFAULT_LIMITS.mocks);
    if ('details' in found) throw new Error(found.details[0]?.message);
    return found;
  };

  test('lead to other files of the import, each relative to its own', () => {
    const found = load({
      'api/openapi.json': document({ '/a': { $ref: 'paths/a.json' } }),
      'api/paths/a.json': {
        get: {
          responses: {
            200: { description: 'd', content: { 'application/json': { schema: { $ref: '../../all.json#/Pet' } } } },
          },
          extra: 1,
        },
      },
      'all.json': {
        Pet: { type: 'object', properties: { own: { $ref: '#/Id' }, far: { $ref: 'api/id.json' } } },
        Id: { type: 'integer' },
        Unused: {},
      },
      'api/id.json': { type: 'boolean' },
    });
    const body = JSON.parse(responsesOf(found)[0]?.body ?? '') as Record<string, unknown>;
    expect([typeof body.own, typeof body.far]).toEqual(['number', 'boolean']);
    expect(found.report.entries.map(({ code, source }) => [code, source.file, source.pointer])).toEqual([
      ['openapi.sampled', 'api/paths/a.json', '/get/responses/200/content/application~1json/schema'],
      ['openapi.unknown', 'api/paths/a.json', '/get/extra'],
    ]);
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'openapi.unused', level: 'exact', count: 1 }),
    );
  });

  test('that lead nowhere are named as their file has them', () => {
    const found = load({
      'openapi.json': get({
        200: { description: 'd', content: { 'application/json': { schema: { $ref: 'all.json#/Pet' } } } },
      }),
      'all.json': { Pet: { type: 'object', properties: { gone: { $ref: './gone.json' } } } },
    });
    expect(found.report.entries.map(({ code }) => code).toSorted()).toEqual(['openapi.incomplete', 'openapi.part']);
    for (const { message } of found.report.entries) expect(message).toMatch(/(?:: | reference )\.\/gone\.json/);
  });

  test('to a file that cannot be parsed refuse the import, with its place: it is there, and is not left out', () => {
    const files = {
      'openapi.json': JSON.stringify(
        get({ 200: { description: 'd', content: { 'application/json': { schema: { $ref: 'parts/pet.yaml' } } } } }),
      ),
      'parts/pet.yaml': 'type: object\nx: [\n',
      'parts/unused.yaml': 'x: [',
    };
    const bundle = (names: readonly (keyof typeof files)[]) =>
      importMocks(
        names.map((path) => ({ path, bytes: Buffer.from(files[path]) })),
        undefined,
        {},
        DEFAULT_LIMITS.mocks,
      );
    expect(bundle(['openapi.json', 'parts/pet.yaml', 'parts/unused.yaml'])).toEqual({
      details: [
        { path: 'parts/pet.yaml', message: expect.stringMatching(/^not valid YAML: .* \(line 3, column 1\)$/) },
      ],
    });
    expect(bundle(['openapi.json', 'parts/unused.yaml'])).toMatchObject({ report: { truncated: false } });
  });

  // reaches IMPORT_RESPONSES_MAX
  test.runIf(isFullEffort)('100,000 responses are read, however often references repeat them', () => {
    const statuses = Array.from({ length: 300 }, (_, index) => [String(200 + index), { description: 'd' }]);
    const A = { get: { responses: Object.fromEntries(statuses) as object } };
    const paths = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`/${index}`, { $ref: '#/components/pathItems/A' }]),
    );
    const { report } = imported(document(paths, { components: { pathItems: { A } } }));
    const { dropped = 0, ...read } = report.items.responses ?? {};
    // Of each route 100 are kept.
    expect(read).toEqual({ exact: 334 * 100, approximated: 0 });
    expect(dropped).toBe(334 * 200);
    expect(report.items.routes).toEqual({ exact: 334, approximated: 0, dropped: 266 });
  });

  test('in rings and of great length end', () => {
    const schemas: Record<string, unknown> = { End: { type: 'string' } };
    for (let index = 0; index < 5_000; index++)
      schemas[`S${index}`] = { properties: { next: { $ref: `#/components/schemas/S${(index + 1) % 5_000}` } } };
    const source = {
      ...get({
        200: { description: 'd', content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
      }),
      components: { schemas, responses: { A: { $ref: '#/components/responses/A' } } },
    };
    let found: MockImport | undefined;
    expect(cpuMs(() => (found = imported(source)))).toBeLessThan(1_500);
    expect(responsesOf(found as MockImport)).toHaveLength(1);
  });
});

describe('what requests must have', () => {
  const parameters = [
    { name: 'q', in: 'query', required: true, schema: { type: 'string' } },
    { name: 'X-Id', in: 'header', required: true, schema: { type: 'string' } },
    { name: 'Accept', in: 'header', required: true, schema: { type: 'string' } },
    { name: 'c', in: 'cookie', required: true, schema: { type: 'string' } },
    { name: 'deep', in: 'query', required: true, style: 'deepObject', schema: { type: 'object' } },
    { name: 'free', in: 'query', schema: { type: 'string' } },
  ];
  const operation = {
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: { 200: json('ok'), 400: json('own') },
  };
  const components = {
    securitySchemes: {
      key: { type: 'apiKey', in: 'query', name: 'api_key' },
      basic: { type: 'http', scheme: 'basic' },
      oauth: { type: 'oauth2', flows: {} },
      tls: { type: 'mutualTLS' },
    },
  };
  const importWith = (more: object, options: ImportOptions) =>
    imported(document({ '/a': { post: { ...operation, ...more } } }, { components }), options);
  const answer = (found: MockImport, target: string, given: Parameters<typeof request>[2] = {}) =>
    explainedAnswer(definitionOf(found), request('POST', target, given))?.status;

  const whole = { headers: { 'X-Id': '1', Cookie: 'c=1' }, body: '{}' };

  test('is counted as lost', () => {
    const found = importWith({ security: [{ key: [] }] }, {});
    expect(answer(found, '/a')).toBe(200);
    expect(found.report.classes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'openapi.required', level: 'approximated', count: 5 }),
        expect.objectContaining({ code: 'openapi.security', level: 'approximated', count: 1 }),
      ]),
    );
    expect(found.report.items.routes).toEqual({ exact: 1, approximated: 0, dropped: 0 });
  });

  test('is refused on demand, by the declared response where there is one', () => {
    const found = importWith({}, { validate: true });
    expect(answer(found, '/a?q=1', whole)).toBe(200);
    for (const [target, given] of [
      ['/a', whole],
      ['/a?q=1', { ...whole, headers: { Cookie: 'c=1' } }],
      ['/a?q=1', { ...whole, headers: { 'X-Id': '1' } }],
      ['/a?q=1', { headers: whole.headers }],
    ] as const) {
      expect(answer(found, target, given)).toBe(400);
    }
    expect(shownOf(found)[0]).toBe('400 |  | application/json | "own"');
    expect(found.report.classes).toContainEqual(
      expect.objectContaining({ code: 'openapi.required', level: 'approximated', count: 1 }),
    );
  });

  test.each<[string, object[], string, Parameters<typeof request>[2], number]>([
    ['one', [{ key: [] }], '/a?q=1', whole, 401],
    ['one', [{ key: [] }], '/a?q=1&api_key=k', whole, 200],
    ['any of two', [{ key: [] }, { basic: [] }], '/a?q=1&api_key=k', whole, 200],
    ['any of two', [{ key: [] }, { basic: [] }], '/a?q=1', whole, 401],
    ['both of two', [{ key: [], oauth: [] }], '/a?q=1&api_key=k', whole, 401],
    ['a free one', [{ key: [] }, {}], '/a?q=1', whole, 200],
    ['no rule can test it', [{ tls: [] }], '/a?q=1', whole, 200],
  ])('credentials: %s', (_name, security, target, given, status) => {
    expect(answer(importWith({ security }, { validate: true }), target, given)).toBe(status);
  });

  test.each([
    [[{ bearer: [] }], 'Basic dTpw', 401, ['Bearer']],
    [[{ bearer: [] }], 'Bearer', 401, ['Bearer']],
    [[{ bearer: [] }], 'bearer t', 200, []],
    [[{ basic: [] }], 'Bearer t', 401, ['Basic realm="mock"']],
    [[{ basic: [] }], 'Basic dTpw', 200, []],
    [[{ oauth: [] }, { basic: [] }], 'Digest a=b', 401, ['Bearer', 'Basic realm="mock"']],
    [[{ oauth: [] }, { basic: [] }], 'Basic dTpw', 200, []],
  ])('the scheme is one of %j: %s', (security, authorization, status, challenges) => {
    const schemes = { ...components.securitySchemes, bearer: { type: 'http', scheme: 'bearer' } };
    const paths = { '/a': { post: { responses: { 200: json('ok') }, security } } };
    const own = document(paths, { components: { ...components, securitySchemes: schemes } });
    const found = imported(own, { validate: true });
    const given = { headers: { authorization } };
    expect(answer(found, '/a', given)).toBe(status);
    const [refusal] = definitionOf(found).routes[0]?.responses ?? [];
    const sent = refusal?.headers.filter(({ name }) => name === 'WWW-Authenticate').map(({ value }) => value);
    if (status === 401) expect(sent).toEqual(challenges);
  });

  test('the security of the document holds where an operation has none of its own', () => {
    const paths = {
      '/a': { post: { responses: { 200: json('ok') } } },
      '/b': { post: { responses: { 200: json('ok') }, security: [] } },
    };
    const found = imported(document(paths, { components, security: [{ basic: [] }] }), { validate: true });
    expect([answer(found, '/a'), answer(found, '/b')]).toEqual([401, 200]);
    expect(notesOf(found)).toEqual(['openapi.validation /paths/~1a/post']);
  });

  test('of Swagger', () => {
    const own = {
      parameters: [
        { name: 'b', in: 'body', required: true, schema: {} },
        { name: 'p', in: 'query', required: true, type: 'string' },
      ],
      responses: { 200: { description: 'd' } },
    };
    const found = imported(swagger({ '/a': { post: own } }), { validate: true });
    expect([
      answer(found, '/a?p=1', { body: '1' }),
      answer(found, '/a?p=1'),
      answer(found, '/a', { body: '1' }),
    ]).toEqual([200, 400, 400]);
  });
});

test('what a mock does not do is counted: links, webhooks', () => {
  const found = imported({
    ...get({ 200: json(1, { links: { next: { operationId: 'x' } } }) }),
    openapi: '3.1.0',
    webhooks: { a: { post: ok }, b: { post: ok } },
  });
  expect(found.report.classes).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ code: 'openapi.link', level: 'exact', count: 1 }),
      expect.objectContaining({ code: 'openapi.webhook', level: 'dropped', count: 2 }),
    ]),
  );
  expect(found.report.entries).toEqual([]);
});

test('a report that is full lists what is lost rather than what is only otherwise', () => {
  const paths: Record<string, unknown> = {};
  for (let index = 0; index < 1_200; index++)
    paths[`/${index}`] = { get: { responses: { default: { description: 'd' } } } };
  for (let index = 0; index < 20; index++) paths[`/${'a/'.repeat(70)}${index}`] = { get: ok };
  const { report } = imported(document(paths));
  expect(report.truncated).toBe(true);
  expect(report.entries.length).toBeLessThanOrEqual(1_000);
  expect(report.entries.filter(({ level }) => level === 'dropped')).toHaveLength(20);
  expect(report.items.responses).toEqual({ exact: 0, approximated: 1_200, dropped: 0 });
});

test('ids stay the same, and come from method, path and example', () => {
  const one = definitionOf(imported(get({ 200: json(1), 404: json(2) }))).routes[0];
  const other = definitionOf(
    imported(document({ '/z': { get: ok }, '/a': { get: { responses: { 200: json(3), 404: json(2) } } } })),
  ).routes[1];
  expect(other?.id).toBe(one?.id);
  expect(other?.responses.map(({ id }) => id)).toEqual(one?.responses.map(({ id }) => id));
});

test('the responses of a route that is left out are dropped with it', () => {
  const operation = { responses: { 200: { description: '' }, 404: { description: '' } } };
  const count = DEFAULT_LIMITS.mocks.routesPerMockMax + 1;
  const paths = Object.fromEntries(Array.from({ length: count }, (_, index) => [`/${index}`, { get: operation }]));
  const { items, entries } = imported({ openapi: '3.0.3', info: { title: 't', version: '1' }, paths }).report;
  expect(items.routes).toEqual({ exact: count - 1, approximated: 0, dropped: 1 });
  expect(items.responses).toEqual({ exact: 2 * (count - 1), approximated: 0, dropped: 2 });
  expect(entries).toHaveLength(1);
});

test('a number that is not sent as it is written is told of each response that sends it, wherever it stands', () => {
  const big = '12345678901234567890';
  const content = (media: string) => `{"description": "", "content": {"application/json": ${media}}}`;
  const paths = [
    content('{"examples": {"a": {"$ref": "#/components/examples/A"}, "b": {"value": 1}}}'),
    '{"$ref": "#/components/responses/R"}',
    content('{"schema": {"$ref": "#/components/schemas/S"}}'),
    content(`{"examples": {"a": {"value": ${big}}, "b": {"value": 1}}}`),
    content('{"example": 1}'),
  ].map((response, index) => `"/${index}": {"get": {"responses": {"200": ${response}}}}`);
  const components = `{"examples": {"A": {"value": [${big}]}}, "responses": {"R": ${content(`{"example": ${big}}`)}},
    "schemas": {"S": {"type": "integer", "example": ${big}}}}`;
  const found = imported(
    `{"openapi": "3.0.3", "info": {"title": "t", "version": "1"}, "paths": {${paths.join()}}, "components": ${components}}`,
  );
  const changed = found.report.entries
    .filter(({ item }) => item === 'response')
    .map(({ target }) => target?.responseId);
  const sent = definitionOf(found).routes.flatMap(({ responses }) =>
    responses.filter(({ body }) => /\d{9}/.test(body)),
  );
  expect(sent).toHaveLength(4);
  const exact = sent.find(({ body }) => body === `[${big}]`);
  expect(exact).toBeDefined();
  for (const { id } of sent) if (id !== exact?.id) expect(changed).toContain(id);
  expect(changed).not.toContain(exact?.id);
});
