/**
 * From the `x-api-key` header to a principal.
 *
 * Keys are cached until the store's key generation changes, which is polled every KEYS_POLL_MS. Once the hash of a
 * secret has matched, the presented key is compared with the cached text: in constant time as well, and without half a
 * microsecond of hashing per request. A key that has expired is remembered as well: it costs no read of the store, and
 * its holder, who alone has its secret, gets that reason.
 */
import { timingSafeEqual } from 'node:crypto';
import { followNumber } from '../../base/follow-number.ts';
import type { Clock } from '../../base/clock.ts';
import { KEYS_POLL_MS } from '../../limits.ts';
import { digestSecret, keyIdOf, parseApiKey } from '../../model/api-key.ts';
import type { Principal } from '../../model/principal.ts';
import type { ApiKeyStore } from '../../store/store.ts';

/** API keys cached between requests. */
export const KEYS_CACHED_MAX = 10_000;

interface CachedKey {
  readonly principal: Principal;
  /** A whole key that is not revoked. */
  readonly text: string;
}

/** The part of the key store that it needs. */
type KeyReader = Pick<ApiKeyStore, 'find' | 'generation'>;

export class Auth {
  readonly #keys: KeyReader;
  readonly #clock: Clock;
  readonly #known = new Map<string, CachedKey>();
  readonly #following: ReturnType<typeof followNumber>;

  constructor(keys: KeyReader, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
    this.#following = followNumber(
      () => keys.generation(),
      KEYS_POLL_MS,
      () => this.#known.clear(),
    );
  }

  /** @returns undefined for a key that is missing, malformed, unknown, wrong, revoked or expired, without distinction. */
  authenticate(presented: string | undefined): Principal | undefined {
    if (presented === undefined) return undefined;
    const principal = this.#remembered(presented) ?? this.#lookUp(presented);
    return principal === undefined || this.#isExpired(principal) ? undefined : principal;
  }

  /** Whether a key that `authenticate` has just refused is a right one that has expired. */
  hasExpired(presented: string): boolean {
    const principal = this.#remembered(presented);
    return principal !== undefined && this.#isExpired(principal);
  }

  /** Heeds at once what this process has changed. */
  refresh(): void {
    this.#following.look();
  }

  stop(): void {
    this.#following.stop();
  }

  #remembered(presented: string): Principal | undefined {
    const known = this.#known.get(keyIdOf(presented));
    return known !== undefined && equalSecrets(known.text, presented) ? known.principal : undefined;
  }

  /** The clock is read for keys alone that end. */
  #isExpired({ expiresAt }: Principal): boolean {
    return expiresAt !== undefined && this.#clock() >= expiresAt;
  }

  #lookUp(presented: string): Principal | undefined {
    const parsed = parseApiKey(presented);
    if (parsed === undefined) return undefined;
    const key = this.#keys.find(parsed.keyId);
    if (key === undefined || key.revocationDate !== null) return undefined;
    if (!timingSafeEqual(digestSecret(parsed.secret), key.secretDigest)) return undefined;
    const { keyId, ownerId, userId, role, expiresAt } = key;
    const principal: Principal = { keyId, ownerId, userId, role, expiresAt };
    if (this.#known.size >= KEYS_CACHED_MAX) this.#known.clear();
    this.#known.set(keyId, { principal, text: presented });
    return principal;
  }
}

/** Compares every character, whichever differ. */
function equalSecrets(known: string, presented: string): boolean {
  if (known.length !== presented.length) return false;
  let difference = 0;
  for (let index = 0; index < known.length; index++)
    difference |= known.charCodeAt(index) ^ presented.charCodeAt(index);
  return difference === 0;
}
