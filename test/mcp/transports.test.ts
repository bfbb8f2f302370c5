/** A whole session of an agent with the official client: over HTTP and stdio, in the current revision and the one before. */
import { afterAll, expect, test } from 'vitest';
import { TOOLS } from '../../src/mcp/tools/all-tools.ts';
import { runAgentSession } from '../support/agent-session.ts';
import { McpClient, REVISIONS } from '../support/mcp.ts';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server } = await useServer();
const open: McpClient[] = [];
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
});

const NAMES = TOOLS.map(({ name }) => name);

test.each(REVISIONS.flatMap((revision) => [['HTTP', revision] as const, ['stdio', revision] as const]))(
  'an agent over %s, revision %s, goes from a document to a passing test, and finds why requests missed',
  async (transport, revision) => {
    const key = await server.key(newOwner());
    const client =
      transport === 'HTTP'
        ? await McpClient.http(server.port, { authorization: `Bearer ${key}` }, revision)
        : await McpClient.stdio(['--server', `http://127.0.0.1:${server.port}`], { key, revision });
    open.push(client);
    expect(await client.names()).toEqual(NAMES);
    const id = `a${transport.toLowerCase()}${revision.slice(0, 4)}`;
    const called = await runAgentSession({ client, mockPort: server.mockPort, id });
    expect([...called].toSorted()).toEqual(NAMES.toSorted());
  },
);
