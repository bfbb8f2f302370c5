/**
 * The authority of a cluster: in its database, sealed with a key that follows from the cluster's secret. Who reads the database
 * without the secret cannot use it.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { OperatorError } from '../base/operator-error.ts';
import { newAuthority, type Authority } from './authority.ts';

/** Where sealed authorities are kept, by number. The one with the highest number counts. */
export interface SealedAuthorities {
  newest(): Promise<{ readonly number: number; readonly sealed: Buffer } | undefined>;
  /** Does nothing where there is one with this number. */
  add(number: number, sealed: Buffer): Promise<void>;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function keyOf(secret: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', 'switchyard gateway authority', KEY_BYTES));
}

/** One that is copied to another number is not opened. */
function boundTo(number: number): Buffer {
  return Buffer.from(`authority ${number}`);
}

function seal({ certificate, key }: Authority, number: number, secret: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(secret), nonce).setAAD(boundTo(number));
  const sealed = Buffer.concat([cipher.update(JSON.stringify({ certificate, key })), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** @throws OperatorError for another secret. */
function unseal(sealed: Buffer, number: number, secret: string): Authority {
  try {
    const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv(CIPHER, keyOf(secret), sealed.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(number)).setAuthTag(tag);
    const text = Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
    return JSON.parse(text.toString()) as Authority;
  } catch {
    throw new OperatorError(
      'the CA of the gateway was encrypted with another SWITCHYARD_CLUSTER_SECRET: create a new CA with `switchyard ca rotate`',
    );
  }
}

/** @returns Undefined where there is none. @throws OperatorError */
export async function readSealed(kept: SealedAuthorities, secret: string): Promise<Authority | undefined> {
  const found = await kept.newest();
  return found && unseal(found.sealed, found.number, secret);
}

/** Makes one where there is none: of nodes that do so at once, all get the same. @throws OperatorError */
export async function readOrMakeSealed(kept: SealedAuthorities, secret: string, now: number): Promise<Authority> {
  return (await readSealed(kept, secret)) ?? addSealed(kept, 1, secret, now);
}

/** @throws OperatorError */
export async function replaceSealed(kept: SealedAuthorities, secret: string, now: number): Promise<Authority> {
  return addSealed(kept, ((await kept.newest())?.number ?? 0) + 1, secret, now);
}

async function addSealed(kept: SealedAuthorities, number: number, secret: string, now: number): Promise<Authority> {
  await kept.add(number, seal(newAuthority(now), number, secret));
  // Another node may have been first.
  return (await readSealed(kept, secret)) as Authority;
}
