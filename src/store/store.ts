/**
 * Storage as the rest of the service sees it: this interface, and nothing of the engine behind it.
 *
 * The embedded engine is LMDB (lmdb-store.ts): one process writes, and reads are answered at once. A store that other
 * processes write too is shared (`isShared`): its reads answer later, and a commit may find that another was first.
 */
import type { Clock } from '../base/clock.ts';
import type { Later } from '../base/later.ts';
import type { HistoryEntry } from '../model/history.ts';
import type { PublishedMock } from '../model/mocks/definition/definition.ts';
import type { RouteRevision } from '../model/mocks/mock.ts';
import type { Change, OwnerChanges, OwnerState } from '../model/owner-state.ts';
import type { OwnerQuota } from '../model/owner-quota.ts';
import type { Principal } from '../model/principal.ts';

/** Everything that one command writes; stored whole or not at all. */
export interface Commit {
  readonly principal: Principal;
  /** The owner's version before this commit. */
  readonly expectedVersion: number;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
  /** The command, as history names it. */
  readonly command: string;
  readonly changes: readonly Change[];
  /** Records of the owner before this commit. Without it, the owner's next load does not check their count. */
  readonly recordCount?: number;
  readonly idempotency?: IdempotencyEntry | undefined;
}

/** The first answer to a request with an `Idempotency-Key`, returned to its retries. */
export interface IdempotencyEntry {
  /** Digest of owner, user, method, path and key: 64 hexadecimal characters. */
  readonly key: string;
  /** Digest of the body, so that the same key with another body is detected. */
  readonly bodyDigest: string;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
  /** The record that the first request created, as it was then. Plain data. */
  readonly answer: unknown;
}

/** How a key was created: by the command line or a first start, by a console code, or by an admin through the API. */
export type KeyOrigin = 'command' | 'console' | 'api';

/** An API key without its secret. */
export interface ApiKey extends Principal {
  readonly creationDate: number;
  /** Milliseconds since the Unix epoch, null while the key is valid. */
  readonly revocationDate: number | null;
  readonly origin: KeyOrigin;
  /** SHA-256 of the secret. */
  readonly secretDigest: Buffer;
}

/** For whom a code for the console was made. */
export type CodeHolder = Omit<Principal, 'keyId' | 'expiresAt'>;

/** A key that was made for the console. */
export interface ExchangedKey {
  /** The whole key, which is shown once. */
  readonly text: string;
  readonly principal: Principal & { readonly expiresAt: number };
}

/** A commit whose bytes are ready. Only the store that prepared it reads its content. */
export interface PreparedCommit {
  readonly ownerId: string;
  readonly expectedVersion: number;
  /** Bytes of its idempotency entry; 0 without one. */
  readonly answerBytes: number;
}

/** An owner as the store has it. */
export interface LoadedOwner {
  readonly state: OwnerState;
  /** Bytes of its idempotency entries, by the slot of their date (retention-slots.ts). */
  readonly answerBytes: readonly (readonly [slot: number, bytes: number])[];
}

/** An owner in memory, of which other processes may have changed some. */
export interface KnownOwner {
  /** At `version`, with what was applied since. It is not changed by being read. */
  readonly state: OwnerState;
  /** The newest that is known to be stored. */
  readonly version: number;
  /** Commits applied since, but not stored. */
  readonly unstored: readonly PreparedCommit[];
}

/** The changes that bring an owner in memory up to date with the store. */
export interface CaughtUp {
  readonly changes: OwnerChanges;
  /** Records that there must be then; undefined when they were not counted. */
  readonly recordCount: number | undefined;
  /** Like that of a LoadedOwner. */
  readonly answerBytes: LoadedOwner['answerBytes'];
}

