/**
 * One-time codes for the console: written by the command line, also while a server runs, and taken by the server.
 *
 * They lie in the table of keys, by the digest of the code: a table of their own would have to be made in every store,
 * and an older server takes a table that it does not know for damage. How long it takes to find one reveals something
 * about digests, from which nobody finds a code, and nothing about codes.
 */
import type { Database, RootDatabase } from 'lmdb';
import { encodeCode, readCode } from './codec/key-codec.ts';
import { STORE_FORMAT } from './store-format.ts';
import type { CodeHolder, ConsoleCodeStore } from './store.ts';
import type { Settings } from './tables/settings.ts';

/** No id of a key has a colon. */
const PREFIX = 'code:';

/** Whether an entry of the table of keys is a code. */
export function isCode(name: Buffer): boolean {
  return name.toString('latin1', 0, PREFIX.length) === PREFIX;
}

export class LmdbConsoleCodes implements ConsoleCodeStore {
  readonly #env: RootDatabase;
  readonly #keys: Database<Buffer, Buffer>;
  readonly #settings: Settings;

  constructor(env: RootDatabase, keys: Database<Buffer, Buffer>, settings: Settings) {
    this.#env = env;
    this.#keys = keys;
    this.#settings = settings;
  }

  async add(digest: string, holder: CodeHolder, expiresAt: number): Promise<void> {
    const name = PREFIX + digest;
    await this.#env.transaction(() => {
      void this.#keys.put(Buffer.from(name), encodeCode(holder, expiresAt, name));
      this.#settings.raise('format', STORE_FORMAT);
    });
  }

  async take(digest: string, now: number): Promise<CodeHolder | undefined> {
    const name = Buffer.from(PREFIX + digest);
    // Another process may have written after this one's read transaction began.
    this.#env.resetReadTxn();
    // Nobody without a code makes the store write.
    if (!this.#keys.doesExist(name)) return undefined;
    return this.#env.transaction(() => {
      const bytes = this.#keys.get(name);
      if (bytes === undefined) return undefined;
      void this.#keys.remove(name);
      const code = readCode(bytes, name.toString());
      return code === undefined || code.expiresAt <= now ? undefined : code.holder;
    });
  }

  async removeExpired(now: number): Promise<number> {
    const codes = [...this.#keys.getRange()].filter(({ key }) => isCode(key));
    const over = codes.filter(({ key, value }) => !((readCode(value, key.toString())?.expiresAt ?? -Infinity) > now));
    if (over.length === 0) return 0;
    await this.#env.transaction(() => {
      for (const { key } of over) void this.#keys.remove(key);
    });
    return over.length;
  }
}
