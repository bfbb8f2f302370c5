/**
 * Slots of time in which the bytes of kept answers are counted.
 *
 * One number for each slot of an owner, rather than one for each answer: an owner is loaded with some 26 of them, and what expires needs
 * no account of its own.
 */
import { ANSWER_SLOT_MS } from '../limits.ts';
import type { EncodedCommit } from './codec/encoded-commit.ts';
import { isDamaged, type DamagedKey } from './table-keys.ts';

/** @param date Milliseconds since the Unix epoch. */
export function answerSlotOf(date: number): number {
  return Math.floor(date / ANSWER_SLOT_MS);
}

/**
 * @param before What a slot holds without them.
 * @returns What the slots of their answers hold with them.
 */
export function countAnswers(
  commits: readonly Pick<EncodedCommit, 'idempotency' | 'answerBytes'>[],
  before: (slot: number) => number,
): Map<number, number> {
  const counted = new Map<number, number>();
  for (const { idempotency, answerBytes } of commits) {
    if (idempotency === undefined) continue;
    const slot = answerSlotOf(idempotency.date);
    counted.set(slot, (counted.get(slot) ?? before(slot)) + answerBytes);
  }
  return counted;
}

/** Whether what is stored of a slot is what it must be: it has no checksum of its own. */
export function isByteCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}

/** @throws Error when one of the numbers is none. */
export function slotsIn(
  entries: Iterable<{ readonly key: [string, number] | DamagedKey; readonly value: unknown }>,
): [slot: number, bytes: number][] {
  return Array.from(entries, ({ key, value }) => {
    if (isDamaged(key) || !isByteCount(value)) throw new Error('a count of the bytes of its kept answers is none');
    return [key[1], value];
  });
}

/** Whether all of a slot lies before a date. */
export function isSlotBefore(slot: number, date: number): boolean {
  return (slot + 1) * ANSWER_SLOT_MS <= date;
}
