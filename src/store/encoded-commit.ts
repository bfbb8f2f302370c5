/**
 * A commit as bytes, and how they are put into the tables.
 *
 * Everything is encoded before the first put: an entry that could not be would leave half a commit in the transaction.
 */
import { assert } from '../base/assert.ts';
import { Slices } from '../base/slices.ts';
import type { Change } from '../model/owner-state.ts';
import { encodeGroup, encodeHistory, encodeIdempotency, encodeRule } from './record-codec.ts';
import type { Commit, PreparedCommit } from './store.ts';
import { GROUP, RULE, type RecordKey, type Tables } from './tables.ts';

/** Record ids that one history entry names; deleting a group may change 100,000 rules. */
const HISTORY_IDS_MAX = 100;
/** Records encoded between two looks at the clock. */
const RECORDS_PER_LOOK = 256;
const EMPTY = Buffer.alloc(0);

interface RecordEntry {
  readonly key: RecordKey;
  readonly id: string;
  /** Absent when the record is removed. */
  readonly bytes: Buffer | undefined;
  /** Whether the commit makes the record: its id then gets its owner. */
  readonly isNew: boolean;
}

export class EncodedCommit implements PreparedCommit {
  readonly ownerId: string;
  readonly expectedVersion: number;
  readonly date: number;
  readonly history: Buffer;
  readonly idempotency: { key: string; date: number; bytes: Buffer } | undefined;
  readonly entries: RecordEntry[] = [];
  readonly #places = new Set<string>();

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

  /** Encodes one more change. */
  add(change: Change): void {
    const entry = encodeChange(this.ownerId, change);
    // Records are stored by the version that created them: a second one of the same would silently replace the first.
    const place = `${entry.key[1]}${entry.key[2]}`;
    assert(!this.#places.has(place), `a commit writes ${entry.id} in a place of its own`);
    this.#places.add(place);
    this.entries.push(entry);
  }
}

/** Encodes a commit. A large one takes slices of the event loop. */
export function encodeCommit(commit: Commit): EncodedCommit | Promise<EncodedCommit> {
  const encoded = new EncodedCommit(commit);
  if (commit.changes.length > RECORDS_PER_LOOK) return encodeInSlices(commit, encoded);
  for (const change of commit.changes) encoded.add(change);
  return encoded;
}

/** Puts a commit into the transaction that is being made; all but the owner's version, which its last commit sets. */
export function putCommit(tables: Tables, commit: EncodedCommit): void {
  const version = commit.expectedVersion + 1;
  for (const { key, id, bytes, isNew } of commit.entries) {
    if (bytes === undefined) {
      void tables.records.remove(key);
      void tables.recordOwners.remove(id);
    } else {
      void tables.records.put(key, bytes);
      if (isNew) void tables.recordOwners.put(id, commit.ownerId);
    }
  }
  void tables.history.put([commit.ownerId, version], commit.history);
  if (commit.idempotency !== undefined) {
    const { key, date, bytes } = commit.idempotency;
    void tables.idempotency.put(key, bytes);
    void tables.idempotencyByDate.put([date, key], EMPTY);
  }
}

async function encodeInSlices(commit: Commit, encoded: EncodedCommit): Promise<EncodedCommit> {
  const slices = new Slices();
  for (const [index, change] of commit.changes.entries()) {
    encoded.add(change);
    if (index % RECORDS_PER_LOOK === 0 && slices.due()) await slices.next();
  }
  return encoded;
}

function encodeChange(ownerId: string, change: Change): RecordEntry {
  const { id, createdVersion } = recordOf(change);
  switch (change.kind) {
    case 'putRule':
      return { key: [ownerId, RULE, createdVersion], id, bytes: encodeRule(change.rule), isNew: change.isNew === true };
    case 'removeRule':
      return { key: [ownerId, RULE, createdVersion], id, bytes: undefined, isNew: false };
    case 'putGroup':
      return {
        key: [ownerId, GROUP, createdVersion],
        id,
        bytes: encodeGroup(change.group),
        isNew: change.isNew === true,
      };
    case 'removeGroup':
      return { key: [ownerId, GROUP, createdVersion], id, bytes: undefined, isNew: false };
  }
}

function recordOf(change: Change) {
  return 'rule' in change ? change.rule : change.group;
}
