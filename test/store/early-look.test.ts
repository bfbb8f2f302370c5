/** A look that began before a store was opened counts for what it saw, and for nothing that came after. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createKey } from '../../src/keys.ts';
import { LmdbStore, STORE_FILE } from '../../src/store/lmdb-store.ts';
import { temporaryDirectory } from '../support/server.ts';

const PAGE_BYTES = 4_096;
/** The two pages that say where all else is. */
const FRONT_BYTES = 2 * PAGE_BYTES;

async function keyFor(directory: string, ownerId: string): Promise<void> {
  await createKey(directory, { ownerId, userId: 'ann', role: 'editor' });
}

test('a store that is whole is', async () => {
  const directory = temporaryDirectory();
  await keyFor(directory, 'alpha');
  expect(await LmdbStore.lookAhead(directory).trees()).toEqual([]);
});

test('a file that took the place of the one that was looked at is looked at', async () => {
  const directory = temporaryDirectory();
  await keyFor(directory, 'alpha');
  const file = join(directory, STORE_FILE);
  const look = LmdbStore.lookAhead(directory);
  expect(await look.trees()).toEqual([]);
  writeFileSync(`${file}.new`, readFileSync(file).fill(0, FRONT_BYTES));
  renameSync(`${file}.new`, file);
  await expect(look.trees()).rejects.toThrow('damaged');
});

test('what was written since is looked at', async () => {
  const directory = temporaryDirectory();
  await keyFor(directory, 'alpha');
  const file = join(directory, STORE_FILE);
  const look = LmdbStore.lookAhead(directory);
  expect(await look.trees()).toEqual([]);
  await keyFor(directory, 'beta');
  writeFileSync(file, readFileSync(file).fill(0, FRONT_BYTES));
  await expect(look.trees()).rejects.toThrow('damaged');
});

test('a store that is not there yet is looked at when it is', async () => {
  const directory = temporaryDirectory();
  const look = LmdbStore.lookAhead(directory);
  await keyFor(directory, 'alpha');
  expect(await look.trees()).toEqual([]);
});
