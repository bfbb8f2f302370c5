/**
 * The store on LMDB: one environment in the data directory, with the tables of tables.ts.
 *
 * Opens it, loads owners, writes batches of commits. What a commit's bytes are is in encoded-commit.ts, how commits are gathered in
 * group-commit.ts, what is forgotten with time in prune.ts.
 *
 * `overlappingSync` is off: a commit that resolves has been synced to disk, so that committed and durable are one event.
 * It was as fast (75,000 against 76,000 durable transactions a second at 64 writers).
 */
import { open, type RangeOptions, type RootDatabase } from 'lmdb';
import { join } from 'node:path';
import { makeDirectory } from '../base/make-directory.ts';
import { Slices } from '../base/slices.ts';
import { DISK_LOOK_MS, HISTORY_RETENTION_DAYS, IDEMPOTENCY_RETENTION_MS, PRUNE_ENTRIES_PER_COMMIT } from '../limits.ts';
import type { HistoryEntry } from '../model/history.ts';
import type { PublishedMock } from '../model/mocks/definition.ts';
import { definitionOf, type Mock, type MockVersion, type RouteRevision } from '../model/mocks/mock.ts';
import { emptyOwner, type Collection, type Listed, type OwnerState } from '../model/owner-state.ts';
import { countAnswers, slotsIn } from './answer-slots.ts';
import { LmdbApiKeys } from './api-keys.ts';
import { checkFirst } from './check/check-store.ts';
import { EarlyLook } from './check/early-look.ts';
import { encodeCommit, putCommit, type EncodedCommit } from './codec/encoded-commit.ts';
import { STORE_FORMAT } from './codec/form.ts';
import { decodeMock, decodeMockHead, decodeMockVersions, decodePublished, decodeRoute } from './codec/mock-codec.ts';
import {
  decodeGroup,
  decodeHistory,
  decodeIdempotency,
  decodeOwner,
  decodeRule,
  encodeOwner,
  newIntern,
} from './codec/record-codec.ts';
import { contentBytes } from './codec/seal.ts';
import { damageOf, isEngineRejection, readRecord } from './damage.ts';
import { DiskRoom, fileBytes, refuseFullDisk } from './disk-room.ts';
import { GroupCommit } from './group-commit.ts';
import { prune } from './prune.ts';
import { Settings } from './settings.ts';
import {
  DamageError,
  type ApiKeyStore,
  type Commit,
  type IdempotencyEntry,
  type PreparedCommit,
  type RoomFigures,
  type Store,
  type StoreFigures,
} from './store.ts';
import { isDamaged } from './table-keys.ts';
import {
  GROUP,
  isEmpty,
  MOCK,
  MOCK_ROUTE,
  MOCK_VERSIONS,
  openTables,
  RULE,
  type RecordKey,
  type Tables,
} from './tables.ts';

/** Name of the environment's file in the data directory. */
export const STORE_FILE = 'switchyard.mdb';
/** Records read between two looks at the clock. */
const RECORDS_PER_LOOK = 256;
const DAY_MS = 86_400_000;

export interface LmdbStoreOptions {
  readonly historyRetentionDays?: number;
  /** Kept free on the disk for deletes; 0, as when it is absent, refuses nothing. */
  readonly diskReserveBytes?: number;
  /** Called when the disk was found full, and when it was found to have room again. */
  readonly onRoomChanged?: (room: RoomFigures) => void;
}

/** A data directory that cannot be used; the message is for the person who named it. */
export class DataDirectoryError extends Error {}

export class LmdbStore implements Store {
  readonly keys: ApiKeyStore;
  readonly failed: Promise<Error>;
  readonly figures: StoreFigures;
  readonly #env: RootDatabase;
  readonly #directory: string;
  readonly #tables: Tables;
  readonly #settings: Settings;
  readonly #commits: GroupCommit<EncodedCommit>;
  readonly #historyRetentionMs: number;
  readonly #room: DiskRoom;
  readonly #looking: NodeJS.Timeout;
  readonly #closing = new AbortController();
  /** Owners whose load failed: reading them again would find the same. */
  readonly #damaged = new Map<string, DamageError>();
  #pruning: Promise<number> | undefined;

