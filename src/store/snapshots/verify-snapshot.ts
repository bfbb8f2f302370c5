/** Verifies a snapshot against its manifest: first the digest of its bytes, then its content as LMDB reads it. */
import { join } from 'node:path';
import { STORE_FILE } from '../lmdb-store.ts';
import { entryCountOf, isSameContent } from '../check/content.ts';
import type { TaskControl } from './create-snapshot.ts';
import { digestFile } from './durable-files.ts';
import { InspectionError, inspectCopy } from '../check/inspection.ts';
import type { Manifest } from './manifest.ts';
import { manifestOf } from './snapshot-directory.ts';
import { UnusableSnapshotError } from './snapshot-error.ts';

/**
 * @returns Its manifest, with the count of damage in it, which its store had already.
 * @throws UnusableSnapshotError when it is damaged, or of a version that is not read. The snapshot stays as it is.
 */
export async function verifySnapshot(path: string, { onProgress, signal }: TaskControl): Promise<Manifest> {
  const manifest = manifestOf(path);
  const file = join(path, STORE_FILE);
  const fileDigest = await digestFile(file, (done, total) => onProgress('digested', done, total, 'bytes'), signal);
  refuseWrongDigest(fileDigest, manifest);
  const damagedValues = await verifyContent(file, manifest, { onProgress, signal });
  return { ...manifest, damagedValues };
}

export function refuseWrongDigest(fileDigest: string, manifest: Manifest): void {
  if (fileDigest !== manifest.fileDigest) {
    throw new UnusableSnapshotError(`damaged: the digest of its ${STORE_FILE} does not match its manifest`);
  }
}

/**
 * @param file A copy of the store that the manifest describes.
 * @returns The count of damage in it, which its store had already.
 * @throws UnusableSnapshotError when the content does not match.
 */
export async function verifyContent(
  file: string,
  manifest: Manifest,
  { onProgress, signal }: TaskControl,
): Promise<number> {
  const onEntries = (done: number, total: number): void => onProgress('verified', done, total, 'entries');
  const { contentDigest: digest, entries, counts, storeFormat } = manifest;
  const { content, damagedValues, format } = await inspectCopy(file, entryCountOf(entries), onEntries, signal).catch(
    (error: unknown) => {
      if (!(error instanceof InspectionError)) throw error;
      throw new UnusableSnapshotError(`damaged: ${error.message}`);
    },
  );
  if (!isSameContent(content, { digest, entries, counts }) || format !== storeFormat)
    throw new UnusableSnapshotError('damaged: its content does not match its manifest');
  return damagedValues;
}
