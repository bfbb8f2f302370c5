/**
 * API keys in the store: written by the command line beside a running server, read by the server.
 *
 * Each change raises a generation in the same transaction, so that a server learns of it by reading one small entry.
 */
import type { Database, RootDatabase } from 'lmdb';
import type { Role } from '../model/principal.ts';
import { isEngineRejection } from './damage.ts';
import { fieldsOf, formed, STORE_FORMAT } from './codec/form.ts';
import type { Settings } from './settings.ts';
import type { ApiKey, ApiKeyStore } from './store.ts';

const KEY_FORM = 1;

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
    // Another process may have written since this one's read transaction began.
    this.#env.resetReadTxn();
    const bytes = this.#keys.get(nameOf(keyId));
    return bytes && readKey(keyId, bytes);
  }

  list(): ApiKey[] {
    return [...this.#keys.getRange()].flatMap(({ key, value }) => readKey(idOf(key), value) ?? []);
  }

  damagedIds(): string[] {
    return [...this.#keys.getRange()].flatMap(({ key, value }) =>
      readKey(idOf(key), value) === undefined ? idOf(key) : [],
    );
  }

  async add(key: ApiKey): Promise<void> {
    await this.#env.transaction(() => {
      void this.#keys.put(nameOf(key.keyId), encode(key));
      this.#changed();
    });
  }

  async revoke(keyId: string, date: number): Promise<boolean> {
    return this.#env.transaction(() => {
      const key = this.find(keyId);
      if (key === undefined) {
        if (!this.#keys.doesExist(nameOf(keyId))) return false;
        void this.#keys.remove(nameOf(keyId));
        this.#changed();
      } else if (key.revocationDate === null) {
        void this.#keys.put(nameOf(keyId), encode({ ...key, revocationDate: date }));
        this.#changed();
      }
      return true;
    });
  }

  async replaceAll(keys: readonly ApiKey[]): Promise<void> {
    await this.#env.transaction(() => {
      for (const name of this.#keys.getKeys()) void this.#keys.remove(name);
      for (const key of keys) void this.#keys.put(nameOf(key.keyId), encode(key));
      this.#changed();
    });
  }

  generation(): number {
    this.#env.resetReadTxn();
    return this.#settings.get('keysGeneration') ?? 0;
  }

  /** A store with a key is an initialised one: the first start of a server hands out no other. */
  #changed(): void {
    this.#settings.put('keysGeneration', this.generation() + 1);
    this.#settings.put('initialised', 1);
    if ((this.#settings.get('format') ?? 0) < STORE_FORMAT) this.#settings.put('format', STORE_FORMAT);
  }
}

/** Bytes, which lmdb-js writes for a text too: of a damaged one it might make anything, or throw. */
function nameOf(keyId: string): Buffer {
  return Buffer.from(keyId);
}

function idOf(name: Buffer): string {
  return name.toString();
}

function encode(key: ApiKey): Buffer {
  return formed(
    [KEY_FORM, key.ownerId, key.userId, key.role, key.creationDate, key.revocationDate, key.secretDigest],
    key.keyId,
  );
}

/** @returns undefined when it is damaged: one key says nothing of the others. */
function readKey(keyId: string, bytes: Buffer): ApiKey | undefined {
  try {
    return decode(keyId, bytes);
  } catch (error) {
    if (isEngineRejection(error)) throw error;
    return undefined;
  }
}

function decode(keyId: string, bytes: Buffer): ApiKey {
  const [, ownerId, userId, role, creationDate, revocationDate, secretDigest] = fieldsOf(bytes, KEY_FORM, keyId) as [
    number,
    string,
    string,
    Role,
    number,
    number | null,
    Buffer,
  ];
  return { keyId, ownerId, userId, role, creationDate, revocationDate, secretDigest };
}
