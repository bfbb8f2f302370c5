/**
 * The tables of the store in PostgreSQL, and the command that creates them.
 *
 * Values are the very bytes that the LMDB store writes (../codec): sealed, with their formats. What PostgreSQL must compare or
 * order stands in columns of its own. History also has the places of the records that a commit has written (load-owner.ts):
 * one without them was moved from a data directory.
 *
 * A server never changes the schema: `switchyard store upgrade` does, one at a time.
 */
import { randomInt } from 'node:crypto';
import { OperatorError } from '../../base/operator-error.ts';
import { STORE_FORMAT, unreadableFormat } from '../store-format.ts';
import { sqlStateOf, UNDEFINED_TABLE } from './errors.ts';
import type { Queries } from './queries.ts';

/** A database that cannot be used as a store. */
export class DatabaseError extends OperatorError {}

/** Taken to change the schema. */
const MIGRATION_LOCK = 5_927_316_441;

/**
 * Records that one commit creates have versions between two whole numbers: their order.
 *
 * `owner` is changed in place at each commit: no index has its version, and pages keep room for new row versions.
 * The nodes serve the store together (nodes.ts). Their rows are never deleted: an incarnation has a number once.
 */
const TABLES = `
create table meta (name text collate "C" primary key, value bigint not null);
create table owner (owner_id text collate "C" primary key, version bigint not null, entry bytea not null)
  with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02);
create table record (
  owner_id text collate "C", kind text collate "C", created_version double precision, revision bigint, bytes bytea not null,
  primary key (owner_id, kind, created_version, revision)
) with (fillfactor = 85);
create table record_owner (record_id text collate "C" primary key, owner_id text collate "C" not null);
create table history (
  owner_id text collate "C", version bigint, batch bigint not null, date bigint not null, entry bytea not null, places text,
  primary key (owner_id, version)
);
create index history_date on history using brin (date);
create table idempotency (key text collate "C" primary key, date bigint not null, entry bytea not null);
create index idempotency_date on idempotency (date);
create table answer_bytes (
  owner_id text collate "C", slot bigint, bytes bigint not null, primary key (owner_id, slot)
);
create table published_mock (mock_id text collate "C" primary key, entry bytea not null);
create table api_key (key_id text collate "C" primary key, entry bytea not null);
create table console_code (digest text collate "C" primary key, expires_at bigint not null, entry bytea not null);
create table node (
  node_id text collate "C" primary key, incarnation bigint not null, beat bigint not null, fenced boolean not null,
  lease_ms bigint not null, address text not null, process text
);
create table mock_home (
  mock_id text collate "C" primary key, node_id text collate "C" not null, incarnation bigint not null
);
create index mock_home_node on mock_home (node_id);
create table gateway_authority (number bigint primary key, sealed bytea not null);
`;

/** Rises with each part of ADDED. */
const SCHEMA = 3;

/** Tables missing in older schemas of this format, whose nodes may still run during a rolling upgrade. */
const ADDED = `
insert into meta values ('schema', ${SCHEMA}) on conflict (name) do update set value = excluded.value;
`;

/** Name of the setting that says that everything was moved into a data directory. */
export const MOVED = 'moved';

/** Facts that a database stores about itself. */
interface StoreFacts {
  readonly format: number;
  /** Made with the schema: two databases never have the same. */
  readonly storeId: number;
  /** Whether `switchyard store upgrade` must bring its tables to this version. */
  readonly isOutdated: boolean;
}

/** @throws DatabaseError when there is no store, or one of a version that is not read. */
export async function readFacts(queries: Queries): Promise<StoreFacts> {
  let rows: { name: string; value: string }[];
  try {
    rows = await queries.rows(`select name, value from meta where name in ('format', 'storeId', 'schema', '${MOVED}')`);
  } catch (error) {
    if (sqlStateOf(error) !== UNDEFINED_TABLE) throw error;
    throw new DatabaseError('the database has no store: create it with `switchyard store upgrade`');
  }
  const numberNamed = (name: string): number => Number(rows.find((row) => row.name === name)?.value ?? NaN);
  const format = numberNamed('format');
  // What nodes of an older format would read as something else must not be written under that format.
  const isOutdated = format < STORE_FORMAT || !(numberNamed('schema') >= SCHEMA);
  const facts = { format, storeId: numberNamed('storeId'), isOutdated };
  const fault = unreadableFormat(facts.format);
  if (fault !== undefined) throw new DatabaseError(fault);
  if (!Number.isNaN(numberNamed(MOVED))) throw new DatabaseError('its store was moved into a data directory');
  return facts;
}

/**
 * Creates the tables of an empty database, or brings those of an older version to this one.
 *
 * @returns What was done.
 * @throws DatabaseError when a version wrote the store that is not read.
 */
export async function upgradeSchema(queries: Queries): Promise<'created' | 'raised' | 'unchanged'> {
  return queries.transaction(async () => {
    await queries.rows('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    const [found] = await queries.rows<{ exists: boolean }>(`select to_regclass('meta') is not null as exists`);
    if (found?.exists !== true) {
      await queries.rows(TABLES);
      await queries.rows(`insert into meta values ('format', $1), ('storeId', $2), ('keysGeneration', 0)`, [
        STORE_FORMAT,
        randomInt(2 ** 47),
      ]);
      await queries.rows(ADDED);
      return 'created';
    }
    const { isOutdated } = await readFacts(queries);
    if (!isOutdated) return 'unchanged';
    await queries.rows(ADDED);
    await queries.rows(`update meta set value = $1 where name = 'format'`, [STORE_FORMAT]);
    return 'raised';
  });
}
