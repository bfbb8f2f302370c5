/**
 * The store on LMDB: one environment in the data directory, one table per kind of entry.
 *
 * | table             | key                             | value                                        |
 * |-------------------|---------------------------------|----------------------------------------------|
 * | owners            | owner id                        | latest date; entry version = owner's version |
 * | records           | [owner id, kind, createdVersion] | the record: a range is a list in order       |
 * | recordOwners      | record id                       | owner id                                     |
 * | history           | [owner id, version]             | who, when, what                              |
 * | idempotency       | digest                          | the first answer                             |
 * | idempotencyByDate | [date, digest]                  | nothing: what to prune first                 |
 * | keys              | key id                          | an API key (api-keys.ts)                     |
 * | meta              | name                            | format, whether it was initialised, …        |
 *
 * `overlappingSync` is off: a commit that resolves has been synced to disk, so that committed and durable are one event.
 * It was as fast (75,000 against 76,000 durable transactions a second at 64 writers).
 */
import { open, type Database, type RootDatabase } from 'lmdb';
import { join } from 'node:path';
import { Slices } from '../base/slices.ts';
import { HISTORY_RETENTION_DAYS, IDEMPOTENCY_RETENTION_MS, PRUNE_ENTRIES_PER_COMMIT } from '../limits.ts';
import { emptyOwner, type Change, type OwnerState } from '../model/owner-state.ts';
import { LmdbApiKeys } from './api-keys.ts';
import { GroupCommit } from './group-commit.ts';
import {
  decodeGroup,
  decodeHistory,
  decodeIdempotency,
  decodeRule,
  encodeGroup,
  encodeHistory,
  encodeIdempotency,
  encodeRule,
  FORMAT_VERSION,
  newIntern,
} from './record-codec.ts';
import type {
  ApiKeyStore,
  Commit,
  HistoryEntry,
  IdempotencyEntry,
  PreparedCommit,
  Store,
  StoreFigures,
} from './store.ts';

/** Name of the environment's file in the data directory. */
export const STORE_FILE = 'switchyard.mdb';
/** Record ids that one history entry names; deleting a group may change 100,000 rules. */
const HISTORY_IDS_MAX = 100;
/** Records read or encoded between two looks at the clock. */
const RECORDS_PER_LOOK = 256;
const EMPTY = Buffer.alloc(0);
const DAY_MS = 86_400_000;

const RULE = 'r';
const GROUP = 'g';
type RecordKey = [ownerId: string, kind: typeof RULE | typeof GROUP, createdVersion: number];

export interface LmdbStoreOptions {
  readonly historyRetentionDays?: number;
}

/** A data directory that cannot be used; the message is for the person who named it. */
export class DataDirectoryError extends Error {}

export class LmdbStore implements Store {
  readonly keys: ApiKeyStore;
  readonly failed: Promise<Error>;
  readonly figures: StoreFigures;
  readonly #env: RootDatabase;
  readonly #tables: Tables;
  readonly #commits: GroupCommit<LmdbCommit>;
  readonly #historyRetentionMs: number;

