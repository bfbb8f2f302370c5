/** `POST /v1/mocks/import` over HTTP: what becomes of a file, and what bad input gets. Formats are tested in test/interchange. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { IMPORT_FILE_BYTES_MAX, IMPORT_FILES_MAX } from '../../src/limits.ts';
import { RECIPE_NAMES } from '../../src/interchange/recipes.ts';
import type { Answer } from '../support/server.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server, owner, key } = await useServer();

const FILE = {
  switchyard: 1,
  kind: 'mock',
  name: 'Payments',
  routes: [{ method: 'GET', path: '/payments/:id', responses: [{ id: 'found', bodyJson: { id: 7 } }] }],
};

const HAR = {
  log: {
    version: '1.2',
    entries: [
      {
        request: { method: 'GET', url: 'https://api.test/a?x=1', headers: [] },
        response: {
          status: 200,
          headers: [{ name: 'content-type', value: 'text/plain' }],
          content: { mimeType: 'text/plain', text: 'hello' },
        },
      },
    ],
  },
};

interface Sent {
  readonly query?: string;
  readonly type?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

function importFile(body: unknown, { query = '', type, key: own = key, headers = {} }: Sent = {}): Promise<Answer> {
  const sent = { ...headers, ...(type === undefined ? {} : { 'content-type': type }) };
  return server.request('POST', `/v1/mocks/import${query}`, { key: own, body, headers: sent });
}

async function mockCount(own = key): Promise<number> {
  return (await server.request('GET', '/v1/mocks', { key: own })).json.total;
}

async function ask(mockId: string, path: string): Promise<[number, string]> {
  const answer = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${mockId}${path}`);
  return [answer.status, await answer.text()];
}

describe('a recipe', () => {
  test('is a mock that answers, without a body', async () => {
    const { status, json } = await importFile(undefined, { query: '?recipe=openai-chat&start=true' });
    expect([status, json.data.mocks.length, json.warnings]).toEqual([200, 1, []]);
    expect(json.data.mocks[0]).toMatchObject({ name: 'OpenAI chat', state: 'running', routeCount: 2 });
    expect(json.data.report).toMatchObject({ format: 'switchyard', entries: [] });
  });

  test('is previewed', async () => {
    const before = await mockCount();
    const { json } = await importFile(undefined, { query: '?recipe=anthropic-messages&dryRun=true' });
    expect(json.data.definitions).toMatchObject([{ name: 'Anthropic messages', routes: [{ id: 'messages' }] }]);
    expect(await mockCount()).toBe(before);
  });

  test('that does not exist is refused with those that do', async () => {
    const { status, json } = await importFile(undefined, { query: '?recipe=gemini' });
    const message = `expected one of ${RECIPE_NAMES.join(', ')}; got "gemini"`;
    expect([status, json.details]).toEqual([400, [{ path: 'recipe', message }]]);
  });

  test('and a file at once are refused, and so is neither', async () => {
    const both = await importFile(FILE, { query: '?recipe=openai-chat' });
    expect(both.status).toBe(400);
    expect(both.json).toMatchObject({ message: 'Import is invalid', details: [{ path: 'recipe' }] });
    const neither = await importFile(undefined);
    expect(neither.json).toMatchObject({
      message: 'Import is invalid',
      details: [{ path: '', message: 'the body must be a file' }],
    });
  });
});

describe('a file', () => {
  test.each(['application/json', 'application/yaml', 'text/plain; charset=utf-8', 'application/x-www-form-urlencoded'])(
    'sent as %s becomes a mock that answers',
    async (type) => {
      const { status, json } = await importFile(FILE, { query: '?start=true', type });
      expect([status, json.data.mocks.length]).toEqual([200, 1]);
      const [mock] = json.data.mocks;
      expect(mock).toMatchObject({ name: 'Payments', state: 'running', version: 1, routeCount: 1 });
      expect(await ask(mock.id, '/payments/1')).toEqual([200, '{"id":7}']);
      expect(json.data.report).toMatchObject({ format: 'switchyard', version: '1', entries: [], truncated: false });
    },
  );

  test('without a media type, of YAML, with a byte order mark', async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/mocks/import`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      body: Buffer.from('\ufeffswitchyard: 1\nkind: mock\nroutes:\n  - {method: GET, path: /a, responses: [{}]}\n'),
    });
    expect(await response.json()).toMatchObject({ success: true, data: { mocks: [{ name: 'Imported mock' }] } });
  });

  test('without a title has the name of its file, or of its folder', async () => {
    const imposters = {
      imposters: [FILE, FILE].map(({ routes }) => ({ protocol: 'http', name: '', stubs: [], routes })),
    };
    const stub = { request: { method: 'GET', urlPath: '/a' }, response: { status: 200 } };
    const namesOf = async (file: object, query: string): Promise<string[]> =>
      (await importFile(file, { query })).json.data.mocks.map(({ name }: { name: string }) => name);
    expect(await namesOf(stub, '?fileName=orders.v2.json')).toEqual(['orders.v2']);
    expect(await namesOf(stub, '?fileName=wiremock/')).toEqual(['wiremock']);
    expect(await namesOf(stub, '?fileName=a.json&name=Own')).toEqual(['Own']);
    expect(await namesOf(imposters, '?fileName=imposters.json')).toEqual(['imposters', 'imposters 2']);
    expect(await namesOf(FILE, '?fileName=a.json')).toEqual(['Payments']);
  });

  test('of OpenAPI has made-up values on demand, which a seed repeats, also in a session', async () => {
    const schema = { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } };
    const content = { 'application/json': { schema } };
    const file = {
      openapi: '3.1.0',
      info: { title: 'Users', version: '1' },
      paths: { '/users/{id}': { get: { responses: { 200: { description: 'd', content } } } } },
    };
    const { mocks, report } = (await importFile(file, { query: '?start=true&faker=true' })).json.data;
    expect(report.entries).toMatchObject([{ code: 'openapi.faked', name: 'GET /users/{id}, response 200' }]);
    expect(report.instead['openapi.faked']).toContain('example');
    const [{ id }] = mocks;
    const [, one] = await ask(id, '/users/7');
    const [, other] = await ask(id, '/users/7');
    expect([one, other].map((text) => JSON.parse(text).id)).toEqual([7, 7]);
    expect(one).not.toBe(other);
    const inSession = async (session: string): Promise<string> => {
      await server.request('POST', `/v1/mocks/${id}/sessions`, { key, body: { id: session, seed: 5 } });
      return (await ask(id, `/__session/${session}/users/7`))[1];
    };
    expect(await inSession('one')).toBe(await inSession('two'));
  });

  test('in a bundle is found by its content, or named', async () => {
    const files = [
      { path: 'README.md', text: '# hello' },
      { path: 'recorded/api.har', base64: Buffer.from(JSON.stringify(HAR)).toString('base64') },
    ];
    const { report } = (await importFile({ files })).json.data;
    expect(report).toMatchObject({ format: 'har' });
    expect(report.classes).toContainEqual(
      expect.objectContaining({
        code: 'import.other-file',
        level: 'exact',
        count: 1,
        message: 'File that the import skips: README.md (not a known format)',
        first: [{ file: 'README.md', pointer: '' }],
      }),
    );
    const both = { files: [...files, { path: 'mocks/pay.json', text: JSON.stringify(FILE) }] };
    expect((await importFile(both)).json.details[0].message).toContain('recorded/api.har, mocks/pay.json');
    expect((await importFile({ ...both, entry: 'mocks/pay.json' })).json.data.mocks[0].name).toBe('Payments');
    // A file of ours at the top is what the folder is.
    const ours = { files: [...files, { path: 'mock.json', text: JSON.stringify(FILE) }] };
    expect((await importFile(ours)).json.data.mocks[0].name).toBe('Payments');
    const named = await importFile(both, { query: '?entry=recorded/api.har&name=Api' });
    expect(named.json.data.mocks[0].name).toBe('Api');
  });

  test('of templates keeps those JSON whose text is JSON, when that is asked for', async () => {
    const responses = (body: string) => [{ body, templated: true }];
    const file = {
      ...FILE,
      routes: [
        { method: 'GET', path: '/json', responses: responses('{"name": "{{queryParam \'name\'}}"}') },
        { method: 'GET', path: '/text', responses: responses("Hello {{queryParam 'name'}}") },
        { method: 'GET', path: '/loose', responses: responses("{name: {{queryParam 'name'}}}") },
      ],
    };
    const asked = '?name=a%22b';
    const texts = async (query: string): Promise<string[]> => {
      const { mocks, report } = (await importFile(file, { query: `?start=true${query}` })).json.data;
      const counted = report.classes.find(({ code }: { code: string }) => code === 'import.json-template');
      expect(counted?.count).toBe(query === '' ? undefined : 1);
      const paths = ['/json', '/text', '/loose'].map((path) => ask(mocks[0].id, `${path}${asked}`));
      return (await Promise.all(paths)).map(([, text]) => text);
    };
    expect(await texts('')).toEqual(['{"name": "a"b"}', 'Hello a"b', '{name: a"b}']);
    expect(await texts('&jsonTemplates=true')).toEqual(['{"name": "a\\"b"}', 'Hello a"b', '{name: a"b}']);
  });

  test('that is read in a dry run is shown and not stored', async () => {
    const before = await mockCount();
    const { status, json } = await importFile(HAR, { query: '?dryRun=true' });
    expect([status, json.data.mocks]).toEqual([200, undefined]);
    expect(json.data.definitions).toMatchObject([
      { name: 'api.test', description: '', settings: { cors: true }, routes: [{ path: '/a' }] },
    ]);
    expect(json.data.report.items.routes).toEqual({ exact: 1, approximated: 0, dropped: 0 });
    expect(await mockCount()).toBe(before);
  });

  test('is imported once for an idempotency key; with other options the key is used twice', async () => {
    const before = await mockCount();
    const headers = { 'idempotency-key': 'import-1' };
    const first = await importFile(FILE, { query: '?name=Once', headers });
    const again = await importFile(FILE, { query: '?name=Once', headers });
    expect(again.json).toEqual(first.json);
    expect((await importFile(FILE, { query: '?name=Twice', headers })).status).toBe(422);
    expect(await mockCount()).toBe(before + 1);
  });

  test('is imported by an editor only, and is one entry of the history', async () => {
    const viewer = await server.key(owner, 'vic', 'viewer');
    expect((await importFile(FILE, { key: viewer })).status).toBe(401);
    const { id } = (await importFile(FILE)).json.data.mocks[0];
    const history = await server.request('GET', `/v1/history?recordId=${id}`, { key });
    expect(history.json.data.map((each: { command: string }) => each.command)).toEqual(['mock.import']);
  });

  test('with members named __proto__ and constructor has them as data', async () => {
    const json = '{"__proto__": {"a": 1}, "constructor": {"prototype": {"b": 2}}}';
    const text = `{"switchyard":1,"kind":"mock","__proto__":1,"routes":[{"method":"GET","path":"/a","responses":[{"bodyJson":${json}}]}]}`;
    const { data } = (await importFile(text, { query: '?start=true' })).json;
    expect(await ask(data.mocks[0].id, '/a')).toEqual([200, json.replaceAll(' ', '')]);
    expect(data.report.entries).toMatchObject([{ code: 'import.unknown', source: { pointer: '/__proto__' } }]);
  });
});

/** A file of 9 MB: with the defaults of 9,000 responses it is more than a definition may have. */
const FILLED = Array.from({ length: 90 }, (_, index) => ({
  method: 'GET',
  path: `/${index}`,
  responses: Array.from({ length: 100 }, () => ({ body: 'x'.repeat(1_000) })),
}));

