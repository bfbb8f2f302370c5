/** Stores in PostgreSQL: creates and raises their tables, checks them, and moves what is stored there or from there. */
import { OperatorError } from '../base/operator-error.ts';
import { checkPostgres } from '../store/postgres/check-postgres.ts';
import { upgrade } from '../store/postgres/upgrade-store.ts';
import { moveToDirectory, moveToPostgres, type TransferReport } from '../store/postgres/transfer.ts';
import { isStoreUrl, shownStore } from '../store/store-url.ts';
import { requireStore } from './require-store.ts';

const DONE = {
  created: 'Created the store',
  raised: 'Brought the store to this version',
  unchanged: 'The store has this version already',
} as const;

/** `switchyard store upgrade`. @returns What was done, as a line. */
export async function upgradeStore(address: string): Promise<string> {
  return `${DONE[await using(address, () => upgrade(address))]}: ${shownStore(address)}`;
}

/**
 * `switchyard check --store`.
 *
 * @throws OperatorError when something is damaged, or the store cannot be checked.
 */
export async function checkDatabase(address: string, print: (line: string) => void): Promise<void> {
  const { entries, damage } = await using(address, () => checkPostgres(address));
  for (const line of damage) print(line);
  if (damage.length === 0) return print(`${shownStore(address)} is whole: ${entries} entries`);
  throw new OperatorError(
    `${shownStore(address)} is damaged: owners with damaged records are not served, all others are`,
  );
}

/**
 * `switchyard migrate`.
 *
 * @param from A data directory or the address of a store; `to` is the other of both.
 * @returns What was moved, as a line.
 */
export async function moveStore(from: string, to: string): Promise<string> {
  if (isStoreUrl(from) === isStoreUrl(to))
    throw new OperatorError(
      'a store moves from a data directory (--data) to postgres://..., or from --store to a directory',
    );
  if (!isStoreUrl(from)) requireStore(from);
  const { digest, counts } = await (isStoreUrl(from)
    ? using(from, () => moveToDirectory(from, to))
    : using(to, () => moveToPostgres(from, to)));
  return `Moved ${countsText(counts)} from ${shownStore(from)} to ${shownStore(to)}: digest ${digest}`;
}

function countsText({ owner = 0, record = 0, history = 0, api_key: keys = 0 }: TransferReport['counts']): string {
  return `${owner} owners, ${record} records, ${history} entries of history and ${keys} keys`;
}

async function using<Result>(address: string, use: () => Promise<Result>): Promise<Result> {
  try {
    return await use();
  } catch (error) {
    throw new OperatorError(`cannot use the store ${shownStore(address)}: ${(error as Error).message}`);
  }
}
