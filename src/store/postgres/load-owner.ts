/** Reads all records of one owner, and refuses the owner when any of them is damaged or missing; as ../read-owner.ts does of LMDB. */
import { Slices } from '../../base/slices.ts';
import type { Mock, MockVersion } from '../../model/mocks/mock.ts';
import { emptyOwner, putGroup, putRule, type OwnerState } from '../../model/owner-state.ts';
import { decodeMock, decodeMockHead, decodeMockVersions } from '../codec/mock-codec.ts';
import { decodeGroup, decodeOwner, decodeRule, newIntern } from '../codec/record-codec.ts';
import { SEAL, SEAL_BYTES } from '../codec/seal.ts';
import { readRecord } from '../damage.ts';
import { slotsIn } from '../retention-slots.ts';
import { DamageError, type LoadedOwner } from '../store.ts';
import { GROUP, MOCK, MOCK_ROUTE, MOCK_VERSIONS, RULE } from '../tables/tables.ts';
import { bigintArray, doubleArray } from './arrays.ts';
import type { Queries } from './queries.ts';

/** Records decoded between two checks of the clock. */
const RECORDS_PER_BATCH = 256;

interface RecordRow {
  readonly kind: string;
  readonly created_version: number;
  readonly bytes: Buffer;
}

/** The rows of a mock. */
interface MockRows {
  readonly bytes: Buffer;
  readonly versions: MockVersion[];
  /** Of each revision that is stored: the bytes of its content. */
  readonly kept: ReadonlyMap<number, number>;
  /** Of those that its working copy and its saved version list. */
  readonly routes: ReadonlyMap<number, Buffer>;
}

/**
 * @param queries Of one moment.
 * @throws DamageError when any of it is damaged.
 */
export async function loadOwner(queries: Queries, ownerId: string): Promise<LoadedOwner> {
  const state = emptyOwner(ownerId);
  const [entry] = await queries.rows<{ version: string; entry: Buffer }>(
    'select version, entry from owner where owner_id = $1',
    [ownerId],
    'owner',
  );
  const records = await queries.rows<RecordRow>(
    `select kind, created_version, bytes from record where owner_id = $1 and kind in ('g', 'r', 'm', 'v')
       order by kind, created_version`,
    [ownerId],
    'records',
  );
  if (entry === undefined) {
    if (records.length > 0) throw new DamageError('its entry is missing');
    return { state, answerBytes: [] };
  }
  const answerBytes = await readSlots(queries, ownerId);
  const mocks = await readMocks(queries, ownerId, records);
  state.version = Number(entry.version);
  const { latestDate, recordCount } = decoded(() => decodeOwner(entry.entry, ownerId, state.version));
  state.latestDate = latestDate;
  await putRecords(state, records, mocks);
  const count = state.groups.count + state.rules.count + state.mocks.count;
  if (recordCount !== undefined && count !== recordCount)
    throw new DamageError(`there are ${count} of ${recordCount} records`);
  return { state, answerBytes };
}

/** Groups are first: a rule is counted in its group. */
async function putRecords(
  state: OwnerState,
  records: readonly RecordRow[],
  mocks: ReadonlyMap<number, MockRows>,
): Promise<void> {
  const intern = newIntern();
  const slices = new Slices();
  let count = 0;
  for (const { kind, created_version, bytes } of [GROUP, RULE, MOCK].flatMap((each) =>
    records.filter((record) => record.kind === each),
  )) {
    if (kind === GROUP)
      putGroup(
        state,
        readRecord(kind, created_version, () => decodeGroup(bytes, intern)),
      );
    else if (kind === RULE)
      putRule(
        state,
        readRecord(kind, created_version, () => decodeRule(bytes, intern)),
      );
    else state.mocks.put(readRecord(kind, created_version, () => mockOf(mocks.get(created_version))));
    if (++count % RECORDS_PER_BATCH === 0 && slices.due()) await slices.next();
  }
}

