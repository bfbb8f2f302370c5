/**
 * The store on LMDB: one environment in the data directory, with the tables of tables.ts.
 *
 * Opens and closes the environment and answers every read. Owners are read by read-owner.ts; commits are encoded by
 * codec/encoded-commit.ts, gathered by group-commit.ts and written by write-commits.ts; prune.ts removes what has
 * expired.
 *
 * `overlappingSync` is off: a commit that resolves has been synced to disk, so that committed and durable are
 * one event. It was as fast (75,000 against 76,000 durable transactions a second at 64 writers).
 */
import { open, type RangeOptions, type RootDatabase } from 'lmdb';
import { join } from 'node:path';
import { makeDirectory } from '../base/make-directory.ts';
import { OperatorError } from '../base/operator-error.ts';
import {
  DISK_POLL_MS,
  EXPIRED_KEYS_KEPT_MS,
  HISTORY_RETENTION_DAYS,
  IDEMPOTENCY_RETENTION_MS,
  PRUNE_ENTRIES_PER_COMMIT,
} from '../limits.ts';
import type { HistoryEntry } from '../model/history.ts';
import type { PublishedMock } from '../model/mocks/definition/definition.ts';
import { definitionOf, type MockVersion, type RouteRevision } from '../model/mocks/mock.ts';
import type { OwnerState } from '../model/owner-state.ts';
import type { Clock } from '../base/clock.ts';
import { LmdbApiKeys } from './api-keys.ts';
import { encodeCommit, type EncodedCommit } from './codec/encoded-commit.ts';
import { STORE_FORMAT, unreadableFormat } from './store-format.ts';
import { decodePublished, decodeRoute } from './codec/mock-codec.ts';
import { decodeHistory, decodeIdempotency } from './codec/record-codec.ts';
import { faultIn } from './codec/seal.ts';
import { LmdbConsoleCodes } from './console-codes.ts';
import { damageOf } from './damage.ts';
import { DiskSpace, fileBytes, refuseFullDisk } from './disk-space.ts';
import { exchangeCode } from './exchange-code.ts';
import { GroupCommit } from './group-commit.ts';
import { PendingIds } from './pending-ids.ts';
import { prune, type PruneBefore } from './prune.ts';
import { PublishedRoutes } from './published-routes.ts';
import { readOwner, readVersions, versionOf } from './read-owner.ts';
import { slotsIn } from './retention-slots.ts';
import { Settings } from './tables/settings.ts';
import {
  DamageError,
  type ApiKeyStore,
  type Commit,
  type ConsoleCodeStore,
  type IdempotencyEntry,
  type LoadedOwner,
  type PreparedCommit,
  type DiskSpaceFigures,
  type ExchangedKey,
  type Store,
  type StoreFigures,
} from './store.ts';
import { isDamaged } from './tables/table-keys.ts';
import { isEmpty, MOCK_ROUTE, openTables, type Tables } from './tables/tables.ts';
import { writeCommits } from './write-commits.ts';

/** Name of the environment's file in the data directory. */
export const STORE_FILE = 'switchyard.mdb';
/** Says that everything in the directory was moved away: it is not served any more. */
export const MOVED_FILE = 'moved';
const DAY_MS = 86_400_000;

interface LmdbStoreOptions {
  readonly historyRetentionDays?: number;
  /** Bytes of the disk reserved for deletes; 0, the default, reserves none. */
  readonly diskReserveBytes?: number;
  /** Called when the disk becomes full, and when it has space again. */
  readonly onSpaceChanged?: (space: DiskSpaceFigures) => void;
}

/** A data directory that cannot be used. */
export class DataDirectoryError extends OperatorError {}

export class LmdbStore implements Store {
  readonly isShared = false;
  readonly isAvailable = true;
  readonly keys: ApiKeyStore;
  readonly codes: ConsoleCodeStore;
  readonly failed: Promise<Error>;
  readonly figures: StoreFigures;
  readonly #env: RootDatabase;
  readonly #tables: Tables;
  readonly #settings: Settings;
  readonly #commits: GroupCommit<EncodedCommit>;
  readonly #historyRetentionMs: number;
  readonly #pendingIds = new PendingIds();
  readonly #publishedRoutes = new PublishedRoutes();
  readonly #diskSpace: DiskSpace;
  readonly #diskSampling: NodeJS.Timeout;
  readonly #closing = new AbortController();
  /** Owners whose load failed: reading them again would give the same result. */
  readonly #damaged = new Map<string, DamageError>();
  #pruning: Promise<number> | undefined;

