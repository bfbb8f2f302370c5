/** Opens a store for one short use, beside a server that may be running. */
import { DataDirectoryError, LmdbStore } from '../store/lmdb-store.ts';

/** @throws DataDirectoryError when the directory cannot be used. */
export async function withStore<Result>(
  directory: string,
  use: (store: LmdbStore) => Promise<Result>,
): Promise<Result> {
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
