/**
 * A consistent copy of a live environment, made while others read and write it.
 *
 * LMDB's compacting copy reads in one transaction, which blocks no writer. The expected content is read by a second
 * transaction of the same state: both begin while no write can commit, for the millisecond or two that this takes. So
 * the copy is compared with its source, not with itself.
 */
import type { RootDatabase, Transaction } from 'lmdb';
import { statSync } from 'node:fs';
import { formatOf, rawTables, readContent, type Content, type OnProgress } from '../check/content.ts';

/** How long writers may wait for a snapshot's copy to begin: usually a millisecond or two. */
const SNAPSHOT_PIN_MS = 200;

/** Interval of polling whether the copy has begun. */
const POLL_MS = 0.2;

interface Copied {
  readonly content: Content;
  readonly format: number;
  /** When both transactions began: milliseconds since the Unix epoch. */
  readonly time: number;
}

/**
 * @param env  Opened with RAW.
 * @param path Of the new file; it must not exist.
 * @throws The error of the file system, when the copy cannot be written.
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
    // The copy cannot be cancelled. After an abort the process ends; otherwise the caller may close the environment
    // next.
    if (!signal.aborted) await copying;
    transaction.done();
  }
}

/**
 * Waits until the copy has its transaction, which it begins in a thread. A copy that is not seen in time may have
 * failed at once; it is not waited for any longer, since a copy of another state is detected by its content.
 */
function awaitBegin(hasBegun: () => boolean): void {
  const cell = new Int32Array(new SharedArrayBuffer(4));
  for (const until = performance.now() + SNAPSHOT_PIN_MS; !hasBegun() && performance.now() < until;)
    Atomics.wait(cell, 0, 0, POLL_MS);
}

function aborted(signal: AbortSignal): Promise<Error> {
  return new Promise((resolve) => {
    const onAbort = (): void => resolve(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Count of read transactions of this process. LMDB lists process id, thread and transaction, which is a dash for none.
 */
function ownReaders(env: RootDatabase): number {
  const lines = env.readerList().split('\n');
  return lines.filter((line) => new RegExp(`^\\s*${process.pid}\\s+\\S+\\s+\\d+`).test(line)).length;
}

/** A copy that ended before it was seen among the readers has written its file. */
function hasBytes(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
