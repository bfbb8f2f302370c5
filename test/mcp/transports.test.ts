/** The protocol over HTTP and stdio, in both revisions, with the official client. */
import { afterAll, describe, expect, test } from 'vitest';
import { McpClient, REVISIONS } from '../support/mcp.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();
const open: McpClient[] = [];
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
});

describe.each(REVISIONS)('in revision %s', (revision) => {
  test('over HTTP', async () => {
    const client = await McpClient.http(server.port, { 'x-api-key': key }, revision);
    open.push(client);
    expect((await client.names()).length).toBeGreaterThan(20);
    expect(await client.ok('mocks_list')).toEqual({ mocks: [], total: 0, nextOffset: null });
  });
  test('over stdio', async () => {
    const client = await McpClient.stdio(['--server', `http://127.0.0.1:${server.port}`], { key, revision });
    open.push(client);
    expect((await client.names()).length).toBeGreaterThan(20);
    expect(await client.ok('mocks_list')).toEqual({ mocks: [], total: 0, nextOffset: null });
  });
});
