/** Whether a page cannot keep up: its frames have taken too long for some time, in the mean. Pure. */

/** Of the 16 ms of a frame. */
const SLOW_MS = 8;
const SLOW_FOR_MS = 2_000;
/** Without work for so long, it begins anew. The slower a page, the longer it takes to its next frame. */
const IDLE_MS = 2_000;

interface Frame {
  readonly tookMs: number;
  readonly atMs: number;
}

export class SlowWatch {
  #since = 0;
  /** Of the last two seconds. */
  #frames: Frame[] = [];

  /**
   * @param tookMs Of one frame's work.
   * @param atMs Its end, by a clock that does not jump.
   * @returns Whether the frames of the last two seconds were slow.
   */
  add(tookMs: number, atMs: number): boolean {
    const last = this.#frames.at(-1);
    if (last === undefined || atMs - tookMs - last.atMs > IDLE_MS) {
      this.#since = atMs - tookMs;
      this.#frames = [];
    }
    this.#frames = [...this.#frames.filter((frame) => atMs - frame.atMs < SLOW_FOR_MS), { tookMs, atMs }];
    const mean = this.#frames.reduce((sum, frame) => sum + frame.tookMs, 0) / this.#frames.length;
    return mean > SLOW_MS && atMs - this.#since >= SLOW_FOR_MS;
  }

  clear(): void {
    this.#frames = [];
  }
}
