/** API keys from the command line: made, listed and revoked in short transactions, beside a running server or without one. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from './base/clock.ts';
import { newApiKey } from './model/api-key.ts';
import type { Role } from './model/principal.ts';
import { DataDirectoryError, LmdbStore, STORE_FILE } from './store/lmdb-store.ts';

export interface NewKey {
  readonly ownerId: string;
  readonly userId: string;
  readonly role: Role;
}

/** @returns The whole key, which nobody can show again. Makes the data directory when there is none. */
export function createKey(directory: string, key: NewKey): Promise<string> {
  return withStore(directory, (store) => addKey(store, key));
}

/** @returns The whole key. Durable when it resolves. */
export async function addKey(store: LmdbStore, { ownerId, userId, role }: NewKey): Promise<string> {
  const { keyId, text, secretDigest } = newApiKey();
  await store.keys.add({
    keyId,
    ownerId,
    userId,
    role,
    creationDate: systemClock(),
    revocationDate: null,
    secretDigest,
  });
  return text;
}

const COLUMNS = ['KEYID', 'OWNER', 'USER', 'ROLE', 'CREATED', 'REVOKED'];

/** @returns One line per key, columns with tabs between, under a line of their names. Of a damaged one no more than its id is told. */
export async function listKeys(directory: string): Promise<string[]> {
  requireStore(directory);
  const [keys, damagedIds] = await withStore(
    directory,
    async (store) => [store.keys.list(), store.keys.damagedIds()] as const,
  );
  const rows = keys.map(({ keyId, ownerId, userId, role, creationDate, revocationDate }) => [
    keyId,
    ownerId,
    userId,
    role,
    new Date(creationDate).toISOString(),
    revocationDate === null ? '-' : new Date(revocationDate).toISOString(),
  ]);
  // In every column: a dash would say that it is not revoked.
  const damaged = damagedIds.map((keyId) => [keyId, ...Array<string>(COLUMNS.length - 1).fill('damaged')]);
  return [COLUMNS, ...rows, ...damaged].map((row) => row.join('\t'));
}

/** @returns Whether there is such a key; revoking it again changes nothing. */
export async function revokeKey(directory: string, keyId: string): Promise<boolean> {
  requireStore(directory);
  return withStore(directory, (store) => store.keys.revoke(keyId, systemClock()));
}

function requireStore(directory: string): void {
  if (!existsSync(join(directory, STORE_FILE)))
    throw new DataDirectoryError(`there is no store in ${resolve(directory)}`);
}

async function withStore<Result>(directory: string, use: (store: LmdbStore) => Promise<Result>): Promise<Result> {
  const store = LmdbStore.open(directory);
  let result: Result;
  try {
    result = await use(store);
  } catch (error) {
    // Left open: after an I/O error the close of lmdb-js may hang, and the process is about to end.
    throw new DataDirectoryError(`cannot use the data directory ${directory}: ${(error as Error).message}`);
  }
  await store.close();
  return result;
}
