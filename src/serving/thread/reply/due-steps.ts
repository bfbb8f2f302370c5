/** Runs what is due of replies that are sent over time in slices, so that requests do not wait for thousands of them. */

/** How long a thread sends pieces before it looks at requests again: thousands that are due at once took 0.2 s. */
const PIECES_SLICE_MS = 2;

export class DueSteps {
  /** In order. */
  #due: (() => void)[] = [];

  /** Runs a step soon. Timers that are due together run in one go, which would keep requests waiting. */
  run(step: () => void): void {
    this.#due.push(step);
    if (this.#due.length === 1) setImmediate(() => this.#runDue());
  }

  #runDue(): void {
    const until = performance.now() + PIECES_SLICE_MS;
    let done = 0;
    while (done < this.#due.length && performance.now() < until) this.#due[done++]?.();
    this.#due = this.#due.slice(done);
    if (this.#due.length > 0) setImmediate(() => this.#runDue());
  }
}
