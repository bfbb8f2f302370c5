/**
 * From the `x-api-key` header to a principal.
 *
 * Keys are cached until the store's key generation changes, which is polled every KEYS_POLL_MS. Once the hash of a
 * secret has matched, the presented key is compared with the cached text: in constant time as well, and without half a
 * microsecond of hashing per request.
 */
import { timingSafeEqual } from 'node:crypto';
import { KEYS_CACHED_MAX, KEYS_POLL_MS } from '../../limits.ts';
import { digestSecret, keyIdOf, parseApiKey } from '../../model/api-key.ts';
import type { Principal } from '../../model/principal.ts';
import type { ApiKeyStore } from '../../store/store.ts';

interface Known {
  readonly principal: Principal;
  /** A whole key that is valid. */
  readonly text: string;
}

/** The part of the key store that it needs. */
type KeyReader = Pick<ApiKeyStore, 'find' | 'generation'>;

export class Auth {
  readonly #keys: KeyReader;
  readonly #known = new Map<string, Known>();
  readonly #poll: NodeJS.Timeout;
  #generation: number;

  constructor(keys: KeyReader) {
    this.#keys = keys;
    this.#generation = keys.generation();
    this.#poll = setInterval(() => this.#clearWhenChanged(), KEYS_POLL_MS);
    this.#poll.unref();
  }

  /** @returns undefined for a key that is missing, malformed, unknown, wrong or revoked, without distinction. */
  authenticate(presented: string | undefined): Principal | undefined {
    if (presented === undefined) return undefined;
    const known = this.#known.get(keyIdOf(presented));
    if (known !== undefined && equalSecrets(known.text, presented)) return known.principal;
    return this.#lookUp(presented);
  }

  stop(): void {
    clearInterval(this.#poll);
  }

  #lookUp(presented: string): Principal | undefined {
    const parsed = parseApiKey(presented);
    if (parsed === undefined) return undefined;
    const key = this.#keys.find(parsed.keyId);
    if (key === undefined || key.revocationDate !== null) return undefined;
    if (!timingSafeEqual(digestSecret(parsed.secret), key.secretDigest)) return undefined;
    const { keyId, ownerId, userId, role } = key;
    const principal: Principal = { keyId, ownerId, userId, role };
    if (this.#known.size >= KEYS_CACHED_MAX) this.#known.clear();
    this.#known.set(keyId, { principal, text: presented });
    return principal;
  }

  #clearWhenChanged(): void {
    const generation = this.#keys.generation();
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#known.clear();
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
