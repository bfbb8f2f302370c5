/** The answers of an owner that are kept for repetitions of their requests: those not yet stored, and the bytes of all. */
import { refuse, refuseLimit, type Refusal } from '../errors.ts';
import { IDEMPOTENCY_RETENTION_MS, type Limits } from '../limits.ts';
import { retentionSlotOf, isSlotBefore } from '../store/retention-slots.ts';
import type { IdempotencyEntry, LoadedOwner, PreparedCommit } from '../store/store.ts';
import type { Repeatable } from './turn.ts';

export class KeptAnswers {
  /** Answers whose commits are not durable yet: the store does not show them. */
  readonly #pending = new Map<string, IdempotencyEntry>();
  #quota = new IdempotencyQuota([]);

  /** @param answerBytes As the owner was loaded with them. */
  reset(answerBytes: LoadedOwner['answerBytes']): void {
    this.#quota = new IdempotencyQuota(answerBytes);
  }

  /**
   * @param stored Reads the store.
   * @returns The first answer to this key, a refusal when the first body differed, undefined for the first request.
   */
  first({ key, bodyDigest }: Repeatable, now: number, stored: () => IdempotencyEntry | undefined): unknown {
    const entry = this.#pending.get(key) ?? stored();
    if (entry === undefined || entry.date + IDEMPOTENCY_RETENTION_MS <= now) return undefined;
    return entry.bodyDigest === bodyDigest ? entry.answer : refuse('idempotencyKeyReused');
  }

  /** Counts the answer that a commit keeps, or refuses the commit when too much is kept for its owner. */
  count(entry: IdempotencyEntry, { answerBytes }: PreparedCommit, { keptAnswerBytesMax }: Limits): Refusal | undefined {
    if (this.#quota.bytesAt(entry.date) + answerBytes > keptAnswerBytesMax) {
      return refuseLimit(`${keptAnswerBytesMax} bytes of answers kept in 24 hours per owner`, 'Idempotency-Key');
    }
    this.#quota.add(entry.date, answerBytes);
    return undefined;
  }

  /** A commit that is under way keeps it. */
  add(entry: IdempotencyEntry): void {
    this.#pending.set(entry.key, entry);
  }

  /** The store has it now. A later answer to the same key, after a clock jump over the retention, stays pending. */
  stored(entry: IdempotencyEntry): void {
    if (this.#pending.get(entry.key) === entry) this.#pending.delete(entry.key);
  }

  /** Nothing that is pending was stored. */
  forgetPending(): void {
    this.#pending.clear();
  }
}

/**
 * How many bytes of answers are kept for one owner's repetitions with an `Idempotency-Key`: the bound is on these.
 *
 * Counted by slots of time, as in the store: a slot leaves the count when its last answer has expired.
 */
class IdempotencyQuota {
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
