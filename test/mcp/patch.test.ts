/** `responses_patch`: what is not named stays, one response is meant, and all patches of a call are made or none. */
import { afterAll, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { McpClient } from '../support/mcp.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const client = await McpClient.http(server.port, { 'x-api-key': key });
afterAll(() => client.close());

const ADMIN = { target: 'header', property: 'x-role', operator: 'equals', value: 'admin' };
const problem = { 'Content-Type': 'application/problem+json', 'x-one': '1', 'x-two': '2' };

async function newMock(): Promise<string> {
  const routes = [
    {
      method: 'GET',
      path: '/users/:id',
      responses: [
        { label: 'admin', body: 'admin', rules: [ADMIN] },
        { label: 'anybody', body: 'anybody' },
        { status: 404, headers: problem, body: { error: 'none' } },
      ],
    },
    { method: 'GET', path: '/image', responses: [{ body: 'AAEC', bodyEncoding: 'base64' }] },
  ];
  const { mocks } = await client.ok('mocks_create', { name: 'patched', routes });
  const mock = mocks[0].id as string;
  await client.confirm('mocks_apply', { mock, action: 'start' });
  return mock;
}

const mock = await newMock();
const patch = (...patches: object[]) => client.call('responses_patch', { mock, patches });
const read = async (route: string, of = mock) => (await client.ok('mocks_read', { mock: of, route })).responses;

test('a body that is JSON keeps the type of the response; headers are changed by name, null removes one', async () => {
  await patch(
    { route: 'GET /users/:id', status: 404, set: { body: { error: 'gone' } } },
    { route: 'GET /users/:id', status: 404, set: { headers: { 'X-One': '3', 'x-two': null } } },
  );
  expect((await read('GET /users/:id'))[2]).toMatchObject({
    body: { error: 'gone' },
    headers: [
      { name: 'Content-Type', value: 'application/problem+json' },
      { name: 'X-One', value: '3' },
    ],
  });
});

test('a text in place of bytes is a text', async () => {
  await patch({ route: 'GET /image', set: { body: 'no image' } });
  expect(await read('GET /image')).toMatchObject([{ body: 'no image' }]);
  expect(await client.ok('mocks_try', { mock, path: '/image' })).toMatchObject({ response: { body: 'no image' } });
});

test('a response is named by its label; where a status is of several, none is changed', async () => {
  const several = await patch({ route: 'GET /users/:id', status: 200, set: { latency: 5 } });
  expect(several).toMatchObject({
    isError: true,
    data: { status: 400, error: expect.stringMatching(/admin.*anybody/) },
  });
  await patch({ route: 'GET /users/:id', response: 'anybody', set: { body: 'Ann' } });
  expect(await read('GET /users/:id')).toMatchObject([{ body: 'admin' }, { body: 'Ann' }, { status: 404 }]);
  const all = await patch({ route: 'GET /users/:id', set: { latency: 1 } });
  expect(all.data).toMatchObject({ changed: [expect.stringContaining('GET /users/:id')] });
  expect(await read('GET /users/:id')).toMatchObject([{ latency: 1 }, { latency: 1 }, { latency: 1 }]);
});

test('where one of them cannot be made, none is', async () => {
  const before = await read('GET /image');
  const first = { route: 'GET /image', set: { body: 'changed' } };
  for (const second of [
    { route: 'GET /nowhere', set: { body: 'x' } },
    { route: 'GET /image', status: 418, set: { body: 'x' } },
    { route: 'GET /image', set: { boddy: 'x' } },
  ])
    expect(await patch(first, second), JSON.stringify(second)).toMatchObject({ isError: true });
  expect(await read('GET /image')).toEqual(before);
});

test('in a session a response with conditions answers always once it is patched, and merges name their headers', async () => {
  const { id: session } = await client.ok('sessions_create', { mock });
  const ask = async () => askMock(server.mockPort, '/users/7', { mock, headers: { 'x-mock-session': session } });
  const set = async (given: object) =>
    client.ok('responses_patch', { mock, session, patches: [{ route: 'GET /users/:id', ...given }] });
  await set({ set: { headers: { 'x-three': '3' } } });
  await set({ set: { headers: { 'x-four': '4' } } });
  expect((await ask()).headers).toMatchObject({ 'x-three': '3', 'x-four': '4' });
  await set({ response: 'admin', set: { body: { is: 'admin' } } });
  expect((await ask()).text).toBe('{"is":"admin"}');
});
