/** Reproducible draws: the same seed, stream and number always give the same one, whichever thread asks. */

/**
 * @param seed   Any number.
 * @param stream Tells sequences of one seed apart.
 * @param number Which draw of the sequence.
 * @returns Evenly from 0 up to, not including, 1.
 */
export function seededDraw(seed: number, stream: number, number: number): number {
  let hash = mix(Math.trunc(seed) ^ Math.trunc((seed % 1) * 0x1_0000_0000));
  hash = mix(hash ^ Math.trunc(seed / 0x1_0000_0000));
  hash = mix(hash ^ stream);
  hash = mix(hash ^ number);
  return hash / 0x1_0000_0000;
}

/** Mixes 32 bits so that each of them depends on all (the finish of MurmurHash3, with a step so that 0 is not kept). */
function mix(bits: number): number {
  let hash = (bits + 0x9e37_79b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
