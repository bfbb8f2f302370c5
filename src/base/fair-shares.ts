/**
 * Shares the event loop among owners: requests of an owner beyond its share of one iteration of the loop wait, and
 * waiting owners are served in rotation. The API process and the egress process have one each.
 *
 * A flood over hundreds of connections arrives in one iteration of the loop, and without this all other owners would
 * wait until it was processed. The usual load never waits: a request of an owner within its share runs at once, at the
 * cost of reading the clock twice. Work is not interrupted once it has begun; loops over many records yield by
 * themselves (base/slices.ts), and heavier work runs in threads (sandbox). The bytes that one owner may have in
 * progress bound its share of a commit in the same way.
 */
import { Fifo } from './fifo.ts';

/** Bytes of one owner's bodies in progress: some tens of milliseconds of a commit that other owners wait for. */
export const OWNER_BODIES_BYTES_AT_ONCE = 4 * 1_048_576;

/** Requests of one owner that wait for its next share. */
export const OWNER_WAITING_MAX = 1_024;

/** The same before a request without a body waits: while it waits, a pipelined second request closes its connection. */
export const OWNER_READS_SHARE_MS = 10;
const OWNERS_SHARE_MS = 4;

/**
 * Work of one owner in one turn of the event loop, after which it waits for its next share, and of all owners that
 * waited. Sixty-four clients that read take half of the first.
 */
export const OWNER_SHARE_MS = 1;

interface Waiting {
  readonly bytes: number;
  readonly work: () => void;
  /** Ascending, over all owners. */
  readonly number: number;
}

interface Share {
  /** In this iteration of the loop. */
  usedMs: number;
  /** Bodies and answers in progress, until their release. */
  bytes: number;
  /** Two queues, since requests without a body pass bodies that do not fit. Absent until something waits: rarely. */
  waitingBodies: Fifo<Waiting> | undefined;
  waitingReads: Fifo<Waiting> | undefined;
}

export class FairShares {
  /** Owners with work now or in this iteration. The first is the next in rotation. */
  readonly #shares = new Map<string, Share>();
  #isArmed = false;
  #waitedCount = 0;

  /**
   * Runs work now, or when the owner has a share again.
   *
   * @param bytes  Of its body, counted until `release`; 0 for a request without one, such as a read, which does not
   *               wait for a body that does not fit.
   * @param onWait Called before it waits: data that is only valid during this call has to be copied.
   * @returns false when too many requests of the owner wait; then it will not run.
   */
  run(ownerId: string, bytes: number, work: () => void, onWait?: () => void): boolean {
    let share = this.#shares.get(ownerId);
    if (share === undefined) this.#shares.set(ownerId, (share = newShare()));
    const bodiesCount = share.waitingBodies?.count ?? 0;
    const shareMs = bytes === 0 ? OWNER_READS_SHARE_MS : OWNER_SHARE_MS;
    const mayPass = nextQueue(share) === undefined && (bytes === 0 || bodiesCount === 0);
    if (mayPass && share.usedMs < shareMs && fits(share, bytes)) {
      this.#runWork(share, bytes, work);
      // Not for every request: it costs an iteration of the loop.
      if (share.usedMs > OWNER_SHARE_MS / 4 || this.#shares.size > SHARES_KEPT) this.#arm();
      return true;
    }
    if (bodiesCount + (share.waitingReads?.count ?? 0) >= OWNER_WAITING_MAX) return false;
    onWait?.();
    const waiting = { bytes, work, number: ++this.#waitedCount };
    if (bytes === 0) (share.waitingReads ??= new Fifo()).push(waiting);
    else (share.waitingBodies ??= new Fifo()).push(waiting);
    this.#arm();
    return true;
  }

  /** The work on a body has ended. */
  release(ownerId: string, bytes: number): void {
    const share = this.#shares.get(ownerId);
    if (share === undefined) return;
    share.bytes -= bytes;
    if (nextQueue(share) !== undefined) this.#arm();
  }

  #runWork(share: Share, bytes: number, work: () => void): void {
    const started = performance.now();
    share.bytes += bytes;
    try {
      work();
    } finally {
      share.usedMs += performance.now() - started;
    }
  }

  #arm(): void {
    if (this.#isArmed) return;
    this.#isArmed = true;
    setImmediate(() => this.#nextIteration());
  }

  /** After the loop has polled its connections. */
  #nextIteration(): void {
    this.#isArmed = false;
    let isWhole = false;
    try {
      this.#runWaiting();
      isWhole = true;
    } finally {
      // An error in one owner's work must not leave the others waiting.
      if (!isWhole) this.#arm();
    }
  }

  /** Owner by owner, until the time of this iteration is used up. */
  #runWaiting(): void {
    const until = performance.now() + OWNERS_SHARE_MS;
    // Owners that are moved to the end are reached again in the next iteration.
    let left = this.#shares.size;
    for (const [ownerId, share] of this.#shares) {
      if (left-- === 0) break;
      share.usedMs = 0;
      if (nextQueue(share) === undefined) {
        // What does not fit is tried again at the next release.
        if (share.bytes === 0) this.#shares.delete(ownerId);
        continue;
      }
      if (performance.now() >= until) {
        this.#arm();
        continue;
      }
      while (share.usedMs < OWNER_SHARE_MS) {
        const next = nextQueue(share)?.shift();
        if (next === undefined) break;
        this.#runWork(share, next.bytes, next.work);
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

/** The queue whose first entry is the oldest that fits; undefined when none does. */
function nextQueue(share: Share): Fifo<Waiting> | undefined {
  const body = share.waitingBodies?.peek();
  const read = share.waitingReads?.peek();
  const isBodyNext = body !== undefined && (read === undefined || body.number < read.number) && fits(share, body.bytes);
  if (isBodyNext) return share.waitingBodies;
  return read && share.waitingReads;
}

/** A request without a body always fits, and so does a single body, however large. */
function fits(share: Share, bytes: number): boolean {
  return bytes === 0 || share.bytes === 0 || share.bytes + bytes <= OWNER_BODIES_BYTES_AT_ONCE;
}

/** Up to here, idle shares are not cleaned up after each request. */
const SHARES_KEPT = 1_000;
