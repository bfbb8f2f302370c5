/**
 * What the rest of the service knows of storage: this interface, and nothing of the engine behind it.
 *
 * The embedded engine is LMDB (lmdb-store.ts). Only files in this folder may import it.
 */
import type { HistoryEntry } from '../model/history.ts';
import type { PublishedMock } from '../model/mocks/definition.ts';
import type { RouteRevision } from '../model/mocks/mock.ts';
import type { Change, OwnerState } from '../model/owner-state.ts';
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
  /** Rules, groups and mocks of the owner before this commit. Without it, the owner's next load does not count them. */
  readonly recordCount?: number;
  readonly idempotency?: IdempotencyEntry | undefined;
}

/** The first answer to a request with an `Idempotency-Key`, for its repetitions. */
export interface IdempotencyEntry {
  /** Digest of owner, user, method, path and key: 64 hexadecimal characters. */
  readonly key: string;
  /** Digest of the body, so that the same key with another body is noticed. */
  readonly bodyDigest: string;
  /** Milliseconds since the Unix epoch. */
  readonly date: number;
  /** The record that the first request made, as it was then. Plain data. */
  readonly answer: unknown;
}

/** An API key without its secret. */
export interface ApiKey extends Principal {
  readonly creationDate: number;
  /** Milliseconds since the Unix epoch, null while the key is valid. */
  readonly revocationDate: number | null;
  /** SHA-256 of the secret. */
  readonly secretDigest: Buffer;
}

/** A commit whose bytes are ready. Only the store that made it looks inside. */
export interface PreparedCommit {
  readonly ownerId: string;
  readonly expectedVersion: number;
  /** Bytes that its idempotency entry takes; 0 without one. */
  readonly answerBytes: number;
}

export interface Store {
  /** Which owner durably holds the record with this id. O(1), loads no owner. */
  ownerOf(recordId: string): string | undefined;
  /**
   * Reads all of one owner, in slices; an owner without records is empty, not missing. Rejects with DamageError when they are not what
   * was written, and does so again without reading them.
   */
  loadOwner(ownerId: string): Promise<OwnerState>;
  /** Encodes a commit. Large ones take slices of the event loop; nothing is written yet. */
  prepare(commit: Commit): PreparedCommit | Promise<PreparedCommit>;
  /**
   * Writes a prepared commit, together with those of other owners that wait at the same time.
   * Resolves when it is durable. Rejects with NotTriedError when nothing of it is stored; with another error when it was tried,
   * and may or may not be. Either way, load the owner anew.
   */
  commit(prepared: PreparedCommit): Promise<void>;
  /** Whether a commit may be written: the disk has a reserve, which only what `frees` may use. To be asked just before `commit`. */
  hasRoomFor(prepared: PreparedCommit, frees: boolean): boolean;
  /** The content of a mock's routes, by their revisions; undefined when one is not stored. */
  routeRevisions(
    ownerId: string,
    mockCreatedVersion: number,
    revisions: readonly number[],
  ): RouteRevision[] | undefined;
  /** The saved version of a mock, as the data plane serves it; undefined when there is no such mock. */
  publishedMock(mockId: string): PublishedMock | undefined;
  /** Every mock of every owner, also one that is damaged: it exists, and cannot be served. */
  publishedMocks(): Iterable<Pick<PublishedMock, 'mockId'>>;
  idempotencyEntry(key: string): IdempotencyEntry | undefined;
  /**
   * Bytes of an owner's idempotency entries, by the slot of their date (answer-slots.ts).
   *
   * @throws DamageError when one of the numbers is none.
   */
  answerBytes(ownerId: string): [slot: number, bytes: number][];
  /** One owner's history from a version on, oldest first. */
  history(ownerId: string, fromVersion: number, countMax: number): HistoryEntry[];
  /** The same below a version, newest first. */
  historyBefore(ownerId: string, beforeVersion: number, countMax: number): HistoryEntry[];
  readonly keys: ApiKeyStore;
  /** Removes expired idempotency entries and old history, in small transactions. Resolves with the count of entries. */
  prune(now: number): Promise<number>;
  /** Figures for metrics, since the start. */
  readonly figures: StoreFigures;
  /** What is free, as of the last look. */
  readonly room: RoomFigures;
  /** Resolves once, when a commit failed or hung: the process should end and start anew. */
  readonly failed: Promise<Error>;
  /** Waits for what was submitted, then closes. */
  close(): Promise<void>;
}

/** A commit that was not begun, since one before it failed: it has had no effect. */
export class NotTriedError extends Error {
  constructor(cause: Error) {
    super('a commit before this one failed', { cause });
  }
}

/** A commit that does not come back: a thread of this process waits for the disk, and may do so for ever. */
export class CommitHangError extends Error {}

/** What is stored is not what was written; the message says where. */
export class DamageError extends Error {}

export interface StoreFigures {
  batches: number;
  commits: number;
  commitSeconds: number;
  /** Owners that were found damaged. */
  damagedOwners: number;
}

export interface RoomFigures {
  /** Free on the disk; Infinity when nobody looks. */
  readonly diskBytes: number;
  /** Free within the store's file. */
  readonly reusableBytes: number;
  /** Whether everything that grows is refused. */
  readonly isFull: boolean;
}

export interface ApiKeyStore {
  /** @returns undefined for a damaged one too: it opens nothing. */
  find(keyId: string): ApiKey | undefined;
  /** Those that are whole. */
  list(): ApiKey[];
  /** Ids of the others: of what they were, nothing is sure. */
  damagedIds(): string[];
  /** Durable when it resolves. */
  add(key: ApiKey): Promise<void>;
  /** One that is damaged is removed. @returns Whether there is such a key. Durable when it resolves. */
  revoke(keyId: string, date: number): Promise<boolean>;
  /** These keys take the place of all there are. Durable when it resolves. */
  replaceAll(keys: readonly ApiKey[]): Promise<void>;
  /** Changes with every change of the keys, by any process. */
  generation(): number;
}