  private constructor(env: RootDatabase, directory: string, options: LmdbStoreOptions) {
    this.#env = env;
    this.#tables = openTables(env);
    this.#historyRetentionMs = (options.historyRetentionDays ?? HISTORY_RETENTION_DAYS) * DAY_MS;
    this.#commits = new GroupCommit((commits) => this.#write(commits));
    this.failed = this.#commits.failed;
    this.figures = this.#commits.figures;
    this.#settings = new Settings(this.#tables.meta);
    this.keys = new LmdbApiKeys(env, this.#tables.keys, this.#settings);
    this.codes = new LmdbConsoleCodes(env, this.#tables.keys, this.#settings);
    this.#diskSpace = new DiskSpace(directory, options.diskReserveBytes ?? 0, () => fileBytes(env, this.#tables));
    this.#diskSampling = this.#sampleDisk(options.onSpaceChanged);
  }

  /**
   * Opens the store of a data directory, and creates either where it is missing. Several processes may do so at once:
   * LMDB serialises their writes. instance-lock.ts ensures that only one of them serves.
   *
   * LMDB trusts the file: a process asks check/inspection.ts first, unless a server has the store.
   *
   * @throws DataDirectoryError when the directory cannot be used, or was written by another version.
   */
  static open(directory: string, options: LmdbStoreOptions = {}): LmdbStore {
    const path = join(directory, STORE_FILE);
    try {
      makeDirectory(directory);
      refuseFullDisk(directory, path);
      const env = open({ path, noSubdir: true, maxDbs: 16, overlappingSync: false, encoding: 'binary' });
      try {
        refuseFormat(env);
        return new LmdbStore(env, directory, options);
      } catch (error) {
        void env.close();
        throw error;
      }
    } catch (error) {
      throw new DataDirectoryError(`cannot use the data directory ${directory}: ${(error as Error).message}`);
    }
  }

  /** Also while a thread of this process may be waiting for the disk. */
  get isWriting(): boolean {
    return this.#commits.isWriting || this.#pruning !== undefined;
  }

  /**
   * Whether the first start on this directory is over. True also when that setting is damaged: a key is never issued
   * twice.
   */
  get initialised(): boolean {
    const { keys, owners } = this.#tables;
    return this.#settings.has('initialised') || [keys, owners].some((table) => !isEmpty(table));
  }

  /** Records that this version serves the store: the first start is over, and older versions may no longer open it. */
  async markServed(): Promise<void> {
    const settings = this.#settings;
    // A restart on a full disk must not need a page.
    if (settings.has('initialised') && settings.get('format') === STORE_FORMAT) return;
    await this.#env.transaction(() => {
      settings.put('initialised', 1);
      settings.put('format', STORE_FORMAT);
    });
  }

  /**
   * Runs `action` while neither another process nor another part of this one is in a write transaction. Blocks until
   * then.
   */
  exclusively<Result>(action: () => Result): Result {
    return this.#env.transactionSync(action);
  }

  ownerOf(recordId: string): string | undefined {
    return this.#pendingIds.claimOf(recordId)?.ownerId ?? this.#tables.recordOwners.get(recordId);
  }

