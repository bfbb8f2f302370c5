/** Ids of imported routes and responses: the same at each import, so that a second one changes only what the file changed. */
import { createHash } from 'node:crypto';

/** Length of 64-bit hashes: ten thousand collide once in a hundred billion imports. */
const HASH_CHARS = 13;

/** @returns 14 of [a-z0-9], the first a letter. */
export function stableId(letter: string, ...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest().readBigUInt64BE();
  return letter + hash.toString(36).padStart(HASH_CHARS, '0');
}
