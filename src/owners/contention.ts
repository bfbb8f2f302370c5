/**
 * How nodes that write to one owner at the same time take turns: one that was overtaken tries again soon, with all that waits,
 * and one that has written leaves the owner to the others for a while, since it would win again.
 */
import { CONFLICT_PAUSE_MS, CONFLICT_PAUSE_MS_MAX, CONTENTION_MS } from '../limits.ts';

/** Times are those of `performance.now()`. */
export class Contention {
  /** How often others were faster since the last commit. */
  #losses = 0;
  /** Until then others are taken to write to this owner. */
  #contendedUntil = 0;
  #pausedUntil = 0;

  /** Another node has written. */
  others(): void {
    this.#contendedUntil = performance.now() + CONTENTION_MS;
  }

  /** Another node was faster. */
  lost(): void {
    const pauseMsMax = Math.min(CONFLICT_PAUSE_MS * 2 ** this.#losses++, CONFLICT_PAUSE_MS_MAX);
    this.#pausedUntil = performance.now() + Math.random() * pauseMsMax;
  }

  /** @returns Whether the owner is left to others now. */
  won(submitted: number): boolean {
    this.#losses = 0;
    const now = performance.now();
    if (now > this.#contendedUntil) return false;
    // In twice the time of this commit, one of them has read it and made its own; another tries at that time, too.
    const pauseMs = Math.min(2 * (1 + Math.random()) * (now - submitted), CONFLICT_PAUSE_MS_MAX);
    this.#pausedUntil = now + pauseMs;
    return true;
  }

  /** Waits until it is this node's turn. */
  async pause(): Promise<void> {
    const pauseMs = this.#pausedUntil - performance.now();
    if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
