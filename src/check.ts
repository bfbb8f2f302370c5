/** `switchyard check`: looks at every page, key and value of a store, beside a running server or without one, and tells what is damaged. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { checkStore, type StoreReport } from './store/check/check-store.ts';
import { DataDirectoryError, STORE_FILE } from './store/lmdb-store.ts';

/**
 * @param tell Takes a line for each place that is damaged, or one that says that there is none.
 * @throws DataDirectoryError when there is any.
 */
export async function checkDirectory(directory: string, tell: (line: string) => void): Promise<void> {
  const path = join(directory, STORE_FILE);
  if (!existsSync(path)) throw new DataDirectoryError(`there is no store in ${resolve(directory)}`);
  let report: StoreReport;
  try {
    report = await checkStore(path, 'values');
  } catch (error) {
    throw new DataDirectoryError(`${path}: ${(error as Error).message}`);
  }
  const { pages, entries, trees, values, isUnsure } = report;
  if (isUnsure) throw new DataDirectoryError(`${path} is written too often to be looked at: stop its server`);
  for (const line of [...trees, ...values]) tell(line);
  if (trees.length + values.length === 0) return tell(`${path} is whole: ${pages} pages, ${entries} entries`);
  const advice =
    trees.length === 0
      ? 'an owner whose records are is not served, all others are'
      : 'it is not served: `switchyard snapshot restore` brings back a snapshot';
  throw new DataDirectoryError(`${path} is damaged; ${advice}`);
}
