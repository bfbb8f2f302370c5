/** Opens a store for one short use, beside a server that may be running. */
import { OperatorError } from '../base/operator-error.ts';
import { DataDirectoryError, LmdbStore } from '../store/lmdb-store.ts';
import { isStoreUrl, shownStore } from '../store/store-url.ts';
import type { ApiKeyStore, ConsoleCodeStore } from '../store/store.ts';

/** The part of a store that commands use. */
interface KeyStore {
  readonly keys: ApiKeyStore;
  readonly codes: ConsoleCodeStore;
}

/**
 * @param place A data directory, or the address of a store in PostgreSQL.
 * @throws OperatorError when it cannot be used.
 */
export async function withStore<Result>(place: string, use: (store: KeyStore) => Promise<Result>): Promise<Result> {
  if (isStoreUrl(place)) return withPostgres(place, use);
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
