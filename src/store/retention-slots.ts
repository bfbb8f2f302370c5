/**
 * Time slots in which the bytes of stored idempotency answers are counted.
 *
 * An owner has one number per slot instead of one per answer: loading an owner reads some 26 of them, and expired
 * answers need no bookkeeping.
 */
import { RETENTION_SLOT_MS } from '../limits.ts';
import type { EncodedCommit } from './codec/encoded-commit.ts';
import { isDamaged, type DamagedKey } from './tables/table-keys.ts';

/** @param date Milliseconds since the Unix epoch. */
export function retentionSlotOf(date: number): number {
  return Math.floor(date / RETENTION_SLOT_MS);
}

/**
 * @param before Bytes of a slot without these commits.
 * @returns Bytes of the affected slots with these commits.
 */
export function countAnswers(
  commits: readonly Pick<EncodedCommit, 'idempotency' | 'answerBytes'>[],
  before: (slot: number) => number,
): Map<number, number> {
  const counted = new Map<number, number>();
  for (const { idempotency, answerBytes } of commits) {
    if (idempotency === undefined) continue;
    const slot = retentionSlotOf(idempotency.date);
    counted.set(slot, (counted.get(slot) ?? before(slot)) + answerBytes);
  }
  return counted;
}

/** Whether a stored value can be the count of a slot: it has no checksum. */
export function isByteCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

/** @throws Error when a key or a count is invalid. */
export function slotsIn(
  entries: Iterable<{ readonly key: [string, number] | DamagedKey; readonly value: unknown }>,
): [slot: number, bytes: number][] {
  return Array.from(entries, ({ key, value }) => {
    if (isDamaged(key) || !isByteCount(value)) throw new Error('invalid byte count of its idempotency answers');
    return [key[1], value];
  });
}

/** Whether all of a slot lies before a date. */
export function isSlotBefore(slot: number, date: number): boolean {
  return (slot + 1) * RETENTION_SLOT_MS <= date;
}
