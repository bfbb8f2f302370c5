/** A server with its store in PostgreSQL: starts that are refused, an outage, a failover, and the way there and back. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { newDatabase } from '../support/new-database.ts';
import { endAll, Running } from '../support/process.ts';
import { CLI, temporaryDirectory, TestServer } from '../support/server.ts';
import { PostgresServer } from './support/postgres-server.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await PostgresServer.shared();
});
afterAll(async () => {
  await endAll();
});

const run = (...args: string[]) => new Running(process.execPath, [CLI, ...args]).ended;
const serve = (store: string) => run('serve', '--port', '0', '--mock-port', '0', '--store', store);

test('a start is refused in one line: no store, no server, a server that has it, no address', async () => {
  const empty = await postgres.createDatabase('empty');
  expect(await serve(empty)).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^error: .*switchyard store upgrade`\n$/),
  });
  const nobody = `postgres://postgres:secret@127.0.0.1:${await freePort()}/x`;
  const refused = await serve(nobody);
  expect(refused).toMatchObject({ status: 2, stderr: expect.stringMatching(/^error: .*ECONNREFUSED[^\n]*\n$/) });
  expect(refused.stderr).not.toContain('secret');
  expect((await serve('mysql://x')).status).toBe(2);
  const address = await newDatabase(postgres.url());
  const first = await TestServer.start([], address);
  expect(await serve(address)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('another server is using it'),
  });
  await first.end();
  await postgres.query(`update meta set value = 99 where name = 'format'`, address.split('/').at(-1));
  expect(await serve(address)).toMatchObject({ status: 2, stderr: expect.stringContaining('use a newer Switchyard') });
});

// reaches STORE_READ_MS
test('while the database is unreachable requests are refused, and mocks are served; then it goes on by itself', async () => {
  const own = await PostgresServer.start();
  const server = await TestServer.start([], await newDatabase(own.url()));
  const key = await server.key('acme');
  const made = await server.request('POST', '/v1/groups', { key, body: { name: 'kept' } });
  expect(made.status).toBe(200);
  const path = `/v1/groups/${made.json.data.id}`;
  const routes = [{ method: 'GET', path: '/a', responses: [{ body: 'one' }] }];
  const mock = { name: 'm', start: true, routes };
  const { id } = (await server.request('POST', '/v1/mocks', { key, body: mock })).json.data;
  const askMock = async () => (await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}/a`)).text();
  expect(await askMock()).toBe('one');
  await own.kill();
  const away = await server.request('GET', path, { key });
  expect([away.status, away.json.message]).toEqual([503, 'Store unavailable']);
  expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await askMock()).toBe('one');
  await expect.poll(async () => (await server.request('GET', '/readyz')).status, { timeout: 10_000 }).toBe(503);
  await own.start();
  await expect.poll(async () => (await server.request('GET', path, { key })).status, { timeout: 15_000 }).toBe(200);
  await expect.poll(async () => (await server.request('GET', '/readyz')).status, { timeout: 10_000 }).toBe(200);
  expect((await server.request('POST', '/v1/groups', { key, body: { name: 'next' } })).status).toBe(200);
  expect(await server.end()).toBe(0);
  await own.stop();
});

test('a server whose connections are ended goes on, and another is still refused', async () => {
  const server = await TestServer.start([], await newDatabase(postgres.url()));
  const key = await server.key('acme');
  for (let turn = 0; turn < 5; turn++) {
    await postgres.terminateConnections();
    expect((await server.request('POST', '/v1/groups', { key, body: { name: 'g' } })).status).toBe(200);
    await sleep(300);
  }
  // It takes its lock again within a second.
  const locks = `select pid from pg_locks where locktype = 'advisory' and database =
    (select oid from pg_database where datname = current_database())`;
  const lockCount = async () => (await postgres.query(locks, server.data.split('/').at(-1))).length;
  await expect.poll(lockCount, { timeout: 10_000 }).toBe(1);
  expect((await serve(server.data)).stderr).toContain('another server is using it');
  expect((await server.request('GET', '/v1/groups', { key })).json.total).toBe(5);
  await server.end();
});

test('after a failover to a synchronous standby everything that was acknowledged is there', async () => {
  const primary = await PostgresServer.start();
  const standby = await primary.standby('b');
  await primary.waitFor('ANY 1 (b)');
  const address = await newDatabase(primary.url());
  const both = address.replace(/:(\d+)\//, `:$1,127.0.0.1:${standby.port}/`);
  const server = await TestServer.start([], both);
  const key = await server.key('acme');
  const acknowledged = new Set<string>();
  const over = new AbortController();
  const writers = Array.from({ length: 16 }, async () => {
    while (!over.signal.aborted) {
      const { status, json } = await server.request('POST', '/v1/groups', { key, body: { name: 'g' } });
      if (status === 200) acknowledged.add(json.data.id as string);
      else await sleep(20);
    }
  });
  await sleep(700);
  const before = acknowledged.size;
  await primary.kill();
  await standby.promote();
  await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(before + 50);
  over.abort();
  await Promise.all(writers);
  const [row] = await standby.query<{ count: string }>(
    `select count(*) from record_owner where record_id in (${[...acknowledged].map((id) => `'${id}'`).join()})`,
    address.split('/').at(-1),
  );
  expect(Number(row?.count)).toBe(acknowledged.size);
  await server.end();
  await standby.stop();
});

test('a store moves to PostgreSQL and back with equal digests, and each is served', async () => {
  const directory = temporaryDirectory();
  const first = await TestServer.start([], directory);
  const key = await first.key('acme');
  const routes = [{ method: 'GET', path: '/a', responses: [{ body: 'one' }] }];
  const mock = (await first.request('POST', '/v1/mocks', { key, body: { name: 'm', routes } })).json.data.id as string;
  const records = Array.from({ length: 20 }, (_, index) => ({
    objectType: 'rule',
    id: `Cancel_${index}`,
    name: `rule ${index}`,
    ruleType: 'Cancel',
    status: 'Active',
    pairs: [{ id: 'p', source: { key: 'Url', operator: 'Contains', value: 'a' } }],
  }));
  expect((await first.request('POST', '/v1/rules/import', { key, body: records })).status).toBe(200);
  const rules = (await first.request('GET', '/v1/rules', { key })).json;
  await first.end();

  const address = await postgres.createDatabase('moved');
  const there = await run('migrate', '--data', directory, '--to', address);
  expect(there).toMatchObject({ status: 0, stderr: '' });
  expect((await run('serve', '--port', '0', '--mock-port', '0', '--data', directory)).stderr).toContain('was moved');
  expect(await run('check', '--store', address)).toMatchObject({ status: 0 });

  const back = join(temporaryDirectory(), 'back');
  const again = await run('migrate', '--store', address, '--to', back);
  expect(again).toMatchObject({ status: 0, stderr: '' });
  expect(/digest (\w+)/.exec(again.stdout)?.[1]).toBe(/digest (\w+)/.exec(there.stdout)?.[1]);
  expect((await serve(address)).stderr).toContain('was moved into a data directory');
  const last = await TestServer.start([], back);
  expect((await last.request('GET', '/v1/rules', { key })).json).toEqual(rules);
  expect((await last.request('GET', `/v1/mocks/${mock}`, { key })).status).toBe(200);
  await last.end();
});

test('a check reports places that other nodes would not find the changes of a commit by', async () => {
  const address = await newDatabase(postgres.url());
  const database = address.split('/').at(-1) as string;
  const server = await TestServer.start([], address);
  const key = await server.key('acme');
  for (const name of ['one', 'two']) {
    expect((await server.request('POST', '/v1/groups', { key, body: { name } })).status).toBe(200);
  }
  const records = Array.from({ length: 3 }, (_, index) => ({
    objectType: 'group',
    id: `Group_${index}`,
    name: `group ${index}`,
    status: 'Active',
  }));
  expect((await server.request('POST', '/v1/rules/import', { key, body: records })).status).toBe(200);
  expect(await run('check', '--store', address)).toMatchObject({ status: 0 });
  await postgres.query("update history set places = 'g7/0' where version = 1", database);
  await postgres.query("update history set places = places || ' x' where version = 2", database);
  expect(await run('check', '--store', address)).toMatchObject({
    status: 2,
    stdout: 'owner acme: history: wrong places at version 1\nowner acme: history: wrong places at version 2\n',
  });
  await server.end();
});

test('a migration is refused where there is something already, or a server runs', async () => {
  const address = await newDatabase(postgres.url());
  const server = await TestServer.start([], address);
  await server.key('acme');
  const directory = temporaryDirectory();
  await run('keys', 'create', '--new', '--data', directory, '--owner', 'a', '--user', 'a');
  expect(await run('migrate', '--data', directory, '--to', address)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('a server uses the database'),
  });
  await server.end();
  expect(await run('migrate', '--data', directory, '--to', address)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('not empty'),
  });
  expect(await run('migrate', '--data', directory, '--to', directory)).toMatchObject({ status: 2 });
});
