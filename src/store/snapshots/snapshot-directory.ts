/**
 * Where snapshots lie: each in a directory of its own in the data directory, named by its time, with the store's file and a manifest.
 *
 * A snapshot counts once it has its name. What is being made, and what is being removed, has a name that begins with a dot; found
 * while nobody makes or removes one, it was left by a process that was killed.
 */
import { lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { randomId } from '../../base/random-id.ts';
import { syncPath } from './durable-files.ts';
import { STORE_FILE } from '../lmdb-store.ts';
import { readManifest, type Manifest } from './manifest.ts';
import { SnapshotError } from './snapshot-error.ts';

const NAME = /^snapshot-\d{8}T\d{6}Z-[0-9a-z]{6}$/;
const MAKING = '.making-';
const REMOVING = '.removing-';
/** What a restore makes, until the store has its name. */
export const RESTORING = '.restoring-';

export interface Listed {
  readonly name: string;
  /** Undefined when the snapshot does not count; `fault` says why. */
  readonly manifest: Manifest | undefined;
  readonly fault: string | undefined;
}

/** @param time Milliseconds since the Unix epoch. */
export function newName(time: number): string {
  const stamp = new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `snapshot-${stamp}-${randomId(6)}`;
}

/** Where a snapshot is made before it gets its name. */
export function makingPath(directory: string): string {
  return join(directory, `${MAKING}${randomId(12)}`);
}

/** @throws SnapshotError when there is no snapshot of this name. */
export function snapshotPath(directory: string, name: string): string {
  const path = join(directory, name);
  if (!NAME.test(name) || !isDirectory(path)) {
    throw new SnapshotError(`there is no snapshot ${JSON.stringify(name)} in ${resolve(directory)}`);
  }
  return path;
}

/** What counts, and what looks like it: the oldest first. Reads manifests alone. */
export function listSnapshots(directory: string): Listed[] {
  const names = namesIn(directory).filter((name) => NAME.test(name) && isDirectory(join(directory, name)));
  return names.map((name) => listed(directory, name)).toSorted((one, other) => compare(orderOf(one), orderOf(other)));
}

/**
 * Looks at what can be told without reading the store's file.
 *
 * @throws SnapshotError when it is damaged, or of a newer version.
 */
export function manifestOf(path: string): Manifest {
  const manifest = readManifest(path);
  const bytes = statSync(join(path, STORE_FILE), { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw new SnapshotError(`damaged: its ${STORE_FILE} is missing`);
  if (bytes !== manifest.bytes) {
    throw new SnapshotError(`damaged: its ${STORE_FILE} has ${bytes} bytes, and had ${manifest.bytes}`);
  }
  return manifest;
}

/** Gives a snapshot its name, durably: from here on it counts. */
export function giveName(making: string, directory: string, name: string): void {
  syncPath(making);
  renameSync(making, join(directory, name));
  syncPath(directory);
}

/**
 * Removes what was left by processes that were killed. Only while nobody else makes or removes snapshots, and where there is a store: one
 * that is restored has its name then.
 */
export function removeLeftovers(directory: string): void {
  for (const name of namesIn(directory)) {
    if ([MAKING, REMOVING, RESTORING].some((prefix) => name.startsWith(prefix)))
      rmSync(join(directory, name), { recursive: true, force: true });
  }
}

/**
 * Removes the oldest of those that count, so that `keepCount` stay. `newest` stays in any case: the clock may have been set back.
 *
 * @returns The names of what was removed.
 */
export function pruneSnapshots(directory: string, keepCount: number, newest: string): string[] {
  const older = listSnapshots(directory).filter(({ name, manifest }) => manifest !== undefined && name !== newest);
  const removed = older.slice(0, Math.max(0, older.length - (keepCount - 1))).map(({ name }) => name);
  for (const name of removed) {
    const removing = join(directory, REMOVING + name);
    renameSync(join(directory, name), removing);
    rmSync(removing, { recursive: true, force: true });
  }
  return removed;
}

function listed(directory: string, name: string): Listed {
  try {
    return { name, manifest: manifestOf(join(directory, name)), fault: undefined };
  } catch (error) {
    return { name, manifest: undefined, fault: (error as Error).message };
  }
}

/** By the moment it shows, to the millisecond; the name stands in for it where the manifest cannot be read. */
function orderOf({ name, manifest }: Listed): string {
  return `${manifest?.time.replaceAll(/[-:]/g, '') ?? name.slice('snapshot-'.length)} ${name}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    throw new SnapshotError(`cannot read the directory ${resolve(directory)}: ${(error as Error).message}`);
  }
}
