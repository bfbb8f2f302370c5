/**
 * Long loops in slices, so that nothing on the event loop is O(everything).
 *
 * A loop asks `due()` now and then and awaits `next()` when its slice is used up. All loops share one queue: each turn of the event
 * loop has room for one slice, whoever it is of, since a hundred loops with a slice each would hold everybody for a hundred slices.
 */
import { Fifo } from './fifo.ts';

/** A slice of 4 ms keeps a request that arrives meanwhile within the same order as a durable commit. */
const SLICE_MS = 4;

const waiting = new Fifo<() => void>();
let begunThisTurn = false;

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.count > 0) setImmediate(resumeOne);
}

export class Slices {
  #started = performance.now();

  /** Waits for this loop's first slice, unless no other loop is under way or has begun on this turn. */
  async begin(): Promise<void> {
    if (begunThisTurn || waiting.count > 0) return this.next();
    begunThisTurn = true;
    setImmediate(() => {
      begunThisTurn = false;
    });
  }

  /** Whether this slice is used up. Costs one clock reading: ask once per hundred items or so. */
  due(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  /** Lets the event loop turn, and the loops that wait before this one, and starts the next slice. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.count === 0) setImmediate(resumeOne);
      waiting.push(resolve);
    });
    this.#started = performance.now();
  }
}
