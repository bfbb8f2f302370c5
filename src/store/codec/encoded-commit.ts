/**
 * Encodes a commit, and puts the result into the tables.
 *
 * Everything is encoded before the first put: a later encoding error would leave half a commit in the transaction.
 */
import { assert } from '../../base/assert.ts';
import { Slices } from '../../base/slices.ts';
import { HISTORY_IDS_MAX } from '../../model/history.ts';
import type { Mock } from '../../model/mocks/mock.ts';
import { recordOf, type Change } from '../../model/owner-state.ts';
import { encodeMock, encodeMockVersions, encodePublished, encodeRoute } from './mock-codec.ts';
import { encodeGateway, encodeGroup, encodeHistory, encodeIdempotency, encodeRule } from './record-codec.ts';
import type { Commit, PreparedCommit } from '../store.ts';
import {
  GATEWAY,
  GROUP,
  MOCK,
  MOCK_ROUTE,
  MOCK_VERSIONS,
  RULE,
  type RecordKey,
  type Tables,
} from '../tables/tables.ts';

/** Records encoded between two checks of the clock. */
const RECORDS_PER_BATCH = 256;
const EMPTY = Buffer.alloc(0);

interface RecordEntry {
  readonly key: RecordKey;
  /** Absent when the record is removed. */
  readonly bytes: Buffer | undefined;
}

/** The effect of a change on the tables that are keyed by id. */
interface IdEntry {
  readonly id: string;
  /** `made` adds the id to the index of owners, `gone` removes it. */
  readonly change: 'made' | 'kept' | 'gone';
  /** The entry of `publishedMocks`; absent for records that are not mocks. */
  readonly published: Buffer | undefined;
}

export class EncodedCommit implements PreparedCommit {
  readonly ownerId: string;
  readonly expectedVersion: number;
  readonly date: number;
  readonly history: Buffer;
  readonly idempotency: { key: string; date: number; bytes: Buffer } | undefined;
  readonly answerBytes: number;
  readonly entries: RecordEntry[] = [];
  readonly ids: IdEntry[] = [];
  /** Mocks of which it saves a version. */
  readonly savedMocks: Mock[] = [];
  /** Records of the owner after this commit; undefined when the commit has no count from before. */
  recordCount: number | undefined;
  /** Keys of its records, when it has several. */
  readonly #places: Set<string> | undefined;
  #bytes: number;

  constructor(commit: Commit) {
    const { principal, date, command, changes, idempotency } = commit;
    this.ownerId = principal.ownerId;
    this.expectedVersion = commit.expectedVersion;
    this.date = date;
    this.recordCount = commit.recordCount;
    this.#places = changes.length > 1 ? new Set() : undefined;
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
    // Its key is stored in two tables.
    this.answerBytes =
      this.idempotency === undefined ? 0 : this.idempotency.bytes.length + 2 * this.idempotency.key.length;
    this.#bytes = this.history.length + (this.idempotency?.bytes.length ?? 0);
  }

  /** Length of all values; keys are small. */
  get bytes(): number {
    return this.#bytes;
  }

  get entriesCount(): number {
    // History and the owner's entry; an idempotency entry is stored in two tables.
    return this.entries.length + this.ids.length + (this.idempotency === undefined ? 2 : 4);
  }