/** What is refused: name, body, and what the answer says. */
const REFUSED: readonly (readonly [
  name: string,
  body: string | Uint8Array,
  status: number,
  message: string | RegExp,
])[] = [
  ['an empty file', ' ', 400, 'the file is empty'],
  ['broken JSON', '{\n "a": [1,, 2]}', 400, 'line 2, column 10'],
  ['broken YAML', 'a: [1\nb: 2', 400, /not valid YAML: .*line 2, column/],
  ['a name that is twice in an object', '{"log": 1, "log": 2}', 400, 'line 1, column'],
  ['100,000 brackets', '['.repeat(100_000), 400, 'more than 64 levels deep (line 1'],
  ['100,000 brackets of YAML', `a: ${'['.repeat(100_000)}`, 400, 'not valid YAML'],
  ['aliases that stand for 10^9 values', bomb(9), 400, 'mock.import.aliases'],
  ['UTF-16', Buffer.from('\ufeff{"log": {}}', 'utf16le'), 400, 'UTF-16: save it as UTF-8'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 400, 'not valid UTF-8'],
  ['a zip archive', Buffer.from('PK\u0003\u0004rest'), 415, 'a zip archive: unpack it'],
  ['gzip data', gzipSync(JSON.stringify(FILE)), 415, 'gzip data: unpack it'],
  ['rules', '[{"objectType": "rule"}]', 400, 'this is a rules file: import it with `switchyard rules import`'],
  ['a file of no format', '{"hello": 1}', 400, 'unknown format; supported are switchyard'],
  ['a file that is nearly of a format', '{"switchyard": 3}', 400, 'nearly switchyard (`switchyard` is 3'],
  // reaches IMPORT_FILE_BYTES_MAX
  ['a file larger than 32 MB', ' '.repeat(IMPORT_FILE_BYTES_MAX + 1), 413, `more than ${IMPORT_FILE_BYTES_MAX} bytes`],
  ['YAML of more than 8 MiB', `a: ${'x'.repeat(8_500_000)}`, 413, 'convert it to JSON'],
  ['a bundle without files', '{"files": []}', 400, 'has no files'],
  // reaches IMPORT_FILES_MAX
  [
    'a bundle of more than 5,000 files',
    JSON.stringify({
      files: Array.from({ length: IMPORT_FILES_MAX + 1 }, (_, index) => ({ path: `f${index}`, text: '' })),
    }),
    413,
    `more than ${IMPORT_FILES_MAX} files`,
  ],
  ['a bundle with a path out of it', bundle('../a.json'), 400, 'not a path in the bundle'],
  ['a bundle with an absolute path', bundle('/etc/passwd'), 400, 'not a path in the bundle'],
  ['a bundle with two files of one path', bundle('a', 'a'), 400, 'the path of an earlier file'],
  ['a bundle whose entry is not there', '{"files": [{"path": "a", "text": "{}"}], "entry": "b"}', 400, 'no such file'],
  ['a bundle of files of no format', bundle('a', 'b'), 400, 'no file has a supported format'],
  [
    'a bundle whose documents cannot be read',
    JSON.stringify({
      files: [
        { path: 'a.json', text: '{"a": 1' },
        { path: 'b.yaml', text: 'x: 1' },
      ],
    }),
    400,
    'name it index; skipped: a.json (not valid JSON: the text ends too early), b.yaml (not a known format)',
  ],
  ['a bundle with a file that is not base64', '{"files": [{"path": "a", "base64": "{}"}]}', 400, 'is not base64'],
  ['a bundle with a file that has no content', '{"files": [{"path": "a"}]}', 400, 'exactly one of `text` and `base64`'],
];

