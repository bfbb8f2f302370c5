/**
 * The text of API keys: `sy_<keyId>_<secret>`. The id finds the record; the secret, 256 random bits, is stored as its
 * digest.
 */
import { hash, randomBytes } from 'node:crypto';
import { randomId } from '../base/random-id.ts';

const KEY = /^sy_([0-9a-z]{12})_([A-Za-z0-9_-]{43})$/;
const KEY_ID_CHARS = 12;
const SECRET_BYTES = 32;

interface NewApiKey {
  readonly keyId: string;
  /** The whole key. Shown once, never stored. */
  readonly text: string;
  readonly secretDigest: Buffer;
}

export function newApiKey(): NewApiKey {
  const keyId = randomId(KEY_ID_CHARS);
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { keyId, text: `sy_${keyId}_${secret}`, secretDigest: digestSecret(secret) };
}

/** The part of a text at the place of a key's id, whether or not the text is a key. */
export function keyIdOf(text: string): string {
  return text.slice('sy_'.length, 'sy_'.length + KEY_ID_CHARS);
}

/** @returns undefined for text that is not a key. */
export function parseApiKey(text: string): { keyId: string; secret: string } | undefined {
  const parts = KEY.exec(text);
  return parts === null ? undefined : { keyId: parts[1] as string, secret: parts[2] as string };
}

/** SHA-256, 32 bytes. A plain digest is enough for a secret that cannot be guessed from a list. */
export function digestSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
