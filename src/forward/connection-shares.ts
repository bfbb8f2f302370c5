/**
 * Shares the connections to one node among owners: an owner gets another one only while more are free than it holds. So
 * one owner holds half of them at most, and the next ones still find some.
 *
 * Who finds none waits; waiting owners take turns.
 */

/** Requests of one owner that wait for a connection to another node, and how long. Then they are refused, untried. */
export const FORWARDS_WAITING_MAX = 1_000;
export const FORWARD_WAIT_MS = 10_000;

interface WaitingCall {
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

export class ConnectionShares {
  #free: number;
  readonly #held = new Map<string, number>();
  /** By owner, each with at least one. The first owner is the next. */
  readonly #waiting = new Map<string, Set<WaitingCall>>();

  constructor(connectionsMax: number) {
    this.#free = connectionsMax;
  }

  /**
   * @param begin  Called once, now or later, when there is a connection, which is held until `release`.
   * @param refuse Called instead when too many wait, or it has waited too long.
   * @returns Ends the wait.
   */
  take(ownerId: string, begin: () => void, refuse: () => void): () => void {
    if (this.#mayTake(ownerId)) {
      this.#hold(ownerId);
      begin();
      return () => undefined;
    }
    const queue = this.#waiting.get(ownerId) ?? new Set();
    if (queue.size >= FORWARDS_WAITING_MAX) {
      refuse();
      return () => undefined;
    }
    this.#waiting.set(ownerId, queue);
    const leave = (): void => {
      clearTimeout(waiting.timer);
      queue.delete(waiting);
      if (queue.size === 0 && this.#waiting.get(ownerId) === queue) this.#waiting.delete(ownerId);
    };
    const timer = setTimeout(() => (leave(), refuse()), FORWARD_WAIT_MS);
    const waiting: WaitingCall = { begin: () => (leave(), begin()), timer };
    queue.add(waiting);
    return leave;
  }

  release(ownerId: string): void {
    const left = (this.#held.get(ownerId) as number) - 1;
    if (left === 0) this.#held.delete(ownerId);
    else this.#held.set(ownerId, left);
    this.#free++;
    for (const [next, queue] of this.#waiting) {
      if (!this.#mayTake(next)) continue;
      const [waiting] = queue;
      // The owner goes behind the others.
      this.#waiting.delete(next);
      this.#waiting.set(next, queue);
      this.#hold(next);
      (waiting as WaitingCall).begin();
      return;
    }
  }

  #mayTake(ownerId: string): boolean {
    return this.#free > (this.#held.get(ownerId) ?? 0);
  }

  #hold(ownerId: string): void {
    this.#free--;
    this.#held.set(ownerId, (this.#held.get(ownerId) ?? 0) + 1);
  }
}
