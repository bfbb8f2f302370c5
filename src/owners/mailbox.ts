/**
 * A bounded queue of turns, taken one at a time.
 *
 * A turn that is posted to an idle mailbox runs at once, on the caller's stack: most turns take microseconds, and a
 * promise each would cost as much again. A turn that returns a promise keeps the mailbox until it settles.
 */
import { Fifo } from '../base/fifo.ts';

/** Must not throw, and its promise must not reject: the poster handles its errors. */
type Turn = () => void | Promise<void>;

export class Mailbox {
  readonly #turnsMax: number;
  readonly #waiting = new Fifo<Turn>();
  #busy = false;

  constructor(turnsMax: number) {
    this.#turnsMax = turnsMax;
  }

  /** Whether no turn runs or waits. */
  get idle(): boolean {
    return !this.#busy && this.#waiting.count === 0;
  }

  get count(): number {
    return this.#waiting.count;
  }

  /** @returns false when the mailbox is full; the turn will not run. */
  post(turn: Turn): boolean {
    if (this.#busy) {
      if (this.#waiting.count >= this.#turnsMax) return false;
      this.#waiting.push(turn);
      return true;
    }
    this.#run(turn);
    return true;
  }

  /** Runs a turn after all that wait now, however many. */
  after(turn: Turn): void {
    if (this.#busy) this.#waiting.push(turn);
    else this.#run(turn);
  }

  #run(first: Turn): void {
    this.#busy = true;
    for (let turn: Turn | undefined = first; turn !== undefined; turn = this.#waiting.shift()) {
      const pending = turn();
      if (pending !== undefined) {
        void pending.then(() => this.#next());
        return;
      }
    }
    this.#busy = false;
  }

  #next(): void {
    const turn = this.#waiting.shift();
    if (turn === undefined) this.#busy = false;
    else this.#run(turn);
  }
}
