/**
 * Stored data as rows of the PostgreSQL tables, read from there or from the tables of an LMDB store.
 *
 * Both order the rows of a table alike: texts by their bytes, numbers by their value. Codes for the console are left out: they
 * are valid for a minute.
 */
import { createHash, type Hash } from 'node:crypto';
import { Slices } from '../../base/slices.ts';
import { decodeHistory, decodeIdempotency } from '../codec/record-codec.ts';
import { isCode } from '../console-codes.ts';
import { DamageError } from '../store.ts';
import { isDamaged } from '../tables/table-keys.ts';
import type { RecordKey, Tables } from '../tables/tables.ts';
import { bigintArray, bytesArray, doubleArray, textArray } from './arrays.ts';
import type { Queries } from './queries.ts';

type Field = string | number | Buffer;
export type Row = readonly Field[];

type ColumnType = 'text' | 'bigint' | 'float8' | 'bytea';

interface StoredTable {
  readonly name: string;
  /** Columns, those of the key first: rows are sorted by them. */
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
  readonly keyColumns: number;
  readonly fromLmdb: (tables: Tables) => Iterable<Row>;
  /** Within a transaction. */
  readonly toLmdb: (tables: Tables, row: Row) => void;
}

/** Rows that are read or written at a time. */
const ROWS_PER_BATCH = 500;
const BATCH_BYTES_MAX = 4 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

/** `meta` alone is written by the schema, and says nothing of what is stored. */
export const STORED_TABLES: readonly StoredTable[] = [
  {
    name: 'owner',
    columns: [
      ['owner_id', 'text'],
      ['version', 'bigint'],
      ['entry', 'bytea'],
    ],
    keyColumns: 1,
    *fromLmdb({ owners }) {
      for (const { key, value, version } of owners.getRange({ versions: true }))
        yield [intact(key), version as number, value];
    },
    toLmdb: ({ owners }, [ownerId, version, entry]) =>
      void owners.put(ownerId as string, entry as Buffer, version as number),
  },
  {
    name: 'record',
    columns: [
      ['owner_id', 'text'],
      ['kind', 'text'],
      ['created_version', 'float8'],
      ['revision', 'bigint'],
      ['bytes', 'bytea'],
    ],
    keyColumns: 4,
    *fromLmdb({ records }) {
      for (const { key, value } of records.getRange()) {
        const [ownerId, kind, createdVersion, revision = 0] = intact(key);
        yield [ownerId, kind, createdVersion, revision, value];
      }
    },
    toLmdb({ records }, [ownerId, kind, createdVersion, revision, bytes]) {
      const place = [ownerId, kind, createdVersion, ...(kind === 't' ? [revision] : [])];
      void records.put(place as unknown as RecordKey, bytes as Buffer);
    },
  },
  {
    name: 'record_owner',
    columns: [
      ['record_id', 'text'],
      ['owner_id', 'text'],
    ],
    keyColumns: 1,
    *fromLmdb({ recordOwners }) {
      for (const { key, value } of recordOwners.getRange()) yield [key, value];
    },
    toLmdb: ({ recordOwners }, [recordId, ownerId]) => void recordOwners.put(recordId as string, ownerId as string),
  },
  {
    name: 'history',
    columns: [
      ['owner_id', 'text'],
      ['version', 'bigint'],
      ['date', 'bigint'],
      ['entry', 'bytea'],
    ],
    keyColumns: 2,
    *fromLmdb({ history }) {
      for (const { key, value } of history.getRange()) {
        const [ownerId, version] = intact(key);
        yield [ownerId, version, decodeHistory(value, version).date, value];
      }
    },
    toLmdb: ({ history }, [ownerId, version, , entry]) =>
      void history.put([ownerId as string, version as number], entry as Buffer),
  },
  {
    name: 'idempotency',
    columns: [
      ['key', 'text'],
      ['date', 'bigint'],
      ['entry', 'bytea'],
    ],
    keyColumns: 1,
    *fromLmdb({ idempotency }) {
      for (const { key, value } of idempotency.getRange()) yield [key, decodeIdempotency(value, key).date, value];
    },
    toLmdb({ idempotency, idempotencyByDate }, [key, date, entry]) {
      void idempotency.put(key as string, entry as Buffer);
      void idempotencyByDate.put([date as number, key as string], EMPTY);
    },
  },
  {
    name: 'answer_bytes',
    columns: [
      ['owner_id', 'text'],
      ['slot', 'bigint'],
      ['bytes', 'bigint'],
    ],
    keyColumns: 2,
    *fromLmdb({ answerBytes }) {
      for (const { key, value } of answerBytes.getRange()) yield [...intact(key), value];
    },
    toLmdb: ({ answerBytes }, [ownerId, slot, bytes]) =>
      void answerBytes.put([ownerId as string, slot as number], bytes as number),
  },
  {
    name: 'published_mock',
    columns: [
      ['mock_id', 'text'],
      ['entry', 'bytea'],
    ],
    keyColumns: 1,
    *fromLmdb({ publishedMocks }) {
      for (const { key, value } of publishedMocks.getRange()) yield [intact(key), value];
    },
    toLmdb: ({ publishedMocks }, [mockId, entry]) => void publishedMocks.put(mockId as string, entry as Buffer),
  },
  {
    name: 'api_key',
    columns: [
      ['key_id', 'text'],
      ['entry', 'bytea'],
    ],
    keyColumns: 1,
    *fromLmdb({ keys }) {
      for (const { key, value } of keys.getRange()) if (!isCode(key)) yield [key.toString(), value];
    },
    toLmdb: ({ keys }, [keyId, entry]) => void keys.put(Buffer.from(keyId as string), entry as Buffer),
  },
];

