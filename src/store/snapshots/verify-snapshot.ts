/** Verifies a snapshot against its manifest: first its bytes, which need not be understood, then what opening it shows. */
import { join } from 'node:path';
import { STORE_FILE } from '../lmdb-store.ts';
import { entryCountOf, isSameContent } from './content.ts';
import type { Course } from './create-snapshot.ts';
import { digestFile } from './durable-files.ts';
import { inspectContent } from './inspection.ts';
import type { Manifest } from './manifest.ts';
import { manifestOf } from './snapshot-directory.ts';
import { SnapshotError } from './snapshot-error.ts';

/**
 * @returns Its manifest, with the count of what is damaged in it: it holds what its store held.
 * @throws SnapshotError when it is damaged, or of a newer version. The snapshot stays as it is.
 */
export async function verifySnapshot(path: string, { onProgress, signal }: Course): Promise<Manifest> {
  const manifest = manifestOf(path);
  const file = join(path, STORE_FILE);
  const fileDigest = await digestFile(file, (done, total) => onProgress('digested', done, total, 'bytes'), signal);
  refuseOtherBytes(fileDigest, manifest);
  const damagedValues = await verifyContent(file, manifest, { onProgress, signal });
  return { ...manifest, damagedValues };
}

export function refuseOtherBytes(fileDigest: string, manifest: Manifest): void {
  if (fileDigest !== manifest.fileDigest) {
    throw new SnapshotError(`damaged: its ${STORE_FILE} has other bytes than when it was made`);
  }
}

/**
 * @param file A copy of the store that the manifest is of.
 * @returns The count of what is damaged in it, as in its store.
 */
export async function verifyContent(
  file: string,
  manifest: Manifest,
  { onProgress, signal }: Course,
): Promise<number> {
  const onEntries = (done: number, total: number): void => onProgress('verified', done, total, 'entries');
  const { contentDigest: digest, entries, counts, storeFormat } = manifest;
  const { content, damagedValues, format } = await inspectContent(file, entryCountOf(entries), onEntries, signal).catch(
    (error: unknown) => {
      if (!(error instanceof SnapshotError)) throw error;
      throw new SnapshotError(`damaged: ${error.message}`);
    },
  );
  if (!isSameContent(content, { digest, entries, counts }) || format !== storeFormat)
    throw new SnapshotError('damaged: its content is not what its manifest says');
  return damagedValues;
}
