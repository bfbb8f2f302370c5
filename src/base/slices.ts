/**
 * Long loops in slices, so that nothing on the event loop is O(everything).
 *
 * A loop asks `due()` now and then and awaits `nextTick()` when its slice is used up; other owners' requests run between.
 */

/** A slice of 4 ms keeps a request that arrives meanwhile within the same order as a durable commit. */
const SLICE_MS = 4;

export class Slices {
  #started = performance.now();

  /** Whether this slice is used up. Costs one clock reading: ask once per hundred items or so. */
  due(): boolean {
    return performance.now() - this.#started >= SLICE_MS;
  }

  /** Lets the event loop turn once and starts the next slice. */
  async nextTick(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve));
    this.#started = performance.now();
  }
}
