/** Questions about a mock that are asked wrongly, or in an unusual way: verify, try, versions, the stream. */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
let id: string;

beforeAll(async () => {
  const responses = (status: number) => [{ status, body: 'hello' }];
  const routes = [200, 204, 304].map((status) => ({ method: 'GET', path: `/${status}`, responses: responses(status) }));
  id = (await api('POST', '', { name: 'm', start: true, routes })).json.data.id;
});

const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, { key, ...(body === undefined ? {} : { body }) });

const ask = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}${path}`);

describe('verify refuses', () => {
  test.each([
    [{ match: { pathh: '/200' } }, '/match/pathh', expect.stringContaining('is unknown; known are ')],
    [{ match: { headers: { a: 'b' } } }, '/match/headers', expect.stringContaining('is unknown; known are ')],
    [{ match: {}, times: 3 }, '/times', expect.stringContaining('is unknown; known are ')],
    [{}, '/match', 'is required, unless inOrder is given'],
    [{ match: {}, withinMs: 30_001 }, '/withinMs', 'must be 30000 or less'],
    [{ match: {}, exactly: -1 }, '/exactly', 'must be 0 or more'],
  ])('%j', async (body, path, message) => {
    const answer = await api('POST', `/${id}/verify`, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ success: false, message: 'Mock Payload is invalid', details: [{ path, message }] });
  });
});

describe('try', () => {
  const trial = async (method: string, path: string): Promise<Answer> =>
    api('POST', `/${id}/try`, { method, path, against: 'saved' });

  test.each([
    ['GET', '/200', 200, 'hello'],
    ['HEAD', '/200', 200, ''],
    ['GET', '/204', 204, ''],
    ['GET', '/304', 304, ''],
  ])('of %s %s shows the body that goes out', async (method, path, status, body) => {
    expect((await trial(method, path)).json.data.response).toMatchObject({ status, body });
  });

  test('of a path that is too long says so', async () => {
    const answer = await trial('GET', `/${'x'.repeat(8_000)}`);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({
      success: false,
      message: 'Limit reached: text of 8000 characters',
      details: [{ path: '/path', message: 'more than 8000 characters' }],
    });
  });
});

describe('verify', () => {
  test('tells what came closest, and in what it differs', async () => {
    await ask('/200?a=1');
    await ask('/204');
    const answer = await api('POST', `/${id}/verify`, { match: { method: 'GET', path: '/200', query: { a: '2' } } });
    expect(answer.json.data).toMatchObject({
      verified: false,
      count: 0,
      closest: [
        { path: '/200', query: 'a=1', differs: ['query'] },
        { path: '/204', differs: ['path', 'query'] },
      ],
    });
  });

  test('shows what counts, however many others came since, when it was too often', async () => {
    await ask('/304');
    for (let count = 0; count < 60; count++) await ask('/200');
    const answer = await api('POST', `/${id}/verify`, { match: { path: '/304' }, exactly: 0 });
    expect(answer.json.data).toMatchObject({ verified: false, count: 1 });
    expect(answer.json.data.closest[0]).toMatchObject({ path: '/304', differs: [] });
  });

  test('is refused where nothing is recorded', async () => {
    const silent = await api('POST', '', { name: 'm', start: true, settings: { traffic: false } });
    const answer = await api('POST', `/${silent.json.data.id}/verify`, { match: {} });
    expect(answer.status).toBe(400);
    expect(answer.json.details[0].message).toContain('`traffic` is off');
  });
});

test('a filter of requests that is not known is refused', async () => {
  const answer = await api('GET', `/${id}/requests?mathed=false&limit=1`);
  expect(answer.status).toBe(400);
  expect(answer.json).toMatchObject({ message: 'Bad Request', details: [{ path: 'mathed' }] });
});

describe('a definition refuses members it does not know:', () => {
  const route = (more: object = {}, response: object = {}) => ({
    method: 'GET',
    path: '/',
    responses: [{ ...response }],
    ...more,
  });
  test.each([
    ['/cors', { cors: false }],
    ['/settings/latencyMs', { settings: { latencyMs: 1 } }],
    ['/routes/0/latency', { routes: [route({ latency: 5 })] }],
    ['/routes/0/responses/0/jsonBody', { routes: [route({}, { jsonBody: {} })] }],
    [
      '/routes/0/responses/0/headers/0/vlaue',
      { routes: [route({}, { headers: [{ name: 'a', value: '', vlaue: '' }] })] },
    ],
    [
      '/routes/0/responses/0/rules/0/isNot',
      { routes: [route({}, { rules: [{ target: 'body', operator: 'empty', isNot: true }] })] },
    ],
  ])('%s', async (path, body) => {
    const answer = await api('POST', '', { name: 'm', ...body });
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ details: [{ path, message: expect.stringContaining('is unknown') }] });
  });

  test('what belongs to the working copy is said to', async () => {
    const answer = await api('PUT', `/${id}`, { name: 'm', routes: [] });
    expect(answer.json.details).toEqual([
      { path: '/routes', message: 'is changed under /staged and served after a save' },
    ]);
  });

  test('but what was read may be sent back', async () => {
    const { data: mock } = (await api('GET', `/${id}`)).json;
    expect((await api('PUT', `/${id}`, { ...mock, name: 'again' })).json.data.name).toBe('again');
    const { data: version } = (await api('GET', `/${id}/versions/1`)).json;
    expect((await api('PUT', `/${id}/staged`, version)).json.data.routes).toEqual(version.routes);
    expect((await api('POST', '', { ...version, name: 'copy' })).status).toBe(200);
  });
});

test('what is absent from a working copy that is put stays as it is', async () => {
  const before = (await api('GET', `/${id}/staged`)).json.data;
  const cors = await api('PUT', `/${id}/staged`, { settings: { cors: false } });
  expect(cors.json.data).toEqual({ settings: { ...before.settings, cors: false }, routes: before.routes });
  const routes = [{ method: 'GET', path: '/only', responses: [{}] }];
  const after = (await api('PUT', `/${id}/staged`, { routes })).json.data;
  expect(after.settings.cors).toBe(false);
  expect(after.routes).toMatchObject(routes);
  await api('POST', `/${id}/discard`);
});

test('what is put back as it was saved is not a change', async () => {
  const saved = (await api('GET', `/${id}/staged`)).json.data;
  await api('PUT', `/${id}/staged`, { settings: { cors: false }, routes: [{ ...saved.routes[0], method: 'PUT' }] });
  expect((await api('GET', `/${id}`)).json.data.hasStagedChanges).toBe(true);
  await api('PUT', `/${id}/staged`, saved);
  expect((await api('GET', `/${id}`)).json.data.hasStagedChanges).toBe(false);
});

describe('an answer that is none of the mock says what to do:', () => {
  test('no mock is named', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.mockPort}/200`);
    expect(await answer.json()).toMatchObject({
      message: 'Mock not found',
      hint: expect.stringContaining('/__mock/<mock_id>/'),
    });
    const unknown = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/mnone/200`);
    expect(await unknown.json()).toEqual({ success: false, message: 'Mock not found' });
  });

  test('no route matches, or the mock is stopped', async () => {
    expect(await (await ask('/nothing')).json()).toMatchObject({
      hint: expect.stringMatching(/^version \d+ is served/),
    });
    const stopped = (await api('POST', '', { name: 'm' })).json.data.id;
    const answer = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${stopped}/`);
    expect(await answer.json()).toMatchObject({
      message: 'Mock is stopped',
      hint: `start it: POST /v1/mocks/${stopped}/start`,
    });
  });
});

test('a saved version has an entity tag that stays', async () => {
  const before = (await api('GET', `/${id}/versions/1`)).headers.get('etag');
  expect(before).toMatch(/^"[^"]+"$/);
  await api('POST', `/${id}/save`);
  expect((await api('GET', `/${id}/versions/1`)).headers.get('etag')).toBe(before);
  expect((await api('GET', `/${id}/versions/2`)).headers.get('etag')).not.toBe(before);
});

test('HEAD on the stream ends', async () => {
  const answer = await api('HEAD', `/${id}/requests/stream`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
});
