/**
 * Messages of WebSockets that wait for their owner's turn. uWebSockets.js cannot pause a socket, and one read of 512 kB has 75,000 small
 * messages: so they are kept as bytes, at some 0.2 µs each, and beyond a bound their socket is closed, which ends the read as well.
 */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import { Fifo } from '../../../base/fifo.ts';
import { OWNER_MESSAGES_WAITING_BYTES_MAX, OWNER_MESSAGES_WAITING_MAX } from '../../../limits.ts';

export interface Receiver {
  /** Handles a message that has waited. Must not throw. */
  readonly answerWaiting: (body: Buffer, isBinary: boolean) => void;
}

const FIRST_BYTES = 16_384;

/** Messages of an owner; removed when none wait. */
class Queue {
  readonly #receivers = new Fifo<Receiver>();
  /** Its length, times two, plus one for a binary message. */
  readonly #heads = new Fifo<number>();
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #start = 0;
  #end = 0;

  get count(): number {
    return this.#heads.count;
  }

  /** @returns false where too much waits. */
  push(receiver: Receiver, message: ArrayBuffer, isBinary: boolean): boolean {
    const { byteLength } = message;
    const needed = this.#end - this.#start + byteLength;
    if (this.count >= OWNER_MESSAGES_WAITING_MAX || needed > OWNER_MESSAGES_WAITING_BYTES_MAX) return false;
    if (this.#end + byteLength > this.#bytes.length) {
      const bytes = needed * 2 > this.#bytes.length ? Buffer.allocUnsafe(needed * 2) : this.#bytes;
      this.#bytes.copy(bytes, 0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
      this.#bytes = bytes;
    }
    this.#bytes.set(new Uint8Array(message), this.#end);
    this.#end += byteLength;
    this.#receivers.push(receiver);
    this.#heads.push(byteLength * 2 + (isBinary ? 1 : 0));
    return true;
  }

  /** Hands over the oldest. */
  next(): void {
    const head = this.#heads.shift() as number;
    const end = this.#start + (head >> 1);
    // Replies may read it later.
    const body = Buffer.from(this.#bytes.subarray(this.#start, end));
    this.#start = end;
    (this.#receivers.shift() as Receiver).answerWaiting(body, (head & 1) === 1);
  }
}

export class WaitingMessages {
  readonly #turns: OwnerTurns;
  readonly #queues = new Map<Account, Queue>();

  constructor(turns: OwnerTurns) {
    this.#turns = turns;
  }

  isWaiting(account: Account): boolean {
    return account.lanes.messages.count > 0;
  }

  /** @param message Only valid during the call. @returns false where too much of the owner waits; then it is not kept. */
  add(account: Account, receiver: Receiver, message: ArrayBuffer, isBinary: boolean): boolean {
    const queue = this.#queues.get(account) ?? new Queue();
    if (!queue.push(receiver, message, isBinary)) return false;
    account.waited++;
    if (queue.count > 1) return true;
    this.#queues.set(account, queue);
    this.#turns.add(account, 'messages', (until) => {
      do queue.next();
      while (queue.count > 0 && performance.now() < until);
      if (queue.count > 0) return true;
      this.#queues.delete(account);
      return false;
    });
    return true;
  }
}