describe('is refused with its place, and nothing is stored:', () => {
  test.each(REFUSED)('%s', async (_name, body, status, message) => {
    const own = await server.key(newOwner());
    const answer = await importFile(body, { type: 'text/plain', key: own });
    expect([answer.status, answer.json.details?.[0]?.message]).toEqual([
      status,
      typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
    ]);
    expect(await mockCount(own)).toBe(0);
  });

  test.each([
    ['application/zip', {}, 'not as an archive'],
    ['multipart/form-data; boundary=x', {}, 'not as a form'],
    ['text/plain; charset=utf-16', {}, 'expected UTF-8'],
    ['application/json', { 'content-encoding': 'gzip' }, 'uncompressed'],
  ])('a body declared as %s %j', async (type, headers, message) => {
    const answer = await importFile(FILE, { type, headers });
    expect([answer.status, answer.json.details[0].message]).toEqual([415, expect.stringContaining(message)]);
  });

  test.each([
    ['?dryrun=true', 'dryrun', 'is unknown'],
    ['?start=1', 'start', 'expected true or false'],
    ['?format=yaml', 'format', 'expected one of auto, switchyard'],
    ['?name=a&name=b', 'name', 'more than once'],
  ])('the query %s', async (query, path, message) => {
    const answer = await importFile(FILE, { query });
    expect([answer.status, answer.json.details[0].path, answer.json.details[0].message]).toEqual([
      400,
      path,
      expect.stringContaining(message),
    ]);
  });

  test('a file of another format than is asked for', async () => {
    const answer = await importFile(HAR, { query: '?format=postman' });
    expect([answer.status, answer.json.message]).toEqual([400, 'Import is invalid']);
  });

  test.each([
    ['a name', { name: 'n'.repeat(1_001) }, 'name of 1000 characters'],
    ['a definition', { routes: FILLED }, "10000000 bytes of a mock's definition"],
  ])('%s beyond its limit, of which a dry run shows the report', async (_what, change, limit) => {
    const own = await server.key(newOwner());
    const file = { ...FILE, ...change };
    const answer = await importFile(file, { key: own });
    expect([answer.status, answer.json.message]).toEqual([403, `Limit reached: ${limit}`]);
    const shown = await importFile(file, { query: '?dryRun=true', key: own });
    expect(shown.json.data.report.items.routes.exact).toBe(file.routes.length);
    expect(await mockCount(own)).toBe(0);
  });
});