  private constructor(env: RootDatabase, options: LmdbStoreOptions) {
    this.#env = env;
    this.#tables = openTables(env);
    this.#historyRetentionMs = (options.historyRetentionDays ?? HISTORY_RETENTION_DAYS) * DAY_MS;
    this.#commits = new GroupCommit((commits) => this.#write(commits));
    this.failed = this.#commits.failed;
    this.figures = this.#commits.figures;
    this.keys = new LmdbApiKeys(env, this.#tables.keys, this.#tables.meta);
  }

  /**
   * Opens the store of a data directory, and makes it when there is none. Several processes may do so at once: LMDB
   * serialises their writes. That only one of them serves is instance-lock.ts's business.
   *
   * @throws DataDirectoryError when the directory cannot be used, or was written by a newer version.
   */
  static open(directory: string, options: LmdbStoreOptions = {}): LmdbStore {
    let env: RootDatabase;
    try {
      env = open({
        path: join(directory, STORE_FILE),
        noSubdir: true,
        maxDbs: 16,
        overlappingSync: false,
        encoding: 'binary',
      });
    } catch (error) {
      throw new DataDirectoryError(`cannot open the store in ${directory}: ${(error as Error).message}`);
    }
    const store = new LmdbStore(env, options);
    const format = store.#tables.meta.get('format');
    if (typeof format === 'number' && format > FORMAT_VERSION) {
      void env.close();
      throw new DataDirectoryError(
        `the store in ${directory} has format ${format}, and this version reads up to ${FORMAT_VERSION}: use a newer Switchyard`,
      );
    }
    return store;
  }

  /** Whether the first start on this directory is over. Set by the first key too, so that a key is never handed out twice. */
  get initialised(): boolean {
    return this.#tables.meta.get('initialised') === 1;
  }

  async markInitialised(): Promise<void> {
    const { meta } = this.#tables;
    await this.#env.transaction(() => {
      void meta.put('initialised', 1);
      void meta.put('format', FORMAT_VERSION);
    });
  }

  /** Runs `action` while no other process, and no other part of this one, is in a write transaction. Blocks until then. */
  exclusively<Result>(action: () => Result): Result {
    return this.#env.transactionSync(action);
  }

  ownerOf(recordId: string): string | undefined {
    return this.#tables.recordOwners.get(recordId);
  }

  async loadOwner(ownerId: string): Promise<OwnerState> {
    // An actor that was discarded may have left commits behind: what is read must include them.
    await this.#commits.settled();
    const { owners } = this.#tables;
    const entry = owners.getEntry(ownerId);
    const state = emptyOwner(ownerId);
    if (entry === undefined) return state;
    state.version = entry.version as number;
    state.latestDate = entry.value;
    const intern = newIntern();
    await this.#readRecords(ownerId, GROUP, (bytes) => state.groups.put(decodeGroup(bytes, intern)));
    await this.#readRecords(ownerId, RULE, (bytes) => state.rules.put(decodeRule(bytes, intern)));
    return state;
  }

  /** Reads in slices, each a range of its own: a cursor held over turns of the event loop would hold its snapshot too. */
  async #readRecords(ownerId: string, kind: RecordKey[1], take: (bytes: Buffer) => void): Promise<void> {
    const slices = new Slices();
    const end: RecordKey = [ownerId, kind, Infinity];
    let start: RecordKey = [ownerId, kind, 0];
    for (;;) {
      let count = 0;
      for (const { key, value } of this.#tables.records.getRange({
        start,
        end,
        exclusiveStart: true,
        limit: RECORDS_PER_LOOK,
      })) {
        take(value);
        start = key;
        count++;
      }
      if (count < RECORDS_PER_LOOK) return;
      if (slices.due()) await slices.nextTick();
    }
  }

  prepare(commit: Commit): LmdbCommit | Promise<LmdbCommit> {
    const prepared = new LmdbCommit(commit);
    if (commit.changes.length <= RECORDS_PER_LOOK) {
      for (const change of commit.changes) prepared.add(encodeChange(commit.principal.ownerId, change));
      return prepared;
    }
    return this.#prepareInSlices(commit, prepared);
  }

  async #prepareInSlices(commit: Commit, prepared: LmdbCommit): Promise<LmdbCommit> {
    const slices = new Slices();
    for (const [index, change] of commit.changes.entries()) {
      prepared.add(encodeChange(commit.principal.ownerId, change));
      if (index % RECORDS_PER_LOOK === 0 && slices.due()) await slices.nextTick();
    }
    return prepared;
  }

  commit(prepared: PreparedCommit): Promise<void> {
    return this.#commits.submit(prepared as LmdbCommit);
  }

  /** One transaction: all that is put in one turn of the event loop is, and each owner's part stands or falls as one. */
  async #write(commits: readonly LmdbCommit[]): Promise<void> {
    const { owners } = this.#tables;
    const byOwner = new Map<string, LmdbCommit[]>();
    for (const commit of commits) {
      const ownerCommits = byOwner.get(commit.ownerId);
      if (ownerCommits === undefined) byOwner.set(commit.ownerId, [commit]);
      else ownerCommits.push(commit);
    }
    const results: Promise<boolean>[] = [];
    for (const [ownerId, ownerCommits] of byOwner) {
      const { expectedVersion } = ownerCommits[0] as LmdbCommit;
      const last = ownerCommits.at(-1) as LmdbCommit;
      const writeAll = () => {
        for (const commit of ownerCommits) this.#put(commit);
        void owners.put(ownerId, last.date, last.expectedVersion + 1);
      };
      results.push(
        expectedVersion === 0
          ? owners.ifNoExists(ownerId, writeAll)
          : owners.ifVersion(ownerId, expectedVersion, writeAll),
      );
    }
    const held = await Promise.all(results);
    if (held.includes(false)) throw new Error('an owner was changed by another process');
  }

  #put(commit: LmdbCommit): void {
    const { records, recordOwners, history, idempotency, idempotencyByDate } = this.#tables;
    for (const { key, id, bytes } of commit.entries) {
      if (bytes === undefined) {
        void records.remove(key);
        void recordOwners.remove(id);
      } else {
        void records.put(key, bytes);
        // A record keeps its owner: only the one that makes it needs this entry.
        if (key[2] === commit.expectedVersion + 1) void recordOwners.put(id, commit.ownerId);
      }
    }
    void history.put([commit.ownerId, commit.expectedVersion + 1], commit.history);
    if (commit.idempotency !== undefined) {
      const { key, date, bytes } = commit.idempotency;
      void idempotency.put(key, bytes);
      void idempotencyByDate.put([date, key], EMPTY);
    }
  }

  idempotencyEntry(key: string): IdempotencyEntry | undefined {
    const bytes = this.#tables.idempotency.get(key);
    return bytes === undefined ? undefined : decodeIdempotency(bytes, key);
  }

  history(ownerId: string, fromVersion: number, countMax: number): HistoryEntry[] {
    const range = { start: [ownerId, fromVersion], end: [ownerId, Infinity], limit: countMax };
    return [...this.#tables.history.getRange(range)].map(({ key, value }) => decodeHistory(value, key[1]));
  }

  async prune(now: number): Promise<number> {
    return (
      (await this.#pruneIdempotency(now - IDEMPOTENCY_RETENTION_MS)) +
      (await this.#pruneHistory(now - this.#historyRetentionMs))
    );
  }

  async #pruneIdempotency(before: number): Promise<number> {
    const { idempotency, idempotencyByDate } = this.#tables;
    let pruned = 0;
    for (;;) {
      const keys = [...idempotencyByDate.getKeys({ end: [before], limit: PRUNE_ENTRIES_PER_COMMIT })] as [
        number,
        string,
      ][];
      if (keys.length === 0) return pruned;
      await this.#env.batch(() => {
        for (const [date, key] of keys) {
          void idempotencyByDate.remove([date, key]);
          // The key may have been used again since, for a request after the retention.
          const entry = this.idempotencyEntry(key);
          if (entry !== undefined && entry.date <= date) void idempotency.remove(key);
        }
      });
      pruned += keys.length;
    }
  }

  async #pruneHistory(before: number): Promise<number> {
    const { owners, history } = this.#tables;
    const slices = new Slices();
    let pruned = 0;
    // One owner at a time, each found anew: a cursor held over turns of the event loop would hold its snapshot too.
    for (let [ownerId] = owners.getKeys({ limit: 1 }); ownerId !== undefined;) {
      const old = this.#historyBefore(ownerId, before);
      if (old.length > 0) {
        await this.#env.batch(() => {
          for (const key of old) void history.remove(key);
        });
        pruned += old.length;
      } else {
        [ownerId] = owners.getKeys({ start: ownerId, exclusiveStart: true, limit: 1 });
      }
      if (slices.due()) await slices.nextTick();
    }
    return pruned;
  }

  /** Keys of an owner's oldest entries, as many as one transaction prunes. */
  #historyBefore(ownerId: string, before: number): [string, number][] {
    const keys: [string, number][] = [];
    const range = { start: [ownerId, 0], end: [ownerId, Infinity], limit: PRUNE_ENTRIES_PER_COMMIT };
    for (const { key, value } of this.#tables.history.getRange(range)) {
      if (decodeHistory(value, key[1]).date >= before) break;
      keys.push(key);
    }
    return keys;
  }

  async close(): Promise<void> {
    await this.#commits.settled();
    await this.#env.close();
  }
}

