/**
 * Reads all records of one owner, and refuses the owner when any of them is damaged or missing.
 *
 * Everything is read in slices of the event loop. lmdb-store.ts decides when to read again, and remembers damaged
 * owners.
 */
import type { RangeOptions } from 'lmdb';
import { Slices } from '../base/slices.ts';
import type { Group } from '../model/group.ts';
import type { Mock, MockVersion } from '../model/mocks/mock.ts';
import { emptyOwner, putGroup, putRule, recordCountOf, type Listed, type OwnerState } from '../model/owner-state.ts';
import type { Rule } from '../model/rule.ts';
import { decodeMock, decodeMockHead, decodeMockVersions, decodeRoute } from './codec/mock-codec.ts';
import { decodeGateway, decodeGroup, decodeOwner, decodeRule, newIntern } from './codec/record-codec.ts';
import { contentBytes } from './codec/seal.ts';
import { readRecord } from './damage.ts';
import { isEngineRejection } from './engine-rejection.ts';
import { DamageError } from './store.ts';
import { isDamaged } from './tables/table-keys.ts';
import {
  GATEWAY,
  GROUP,
  isEmpty,
  MOCK,
  MOCK_ROUTE,
  MOCK_VERSIONS,
  RULE,
  type HeadKind,
  type RecordKey,
  type Tables,
} from './tables/tables.ts';

/** Records read between two checks of the clock. */
const RECORDS_PER_BATCH = 256;

/**
 * @returns The owner's version: 0 without an entry, NaN when the entry is too short to have one. Damage may also read
 * as NaN.
 */
export function versionOf({ owners }: Tables, ownerId: string): number {
  try {
    return owners.getEntry(ownerId)?.version ?? 0;
  } catch (error) {
    if (isEngineRejection(error)) throw error;
    return NaN;
  }
}

/**
 * @returns The owner; an empty one when nothing is stored of it.
 * @throws DamageError, or the error that a decoder throws on damaged bytes.
 */
export async function readOwner(tables: Tables, ownerId: string): Promise<OwnerState> {
  const entry = tables.owners.getEntry(ownerId);
  const state = emptyOwner(ownerId);
  if (entry === undefined) {
    if (hasRecordsOrHistory(tables, ownerId)) throw new DamageError('its entry is missing');
    return state;
  }
  state.version = entry.version as number;
  const { latestDate, recordCount } = decodeOwner(entry.value, ownerId, state.version);
  state.latestDate = latestDate;
  const intern = newIntern();
  const groupOf = (bytes: Buffer): Group => decodeGroup(bytes, intern);
  const ruleOf = (bytes: Buffer): Rule => decodeRule(bytes, intern);
  const mockOf = (bytes: Buffer, createdVersion: number): Mock => readMock(tables, ownerId, createdVersion, bytes);
  await readRecords(tables, ownerId, GROUP, groupOf, (group) => putGroup(state, group));
  await readRecords(tables, ownerId, RULE, ruleOf, (rule) => putRule(state, rule));
  await readRecords(tables, ownerId, MOCK, mockOf, (mock) => state.mocks.put(mock));
  await readRecords(tables, ownerId, GATEWAY, decodeGateway, (gateway) => state.gateway.put(gateway));
  const count = recordCountOf(state);
  if (recordCount !== undefined && count !== recordCount)
    throw new DamageError(`there are ${count} of ${recordCount} records`);
  return state;
}

/** @throws DamageError when the list is missing or damaged. */
export function readVersions({ records }: Tables, ownerId: string, createdVersion: number): MockVersion[] {
  const bytes = records.get([ownerId, MOCK_VERSIONS, createdVersion]);
  if (bytes === undefined) throw new DamageError('its versions are missing');
  return decodeMockVersions(bytes);
}

/**
 * For an owner without an entry: every commit writes one, so records or history without it mean that its key is
 * damaged.
 */
function hasRecordsOrHistory({ records, history }: Tables, ownerId: string): boolean {
  const range: RangeOptions = { start: [ownerId], end: [ownerId, '\uffff'] };
  return [records, history].some((table) => !isEmpty(table, range));
}

/**
 * Each slice is a range of its own: a cursor held across turns of the event loop would also hold its read transaction.
 */
async function readRecords<R extends Listed>(
  { records }: Tables,
  ownerId: string,
  kind: HeadKind,
  decode: (bytes: Buffer, createdVersion: number) => R,
  put: (record: R) => void,
): Promise<void> {
  const slices = new Slices();
  const end: RecordKey = [ownerId, kind, Infinity];
  let start: RecordKey = [ownerId, kind, 0];
  for (;;) {
    let count = 0;
    const range: RangeOptions = { start, end, exclusiveStart: true, limit: RECORDS_PER_BATCH };
    for (const { key, value } of records.getRange(range)) {
      if (isDamaged(key) || key.length !== 3) throw new DamageError('invalid record key');
      put(readRecord(kind, key[2], () => decode(value, key[2])));
      start = key;
      count++;
      // A mock may have many routes: the next range begins after it.
      if (slices.due()) break;
    }
    if (count === 0) return;
    if (slices.due()) await slices.next();
  }
}

function readMock(tables: Tables, ownerId: string, createdVersion: number, bytes: Buffer): Mock {
  const versions = readVersions(tables, ownerId, createdVersion);
  const needed = new Set([...decodeMockHead(bytes).revisions, ...(versions.at(-1)?.revisions ?? [])]);
  const routes = new Map<number, Buffer>();
  const kept = new Map<number, number>();
  const range = {
    start: [ownerId, MOCK_ROUTE, createdVersion, 0],
    end: [ownerId, MOCK_ROUTE, createdVersion, Infinity],
  };
  for (const { key, value } of tables.records.getRange(range)) {
    if (isDamaged(key)) throw new DamageError('invalid route key');
    const revision = key[3] as number;
    kept.set(revision, contentBytes(value));
    // The range may reuse a value's memory for the next. Older versions stay on the disk.
    if (needed.has(revision)) routes.set(revision, Buffer.from(value));
  }
  return decodeMock(bytes, versions, (revision) => decodeRoute(revision, routes.get(revision)), kept);
}