/** Schemas of OpenAPI that stand for far more than they say. */
const HOSTILE: readonly (readonly [name: string, schemas: Record<string, object>])[] = [
  [
    'a ring of 1,000 references',
    Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [
        `S${index}`,
        { $ref: `#/components/schemas/S${(index + 1) % 1_000}` },
      ]),
    ),
  ],
  ['8^7 properties', Object.fromEntries(Array.from({ length: 8 }, (_, level) => [`S${level}`, wide(level)]))],
  ['three million elements', { S0: { type: 'array', minItems: 3_000_000, items: { type: 'string' } } }],
  ['fifty million characters', { S0: { type: 'string', minLength: 50_000_000 } }],
];

test.each(HOSTILE)('a document with %s is read in bounded time, and says what is not shown', async (_name, schemas) => {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } };
  const started = performance.now();
  const { status, json } = await importFile(
    {
      openapi: '3.1.0',
      info: { title: 'Hostile', version: '1' },
      paths: { '/a': { get: { responses: { 200: { description: '', content } } } } },
      components: { schemas },
    },
    { query: '?dryRun=true' },
  );
  expect([status, json.data.definitions[0].routes.length]).toEqual([200, 1]);
  expect(json.data.definitions[0].routes[0].responses[0].body.length).toBeLessThan(300_000);
  expect(json.data.report.items.responses).toMatchObject({ exact: 0 });
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('the operations of an OpenAPI document in YAML answer', async () => {
  const yaml = `openapi: 3.0.3
info: {title: Pets, version: 1.0.0}
paths:
  /pets/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
      responses:
        '200':
          description: One
          content: {application/json: {example: {id: 1, name: Rex}}}
        '404': {description: None}
`;
  const { data } = (await importFile(yaml, { query: '?start=true', type: 'application/yaml' })).json;
  expect(data.report).toMatchObject({ format: 'openapi', version: '3.0', items: { routes: { dropped: 0 } } });
  expect(data.mocks[0].name).toBe('Pets');
  expect(await ask(data.mocks[0].id, '/pets/1')).toEqual([200, '{"id":1,"name":"Rex"}']);
});

function wide(level: number): object {
  const below = level === 7 ? { type: 'integer' } : { $ref: `#/components/schemas/S${level + 1}` };
  const properties = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`p${index}`, below]));
  return { type: 'object', required: Object.keys(properties), properties };
}

function bundle(...paths: readonly string[]): string {
  return JSON.stringify({ files: paths.map((path) => ({ path, text: '{}' })) });
}

/** Each level is ten of the one before. */
function bomb(levels: number): string {
  const lines = ['l0: &l0 x'];
  for (let level = 1; level <= levels; level++) {
    lines.push(`l${level}: &l${level} [${Array.from({ length: 10 }, () => `*l${level - 1}`).join(', ')}]`);
  }
  return lines.join('\n');
}
