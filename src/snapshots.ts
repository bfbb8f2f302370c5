/**
 * Snapshots from the command line: made, listed, verified and restored, beside a running server or without one.
 *
 * What a snapshot is, and how it is made, is in store/snapshots/. Here is what a person is told.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from './base/clock.ts';
import { ownVersion } from './own-version.ts';
import { STORE_FILE } from './store/lmdb-store.ts';
import { createSnapshot, type Course, type Created } from './store/snapshots/create-snapshot.ts';
import { inspectKeys } from './store/snapshots/inspection.ts';
import { restoreSnapshot } from './store/snapshots/restore-snapshot.ts';
import { listSnapshots, snapshotPath, type Listed } from './store/snapshots/snapshot-directory.ts';
import { SnapshotError } from './store/snapshots/snapshot-error.ts';
import { verifySnapshot } from './store/snapshots/verify-snapshot.ts';
import type { ApiKey } from './store/store.ts';

/** Ids of keys that one warning names. */
const KEYS_NAMED_MAX = 10;
const COLUMNS = ['NAME', 'TIME', 'VERSION', 'OWNERS', 'RULES', 'GROUPS', 'MOCKS', 'KEYS', 'BYTES', 'STATE'];

/**
 * @returns The name of the new snapshot, of those that were pruned for it, and what is damaged in it.
 * @throws SnapshotError when it cannot be made.
 */
export async function takeSnapshot(directory: string, keepCount: number | undefined, course: Course): Promise<Created> {
  process.umask(0o077);
  return createSnapshot(directory, { version: await ownVersion(), keepCount, now: systemClock }, course);
}

/** @returns One line per snapshot, the oldest first, columns with tabs between, under a line of their names. */
export function snapshotLines(directory: string): string[] {
  return [COLUMNS, ...listSnapshots(directory).map(row)].map((columns) => columns.join('\t'));
}

/**
 * Verifies one snapshot, or all there are.
 *
 * @param onVerified Called with a line for each.
 * @returns The count of those that are damaged.
 * @throws SnapshotError when there is none.
 */
export async function verifySnapshots(
  directory: string,
  name: string | undefined,
  onVerified: (line: string) => void,
  course: Course,
): Promise<number> {
  const names = name === undefined ? listSnapshots(directory).map((each) => each.name) : [name];
  if (names.length === 0) throw new SnapshotError(`there is no snapshot in ${resolve(directory)}`);
  let damagedCount = 0;
  for (const each of names) {
    const path = snapshotPath(directory, each);
    try {
      const { damagedValues = 0 } = await verifySnapshot(path, course);
      onVerified(`${each}\tverified${damagedValues === 0 ? '' : `, with ${damagedWords(damagedValues)}`}`);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      damagedCount++;
      onVerified(`${each}\t${error.message}`);
    }
  }
  return damagedCount;
}

export interface Restore {
  /** Where the snapshots lie. */
  readonly directory: string;
  readonly name: string;
  /** The new data directory. */
  readonly target: string;
  /** The data directory whose keys are carried over: undefined for the snapshot's own keys. */
  readonly keysOf: string | undefined;
}

/**
 * @param onWarning Called with a line that a person should read.
 * @throws SnapshotError when it cannot be restored; nothing of it is left then.
 */
export async function restore(
  { directory, name, target, keysOf }: Restore,
  onWarning: (line: string) => void,
  course: Course,
): Promise<void> {
  process.umask(0o077);
  const path = snapshotPath(directory, name);
  try {
    const keys = keysOf === undefined ? undefined : await currentKeys(keysOf, course.signal);
    const { time, damagedValues = 0 } = await restoreSnapshot(path, target, keys, course);
    if (damagedValues > 0) onWarning(`what was restored has ${damagedWords(damagedValues)}, as its store had`);
    if (keys === undefined) await warnOfKeys(directory, join(target, STORE_FILE), time, onWarning, course.signal);
  } catch (error) {
    throw error instanceof SnapshotError && /^(damaged|of a newer)/.test(error.message)
      ? new SnapshotError(`the snapshot ${name} is ${error.message}`)
      : error;
  }
}

async function currentKeys(directory: string, signal: AbortSignal): Promise<readonly ApiKey[]> {
  try {
    return await keysIn(directory, signal);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    throw new SnapshotError(
      `cannot read the current keys, so nothing was restored: ${error.message}; without --keep-keys the snapshot's own keys are restored`,
    );
  }
}

async function keysIn(directory: string, signal: AbortSignal): Promise<readonly ApiKey[]> {
  const path = join(directory, STORE_FILE);
  if (!existsSync(path)) throw new SnapshotError(`there is no store in ${resolve(directory)}`);
  return inspectKeys(path, signal);
}

/** A key that was valid then and is not now is valid in what was restored: nobody must find that out from whoever holds it. */
async function warnOfKeys(
  directory: string,
  restored: string,
  time: string,
  onWarning: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const remedy = 'to carry the current keys over, restore with --keep-keys into another directory';
  let current: readonly ApiKey[];
  try {
    current = await keysIn(directory, signal);
  } catch (error) {
    if (!(error instanceof SnapshotError)) throw error;
    const why = error.message;
    return onWarning(`keys that were revoked since ${time} are valid again; which they are cannot be told: ${why}`);
  }
  // Of a key that is damaged, or was when it was revoked, nothing is left to read.
  const valid = new Set(current.filter(isValid).map(({ keyId }) => keyId));
  const again = (await inspectKeys(restored, signal))
    .filter(isValid)
    .map(({ keyId }) => keyId)
    .filter((id) => !valid.has(id));
  if (again.length === 0) return;
  const named = again.slice(0, KEYS_NAMED_MAX).join(', ') + (again.length > KEYS_NAMED_MAX ? ', ...' : '');
  const keys = again.length === 1 ? '1 key that was' : `${again.length} keys that were`;
  onWarning(`${keys} revoked or damaged since ${time} can be used again in what was restored (${named}); ${remedy}`);
}

/** Such as "1 damaged value". */
export function damagedWords(count: number): string {
  return `${count} damaged ${count === 1 ? 'value' : 'values'}`;
}

function isValid({ revocationDate }: ApiKey): boolean {
  return revocationDate === null;
}

function row({ name, manifest, fault }: Listed): readonly (string | number)[] {
  if (manifest === undefined) return [name, ...Array<string>(COLUMNS.length - 2).fill('-'), fault ?? 'damaged'];
  const { time, switchyard, counts, bytes, damagedValues = 0 } = manifest;
  const { owners, rules, groups, mocks, keys } = counts;
  return [
    name,
    time,
    switchyard,
    owners,
    rules,
    groups,
    mocks,
    keys,
    bytes,
    damagedValues === 0 ? 'whole' : damagedWords(damagedValues),
  ];
}
