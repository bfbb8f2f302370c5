/**
 * How many bytes of answers are kept for one owner's repetitions with an `Idempotency-Key`: the bound is on these.
 *
 * Counted by slots of time, as in the store: a slot leaves the count when its last answer has expired.
 */
import { IDEMPOTENCY_RETENTION_MS } from '../limits.ts';
import { retentionSlotOf, isSlotBefore } from '../store/retention-slots.ts';

export class IdempotencyQuota {
  readonly #bytesBySlot: Map<number, number>;

  /** @param stored The store's counts, by slot. */
  constructor(stored: Iterable<readonly [slot: number, bytes: number]>) {
    this.#bytesBySlot = new Map(stored);
  }

  /** Bytes of the answers that have not expired, or did within the last slot. There are some 26 slots. */
  bytesAt(now: number): number {
    let sum = 0;
    for (const [slot, bytes] of this.#bytesBySlot) {
      if (isSlotBefore(slot, now - IDEMPOTENCY_RETENTION_MS)) this.#bytesBySlot.delete(slot);
      else sum += bytes;
    }
    return sum;
  }

  add(date: number, bytes: number): void {
    const slot = retentionSlotOf(date);
    this.#bytesBySlot.set(slot, (this.#bytesBySlot.get(slot) ?? 0) + bytes);
  }
}
