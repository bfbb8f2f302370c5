/** Opens a store for one short use, beside a server that may be running. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OperatorError } from '../base/operator-error.ts';
import { inspectKeys } from '../store/check/inspection.ts';
import { isServed } from '../store/instance-lock.ts';
import { DataDirectoryError, LmdbStore, STORE_FILE } from '../store/lmdb-store.ts';
import { isStoreUrl, shownStore } from '../store/store-url.ts';
import type { ApiKeyStore, ConsoleCodeStore } from '../store/store.ts';

/** The part of a store that commands use. */
interface KeyStore {
  readonly keys: ApiKeyStore;
  readonly codes: ConsoleCodeStore;
}

/** Opening a store waits for a transaction of this process, which waits for this thread: uses of stores take turns. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * @param place A data directory, or the address of a store in PostgreSQL.
 * @throws OperatorError when it cannot be used.
 */
export async function withStore<Result>(place: string, use: (store: KeyStore) => Promise<Result>): Promise<Result> {
  if (isStoreUrl(place)) return withPostgres(place, use);
  const used = turn.then(() => withDirectory(place, use));
  turn = used.catch(() => undefined);
  return used;
}

async function withDirectory<Result>(place: string, use: (store: KeyStore) => Promise<Result>): Promise<Result> {
  await inspect(place);
  const store = LmdbStore.open(place);
  let result: Result;
  try {
    result = await use(store);
  } catch (error) {
    // Left open: after an I/O error the close of lmdb-js may hang, and the process is about to end.
    throw new DataDirectoryError(`cannot use the data directory ${place}: ${(error as Error).message}`);
  }
  await store.close();
  return result;
}

/** Does nothing while a server uses the directory: it inspected the store at its start. */
async function inspect(directory: string): Promise<void> {
  const path = join(directory, STORE_FILE);
  if (!existsSync(path) || (await isServed(directory))) return;
  try {
    await inspectKeys(path, true);
  } catch (error) {
    throw new DataDirectoryError(`cannot use the data directory ${directory}: ${(error as Error).message}`);
  }
}

async function withPostgres<Result>(address: string, use: (store: KeyStore) => Promise<Result>): Promise<Result> {
  // Not with the others: most stores are of a directory.
  const { PostgresStore } = await import('../store/postgres/postgres-store.ts');
  try {
    const store = await PostgresStore.open(address);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw new OperatorError(`cannot use the store ${shownStore(address)}: ${(error as Error).message}`);
  }
}
