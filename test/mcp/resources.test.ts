/** What clients read by address, the prompts, and how calls of tools are logged and counted. */
import { afterAll, expect, test } from 'vitest';
import { McpClient } from '../support/mcp.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const { client, close } = await connected();
afterAll(close);
const made = await server.request('POST', '/v1/mocks', { key, body: { name: 'Shop', id: 'resourceshop' } });

async function connected() {
  const mcp = await McpClient.http(server.port, { 'x-api-key': key });
  return { client: mcp.client, close: () => mcp.close() };
}

const read = async (uri: string) =>
  (await client.readResource({ uri })).contents[0] as { mimeType: string; text: string };

test('documents by section, mocks as files, and the API in short', async () => {
  expect(made.status).toBe(200);
  const { resources } = await client.listResources();
  const uris = resources.map(({ uri }) => uri);
  for (const uri of [
    'switchyard://openapi',
    'switchyard://mocks/resourceshop',
    'switchyard://docs/templates',
    'switchyard://docs/mocks-behaviour#faults',
  ]) {
    expect(uris).toContain(uri);
  }
  for (const uri of uris) expect((await read(uri)).text.length, uri).toBeGreaterThan(10);
  expect(await read('switchyard://docs/mocks-behaviour#faults')).toMatchObject({
    mimeType: 'text/markdown',
    text: expect.stringMatching(/^#+ Faults/),
  });
  expect(JSON.parse((await read('switchyard://mocks/resourceshop')).text)).toMatchObject({
    kind: 'mock',
    name: 'Shop',
  });
  expect(JSON.parse((await read('switchyard://openapi')).text)).toMatchObject({
    'POST /v1/mocks/{id}/try': expect.any(String),
  });
  expect(JSON.stringify(resources).length).toBeLessThan(25_000);
});

test.each([
  'switchyard://docs/nothing',
  'switchyard://docs/%',
  'switchyard://mocks/nothing',
  'switchyard://mocks/',
  'switchyard://mocks/..',
  'file:///etc/passwd',
])('%s is not there', async (uri) => {
  await expect(read(uri)).rejects.toThrow(/not found/i);
});

test('prompts lead from a file to a test, and from a miss to its reason', async () => {
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ title }) => title)).toEqual(['Mock this API for my tests', 'Why did my request miss']);
  const { messages } = await client.getPrompt({
    name: 'explain_miss',
    arguments: { mock: 'resourceshop', session: 'one' },
  });
  expect(messages).toMatchObject([
    { role: 'user', content: { text: expect.stringMatching(/the mock resourceshop in session one [^]*traffic_list/) } },
  ]);
  await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow('unknown prompt: nothing');
});

test('metrics count calls by tool, and what a tool asks for as calls of the API', async () => {
  await client.callTool({ name: 'mocks_read', arguments: { mock: 'resourceshop', what: 'sessions' } });
  const json = await server.metrics();
  expect(json).toMatch(/_count\{method="POST",route="\/mcp mocks_read",status="200"\} [1-9]/);
  expect(json).toMatch(/_count\{method="GET",route="\/v1\/mocks\/:id\/sessions",status="200"\} [1-9]/);
});
