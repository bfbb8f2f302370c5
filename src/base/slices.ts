/**
 * Time slices for long loops, so that none of them blocks the event loop.
 *
 * A loop calls `due()` regularly and awaits `next()` when its slice is used up. All loops share one queue: each turn of
 * the event loop runs one slice of one loop, since a hundred loops with a slice each would block the event loop for a
 * hundred slices.
 */
import { Fifo } from './fifo.ts';

/** A slice of 4 ms delays a request that arrives during it by no more than a durable commit takes. */
const SLICE_MS = 4;

const waiting = new Fifo<() => void>();
let begunThisTurn = false;

function resumeOne(): void {
  waiting.shift()?.();
  if (waiting.count > 0) setImmediate(resumeOne);
}

export class Slices {
  #started = performance.now();

  /** Waits for this loop's first slice. Does not wait when no other loop is in progress or has begun in this turn. */
  async begin(): Promise<void> {
    if (begunThisTurn || waiting.count > 0) return this.next();
    begunThisTurn = true;
    setImmediate(() => {
      begunThisTurn = false;
    });
  }

  /** Whether this slice is used up. Costs one reading of the clock: call it once per hundred items or so. */
  due(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  /** Yields to the event loop and to the loops that wait before this one, and starts the next slice. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      if (waiting.count === 0) setImmediate(resumeOne);
      waiting.push(resolve);
    });
    this.#started = performance.now();
  }
}

/** Runs a loop that pauses after each item, in slices. @returns What it returns. */
export async function inSlices<Result>(steps: Generator<void, Result>): Promise<Result> {
  const slices = new Slices();
  await slices.begin();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slices.due()) await slices.next();
  }
}

/** Runs it at once. @returns As `inSlices`. */
export function atOnce<Result>(steps: Generator<void, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
