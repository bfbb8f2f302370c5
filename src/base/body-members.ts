/** Bodies as members of JSON. */
import { isUtf8 } from 'node:buffer';
import { bufferOf } from './bytes.ts';

/**
 * A body as text, or in base64 where it is not UTF-8.
 *
 * @param isCut Whether it may end within a character, which is then left out.
 */
export function bodyMembers(body: Uint8Array, isCut = false): { body: string; bodyEncoding?: 'base64' } {
  const bytes = bufferOf(body);
  const text = isCut ? bytes.subarray(0, bytes.length - openBytes(bytes)) : bytes;
  return isUtf8(text) ? { body: text.toString('utf8') } : { body: bytes.toString('base64'), bodyEncoding: 'base64' };
}

/** Bytes at the end that begin a character of UTF-8 and do not complete it. */
function openBytes(bytes: Buffer): number {
  for (let count = 1; count <= Math.min(3, bytes.length); count++) {
    const byte = bytes[bytes.length - count] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return count < lengthOfCharacter(byte) ? count : 0;
  }
  return 0;
}

function lengthOfCharacter(firstByte: number): number {
  if (firstByte >= 0xf0) return 4;
  return firstByte >= 0xe0 ? 3 : 2;
}
