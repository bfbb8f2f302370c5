/**
 * Reproducible random draws: the same seed, stream and number give the same draws in every thread and process.
 *
 * Each purpose has a stream of its own, so that a draw more for one changes nothing of another.
 */

/** @returns A number from 0 to below 1, uniformly distributed, in steps of 2^-53. */
export type Random = () => number;

/**
 * @param seed   An integer.
 * @param stream From `streamOf`: what is drawn for.
 * @param number Index in the stream, as that of a request to its route. Repeats after 2^32.
 * @returns Independent draws, whose order counts.
 *
 * sfc32: each step is a bijection of its 128 bits of state, and seed, stream and number are bits of it, so no two of
 * them share a state. A state of 32 bits would give two of 65,000 requests the same `uuid`.
 * Cost: some 90 ns to begin with its first draw, 15 ns for each further one; one closure.
 */
export function draws(seed: number, stream: number, number: number): Random {
  let a = seed | 0;
  let b = Math.floor(seed / 0x1_0000_0000) | 0;
  let c = stream | 0;
  let counter = number | 0;
  // The steps of `generator`, on local variables: through a closure they took ten times as long.
  for (let step = 0; step < MIXING_STEPS; step++) {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
  }
  return generator(a, b, c, counter);
}

function generator(a: number, b: number, c: number, counter: number): Random {
  const next = (): number => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result;
  };
  return () => ((next() >>> 5) * 0x400_0000 + (next() >>> 6)) / 0x20_0000_0000_0000;
}

/** Until each bit of the state depends on all: as many as the generator's author takes, and a few for short seeds. */
const MIXING_STEPS = 15;

/**
 * @param parts What the draws are for, from the general to the special. Texts and their order are all that counts.
 * @returns 32 bits: equal for equal parts. Computed when a mock is compiled, not for each request.
 */
export function streamOf(...parts: readonly (string | number)[]): number {
  let hash = 0;
  for (const part of parts) {
    const text = String(part);
    // The length first, so that "ab", "c" differs from "a", "bc".
    hash = mix(hash ^ text.length);
    for (let at = 0; at < text.length; at++) hash = mix(hash ^ text.charCodeAt(at));
  }
  return hash;
}

/**
 * Mixes 32 bits so that each depends on all: the finaliser of MurmurHash3, after an addition since it would map 0 to 0.
 */
function mix(bits: number): number {
  let hash = (bits + 0x9e37_79b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
