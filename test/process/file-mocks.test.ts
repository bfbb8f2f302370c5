/** `serve --mock`: the file is the source of truth, from the start to the stop, and through the API. */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { filesFirst } from '../../src/cli/files-first.ts';
import { askMock } from '../support/ask-mock.ts';
import { runLine } from '../support/command-lines.ts';
import { endAll, eventually, Running } from '../support/process.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';

const file = (routes: readonly object[], given = {}): string =>
  JSON.stringify({ switchyard: 1, kind: 'mock', name: 'Shop', ...given, routes });
const get = (path: string, ...bodies: readonly string[]): object => ({
  method: 'GET',
  path,
  selection: 'sequential',
  responses: bodies.map((body) => ({ body })),
});

afterEach(endAll);

test('without --data: a mock follows its file, and nothing is left of the server', async () => {
  const folder = temporaryDirectory();
  const path = join(folder, 'shop.json');
  writeFileSync(path, file([get('/count', '1', '2', '3'), get('/a', 'old')]));
  const server = new Running(
    process.execPath,
    [CLI, 'serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--workers', '1', '--mock', path],
    { env: { TMPDIR: folder } },
  );
  expect(await server.ready()).toBeGreaterThan(0);
  const [, summary, mockPort = ''] = /^(.*), at http:\/\/shop\.localhost:(\d+)$/m.exec(server.stdout) ?? [];
  expect(summary).toBe('shop.json: 2 routes');
  const [, data = ''] = /, data (\S+),/.exec(server.stdout) ?? [];
  expect(server.stdout).toMatch(new RegExp(`^To create an API key: node \\S+ keys create .* --data ${data}\n`));
  expect(data.startsWith(join(folder, 'switchyard-'))).toBe(true);
  expect(existsSync(data)).toBe(true);
  const ask = async (at: string): Promise<string> => (await askMock(Number(mockPort), at, { mock: 'shop' })).text;
  expect([await ask('/a'), await ask('/count'), await ask('/count')]).toEqual(['old', '1', '2']);

  // As an editor does that replaces the file.
  writeFileSync(join(folder, 'new'), file([get('/a', 'new'), get('/count', '1', '2', '3')]));
  renameSync(join(folder, 'new'), path);
  expect(await eventually(async () => (await ask('/a')) === 'new')).toBe(true);
  expect(await ask('/count'), 'its sequence goes on').toBe('3');
  expect(await eventually(() => server.stdout.includes('"shop.json: 2 routes"'))).toBe(true);

  writeFileSync(path, '{"switchyard": 1,\n "kind": mock}');
  expect(await eventually(() => server.stdout.includes('the previous version stays served'))).toBe(true);
  expect(server.stdout).toMatch(/"msg":"shop\.json: not valid JSON: .* \(line 2, column 10: [^\n]*; the previous/);
  expect(await ask('/a')).toBe('new');
  // What a person has misspelt is a mistake as well, with its line.
  writeFileSync(path, file([get('/a', 'newer')], { bdoy: 1 }));
  expect(
    await eventually(() => /"msg":"shop\.json:\d+: .*unknown field `bdoy`[^\n]*; the previous/.test(server.stdout)),
  ).toBe(true);
  expect(await ask('/a')).toBe('new');
  // A tag that no helper has is served, with a warning.
  writeFileSync(path, file([{ ...get('/a', '{{nope 1}}'), responses: [{ templated: true, body: '{{nope 1}}' }] }]));
  expect(await eventually(() => /"shop\.json: 1 route; warning: GET \/a [^"]*nope/.test(server.stdout))).toBe(true);

  server.child.kill('SIGTERM');
  expect(await server.ended).toMatchObject({ status: 0 });
  expect(server.stdout.split('the previous version stays served')).toHaveLength(3);
  expect(existsSync(data)).toBe(false);
});

describe('files in place of a command', () => {
  const folder = temporaryDirectory();
  writeFileSync(join(folder, 'shop.json'), file([get('/:id', 'id'), get('/a', 'A')]));

  test('are served, on the next free ports, with a request to try', async () => {
    const env = { TMPDIR: temporaryDirectory() };
    const one = new Running(process.execPath, [CLI, 'shop.json', '--workers', '1'], { cwd: folder, env });
    await one.ready();
    const other = new Running(process.execPath, [CLI, 'shop.json', '--workers', '1'], { cwd: folder, env });
    await other.ready();
    const [first, second] = [one, other].map(({ stdout }) => /^Try it: {2}curl (\S+)/m.exec(stdout)?.[1] ?? '');
    expect(first).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/__mock\/shop\/a$/);
    expect(second).not.toBe(first);
    for (const url of [first, second]) expect(await (await fetch(url as string)).text()).toBe('A');
  });

  test('the free port is not the one that the other listener is given', async () => {
    const path = join(folder, 'shop.json');
    const portOf = async (...options: string[]) => (await filesFirst([path, ...options], new Set()))?.[4];
    const port = await portOf();
    expect(port).toMatch(/^\d+$/);
    for (const given of [[`--mock-port=${port}`], ['--mock-port', `${port}`]]) {
      expect(await portOf(...given)).not.toBe(port);
    }
    vi.stubEnv('SWITCHYARD_MOCK_PORT', port);
    expect(await portOf()).not.toBe(port);
    vi.unstubAllEnvs();
  });

  test('a file with a "=" in its name is that file', async () => {
    writeFileSync(join(folder, 'own=shop.json'), file([get('/b', 'B')]));
    const options = ['--port', '0', '--mock-port', '0', '--no-gateway', '--workers', '1'];
    const env = { TMPDIR: temporaryDirectory() };
    const running = new Running(process.execPath, [CLI, 'own=shop.json', ...options], { cwd: folder, env });
    await running.ready();
    const url = /^Try it: {2}curl (\S+)/m.exec(running.stdout)?.[1] ?? '';
    expect(await (await fetch(url)).text()).toBe('B');
  });

  test.each([
    [['shop.yaml'], 'there is no file, folder or command shop.yaml'],
    [['shop.json', 'other.json'], 'there is no file, folder or command other.json'],
    [['serv'], "unknown command 'serv': did you mean 'serve'?"],
  ])('%j is an error', async (args, message) => {
    const { status, stderr } = await runLine(args, { cwd: folder });
    expect([status, stderr.split('\n')[0]]).toEqual([2, `error: ${message}`]);
  });
});

