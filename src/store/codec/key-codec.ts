/** Encodes API keys, one-time codes for the console, and quotas of owners. */
import type { OwnerQuota } from '../../model/owner-quota.ts';
import type { Role } from '../../model/principal.ts';
import type { ApiKey, CodeHolder, KeyOrigin } from '../store.ts';
import { encodeFields, fieldsOf } from './value-format.ts';

const KEY_FORMAT = 1;
const CODE_FORMAT = 1;
const QUOTA_FORMAT = 1;
/** Quotas lie among the keys, by this and the owner: no id of a key has a colon. */
const QUOTA = 'quota:';

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
  const [, ownerId, userId, role, creationDate, revocationDate, secretDigest, expiresAt, origin] = fields as [
    number,
    string,
    string,
    Role,
    number,
    number | null,
    Buffer,
    number | null,
    KeyOrigin,
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

export function quotaName(ownerId: string): string {
  return QUOTA + ownerId;
}

/** @returns undefined for the name of anything else. */
export function ownerOfQuota(name: string): string | undefined {
  return name.startsWith(QUOTA) ? name.slice(QUOTA.length) : undefined;
}

export function encodeQuota(ownerId: string, quota: OwnerQuota): Buffer {
  return encodeFields([QUOTA_FORMAT, quota], quotaName(ownerId));
}

/** @returns undefined when it is damaged: the limits of the server hold then. */
function readQuota(bytes: Buffer, name: string): OwnerQuota | undefined {
  try {
    return fieldsOf(bytes, QUOTA_FORMAT, name)[1] as OwnerQuota;
  } catch {
    return undefined;
  }
}

/** The quotas among entries of keys, by owner. */
export function quotasIn(entries: Iterable<readonly [name: string, bytes: Buffer]>): Map<string, OwnerQuota> {
  const quotas = new Map<string, OwnerQuota>();
  for (const [name, bytes] of entries) {
    const ownerId = ownerOfQuota(name);
    const quota = ownerId === undefined ? undefined : readQuota(bytes, name);
    if (ownerId !== undefined && quota !== undefined) quotas.set(ownerId, quota);
  }
  return quotas;
}
