/** docs/cluster.md, run from start to end over a real PostgreSQL. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runGuide } from '../support/guide.ts';
import { newDatabase } from '../support/new-database.ts';
import { endAll } from '../support/process.ts';
import { PostgresServer } from './support/postgres-server.ts';

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(async () => {
  await endAll();
  await server.stop();
});

test('docs/cluster.md prints what it says', async () => {
  const run = await runGuide('cluster', undefined, {
    'postgres://switchyard@db1.example.com,db2.example.com/switchyard': await newDatabase(server.url()),
    '--host 0.0.0.0': '--host 127.0.0.1',
  });
  for (const { commands, printed, expected } of run.blocks) {
    expect(printed.trim(), commands + run.stderr).toMatch(expected);
  }
  expect(run.stderr).toBe('');
  expect(run.status).toBe(0);
});
