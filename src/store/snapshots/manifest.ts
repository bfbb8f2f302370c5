/**
 * The manifest of a snapshot: what the snapshot holds, and the digests that detect damage.
 *
 * It is written last, when the copy next to it has been verified. Its own digest detects an edited or truncated
 * manifest.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unreadableFormat } from '../store-format.ts';
import type { Counts } from '../check/content.ts';
import { UnusableSnapshotError } from './snapshot-error.ts';

/** Raised when the meaning of a field changes. */
const MANIFEST_FORMAT = 1;
export const MANIFEST_FILE = 'manifest.json';

export interface Manifest {
  readonly form: number;
  /** Version of Switchyard that made it. */
  readonly switchyard: string;
  /** The commit that this version was built of; absent in older snapshots. */
  readonly commit?: string | null;
  readonly storeFormat: number;
  /** Time of the snapshot's content: ISO 8601, UTC. */
  readonly time: string;
  readonly counts: Counts;
  /** Count of entries by table. */
  readonly entries: Readonly<Record<string, number>>;
  /** Count of damage that the store had already (check-content.ts). */
  readonly damagedValues: number;
  /** Length of the store's file. */
  readonly bytes: number;
  /** SHA-256 of the store's file. */
  readonly fileDigest: string;
  /** SHA-256 of the content (content.ts). */
  readonly contentDigest: string;
}

/** @returns The text of the manifest's file. */
export function encodeManifest(fields: Omit<Manifest, 'form'>): string {
  const manifest: Manifest = { form: MANIFEST_FORMAT, ...fields };
  return `${JSON.stringify({ ...manifest, manifestDigest: digestOf(manifest) }, null, 2)}\n`;
}

/** @throws UnusableSnapshotError when it is missing, damaged, or of a version that is not read. */
export function readManifest(directory: string): Manifest {
  const path = join(directory, MANIFEST_FILE);
  let parsed: Partial<Manifest> & { manifestDigest?: unknown };
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8')) as typeof parsed;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UnusableSnapshotError(`damaged: its manifest is ${isMissing ? 'missing' : 'not readable'}`);
  }
  const { manifestDigest, ...manifest } = Object(parsed) as Manifest & { manifestDigest?: unknown };
  if (manifestDigest !== digestOf(manifest)) throw new UnusableSnapshotError('damaged: its manifest was changed');
  const { form, storeFormat, switchyard } = manifest;
  if (form > MANIFEST_FORMAT)
    throw new UnusableSnapshotError(`of a newer format, of Switchyard ${switchyard}: use a newer Switchyard`);
  const problem = unreadableFormat(storeFormat);
  if (problem !== undefined) throw new UnusableSnapshotError(`of Switchyard ${switchyard}: ${problem}`);
  return manifest;
}

/** Depends on the order of the fields, which the file keeps. */
function digestOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
