/**
 * Reads an owner, all of it or what has changed, and refuses it when any record is damaged or missing; as ../read-owner.ts
 * does of LMDB.
 *
 * History says which records each commit has written: its places. What has changed is read by these, in statements of a
 * bounded size, each with the places that were added before it. All of an owner is read page by page, without a common
 * moment, and what has changed since the first page is read after that.
 */
import { Slices } from '../../base/slices.ts';
import { StoreUnavailableError } from '../../errors.ts';
import type { GatewayRecord } from '../../model/gateway/settings.ts';
import type { Group } from '../../model/group.ts';
import type { Mock, MockVersion, RouteRevision } from '../../model/mocks/mock.ts';
import { adopt, emptyOwner, putGroup, putRule, recordCountOf, type OwnerState } from '../../model/owner-state.ts';
import type { Rule } from '../../model/rule.ts';
import type { EncodedCommit } from '../codec/encoded-commit.ts';
import { decodeMock, decodeMockHead, decodeMockVersions, decodeRoute, missingRevision } from '../codec/mock-codec.ts';
import { decodeGateway, decodeGroup, decodeOwner, decodeRule, newIntern, type Intern } from '../codec/record-codec.ts';
import { contentBytes, SEAL_BYTES } from '../codec/seal.ts';
import { readRecord } from '../damage.ts';
import { slotsIn } from '../retention-slots.ts';
import { DamageError, type CaughtUp, type KnownOwner, type LoadedOwner } from '../store.ts';
import { GATEWAY, GROUP, MOCK, MOCK_ROUTE, MOCK_VERSIONS, RULE, type RecordKey } from '../tables/tables.ts';
import { bigintArray, doubleArray, textArray } from './arrays.ts';
import type { Queries } from './queries.ts';

/** How often a load restarts because history does not say what was written in between. */
const WHOLE_LOADS_MAX = 3;

/** Commits whose places are read at a time. */
export const CATCH_UP_COMMITS = 1_024;

/** Records and bytes of one page of an owner that is read from PostgreSQL: its rows are parsed in some 3 ms. */
const OWNER_PAGE_RECORDS = 256;
const OWNER_PAGE_BYTES = 524_288;

/** Each statement is of a moment of its own. */
export type Ask = Pick<Queries, 'rows'>;

/** Records decoded between two checks of the clock. */
const RECORDS_PER_CHECK = 64;

/** The key of a record without its owner, as history has it; a list of them is separated by spaces. */
export function placeOf([, kind, createdVersion, revision]: RecordKey): string {
  return `${kind}${createdVersion}/${revision ?? 0}`;
}

/** @throws DamageError when any of it is damaged. */
export async function loadOwner(ask: Ask, ownerId: string): Promise<LoadedOwner> {
  for (let tried = 0; tried < WHOLE_LOADS_MAX; tried++) {
    const [entry] = await ask.rows<{ version: string }>(
      'select version from owner where owner_id = $1',
      [ownerId],
      'owner version',
    );
    const state = emptyOwner(ownerId);
    const version = Number(entry?.version ?? 0);
    const changed = new OwnerChanges(state);
    await readPages(ask, state, changed);
    const caughtUp = await readChanges(ask, changed, version, []);
    if (caughtUp === undefined) continue;
    const { changes, recordCount, answerBytes } = caughtUp;
    adopt(state, changes);
    const count = recordCountOf(state);
    if (state.version === 0 && count > 0) throw new DamageError('its entry is missing');
    if (recordCount !== undefined && count !== recordCount)
      throw new DamageError(`there are ${count} of ${recordCount} records`);
    return { state, answerBytes };
  }
  throw new StoreUnavailableError('history does not say what is written to this owner all the time');
}

/**
 * @returns undefined when history does not say what has changed.
 * @throws DamageError when any of that is damaged.
 */
export function changesSince(ask: Ask, { state, version, unstored }: KnownOwner): Promise<CaughtUp | undefined> {
  const places = unstored.flatMap((commit) => (commit as EncodedCommit).entries.map(({ key }) => placeOf(key)));
  return readChanges(ask, new OwnerChanges(state), version, places);
}

/** A mock of which not all rows may have been read yet. */
interface MockRows {
  head: Buffer | undefined;
  versions: readonly MockVersion[] | undefined;
  /** The bytes of each stored revision. */
  readonly kept: Map<number, number>;
  /** The revisions that its working copy and its saved version list, as far as they were read. */
  readonly routes: Map<number, RouteRevision>;
  /** Whether rows were read since it was seen that no further are needed. */
  isToCheck: boolean;
}

/** The records of an owner that others have changed, as far as they were read. */
class OwnerChanges {
  readonly #state: OwnerState;
  readonly #intern: Intern = newIntern();
  readonly rules = new Map<number, Rule | undefined>();
  readonly groups = new Map<number, Group | undefined>();
  readonly gateway = new Map<number, GatewayRecord | undefined>();
  readonly #mocks = new Map<number, MockRows>();

  /** @param state As it was before. It is only read. */
  constructor(state: OwnerState) {
    this.#state = state;
  }

