/** The home of an owner's gateway, as the other nodes know it: it is asked for once in a while, and moves, ends or hangs. */
import { Agent, request as ask } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { newDatabase } from '../support/new-database.ts';
import { realService } from '../support/real-service.ts';
import type { TestServer } from '../support/server.ts';
import { gatewayPortOf, throughGateway, type GatewayReply } from '../support/through-gateway.ts';
import { startNodes } from './support/cluster.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { PostgresServer } from './support/postgres-server.ts';

const LATE_MS = 30_000;
const REQUESTS = 20;
const WAYS = [{}, { method: 'POST', body: 'b' }];

const service = await realService((request, response) => void response.end(`real ${request.body}`));

let database: CuttingProxy;
let nodes: TestServer[];
let key: string;

beforeAll(async () => {
  const postgres = await PostgresServer.shared();
  database = await CuttingProxy.start(postgres.port);
  const store = (await newDatabase(postgres.url())).replace(`:${postgres.port}/`, `:${database.port}/`);
  nodes = await startNodes(store, 2, ['--gateway-port', '0', '--workers', '1']);
  key = await (nodes[0] as TestServer).key('acme');
});
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.end()));
  database.close();
});

const clientOf = ({ port }: TestServer) => createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key });
const through = (node: TestServer, path: string, more = {}): Promise<GatewayReply> =>
  throughGateway(gatewayPortOf(node), `${service.url}${path}`, { key, ...more });

/** The nodes that run, the home of the owner's gateway first. */
async function byHome(): Promise<[home: TestServer, ...others: TestServer[]]> {
  const running = nodes.filter((node) => node.isRunning);
  const answering = async (): Promise<boolean> =>
    (await Promise.all(running.map((node) => through(node, '/')))).every(({ status }) => status === 200);
  await expect.poll(answering, { timeout: LATE_MS }).toBe(true);
  const { home } = await clientOf(running[0] as TestServer).gateway.status();
  const isHome = (node: TestServer): boolean => node === nodes[Number(home?.slice(1)) - 1];
  return running.toSorted((a, b) => Number(isHome(b)) - Number(isHome(a))) as [TestServer, ...TestServer[]];
}

const block = (value: string) => ({
  name: value,
  ruleType: 'Cancel' as const,
  pairs: [{ source: { key: 'Path' as const, operator: 'Equals' as const, value } }],
});

test('the database is not asked for the home with each request that is sent on', async () => {
  const [, other] = await byHome();
  await through(other as TestServer, '/');
  let lookups = 0;
  // The statement is named in the message that runs it.
  database.onAsked = (chunk) => (lookups += chunk.toString('latin1').split('\0homes\0').length - 1);
  // A node of a busy machine may miss its lease.
  const asked = async (): Promise<string> => (await through(other as TestServer, '/')).body;
  for (let count = 0; count < REQUESTS; count++) await expect.poll(asked, { timeout: LATE_MS }).toBe('real ');
  database.onAsked = () => undefined;
  // Once in five seconds.
  expect(lookups).toBeLessThan(REQUESTS / 2);
});

test('a home that hangs applies no rules that were changed, and an edit waits until it cannot', async () => {
  const [home, other] = (await byHome()) as [TestServer, TestServer];
  const { id } = await clientOf(other).rules.create(block('/old'));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** Over a connection whose key was checked. */
  const atHome = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const headers = { host: new URL(service.url).host, 'proxy-authorization': `Basic ${btoa(`key:${key}`)}` };
      const url = `${service.url}${path}`;
      const sent = ask({ host: '127.0.0.1', port: gatewayPortOf(home), path: url, headers, agent, timeout: LATE_MS });
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.on('response', (reply) => reply.resume().on('end', () => resolve(reply.statusCode)));
      sent.on('error', reject).end();
    });
  expect([await atHome('/old'), (await through(other, '/old')).status]).toEqual([418, 418]);
  process.kill(home.pid, 'SIGSTOP');
  try {
    await clientOf(other).rules.delete(id);
    expect(await atHome('/old')).toBe(503);
    const asked = async (): Promise<string> => (await through(other, '/old')).body;
    await expect.poll(asked, { timeout: LATE_MS }).toBe('real ');
  } finally {
    process.kill(home.pid, 'SIGCONT');
    agent.destroy();
  }
});

test('a home that stops gives the gateway away: requests by way of others are answered by the next one, or refused with the reason', async () => {
  const [home, other] = (await byHome()) as [TestServer, TestServer];
  await clientOf(home).rules.create(block('/blocked'));
  const seen = new Set<string>();
  const ending = new AbortController();
  const asking = WAYS.map(async (more) => {
    while (!ending.signal.aborted) {
      const { status, error, body } = await through(other, '/blocked', more);
      seen.add(status === 418 ? '418' : `${status} ${String(error)} ${/"reason":"./.test(body)}`);
    }
  });
  await home.end();
  ending.abort();
  await Promise.all(asking);
  seen.delete('503 home true');
  expect([...seen]).toEqual(['418']);
  for (const more of WAYS) {
    const asked = async (): Promise<number> => (await through(other, '/blocked', more)).status;
    await expect.poll(asked, { timeout: LATE_MS }).toBe(418);
  }
});