export interface Store {
  /** Whether it can be read and written now, as far as is known. */
  readonly isAvailable: boolean;
  /** Whether a write is under way that an exit would wait for. */
  readonly isWriting: boolean;
  /** Whether other processes may write too. Without it nothing ever conflicts, and every `Later` is there at once. */
  readonly isShared: boolean;
  /** The owner that durably holds the record with this id, or is making a mock of it now. O(1), loads no owner. */
  ownerOf(recordId: string): Later<string | undefined>;
  /**
   * Reads all records of one owner, in slices; an owner without records is empty, not missing. Rejects with DamageError
   * when any of them is damaged; later calls reject at once, without reading.
   */
  loadOwner(ownerId: string): Promise<LoadedOwner>;
  /** Encodes a commit. Large ones take slices of the event loop; nothing is written yet. */
  prepare(commit: Commit): PreparedCommit | Promise<PreparedCommit>;
  /**
   * Writes a prepared commit, in one batch with those of other owners that wait at the same time. Resolves when it is
   * durable. Rejects with CommitSkippedError when nothing of it is stored; with another error when the write was
   * attempted, and may or may not be stored. In both cases the owner must be loaded again, and until then nothing further
   * of it is stored.
   */
  commit(prepared: PreparedCommit): Promise<unknown>;
  /**
   * Whether a commit may be written. Only one that `freesSpace` may use the disk's reserve. Call it just before
   * `commit`.
   */
  hasSpaceFor(prepared: PreparedCommit, freesSpace: boolean): boolean;
  /** The content of a mock's routes, by their revisions; undefined when one of them is not stored. */
  routeRevisions(
    ownerId: string,
    mockCreatedVersion: number,
    revisions: readonly number[],
  ): Later<RouteRevision[] | undefined>;
  /** The saved version of a mock, as the data plane serves it; undefined when the mock does not exist. */
  publishedMock(mockId: string): Later<PublishedMock | undefined>;
  /** Every mock of every owner, including damaged ones, which exist but cannot be served. */
  publishedMocks(): Later<Iterable<Pick<PublishedMock, 'mockId'>>>;
  /** Every mock that is served from a file, of any owner; reads the entry of every mock. */
  fileMocks(): Later<readonly { readonly mockId: string; readonly ownerId: string }[]>;
  idempotencyEntry(key: string): Later<IdempotencyEntry | undefined>;
  /** History of an owner from a version upwards, oldest first. */
  history(ownerId: string, fromVersion: number, countMax: number): Later<HistoryEntry[]>;
  /** History of an owner below a version, newest first. */
  historyBefore(ownerId: string, beforeVersion: number, countMax: number): Later<HistoryEntry[]>;
  readonly keys: ApiKeyStore;
  /**
   * Removes expired idempotency entries, old history and keys that expired long ago, in small transactions. Resolves with
   * the count of entries.
   */
  prune(now: number): Promise<number>;
  /** @returns undefined for a code that is unknown, used, damaged or expired, without distinction. */
  exchangeCode(code: string, clock: Clock): Promise<ExchangedKey | undefined>;
  /** Figures for metrics, since the start. */
  readonly figures: StoreFigures;
  /** Free space, as of the last sample. */
  readonly diskSpace: DiskSpaceFigures;
  /** Resolves once, when a commit failed or hung: the process should end and be restarted. */
  readonly failed: Promise<Error>;
  /** Waits for submitted commits, then closes. */
  close(): Promise<void>;
}

/** A store that other processes may write to as well. */
export interface SharedStore extends Store {
  readonly isShared: true;
  /**
   * Reads what has changed of an owner, in slices, and nothing else of it. Undefined when the store cannot say that: then
   * all of it must be loaded. As `loadOwner` otherwise.
   */
  changesSince(known: KnownOwner): Promise<CaughtUp | undefined>;
  /** An owner's version at some moment after the call. */
  newestVersion(ownerId: string): Promise<number>;
  /**
   * Like that of a Store. Resolves with whether another process is waiting to write to the owner.
   *
   * Rejects with ConflictError when another process has committed first: nothing of it is stored, nor will be of any
   * other commit of this owner, until what has changed is read, or the owner is loaded again.
   */
  commit(prepared: PreparedCommit): Promise<boolean>;
  /** Reads what has changed once it is this process's turn to write to an owner, or at the latest after TURN_WAIT_MS_MAX. */
  takeTurn(known: KnownOwner): Promise<WriteTurn>;
}

