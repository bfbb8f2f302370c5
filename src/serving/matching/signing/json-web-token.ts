/** JSON Web Tokens (RFC 7519, 8037): signs claims, or gets one part of them wrong, and verifies tokens of its own keys. */
import { createHash, createHmac, sign, verify } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import type { SigningSetting } from '../../../model/mocks/definition/signing-schema.ts';
import type { SigningKey } from './signing-keys.ts';

/** A text is the secret of HS256. */
type TokenKey = SigningKey | string;

interface TokenOptions {
  readonly typ: string;
  readonly breaks: NonNullable<SigningSetting['break']> | undefined;
  readonly nowSeconds: number;
}

const HOUR_SECONDS = 3_600;

export function signToken(claims: JsonObject, key: TokenKey, { typ, breaks, nowSeconds }: TokenOptions): string {
  const own = typeof key === 'string' ? { alg: 'HS256', typ } : { alg: key.alg, typ, kid: key.kid };
  const kid = breaks === 'kid' ? { kid: 'unknown' } : {};
  const header = breaks === 'none' ? { alg: 'none', typ } : { ...own, ...kid };
  const signed = `${encoded(header)}.${encoded({ ...claims, ...wrongClaims(claims, breaks, nowSeconds) })}`;
  if (breaks === 'none') return `${signed}.`;
  const signature = signatureOf(signed, key);
  if (breaks === 'signature') signature[0] = (signature[0] as number) ^ 1;
  return `${signed}.${signature.toString('base64url')}`;
}

function wrongClaims({ iss, nonce }: JsonObject, breaks: TokenOptions['breaks'], now: number): JsonObject {
  switch (breaks) {
    case 'expired':
      return { iat: now - 2 * HOUR_SECONDS, exp: now - HOUR_SECONDS };
    case 'notBefore':
      return { nbf: now + HOUR_SECONDS };
    case 'audience':
      return { aud: 'another-audience' };
    case 'issuer':
      return { iss: `${typeof iss === 'string' ? iss : 'https:/'}/another` };
    case 'nonce':
      return { nonce: `another-${typeof nonce === 'string' ? nonce : 'nonce'}` };
    default:
      return {};
  }
}

function signatureOf(signed: string, key: TokenKey): Buffer {
  if (typeof key === 'string') return createHmac('sha256', key).update(signed).digest();
  return sign(digestOf(key), Buffer.from(signed), { key: key.privateKey, dsaEncoding: 'ieee-p1363' });
}

const digestOf = ({ alg }: SigningKey): string | null => (alg === 'EdDSA' ? null : 'sha256');

/** The claim `at_hash` of an ID token (OpenID Connect Core, 3.1.3.6): half of a hash, that of the signature; of Ed25519 SHA-512. */
export function accessTokenHash(token: string, alg: SigningKey['alg'] | 'HS256'): string {
  const hash = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(token)
    .digest();
  return hash.subarray(0, hash.length / 2).toString('base64url');
}

/** @returns The claims of a token that one of the keys signed and that is valid now; undefined for any other text. */
export function verifiedClaims(token: string, keys: readonly SigningKey[], nowSeconds: number): JsonObject | undefined {
  const [head = '', body = '', signature, ...more] = token.split('.');
  if (signature === undefined || more.length > 0) return undefined;
  const header = decoded(head);
  const key = keys.find(({ kid, alg }) => header?.['kid'] === kid && header['alg'] === alg);
  if (key === undefined) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  // Other texts decode to the same bytes.
  if (bytes.toString('base64url') !== signature) return undefined;
  const signed = Buffer.from(`${head}.${body}`);
  if (!verify(digestOf(key), signed, { key: key.publicKey, dsaEncoding: 'ieee-p1363' }, bytes)) return undefined;
  const claims = decoded(body);
  if (claims === undefined) return undefined;
  const { exp = Infinity, nbf = -Infinity } = claims;
  return Number(exp) > nowSeconds && Number(nbf) <= nowSeconds ? claims : undefined;
}

const encoded = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function decoded(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
