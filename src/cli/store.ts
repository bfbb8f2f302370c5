/** `switchyard store`: creates and raises the tables of a store in PostgreSQL. */
import { OperatorError } from '../base/operator-error.ts';
import { migrate } from '../store/postgres/migrate.ts';
import { shownStore } from '../store/store-url.ts';

const DONE = {
  created: 'Created the store',
  raised: 'Brought the store to this version',
  unchanged: 'The store has this version already',
} as const;

/** @returns What was done, as a line. */
export async function migrateStore(address: string): Promise<string> {
  try {
    return `${DONE[await migrate(address)]}: ${shownStore(address)}`;
  } catch (error) {
    throw new OperatorError(`cannot use the store ${shownStore(address)}: ${(error as Error).message}`);
  }
}
