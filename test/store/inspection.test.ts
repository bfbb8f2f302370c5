/** A process of its own reads a store before this one opens it, and may end of what it reads. */
import { open } from 'lmdb';
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toBufferKey } from 'ordered-binary';
import { expect, test } from 'vitest';
import { checkDirectory } from '../../src/cli/check.ts';
import { createKey } from '../../src/cli/keys.ts';
import { assertReadable, InspectionError, inspectStore } from '../../src/store/check/inspection.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { commit, filled } from '../support/damage.ts';
import { temporaryDirectory } from '../support/server.ts';

const WHOLLY = { readsValues: true, triesWrite: true };
const PAGE_BYTES = 4_096;
/** The two front pages, which locate all others. */
const FRONT_BYTES = 2 * PAGE_BYTES;
const IS_BRANCH = 0x01;

test('an undamaged store passes, as do none and one that was not written yet', async () => {
  const path = join(await filled(), STORE_FILE);
  await assertReadable(path, true);
  const { entries, tables, values } = await inspectStore(path, WHOLLY);
  expect({ tables, values }).toEqual({ tables: [], values: [] });
  expect(entries).toBeGreaterThan(20);
  const none = join(temporaryDirectory(), STORE_FILE);
  await assertReadable(none, true);
  writeFileSync(none, '');
  await assertReadable(none, true);
});

test('what ends the process that reads a store is told, and ends no other', async () => {
  const directory = await filled();
  const path = join(directory, STORE_FILE);
  const bytes = readFileSync(path);
  const roots = [0, PAGE_BYTES].map((at) => Number(bytes.readBigUInt64LE(at + 136)));
  // Behind the root of the last commit, whose tables are cut off.
  const end = (Math.max(...roots) + 1) * PAGE_BYTES;
  truncateSync(path, end);
  const failure: unknown = await assertReadable(path, true).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(InspectionError);
  expect(failure).toMatchObject({
    isDamage: true,
    message: expect.stringMatching(
      /^switchyard\.mdb is damaged: the process that read it ended with SIG(BUS|SEGV|ABRT); restore a snapshot with `switchyard snapshot restore`$/,
    ),
  });
  const lines: string[] = [];
  await expect(checkDirectory(directory, (line) => lines.push(line))).rejects.toThrow(
    /does not start.*snapshot restore/,
  );
  expect(lines).toEqual([expect.stringMatching(/^the process that read it ended with SIG/)]);
});

/** LMDB would take the commit before for the last one. */
test.each<[string, (newer: Buffer, older: Buffer) => void]>([
  ['lost', (newer) => newer.fill(0)],
  ['without its magic', (newer) => newer.writeUInt32LE(1, 24)],
  ['the older one again', (newer, older) => older.copy(newer)],
  ['of an earlier transaction', (newer) => newer.writeBigUInt64LE(newer.readBigUInt64LE(152) - 4n, 152)],
  ['behind the older one', (_, older) => older.writeBigUInt64LE(older.readBigUInt64LE(152) + 2n, 152)],
])('a newer front page that is %s is damage, not the commit before', async (_, damage) => {
  const path = join(await filled(), STORE_FILE);
  const bytes = readFileSync(path);
  const pages = [bytes.subarray(0, PAGE_BYTES), bytes.subarray(PAGE_BYTES, FRONT_BYTES)] as [Buffer, Buffer];
  const [older, newer] = pages.toSorted((one, other) => Number(one.readBigUInt64LE(152) - other.readBigUInt64LE(152)));
  damage(newer as Buffer, older as Buffer);
  writeFileSync(path, bytes);
  await expect(assertReadable(path, true)).rejects.toThrow(/first two pages/);
});

test('a file that is no store is told so', async () => {
  const path = join(temporaryDirectory(), STORE_FILE);
  writeFileSync(path, 'not a store');
  await expect(assertReadable(path, true)).rejects.toThrow(/does not start like a store/);
});

/** A range finds all entries of such a store, one after the other; a server that looks one up does not. */
test('an entry that its key does not lead to is damage of the store', async () => {
  const path = join(temporaryDirectory(), STORE_FILE);
  const env = open({ path, noSubdir: true, maxDbs: 16, overlappingSync: false });
  const history = env.openDB<Buffer, [string, number]>({ name: 'history', encoding: 'binary' });
  await env.transaction(() => {
    for (let version = 1; version <= 1_000; version++) void history.put(['alpha', version], Buffer.alloc(40));
  });
  await env.close();
  await assertReadable(path, true);
  const bytes = readFileSync(path);
  for (let at = FRONT_BYTES; at < bytes.length; at += PAGE_BYTES) {
    if (bytes.readUInt16LE(at + 18) !== IS_BRANCH) continue;
    const prefix = toBufferKey(['alpha', 500]).subarray(0, 8);
    const key = bytes.indexOf(prefix, at);
    if (key !== -1 && key < at + PAGE_BYTES) bytes[key + prefix.length - 1]! ^= 0x01;
  }
  writeFileSync(path, bytes);
  await expect(assertReadable(path, true)).rejects.toThrow(/an entry of history is not found by its key/);
});

test('a store is read as one moment has it, while another process writes', async () => {
  const directory = await filled();
  const store = LmdbStore.open(directory);
  const reading = new AbortController();
  const inspections = Promise.all([1, 2].map(() => inspectStore(join(directory, STORE_FILE), WHOLLY))).finally(() =>
    reading.abort(),
  );
  let version = 0;
  while (!reading.signal.aborted) await store.commit(await store.prepare(commit('gamma', version++)));
  for (const { tables, values } of await inspections) expect({ tables, values }).toEqual({ tables: [], values: [] });
  expect(version).toBeGreaterThan(10);
  await store.close();
});

test('keys that one process makes at once are all made', async () => {
  const directory = await filled();
  const key = (index: number) => createKey(directory, { ownerId: 'alpha', userId: `u${index}`, role: 'editor' });
  await Promise.all(Array.from({ length: 12 }, (_, index) => key(index)));
  const store = LmdbStore.open(directory);
  expect(store.keys.list()).toHaveLength(12);
  await store.close();
});

test('an inspection can be given up', async () => {
  const directory = temporaryDirectory();
  await createKey(directory, { ownerId: 'alpha', userId: 'ann', role: 'editor' }, true);
  const stopping = new AbortController();
  const inspection = inspectStore(join(directory, STORE_FILE), WHOLLY, stopping.signal);
  stopping.abort();
  await expect(inspection).rejects.toThrow(/abort/);
});
