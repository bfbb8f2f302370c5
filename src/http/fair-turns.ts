/**
 * Shares the event loop among owners: what one owner asks beyond its share of a turn of the loop waits, and owners that wait take turns.
 *
 * A flood over hundreds of connections comes up on one turn of the loop, and without this everybody else would wait until all of it was
 * worked through. The usual load never waits: a request of an owner within its share runs at once, for the price of two looks at the
 * clock. What has begun is not interrupted; loops over many records yield by themselves (base/slices.ts), and what is heavier runs in
 * threads (serving/guarded). The bytes that one owner may have under way bound its share of a commit in the same way.
 */
import { Fifo } from '../base/fifo.ts';
import {
  OWNER_READS_TURN_MS,
  OWNER_BODIES_BYTES_AT_ONCE,
  OWNER_TURN_MS,
  OWNERS_TURN_MS,
  OWNER_WAITING_MAX,
} from '../limits.ts';

interface Work {
  readonly bytes: number;
  readonly run: () => void;
}

interface Share {
  /** Of this turn of the loop. */
  usedMs: number;
  /** Of bodies that are being worked on, until their answer. */
  bytes: number;
  readonly waiting: Fifo<Work>;
}

export class FairTurns {
  /** Owners that are at work, or were on this turn. Whose turn it is next comes first. */
  readonly #shares = new Map<string, Share>();
  #isArmed = false;

  /**
   * Runs work now, or when it is the owner's turn again.
   *
   * @param bytes    Of its body, counted until `settle`; 0 for a read.
   * @param onWait   Called before it waits: what is only valid during this call has to be copied.
   * @returns false when too much of the owner waits; then it will not run.
   */
  take(ownerId: string, bytes: number, run: () => void, onWait?: () => void): boolean {
    let share = this.#shares.get(ownerId);
    if (share === undefined) this.#shares.set(ownerId, (share = { usedMs: 0, bytes: 0, waiting: new Fifo() }));
    const shareMs = bytes === 0 ? OWNER_READS_TURN_MS : OWNER_TURN_MS;
    if (share.waiting.count === 0 && share.usedMs < shareMs && fits(share, bytes)) {
      this.#run(share, { bytes, run });
      // Not for every request: it costs a turn of the loop.
      if (share.usedMs > OWNER_TURN_MS / 4 || this.#shares.size > SHARES_KEPT) this.#arm();
      return true;
    }
    if (share.waiting.count >= OWNER_WAITING_MAX) return false;
    onWait?.();
    share.waiting.push({ bytes, run });
    this.#arm();
    return true;
  }

  /** What was counted for a body is no longer under way. */
  settle(ownerId: string, bytes: number): void {
    const share = this.#shares.get(ownerId);
    if (share === undefined) return;
    share.bytes -= bytes;
    if (share.waiting.count > 0) this.#arm();
  }

  #run(share: Share, { bytes, run }: Work): void {
    const started = performance.now();
    share.bytes += bytes;
    run();
    share.usedMs += performance.now() - started;
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#turn());
  }

  /** After the loop has looked at its connections: owner by owner, until this turn's time is used up. */
  #turn(): void {
    this.#isArmed = false;
    const until = performance.now() + OWNERS_TURN_MS;
    // Those that are moved behind the others come by again when there is time.
    let left = this.#shares.size;
    for (const [ownerId, share] of this.#shares) {
      if (left-- === 0) break;
      share.usedMs = 0;
      const { waiting } = share;
      if (waiting.count === 0) {
        if (share.bytes === 0) this.#shares.delete(ownerId);
        continue;
      }
      if (performance.now() >= until) {
        this.#arm();
        continue;
      }
      for (let next = waiting.peek(); next !== undefined && share.usedMs < OWNER_TURN_MS; next = waiting.peek()) {
        if (!fits(share, next.bytes)) break;
        waiting.shift();
        this.#run(share, next);
      }
      this.#shares.delete(ownerId);
      this.#shares.set(ownerId, share);
      const next = waiting.peek();
      // What does not fit is looked at when something of it is settled.
      if (next !== undefined && fits(share, next.bytes)) this.#arm();
    }
  }
}

/** One body always fits, however large. */
function fits(share: Share, bytes: number): boolean {
  return share.bytes === 0 || share.bytes + bytes <= OWNER_BODIES_BYTES_AT_ONCE;
}

/** Shares of owners that did little are not looked through for each request of another. */
const SHARES_KEPT = 1_000;
