/**
 * `switchyard snapshot`: creates, lists, verifies and restores snapshots, and words the results for a person.
 *
 * A server may run at the same time. The snapshots themselves are the business of store/snapshots/.
 */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { OperatorError } from '../base/operator-error.ts';
import { ownBuild } from '../base/own-build.ts';
import { STORE_FILE } from '../store/lmdb-store.ts';
import { createSnapshot, type TaskControl, type Created } from '../store/snapshots/create-snapshot.ts';
import { inspectKeys } from '../store/check/inspection.ts';
import { restoreSnapshot } from '../store/snapshots/restore-snapshot.ts';
import { listSnapshots, snapshotPath, type ListedSnapshot } from '../store/snapshots/snapshot-directory.ts';
import { SnapshotError, UnusableSnapshotError } from '../store/snapshots/snapshot-error.ts';
import { verifySnapshot } from '../store/snapshots/verify-snapshot.ts';
import { stateOf } from '../model/key-state.ts';
import type { ApiKey } from '../store/store.ts';
import { requireStore } from './require-store.ts';

/** Ids of keys in one warning. */
const KEYS_NAMED_MAX = 10;
const COLUMNS = [
  'NAME',
  'TIME',
  'VERSION',
  'COMMIT',
  'FORMAT',
  'OWNERS',
  'RULES',
  'GROUPS',
  'MOCKS',
  'KEYS',
  'BYTES',
  'STATE',
];

/**
 * @returns The names of the new snapshot and of those that were removed for it, and the damage in it.
 * @throws OperatorError when it cannot be created.
 */
export async function takeSnapshot(
  directory: string,
  keepCount: number | undefined,
  control: TaskControl,
): Promise<Created> {
  process.umask(0o077);
  return createSnapshot(directory, { build: await ownBuild(), keepCount, now: systemClock }, control);
}

/** @returns A line of column names, then one line per snapshot, oldest first, separated by tabs. */
export function snapshotLines(directory: string): string[] {
  return [COLUMNS, ...snapshotsIn(directory).map(row)].map((columns) => columns.join('\t'));
}

/** A directory may have snapshots without a store: it may be lost. @throws OperatorError when it has neither. */
function snapshotsIn(directory: string): ListedSnapshot[] {
  const listed = existsSync(directory) ? listSnapshots(directory) : [];
  if (listed.length === 0) requireStore(directory);
  return listed;
}

/**
 * Verifies one snapshot, or all of a directory.
 *
 * @param onVerified Called with a line for each.
 * @returns How many were verified, and how many of them are damaged.
 * @throws OperatorError when there is no snapshot.
 */
export async function verifySnapshots(
  directory: string,
  name: string | undefined,
  onVerified: (line: string) => void,
  control: TaskControl,
): Promise<{ count: number; damagedCount: number }> {
  const names = name === undefined ? snapshotsIn(directory).map((each) => each.name) : [name];
  if (names.length === 0) throw new OperatorError(`there is no snapshot in ${resolve(directory)}`);
  let damagedCount = 0;
  for (const each of names) {
    const path = snapshotPath(directory, each);
    try {
      const { damagedValues } = await verifySnapshot(path, control);
      onVerified(`${each}\tverified${damagedValues === 0 ? '' : `, with ${formatDamageCount(damagedValues)}`}`);
    } catch (error) {
      if (!(error instanceof SnapshotError)) throw error;
      damagedCount++;
      onVerified(`${each}\t${error.message}`);
    }
  }
  return { count: names.length, damagedCount };
}

interface Restore {
  /** The data directory that has the snapshots. */
  readonly directory: string;
  readonly name: string;
  /** The new data directory. */
  readonly target: string;
  /** The data directory whose current keys replace the snapshot's; undefined keeps the snapshot's. */
  readonly keysOf: string | undefined;
}

/**
 * @param onWarning Called with a line that a person should read.
 * @throws OperatorError when it cannot be restored. Nothing of it is left then.
 */
export async function restore(
  { directory, name, target, keysOf }: Restore,
  onWarning: (line: string) => void,
  control: TaskControl,
): Promise<void> {
  process.umask(0o077);
  const path = snapshotPath(directory, name);
  try {
    const keys = keysOf === undefined ? undefined : await currentKeys(keysOf, control.signal);
    const { time, damagedValues } = await restoreSnapshot(path, target, keys, control);
    if (damagedValues > 0) onWarning(`the restored store has ${formatDamageCount(damagedValues)}, as the original had`);
    if (keys === undefined) await warnOfKeys(directory, join(target, STORE_FILE), time, onWarning, control.signal);
  } catch (error) {
    throw error instanceof UnusableSnapshotError
      ? new OperatorError(`the snapshot ${name} is ${error.message}`)
      : error;
  }
}

async function currentKeys(directory: string, signal: AbortSignal): Promise<readonly ApiKey[]> {
  try {
    return await keysIn(directory, signal);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new OperatorError(
      `cannot read the current keys, so nothing was restored: ${error.message}; without --keep-keys the snapshot's own keys are restored`,
    );
  }
}

async function keysIn(directory: string, signal: AbortSignal): Promise<readonly ApiKey[]> {
  return inspectKeys(requireStore(directory), false, signal);
}

/**
 * A key that was valid at the time of the snapshot and is not now is valid again after the restore: a security risk.
 */
async function warnOfKeys(
  directory: string,
  restored: string,
  time: string,
  onWarning: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const remedy = 'to keep the current keys, restore with --keep-keys into another directory';
  let current: readonly ApiKey[];
  try {
    current = await keysIn(directory, signal);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return onWarning(`keys revoked since ${time} are valid again; they cannot be listed: ${error.message}`);
  }
  // A key that is damaged, or was when it was revoked, has no readable record.
  const now = systemClock();
  const valid = new Set(current.filter((key) => isValid(key, now)).map(({ keyId }) => keyId));
  const again = (await inspectKeys(restored, false, signal))
    .filter((key) => isValid(key, now))
    .map(({ keyId }) => keyId)
    .filter((id) => !valid.has(id));
  if (again.length === 0) return;
  const named = again.slice(0, KEYS_NAMED_MAX).join(', ') + (again.length > KEYS_NAMED_MAX ? ', ...' : '');
  const keys = again.length === 1 ? '1 key' : `${again.length} keys`;
  onWarning(`${keys} revoked or damaged since ${time} can be used again in the restored store (${named}); ${remedy}`);
}

/** Such as "1 damaged value". */
export function formatDamageCount(count: number): string {
  return `${count} damaged ${count === 1 ? 'value' : 'values'}`;
}

function isValid(key: ApiKey, now: number): boolean {
  return stateOf(key, now) === 'valid';
}

function row({ name, manifest, fault }: ListedSnapshot): readonly (string | number)[] {
  if (manifest === undefined) return [name, ...Array<string>(COLUMNS.length - 2).fill('-'), fault ?? 'damaged'];
  const { time, switchyard, commit, storeFormat, counts, bytes, damagedValues } = manifest;
  const { owners, rules, groups, mocks, keys } = counts;
  return [
    name,
    time,
    switchyard,
    commit ?? '-',
    storeFormat,
    owners,
    rules,
    groups,
    mocks,
    keys,
    bytes,
    damagedValues === 0 ? 'whole' : formatDamageCount(damagedValues),
  ];
}