export function isShared(store: Store): store is SharedStore {
  return store.isShared;
}

/**
 * A turn at writing to an owner: until its first commits are stored, processes that wait for theirs write nothing. All others
 * may be faster, as before.
 */
export interface WriteTurn {
  /** Changes since the turn started. */
  readonly caughtUp: CaughtUp | undefined;
  readonly commit: SharedStore['commit'];
  /** Nothing further will be committed. To be called once. */
  readonly end: () => void;
}

/** A commit that was not attempted, since an earlier one failed: it has had no effect. */
export class CommitSkippedError extends Error {
  constructor(cause: Error) {
    super('a commit before this one failed', { cause });
  }
}

/** A commit for which there is no room, in a store that reports it only then. */
export class StoreFullError extends CommitSkippedError {}

/** A commit that does not return: a thread of this process waits for the disk, possibly without end. */
export class CommitHangError extends Error {}

/** Another process has committed first: nothing of this commit is stored. */
export class ConflictError extends Error {}

/** Stored data is not what was written; the message says where. */
export class DamageError extends Error {}

export interface StoreFigures {
  batches: number;
  commits: number;
  commitSeconds: number;
  /** Owners found damaged since the start. */
  damagedOwners: number;
  /** Counted for a shared store: commits that others were ahead of, and batches that were submitted again. */
  conflicts?: number;
  resubmissions?: number;
}

export interface DiskSpaceFigures {
  /** Free on the disk; Infinity when the system does not report it. */
  readonly diskBytes: number;
  /** Free within the store's file. */
  readonly reusableBytes: number;
  /** Whether writes that make the store grow are refused. */
  readonly isFull: boolean;
}

export interface ApiKeyStore {
  /** @returns undefined for a damaged key too: it grants nothing. */
  find(keyId: string): ApiKey | undefined;
  /** All undamaged keys. */
  list(): ApiKey[];
  /** Ids of the damaged keys; nothing else about them is reliable. */
  damagedIds(): string[];
  /** When it resolves, the key is durable, and every server of the store accepts it. */
  add(key: ApiKey): Promise<void>;
  /**
   * Revokes a key, or removes a damaged one. Durable when it resolves. Servers refuse it within a second of the call.
   *
   * @returns Whether the key exists.
   */
  revoke(keyId: string, date: number): Promise<boolean>;
  /** Removes the keys whose end was before a date. @returns Their count. Durable when it resolves. */
  removeExpired(before: number): Promise<number>;
  /** Replaces all keys by these; quotas stay. Durable when it resolves. */
  replaceAll(keys: readonly ApiKey[]): Promise<void>;
  /** By owner, without those that have none. */
  quotas(): ReadonlyMap<string, OwnerQuota>;
  /** Without one, the limits of the server hold again. Durable when it resolves; servers heed it within a second of the call. */
  setQuota(ownerId: string, quota: OwnerQuota | undefined): Promise<void>;
  /** Changes with every change of a key or quota, by any process. */
  generation(): number;
}

/** One-time codes for the console, by their digests (model/console-code.ts). */
export interface ConsoleCodeStore {
  /** Durable when it resolves. */
  add(digest: string, holder: CodeHolder, expiresAt: number): Promise<void>;
  /**
   * Removes a code. Durable when it resolves.
   *
   * @returns undefined when it is unknown, damaged or expired.
   */
  take(digest: string, now: number): Promise<CodeHolder | undefined>;
  /** Removes the codes that are over, or damaged. Durable when it resolves. @returns Their count. */
  removeExpired(now: number): Promise<number>;
}
