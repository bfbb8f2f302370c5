/**
 * Shares the event loop of a process among owners (owner-turns.ts), and bounds the bytes that one owner has in progress there: its bodies
 * and answers from their turn until their release, which bound its share of a commit. The API process and the egress process have one each.
 */
import { Fifo } from './fifo.ts';
import { OwnerTurns } from './owner-turns.ts';
import { type Account } from './owner-account.ts';

/**
 * Request bodies of one owner processed at a time; others wait. (shown: Shared capacity) Some tens of milliseconds of a commit
 * that other owners wait for.
 */
export const OWNER_BODIES_BYTES_AT_ONCE = 4 * 1_048_576;
/** Requests of one owner that wait; then 503. (shown: Shared capacity) */
export const OWNER_REQUESTS_WAITING_MAX = 1_024;

interface Body {
  readonly bytes: number;
  readonly work: () => void;
}

/** An owner's bodies and answers in progress. */
interface InProgress {
  bytes: number;
  /** Bodies that did not fit, in order. */
  readonly waiting: Fifo<Body>;
}

export class FairShares {
  // A bug ends no more than its own request: callers catch what they can answer.
  readonly #turns = new OwnerTurns((error) => setImmediate(() => throwIt(error)), OWNER_REQUESTS_WAITING_MAX);
  readonly #owners = new Map<string, InProgress>();

  /**
   * Runs work now, or when its owner has a turn.
   *
   * @param bytes  Of its body, counted until `release`; 0 for a request without one, such as a read, which does not
   *               wait for a body that does not fit.
   * @param onWait Called before it waits: data that is only valid during this call has to be copied.
   * @returns false when too many requests of the owner wait; then it will not run.
   */
  run(ownerId: string, bytes: number, work: () => void, onWait?: () => void): boolean {
    const account = this.#turns.account(ownerId);
    const owner = this.#owners.get(ownerId);
    const fits = bytes === 0 || owner === undefined || (owner.waiting.count === 0 && mayAdd(owner, bytes));
    if (fits && this.#turns.mayRun(account)) {
      this.#add(ownerId, bytes);
      this.#turns.run(account, work);
      return true;
    }
    if (account.waiting + (owner?.waiting.count ?? 0) >= OWNER_REQUESTS_WAITING_MAX) return false;
    onWait?.();
    if (fits) this.#wait(account, { bytes, work });
    else owner.waiting.push({ bytes, work });
    return true;
  }

  /** Notes that a connection of a port of node:net has been accepted. */
  noteConnection(): void {
    this.#turns.noteConnection();
  }

  /** Does long work in turns of its owner. @param steps Pauses now and then. @returns What they return. */
  read<Result>(ownerId: string, steps: Generator<void, Result>): Promise<Result> {
    return this.#turns.read(ownerId, steps);
  }

  /** Begins work that goes on in promises, when its owner has a turn. */
  beginPromises(ownerId: string, work: () => void): void {
    this.#turns.beginPromises(this.#turns.account(ownerId), work);
  }

  /** Refuses what `run` does not accept, when its owner has a turn: clients that are refused at once ask again at once. */
  refuse(ownerId: string, refusal: () => void): void {
    this.#turns.add(this.#turns.account(ownerId), 'messages', () => {
      refusal();
    });
  }

  /** The work on a body has ended. */
  release(ownerId: string, bytes: number): void {
    const owner = this.#owners.get(ownerId);
    if (owner === undefined || bytes === 0) return;
    owner.bytes -= bytes;
    for (
      let next = owner.waiting.peek();
      next !== undefined && mayAdd(owner, next.bytes);
      next = owner.waiting.peek()
    ) {
      owner.waiting.shift();
      this.#wait(this.#turns.account(ownerId), next);
    }
    if (owner.bytes === 0 && owner.waiting.count === 0) this.#owners.delete(ownerId);
  }

  #wait(account: Account, { bytes, work }: Body): void {
    this.#add(account.ownerId, bytes);
    this.#turns.wait(account, work);
  }

  #add(ownerId: string, bytes: number): void {
    if (bytes === 0) return;
    const owner = this.#owners.get(ownerId) ?? { bytes: 0, waiting: new Fifo() };
    this.#owners.set(ownerId, owner);
    owner.bytes += bytes;
  }
}

/** A single body always fits, however large. */
function mayAdd(owner: InProgress, bytes: number): boolean {
  return owner.bytes === 0 || owner.bytes + bytes <= OWNER_BODIES_BYTES_AT_ONCE;
}

function throwIt(error: unknown): never {
  throw error;
}
