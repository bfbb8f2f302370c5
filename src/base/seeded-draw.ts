/** Reproducible random draws: the same seed, stream and number give the same result in every thread. */

/**
 * @param seed   Any number.
 * @param stream Distinguishes sequences of one seed.
 * @param number Index of the draw in the sequence.
 * @returns A number from 0 to below 1, uniformly distributed.
 */
export function seededDraw(seed: number, stream: number, number: number): number {
  let hash = mix(Math.trunc(seed) ^ Math.trunc((seed % 1) * 0x1_0000_0000));
  hash = mix(hash ^ Math.trunc(seed / 0x1_0000_0000));
  hash = mix(hash ^ stream);
  hash = mix(hash ^ number);
  return hash / 0x1_0000_0000;
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
