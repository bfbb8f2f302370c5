/** Bounds how long code runs by the processor time of its thread: on a busy machine code that has to wait for its turn is not too slow. */
import { readFileSync } from 'node:fs';
import { CODE_MS } from '../limits.ts';

/** Short calls read no clock but that of the wall. What passes until then counts in full. */
const FIRST_LOOK_MS = 25;

/** In milliseconds; the clock of the wall where the system does not report the time of threads. */
function threadMs(): number {
  try {
    const [ns = ''] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1);
    return Number(ns) / 1e6;
  } catch {
    return performance.now();
  }
}

export class ThreadTime {
  #lookAt = 0;
  #base: number | undefined;
  /** Whether the time is over; it stays so until the next begin. */
  isOver = false;

  begin(): void {
    this.isOver = false;
    this.#base = undefined;
    this.#lookAt = performance.now() + FIRST_LOOK_MS;
  }

  /** @returns Whether the time is over. */
  check(): boolean {
    const now = performance.now();
    if (now < this.#lookAt || this.isOver) return this.isOver;
    const left =
      this.#base === undefined ? CODE_MS - FIRST_LOOK_MS : CODE_MS - FIRST_LOOK_MS - (threadMs() - this.#base);
    this.#base ??= threadMs();
    this.isOver = left <= 0;
    this.#lookAt = now + left;
    return this.isOver;
  }
}
