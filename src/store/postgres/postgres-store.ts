/**
 * The store in PostgreSQL, which several nodes may share.
 *
 * Nobody owns an owner: a commit is stored on the version that it was decided on, and what reveals nothing of its own waits for
 * the answer of `newestVersion`. Commits are gathered in lanes (lane.ts), and reads in batches (batched-read.ts), so one
 * statement serves all who wait at that time.
 */
import type { QueryResultRow } from 'pg';
import { StoreUnavailableError } from '../../errors.ts';
import { randomInt } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { EXPIRED_KEYS_KEPT_MS, HISTORY_RETENTION_DAYS, IDEMPOTENCY_RETENTION_MS } from '../../limits.ts';
import type { HistoryEntry } from '../../model/history.ts';
import type { PublishedMock } from '../../model/mocks/definition/definition.ts';
import { definitionOf, type MockVersion, type RouteRevision } from '../../model/mocks/mock.ts';
import { encodeCommit, type EncodedCommit } from '../codec/encoded-commit.ts';
import { decodeMockVersions, decodePublished, decodeRoute } from '../codec/mock-codec.ts';
import { decodeHistory, decodeIdempotency } from '../codec/record-codec.ts';
import { faultIn } from '../codec/seal.ts';
import { damageOf } from '../damage.ts';
import { exchangeCode } from '../exchange-code.ts';
import {
  DamageError,
  type CaughtUp,
  type Commit,
  type DiskSpaceFigures,
  type ExchangedKey,
  type IdempotencyEntry,
  type KnownOwner,
  type LoadedOwner,
  type PreparedCommit,
  type SharedStore,
  type StoreFigures,
  type WriteTurn,
} from '../store.ts';
import { PendingIds } from '../pending-ids.ts';
import { MOCK_VERSIONS } from '../tables/tables.ts';
import { batchedQuery, type BatchedRead } from './batched-read.ts';
import { Connection } from './connection.ts';
import { sqlStateOf } from './errors.ts';
import { Lane, type LaneFigures, type LaneOptions } from './lane.ts';
import { changesSince, loadOwner, readRoutes, type Ask } from './load-owner.ts';
import { AuthorityTable } from './authority-table.ts';
import { NodeTable } from './node-table.ts';
import { PostgresCodes } from './postgres-codes.ts';
import { PostgresKeys } from './postgres-keys.ts';
import { prunePostgres } from './postgres-prune.ts';
import { DatabaseError } from './schema.ts';
import { ServerLock } from './server-lock.ts';
import { Servers, type ConnectOptions } from './servers.ts';
import { WriteTurns } from './write-turns.ts';

/** Commits that are written one at a time: an owner's are always in the same lane. */
const STORE_LANES = 2;

/** Time for which writes are refused after the server had no room for one. */
const STORE_FULL_MS = 1_000;

const DAY_MS = 86_400_000;
/** Numbers of batches are this node's own: it begins at one that nobody else is near. */
const BATCH_NUMBERS = 2 ** 20;

interface PostgresStoreOptions {
  readonly historyRetentionDays?: number;
  /** Called when the database cannot be reached any more, and with undefined when it can be again. */
  readonly onAvailability?: (fault: Error | undefined) => void;
}

export class PostgresStore implements SharedStore {
  readonly isShared = true;
  readonly keys: PostgresKeys;
  readonly codes: PostgresCodes;
  #serverLock: ServerLock | undefined;
  /** When another server has taken the store. Whatever becomes of the database, it may be there again later. */
  readonly failed: Promise<Error>;
  readonly figures: StoreFigures & LaneFigures = {
    batches: 0,
    commits: 0,
    commitSeconds: 0,
    damagedOwners: 0,
    conflicts: 0,
    resubmissions: 0,
  };
  readonly #servers: Servers;
  readonly #connections: Connection[] = [];
  readonly #lanes: readonly Lane[];
  /** Connections for small reads, for what has changed, for large reads, and for keys and what is seldom done. */
  readonly #reads: Connection;
  readonly #changes: Connection;
  readonly #loads: Connection;
  readonly #pages: Ask;
  readonly #chores: Connection;
  readonly #turns: WriteTurns;
  readonly #versions: BatchedRead<number>;
  readonly #owners: BatchedRead<string>;
  readonly #answers: BatchedRead<Buffer>;
  readonly #pendingIds = new PendingIds();
  readonly #historyRetentionMs: number;
  readonly #closing = new AbortController();
  readonly #damaged = new Set<string>();
  #batchNumber = randomInt(2 ** 32) * BATCH_NUMBERS;
  #isAvailable = true;
  #fail!: (error: Error) => void;
  /** By `performance.now()`: until then a server had no room. */
  #fullUntil = 0;

