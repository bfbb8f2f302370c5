/**
 * Writes commits, one batch at a time: those that arrive during it form the next. An owner's commits are always in one lane.
 *
 * A batch whose connection was lost may be stored, or be stored yet. It is given to the server again: what the first time has
 * stored, or still locks, the second time conflicts with, and is found by the number of the batch. After COMMIT_HANG_MS that is
 * given up, and its outcome stays unknown.
 */
import { StoreUnavailableError } from '../../errors.ts';
import { COMMIT_ATTEMPT_MS, COMMIT_HANG_MS } from '../../limits.ts';
import type { EncodedCommit } from '../codec/encoded-commit.ts';
import { CommitHangError, CommitSkippedError, ConflictError, StoreFullError } from '../store.ts';
import { bigintArray, textArray } from './arrays.ts';
import type { Connection } from './connection.ts';
import { isCollision, isElsewhere, isFull, isIdTaken, isLost } from './errors.ts';
import type { PendingIds } from '../pending-ids.ts';
import type { Queries } from './queries.ts';
import { writeBatch, type WriteBatch } from './write-batch.ts';

/** Bytes and commits of one statement. */
const STORE_BATCH_BYTES_MAX = 8 * 1024 * 1024;
const STORE_BATCH_COMMITS_MAX = 1_024;

/** Between two tries, while the primary changes. */
const RETRY_MS = 50;

export interface LaneFigures {
  batches: number;
  commits: number;
  commitSeconds: number;
  /** Commits that another node had been faster than. */
  conflicts: number;
  /** Batches that were given to the server again. */
  resubmissions: number;
}

interface Pending {
  readonly commit: EncodedCommit;
  readonly resolve: (isAwaited: boolean) => void;
  readonly reject: (error: Error) => void;
}

export interface LaneOptions {
  readonly connection: Pick<Connection, 'use'>;
  readonly figures: LaneFigures;
  /** Shared by all lanes of this process. */
  readonly pendingIds: PendingIds;
  /** A number that no other batch has, of any node. */
  readonly nextBatchNumber: () => number;
  /** Called when the server had no room for a batch. */
  readonly onFull: () => void;
}

