/** Counters in memory that all threads share: two 32-bit words each. */

/** Two 32-bit words per counter: at 100,000 requests a second, one word overflows within half a day. */
export const WORDS = 2;
const WORD_BYTES = 4;

/** Never empty: V8 does not copy an empty one. */
export function shared(counters: number): SharedArrayBuffer {
  return new SharedArrayBuffer(Math.max(1, counters) * WORDS * WORD_BYTES);
}

/** @returns The value after adding one. No two threads get the same, except perhaps once when the high word changes. */
export function increment(words: Uint32Array, index: number): number {
  const low = Atomics.add(words, index * WORDS, 1);
  if (low === 0xffff_ffff) Atomics.add(words, index * WORDS + 1, 1);
  return (words[index * WORDS + 1] as number) * 0x1_0000_0000 + ((low + 1) >>> 0);
}

/** Adds any whole number below 2^32. */
export function increaseBy(words: Uint32Array, index: number, count: number): void {
  const low = Atomics.add(words, index * WORDS, count);
  if (low + count > 0xffff_ffff) Atomics.add(words, index * WORDS + 1, 1);
}

export function read(words: Uint32Array, index: number): number {
  return Atomics.load(words, index * WORDS + 1) * 0x1_0000_0000 + Atomics.load(words, index * WORDS);
}
