/**
 * A rate limit in one shared 32-bit word by the generic cell rate algorithm: the word is the time at which all that was let pass will be
 * paid off, at one request in each interval. A request passes while that is at most a burst ahead. Exact over all threads, by
 * compare-and-exchange.
 *
 * Time is counted in units of at most an eighth of a millisecond, of which an interval has a whole number, and is compared modulo 2^32:
 * a word may be half of that away from now, 36 minutes where units are the shortest, and most often 74 hours. Words that nobody uses
 * are kept from falling behind (`keepClosest`).
 */
import type { RateLimit } from '../../model/mocks/definition/definition.ts';

export interface Rate {
  readonly unitMs: number;
  /** This and the next in units: between two requests, and how far the word may be ahead for one more to pass. */
  readonly interval: number;
  readonly aheadMax: number;
}

const UNITS_PER_MS = 8;

export function rateOf({ requests, perMs, burst = requests }: RateLimit): Rate {
  const intervalMs = perMs / requests;
  const interval = Math.ceil(intervalMs * UNITS_PER_MS);
  return { unitMs: intervalMs / interval, interval, aheadMax: interval * (burst - 1) };
}

/** Milliseconds of a clock that all threads share, and that nobody sets: that of `performance` begins with its thread. */
export function sharedClockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}

/** @returns The time in units, modulo 2^32. */
export function unitsOf(ms: number, unitMs: number): number {
  return Math.floor(ms / unitMs) | 0;
}

/** Lets a request pass, or not. @param now In units. @returns Milliseconds until one passes; 0 when this one does. */
export function take(words: Int32Array, index: number, { unitMs, interval, aheadMax }: Rate, now: number): number {
  for (;;) {
    const known = Atomics.load(words, index);
    const ahead = (known - now) | 0;
    if (ahead > aheadMax) return (ahead - aheadMax) * unitMs;
    const next = ((ahead > 0 ? known : now) + interval) | 0;
    if (Atomics.compareExchange(words, index, known, next) === known) return 0;
  }
}

/** Longest lag of a word: an eighth of its range, 4 minutes with the shortest units. */
const BEHIND_MAX = 2 ** 28;

/**
 * Moves words that fell behind to now, which means the same: nothing is to be paid off. Call it every few minutes: a word half of 2^32
 * behind would be one ahead.
 */
export function keepClosest(words: Int32Array, from: number, now: number): void {
  for (let index = from; index < words.length; index++) {
    const known = words[index] as number;
    if (((known - now) | 0) < -BEHIND_MAX) Atomics.compareExchange(words, index, known, now);
  }
}

/** The slot of a text among a power of two: FNV-1a. */
export function slotOfText(text: string, slots: number): number {
  let hash = FNV_OFFSET;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), FNV_PRIME);
  return mixed(hash) & (slots - 1);
}

const FNV_OFFSET = 0x811c_9dc5;
const FNV_PRIME = 0x0100_0193;

/** The low bits of the hash depend on few of the text's. */
function mixed(hash: number): number {
  return hash ^ (hash >>> 12) ^ (hash >>> 24);
}
