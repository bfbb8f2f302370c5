/** The raw app of the benchmarks is a limit only while it stores what the service stores. */
import { open } from 'lmdb';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { copyStore } from '../../bench/api/comparison.ts';
import { RawCommits } from '../../bench/contenders/raw-commits.ts';
import { rulePayload, seedOwners, USER, type SeededOwner } from '../../bench/rules.ts';
import { fieldsOf } from '../../src/store/codec/value-format.ts';
import { STORE_FILE } from '../../src/store/lmdb-store.ts';
import { openTables } from '../../src/store/tables/tables.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';

test('the raw app stores the entries that the service stores for creates, byte for byte as long', async () => {
  const data = temporaryDirectory();
  const [owner] = (await seedOwners(data, [2])) as [SeededOwner];
  const copy = copyStore(data);

  const server = await TestServer.start([], data);
  const write = async (index: number): Promise<void> => {
    const { status } = await server.request('POST', '/v1/rules', { key: owner.key, body: rulePayload(index) });
    expect(status).toBe(200);
  };
  await write(10);
  await write(11);
  await server.end();

  const raw = new RawCommits(copy);
  await raw.create(rulePayload(10));
  await raw.create(rulePayload(11));
  await raw.close();

  const stored = await entriesOf(copy);
  expect(stored.history).toHaveLength(4);
  expect(stored.records).toHaveLength(4);
  expect(stored).toEqual(await entriesOf(data));
});

/** Every entry of every table with its bytes' length; what differs from run to run, ids and dates, as a mark of the same length. */
async function entriesOf(directory: string): Promise<Record<string, string[]>> {
  const env = open({ path: join(directory, STORE_FILE), noSubdir: true, maxDbs: 16, encoding: 'binary' });
  const tables = openTables(env);
  const entries = Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      name,
      [...table.getRange({ versions: true })].map(({ key, value, version }) =>
        marked(JSON.stringify([key, version, (value as Buffer).length, contentOf(name, key as string, value)])),
      ),
    ]),
  );
  // Keyed by ids, whose order is another in each run.
  entries.recordOwners?.sort();
  await env.close();
  return entries;
}

function contentOf(table: string, key: string, value: Buffer | string | number): unknown {
  if (table === 'records' || table === 'history') return fieldsOf(value as Buffer, 1);
  if (table === 'owners') return fieldsOf(value as Buffer, 1, key);
  return Buffer.isBuffer(value) ? value.toString('base64') : value;
}

function marked(text: string): string {
  return text
    .replaceAll(/Redirect_[0-9a-z]{20}/g, 'Redirect_####################')
    .replaceAll(/(?<=\\"id\\":\\")[0-9a-z]{12}(?=\\")/g, '############')
    .replaceAll(new RegExp(`(?<="${USER}",")[0-9a-z]{12}(?=",")`, 'g'), '############')
    .replaceAll(/\b1[5-9]\d{11}\b/g, '#############');
}
