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

interface Waiting {
  readonly bytes: number;
  readonly run: () => void;
  /** Counts up, over all owners. */
  readonly number: number;
}

interface Share {
  /** Of this turn of the loop. */
  usedMs: number;
  /** Of bodies that are being worked on, until they are settled. */
  bytes: number;
  /** Two, since what has no body passes bodies that do not fit. Absent until something waits: of most owners nothing ever does. */
  waitingBodies: Fifo<Waiting> | undefined;
  waitingReads: Fifo<Waiting> | undefined;
}

export class FairTurns {
  /** Owners that are at work, or were on this turn. Whose turn it is next comes first. */
  readonly #shares = new Map<string, Share>();
  #isArmed = false;
  #waitedCount = 0;

  /**
   * Runs work now, or when it is the owner's turn again.
   *
   * @param bytes    Of its body, counted until `settle`; 0 for what has none, such as a read, which waits for no body that does not fit.
   * @param onWait   Called before it waits: what is only valid during this call has to be copied.
   * @returns false when too much of the owner waits; then it will not run.
   */
  take(ownerId: string, bytes: number, run: () => void, onWait?: () => void): boolean {
    let share = this.#shares.get(ownerId);
    if (share === undefined) this.#shares.set(ownerId, (share = newShare()));
    const bodiesCount = share.waitingBodies?.count ?? 0;
    const shareMs = bytes === 0 ? OWNER_READS_TURN_MS : OWNER_TURN_MS;
    const mayPass = nextQueue(share) === undefined && (bytes === 0 || bodiesCount === 0);
    if (mayPass && share.usedMs < shareMs && fits(share, bytes)) {
      this.#run(share, bytes, run);
      // Not for every request: it costs a turn of the loop.
      if (share.usedMs > OWNER_TURN_MS / 4 || this.#shares.size > SHARES_KEPT) this.#arm();
      return true;
    }
    if (bodiesCount + (share.waitingReads?.count ?? 0) >= OWNER_WAITING_MAX) return false;
    onWait?.();
    const waiting = { bytes, run, number: ++this.#waitedCount };
    if (bytes === 0) (share.waitingReads ??= new Fifo()).push(waiting);
    else (share.waitingBodies ??= new Fifo()).push(waiting);
    this.#arm();
    return true;
  }

  /** What was counted for a body is no longer under way. */
  settle(ownerId: string, bytes: number): void {
    const share = this.#shares.get(ownerId);
    if (share === undefined) return;
    share.bytes -= bytes;
    if (nextQueue(share) !== undefined) this.#arm();
  }

  #run(share: Share, bytes: number, run: () => void): void {
    const started = performance.now();
    share.bytes += bytes;
    try {
      run();
    } finally {
      share.usedMs += performance.now() - started;
    }
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#turn());
  }

  /** After the loop has looked at its connections. */
  #turn(): void {
    this.#isArmed = false;
    let isWhole = false;
    try {
      this.#runWaiting();
      isWhole = true;
    } finally {
      // A bug in what one asked must not leave the others waiting.
      if (!isWhole) this.#arm();
    }
  }

  /** Owner by owner, until this turn's time is used up. */
  #runWaiting(): void {
    const until = performance.now() + OWNERS_TURN_MS;
    // Those that are moved behind the others come by again when there is time.
    let left = this.#shares.size;
    for (const [ownerId, share] of this.#shares) {
      if (left-- === 0) break;
      share.usedMs = 0;
      if (nextQueue(share) === undefined) {
        // What does not fit is looked at when something of it is settled.
        if (share.bytes === 0) this.#shares.delete(ownerId);
        continue;
      }
      if (performance.now() >= until) {
        this.#arm();
        continue;
      }
      while (share.usedMs < OWNER_TURN_MS) {
        const next = nextQueue(share)?.shift();
        if (next === undefined) break;
        this.#run(share, next.bytes, next.run);
      }
      this.#shares.delete(ownerId);
      this.#shares.set(ownerId, share);
      if (nextQueue(share) !== undefined) this.#arm();
    }
  }
}

function newShare(): Share {
  return { usedMs: 0, bytes: 0, waitingBodies: undefined, waitingReads: undefined };
}

/** Whose first is the oldest that fits; undefined when nothing that waits does. */
function nextQueue(share: Share): Fifo<Waiting> | undefined {
  const body = share.waitingBodies?.peek();
  const read = share.waitingReads?.peek();
  const isBodyNext = body !== undefined && (read === undefined || body.number < read.number) && fits(share, body.bytes);
  if (isBodyNext) return share.waitingBodies;
  return read && share.waitingReads;
}

/** One body always fits, however large; and what has none. */
function fits(share: Share, bytes: number): boolean {
  return bytes === 0 || share.bytes === 0 || share.bytes + bytes <= OWNER_BODIES_BYTES_AT_ONCE;
}

/** Shares of owners that did little are not looked through for each request of another. */
const SHARES_KEPT = 1_000;
