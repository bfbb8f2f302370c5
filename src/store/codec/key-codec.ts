/** Encodes API keys and one-time codes for the console. */
import type { Role } from '../../model/principal.ts';
import type { ApiKey, CodeHolder, KeyOrigin } from '../store.ts';
import { encodeFields, fieldsOf } from './value-format.ts';

/** 2: with its end and its origin. */
const KEY_FORMAT = 2;
const CODE_FORMAT = 1;

export function encodeKey(key: ApiKey): Buffer {
  const { keyId, ownerId, userId, role, creationDate, revocationDate, secretDigest, expiresAt = null, origin } = key;
  return encodeFields(
    [KEY_FORMAT, ownerId, userId, role, creationDate, revocationDate, secretDigest, expiresAt, origin],
    keyId,
  );
}

/** @returns undefined when it is damaged: the other keys stay usable. */
export function readKey(keyId: string, bytes: Buffer): ApiKey | undefined {
  try {
    return decodeKey(keyId, bytes);
  } catch {
    return undefined;
  }
}

function decodeKey(keyId: string, bytes: Buffer): ApiKey {
  const fields = fieldsOf(bytes, KEY_FORMAT, keyId);
  const [, ownerId, userId, role, creationDate, revocationDate, secretDigest, expiresAt = null, origin = 'command'] =
    fields as [
      number,
      string,
      string,
      Role,
      number,
      number | null,
      Buffer,
      // Keys of format 1 have neither.
      expiresAt?: number | null,
      origin?: KeyOrigin,
    ];
  const key = { keyId, ownerId, userId, role, creationDate, revocationDate, origin, secretDigest };
  return expiresAt === null ? key : { ...key, expiresAt };
}

/** @param name By which it is stored. */
export function encodeCode({ ownerId, userId, role }: CodeHolder, expiresAt: number, name: string): Buffer {
  return encodeFields([CODE_FORMAT, ownerId, userId, role, expiresAt], name);
}

/** @returns undefined when it is damaged. */
export function readCode(bytes: Buffer, name: string): { holder: CodeHolder; expiresAt: number } | undefined {
  try {
    const fields = fieldsOf(bytes, CODE_FORMAT, name) as [number, string, string, Role, number];
    const [, ownerId, userId, role, expiresAt] = fields;
    return { holder: { ownerId, userId, role }, expiresAt };
  } catch {
    return undefined;
  }
}
