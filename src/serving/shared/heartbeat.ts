/**
 * The heartbeat of the serving threads, in memory shared with the main thread of the data plane's process: a thread in
 * an endless loop cannot answer a message, but the watcher sees that it no longer counts.
 */
import { BEATS_MISSED_MAX } from '../../limits.ts';

/** The same while a thread compiles: a single route full of patterns takes seconds on a slow machine. */
const BEATS_MISSED_COMPILING_MAX = 75;

/** Per thread: a count of beats, a count of begun and ended slices of compilation, a count of requests taken, open streams and a count of their events, the same of WebSockets, and four of stores. */
const WORDS = 11;
/** Odd during a slice. */
const COMPILATIONS = 1;

export function newHeartbeat(threads: number): SharedArrayBuffer {
  return new SharedArrayBuffer(threads * WORDS * 4);
}

/** Written by one thread. */
export class ThreadHeartbeat {
  readonly #words: Int32Array;
  readonly #at: number;

  constructor(shared: SharedArrayBuffer, index: number) {
    this.#words = new Int32Array(shared);
    this.#at = index * WORDS;
  }

  /**
   * Records progress. Called between requests too: the event loop handles all waiting requests before any timer, and a
   * dozen requests of half a second each are not a hang. Only this thread writes the word, so the step need not be
   * atomic; it wraps at 32 bits.
   */
  beat(): void {
    this.#words[this.#at] = (this.#words[this.#at] as number) + 1;
  }

  /** Counts a request, which is also a beat. Wraps at 32 bits, as its reader expects. */
  requestTaken(): void {
    const at = this.#at + 2;
    this.#words[at] = (this.#words[at] as number) + 1;
    this.beat();
  }

  /** @param open Streams. @param events That were sent, in all: wraps at 32 bits. */
  streams(open: number, events: number): void {
    this.#words[this.#at + 3] = open;
    this.#words[this.#at + 4] = events;
  }

  /** The same as `streams`, for WebSockets and messages to them. */
  sockets(open: number, messages: number): void {
    this.#words[this.#at + 5] = open;
    this.#words[this.#at + 6] = messages;
  }

  stores({ items, bytes, requests, full }: StoreFigures): void {
    const words = this.#words;
    const at = this.#at + 7;
    [words[at], words[at + 1], words[at + 2], words[at + 3]] = [items, bytes, requests, full];
  }

  /** Runs an action that may take seconds without counting as a hang. */
  compiling<Made>(action: () => Made): Made {
    Atomics.add(this.#words, this.#at + COMPILATIONS, 1);
    try {
      return action();
    } finally {
      Atomics.add(this.#words, this.#at + COMPILATIONS, 1);
      this.beat();
    }
  }
}

/** Size and use of the live stores. */
export interface StoreFigures {
  /** Items of lists, of all mocks and sessions. */
  readonly items: number;
  /** Memory beyond that of the values that they begin with. */
  readonly bytes: number;
  /** Requests to routes that use stores, modulo 2^32. */
  readonly requests: number;
  /** The ones among these that a full store refused, modulo 2^32. */
  readonly full: number;
}

interface OpenFigures {
  readonly open: number;
  readonly events: number;
}

/** In all threads: streams that are open, and events that were sent, modulo 2^32; the same of WebSockets; and live stores. */
export function openFigures(shared: SharedArrayBuffer): {
  readonly streams: OpenFigures;
  readonly sockets: OpenFigures;
  readonly stores: StoreFigures;
} {
  const words = new Uint32Array(shared);
  /** Sums one word over all threads. */
  const sum = (first: number): number => {
    let all = 0;
    for (let at = first; at < words.length; at += WORDS) all += Atomics.load(words, at);
    return all;
  };
  return {
    streams: { open: sum(3), events: sum(4) >>> 0 },
    sockets: { open: sum(5), events: sum(6) >>> 0 },
    stores: { items: sum(7), bytes: sum(8), requests: sum(9) >>> 0, full: sum(10) >>> 0 },
  };
}

/** Slices of compilation of all threads: another number while any of them goes on. */
export function compilations(shared: SharedArrayBuffer): number {
  const words = new Uint32Array(shared);
  let all = 0;
  for (let at = COMPILATIONS; at < words.length; at += WORDS) all += Atomics.load(words, at);
  return all;
}

/** Requests that each thread has taken, modulo 2^32. */
export function requestsTaken(shared: SharedArrayBuffer): number[] {
  const words = new Uint32Array(shared);
  return Array.from({ length: words.length / WORDS }, (_each, index) => Atomics.load(words, index * WORDS + 2));
}

/**
 * Finds threads that hang. Counts its own checks, not time: when the whole machine was suspended, no thread is at
 * fault.
 */
export class HeartbeatWatch {
  readonly #words: Int32Array;
  readonly #seen: { beats: number; missed: number }[];

  constructor(shared: SharedArrayBuffer, threads: number) {
    this.#words = new Int32Array(shared);
    this.#seen = Array.from({ length: threads }, () => ({ beats: -1, missed: 0 }));
  }

  /** Call it every BEAT_MS. @returns The index of a thread that hangs; undefined when all are alive. */
  hangingThread(): number | undefined {
    for (const [index, seen] of this.#seen.entries()) {
      const beats = Atomics.load(this.#words, index * WORDS);
      if (beats === seen.beats) seen.missed++;
      else seen.missed = 0;
      seen.beats = beats;
      const isCompiling = (Atomics.load(this.#words, index * WORDS + COMPILATIONS) & 1) === 1;
      if (seen.missed > (isCompiling ? BEATS_MISSED_COMPILING_MAX : BEATS_MISSED_MAX)) return index;
    }
    return undefined;
  }
}
