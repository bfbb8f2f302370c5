/** Lists under `If-None-Match` over HTTP: 304 exactly while the answer would be the same; docs/api.md. */
import { beforeAll, describe, expect, test } from 'vitest';
import { rawRequest, untilClosed } from '../support/raw-http.ts';
import { rulePayload } from '../support/samples.ts';
import type { Answer } from '../support/server.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const { server, key } = await useOwnServer();
let other: string;

const send = (method: string, path: string, body?: unknown, as = key): Promise<Answer> =>
  server.request(method, `/v1${path}`, { key: as, ...(body === undefined ? {} : { body }) });
const list = (path: string, etag?: string, as = key): Promise<Answer> =>
  server.request('GET', `/v1${path}`, { key: as, headers: etag === undefined ? {} : { 'if-none-match': etag } });
const tagOf = async (path: string, as = key): Promise<string> =>
  (await list(path, undefined, as)).headers.get('etag') as string;
const created = async (path: string, body: unknown): Promise<string> => (await send('POST', path, body)).json.data.id;

const ROUTE = { method: 'GET', path: '/', responses: [{}] };

beforeAll(async () => {
  other = await server.key(newOwner(), 'gus');
  await created('/rules', rulePayload());
  await created('/groups', { name: 'g' });
  await created('/mocks', { name: 'm', routes: [ROUTE] });
});

const LISTS = ['/rules', '/groups', '/mocks', '/rules?q=rule&status=Active', '/groups?q=g&pageSize=1'];

describe.each(LISTS)('%s', (path) => {
  test('has an ETag, which is kept while nothing changes', async () => {
    const tag = await tagOf(path);
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect(await tagOf(path)).toBe(tag);
    await list('/rules?pageSize=1');
    expect(await tagOf(path)).toBe(tag);
  });

  test('is 304 without a body for who has it, as one of several, weak, and for *', async () => {
    const tag = await tagOf(path);
    for (const given of [tag, `"x", ${tag}`, `W/${tag}`, '*']) {
      const answer = await list(path, given);
      expect([answer.status, answer.json, answer.headers.get('etag')]).toEqual([304, '', tag]);
      expect(answer.headers.get('content-type')).toBeNull();
      expect(answer.headers.get('cache-control')).toBe('private, no-cache');
      expect(answer.headers.get('x-request-id')).toMatch(/^\S+$/);
    }
    for (const given of ['"x"', tag.slice(1, -1), '']) expect((await list(path, given)).status).toBe(200);
  });

  test('is another for another query and another owner', async () => {
    const tag = await tagOf(path);
    const joined = `${path}${path.includes('?') ? '&' : '?'}offset=0`;
    expect((await list(joined, tag)).status).toBe(200);
    expect((await list(path, tag, other)).status).toBe(200);
  });
});

test('the ETag of each is another after another start', async () => {
  const tags = await Promise.all(LISTS.map((path) => tagOf(path)));
  await server.restart();
  for (const [index, path] of LISTS.entries()) expect((await list(path, tags[index])).status, path).toBe(200);
});

test('HEAD has the same tag, and a 304 with it', async () => {
  const tag = await tagOf('/rules');
  const head = await server.request('HEAD', '/v1/rules', { key });
  expect([head.status, head.headers.get('etag')]).toEqual([200, tag]);
  const unchanged = await server.request('HEAD', '/v1/rules', { key, headers: { 'if-none-match': tag } });
  expect(unchanged.status).toBe(304);
});

test('a 304 may close the connection', async () => {
  const lines = [`Host: localhost:${server.port}`, `x-api-key: ${key}`, `If-None-Match: ${await tagOf('/rules')}`];
  const text = await untilClosed(server.port, rawRequest('GET /v1/rules HTTP/1.1', [...lines, 'Connection: close']));
  expect(text).toMatch(/^HTTP\/1\.1 304 Not Modified\r\n[^]*\r\n\r\n$/);
});

test('what is wrong with a query is said first', async () => {
  expect((await list('/rules?offset=x', '*')).status).toBe(400);
  expect((await list('/rules', '*', 'x')).status).toBe(401);
});

describe('a change of what a list shows changes its ETag:', () => {
  const rule = (more = {}) => created('/rules', rulePayload('Cancel', more));
  const group = () => created('/groups', { name: 'g' });
  const mock = () => created('/mocks', { name: 'm', routes: [ROUTE] });

  /** Makes what is changed, and says how. */
  type Prepare = () => Promise<() => Promise<unknown>>;

  test.each<[string, string, Prepare]>([
    ['/rules', 'a new rule', async () => rule],
    [
      '/rules?pageSize=75',
      'a rule that is changed',
      async () => {
        const id = await rule();
        return () => send('PATCH', `/rules/${id}`, { status: 'Inactive' });
      },
    ],
    [
      '/rules',
      'a rule that is deleted',
      async () => {
        const id = await rule();
        return () => send('DELETE', `/rules/${id}`);
      },
    ],
    [
      '/rules?q=rule&pageSize=75',
      'a group that is switched off, and with it its rules',
      async () => {
        const groupId = await group();
        await rule({ groupId });
        return () => send('PUT', `/groups/${groupId}`, { name: 'g', status: 'Inactive' });
      },
    ],
    [
      '/groups',
      'a rule in a group, which counts it',
      async () => {
        const groupId = await group();
        return () => rule({ groupId });
      },
    ],
    [
      '/mocks',
      'a staged edit',
      async () => {
        const id = await mock();
        return () => send('POST', `/mocks/${id}/staged/routes`, { ...ROUTE, path: '/b' });
      },
    ],
    [
      '/mocks',
      'a start',
      async () => {
        const id = await mock();
        return () => send('POST', `/mocks/${id}/start`);
      },
    ],
    [
      '/mocks',
      'a save',
      async () => {
        const id = await mock();
        return () => send('POST', `/mocks/${id}/save`);
      },
    ],
  ])('%s: %s', async (path, _what, prepare) => {
    const change = await prepare();
    const before = await list(path);
    const tag = before.headers.get('etag') as string;
    expect((await list(path, tag)).status).toBe(304);
    await change();
    const after = await list(path, tag);
    expect(after.status).toBe(200);
    expect(after.json).not.toEqual(before.json);
    expect(after.headers.get('etag')).not.toBe(tag);
  });
});

test('each record has its ETag, which guards a change of it', async () => {
  for (const [path, body] of [
    ['/rules', { ...rulePayload('Cancel'), name: 'guarded' }],
    ['/groups', { name: 'guarded' }],
    ['/mocks', { name: 'guarded' }],
  ] as const) {
    const id = await created(path, body);
    const { json } = await list(`${path}?pageSize=75`);
    const { etag } = json.data.find((each: { id: string }) => each.id === id);
    expect(etag).toBe((await list(`${path}/${id}`)).headers.get('etag'));
    const put = () => server.request('PUT', `/v1${path}/${id}`, { key, body, headers: { 'if-match': etag } });
    expect((await put()).status).toBe(200);
    expect((await put()).status).toBe(412);
  }
});

test('a page that is written in parts has the same members', async () => {
  const long = { key: 'Url', operator: 'Contains', value: 'x'.repeat(9_000) };
  const pairs = Array.from({ length: 100 }, () => ({ source: long }));
  const id = await created('/rules', rulePayload('Cancel', { name: 'large', pairs }));
  const answer = await list('/rules?q=large');
  expect(answer.json.data).toMatchObject([{ id, etag: (await list(`/rules/${id}`)).headers.get('etag') }]);
  expect((await list('/rules?q=large', answer.headers.get('etag') as string)).status).toBe(304);
});
