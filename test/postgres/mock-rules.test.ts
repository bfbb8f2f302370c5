/** Mocks that have rules act on what they send on, on several nodes without a gateway: an edit at any node acts at the mock's home. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { newDatabase } from '../support/new-database.ts';
import { realService } from '../support/real-service.ts';
import type { TestServer } from '../support/server.ts';
import { askAt, startNodes } from './support/cluster.ts';
import { PostgresServer } from './support/postgres-server.ts';

const LATE_MS = 30_000;

const service = await realService((_request, response) => void response.end('real'));

let nodes: [TestServer, TestServer];
let key: string;

beforeAll(async () => {
  const store = await newDatabase((await PostgresServer.shared()).url());
  nodes = (await startNodes(store, 2, ['--workers', '1'])) as [TestServer, TestServer];
  key = await nodes[0].key('acme');
});
afterAll(() => Promise.all(nodes.map((node) => node.end())));

const clientOf = ({ port }: TestServer) => createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key });

/** @returns A mock whose home is this node. */
async function mockAt(node: TestServer): Promise<string> {
  const settings = { proxy: { upstream: service.url, when: 'always', rules: true } } as const;
  const { id } = await clientOf(node).mocks.create({ name: 'm', start: true, settings, routes: [] });
  // A busy machine may miss a lease.
  await expect.poll(async () => (await askAt(node, id, '/')).text, { timeout: LATE_MS }).toBe('real');
  return id;
}

const answers = (text: string) => ({
  name: text,
  ruleType: 'Response' as const,
  pairs: [
    {
      source: { key: 'Path' as const, operator: 'Equals' as const, value: '/a' },
      response: { type: 'static' as const, value: text, serveWithoutRequest: true },
    },
  ],
});

test('an edit of a rule at one node acts on the next request to a mock whose home is another', async () => {
  const mocks = [await mockAt(nodes[0]), await mockAt(nodes[1])];
  const shown = async (): Promise<string[]> => {
    const asked = mocks.flatMap((id) => nodes.map(async (node) => (await askAt(node, id, '/a')).text));
    return [...new Set(await Promise.all(asked))];
  };
  for (let round = 0; round < 4; round++) {
    const [editor, other] = round % 2 === 0 ? nodes : nodes.toReversed();
    const group = await clientOf(editor as TestServer).groups.create({ name: `${round}` });
    const rule = { ...answers(`rule ${round}`), groupId: group.id };
    const { id } = await clientOf(editor as TestServer).rules.create(rule);
    expect(await shown()).toEqual([`rule ${round}`]);
    await clientOf(other as TestServer).groups.update(group.id, { name: `${round}`, status: 'Inactive' });
    expect(await shown()).toEqual(['real']);
    await clientOf(other as TestServer).rules.delete(id);
  }
});

test('a node that had rules of an owner, and has a mock of it again, has those of now', async () => {
  const [home, other] = nodes;
  const before = await mockAt(home);
  await clientOf(home).mocks.delete(before);
  const { id } = await clientOf(other).rules.create(answers('later'));
  const mock = await mockAt(home);
  expect((await askAt(other, mock, '/a')).text).toBe('later');
  await clientOf(other).rules.delete(id);
});

test('an edit waits for a home that does not answer, and acts at the next one', async () => {
  const [home, other] = nodes;
  const mock = await mockAt(home);
  const { id } = await clientOf(other).rules.create(answers('old'));
  expect((await askAt(other, mock, '/a')).text).toBe('old');
  process.kill(home.pid, 'SIGSTOP');
  try {
    // It may serve until its lease ends, without the edit.
    await clientOf(other).rules.delete(id);
    const stale = await askAt(home, mock, '/a');
    expect([stale.status, stale.headers.get('retry-after')]).toEqual([503, '1']);
    await expect.poll(async () => (await askAt(other, mock, '/a')).text, { timeout: LATE_MS }).toBe('real');
  } finally {
    process.kill(home.pid, 'SIGCONT');
  }
  await home.end('SIGKILL');
  await clientOf(other).rules.create(answers('new'));
  expect((await askAt(other, mock, '/a')).text).toBe('new');
});
