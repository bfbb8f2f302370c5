/**
 * A consistent copy of a live environment, beside whatever reads and writes it.
 *
 * LMDB's compacting copy reads in one transaction, which holds back no writer. What the copy must hold is read by a second transaction of
 * the same moment: both begin while no write can commit, for the millisecond or two that this takes. So a copy is compared with what it
 * was made of, not with itself.
 */
import type { RootDatabase, Transaction } from 'lmdb';
import { statSync } from 'node:fs';
import { SNAPSHOT_PIN_MS } from '../../limits.ts';
import { formatOf, rawTables, readContent, type Content, type OnProgress } from './content.ts';

/** Between two looks whether the copy has begun. */
const LOOK_MS = 0.2;

export interface Copied {
  readonly content: Content;
  readonly format: number;
  /** When both transactions began: milliseconds since the Unix epoch. */
  readonly time: number;
}

/**
 * @param env Opened as RAW.
 * @param path Of a file that must not exist.
 * @throws The error of the file system, when it does not take the copy.
 */
export async function copyEnvironment(
  env: RootDatabase,
  path: string,
  now: () => number,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Copied> {
  const tables = rawTables(env);
  let copying!: Promise<Error | undefined>;
  let transaction!: Transaction;
  let time = 0;
  env.transactionSync(() => {
    const readers = ownReaders(env);
    copying = env.backup(path, true).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    awaitBegin(() => ownReaders(env) > readers || hasBytes(path));
    transaction = env.useReadTransaction();
    time = now();
  });
  try {
    const content = await readContent(tables, transaction, onProgress, { signal });
    const format = formatOf(tables, transaction);
    const error = await Promise.race([copying, aborted(signal)]);
    if (error !== undefined) throw error;
    return { content, format, time };
  } finally {
    // The copy cannot be called back: whoever aborts is about to end, whoever does not may close the environment next.
    if (!signal.aborted) await copying;
    transaction.done();
  }
}

/**
 * Looks until the copy has its transaction, which is begun in a thread. One that is not seen in time, since it failed at once, is left
 * to itself: a copy of another moment is told by its content.
 */
function awaitBegin(hasBegun: () => boolean): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + SNAPSHOT_PIN_MS; !hasBegun() && performance.now() < until;)
    Atomics.wait(cell, 0, 0, LOOK_MS);
}

function aborted(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    const tell = (): void => resolve(signal.reason as Error);
    if (signal.aborted) tell();
    else signal.addEventListener('abort', tell, { once: true });
  });
}

/** Transactions of this process that read: lines of process id, thread and transaction, which is a dash when there is none. */
function ownReaders(env: RootDatabase): number {
  const lines = env.readerList().split('\n');
  return lines.filter((line) => new RegExp(`^\\s*${process.pid}\\s+\\S+\\s+\\d+`).test(line)).length;
}

/** A copy that is over before it was seen among the readers has written. */
function hasBytes(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
