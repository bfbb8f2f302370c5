/**
 * Creates a data directory from a snapshot.
 *
 * The store is copied to a temporary directory within the target, verified there, and gets its final name by a link,
 * which replaces nothing: whatever happens, the target has either no store or a complete one.
 */
import { linkSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../../base/make-directory.ts';
import { randomId } from '../../base/random-id.ts';
import { LmdbStore, STORE_FILE } from '../lmdb-store.ts';
import type { ApiKey } from '../store.ts';
import { refuseFullDisk, type TaskControl } from './create-snapshot.ts';
import { copyDurably, syncPath } from './durable-files.ts';
import type { Manifest } from './manifest.ts';
import { manifestOf, RESTORING } from './snapshot-directory.ts';
import { SnapshotError } from './snapshot-error.ts';
import { refuseWrongDigest, verifyContent } from './verify-snapshot.ts';

/**
 * @param target An empty directory, or one that does not exist.
 * @param keys   Replace the snapshot's keys after it has been verified; undefined keeps the snapshot's.
 * @returns The snapshot's manifest, with the count of damage in the restored store.
 * @throws SnapshotError when it cannot be restored; the target is left without a store then.
 */
export async function restoreSnapshot(
  snapshot: string,
  target: string,
  keys: readonly ApiKey[] | undefined,
  control: TaskControl,
): Promise<Manifest> {
  const manifest = manifestOf(snapshot);
  const isNew = !isPresent(target);
  if (!isNew) refuseUsed(target);
  let damagedValues: number;
  try {
    makeDirectory(target);
    try {
      damagedValues = await restore(join(snapshot, STORE_FILE), manifest, target, keys, control);
    } catch (error) {
      if (isNew) rmdirSync(target);
      throw error;
    }
  } catch (error) {
    if (error instanceof SnapshotError || control.signal.aborted) throw error;
    throw new SnapshotError(`cannot restore into ${resolve(target)}: ${(error as Error).message}`);
  }
  return { ...manifest, damagedValues };
}

async function restore(
  from: string,
  manifest: Manifest,
  target: string,
  keys: readonly ApiKey[] | undefined,
  { onProgress, signal }: TaskControl,
): Promise<number> {
  const restoring = join(target, RESTORING + randomId(12));
  refuseFullDisk(target, manifest.bytes);
  mkdirSync(restoring, { mode: 0o700 });
  try {
    const to = join(restoring, STORE_FILE);
    const onBytes = (done: number, total: number): void => onProgress('copied', done, total, 'bytes');
    refuseWrongDigest(await copyDurably(from, to, onBytes, signal), manifest);
    const damagedValues = await verifyContent(to, manifest, { onProgress, signal });
    if (keys !== undefined) await replaceKeys(restoring, keys);
    linkSync(to, join(target, STORE_FILE));
    syncPath(target);
    return damagedValues;
  } finally {
    rmSync(restoring, { recursive: true, force: true });
  }
}

async function replaceKeys(directory: string, keys: readonly ApiKey[]): Promise<void> {
  const store = LmdbStore.open(directory);
  await store.keys.replaceAll(keys);
  const idsOf = (each: readonly ApiKey[]): string =>
    JSON.stringify(each.map(({ keyId, revocationDate, expiresAt }) => [keyId, revocationDate, expiresAt]).toSorted());
  if (idsOf(store.keys.list()) !== idsOf(keys)) throw new Error('the keys were not copied');
  await store.close();
  syncPath(join(directory, STORE_FILE));
}

/** Refuses a directory that is not empty; what a killed restore left is removed. */
function refuseUsed(target: string): void {
  const names = readdirSync(target);
  const used = names.find((name) => !name.startsWith(RESTORING));
  if (used !== undefined) {
    throw new SnapshotError(
      `${resolve(target)} is not empty, and nothing is ever overwritten: restore into a new directory (--to), and start the server with --data on that`,
    );
  }
  for (const name of names) rmSync(join(target, name), { recursive: true, force: true });
}

function isPresent(target: string): boolean {
  try {
    readdirSync(target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw new SnapshotError(`cannot restore into ${resolve(target)}: ${(error as Error).message}`);
  }
}