describe('with --data', () => {
  const folder = temporaryDirectory();
  const data = join(folder, 'data');
  const path = join(folder, 'shop.json');
  let server: TestServer;
  let key: string;
  let made: { readonly id: string };

  beforeAll(async () => {
    writeFileSync(path, file([get('/a', 'a')]));
    server = await TestServer.start(['--workers', '1', '--mock', path], data);
    key = await server.key('local');
    made = (await server.request('POST', '/v1/mocks', { key, body: { name: 'of the API' } })).json.data;
  });
  afterAll(() => server.end('SIGKILL'));

  const ask = (method: string, at: string, body?: unknown) => server.request(method, `/v1${at}`, { key, body });
  const route = { method: 'GET', path: '/b', responses: [{ body: 'b' }] };

  test.each<[method: string, at: string, body?: unknown]>([
    ['PUT', '', { name: 'other' }],
    ['DELETE', ''],
    ['POST', '/start'],
    ['POST', '/stop'],
    ['POST', '/save'],
    ['POST', '/discard'],
    ['POST', '/versions/1/restore'],
    ['PUT', '/staged', { routes: [] }],
    ['PUT', '/staged/import', { switchyard: 1, kind: 'mock', name: 'other', routes: [] }],
    ['POST', '/recording/stage', {}],
    ['PUT', '/staged/order', { ids: [] }],
    ['POST', '/staged/routes', route],
    ['PUT', '/staged/routes/:route', route],
    ['DELETE', '/staged/routes/:route'],
    ['POST', '/staged/routes/:route/responses', {}],
    ['PUT', '/staged/routes/:route/responses/:response', {}],
    ['DELETE', '/staged/routes/:route/responses/:response'],
  ])('%s /v1/mocks/shop%s is refused, and changes nothing', async (method, at, body) => {
    const before = (await ask('GET', '/mocks/shop')).json.data;
    const [{ id, responses }] = (await ask('GET', '/mocks/shop/staged')).json.data.routes;
    const addressed = at.replace(':route', id).replace(':response', responses[0].id);
    expect(await ask(method, `/mocks/shop${addressed}`, body)).toMatchObject({
      status: 409,
      json: { success: false, message: 'Mock served from a file: change the file shop.json' },
    });
    expect((await ask('GET', '/mocks/shop')).json.data).toEqual(before);
    expect((await ask('GET', '/mocks/shop/staged/diff')).json.data.routesChanged).toEqual([]);
  });

  test('every endpoint that changes a mock says so in the OpenAPI document', async () => {
    const { paths } = (await ask('GET', '/openapi.json')).json;
    const missing = Object.entries<Record<string, { responses: object }>>(paths).flatMap(([at, methods]) =>
      Object.entries(methods)
        .filter(([method]) => at.startsWith('/v1/mocks/{id}') && method !== 'get')
        .filter(([, { responses }]) => !('409' in responses))
        .map(([method]) => `${method} ${at}`),
    );
    // These change no definition.
    const inSession = '/v1/mocks/{id}/sessions/{sid}';
    expect(missing.toSorted()).toEqual(
      [
        'delete /v1/mocks/{id}/recording',
        'delete /v1/mocks/{id}/drifts/{driftId}',
        'post /v1/mocks/{id}/recording/check',
        'delete /v1/mocks/{id}/requests',
        `delete ${inSession}`,
        `post ${inSession}/reset`,
        `post ${inSession}/try`,
        `post ${inSession}/verify`,
        'post /v1/mocks/{id}/try',
        'post /v1/mocks/{id}/verify',
        'put /v1/mocks/{id}/scenarios/{name}',
        'put /v1/mocks/{id}/stores/{name}',
        'patch /v1/mocks/{id}/stores/{name}',
        'delete /v1/mocks/{id}/stores/{name}',
        'put /v1/mocks/{id}/stores/{name}/{itemId}',
        'patch /v1/mocks/{id}/stores/{name}/{itemId}',
        'delete /v1/mocks/{id}/stores/{name}/{itemId}',
        `put ${inSession}/stores/{name}`,
        `patch ${inSession}/stores/{name}`,
        `delete ${inSession}/stores/{name}`,
        `put ${inSession}/stores/{name}/{itemId}`,
        `patch ${inSession}/stores/{name}/{itemId}`,
        `delete ${inSession}/stores/{name}/{itemId}`,
        'post /v1/mocks/{id}/streams/send',
        'delete /v1/mocks/{id}/streams/{streamId}',
        'post /v1/mocks/{id}/ws/send',
        'delete /v1/mocks/{id}/ws/{socketId}',
        `post ${inSession}/ws/send`,
        `delete ${inSession}/ws/{socketId}`,
        `post ${inSession}/streams/send`,
        `delete ${inSession}/streams/{streamId}`,
        `put ${inSession}/overlay`,
        `put ${inSession}/scenarios/{name}`,
      ].toSorted(),
    );
  });

  test('it is read, tried and verified like any other, and its history names the file', async () => {
    await askMock(server.mockPort, '/a', { mock: 'shop' });
    expect((await ask('GET', '/mocks')).json.data).toMatchObject([
      { id: 'shop', name: 'Shop', file: 'shop.json', state: 'running', version: 1, createdBy: 'file' },
      { id: made.id, file: null },
    ]);
    expect((await ask('POST', '/mocks/shop/try', { method: 'GET', path: '/a' })).json.data.response.body).toBe('a');
    expect((await ask('POST', '/mocks/shop/verify', { match: { path: '/a' } })).json.data.verified).toBe(true);
    expect((await ask('GET', '/history')).json.data.at(-1)).toMatchObject({ command: 'mock.file', user: 'file' });
    expect((await ask('DELETE', '/mocks/shop/requests')).status).toBe(200);
  });

  test('a start with the same file makes no version, one without it removes the mock, and no start takes the id of another', async () => {
    await server.restart();
    expect((await ask('GET', '/mocks/shop')).json.data).toMatchObject({ version: 1 });
    writeFileSync(path, file([get('/a', 'changed while the server was away')]));
    await server.restart();
    expect((await ask('GET', '/mocks/shop')).json.data).toMatchObject({ version: 2 });
    await server.end();

    const taken = join(folder, `${made.id}.json`);
    writeFileSync(taken, file([]));
    const start = ['serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--data', data, '--mock'];
    expect(await runLine([...start, taken])).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('but the store already has that mock, and not from a file: give it another id'),
    });

    // Under another id, and a second file under what is left of its name.
    const second = join(folder, 'My-2nd.json');
    writeFileSync(second, file([]));
    const named = ['--mock', `renamed=${taken}`, '--mock', second];
    const renamed = await TestServer.start(['--workers', '1', ...named], data);
    expect((await renamed.request('GET', '/v1/mocks/renamed', { key })).json.data.file).toBe(`${made.id}.json`);
    expect((await renamed.request('GET', '/v1/mocks/my2nd', { key })).status).toBe(200);
    expect(renamed.stdout.match(/^.* sets another id .*?(?=, at )/gm)).toEqual([
      'My-2nd.json: 0 routes; --mock ID=PATH sets another id than "my2nd"',
    ]);
    await renamed.end();
    expect(await runLine([...start, `No=${taken}`])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Expected before the "=" a letter a-z'),
    });

    const other = await TestServer.start(['--workers', '1', '--mock', path, '--mock-owner', 'team'], data);
    expect((await other.request('GET', '/v1/mocks/shop', { key })).status).toBe(401);
    expect((await other.request('GET', '/v1/mocks', { key: await other.key('team') })).json.total).toBe(1);
    await other.end();
    const without = await TestServer.start(['--workers', '1'], data);
    expect((await without.request('GET', '/v1/mocks/shop', { key })).status).toBe(404);
    expect((await without.request('GET', '/v1/mocks', { key })).json.total).toBe(1);
    await without.end();
  });
});

