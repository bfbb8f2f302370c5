/** Values that go out with an answer and come back in a request, such as codes: encrypted, so that nobody reads, changes or makes one. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

interface SealedValue {
  readonly value: unknown;
  readonly until: number;
}

/** @param json Of the value. @param until Milliseconds since 1970. */
export function sealText(json: string, key: Buffer, purpose: string, until: number): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(`{"until":${until},"value":${json}}`), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** @returns undefined for what is not sealed with this key and purpose, or no longer valid. */
export function unsealText(
  text: string,
  key: Buffer,
  purpose: string,
  now: number,
): { readonly value: unknown } | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== text) return undefined;
  const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(tag);
  try {
    const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    const { value, until } = JSON.parse(plain.toString()) as SealedValue;
    return until > now ? { value } : undefined;
  } catch {
    return undefined;
  }
}