function mockOf(rows: MockRows | undefined): Mock {
  if (rows === undefined) throw new DamageError('its versions are missing');
  return decodeMock(rows.bytes, rows.versions, rows.routes, rows.kept);
}

async function readSlots(queries: Queries, ownerId: string): Promise<LoadedOwner['answerBytes']> {
  const rows = await queries.rows<{ slot: string; bytes: string }>(
    'select slot, bytes from answer_bytes where owner_id = $1',
    [ownerId],
    'slots',
  );
  return decoded(() =>
    slotsIn(rows.map(({ slot, bytes }) => ({ key: [ownerId, Number(slot)], value: Number(bytes) }))),
  );
}

/** By the version that created each: revisions that only older versions list are counted, and not read. */
async function readMocks(
  queries: Queries,
  ownerId: string,
  records: readonly RecordRow[],
): Promise<ReadonlyMap<number, MockRows>> {
  const mocks = new Map<number, MockRows & { kept: Map<number, number>; routes: Map<number, Buffer> }>();
  for (const { kind, created_version, bytes } of records) {
    if (kind !== MOCK) continue;
    const versions = records.find(
      (each) => each.kind === MOCK_VERSIONS && each.created_version === created_version,
    )?.bytes;
    if (versions === undefined) continue;
    const rows = { bytes, versions: decoded(() => decodeMockVersions(versions)), kept: new Map(), routes: new Map() };
    mocks.set(created_version, rows);
  }
  if (mocks.size === 0) return mocks;
  const kept = await queries.rows<{ created_version: number; revision: string; first: number; length: number }>(
    `select created_version, revision, get_byte(bytes, 0) as first, length(bytes) as length from record
       where owner_id = $1 and kind = '${MOCK_ROUTE}'`,
    [ownerId],
    'kept',
  );
  const needed: [createdVersion: number, revision: number][] = [];
  for (const [createdVersion, { bytes, versions }] of mocks) {
    const revisions = new Set([
      ...decoded(() => decodeMockHead(bytes)).revisions,
      ...(versions.at(-1)?.revisions ?? []),
    ]);
    for (const revision of revisions) needed.push([createdVersion, revision]);
  }
  for (const { created_version, revision, first, length } of kept) {
    mocks.get(created_version)?.kept.set(Number(revision), first === SEAL ? length - SEAL_BYTES : length);
  }
  for (const [createdVersion, revision, bytes] of await readRoutes(queries, ownerId, needed)) {
    mocks.get(createdVersion)?.routes.set(revision, bytes);
  }
  return mocks;
}

/** Whatever a decoder throws on damaged bytes is damage. */
function decoded<Value>(decode: () => Value): Value {
  try {
    return decode();
  } catch (error) {
    if (error instanceof DamageError) throw error;
    throw new DamageError((error as Error).message, { cause: error });
  }
}

/** The content of routes, as far as it is stored. */
export async function readRoutes(
  queries: Pick<Queries, 'rows'>,
  ownerId: string,
  revisions: readonly (readonly [mockCreatedVersion: number, revision: number])[],
): Promise<[mockCreatedVersion: number, revision: number, bytes: Buffer][]> {
  const rows = await queries.rows<{ created_version: number; revision: string; bytes: Buffer }>(
    // Each by its key: a join could compare all of a mock's routes with all that are asked for.
    `select rows.created_version, rows.revision, stored.bytes
       from unnest($2::float8[], $3::bigint[]) as rows(created_version, revision) cross join lateral (
         select bytes from record where owner_id = $1 and kind = '${MOCK_ROUTE}'
           and created_version = rows.created_version and revision = rows.revision offset 0
       ) as stored`,
    [
      ownerId,
      doubleArray(revisions.map(([created]) => created)),
      bigintArray(revisions.map(([, revision]) => revision)),
    ],
    'routes',
  );
  return rows.map((row) => [row.created_version, Number(row.revision), row.bytes]);
}
