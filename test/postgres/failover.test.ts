/** What a primary shows that crashed, or was replaced, is not believed: a failover could lose it, or has. */
import { afterAll, expect, test } from 'vitest';
import { newDatabase } from '../support/new-database.ts';
import { eventually } from '../support/process.ts';
import { TestServer, type Answer } from '../support/server.ts';
import { PostgresServer } from './support/postgres-server.ts';

const opened: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of opened.toReversed()) await close().catch(() => undefined);
});

interface Rig {
  readonly primary: PostgresServer;
  readonly standby: PostgresServer;
  readonly server: TestServer;
  readonly database: string;
  readonly write: (name: string) => Promise<Answer>;
  readonly read: () => Promise<Answer>;
}

/** A server over a primary with a standby on which commits wait. */
async function rig(): Promise<Rig> {
  const primary = await PostgresServer.start();
  const standby = await primary.standby('b');
  opened.push(
    () => primary.stop('immediate'),
    () => standby.stop('immediate'),
  );
  await primary.waitFor('ANY 1 (b)');
  const address = await newDatabase(primary.url());
  const server = await TestServer.start(
    ['--log-level', 'warn'],
    address.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`),
  );
  opened.push(() => server.end('SIGKILL'));
  const key = await server.key('acme');
  const read = (): Promise<Answer> => server.request('GET', '/v1/groups', { key });
  await expect.poll(async () => (await read()).status).toBe(200);
  return {
    primary,
    standby,
    server,
    database: address.split('/').at(-1) as string,
    write: (name) => server.request('POST', '/v1/groups', { key, body: { name } }),
    read,
  };
}

function namesIn({ json }: Answer): string[] {
  return (json.data as { name: string }[]).map(({ name }) => name);
}

test('a commit that waited for its standby when the primary crashed is not shown before it is on the standby', async () => {
  const { primary, standby, server, database, write, read } = await rig();
  expect((await write('kept')).status).toBe(200);
  await standby.stop('immediate');
  const waiting = write('not confirmed');
  // It is in the log of the primary, and nobody sees it.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await primary.kill();
  await primary.start();
  // The trap: the database shows it now.
  const [row] = await primary.query<{ count: string }>('select count(*) from history', database);
  expect(Number(row?.count)).toBe(2);
  for (const until = performance.now() + 4_000; performance.now() < until;) {
    const answer = await read();
    expect([answer.status, answer.status === 200 && namesIn(answer)]).toEqual([503, false]);
  }
  await standby.start();
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe(200);
  const { status } = await waiting;
  const expected = status === 200 ? [['kept', 'not confirmed']] : [['kept'], ['kept', 'not confirmed']];
  expect(expected).toContainEqual(namesIn(await read()).toSorted());
  expect(await server.end()).toBe(0);
});

test('a primary that was replaced is not used when it comes back', async () => {
  const { primary, standby, server, write, read } = await rig();
  expect((await write('before')).status).toBe(200);
  await primary.kill();
  await standby.promote();
  await standby.waitFor('');
  await expect.poll(async () => (await write('after')).status, { timeout: 20_000 }).toBe(200);
  await primary.start();
  await primary.waitFor('');
  await standby.stop('immediate');
  // Only the old one is there, and would take it.
  for (let turn = 0; turn < 3; turn++)
    expect([(await write('lost')).status, (await read()).status]).toEqual([503, 503]);
  await standby.start();
  expect(await eventually(async () => (await read()).status === 200, 20_000)).toBe(true);
  const names = namesIn(await read());
  expect(names).toContain('before');
  expect(names).toContain('after');
  expect(names).not.toContain('lost');
  expect(await server.end()).toBe(0);
});
