/** The recipe `mcp-server` by the official client of the Model Context Protocol: docs/recipes.md. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { newOwner, useServer } from '../../support/shared-server.ts';
import { importRecipe, requestsOf } from './recipe-mock.ts';

const { server } = await useServer();
const mock = await importRecipe(server, await server.key(newOwner(), 'ann'), 'mcp-server');

async function connected(url: string, options: ConstructorParameters<typeof Client>[1] = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1.0.0' }, options);
  onTestFinished(() => client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  return client;
}

test.each([{}, { versionNegotiation: { mode: 'legacy' as const } }])(
  'tools are listed and called by a client with %j',
  async (options) => {
    const client = await connected(mock.url, options);
    expect(client.getServerVersion()).toMatchObject({ name: 'mock' });
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo', 'add', 'slow', 'fail']);
    const call = (name: string, given: Record<string, unknown> = {}) => client.callTool({ name, arguments: given });
    expect((await call('echo', { text: 'say "hello"\n' })).content).toEqual([{ type: 'text', text: 'say "hello"\n' }]);
    expect((await call('add', { a: 2, b: 0.5 })).content).toEqual([{ type: 'text', text: '2.5' }]);
    expect(await call('fail')).toMatchObject({ isError: true, content: [{ text: 'the mock was asked to fail' }] });
    await expect(call('nothing')).rejects.toThrow('Unknown tool: nothing');
    await client.ping();
  },
);

test('an event stream reports progress, and ends with the result', async () => {
  const client = await connected(mock.url, { versionNegotiation: { mode: 'legacy' } });
  const progress: number[] = [];
  const onprogress = (each: { progress: number }): void => void progress.push(each.progress);
  const found = await client.callTool({ name: 'slow', arguments: {} }, { onprogress });
  expect([found.content, progress]).toEqual([[{ type: 'text', text: 'done' }], [1, 2]]);
  expect((await client.callTool({ name: 'slow', arguments: {} })).content).toEqual([{ type: 'text', text: 'done' }]);
});

test('each session counts its own requests', async () => {
  const session = await mock.session();
  const client = await connected(session.url, { versionNegotiation: { mode: 'legacy' } });
  await client.callTool({ name: 'echo', arguments: { text: 'a' } });
  // initialize, initialized, the stream that there is not, and the call.
  expect(await requestsOf(session)).toBe(4);
});
