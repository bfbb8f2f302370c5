/**
 * Signs of life of the serving threads, in memory they share with the data plane's main thread: a thread that loops endlessly
 * cannot answer a message, but everybody can see that it no longer counts.
 */
import { BEATS_MISSED_COMPILING_MAX, BEATS_MISSED_MAX } from '../limits.ts';

/** Per thread: its beats, and whether it compiles. */
const WORDS = 2;

export function newVitals(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * WORDS * 4);
}

/** A thread's own. */
export class ThreadVitals {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(shared: SharedArrayBuffer, index: number) {
    this.#words = new Int32Array(shared);
    this.#at = index * WORDS;
  }

  beat(): void {
    Atomics.add(this.#words, this.#at, 1);
  }

  /** Runs what may take seconds without being a hang. */
  compiling(action: () => void): void {
    Atomics.store(this.#words, this.#at + 1, 1);
    try {
      action();
    } finally {
      Atomics.store(this.#words, this.#at + 1, 0);
      this.beat();
    }
  }
}

/** The watcher's view. Counts its own looks, not time: when the whole machine stood still, nobody is to blame. */
export class VitalsWatch {
  readonly #words: Int32Array;
  readonly #seen: { beats: number; missed: number }[];

  constructor(shared: SharedArrayBuffer, threads: number) {
    this.#words = new Int32Array(shared);
    this.#seen = Array.from({ length: threads }, () => ({ beats: -1, missed: 0 }));
  }

  /** To be called every BEAT_MS. @returns The index of a thread that hangs. */
  look(): number | undefined {
    for (const [index, seen] of this.#seen.entries()) {
      const beats = Atomics.load(this.#words, index * WORDS);
      if (beats === seen.beats) seen.missed++;
      else seen.missed = 0;
      seen.beats = beats;
      const compiles = Atomics.load(this.#words, index * WORDS + 1) === 1;
      if (seen.missed > (compiles ? BEATS_MISSED_COMPILING_MAX : BEATS_MISSED_MAX)) return index;
    }
    return undefined;
  }
}
