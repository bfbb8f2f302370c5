/**
 * API keys in the store: written by the command line, also while a server runs, and read by the server.
 *
 * Each change raises a generation in the same transaction: a server detects changes by reading one small entry.
 */
import type { Database, RootDatabase } from 'lmdb';
import type { OwnerQuota } from '../model/owner-quota.ts';
import { encodeKey, encodeQuota, ownerOfQuota, quotaName, quotasIn, readKey } from './codec/key-codec.ts';
import { STORE_FORMAT } from './store-format.ts';
import type { Settings } from './tables/settings.ts';
import { isCode } from './console-codes.ts';
import type { ApiKey, ApiKeyStore } from './store.ts';

export class LmdbApiKeys implements ApiKeyStore {
  readonly #env: RootDatabase;
  readonly #keys: Database<Buffer, Buffer>;
  readonly #settings: Settings;

  constructor(env: RootDatabase, keys: Database<Buffer, Buffer>, settings: Settings) {
    this.#env = env;
    this.#keys = keys;
    this.#settings = settings;
  }

  find(keyId: string): ApiKey | undefined {
    // Another process may have written after this one's read transaction began.
    this.#env.resetReadTxn();
    const bytes = this.#keys.get(nameOf(keyId));
    return bytes && readKey(keyId, bytes);
  }

  list(): ApiKey[] {
    return this.#entries().flatMap(({ key, value }) => readKey(idOf(key), value) ?? []);
  }

  damagedIds(): string[] {
    return this.#entries().flatMap(({ key, value }) => (readKey(idOf(key), value) === undefined ? idOf(key) : []));
  }

  async add(key: ApiKey): Promise<void> {
    await this.#env.transaction(() => {
      void this.#keys.put(nameOf(key.keyId), encodeKey(key));
      this.#markChanged();
    });
  }

  async revoke(keyId: string, date: number): Promise<boolean> {
    return this.#env.transaction(() => {
      const key = this.find(keyId);
      if (key === undefined) {
        if (!this.#keys.doesExist(nameOf(keyId))) return false;
        void this.#keys.remove(nameOf(keyId));
        this.#markChanged();
      } else if (key.revocationDate === null) {
        void this.#keys.put(nameOf(keyId), encodeKey({ ...key, revocationDate: date }));
        this.#markChanged();
      }
      return true;
    });
  }

  async removeExpired(before: number): Promise<number> {
    const expired = this.list().filter(({ expiresAt = Infinity }) => expiresAt < before);
    if (expired.length === 0) return 0;
    await this.#env.transaction(() => {
      for (const { keyId } of expired) void this.#keys.remove(nameOf(keyId));
      this.#markChanged();
    });
    return expired.length;
  }

  async replaceAll(keys: readonly ApiKey[]): Promise<void> {
    await this.#env.transaction(() => {
      for (const name of this.#keys.getKeys()) if (ownerOfQuota(idOf(name)) === undefined) void this.#keys.remove(name);
      for (const key of keys) void this.#keys.put(nameOf(key.keyId), encodeKey(key));
      this.#markChanged();
    });
  }

  quotas(): ReadonlyMap<string, OwnerQuota> {
    this.#env.resetReadTxn();
    return quotasIn([...this.#keys.getRange()].map(({ key, value }) => [idOf(key), value]));
  }

  async setQuota(ownerId: string, quota: OwnerQuota | undefined): Promise<void> {
    const name = nameOf(quotaName(ownerId));
    await this.#env.transaction(() => {
      if (quota === undefined) void this.#keys.remove(name);
      else void this.#keys.put(name, encodeQuota(ownerId, quota));
      this.#markChanged();
    });
  }

  generation(): number {
    this.#env.resetReadTxn();
    return this.#settings.get('keysGeneration') ?? 0;
  }

  #entries(): { key: Buffer; value: Buffer }[] {
    return [...this.#keys.getRange()].filter(({ key }) => !isCode(key) && ownerOfQuota(idOf(key)) === undefined);
  }

  /** A store with a key is initialised: the first start of a server issues no other key. */
  #markChanged(): void {
    this.#settings.put('keysGeneration', this.generation() + 1);
    this.#settings.put('initialised', 1);
    this.#settings.raise('format', STORE_FORMAT);
  }
}

/**
 * The bytes that lmdb-js writes for a text. Used as bytes, since lmdb-js may decode a damaged key to anything, or
 * throw.
 */
function nameOf(keyId: string): Buffer {
  return Buffer.from(keyId);
}

function idOf(name: Buffer): string {
  return name.toString();
}
