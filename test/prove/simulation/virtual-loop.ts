/**
 * The event loop and the monotonic clock of a simulated run.
 *
 * What the code under test asks of Node.js (`setImmediate`, timers, `performance.now`, `Math.random`) is answered here while a run is on, and
 * happens when the run says so. Promises stay real: they need no time, and `settle` waits until none has anything left to do.
 */
import type { Draws } from './draws.ts';

interface Timer {
  /** Undefined when it fires once. */
  readonly everyMs: number | undefined;
  readonly fire: () => void;
  at: number;
}

const {
  setImmediate: realImmediate,
  setInterval: realInterval,
  setTimeout: realTimeout,
  clearInterval: realClear,
} = globalThis;
const { random: realRandom } = Math;

export class VirtualLoop {
  readonly #draws: Draws;
  readonly #timers = new Set<Timer>();
  #immediates: (() => void)[] = [];
  #now = 0;

  constructor(draws: Draws) {
    this.#draws = draws;
  }

  get immediateCount(): number {
    return this.#immediates.length;
  }

  /** Count of the timers that fire once. */
  get timeoutCount(): number {
    return [...this.#timers].filter(({ everyMs }) => everyMs === undefined).length;
  }

  /** Takes the place of Node.js's loop. @returns What gives it back. */
  install(): () => void {
    const timers = {
      setImmediate: (run: () => void) => {
        this.#immediates.push(run);
      },
      setInterval: (fire: () => void, everyMs: number) => {
        const timer = { everyMs, fire, at: this.#now + everyMs, unref() {} };
        this.#timers.add(timer);
        return timer;
      },
      setTimeout: (fire: () => void, ms: number) => {
        this.#timers.add({ everyMs: undefined, fire, at: this.#now + ms });
      },
      clearInterval: (timer: Timer) => this.#timers.delete(timer),
    };
    Object.assign(globalThis, timers);
    Math.random = () => this.#draws.below(1_000) / 1_000;
    const realNow = Object.getOwnPropertyDescriptor(performance, 'now');
    Object.defineProperty(performance, 'now', { value: () => this.#read(), configurable: true });
    return () => {
      Object.assign(globalThis, {
        setImmediate: realImmediate,
        setInterval: realInterval,
        setTimeout: realTimeout,
        clearInterval: realClear,
      });
      Math.random = realRandom;
      // Node.js's own is inherited.
      if (realNow === undefined) Reflect.deleteProperty(performance, 'now');
      else Object.defineProperty(performance, 'now', realNow);
    };
  }

  /** One turn's worth of immediates, as Node.js runs them: those that they add wait for the next. */
  runImmediates(): void {
    const due = this.#immediates;
    this.#immediates = [];
    for (const run of due) run();
  }

  /** Lets time pass, and runs the timers that become due, in their order. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      let next: Timer | undefined;
      for (const timer of this.#timers)
        if (timer.at <= until && (next === undefined || timer.at < next.at)) next = timer;
      if (next === undefined) break;
      this.#now = Math.max(this.#now, next.at);
      if (next.everyMs === undefined) this.#timers.delete(next);
      else next.at += next.everyMs;
      next.fire();
    }
    this.#now = Math.max(this.#now, until);
  }

  /** Waits until every promise that could go on has done so. */
  settle(): Promise<void> {
    return new Promise((resolve) => realImmediate(resolve));
  }

  /** Code takes time: now and then so much that a slice of a long loop is used up. */
  #read(): number {
    if (this.#draws.percent(10)) this.#now += this.#draws.below(6);
    return this.#now;
  }
}
