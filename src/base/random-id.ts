/**
 * Unpredictable identifiers of lower-case letters and digits.
 *
 * Random bytes are drawn in batches: one system call per id cost more than the rest of a create.
 */
import { randomFillSync } from 'node:crypto';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
/** Larger bytes would favour the first characters: 252 is the largest multiple of 36 that fits in a byte. */
const UNBIASED_BELOW = 252;

const pool = Buffer.allocUnsafe(4096);
let used = pool.length;

/**
 * @param length Count of characters. Each carries 5.17 bits: 20 characters make 103 bits.
 * @returns Text of `[0-9a-z]`.
 */
export function randomId(length: number): string {
  let id = '';
  while (id.length < length) {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used++] as number;
    if (byte < UNBIASED_BELOW) id += ALPHABET[byte % 36];
  }
  return id;
}
