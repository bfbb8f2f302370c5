/** What a database and its nodes live with: no connection left, a transaction that stays open, clocks that differ. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { endAll, Running } from '../support/process.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';
import { askAt, SECRET, startNode } from './support/cluster.ts';
import { PostgresServer } from './support/postgres-server.ts';

const opened: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of opened.toReversed()) await close().catch(() => undefined);
  await endAll();
});

async function postgres(settings = ''): Promise<PostgresServer> {
  const server = await PostgresServer.start(settings);
  opened.push(() => server.stop());
  return server;
}

/** The user that PostgreSQL runs as. */
async function ownerOf({ directory }: PostgresServer): Promise<number> {
  return (await stat(directory)).uid;
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  opened.push(() => client.end());
  await client.connect();
  return client;
}

test('when all connections are taken, a start is refused in one line, and a server goes on once one is free', async () => {
  const server = await postgres('max_connections = 16\nsuperuser_reserved_connections = 2\nmax_wal_senders = 0\n');
  await server.query('create role plain login');
  const address = await newDatabase(server.url());
  const name = address.split('/').at(-1) as string;
  await server.query('grant all on schema public to plain; grant all on all tables in schema public to plain', name);
  const store = address.replace('postgres@', 'plain@');
  const node = await TestServer.start([], store);
  const key = await node.key('acme');
  await expect.poll(async () => (await node.request('GET', '/v1/rules', { key })).status).toBe(200);
  const taken: Client[] = [];
  for (let left = true; left;) {
    const client = new Client({ connectionString: store });
    client.on('error', () => undefined);
    left = await client.connect().then(
      () => true,
      () => false,
    );
    if (left) taken.push(client);
  }
  const refused = await new Running(process.execPath, [
    CLI,
    'serve',
    '--port',
    '0',
    '--mock-port',
    '0',
    '--store',
    store,
  ]).ended;
  expect(refused).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^error: [^\n]*(?:connection|clients)[^\n]*\n$/),
  });
  // A connection that it has not needed yet cannot be made: it says so, and nothing is done.
  const write = () => node.request('POST', '/v1/groups', { key, body: { name: 'kept' } });
  expect((await write()).status).toBe(503);
  await Promise.all(taken.map((client) => client.end()));
  await expect.poll(async () => (await write()).status, { timeout: 10_000 }).toBe(200);
  expect((await node.request('GET', '/v1/groups', { key })).json.total).toBe(1);
  expect(await node.end()).toBe(0);
});

test('a transaction that stays open elsewhere keeps nobody waiting', async () => {
  const server = await postgres();
  const store = await newDatabase(server.url());
  const node = await TestServer.start([], store);
  const key = await node.key('acme');
  await expect
    .poll(async () => (await node.request('POST', '/v1/groups', { key, body: { name: 'a' } })).status)
    .toBe(200);
  const client = await connect(store);
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from record');
  for (let turn = 0; turn < 20; turn++) {
    const began = performance.now();
    expect((await node.request('POST', '/v1/groups', { key, body: { name: 'b' } })).status).toBe(200);
    expect((await node.request('GET', '/v1/groups', { key })).json.total).toBe(turn + 2);
    expect(performance.now() - began).toBeLessThan(2_000);
  }
  await client.query('rollback');
  expect(await node.end()).toBe(0);
});

test('nodes whose clocks are an hour apart serve each other, and dates of an owner never go back', async () => {
  const server = await postgres();
  const store = await newDatabase(server.url());
  const shiftFile = join(temporaryDirectory(), 'shift');
  writeFileSync(shiftFile, String(3_600_000));
  const shift = pathToFileURL(join(import.meta.dirname, '../support/shifted-clock.mjs')).href;
  const env = { ...SECRET, NODE_OPTIONS: `--import ${shift}`, CLOCK_SHIFT_FILE: shiftFile };
  const nodes = [await startNode(store, 'n1'), await startNode(store, 'ahead', [], env)] as const;
  const key = await nodes[0].key('acme');
  const routes = [{ method: 'GET', path: '/a', responses: [{ body: '{{requestNumber}}', templated: true }] }];
  await expect.poll(async () => (await nodes[1].request('GET', '/v1/rules', { key })).status).toBe(200);
  let newest = 0;
  for (let turn = 0; turn < 20; turn++) {
    const body = { name: 'm', start: true, routes };
    const made = await (turn % 2 === 0 ? nodes[1] : nodes[0]).request('POST', '/v1/mocks', { key, body });
    expect(made.status).toBe(200);
    const { id, creationDate } = made.json.data as { id: string; creationDate: number };
    expect(Number(new Date(creationDate))).toBeGreaterThanOrEqual(newest);
    newest = Number(new Date(creationDate));
    const answers = [await askAt(nodes[0], id, '/a'), await askAt(nodes[1], id, '/a')];
    expect(answers.map(({ text }) => text)).toEqual(['1', '2']);
  }
  for (const node of nodes) expect(await node.end()).toBe(0);
});

/** Whether this user may mount a file system, which a disk that is full needs. */
function canMount(): boolean {
  try {
    const folder = temporaryDirectory();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!canMount())(
  'a full tablespace refuses what adds and loses nothing, and there is more to write once it has room',
  async () => {
    const server = await postgres();
    const folder = temporaryDirectory();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=24m,mode=700,uid=${await ownerOf(server)}`, 'tmpfs', folder]);
    opened.push(async () => void execFileSync('umount', ['-l', folder]));
    await server.query(`create tablespace small location '${folder}'`);
    const made = await newDatabase(server.url());
    const name = made.split('/').at(-1) as string;
    await server.query(`alter database ${name} set tablespace small`);
    const node = await TestServer.start([], made);
    const key = await node.key('acme');
    await expect.poll(async () => (await node.request('GET', '/v1/groups', { key })).status).toBe(200);
    const write = (index: number) =>
      node.request('POST', '/v1/rules', {
        key,
        body: { name: `r${index}`, description: randomText(9_000), ruleType: 'Delay', pairs: PAIRS },
      });
    let kept = 0;
    let refused = await write(0);
    while (refused.status === 200 && kept < 5_000) refused = await write(++kept);
    expect([refused.status, refused.json.message]).toEqual([503, 'Storage full']);
    expect((await write(kept)).json.message).toBe('Storage full');
    expect((await node.request('GET', '/v1/rules?pageSize=1', { key })).json.total).toBe(kept);
    execFileSync('mount', ['-o', 'remount,size=60m', folder]);
    await expect.poll(async () => (await write(kept)).status, { timeout: 10_000 }).toBe(200);
    expect((await node.request('GET', '/v1/rules?pageSize=1', { key })).json.total).toBe(kept + 1);
    expect(await node.end()).toBe(0);
  },
);

const PAIRS = [{ source: { key: 'Url', operator: 'Contains', value: 'a' }, delay: 1 }];

/** It cannot be compressed. */
function randomText(chars: number): string {
  return randomBytes(chars).toString('base64').slice(0, chars);
}
