/**
 * Slots of time in which the bytes of kept answers are counted.
 *
 * One number for each slot of an owner, rather than one for each answer: an owner is loaded with some 26 of them, and what expires needs
 * no account of its own.
 */
import { ANSWER_SLOT_MS } from '../limits.ts';

/** @param date Milliseconds since the Unix epoch. */
export function answerSlotOf(date: number): number {
  return Math.floor(date / ANSWER_SLOT_MS);
}

/** Whether all of a slot lies before a date. */
export function isSlotBefore(slot: number, date: number): boolean {
  return (slot + 1) * ANSWER_SLOT_MS <= date;
}
