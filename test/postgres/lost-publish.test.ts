/** What a node has stored of a mock, and cannot publish any more. */
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { newDatabase } from '../support/new-database.ts';
import { endAll } from '../support/process.ts';
import { askAt, startNode } from './support/cluster.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { PostgresServer } from './support/postgres-server.ts';

afterAll(() => endAll());

const routes = (body: string): object[] => [{ method: 'GET', path: '/a', responses: [{ body }] }];

test('what a node stored before it died, and its home has not heard of, is served there once the node is fenced', async () => {
  const store = await newDatabase((await PostgresServer.shared()).url());
  const internal = await freePort();
  const way = await CuttingProxy.start(internal);
  const home = await startNode(store, 'n1', ['--internal-address', `127.0.0.1:${way.port}`], undefined, internal);
  const other = await startNode(store, 'n2');
  try {
    const key = await home.key('acme');
    const made = await home.request('POST', '/v1/mocks', {
      key,
      body: { name: 'm', start: true, routes: routes('old') },
    });
    const id = made.json.data.id as string;
    expect((await askAt(home, id, '/a')).text).toBe('old');
    way.hold();
    await other.request('PUT', `/v1/mocks/${id}/staged`, { key, body: { routes: routes('new') } });
    const saved = await other.request('POST', `/v1/mocks/${id}/save`, { key });
    expect(saved.json.data).toMatchObject({ version: 2, published: false });
    process.kill(other.pid, 'SIGKILL');
    await expect.poll(async () => (await askAt(home, id, '/a')).text, { timeout: 30_000, interval: 200 }).toBe('new');
  } finally {
    way.close();
    await home.end();
  }
});
