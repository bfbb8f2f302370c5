/**
 * Signs of life of the serving threads, in memory they share with the data plane's main thread: a thread that loops endlessly
 * cannot answer a message, but everybody can see that it no longer counts.
 */
import { BEATS_MISSED_COMPILING_MAX, BEATS_MISSED_MAX } from '../limits.ts';

/** Per thread: its beats, whether it compiles, and the requests that it has taken. */
const WORDS = 3;

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

  /**
   * A step was made. Also between requests: the event loop takes all that wait before it looks at a timer, and a dozen of half a second
   * each are no hang. Nobody else writes the word, so it need not be an atomic step; it wraps at 32 bits.
   */
  beat(): void {
    this.#words[this.#at] = (this.#words[this.#at] as number) + 1;
  }

  /** Counts a request, which is a beat too. Wraps at 32 bits, as its reader expects. */
  requestTaken(): void {
    const at = this.#at + 2;
    this.#words[at] = (this.#words[at] as number) + 1;
    this.beat();
  }

  /** Runs what may take seconds without being a hang. */
  compiling<Made>(action: () => Made): Made {
    Atomics.store(this.#words, this.#at + 1, 1);
    try {
      return action();
    } finally {
      Atomics.store(this.#words, this.#at + 1, 0);
      this.beat();
    }
  }
}

/** Requests that each thread has taken, modulo 2^32. */
export function requestsTaken(shared: SharedArrayBuffer): number[] {
  const words = new Uint32Array(shared);
  return Array.from({ length: words.length / WORDS }, (_each, index) => Atomics.load(words, index * WORDS + 2));
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
