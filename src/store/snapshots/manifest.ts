/**
 * The manifest of a snapshot: what it is of, and what tells it from a damaged one.
 *
 * It is written last, when the copy beside it has been verified. Its own digest tells an edited or torn one.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { STORE_FORMAT } from '../codec/form.ts';
import type { Counts } from './content.ts';
import { SnapshotError } from './snapshot-error.ts';

/** Raised when a field changes its meaning. */
const MANIFEST_FORM = 1;
export const MANIFEST_FILE = 'manifest.json';

export interface Manifest {
  readonly form: number;
  /** Version of Switchyard that made it. */
  readonly switchyard: string;
  readonly storeFormat: number;
  /** The moment it shows: ISO 8601, UTC. */
  readonly time: string;
  readonly counts: Counts;
  /** Count of entries by table. */
  readonly entries: Readonly<Record<string, number>>;
  /** Count of what was damaged in the store already (check-content.ts); older versions looked at less, or at nothing. */
  readonly damagedValues?: number;
  /** Of the store's file. */
  readonly bytes: number;
  /** SHA-256 of the store's file. */
  readonly fileDigest: string;
  /** SHA-256 of the content (content.ts). */
  readonly contentDigest: string;
}

/** @returns The text of the manifest's file. */
export function encodeManifest(fields: Omit<Manifest, 'form'>): string {
  const manifest: Manifest = { form: MANIFEST_FORM, ...fields };
  return `${JSON.stringify({ ...manifest, manifestDigest: digestOf(manifest) }, null, 2)}\n`;
}

/** @throws SnapshotError when it is missing, damaged, or of a newer version. */
export function readManifest(directory: string): Manifest {
  const path = join(directory, MANIFEST_FILE);
  let parsed: Partial<Manifest> & { manifestDigest?: unknown };
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8')) as typeof parsed;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new SnapshotError(`damaged: its manifest is ${isMissing ? 'missing' : 'not readable'}`);
  }
  const { manifestDigest, ...manifest } = Object(parsed) as Manifest & { manifestDigest?: unknown };
  if (manifestDigest !== digestOf(manifest)) throw new SnapshotError('damaged: its manifest was changed');
  if (manifest.form > MANIFEST_FORM || manifest.storeFormat > STORE_FORMAT) {
    throw new SnapshotError(
      `of a newer format (${manifest.storeFormat}, of Switchyard ${manifest.switchyard}; this version reads up to ${STORE_FORMAT}): use a newer Switchyard`,
    );
  }
  return manifest;
}

/** In the order in which the fields stand: the file keeps it. */
function digestOf(manifest: object): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}
