/** `switchyard keys`: creates, lists and revokes API keys in short transactions. A server may run at the same time. */
import { systemClock } from '../base/clock.ts';
import { issueKey, type NewKey } from '../store/issue-key.ts';
import { stateOf } from '../model/key-state.ts';
import { requirePlace } from './require-store.ts';
import { withStore } from './with-store.ts';

/**
 * @param makesStore Whether the store and its place are created where they are missing.
 * @returns The text of the whole key, which cannot be shown again.
 */
export async function createKey(place: string, key: NewKey, makesStore = true): Promise<string> {
  if (!makesStore) requirePlace(place, 'name its place with --data, or create it with --new');
  return withStore(place, (store) => issueKey(store.keys, key, systemClock));
}

const COLUMNS = ['KEYID', 'OWNER', 'USER', 'ROLE', 'CREATED', 'REVOKED', 'EXPIRES', 'ORIGIN', 'STATE'];

/** @returns A line of column names, then one line per key, separated by tabs. Of a damaged key only the id is known. */
export async function listKeys(place: string): Promise<string[]> {
  requirePlace(place);
  const [keys, damagedIds] = await withStore(
    place,
    async (store) => [store.keys.list(), store.keys.damagedIds()] as const,
  );
  const now = systemClock();
  const rows = keys.map((key) => [
    key.keyId,
    key.ownerId,
    key.userId,
    key.role,
    shownDate(key.creationDate),
    shownDate(key.revocationDate),
    shownDate(key.expiresAt ?? null),
    key.origin,
    stateOf(key, now),
  ]);
  // In every column: a dash under REVOKED would mean that the key is valid.
  const damaged = damagedIds.map((keyId) => [keyId, ...Array<string>(COLUMNS.length - 1).fill('damaged')]);
  return [COLUMNS, ...rows, ...damaged].map((row) => row.join('\t'));
}

function shownDate(date: number | null): string {
  return date === null ? '-' : new Date(date).toISOString();
}

/** @returns Whether the key exists. Revoking it again changes nothing. */
export async function revokeKey(place: string, keyId: string): Promise<boolean> {
  requirePlace(place);
  return withStore(place, (store) => store.keys.revoke(keyId, systemClock()));
}
