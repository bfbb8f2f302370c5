/**
 * One-time codes, which a page exchanges for an API key. `switchyard console` prints one in the fragment of an address,
 * which browsers do not send.
 */
import { hash, randomBytes } from 'node:crypto';

const CODE_BYTES = 16;

/** @returns 128 random bits, in 22 characters. Shown once, never stored. */
export function newConsoleCode(): string {
  return randomBytes(CODE_BYTES).toString('base64url');
}

/** @returns SHA-256 as 64 hexadecimal digits, of any text: what is not a code has a digest that is not stored. */
export function digestCode(text: string): string {
  return hash('sha256', text);
}