test.each<[what: string, text: string, env: Readonly<Record<string, string>>, error: string]>([
  ['is not a file of a known format', '{"a": 1}', {}, 'shop.json: unknown format; supported are switchyard'],
  ['has no valid syntax', '{"a": 1', {}, '(line 1, column 8: '],
  [
    'has a mistake',
    file([{ method: 'GET', path: 'a', responses: [{}] }]),
    {},
    'shop.json:1: GET a: A mock does not support this: /path: ',
  ],
  [
    'has a misspelt field, and so no method',
    file([{ metod: 'GET', path: '/a', responses: [{}] }]),
    {},
    'shop.json:1: /a: unknown field `metod`; known are id, ',
  ],
  [
    'has a misspelt field in a response',
    file([{ method: 'GET', path: '/a', responses: [{ bodyJSON: {} }] }]),
    {},
    'shop.json:1: GET /a, response 1: unknown field `bodyJSON`; known are ',
  ],
  [
    'has a mistake of a kind beside it',
    file([{ path: '/a', responses: [{}] }]),
    {},
    'shop.json:1: /a: A mock does not support this: /method: is required',
  ],
  [
    'loses something with --strict',
    '{"request": {"url": "/a", "host": {"equalTo": "b"}}, "response": {}}',
    { SWITCHYARD_STRICT: '1' },
    '--strict does not allow dropped parts: shop.json:1: ANY /a: Dropped: ',
  ],
])('a start with a file that %s ends with status 2, and leaves nothing', async (_, text, env, error) => {
  const cwd = temporaryDirectory();
  mkdirSync(join(cwd, 'mocks'));
  writeFileSync(join(cwd, 'mocks/shop.json'), text);
  const start = [
    'serve',
    '--port',
    '0',
    '--mock-port',
    '0',
    '--no-gateway',
    '--data',
    'data',
    '--mock',
    'mocks/shop.json',
  ];
  const outcome = await runLine(start, { cwd, env });
  expect(outcome).toEqual({ status: 2, stdout: '', stderr: expect.stringMatching(/^error: [^\n]+\n$/) });
  expect(outcome.stderr).toContain(error);
  expect(existsSync(join(cwd, 'data'))).toBe(false);
});
