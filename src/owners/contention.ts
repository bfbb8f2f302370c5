/**
 * Whether nodes write to one owner at the same time, as far as one of them knows: then they take turns.
 *
 * Times are those of `performance.now()`.
 */

/** The longest pause before a retry, after losing to other nodes again and again; how long after a write a node is expected to write again. */
const CONFLICT_PAUSE_MS_MAX = 100;
const CONTENTION_MS = 250;

export class Contention {
  /** Until then others are expected to write, and this node is. */
  #othersUntil = 0;
  #ownUntil = 0;
  /** How often others were faster since the last commit. */
  #losses = 0;
  #pausedUntil = 0;

  get isContended(): boolean {
    return performance.now() < Math.min(this.#othersUntil, this.#ownUntil);
  }

  /** Another node has written, or waits for its turn. */
  others(): void {
    this.#othersUntil = performance.now() + CONTENTION_MS;
  }

  /** This node has written. */
  won(): void {
    this.#losses = 0;
    this.#ownUntil = performance.now() + CONTENTION_MS;
  }

  /** Another node was faster. */
  lost(): void {
    const now = performance.now();
    this.#othersUntil = this.#ownUntil = now + CONTENTION_MS;
    this.#pausedUntil = now + Math.random() * Math.min(2 ** this.#losses++ - 1, CONFLICT_PAUSE_MS_MAX);
  }

  /** Waits after each loss in a row longer, and not after the first. */
  async pause(): Promise<void> {
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