  /** Encodes one more change. */
  add(change: Change): void {
    const { id, createdVersion } = recordOf(change);
    const encoded = encodeChange(this.ownerId, change);
    if (change.kind === 'putMock' && change.saves) this.savedMocks.push(change.mock);
    if (this.#places !== undefined) {
      // Records are keyed by the version that created them: a second one of the same version would silently replace the
      // first.
      const place = `${encoded.entries[0]?.key[1]}${createdVersion}`;
      assert(!this.#places.has(place), `a commit writes ${id} under its own key`);
      this.#places.add(place);
    }
    this.entries.push(...encoded.entries);
    for (const { bytes } of encoded.entries) this.#bytes += bytes?.length ?? 0;
    this.ids.push({ id, change: encoded.change, published: encoded.published });
    if (this.recordCount === undefined || encoded.change === 'kept') return;
    this.recordCount += encoded.change === 'made' ? 1 : -1;
  }
}

/** Encodes a commit. A large one takes slices of the event loop. */
export function encodeCommit(commit: Commit): EncodedCommit | Promise<EncodedCommit> {
  const encoded = new EncodedCommit(commit);
  if (commit.changes.length > RECORDS_PER_BATCH) return encodeInSlices(commit, encoded);
  for (const change of commit.changes) encoded.add(change);
  return encoded;
}

/** Puts a commit into the current transaction, except for the owner's version, which the batch's last commit sets. */
export function putCommit(tables: Tables, commit: EncodedCommit): void {
  const version = commit.expectedVersion + 1;
  for (const { key, bytes } of commit.entries) {
    if (bytes === undefined) void tables.records.remove(key);
    else void tables.records.put(key, bytes);
  }
  for (const { id, change, published } of commit.ids) {
    if (change === 'made') void tables.recordOwners.put(id, commit.ownerId);
    if (change === 'gone') {
      void tables.recordOwners.remove(id);
      void tables.publishedMocks.remove(id);
    } else if (published !== undefined) void tables.publishedMocks.put(id, published);
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
    if (index % RECORDS_PER_BATCH === 0 && slices.due()) await slices.next();
  }
  return encoded;
}

interface EncodedChange {
  readonly entries: RecordEntry[];
  readonly change: IdEntry['change'];
  readonly published?: Buffer;
}

function encodeChange(ownerId: string, change: Change): EncodedChange {
  const { createdVersion } = recordOf(change);
  switch (change.kind) {
    case 'putRule':
      return put([ownerId, RULE, createdVersion], encodeRule(change.rule), change.isNew);
    case 'removeRule':
      return remove([ownerId, RULE, createdVersion]);
    case 'putGroup':
      return put([ownerId, GROUP, createdVersion], encodeGroup(change.group), change.isNew);
    case 'removeGroup':
      return remove([ownerId, GROUP, createdVersion]);
    case 'putMock': {
      const { mock, isNew, added, removed, saves } = change;
      const { entries, change: made } = put([ownerId, MOCK, createdVersion], encodeMock(mock), isNew);
      if (saves)
        entries.push({ key: [ownerId, MOCK_VERSIONS, createdVersion], bytes: encodeMockVersions(mock.versions) });
      for (const { revision, route } of added) {
        entries.push({
          key: [ownerId, MOCK_ROUTE, createdVersion, revision],
          bytes: encodeRoute(route),
        });
      }
      for (const revision of removed) {
        entries.push({ key: [ownerId, MOCK_ROUTE, createdVersion, revision], bytes: undefined });
      }
      return { entries, change: made, published: encodePublished(ownerId, mock) };
    }
    case 'putGateway':
      return put([ownerId, GATEWAY, createdVersion], encodeGateway(change.gateway), change.isNew);
    case 'note':
      return { entries: [], change: 'kept' };
    case 'removeMock': {
      const { entries, change: gone } = remove(
        [ownerId, MOCK, createdVersion],
        [ownerId, MOCK_VERSIONS, createdVersion],
      );
      for (const revision of change.revisions) {
        entries.push({ key: [ownerId, MOCK_ROUTE, createdVersion, revision], bytes: undefined });
      }
      return { entries, change: gone };
    }
  }
}

function put(key: RecordKey, bytes: Buffer, isNew: true | undefined): EncodedChange {
  return { entries: [{ key, bytes }], change: isNew === true ? 'made' : 'kept' };
}

function remove(...keys: RecordKey[]): EncodedChange {
  return { entries: keys.map((key) => ({ key, bytes: undefined })), change: 'gone' };
}