function intact<Key>(key: Key | Uint8Array): Exclude<Key, Uint8Array> {
  if (isDamaged(key)) throw new DamageError('a key is damaged: run `switchyard check`');
  return key as Exclude<Key, Uint8Array>;
}

/** All rows of a table in PostgreSQL, in the order of their keys. Within a transaction of one moment. */
export async function* postgresRows(
  { name, columns, keyColumns }: StoredTable,
  queries: Queries,
): AsyncGenerator<Row[]> {
  const names = columns.map(([column]) => column);
  const order = names.slice(0, keyColumns).join();
  await queries.rows(`declare stored cursor for select ${names.join()} from ${name} order by ${order}`);
  for (;;) {
    const rows = await queries.rows(`fetch ${ROWS_PER_BATCH} from stored`);
    if (rows.length === 0) break;
    yield rows.map((row) =>
      columns.map(([column, type]) => (type === 'bigint' ? Number(row[column]) : (row[column] as Field))),
    );
  }
  await queries.rows('close stored');
}

/** The same of an LMDB store. */
export async function* lmdbRows(table: StoredTable, tables: Tables): AsyncGenerator<Row[]> {
  const slices = new Slices();
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of table.fromLmdb(tables)) {
    // Memory of a range may be used again for its next entry.
    const copy = row.map((field) => (typeof field === 'object' ? Buffer.from(field) : field));
    batch.push(copy);
    for (const field of copy) bytes += typeof field === 'object' ? field.length : 0;
    if (batch.length < ROWS_PER_BATCH && bytes < BATCH_BYTES_MAX) continue;
    yield batch;
    batch = [];
    bytes = 0;
    if (slices.due()) await slices.next();
  }
  if (batch.length > 0) yield batch;
}

export async function insertRows(
  { name, columns }: StoredTable,
  rows: readonly Row[],
  queries: Queries,
): Promise<void> {
  const values = columns.map(([, type], index) => {
    const fields = rows.map((row) => row[index]);
    if (type === 'text') return textArray(fields as string[]);
    if (type === 'float8') return doubleArray(fields as number[]);
    return type === 'bigint' ? bigintArray(fields as number[]) : bytesArray(fields as Buffer[]);
  });
  const names = columns.map(([column]) => column);
  const arrays = columns.map(([, type], index) => `$${index + 1}::${type}[]`);
  // What was written by no batch of a node has the number 0.
  const [more, given] = name === 'history' ? [', batch', ', 0'] : ['', ''];
  const text = `insert into ${name} (${names.join()}${more}) select *${given} from unnest(${arrays.join()})`;
  await queries.rows(text, values, `insert ${name}`);
}

/** The digest and the count of rows, of all tables in the order of STORED_TABLES. */
export class RowDigest {
  readonly #hash: Hash = createHash('sha256');
  readonly counts: Record<string, number> = {};

  add(table: string, rows: readonly Row[]): void {
    this.counts[table] = (this.counts[table] ?? 0) + rows.length;
    for (const row of rows) {
      for (const field of row) {
        const bytes = typeof field === 'object' ? field : Buffer.from(String(field));
        this.#hash.update(`${table} ${typeof field} ${bytes.length}\n`).update(bytes);
      }
    }
  }

  hex(): string {
    return this.#hash.copy().digest('hex');
  }
}