interface Tables {
  owners: Database<number, string>;
  records: Database<Buffer, RecordKey>;
  recordOwners: Database<string, string>;
  history: Database<Buffer, [string, number]>;
  idempotency: Database<Buffer, string>;
  idempotencyByDate: Database<Buffer, [number, string]>;
  keys: Database<Buffer, string>;
  meta: Database<number, string>;
}

function openTables(env: RootDatabase): Tables {
  return {
    owners: env.openDB({ name: 'owners', encoding: 'msgpack', useVersions: true }),
    records: env.openDB({ name: 'records', encoding: 'binary' }),
    recordOwners: env.openDB({ name: 'recordOwners', encoding: 'string' }),
    history: env.openDB({ name: 'history', encoding: 'binary' }),
    idempotency: env.openDB({ name: 'idempotency', encoding: 'binary' }),
    idempotencyByDate: env.openDB({ name: 'idempotencyByDate', encoding: 'binary' }),
    keys: env.openDB({ name: 'keys', encoding: 'binary' }),
    meta: env.openDB({ name: 'meta', encoding: 'msgpack' }),
  };
}

interface RecordEntry {
  readonly key: RecordKey;
  readonly id: string;
  /** Absent when the record is removed. */
  readonly bytes: Buffer | undefined;
}

/** A commit with everything encoded, so that nothing can fail between the first put and the last. */
class LmdbCommit implements PreparedCommit {
  readonly ownerId: string;
  readonly expectedVersion: number;
  readonly date: number;
  readonly history: Buffer;
  readonly idempotency: { key: string; date: number; bytes: Buffer } | undefined;
  readonly entries: RecordEntry[] = [];

