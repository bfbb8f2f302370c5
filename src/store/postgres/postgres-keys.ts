/**
 * API keys in PostgreSQL: read from a copy of all, since every request needs one at once. The copy is compared with the
 * database each KEYS_POLL_MS, by a number that rises with each change.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KEYS_POLL_MS } from '../../limits.ts';
import type { OwnerQuota } from '../../model/owner-quota.ts';
import { encodeKey, encodeQuota, ownerOfQuota, quotaName, quotasIn, readKey } from '../codec/key-codec.ts';
import type { ApiKey, ApiKeyStore } from '../store.ts';
import { bytesArray, textArray } from './arrays.ts';
import type { Connection } from './connection.ts';
import type { Queries } from './queries.ts';

/**
 * How long a change of a key waits in PostgreSQL before it is acknowledged. Each server polls, and by then has seen it:
 * one poll that has just missed the change, and the time for two answers of the database.
 */
const KEYS_SEEN_MS = 2 * KEYS_POLL_MS;

/** Changes of keys wait for each other here, and their generation rises. */
const RAISE = `update meta set value = value + 1 where name = 'keysGeneration'`;
const MARK = `insert into meta values ('initialised', 1) on conflict do nothing`;

export class PostgresKeys implements ApiKeyStore {
  readonly #connection: Connection;
  #keys: ReadonlyMap<string, ApiKey | undefined> = new Map();
  #quotas: ReadonlyMap<string, OwnerQuota> = new Map();
  #generation = -1;
  #polling: NodeJS.Timeout | undefined;
  #refreshing: Promise<void> | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Keeps the copy as new as the poll. While the database is away it stays: nobody reads or writes anything with it then.
   *
   * @param onPolled Called with each poll's outcome: undefined when the database has answered.
   */
  follow(onPolled: (fault: Error | undefined) => void): void {
    let isPolling = false;
    const poll = async (): Promise<void> => {
      if (isPolling) return;
      isPolling = true;
      await this.refresh().then(() => onPolled(undefined), onPolled);
      isPolling = false;
    };
    this.#polling = setInterval(() => void poll(), KEYS_POLL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#polling);
  }

  /** Resolves when the copy has every key that was there at the call. @throws StoreUnavailableError */
  refresh(): Promise<void> {
    // What one that is on its way has read may be older.
    const before = this.#refreshing;
    const refreshing = (async () => {
      await before?.catch(() => undefined);
      await this.#read();
    })();
    this.#refreshing = refreshing;
    return refreshing;
  }

  async #read(): Promise<void> {
    const [row] = await this.#connection.rows<{ value: string }>(
      `select value from meta where name = 'keysGeneration'`,
      [],
      'generation',
    );
    const generation = Number(row?.value);
    if (generation === this.#generation) return;
    const rows = await this.#connection.rows<{ key_id: string; entry: Buffer }>(
      'select key_id, entry from api_key order by key_id',
      [],
    );
    const keys = rows.filter(({ key_id }) => ownerOfQuota(key_id) === undefined);
    this.#keys = new Map(keys.map(({ key_id, entry }) => [key_id, readKey(key_id, entry)]));
    this.#quotas = quotasIn(rows.map(({ key_id, entry }) => [key_id, entry]));
    // Read before the keys: a change between the two is seen at the next poll.
    this.#generation = generation;
  }

  find(keyId: string): ApiKey | undefined {
    return this.#keys.get(keyId);
  }

  generation(): number {
    return this.#generation;
  }

  list(): ApiKey[] {
    return [...this.#keys.values()].filter((key) => key !== undefined);
  }

  damagedIds(): string[] {
    return [...this.#keys].filter(([, key]) => key === undefined).map(([keyId]) => keyId);
  }

  async add(key: ApiKey): Promise<void> {
    await this.#put(key.keyId, encodeKey(key));
    await sleep(KEYS_SEEN_MS);
  }

  async revoke(keyId: string, date: number): Promise<boolean> {
    await this.refresh();
    if (!this.#keys.has(keyId)) return false;
    const key = this.#keys.get(keyId);
    if (key === undefined) await this.#remove([keyId]);
    else if (key.revocationDate === null) await this.#put(keyId, encodeKey({ ...key, revocationDate: date }));
    await sleep(KEYS_SEEN_MS);
    return true;
  }

  async removeExpired(before: number): Promise<number> {
    const expired = this.list().filter(({ expiresAt = Infinity }) => expiresAt < before);
    if (expired.length > 0) await this.#remove(expired.map(({ keyId }) => keyId));
    return expired.length;
  }

  replaceAll(keys: readonly ApiKey[]): Promise<void> {
    return this.#change(async (queries) => {
      await queries.rows(`delete from api_key where key_id not like '${quotaName('%')}'`);
      await queries.rows('insert into api_key select * from unnest($1::text[], $2::bytea[])', [
        textArray(keys.map(({ keyId }) => keyId)),
        bytesArray(keys.map(encodeKey)),
      ]);
    });
  }

  quotas(): ReadonlyMap<string, OwnerQuota> {
    return this.#quotas;
  }

  async setQuota(ownerId: string, quota: OwnerQuota | undefined): Promise<void> {
    const name = quotaName(ownerId);
    await (quota === undefined ? this.#remove([name]) : this.#put(name, encodeQuota(ownerId, quota)));
    await sleep(KEYS_SEEN_MS);
  }

  #put(name: string, entry: Buffer): Promise<void> {
    return this.#change((queries) =>
      queries.rows(`insert into api_key values ($1, $2) on conflict (key_id) do update set entry = excluded.entry`, [
        name,
        entry,
      ]),
    );
  }

  #remove(keyIds: readonly string[]): Promise<void> {
    return this.#change((queries) =>
      queries.rows('delete from api_key where key_id = any($1::text[])', [textArray(keyIds)]),
    );
  }

  /** Runs a change, which must be idempotent: a lost connection repeats it. */
  async #change(change: (queries: Queries) => Promise<unknown>): Promise<void> {
    await this.#connection.transaction(async (queries) => {
      await queries.rows(RAISE);
      await queries.rows(MARK);
      await change(queries);
    });
    await this.refresh();
  }
}
