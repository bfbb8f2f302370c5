/**
 * Makes a snapshot: copies the store, verifies the copy by opening it, and only then gives it its name.
 *
 * Works with or without a running server. A lock that ends with its process allows one at a time in a directory; what a
 * killed process leaves is never listed, and the next snapshot removes it.
 */
import { open, type RootDatabase } from 'lmdb';
import { existsSync, mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Build } from '../../base/own-build.ts';
import { OperatorError } from '../../base/operator-error.ts';
import { SNAPSHOT_SPARE_BYTES } from '../../limits.ts';
import { acquireInstanceLock } from '../instance-lock.ts';
import { STORE_FILE } from '../lmdb-store.ts';
import { bytesInUse, entryCountOf, isSameContent, RAW, rawTables, TABLES_MAX, type OnProgress } from '../check/content.ts';
import { copyEnvironment } from './copy-environment.ts';
import { digestFile, syncPath, writeDurably } from './durable-files.ts';
import { assertReadable, inspectCopy } from '../check/inspection.ts';
import { encodeManifest, MANIFEST_FILE } from './manifest.ts';
import { giveName, makingPath, newName, pruneSnapshots, removeLeftovers } from './snapshot-directory.ts';
import { SnapshotError } from './snapshot-error.ts';

/** Progress and cancellation of long work. */
export interface TaskControl {
  /** @param what The step, such as "copied". */
  readonly onProgress: (what: string, done: number, total: number, unit: 'bytes' | 'entries') => void;
  readonly signal: AbortSignal;
}

interface NewSnapshot {
  /** The Switchyard that makes it. */
  readonly build: Build;
  /** Number of snapshots to keep, with this one; undefined removes none. */
  readonly keepCount: number | undefined;
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number;
}

export interface Created {
  readonly name: string;
  readonly pruned: readonly string[];
  /**
   * Count of damage in the store, and so in the snapshot. With any, nothing is pruned: older snapshots may be
   * undamaged.
   */
  readonly damagedValues: number;
}

/** @throws SnapshotError when it cannot be made; then nothing of it is left. */
export async function createSnapshot(directory: string, snapshot: NewSnapshot, control: TaskControl): Promise<Created> {
  const path = join(directory, STORE_FILE);
  if (!existsSync(path)) throw new SnapshotError(`there is no store in ${resolve(directory)}`);
  const env = await openLive(directory, path, control.signal);
  try {
    const lock = await acquireInstanceLock(directory, (action) => env.transactionSync(action), 'snapshots');
    try {
      removeLeftovers(directory);
      const { name, damagedValues } = await make(directory, env, snapshot, control);
      const { keepCount } = snapshot;
      const prunes = keepCount !== undefined && damagedValues === 0;
      return { name, damagedValues, pruned: prunes ? pruneSnapshots(directory, keepCount, name) : [] };
    } finally {
      await lock.release();
    }
  } catch (error) {
    if (error instanceof OperatorError || control.signal.aborted) throw error;
    throw new SnapshotError(`cannot make a snapshot in ${directory}: ${(error as Error).message}`);
  } finally {
    // An aborted copy may still be reading, until the process ends.
    if (!control.signal.aborted) await env.close();
  }
}

async function openLive(directory: string, path: string, signal: AbortSignal): Promise<RootDatabase> {
  try {
    await assertReadable(path, false, signal);
    return open({ ...RAW, path, noSubdir: true, maxDbs: TABLES_MAX, overlappingSync: false });
  } catch (error) {
    throw new SnapshotError(`cannot use the data directory ${directory}: ${(error as Error).message}`);
  }
}

async function make(
  directory: string,
  env: RootDatabase,
  { build, now }: NewSnapshot,
  { onProgress, signal }: TaskControl,
): Promise<Omit<Created, 'pruned'>> {
  const tables = rawTables(env);
  refuseFullDisk(directory, bytesInUse(tables));
  const making = makingPath(directory);
  const onEntries = (what: string): OnProgress => (done, total) => onProgress(what, done, total, 'entries');
  mkdirSync(making, { mode: 0o700 });
  try {
    const path = join(making, STORE_FILE);
    const copied = await copyEnvironment(env, path, now, onEntries('copied'), signal);
    syncPath(path);
    const onBytes: OnProgress = (done, total) => onProgress('digested', done, total, 'bytes');
    const fileDigest = await digestFile(path, onBytes, signal);
    const { content, damagedValues } = await inspectCopy(path, entryCountOf(copied.content.entries), onEntries('verified'), signal);
    if (!isSameContent(content, copied.content)) throw new Error('the copy differs from the store');
    const manifest = encodeManifest({
      switchyard: build.version,
      commit: build.commit,
      storeFormat: copied.format,
      time: new Date(copied.time).toISOString(),
      counts: content.counts,
      entries: content.entries,
      damagedValues,
      bytes: statSync(path).size,
      fileDigest,
      contentDigest: content.digest,
    });
    writeDurably(join(making, MANIFEST_FILE), manifest);
    const name = newName(copied.time);
    giveName(making, directory, name);
    return { name, damagedValues };
  } catch (error) {
    rmSync(making, { recursive: true, force: true });
    throw error;
  }
}

/**
 * A snapshot must leave the space that a running server needs: without it, the server's next commit would fail, and end
 * it.
 */
export function refuseFullDisk(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  const free = bavail * bsize;
  if (free >= bytes + SNAPSHOT_SPARE_BYTES) return;
  const megabytes = (count: number): string => `${Math.ceil(count / 1_000_000)} MB`;
  throw new SnapshotError(
    `there is not enough space in ${resolve(directory)}: ${megabytes(free)} free, ${megabytes(bytes)} needed and ${megabytes(SNAPSHOT_SPARE_BYTES)} to spare`,
  );
}