  constructor(commit: Commit) {
    const { principal, date, command, changes, idempotency } = commit;
    this.ownerId = principal.ownerId;
    this.expectedVersion = commit.expectedVersion;
    this.date = date;
    this.history = encodeHistory({
      date,
      userId: principal.userId,
      keyId: principal.keyId,
      command,
      recordIds: changes.slice(0, HISTORY_IDS_MAX).map((change) => recordOf(change).id),
      recordCount: changes.length,
    });
    this.idempotency = idempotency && {
      key: idempotency.key,
      date: idempotency.date,
      bytes: encodeIdempotency(idempotency),
    };
  }

  add(entry: RecordEntry): void {
    this.entries.push(entry);
  }
}

function encodeChange(ownerId: string, change: Change): RecordEntry {
  const { id, createdVersion } = recordOf(change);
  switch (change.kind) {
    case 'putRule':
      return { key: [ownerId, RULE, createdVersion], id, bytes: encodeRule(change.rule) };
    case 'removeRule':
      return { key: [ownerId, RULE, createdVersion], id, bytes: undefined };
    case 'putGroup':
      return { key: [ownerId, GROUP, createdVersion], id, bytes: encodeGroup(change.group) };
    case 'removeGroup':
      return { key: [ownerId, GROUP, createdVersion], id, bytes: undefined };
  }
}

function recordOf(change: Change) {
  return 'rule' in change ? change.rule : change.group;
}
