/**
 * The directory of snapshots: each is a directory named by its time, with the store's file and a manifest.
 *
 * A snapshot exists once it has its name. Directories in the making and in removal have names that begin with a dot;
 * when no process is making or removing one, such a directory was left by a process that was killed.
 */
import { lstatSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { randomId } from '../../base/random-id.ts';
import { syncPath } from './durable-files.ts';
import { STORE_FILE } from '../lmdb-store.ts';
import { readManifest, type Manifest } from './manifest.ts';
import { SnapshotError, UnusableSnapshotError } from './snapshot-error.ts';

const NAME = /^snapshot-\d{8}T\d{6}Z-[0-9a-z]{6}$/;
const MAKING = '.making-';
const REMOVING = '.removing-';
/** The temporary directory of a restore, until the store has its name. */
export const RESTORING = '.restoring-';

export interface ListedSnapshot {
  readonly name: string;
  /** Undefined when the snapshot cannot be used; `fault` says why. */
  readonly manifest: Manifest | undefined;
  readonly fault: string | undefined;
}

/** @param time Milliseconds since the Unix epoch. */
export function newName(time: number): string {
  const stamp = new Date(time).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return `snapshot-${stamp}-${randomId(6)}`;
}

/** The temporary directory of a snapshot, before it gets its name. */
export function makingPath(directory: string): string {
  return join(directory, `${MAKING}${randomId(12)}`);
}

/** @throws SnapshotError when no snapshot has this name. */
export function snapshotPath(directory: string, name: string): string {
  const path = join(directory, name);
  if (!NAME.test(name) || !isDirectory(path)) {
    throw new SnapshotError(`no snapshot ${JSON.stringify(name)} in ${resolve(directory)}`);
  }
  return path;
}

/** All snapshots, also those that cannot be used: the oldest first. Reads only the manifests. */
export function listSnapshots(directory: string): ListedSnapshot[] {
  const names = namesIn(directory).filter((name) => NAME.test(name) && isDirectory(join(directory, name)));
  return names.map((name) => listed(directory, name)).toSorted((one, other) => compare(orderOf(one), orderOf(other)));
}

/**
 * Reads a snapshot's manifest, and checks the length of the store's file without reading it.
 *
 * @throws UnusableSnapshotError when the snapshot is damaged, or of a version that is not read.
 */
export function manifestOf(path: string): Manifest {
  const manifest = readManifest(path);
  const bytes = statSync(join(path, STORE_FILE), { throwIfNoEntry: false })?.size;
  if (bytes === undefined) throw new UnusableSnapshotError(`damaged: its ${STORE_FILE} is missing`);
  if (bytes !== manifest.bytes) {
    throw new UnusableSnapshotError(`damaged: its ${STORE_FILE} has ${bytes} bytes instead of ${manifest.bytes}`);
  }
  return manifest;
}

/** Gives a snapshot its name, durably: from then on it exists. */
export function giveName(making: string, directory: string, name: string): void {
  syncPath(making);
  renameSync(making, join(directory, name));
  syncPath(directory);
}

/**
 * Removes what killed processes left. Call it only while no other process makes or removes snapshots, and in a
 * directory that has a store: then no restore into it is running.
 */
export function removeLeftovers(directory: string): void {
  for (const name of namesIn(directory)) {
    if ([MAKING, REMOVING, RESTORING].some((prefix) => name.startsWith(prefix)))
      rmSync(join(directory, name), { recursive: true, force: true });
  }
}

/**
 * Removes the oldest usable snapshots, so that `keepCount` stay. `newest` always stays: the clock may have been set
 * back.
 *
 * @returns The names of the removed snapshots.
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

function listed(directory: string, name: string): ListedSnapshot {
  try {
    return { name, manifest: manifestOf(join(directory, name)), fault: undefined };
  } catch (error) {
    return { name, manifest: undefined, fault: (error as Error).message };
  }
}

/** Sorts by the time of the content, to the millisecond; by the name where the manifest cannot be read. */
function orderOf({ name, manifest }: ListedSnapshot): string {
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
