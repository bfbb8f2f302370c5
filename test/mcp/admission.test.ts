/** Who gets to `/mcp`, and which tools: as every call of the API, and by the server's own switches. */
import { afterAll, expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tools/all-tools.ts';
import { askMock } from '../support/ask-mock.ts';
import { McpClient, postTool } from '../support/mcp.ts';
import { rulePayload } from '../support/samples.ts';
import { TestServer } from '../support/server.ts';
import { newOwner, useOwnServer, useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const open: McpClient[] = [];
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
});

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const post = (headers: Record<string, string>, body: unknown = PING, to: TestServer = server) =>
  to.request('POST', '/mcp', { headers: { 'content-type': 'application/json', ...headers }, body });

async function connect(to: TestServer, apiKey: string): Promise<McpClient> {
  const client = await McpClient.http(to.port, { 'x-api-key': apiKey });
  open.push(client);
  return client;
}

test.each([
  ['x-api-key', { 'x-api-key': key }],
  ['Authorization: Bearer', { authorization: `Bearer ${key}` }],
])('a key as %s is let in', async (_how, headers) => {
  expect(await post(headers)).toMatchObject({ status: 200, json: { result: {} } });
});

test.each([
  ['no key', {}, 401],
  ['a wrong key', { authorization: 'Bearer sy_no' }, 401],
  ['a key of another form of authorization', { authorization: `Basic ${key}` }, 401],
  ['another media type', { 'x-api-key': key, 'content-type': 'text/plain' }, 415],
])('%s is refused', async (_what, headers, status) => {
  expect((await post(headers as Record<string, string>)).status).toBe(status);
});

test('a page whose name leads to the loopback address is refused', async () => {
  const headers = { 'x-api-key': key, 'content-type': 'application/json', host: 'evil.example.com' };
  expect((await askMock(server.port, '/mcp', { method: 'POST', headers, body: JSON.stringify(PING) })).status).toBe(
    403,
  );
});

test('only POST is there: no stream, no session', async () => {
  for (const method of ['GET', 'DELETE'])
    expect((await server.request(method, '/mcp', { key })).status, method).toBe(405);
});

test('elsewhere a key as Authorization: Bearer is not read', async () => {
  const headers = { authorization: `Bearer ${key}` };
  expect((await server.request('GET', '/v1/mocks', { headers })).status).toBe(401);
});

test('a list of messages, or more than 4 MB, is refused', async () => {
  expect((await post({ 'x-api-key': key }, [PING, PING])).status).toBe(400);
  expect((await post({ 'x-api-key': key }, { ...PING, params: { long: 'x'.repeat(4_200_000) } })).status).toBe(413);
});

test("a viewer's key sees the reading tools alone, and changes nothing by any", async () => {
  const owner = newOwner();
  const editorKey = await server.key(owner);
  const made = await server.request('POST', '/v1/mocks', { key: editorKey, body: { name: 'one', start: true } });
  const rule = await server.request('POST', '/v1/rules', { key: editorKey, body: rulePayload('Cancel') });
  const mock = made.json.data.id as string;
  await server.request('POST', `/v1/mocks/${mock}/sessions`, { key: editorKey, body: { id: 'one' } });
  const everything = async () => {
    const paths = ['mocks', 'rules', 'groups', `mocks/${mock}/staged`, `mocks/${mock}/sessions/one`, 'history'];
    const answers = await Promise.all(paths.map((path) => server.request('GET', `/v1/${path}`, { key: editorKey })));
    return JSON.stringify(
      answers.map(({ json }) => json.data),
      (name, value) => (name === 'expiresAt' ? 0 : value),
    );
  };
  const client = await connect(server, await server.key(owner, 'guest', 'viewer'));
  const reading = TOOLS.filter(({ access }) => access === 'read').map(({ name }) => name);
  expect(await client.names()).toEqual(reading);
  const before = await everything();
  const inputs = {
    mock,
    session: 'one',
    kind: 'rule',
    id: rule.json.data.id,
    name: 'x',
    action: 'stop',
    patches: [],
  };
  for (const { name, input } of TOOLS.filter(({ access }) => access !== 'read')) {
    const given = Object.entries(inputs).filter(([member]) => member in input.properties);
    const asked = { ...Object.fromEntries(given), value: { name: 'x' }, settings: { seed: 1 }, content: '{}' };
    await expect(client.call(name, asked), name).rejects.toThrow('requires an editor key');
  }
  expect(await everything()).toBe(before);
});

test("a mock of another owner is not called a matter of the key's role", async () => {
  const made = await server.request('POST', '/v1/mocks', {
    key: await server.key(newOwner()),
    body: { name: 'theirs' },
  });
  const { text } = await postTool(server, key, 'mocks_apply', { mock: made.json.data.id, action: 'save' });
  expect(text).toContain('another owner');
  expect(text).not.toContain('may only read');
});

test('--mcp staged leaves out the tools that change what is served; SWITCHYARD_NO_MCP leaves out all', async () => {
  const { server: staged, key: stagedKey } = await useOwnServer(['--mcp', 'staged']);
  const client = await connect(staged, stagedKey);
  const names = await client.names();
  expect(TOOLS.filter(({ name }) => !names.includes(name)).map(({ access }) => access)).toEqual(
    TOOLS.filter(({ access }) => access === 'serve').map(({ access }) => access),
  );
  await expect(client.call('mocks_apply', { mock: 'x', action: 'save' })).rejects.toThrow('is off on this server');
  const off = await TestServer.start([], undefined, { SWITCHYARD_NO_MCP: '1' });
  expect((await post({ 'x-api-key': await off.key('acme') }, PING, off)).status).toBe(404);
  await off.end();
});
