/** `switchyard check`: reads every key and value of a store and reports damage. A server may run at the same time. */
import { accessSync, constants } from 'node:fs';
import { inspectStore, type StoreReport } from '../store/check/inspection.ts';
import { isServed } from '../store/instance-lock.ts';
import { DataDirectoryError } from '../store/lmdb-store.ts';
import { requireStore } from './require-store.ts';

/**
 * @param print Called with a line for each damaged place, or with one line when nothing is damaged.
 * @throws DataDirectoryError when something is damaged, or the store cannot be checked.
 */
export async function checkDirectory(directory: string, print: (line: string) => void): Promise<void> {
  const path = requireStore(directory);
  let report: StoreReport;
  try {
    const triesWrite = isWritable(path) && !(await isServed(directory));
    report = await inspectStore(path, { readsValues: true, triesWrite });
  } catch (error) {
    throw new DataDirectoryError(`cannot check ${path}: ${(error as Error).message}`);
  }
  const { entries, tables, values } = report;
  for (const line of [...tables, ...values]) print(line);
  if (tables.length + values.length === 0) return print(`${path} is whole: ${entries} entries`);
  const advice =
    tables.length === 0
      ? 'owners with damaged records are not served, all others are'
      : 'the service does not start on it; restore a snapshot with `switchyard snapshot restore`';
  throw new DataDirectoryError(`${path} is damaged: ${advice}`);
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
