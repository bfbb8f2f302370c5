/**
 * Until when mocks may be served, of one of several nodes: in memory shared by all threads, by the machine's monotonic
 * clock, so that a process that was suspended does not serve on.
 */
import { monotonicMs } from '../../base/monotonic.ts';

/** In steps of a tenth of a second, rounded down: as 32 bits, six years of a machine's running time. */
const STEP_MS = 100;

/** Creates an expired lease. */
export function newLease(): SharedArrayBuffer {
  return new SharedArrayBuffer(4);
}

/** @param validUntil By `monotonicMs`. */
export function writeLease(shared: SharedArrayBuffer, validUntil: number): void {
  Atomics.store(new Int32Array(shared), 0, Math.floor(validUntil / STEP_MS));
}

export class Lease {
  readonly #word: Int32Array;
  /** `performance.now()` is cheaper, and counts from another time. */
  readonly #offsetMs = monotonicMs() - performance.now();

  constructor(shared: SharedArrayBuffer) {
    this.#word = new Int32Array(shared);
  }

  get isValid(): boolean {
    return performance.now() + this.#offsetMs < Atomics.load(this.#word, 0) * STEP_MS;
  }
}
