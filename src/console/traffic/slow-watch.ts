/** Whether a page cannot keep up: its frames have taken too long for some time. Pure. */

/** Of the 16 ms of a frame. */
const SLOW_MS = 8;
const SLOW_FOR_MS = 2_000;
/** Without work for so long, the slow time is over. */
const IDLE_MS = 500;

export class SlowWatch {
  #slowSince: number | undefined;
  #lastAt = -Infinity;

  /**
   * @param tookMs Of one frame's work.
   * @param atMs A clock that does not jump.
   * @returns Whether all frames of the last two seconds were slow.
   */
  add(tookMs: number, atMs: number): boolean {
    if (tookMs <= SLOW_MS) this.#slowSince = undefined;
    else if (this.#slowSince === undefined || atMs - this.#lastAt > IDLE_MS) this.#slowSince = atMs;
    this.#lastAt = atMs;
    return this.#slowSince !== undefined && atMs - this.#slowSince >= SLOW_FOR_MS;
  }

  clear(): void {
    this.#slowSince = undefined;
  }
}
