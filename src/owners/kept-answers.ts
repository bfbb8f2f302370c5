/**
 * How many bytes of answers one owner has kept for repetitions with an `Idempotency-Key`, so that there is an end to them.
 *
 * Counted by slots of time, as the store counts them: a slot leaves the count when the last answer of it has expired.
 */
import { IDEMPOTENCY_RETENTION_MS } from '../limits.ts';
import { answerSlotOf, isSlotBefore } from '../store/answer-slots.ts';

export class KeptAnswers {
  readonly #bytesBySlot: Map<number, number>;

  /** @param stored What the store has counted, by slot. */
  constructor(stored: Iterable<readonly [slot: number, bytes: number]>) {
    this.#bytesBySlot = new Map(stored);
  }

  /** Of the answers that have not expired, and of those that have within the last slot. There are some 26 slots. */
  bytesAt(now: number): number {
    let sum = 0;
    for (const [slot, bytes] of this.#bytesBySlot) {
      if (isSlotBefore(slot, now - IDEMPOTENCY_RETENTION_MS)) this.#bytesBySlot.delete(slot);
      else sum += bytes;
    }
    return sum;
  }

  add(date: number, bytes: number): void {
    const slot = answerSlotOf(date);
    this.#bytesBySlot.set(slot, (this.#bytesBySlot.get(slot) ?? 0) + bytes);
  }
}
