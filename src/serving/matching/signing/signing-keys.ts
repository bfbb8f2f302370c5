/**
 * The keys that mocks sign tokens with, in a thread. All follow from the server's material, so each thread and node has the same: those for
 * ES256 and EdDSA by HKDF from its secret, for each mock, session and generation; those for RS256 are two of the server, by generation, with a
 * `kid` for each mock and session.
 */
import { createECDH, createPrivateKey, createPublicKey, hkdfSync, type JsonWebKey, type KeyObject } from 'node:crypto';
import {
  SIGNING_DEFAULTS,
  type SigningAlgorithm,
  type SigningSetting,
} from '../../../model/mocks/definition/signing-schema.ts';

/** The secrets of a server: app/signing-keys.ts keeps them. */
export interface SigningMaterial {
  /** 32 bytes as base64url. */
  readonly secret: string;
  /** PKCS #8, PEM; absent until a mock needs them. */
  readonly rsa?: readonly [even: string, odd: string] | undefined;
}

/** Who signs: a mock, or it in a session. */
export interface Signer {
  readonly mockId: string;
  /** "" outside of sessions. */
  readonly sessionId: string;
  readonly setting: SigningSetting;
}

export interface SigningKey {
  readonly kid: string;
  readonly alg: SigningAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key, with `kid`, `alg` and `use`. */
  readonly jwk: JsonWebKey;
}

/** Keys of mocks and sessions that a thread remembers, each some 4 kB: one is derived in 0.4 ms. */
const KEYS_MAX = 1_000;
const SECRET_BYTES = 32;
const KID_BYTES = 9;

let material: SigningMaterial | undefined;
const keys = new Map<string, SigningKey>();
const sealingKeys = new Map<string, Buffer>();

/** Sets the material of this thread. */
export function useSigningMaterial(given: SigningMaterial): void {
  if (given.secret === material?.secret && given.rsa?.[0] === material.rsa?.[0]) return;
  material = given;
  keys.clear();
  sealingKeys.clear();
}

/** The key that signs, and before it none or that of the generation before, which is still valid. @returns None without material. */
export function keysOf(signer: Signer): readonly SigningKey[] {
  const { generation = SIGNING_DEFAULTS.generation, overlap = SIGNING_DEFAULTS.overlap } = signer.setting;
  const own = keyOf(signer, generation);
  const before = overlap && generation > 1 ? keyOf(signer, generation - 1) : undefined;
  return [own, before].filter((key) => key !== undefined);
}

/** The key of sealed texts of the mock, or of its session. */
export function sealingKeyOf({ mockId, sessionId }: Signer): Buffer | undefined {
  if (material === undefined) return undefined;
  const { secret } = material;
  return remembered(sealingKeys, JSON.stringify([mockId, sessionId]), (name) => derived(secret, 'seal', name));
}

function keyOf({ mockId, sessionId, setting }: Signer, generation: number): SigningKey | undefined {
  const { alg = SIGNING_DEFAULTS.alg } = setting;
  if (material === undefined || (alg === 'RS256' && material.rsa === undefined)) return undefined;
  const { secret, rsa } = material;
  return remembered(keys, JSON.stringify([mockId, sessionId, alg, generation]), (name) => {
    const privateKey =
      rsa !== undefined && alg === 'RS256'
        ? createPrivateKey(rsa[(generation % 2) as 0 | 1])
        : MADE[alg as 'ES256' | 'EdDSA'](secret, name);
    const publicKey = createPublicKey(privateKey);
    const kid = derived(secret, 'kid', name).toString('base64url', 0, KID_BYTES);
    return { kid, alg, privateKey, publicKey, jwk: { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' } };
  });
}

const MADE = {
  ES256(secret: string, name: string): KeyObject {
    // The chance that a derived number is not a key is 2^-32: then the next one is.
    for (let attempt = 0; ; attempt++) {
      const ecdh = createECDH('prime256v1');
      const d = derived(secret, `ES256 ${attempt}`, name);
      try {
        ecdh.setPrivateKey(d);
      } catch {
        continue;
      }
      const [x, y] = [ecdh.getPublicKey().subarray(1, 33), ecdh.getPublicKey().subarray(33)];
      const text = (bytes: Buffer): string => bytes.toString('base64url');
      return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: text(d), x: text(x), y: text(y) } });
    }
  },
  EdDSA(secret: string, name: string): KeyObject {
    const key = Buffer.concat([ED25519_PKCS8, derived(secret, 'EdDSA', name)]);
    return createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  },
};

/** PKCS #8 before the seed of an Ed25519 key (RFC 8410). */
const ED25519_PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

function derived(secret: string, purpose: string, name: string): Buffer {
  const info = `switchyard ${purpose} ${name}`;
  return Buffer.from(hkdfSync('sha256', Buffer.from(secret, 'base64url'), '', info, SECRET_BYTES));
}

function remembered<Value>(known: Map<string, Value>, name: string, make: (name: string) => Value): Value {
  const found = known.get(name) ?? make(name);
  known.delete(name);
  known.set(name, found);
  for (const oldest of known.keys()) {
    if (known.size <= KEYS_MAX) break;
    known.delete(oldest);
  }
  return found;
}
