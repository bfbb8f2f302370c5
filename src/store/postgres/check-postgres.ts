/** Checks every key and value of a store in PostgreSQL, as ../check does of a data file. A server may run at the same time. */
import { pack } from 'msgpackr';
import { toBufferKey } from 'ordered-binary';
import { ContentCheck } from '../check/check-content.ts';
import { queriesOf, SNAPSHOT, type Queries } from './queries.ts';
import { Servers } from './servers.ts';
import { postgresRows, STORED_TABLES, type Row } from './stored-rows.ts';

interface PostgresReport {
  readonly entries: number;
  readonly damage: readonly string[];
}

/** Each row as the entry of a table in LMDB, as which damage is reported. */
const ENTRIES: Readonly<Record<string, (row: Row) => readonly [table: string, key: Row | string, value: Buffer]>> = {
  owner: ([ownerId, version, entry]) => ['owners', ownerId as string, versioned(version as number, entry as Buffer)],
  record: ([ownerId, kind, created, revision, bytes]) => [
    'records',
    [ownerId, kind, created, ...(kind === 't' ? [revision] : [])] as Row,
    bytes as Buffer,
  ],
  record_owner: ([id, ownerId]) => ['recordOwners', id as string, Buffer.from(ownerId as string)],
  history: ([ownerId, version, , entry]) => ['history', [ownerId, version] as Row, entry as Buffer],
  idempotency: ([key, , entry]) => ['idempotency', key as string, entry as Buffer],
  answer_bytes: ([ownerId, slot, bytes]) => ['answerBytes', [ownerId, slot] as Row, pack(bytes)],
  published_mock: ([mockId, entry]) => ['publishedMocks', mockId as string, entry as Buffer],
  api_key: ([keyId, entry]) => ['keys', keyId as string, entry as Buffer],
};

/**
 * Commits whose places are not what other nodes have to read of them (load-owner.ts): one that no key of a record has,
 * or none for a record that the commit has created. Records of one commit differ in the fraction of their version.
 */
const WRONG_PLACES = `
with places as materialized (
  select owner_id, version, place, place ~ '^[rgmvt][0-9]+([.][0-9]+)?/[0-9]+$' as is_valid
  from history cross join lateral string_to_table(places, ' ') as place where place <> ''
), valid as materialized (
  select owner_id, version, left(place, 1) as kind, split_part(substr(place, 2), '/', 1)::float8 as created_version
  from places where is_valid
)
select owner_id, version from places where not is_valid
union
select owner_id, history.version from record join history using (owner_id)
where kind in ('r', 'g', 'm') and history.version = ceil(created_version) and places is not null and not exists (
  select from valid where valid.owner_id = record.owner_id and valid.version = history.version
    and valid.kind = record.kind and valid.created_version = record.created_version
)
order by owner_id, version limit 100`;

async function wrongPlaces(queries: Queries): Promise<string[]> {
  const rows = await queries.rows<{ owner_id: string; version: string }>(WRONG_PLACES);
  return rows.map(({ owner_id: ownerId, version }) => `owner ${ownerId}: history: wrong places at version ${version}`);
}

/** Reads the database as it is at one moment. */
export async function checkPostgres(address: string): Promise<PostgresReport> {
  const client = await new Servers(address).connect();
  try {
    const check = new ContentCheck();
    let entries = 0;
    const queries = queriesOf(client);
    let ofPlaces: readonly string[] = [];
    await queries.transaction(async () => {
      for (const table of STORED_TABLES) {
        const entryOf = ENTRIES[table.name] as (typeof ENTRIES)[string];
        for await (const rows of postgresRows(table, queries)) {
          entries += rows.length;
          for (const row of rows) {
            const [name, key, value] = entryOf(row);
            check.add(name, toBufferKey(key as string | (string | number)[]), value);
          }
        }
      }
      ofPlaces = await wrongPlaces(queries);
    }, SNAPSHOT);
    check.finish();
    const more = check.damageCount - check.damage.length;
    return { entries, damage: [...check.damage, ...(more === 0 ? [] : [`and ${more} more`]), ...ofPlaces] };
  } finally {
    await client.end();
  }
}

/** LMDB keeps the version of an entry in front of its value. */
function versioned(version: number, entry: Buffer): Buffer {
  const value = Buffer.alloc(8 + entry.length);
  value.writeDoubleLE(version, 0);
  entry.copy(value, 8);
  return value;
}