export class Lane {
  readonly #options: LaneOptions;
  #waiting: Pending[] = [];
  #inFlight: readonly Pending[] = [];
  #batchEnd: Promise<void> = Promise.resolve();
  #writing: Promise<void> | undefined;
  /** Owners whose commit has conflicted or failed, until they are loaded: what is built on it may not be stored. */
  readonly #outdated = new Set<string>();

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  submit(commit: EncodedCommit): Promise<boolean> {
    const { pendingIds } = this.#options;
    // What it had read of the id was outdated.
    if (pendingIds.hasOthers(commit)) this.#outdated.add(commit.ownerId);
    const stored = new Promise<boolean>((resolve, reject) => {
      if (this.#outdated.has(commit.ownerId)) return reject(conflict());
      this.#waiting.push({ commit, resolve, reject });
      this.#writing ??= this.#write();
      return undefined;
    });
    pendingIds.add(commit, stored);
    return stored;
  }

  /** Waits until an owner's commits are decided; what it commits from then on is new. */
  async settled(ownerId: string): Promise<void> {
    const isOf = ({ commit }: Pending): boolean => commit.ownerId === ownerId;
    while (this.#inFlight.some(isOf) || this.#waiting.some(isOf)) await this.#batchEnd;
    this.#outdated.delete(ownerId);
  }

  async close(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // Commits submitted later in this turn of the event loop join the batch.
    this.#batchEnd = new Promise((resolve) => setImmediate(resolve));
    await this.#batchEnd;
    while (this.#waiting.length > 0) {
      this.#inFlight = this.#take();
      this.#batchEnd = this.#settle(this.#inFlight);
      await this.#batchEnd;
      this.#inFlight = [];
    }
    this.#writing = undefined;
  }

  /** The next batch, without what was built on a commit that was not stored. */
  #take(): Pending[] {
    let bytes = 0;
    let count = 0;
    for (const { commit } of this.#waiting) {
      bytes += commit.bytes;
      if (count > 0 && (bytes > STORE_BATCH_BYTES_MAX || count >= STORE_BATCH_COMMITS_MAX)) break;
      count++;
    }
    const batch: Pending[] = [];
    for (const pending of this.#waiting.splice(0, count)) {
      if (this.#outdated.has(pending.commit.ownerId)) pending.reject(conflict());
      else batch.push(pending);
    }
    return batch;
  }

  /** Never rejects: each commit of the batch resolves or rejects. */
  async #settle(pendings: readonly Pending[]): Promise<void> {
    if (pendings.length === 0) return;
    const { figures, nextBatchNumber } = this.#options;
    const started = performance.now();
    try {
      const number = nextBatchNumber();
      const batch = writeBatch(
        pendings.map(({ commit }) => commit),
        number,
      );
      const stored = await this.#submit(batch, number);
      for (const { commit, resolve, reject } of pendings) {
        const isAwaited = stored.get(commit.ownerId);
        if (isAwaited !== undefined) {
          figures.commits++;
          resolve(isAwaited);
          continue;
        }
        figures.conflicts++;
        this.#outdated.add(commit.ownerId);
        reject(conflict());
      }
      figures.batches++;
      figures.commitSeconds += (performance.now() - started) / 1_000;
    } catch (error) {
      for (const { reject } of pendings) reject(error as Error);
      // What waits of these owners was built on them.
      const failed = new Set(pendings.map(({ commit }) => commit.ownerId));
      for (const ownerId of failed) this.#outdated.add(ownerId);
      const rest = this.#waiting;
      this.#waiting = rest.filter(({ commit }) => !failed.has(commit.ownerId));
      for (const { commit, reject } of rest)
        if (failed.has(commit.ownerId)) reject(new CommitSkippedError(error as Error));
    }
  }

  /**
   * @returns The owners whose part is stored: none when another node has made a mock of an id that one of them makes.
   * @throws CommitSkippedError when nothing of it is, and CommitHangError when that is unknown.
   */
  async #submit(batch: WriteBatch, number: number): Promise<StoredParts> {
    const { connection, figures, onFull } = this.#options;
    const until = performance.now() + COMMIT_HANG_MS;
    /** Whether a server may have stored it, or may do so yet. */
    let isTried = false;
    for (;;) {
      try {
        const attemptUntil = Math.min(until, performance.now() + COMMIT_ATTEMPT_MS);
        return await connection.use(
          (queries) => (isTried ? resubmit(queries, batch, number) : submit(queries, batch)),
          attemptUntil,
        );
      } catch (error) {
        if (isFull(error)) onFull();
        // Whose it was is read by those who decide again.
        if (isIdTaken(error)) return new Map();
        isTried ||= isLost(error) && !(error instanceof StoreUnavailableError);
        // A server that is away may come back with the outcome of what was tried.
        const mayRepeat =
          isCollision(error) || isElsewhere(error) || (isTried && error instanceof StoreUnavailableError);
        if (mayRepeat && performance.now() + RETRY_MS < until) {
          figures.resubmissions++;
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
          continue;
        }
        const cause = { cause: error };
        if (isTried) throw new CommitHangError(`a commit was not confirmed within ${COMMIT_HANG_MS} ms`, cause);
        throw isFull(error) ? new StoreFullError(error as Error) : new CommitSkippedError(error as Error);
      }
    }
  }
}

/** The owners whose part is stored, and whether other nodes wait for their turn to write to them. */
type StoredParts = ReadonlyMap<string, boolean>;

async function submit(queries: Queries, { statement, values }: WriteBatch): Promise<Map<string, boolean>> {
  const rows = await queries.rows<{ owner_id: string; is_awaited: boolean }>(statement.text, values, statement.name);
  return new Map(rows.map((row) => [row.owner_id, row.is_awaited]));
}

/** The same after a connection was lost: what is stored of it already conflicts with itself. */
async function resubmit(queries: Queries, batch: WriteBatch, number: number): Promise<StoredParts> {
  const stored = await submit(queries, batch);
  const others = batch.parts.filter(({ ownerId }) => !stored.has(ownerId));
  if (others.length === 0) return stored;
  const rows = await queries.rows<{ owner_id: string }>(
    `select owner_id from unnest($1::text[], $2::bigint[]) as rows(owner_id, version)
       join history using (owner_id, version) where batch = $3`,
    [textArray(others.map(({ ownerId }) => ownerId)), bigintArray(others.map(({ version }) => version)), number],
  );
  for (const row of rows) stored.set(row.owner_id, false);
  return stored;
}

function conflict(): ConflictError {
  return new ConflictError('another node committed first');
}