  private constructor(servers: Servers, options: PostgresStoreOptions) {
    this.#servers = servers;
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
    this.#historyRetentionMs = (options.historyRetentionDays ?? HISTORY_RETENTION_DAYS) * DAY_MS;
    const newLane = (connection: LaneOptions['connection']): Lane =>
      new Lane({
        connection,
        figures: this.figures,
        pendingIds: this.#pendingIds,
        nextBatchNumber: () => this.#batchNumber++,
        onFull: () => {
          this.#fullUntil = performance.now() + STORE_FULL_MS;
        },
      });
    this.#lanes = Array.from({ length: STORE_LANES }, () => newLane(this.#connection()));
    this.#turns = new WriteTurns({ newConnection: (of) => this.#connection(of), newLane });
    const heads = this.#connection();
    this.#reads = this.#connection();
    this.#changes = this.#connection();
    this.#loads = this.#connection();
    this.#pages = inTurn(asking(this.#loads));
    this.#chores = this.#connection();
    this.keys = new PostgresKeys(this.#chores);
    this.codes = new PostgresCodes(this.#chores);
    this.#versions = batchedQuery<number>(
      heads,
      'versions',
      'select owner_id as key, version from owner where owner_id = any($1::text[])',
      (row) => Number(row['version']),
    );
    this.#owners = batchedQuery<string>(
      this.#reads,
      'owners',
      'select record_id as key, owner_id from record_owner where record_id = any($1::text[])',
      (row) => row['owner_id'] as string,
    );
    this.#answers = batchedQuery<Buffer>(
      this.#reads,
      'answers',
      'select key, entry from idempotency where key = any($1::text[])',
      (row) => row['entry'] as Buffer,
    );
  }

  /**
   * @param address Of one or more servers, of which one is the primary: servers.ts.
   * @throws DatabaseError when it has no store that this version can use.
   * @throws StoreUnavailableError when no server can be written to.
   */
  static async open(address: string, options: PostgresStoreOptions = {}): Promise<PostgresStore> {
    const store = new PostgresStore(new Servers(address), options);
    try {
      await store.keys.refresh();
      store.keys.follow((fault) => {
        const wasAvailable = store.#isAvailable;
        store.#isAvailable = fault === undefined;
        if (wasAvailable !== store.#isAvailable) options.onAvailability?.(fault);
      });
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  #connection(options?: ConnectOptions): Connection {
    const connection = new Connection(this.#servers, options);
    this.#connections.push(connection);
    return connection;
  }

  /**
   * Makes this process a server of the store, until it is closed.
   *
   * @param isNode Whether it is one of several.
   * @throws DatabaseError when another has it that is not.
   */
  async beginServing(isNode: boolean): Promise<void> {
    const lock = new ServerLock(this.#connection(), this.#servers.applicationName, isNode);
    if (!(await lock.take()))
      throw new DatabaseError(isNode ? 'a standalone server is using this database' : 'another server is using it');
    this.#serverLock = lock;
    lock.keep(() => this.#fail(new Error('another server took over the store while it was unreachable')));
  }

  /** The nodes that share the store. */
  nodes(): NodeTable {
    return new NodeTable(this.#connection(), this.#connection());
  }

  /** The authorities of the nodes' gateways. */
  authorities(): AuthorityTable {
    return new AuthorityTable(this.#chores);
  }

  /** Whether the first start on this store is over. */
  async isInitialised(): Promise<boolean> {
    const rows = await this.#chores.rows(
      `select 1 from meta where name = 'initialised' union all (select 1 from owner limit 1)`,
      [],
    );
    return rows.length > 0;
  }

  /** Records that the first start is over. */
  async markServed(): Promise<void> {
    await this.#chores.rows(`insert into meta values ('initialised', 1) on conflict do nothing`, []);
  }

  async ownerOf(recordId: string): Promise<string | undefined> {
    await this.#pendingIds.claimOf(recordId)?.settled;
    return this.#owners.get(recordId);
  }

  async loadOwner(ownerId: string): Promise<LoadedOwner> {
    const loaded = await this.#readOwner(ownerId, () => loadOwner(this.#pages, ownerId));
    this.#damaged.delete(ownerId);
    return loaded;
  }

  changesSince(known: KnownOwner): Promise<CaughtUp | undefined> {
    // Not behind all of another owner, and no small read behind it.
    return this.#readOwner(known.state.ownerId, () => changesSince(asking(this.#changes), known));
  }

  async #readOwner<Read>(ownerId: string, read: () => Promise<Read>): Promise<Read> {
    for (const lane of [this.#lane(ownerId), ...this.#turns.lanes]) await lane.settled(ownerId);
    try {
      return await read();
    } catch (error) {
      if (error instanceof StoreUnavailableError || sqlStateOf(error) !== undefined) throw error;
      this.#damaged.add(ownerId);
      this.figures.damagedOwners = this.#damaged.size;
      throw damageOf(ownerId, error as Error);
    }
  }

  async newestVersion(ownerId: string): Promise<number> {
    return (await this.#versions.get(ownerId)) ?? 0;
  }

  prepare(commit: Commit): EncodedCommit | Promise<EncodedCommit> {
    return encodeCommit(commit);
  }

  async takeTurn(known: KnownOwner): Promise<WriteTurn> {
    const { ownerId } = known.state;
    const turn = await this.#turns.newTurn();
    if (turn === undefined) {
      return {
        caughtUp: await this.changesSince(known),
        commit: (prepared) => this.commit(prepared),
        end: () => undefined,
      };
    }
    const read = (ask: Ask): Promise<CaughtUp | undefined> => changesSince(ask, known);
    try {
      const caughtUp = await this.#readOwner(ownerId, () =>
        turn.begin(ownerId, read).catch(() => read(asking(this.#changes))),
      );
      return { caughtUp, commit: (prepared) => turn.lane.submit(prepared as EncodedCommit), end: () => turn.end() };
    } catch (error) {
      turn.end();
      throw error;
    }
  }

  commit(prepared: PreparedCommit): Promise<boolean> {
    return this.#lane(prepared.ownerId).submit(prepared as EncodedCommit);
  }

  hasSpaceFor(_prepared: PreparedCommit, freesSpace: boolean): boolean {
    return freesSpace || !this.diskSpace.isFull;
  }

  get diskSpace(): DiskSpaceFigures {
    return { diskBytes: Infinity, reusableBytes: 0, isFull: performance.now() < this.#fullUntil };
  }

  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  get isWriting(): boolean {
    return [...this.#lanes, ...this.#turns.lanes].some((lane) => lane.isWriting);
  }

  async routeRevisions(
    ownerId: string,
    mockCreatedVersion: number,
    revisions: readonly number[],
  ): Promise<RouteRevision[] | undefined> {
    const keys = revisions.map((revision) => [mockCreatedVersion, revision] as const);
    const routes = new Map<number, Buffer>();
    for (const [, revision, bytes] of await readRoutes(asking(this.#reads), ownerId, keys)) routes.set(revision, bytes);
    if (revisions.some((revision) => !routes.has(revision))) return undefined;
    return revisions.map((revision) => decodeRoute(revision, routes.get(revision)));
  }

  async publishedMock(mockId: string): Promise<PublishedMock | undefined> {
    const found = await this.#loads.snapshot(async (queries) => {
      const [published] = await queries.rows<{ entry: Buffer }>(
        'select entry from published_mock where mock_id = $1',
        [mockId],
        'published mock',
      );
      if (published === undefined) return undefined;
      const entry = decodePublished(published.entry, mockId);
      const [versions] = await queries.rows<{ bytes: Buffer }>(
        `select bytes from record where owner_id = $1 and kind = '${MOCK_VERSIONS}' and created_version = $2`,
        [entry.ownerId, entry.createdVersion],
        'mock versions',
      );
      if (versions === undefined) throw new DamageError('its versions are missing');
      const { settings, revisions } = decodeMockVersions(versions.bytes).at(-1) as MockVersion;
      const keys = revisions.map((revision) => [entry.createdVersion, revision] as const);
      return { entry, settings, revisions, stored: await readRoutes(queries, entry.ownerId, keys) };
    });
    if (found === undefined) return undefined;
    const { entry, settings, revisions, stored } = found;
    const bytes = new Map(stored.map(([, revision, content]) => [revision, content]));
    const routes = revisions.map((revision) => decodeRoute(revision, bytes.get(revision)));
    const { ownerId, createdVersion, state, version } = entry;
    const definition = definitionOf({ settings, routes });
    return { mockId, ownerId, createdVersion, state, version, definition, revisions };
  }

  async publishedMocks(): Promise<{ mockId: string }[]> {
    const rows = await this.#chores.rows<{ mock_id: string }>('select mock_id from published_mock', []);
    return rows.map((row) => ({ mockId: row.mock_id }));
  }

  async fileMocks(): Promise<{ mockId: string; ownerId: string }[]> {
    const rows = await this.#chores.rows<{ mock_id: string; entry: Buffer }>('select * from published_mock', []);
    return rows.flatMap(({ mock_id: mockId, entry }) => {
      if (faultIn(entry, mockId) !== undefined) return [];
      const { ownerId, isOfFile } = decodePublished(entry, mockId);
      return isOfFile ? [{ mockId, ownerId }] : [];
    });
  }

  async idempotencyEntry(key: string): Promise<IdempotencyEntry | undefined> {
    const bytes = await this.#answers.get(key);
    return bytes && decodeIdempotency(bytes, key);
  }

  history(ownerId: string, fromVersion: number, countMax: number): Promise<HistoryEntry[]> {
    return this.#history('version >= $2 order by version', [ownerId, fromVersion, countMax], 'history');
  }

  historyBefore(ownerId: string, beforeVersion: number, countMax: number): Promise<HistoryEntry[]> {
    // Before the newest, whatever it is: PostgreSQL has no such number.
    const before = Math.min(beforeVersion, Number.MAX_SAFE_INTEGER);
    return this.#history('version < $2 order by version desc', [ownerId, before, countMax], 'history before');
  }

  async #history(where: string, values: readonly unknown[], name: string): Promise<HistoryEntry[]> {
    const text = `select version, entry from history where owner_id = $1 and ${where} limit $3`;
    const rows = await this.#reads.rows<{ version: string; entry: Buffer }>(text, values, name);
    return rows.map(({ version, entry }) => decodeHistory(entry, Number(version)));
  }

  /** @returns undefined for a code that is unknown, used, damaged or expired, without distinction. */
  exchangeCode(code: string, clock: Clock): Promise<ExchangedKey | undefined> {
    return exchangeCode(this.codes, this.keys, code, clock);
  }

  async prune(now: number): Promise<number> {
    const before = { idempotency: now - IDEMPOTENCY_RETENTION_MS, history: now - this.#historyRetentionMs };
    const entries = await prunePostgres(this.#chores, before, this.#closing.signal);
    const keys = await this.keys.removeExpired(now - EXPIRED_KEYS_KEPT_MS);
    return entries + keys + (await this.codes.removeExpired(now));
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.keys.stop();
    this.#serverLock?.stop();
    await Promise.all([...this.#lanes, ...this.#turns.lanes].map((lane) => lane.close()));
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  #lane(ownerId: string): Lane {
    let hash = 0;
    for (let index = 0; index < ownerId.length; index++) hash = (hash * 31 + ownerId.charCodeAt(index)) >>> 0;
    return this.#lanes[hash % this.#lanes.length] as Lane;
  }
}

function asking(connection: Connection): Ask {
  return { rows: (text, values, name) => connection.rows(text, values ?? [], name) };
}

/**
 * Runs one statement at a time: a timeout counts from its turn, however many wait. Statements behind one that no
 * server answers fails with it.
 */
function inTurn(ask: Ask): Ask {
  let last: Promise<void> | undefined;
  return {
    rows<Row extends QueryResultRow>(...statement: Parameters<Ask['rows']>): Promise<Row[]> {
      const asked = last === undefined ? ask.rows<Row>(...statement) : last.then(() => ask.rows<Row>(...statement));
      const ended = asked.then(
        () => undefined,
        (error: unknown) => {
          if (error instanceof StoreUnavailableError) throw error;
        },
      );
      last = ended;
      const over = (): void => {
        if (last === ended) last = undefined;
      };
      ended.then(over, over);
      return asked;
    },
  };
}
