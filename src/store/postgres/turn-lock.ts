/** The lock of PostgreSQL that nodes take in turn to write to one owner, as parts of statements. */

/** The first number of locks with two numbers, which nobody else uses. */
const TURNS = 1;

/** The number of an owner's lock. Two owners may have the same: then their writers take turns, too. */
export function lockOf(ownerId: string): number {
  let hash = 0;
  for (let index = 0; index < ownerId.length; index++) hash = (hash * 31 + ownerId.charCodeAt(index)) | 0;
  return hash;
}

/** Waits for an owner's lock, which the transaction then has until its end. */
export function takeLock(ownerId: string): string {
  return `select pg_advisory_xact_lock(${TURNS}, ${lockOf(ownerId)})`;
}

/** A condition: another session has a lock or waits for it. @param lock An expression for its number. */
export function isAwaited(lock: string): string {
  return `not pg_try_advisory_xact_lock_shared(${TURNS}, ${lock})`;
}
