/**
 * `switchyard check`: reads every page, key and value of a store and reports damage. A server may run at the same time.
 */
import { DataDirectoryError } from '../store/lmdb-store.ts';
import { checkStore, type StoreReport } from '../store/check/check-store.ts';
import { requireStore } from './require-store.ts';

/**
 * @param print Called with a line for each damaged place, or with one line when nothing is damaged.
 * @throws DataDirectoryError when something is damaged, or the store cannot be checked.
 */
export async function checkDirectory(directory: string, print: (line: string) => void): Promise<void> {
  const path = requireStore(directory);
  let report: StoreReport;
  try {
    report = await checkStore(path, 'values');
  } catch (error) {
    throw new DataDirectoryError(`cannot check ${path}: ${(error as Error).message}`);
  }
  const { pages, entries, trees, values, isInconclusive } = report;
  if (isInconclusive) throw new DataDirectoryError(`${path} changes too fast to check: stop the server and retry`);
  for (const line of [...trees, ...values]) print(line);
  if (trees.length + values.length === 0) return print(`${path} is whole: ${pages} pages, ${entries} entries`);
  const advice =
    trees.length === 0
      ? 'owners with damaged records are not served, all others are'
      : 'the service does not start on it; restore a snapshot with `switchyard snapshot restore`';
  throw new DataDirectoryError(`${path} is damaged: ${advice}`);
}
