/**
 * Moves everything that is stored between a data directory and a database, whole or not at all: the values are the same
 * bytes in both, and what was written is read again and compared before it counts.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'lmdb';
import { basename, dirname, join, resolve } from 'node:path';
import { acquireInstanceLock } from '../instance-lock.ts';
import { inspectStore } from '../check/inspection.ts';
import { STORE_FORMAT } from '../store-format.ts';
import { LmdbStore, MOVED_FILE, STORE_FILE } from '../lmdb-store.ts';
import { syncPath, writeDurably } from '../snapshots/durable-files.ts';
import { Settings } from '../tables/settings.ts';
import { openTables, type Tables } from '../tables/tables.ts';
import { queriesOf, SNAPSHOT, type Queries } from './queries.ts';
import { DatabaseError, upgradeSchema, MOVED } from './schema.ts';
import { lockServer } from './server-lock.ts';
import { Servers } from './servers.ts';
import { insertRows, lmdbRows, postgresRows, RowDigest, STORED_TABLES } from './stored-rows.ts';

export interface TransferReport {
  /** A digest of every key and value, the same on both sides: hexadecimal. */
  readonly digest: string;
  /** Rows by table. */
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * Moves a data directory into a database, which may have a store that is empty. The directory is not served any more.
 *
 * @throws OperatorError when a server uses either, the directory is damaged, or the database is not empty.
 */
export async function moveToPostgres(directory: string, address: string): Promise<TransferReport> {
  await refuseDamage(directory);
  const store = LmdbStore.open(directory);
  const lock = await acquireInstanceLock(directory, (action) => store.exclusively(action)).catch(
    async (error: unknown) => {
      await store.close();
      throw error;
    },
  );
  await store.close();
  try {
    const written = await withDatabase(address, (queries) => copyToPostgres(directory, queries));
    writeDurably(join(directory, MOVED_FILE), 'Everything in this store was moved to PostgreSQL.\n');
    return written;
  } finally {
    await lock.release();
  }
}

/** The same the other way, into a directory that does not exist or is empty. The database is not served any more. */
export async function moveToDirectory(address: string, directory: string): Promise<TransferReport> {
  if (existsSync(directory) && readdirSync(directory).length > 0) throw new DatabaseError(`${directory} is not empty`);
  const path = resolve(directory);
  const partial = join(dirname(path), `.${basename(path)}.partial`);
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(partial, { recursive: true, mode: 0o700 });
  try {
    return await withDatabase(address, async (queries) => {
      const written = await copyToDirectory(queries, partial);
      rmSync(directory, { recursive: true, force: true });
      renameSync(partial, path);
      syncPath(dirname(path));
      // Last: whatever ends this before, one of both can be served.
      await queries.rows(`insert into meta values ('${MOVED}', 1) on conflict do nothing`);
      return written;
    });
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}

async function refuseDamage(directory: string): Promise<void> {
  const { tables, values } = await inspectStore(join(directory, STORE_FILE), { readsValues: true, triesWrite: false });
  const [first] = [...tables, ...values];
  if (first !== undefined) throw new DatabaseError(`${directory} is damaged: ${first}`);
}

async function withDatabase<Result>(address: string, use: (queries: Queries) => Promise<Result>): Promise<Result> {
  const client = await new Servers(address).connect({ needsStore: false });
  try {
    const queries = queriesOf(client);
    await upgradeSchema(queries);
    if (!(await lockServer(queries))) throw new DatabaseError('a server uses the database: stop it first');
    return await use(queries);
  } finally {
    await client.end();
  }
}

function copyToPostgres(directory: string, queries: Queries): Promise<TransferReport> {
  const env = open({
    path: join(directory, STORE_FILE),
    noSubdir: true,
    maxDbs: 16,
    encoding: 'binary',
    readOnly: true,
  });
  return queries
    .transaction(async () => {
      for (const { name } of STORED_TABLES) {
        const found = await queries.rows(`select 1 from ${name} limit 1`);
        if (found.length > 0) throw new DatabaseError('the database is not empty');
      }
      const tables = openTables(env);
      const sent = new RowDigest();
      for (const table of STORED_TABLES) {
        for await (const rows of lmdbRows(table, tables)) {
          sent.add(table.name, rows);
          await insertRows(table, rows, queries);
        }
      }
      await queries.rows(`update meta set value = value + 1 where name = 'keysGeneration'`);
      await queries.rows(`insert into meta values ('initialised', 1) on conflict do nothing`);
      return same(sent, await digestOf(queries));
    })
    .finally(() => env.close());
}

async function copyToDirectory(queries: Queries, directory: string): Promise<TransferReport> {
  const env = open({ path: join(directory, STORE_FILE), noSubdir: true, maxDbs: 16, encoding: 'binary' });
  try {
    const tables = openTables(env);
    const sent = new RowDigest();
    await queries.transaction(async () => {
      for (const table of STORED_TABLES) {
        for await (const rows of postgresRows(table, queries)) {
          sent.add(table.name, rows);
          await env.transaction(() => {
            for (const row of rows) table.toLmdb(tables, row);
          });
        }
      }
    }, SNAPSHOT);
    await env.transaction(() => markServed(tables));
    await env.flushed;
    return same(sent, await digestOfDirectory(tables));
  } finally {
    await env.close();
  }
}

function markServed({ meta }: Tables): void {
  const settings = new Settings(meta);
  settings.put('initialised', 1);
  settings.put('keysGeneration', 1);
  settings.put('format', STORE_FORMAT);
}

async function digestOf(queries: Queries): Promise<RowDigest> {
  const digest = new RowDigest();
  for (const table of STORED_TABLES)
    for await (const rows of postgresRows(table, queries)) digest.add(table.name, rows);
  return digest;
}

async function digestOfDirectory(tables: Tables): Promise<RowDigest> {
  const digest = new RowDigest();
  for (const table of STORED_TABLES) for await (const rows of lmdbRows(table, tables)) digest.add(table.name, rows);
  return digest;
}

function same(sent: RowDigest, written: RowDigest): TransferReport {
  const digest = sent.hex();
  if (digest !== written.hex()) throw new DatabaseError('what was written is not what was read: nothing is moved');
  return { digest, counts: sent.counts };
}
