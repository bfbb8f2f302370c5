/** A check that began before a store was opened holds only for the state that it read. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKey } from '../../src/cli/keys.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { temporaryDirectory } from '../support/server.ts';

const PAGE_BYTES = 4_096;
/** The two front pages, which locate all others. */
const FRONT_BYTES = 2 * PAGE_BYTES;

async function keyFor(directory: string, ownerId: string): Promise<void> {
  await createKey(directory, { ownerId, userId: 'ann', role: 'editor' });
}

test('an undamaged store passes', async () => {
  const directory = temporaryDirectory();
  await keyFor(directory, 'alpha');
  expect(await LmdbStore.beginCheck(directory).trees()).toEqual([]);
});

test('a file that replaced the checked one is checked again', async () => {
  const directory = temporaryDirectory();
  await keyFor(directory, 'alpha');
  const file = join(directory, STORE_FILE);
  const check = LmdbStore.beginCheck(directory);
  expect(await check.trees()).toEqual([]);
  writeFileSync(`${file}.new`, readFileSync(file).fill(0, FRONT_BYTES));
  renameSync(`${file}.new`, file);
  await expect(check.trees()).rejects.toThrow('damaged');
});

test('a store that was written since is checked again', async () => {
  const directory = temporaryDirectory();
  await keyFor(directory, 'alpha');
  const file = join(directory, STORE_FILE);
  const check = LmdbStore.beginCheck(directory);
  expect(await check.trees()).toEqual([]);
  await keyFor(directory, 'beta');
  writeFileSync(file, readFileSync(file).fill(0, FRONT_BYTES));
  await expect(check.trees()).rejects.toThrow('damaged');
});

test('a store that did not exist yet is checked once it exists', async () => {
  const directory = temporaryDirectory();
  const check = LmdbStore.beginCheck(directory);
  await keyFor(directory, 'alpha');
  expect(await check.trees()).toEqual([]);
});