  private constructor(env: RootDatabase, directory: string, options: LmdbStoreOptions) {
    this.#env = env;
    this.#directory = directory;
    this.#tables = openTables(env);
    this.#historyRetentionMs = (options.historyRetentionDays ?? HISTORY_RETENTION_DAYS) * DAY_MS;
    this.#commits = new GroupCommit((commits) => this.#write(commits));
    this.failed = this.#commits.failed;
    this.figures = this.#commits.figures;
    this.#settings = new Settings(this.#tables.meta);
    this.keys = new LmdbApiKeys(env, this.#tables.keys, this.#settings);
    this.#room = new DiskRoom(directory, options.diskReserveBytes ?? 0, () => fileBytes(env, this.#tables));
    this.#looking = this.#lookAtDisk(options.onRoomChanged);
  }

  /**
   * Opens the store of a data directory, and makes both when there are none. Several processes may do so at once: LMDB
   * serialises their writes. That only one of them serves is instance-lock.ts's business.
   *
   * @throws DataDirectoryError when the directory cannot be used, or was written by a newer version.
   */
  static open(directory: string, options: LmdbStoreOptions = {}): LmdbStore {
    const path = join(directory, STORE_FILE);
    try {
      makeDirectory(directory);
      checkFirst(path);
      refuseFullDisk(directory, path);
      const env = open({ path, noSubdir: true, maxDbs: 16, overlappingSync: false, encoding: 'binary' });
      return new LmdbStore(env, directory, options);
    } catch (error) {
      throw new DataDirectoryError(`cannot use the data directory ${directory}: ${(error as Error).message}`);
    }
  }

  /** Begins to look at every tree of a directory's store, which need not be there: 1 s for a million rules. Changes nothing. */
  static lookAhead(directory: string): EarlyLook {
    return new EarlyLook(join(directory, STORE_FILE));
  }

  /**
   * To be awaited before anything of the store is served.
   *
   * @throws DataDirectoryError when one of its trees is damaged.
   */
  async refuseDamage(look: EarlyLook): Promise<void> {
    const trees = await look.trees();
    if (trees.length === 0) return;
    throw new DataDirectoryError(
      `cannot use the data directory ${this.#directory}: ${STORE_FILE} is damaged: ${trees[0]}; \`switchyard check\` tells the rest, \`switchyard snapshot restore\` brings back a snapshot`,
    );
  }

  /** Whether a thread of this process may wait for the disk: an exit would wait for it. */
  get isWriting(): boolean {
    return this.#commits.isWriting || this.#pruning !== undefined;
  }

  /** Whether the first start on this directory is over: a key is never handed out twice, also when what says so is damaged. */
  get initialised(): boolean {
    const { keys, owners } = this.#tables;
    return this.#settings.has('initialised') || [keys, owners].some((table) => !isEmpty(table));
  }

  /** Says that this version serves the store: a first start is over, and older versions may not open it any more. */
  async markServed(): Promise<void> {
    const settings = this.#settings;
    // A restart on a full disk must not need a page.
    if (settings.has('initialised') && settings.get('format') === STORE_FORMAT) return;
    await this.#env.transaction(() => {
      settings.put('initialised', 1);
      settings.put('format', STORE_FORMAT);
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
    const known = this.#damaged.get(ownerId);
    if (known !== undefined) throw known;
    for (;;) {
      const version = this.#versionOf(ownerId);
      const read = await this.#readOwner(ownerId).catch((error: Error) => damageOf(ownerId, error));
      // A write that was given up as hung may arrive after all, between two slices: then what was read is of two moments.
      if (!Object.is(version, this.#versionOf(ownerId))) continue;
      if (!(read instanceof DamageError)) return read;
      this.#damaged.set(ownerId, read);
      this.figures.damagedOwners = this.#damaged.size;
      throw read;
    }
  }

  /** NaN when its entry is too short to have one; a damaged one may be it too. */
  #versionOf(ownerId: string): number {
    try {
      return this.#tables.owners.getEntry(ownerId)?.version ?? 0;
    } catch (error) {
      if (isEngineRejection(error)) throw error;
      return NaN;
    }
  }

  async #readOwner(ownerId: string): Promise<OwnerState> {
    const entry = this.#tables.owners.getEntry(ownerId);
    const state = emptyOwner(ownerId);
    if (entry === undefined) {
      if (this.#hasAnythingOf(ownerId)) throw new DamageError('its entry is missing');
      return state;
    }
    state.version = entry.version as number;
    const { latestDate, recordCount } = decodeOwner(entry.value, ownerId, state.version);
    state.latestDate = latestDate;
    const intern = newIntern();
    await this.#readRecords(ownerId, GROUP, state.groups, (bytes) => decodeGroup(bytes, intern));
    await this.#readRecords(ownerId, RULE, state.rules, (bytes) => decodeRule(bytes, intern));
    await this.#readRecords(ownerId, MOCK, state.mocks, (bytes, createdVersion) =>
      this.#readMock(ownerId, createdVersion, bytes),
    );
    const count = state.groups.count + state.rules.count + state.mocks.count;
    if (recordCount !== undefined && count !== recordCount)
      throw new DamageError(`there are ${count} of ${recordCount} records`);
    return state;
  }

  /** Whether there is a record or a history: of an owner without an entry, whose key was damaged, since every commit writes it. */
  #hasAnythingOf(ownerId: string): boolean {
    const range: RangeOptions = { start: [ownerId], end: [ownerId, '\uffff'] };
    const { records, history } = this.#tables;
    return [records, history].some((table) => !isEmpty(table, range));
  }

