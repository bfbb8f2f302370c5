/** Refuses a data directory without a store, before a command would create one. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DataDirectoryError, STORE_FILE } from '../store/lmdb-store.ts';
import { isStoreUrl } from '../store/store-url.ts';

/** A store in PostgreSQL is not checked here: no command creates one but `store upgrade`. */
export function requirePlace(place: string, hint?: string): void {
  if (!isStoreUrl(place)) requireStore(place, hint);
}

/**
 * @param hint What to do; ends the message.
 * @returns The path of the store's file.
 * @throws DataDirectoryError when the directory has no store.
 */
export function requireStore(directory: string, hint = 'name its directory with --data'): string {
  const path = join(directory, STORE_FILE);
  if (!existsSync(path)) throw new DataDirectoryError(`there is no store in ${resolve(directory)}: ${hint}`);
  return path;
}