  async loadOwner(ownerId: string): Promise<LoadedOwner> {
    const state = await this.#loadState(ownerId);
    return { state, answerBytes: this.#answerBytes(ownerId) };
  }

  async #loadState(ownerId: string): Promise<OwnerState> {
    // A discarded actor may have left commits in the queue: the read must include them.
    await this.#commits.settled();
    const known = this.#damaged.get(ownerId);
    if (known !== undefined) throw known;
    for (;;) {
      const version = versionOf(this.#tables, ownerId);
      const read = await readOwner(this.#tables, ownerId).catch((error: Error) => damageOf(ownerId, error));
      // A write that was given up as hung may still complete between two slices: then the read mixes two states.
      if (!Object.is(version, versionOf(this.#tables, ownerId))) continue;
      if (!(read instanceof DamageError)) return read;
      this.#damaged.set(ownerId, read);
      this.figures.damagedOwners = this.#damaged.size;
      throw read;
    }
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
    return revisions.map((revision) => decodeRoute(revision, routes.get(revision)));
  }

  publishedMock(mockId: string): PublishedMock | undefined {
    const entry = this.#tables.publishedMocks.get(mockId);
    if (entry === undefined) return undefined;
    const { ownerId, createdVersion, state, version } = decodePublished(entry, mockId);
    const { settings, revisions } = readVersions(this.#tables, ownerId, createdVersion).at(-1) as MockVersion;
    const routes = this.#publishedRoutes.of(`${ownerId} ${createdVersion}`, revisions, (unknown) =>
      this.routeRevisions(ownerId, createdVersion, unknown),
    );
    if (routes === undefined) throw new DamageError(`a route of ${mockId} is missing`);
    const definition = definitionOf({ settings, routes });
    return { mockId, ownerId, createdVersion, state, version, definition, revisions };
  }

  *publishedMocks(): Iterable<Pick<PublishedMock, 'mockId'>> {
    for (const mockId of this.#tables.publishedMocks.getKeys()) if (!isDamaged(mockId)) yield { mockId };
  }

  fileMocks(): { mockId: string; ownerId: string }[] {
    const found: { mockId: string; ownerId: string }[] = [];
    for (const { key: mockId, value } of this.#tables.publishedMocks.getRange()) {
      // A damaged one stays, and is not served.
      if (isDamaged(mockId) || faultIn(value, mockId) !== undefined) continue;
      const { ownerId, isOfFile } = decodePublished(value, mockId);
      if (isOfFile) found.push({ mockId, ownerId });
    }
    return found;
  }

  prepare(commit: Commit): EncodedCommit | Promise<EncodedCommit> {
    return encodeCommit(commit);
  }

  commit(prepared: PreparedCommit): Promise<void> {
    const commit = prepared as EncodedCommit;
    this.#diskSpace.submitted(commit);
    const committed = this.#commits.submit(commit);
    this.#pendingIds.add(commit, committed);
    if (commit.savedMocks.length > 0) void committed.then(() => this.#keepSaved(commit), ignore);
    return committed;
  }

  /** For their publishes: to decode 5 MB again takes 50 ms. */
  #keepSaved({ ownerId, savedMocks }: EncodedCommit): void {
    for (const { createdVersion, saved } of savedMocks) {
      this.#publishedRoutes.keep(`${ownerId} ${createdVersion}`, saved.routes);
    }
  }

  hasSpaceFor(prepared: PreparedCommit, freesSpace: boolean): boolean {
    return this.#diskSpace.has(prepared as EncodedCommit, freesSpace);
  }

  get diskSpace(): DiskSpaceFigures {
    return this.#diskSpace.figures;
  }

  async #write(commits: readonly EncodedCommit[]): Promise<void> {
    await writeCommits(this.#tables, commits);
    this.#diskSpace.durable(commits);
  }

  #answerBytes(ownerId: string): [slot: number, bytes: number][] {
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
      // The next page is requested by this version, so it must be one that can exist.
      if (isDamaged(key) || !Number.isSafeInteger(key[1])) throw new DamageError('invalid history key');
      return decodeHistory(value, key[1]);
    });
  }

  /** Samples the disk now, and then periodically, since other programs fill and free it. */
  #sampleDisk(onSpaceChanged: LmdbStoreOptions['onSpaceChanged']): NodeJS.Timeout {
    let wasFull = false;
    const sample = (): void => {
      const space = this.#diskSpace.figures;
      if (space.isFull !== wasFull) onSpaceChanged?.(space);
      wasFull = space.isFull;
    };
    sample();
    return setInterval(sample, DISK_POLL_MS).unref();
  }

  /** @returns undefined for a code that is unknown, used, damaged or expired, without distinction. */
  async exchangeCode(code: string, clock: Clock): Promise<ExchangedKey | undefined> {
    try {
      return await exchangeCode(this.codes, this.keys, code, clock);
    } catch (error) {
      // As in `prune`.
      this.#commits.fail(error as Error);
      throw error;
    }
  }

  /** Removes nothing while the disk has no space even for that. */
  prune(now: number): Promise<number> {
    if (!this.#diskSpace.has({ bytes: 0, entriesCount: PRUNE_ENTRIES_PER_COMMIT }, true)) return Promise.resolve(0);
    const before = { idempotency: now - IDEMPOTENCY_RETENTION_MS, history: now - this.#historyRetentionMs };
    const pruning = this.#prune(before, now);
    this.#pruning = pruning;
    pruning.then(
      () => (this.#pruning = undefined),
      (error: Error) => {
        this.#pruning = undefined;
        // After an I/O error LMDB cannot be trusted, wherever the error occurred. Damaged entries are not such an error:
        // prune.ts skips them.
        this.#commits.fail(error);
      },
    );
    return pruning;
  }

  async #prune(before: PruneBefore, now: number): Promise<number> {
    const entries = await prune(this.#env, this.#tables, before, this.#closing.signal);
    const keys = await this.keys.removeExpired(now - EXPIRED_KEYS_KEPT_MS);
    return entries + keys + (await this.codes.removeExpired(now));
  }

  /**
   * A process that was killed while it read, such as a snapshot's, stays in LMDB's list of readers, and the pages it
   * read are never reused.
   *
   * @returns The count of readers removed from the list.
   */
  forgetDeadReaders(): number {
    return this.#env.readerCheck();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearInterval(this.#diskSampling);
    await this.#pruning?.catch(() => undefined);
    await this.#commits.settled();
    await this.#env.close();
  }
}

/** Before any table is made: a store of another version may have others. */
function refuseFormat(env: RootDatabase): void {
  const settings = new Settings(env.openDB({ name: 'meta', encoding: 'binary' }));
  const problem = unreadableFormat(settings.format);
  if (problem !== undefined) throw new Error(problem);
}

/** Who made the commit learns that it failed. */
function ignore(): void {}