  /** Reads in slices, each a range of its own: a cursor held over turns of the event loop would hold its snapshot too. */
  async #readRecords<R extends Listed>(
    ownerId: string,
    kind: typeof RULE | typeof GROUP | typeof MOCK,
    collection: Collection<R>,
    decode: (bytes: Buffer, createdVersion: number) => R,
  ): Promise<void> {
    const slices = new Slices();
    const end: RecordKey = [ownerId, kind, Infinity];
    let start: RecordKey = [ownerId, kind, 0];
    for (;;) {
      let count = 0;
      const range: RangeOptions = { start, end, exclusiveStart: true, limit: RECORDS_PER_LOOK };
      for (const { key, value } of this.#tables.records.getRange(range)) {
        if (isDamaged(key) || key.length !== 3) throw new DamageError('a key of its records is none');
        collection.put(readRecord(kind, key[2], () => decode(value, key[2])));
        start = key;
        count++;
        // A mock's routes may be many: the next range begins behind it.
        if (slices.due()) break;
      }
      if (count === 0) return;
      if (slices.due()) await slices.next();
    }
  }

  #readMock(ownerId: string, createdVersion: number, bytes: Buffer): Mock {
    const versions = this.#readVersions(ownerId, createdVersion);
    const wanted = new Set([...decodeMockHead(bytes).revisions, ...(versions.at(-1)?.revisions ?? [])]);
    const routes = new Map<number, Buffer>();
    const kept = new Map<number, number>();
    const range = {
      start: [ownerId, MOCK_ROUTE, createdVersion, 0],
      end: [ownerId, MOCK_ROUTE, createdVersion, Infinity],
    };
    for (const { key, value } of this.#tables.records.getRange(range)) {
      if (isDamaged(key)) throw new DamageError('a key of its routes is none');
      const revision = key[3] as number;
      kept.set(revision, contentBytes(value));
      // The range may reuse a value's memory for the next. Older versions stay on the disk.
      if (wanted.has(revision)) routes.set(revision, Buffer.from(value));
    }
    return decodeMock(bytes, versions, routes, kept);
  }

  #readVersions(ownerId: string, createdVersion: number): MockVersion[] {
    const bytes = this.#tables.records.get([ownerId, MOCK_VERSIONS, createdVersion]);
    if (bytes === undefined) throw new DamageError('its versions are missing');
    return decodeMockVersions(bytes);
  }

  routeRevisions(
    ownerId: string,
    mockCreatedVersion: number,
    revisions: readonly number[],
  ): RouteRevision[] | undefined {
    const routes = new Map<number, Buffer>();
    for (const revision of revisions) {
      const bytes = this.#tables.records.get([ownerId, MOCK_ROUTE, mockCreatedVersion, revision]);
      if (bytes === undefined) return undefined;
      routes.set(revision, bytes);
    }
    return revisions.map((revision) => decodeRoute(revision, routes));
  }

  publishedMock(mockId: string): PublishedMock | undefined {
    const entry = this.#tables.publishedMocks.get(mockId);
    if (entry === undefined) return undefined;
    const { ownerId, createdVersion, state, version } = decodePublished(entry, mockId);
    const { settings, revisions } = this.#readVersions(ownerId, createdVersion).at(-1) as MockVersion;
    const routes = this.routeRevisions(ownerId, createdVersion, revisions);
    if (routes === undefined) throw new DamageError(`a route of ${mockId} is missing`);
    return { mockId, state, version, definition: definitionOf({ settings, routes }) };
  }

  *publishedMocks(): Iterable<Pick<PublishedMock, 'mockId'>> {
    for (const mockId of this.#tables.publishedMocks.getKeys()) if (!isDamaged(mockId)) yield { mockId };
  }

  prepare(commit: Commit): EncodedCommit | Promise<EncodedCommit> {
    return encodeCommit(commit);
  }

  commit(prepared: PreparedCommit): Promise<void> {
    this.#room.submitted(prepared as EncodedCommit);
    return this.#commits.submit(prepared as EncodedCommit);
  }

  hasRoomFor(prepared: PreparedCommit, frees: boolean): boolean {
    return this.#room.has(prepared as EncodedCommit, frees);
  }

  get room(): RoomFigures {
    return this.#room.figures;
  }

  /** One transaction: all that is put in one turn of the event loop is, and each owner's part stands or falls as one. */
  async #write(commits: readonly EncodedCommit[]): Promise<void> {
    const { owners, answerBytes } = this.#tables;
    const byOwner = new Map<string, EncodedCommit[]>();
    for (const commit of commits) {
      const ownerCommits = byOwner.get(commit.ownerId);
      if (ownerCommits === undefined) byOwner.set(commit.ownerId, [commit]);
      else ownerCommits.push(commit);
    }
    const results: Promise<boolean>[] = [];
    for (const [ownerId, ownerCommits] of byOwner) {
      const { expectedVersion } = ownerCommits[0] as EncodedCommit;
      const last = ownerCommits.at(-1) as EncodedCommit;
      // Exact, since all that was written before this batch is on the disk.
      const counted = countAnswers(ownerCommits, (slot) => answerBytes.get([ownerId, slot]) ?? 0);
      const writeAll = () => {
        for (const commit of ownerCommits) putCommit(this.#tables, commit);
        for (const [slot, bytes] of counted) void answerBytes.put([ownerId, slot], bytes);
        const version = last.expectedVersion + 1;
        const { date: latestDate, recordCount } = last;
        void owners.put(ownerId, encodeOwner(ownerId, version, { latestDate, recordCount }), version);
      };
      results.push(
        expectedVersion === 0
          ? owners.ifNoExists(ownerId, writeAll)
          : owners.ifVersion(ownerId, expectedVersion, writeAll),
      );
    }
    const held = await Promise.all(results);
    if (held.includes(false)) throw new Error('an owner was changed by another process');
    this.#room.durable(commits);
  }

  answerBytes(ownerId: string): [slot: number, bytes: number][] {
    try {
      return slotsIn(this.#tables.answerBytes.getRange({ start: [ownerId, -Infinity], end: [ownerId, Infinity] }));
    } catch (error) {
      throw damageOf(ownerId, error as Error);
    }
  }

  idempotencyEntry(key: string): IdempotencyEntry | undefined {
    const bytes = this.#tables.idempotency.get(key);
    return bytes === undefined ? undefined : decodeIdempotency(bytes, key);
  }

  history(ownerId: string, fromVersion: number, countMax: number): HistoryEntry[] {
    const range = { start: [ownerId, fromVersion], end: [ownerId, Infinity], limit: countMax };
    return this.#historyIn(range);
  }

  historyBefore(ownerId: string, beforeVersion: number, countMax: number): HistoryEntry[] {
    const range = { start: [ownerId, beforeVersion - 1], end: [ownerId, 0], limit: countMax, reverse: true };
    return this.#historyIn(range);
  }

  #historyIn(range: RangeOptions): HistoryEntry[] {
    return [...this.#tables.history.getRange(range)].map(({ key, value }) => {
      // A page is asked for by the version that it comes before: it must be one that there is.
      if (isDamaged(key) || !Number.isSafeInteger(key[1])) throw new DamageError('a key of a history is none');
      return decodeHistory(value, key[1]);
    });
  }

  /** Looks now, and from now on as others fill or free the disk. */
  #lookAtDisk(onRoomChanged: LmdbStoreOptions['onRoomChanged']): NodeJS.Timeout {
    let wasFull = false;
    const look = (): void => {
      const room = this.#room.figures;
      if (room.isFull !== wasFull) onRoomChanged?.(room);
      wasFull = room.isFull;
    };
    look();
    return setInterval(look, DISK_LOOK_MS).unref();
  }

  /** Removes nothing while the disk has no room even for that. */
  prune(now: number): Promise<number> {
    if (!this.#room.has({ bytes: 0, entriesCount: PRUNE_ENTRIES_PER_COMMIT }, true)) return Promise.resolve(0);
    const before = { idempotency: now - IDEMPOTENCY_RETENTION_MS, history: now - this.#historyRetentionMs };
    const pruning = prune(this.#env, this.#tables, before, this.#closing.signal);
    this.#pruning = pruning;
    pruning.then(
      () => (this.#pruning = undefined),
      (error: Error) => {
        this.#pruning = undefined;
        // After an I/O error LMDB cannot be trusted, whoever met it. Damaged entries are none: prune.ts goes on.
        this.#commits.fail(error);
      },
    );
    return pruning;
  }

  /**
   * A process that was killed while it read, such as one that made a snapshot, stays among the readers, and what it read is kept for it.
   *
   * @returns The count of those that are forgotten.
   */
  forgetDeadReaders(): number {
    return this.#env.readerCheck();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#looking);
    await this.#pruning?.catch(() => undefined);
    await this.#commits.settled();
    await this.#env.close();
  }
}