  get ownerId(): string {
    return this.#state.ownerId;
  }

  /** @param bytes Undefined when nothing is there. */
  put(place: string, bytes: Buffer | undefined): void {
    const kind = place.charAt(0);
    const [created, revision] = place.slice(1).split('/').map(Number) as [number, number];
    if (kind === RULE) this.rules.set(created, bytes && this.ruleOf(created, bytes));
    else if (kind === GROUP) this.groups.set(created, bytes && this.groupOf(created, bytes));
    else if (kind === GATEWAY) this.gateway.set(created, bytes && this.gatewayOf(created, bytes));
    else {
      const rows = this.mockRows(created);
      rows.isToCheck = true;
      if (kind === MOCK) rows.head = bytes;
      else if (kind === MOCK_VERSIONS) rows.versions = bytes && decoded(() => decodeMockVersions(bytes));
      else if (bytes === undefined) {
        rows.kept.delete(revision);
        rows.routes.delete(revision);
      } else {
        rows.kept.set(revision, contentBytes(bytes));
        rows.routes.set(
          revision,
          decoded(() => decodeRoute(revision, bytes)),
        );
      }
    }
  }

  ruleOf(created: number, bytes: Buffer): Rule {
    return readRecord(RULE, created, () => decodeRule(bytes, this.#intern));
  }

  groupOf(created: number, bytes: Buffer): Group {
    return readRecord(GROUP, created, () => decodeGroup(bytes, this.#intern));
  }

  gatewayOf(created: number, bytes: Buffer): GatewayRecord {
    return readRecord(GATEWAY, created, () => decodeGateway(bytes));
  }

  /** Rows of a mock, kept from before except those that are replaced. */
  mockRows(created: number): MockRows {
    let rows = this.#mocks.get(created);
    if (rows !== undefined) return rows;
    const known = this.#state.mocks.at(created);
    const routes = [...(known?.saved.routes ?? []), ...(known?.staged.routes ?? [])];
    rows = {
      head: undefined,
      versions: known?.versions,
      kept: new Map(known?.kept),
      routes: new Map(routes.map((route) => [route.revision, route])),
      isToCheck: true,
    };
    this.#mocks.set(created, rows);
    return rows;
  }

  /** The places of routes that mocks list and that were not read. */
  async missingRoutes(): Promise<string[]> {
    const slices = new Slices();
    const places: string[] = [];
    for (const [created, rows] of this.#mocks) {
      const { head, versions, kept, routes, isToCheck } = rows;
      if (!isToCheck || head === undefined) continue;
      rows.isToCheck = false;
      const staged = decoded(() => decodeMockHead(head)).revisions;
      for (const revision of new Set([...staged, ...(versions?.at(-1)?.revisions ?? [])])) {
        // One that is not kept is missing, or gone since.
        if (kept.has(revision) && !routes.has(revision))
          places.push(placeOf([this.ownerId, MOCK_ROUTE, created, revision]));
      }
      if (slices.due()) await slices.next();
    }
    return places;
  }

  async mocks(): Promise<ReadonlyMap<number, Mock | undefined>> {
    const slices = new Slices();
    const mocks = new Map<number, Mock | undefined>();
    for (const [created, rows] of this.#mocks) {
      mocks.set(created, rows.head && readRecord(MOCK, created, () => mockOf(rows.head as Buffer, rows)));
      if (slices.due()) await slices.next();
    }
    return mocks;
  }
}

function mockOf(head: Buffer, { versions, kept, routes }: MockRows): Mock {
  if (versions === undefined) throw new DamageError('its versions are missing');
  const routeOf = (revision: number): RouteRevision => {
    const route = routes.get(revision);
    if (route === undefined) throw missingRevision(revision);
    return route;
  };
  return decodeMock(head, versions, routeOf, kept);
}

/** Groups are first: a rule is counted in its group. Routes of mocks are read when it is known which are listed. */
async function readPages(ask: Ask, state: OwnerState, changed: OwnerChanges): Promise<void> {
  const slices = new Slices();
  let after: readonly [kind: string, createdVersion: number, revision: number] = ['', 0, 0];
  for (;;) {
    const rows = await ask.rows<PageRow>(PAGE, [state.ownerId, ...after], 'page');
    for (const [index, { kind, created_version: created, revision, length, bytes }] of rows.entries()) {
      if (kind === GROUP) putGroup(state, changed.groupOf(created, bytes));
      else if (kind === RULE) putRule(state, changed.ruleOf(created, bytes));
      else if (kind === GATEWAY) state.gateway.put(changed.gatewayOf(created, bytes));
      else if (kind === MOCK_ROUTE) changed.mockRows(created).kept.set(Number(revision), length - SEAL_BYTES);
      else changed.put(`${kind}${created}/${revision}`, bytes);
      if (index % RECORDS_PER_CHECK === 0 && slices.due()) await slices.next();
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = [last.kind, last.created_version, Number(last.revision)];
  }
}

interface PageRow {
  readonly kind: string;
  readonly created_version: number;
  readonly revision: string;
  readonly length: number;
  /** Null for a route of a mock. */
  readonly bytes: Buffer;
}

/** A page has the rows that begin within its bytes: at least one. */
const PAGE = `
select kind, created_version, revision, length,
  case when kind <> '${MOCK_ROUTE}' then bytes end as bytes
from (
  select *, sum(length) over (order by kind, created_version, revision) as total from (
    select kind, created_version, revision, bytes, octet_length(bytes) as length from record
    where owner_id = $1 and (kind, created_version, revision) > ($2, $3, $4)
    order by kind, created_version, revision limit ${OWNER_PAGE_RECORDS}
  ) as rows
) as page where total - length < ${OWNER_PAGE_BYTES}
order by kind, created_version, revision`;

/** @param places Further ones to read. */
async function readChanges(
  ask: Ask,
  changed: OwnerChanges,
  since: number,
  places: readonly string[],
): Promise<CaughtUp | undefined> {
  const slices = new Slices();
  const pending = new Set(places);
  let version = since;
  for (;;) {
    const asked = firstOf(pending, OWNER_PAGE_RECORDS);
    const rows = await ask.rows<ChangeRow | OwnerRow>(CHANGES, [changed.ownerId, version, textArray(asked)], 'changes');
    const owner = rows.find((row) => row.version !== null);
    const newest = Number(owner?.version ?? 0);
    const commits = Number(owner?.commits ?? 0);
    // Entries that were pruned, that were moved from a data directory, or that a restored database does not have.
    const isKnown = version === newest || (commits > 0 && version + commits === Number(owner?.reached));
    if (!isKnown || owner?.is_unknown === true) return undefined;
    version += commits;
    for (const [index, row] of rows.entries()) {
      if (row.version !== null) continue;
      pending.delete(row.place);
      changed.put(row.place, row.bytes ?? undefined);
      if (index % RECORDS_PER_CHECK === 0 && slices.due()) await slices.next();
    }
    for (const place of owner?.rest?.split(' ') ?? []) pending.add(place);
    if (pending.size === 0) for (const place of await changed.missingRoutes()) pending.add(place);
    if (pending.size > 0 || version < newest) continue;
    const { rules, groups, gateway } = changed;
    const changes = { version, latestDate: 0, rules, groups, gateway, mocks: await changed.mocks() };
    if (owner === undefined) return { changes, recordCount: undefined, answerBytes: [] };
    const { latestDate, recordCount } = decoded(() => decodeOwner(owner.bytes, changed.ownerId, version));
    const slots = (owner.slots ?? []).map(([slot, bytes]) => ({
      key: [changed.ownerId, slot] as [string, number],
      value: bytes,
    }));
    return { changes: { ...changes, latestDate }, recordCount, answerBytes: decoded(() => slotsIn(slots)) };
  }
}

/** Without a copy of all, which may be very many. */
function firstOf(places: Iterable<string>, count: number): string[] {
  const first: string[] = [];
  for (const place of places) {
    if (first.length === count) break;
    first.push(place);
  }
  return first;
}

/** A record, with null where it is gone. */
interface ChangeRow {
  readonly place: string;
  readonly bytes: Buffer | null;
  readonly version: null;
}

/** A row of an owner with an entry. */
interface OwnerRow {
  readonly bytes: Buffer;
  readonly version: string;
  /** Count of the commits that were read, and the version of the last; null without any. */
  readonly commits: string;
  readonly reached: string | null;
  readonly is_unknown: boolean | null;
  /** Places that have changed, and whose records are not among the rows. */
  readonly rest: string | null;
  readonly slots: [slot: number, bytes: number][] | null;
}

/** Changes after a version, and other requested places, all from one snapshot but page by page. */
const CHANGES = `
with recent as materialized (
  select version, places from history where owner_id = $1 and version > $2 order by version limit ${CATCH_UP_COMMITS}
), changed as materialized (
  select place, row_number() over () as number from (
    select place from unnest($3::text[]) as place
    union select place from recent cross join lateral string_to_table(recent.places, ' ') as place where place <> ''
  ) as each
), found as materialized (
  select place, number, bytes, sum(octet_length(bytes)) over (order by number) - octet_length(bytes) as before
  from changed left join lateral (
    select bytes from record where owner_id = $1 and kind = left(place, 1)
      and created_version = split_part(substr(place, 2), '/', 1)::float8
      and revision = split_part(place, '/', 2)::bigint offset 0
  ) as stored on true
  where number <= ${OWNER_PAGE_RECORDS}
), given as materialized (
  select place, bytes from found where bytes is null or before < ${OWNER_PAGE_BYTES}
)
select place, bytes, null::bigint as version, null::bigint as commits, null::bigint as reached, null::boolean as is_unknown,
  null as rest, null::json as slots from given
union all select null, entry, version, (select count(*) from recent), (select max(version) from recent),
  (select bool_or(places is null) from recent),
  (select string_agg(place, ' ') from changed where place not in (select place from given)),
  (select json_agg(json_build_array(slot, bytes)) from answer_bytes where owner_id = $1)
from owner where owner_id = $1`;

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
  queries: Ask,
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
