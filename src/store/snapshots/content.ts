/**
 * The content of an environment, table by table and entry by entry: its digest, and how much of everything there is.
 *
 * It is of keys and values, not of the file's bytes, which differ between an environment and its compacted copy. Tables are read under
 * whatever names they have, so that a store of any format can be told from another.
 */
import type { Database, RootDatabase, Transaction } from 'lmdb';
import { createHash } from 'node:crypto';
import { Slices } from '../../base/slices.ts';
import { settingIn } from '../settings.ts';
import { GROUP, MOCK, RULE } from '../tables.ts';

/** Named tables of any format: opened by the names that are found. */
export const TABLES_MAX = 64;
/** Entries read between two looks at the clock. */
const ENTRIES_PER_LOOK = 256;
/** Hashing many small pieces takes longer than copying them into a large one. */
const BLOCK_BYTES = 1_048_576;

export interface Content {
  /** SHA-256 of all tables' names, keys and values, in order: hexadecimal. */
  readonly digest: string;
  /** Count of entries of each table, by its name. */
  readonly entries: Readonly<Record<string, number>>;
  readonly counts: Counts;
}

/** What a person wants to know of a snapshot. */
export interface Counts {
  readonly owners: number;
  readonly rules: number;
  readonly groups: number;
  readonly mocks: number;
  readonly keys: number;
  readonly history: number;
}

/** Says how far a long piece of work has come: "read 20 of 30 entries". */
export type OnProgress = (done: number, total: number) => void;

type RawTable = Database<Buffer, Buffer>;

/** How an environment is opened whose entries are read as bytes. */
export const RAW = { encoding: 'binary', keyEncoding: 'binary' } as const;

/** Every table of an environment that was opened as RAW, in the order of their names. */
export function rawTables(env: RootDatabase): Map<string, RawTable> {
  // LMDB keeps a name with the zero byte at its end.
  const names = [...env.getKeys()].map((name) => (name as unknown as Buffer).toString().replace(/\0$/, ''));
  return new Map(names.map((name) => [name, env.openDB<Buffer, Buffer>({ name, ...RAW })]));
}

/** The format of a store: 0 when it was never served, NaN when it cannot be read. */
export function formatOf(tables: ReadonlyMap<string, RawTable>, transaction?: Transaction): number {
  const key = Buffer.from('format');
  const bytes = tables.get('meta')?.get(key, transaction === undefined ? {} : { transaction });
  return bytes === undefined ? 0 : (settingIn(bytes) ?? NaN);
}

/** Bytes of the pages in use: what a compacted copy takes. */
export function bytesInUse(tables: ReadonlyMap<string, RawTable>): number {
  let bytes = 0;
  for (const table of tables.values()) {
    const stats = table.getStats() as Record<string, number>;
    const pages = (stats.treeBranchPageCount ?? 0) + (stats.treeLeafPageCount ?? 0) + (stats.overflowPages ?? 0);
    bytes += pages * (stats.pageSize ?? 0);
  }
  return bytes;
}

interface ReadOptions {
  readonly signal?: AbortSignal;
  /** More are an error: pages of a damaged file may lead in a circle. */
  readonly entriesMax?: number;
  /** Gets each entry; its memory is used again. */
  readonly onEntry?: (table: string, key: Buffer, value: Buffer) => void;
}

/** @param transaction Reads what this transaction sees. */
export async function readContent(
  tables: ReadonlyMap<string, RawTable>,
  transaction: Transaction,
  onProgress: OnProgress,
  { signal, entriesMax = Infinity, onEntry }: ReadOptions = {},
): Promise<Content> {
  const digest = new PieceDigest();
  const slices = new Slices();
  const entries: Record<string, number> = {};
  const records: Record<string, number> = {};
  let total = 0;
  for (const table of tables.values()) total += (table.getStats() as { entryCount: number }).entryCount;
  let done = 0;
  for (const [name, table] of tables) {
    digest.add(Buffer.from(name), TABLE);
    let count = 0;
    for (const { key, value } of table.getRange({ transaction })) {
      digest.add(key, value);
      onEntry?.(name, key, value);
      if (name === 'records') {
        const kind = kindOf(key);
        records[kind] = (records[kind] ?? 0) + 1;
      }
      count++;
      done++;
      if (done > entriesMax) throw new Error('it has more entries than it had');
      if (done % ENTRIES_PER_LOOK === 0 && slices.due()) {
        onProgress(done, Math.max(done, total));
        await slices.next();
        signal?.throwIfAborted();
      }
    }
    entries[name] = count;
  }
  const counts = {
    owners: entries.owners ?? 0,
    rules: records[RULE] ?? 0,
    groups: records[GROUP] ?? 0,
    mocks: records[MOCK] ?? 0,
    keys: entries.keys ?? 0,
    history: entries.history ?? 0,
  };
  return { digest: digest.hex(), entries, counts };
}

/** Count of the entries of all tables. */
export function entryCountOf(entries: Content['entries']): number {
  return Object.values(entries).reduce((sum, count) => sum + count, 0);
}

/** Whether two readings saw the same; entries are compared too, though a digest covers them. */
export function isSameContent(one: Content, other: Content): boolean {
  const isSame = (left: object, right: object): boolean => JSON.stringify(left) === JSON.stringify(right);
  return one.digest === other.digest && isSame(one.entries, other.entries) && isSame(one.counts, other.counts);
}

/** The kind in a key of `records`: lmdb-js puts a zero byte between the elements of an array. */
function kindOf(key: Buffer): string {
  return String.fromCharCode(key[key.indexOf(0) + 1] ?? 0);
}

/** Stands for the value behind a table's name: no entry has a value of this length. */
const TABLE = undefined;
const TABLE_LENGTH = 0xffff_ffff;

/** Each piece with its length before it, so that no other pieces make the same bytes. */
class PieceDigest {
  readonly #hash = createHash('sha256');
  readonly #block = Buffer.allocUnsafe(BLOCK_BYTES);
  #used = 0;

  add(key: Buffer, value: Buffer | undefined): void {
    if (this.#used + 8 + key.length > BLOCK_BYTES) this.#flush();
    this.#used = this.#block.writeUInt32LE(key.length, this.#used);
    this.#used = this.#block.writeUInt32LE(value === TABLE ? TABLE_LENGTH : value.length, this.#used);
    this.#put(key);
    if (value !== TABLE) this.#put(value);
  }

  hex(): string {
    this.#flush();
    return this.#hash.digest('hex');
  }

  #put(piece: Buffer): void {
    if (this.#used + piece.length > BLOCK_BYTES) this.#flush();
    if (piece.length > BLOCK_BYTES) this.#hash.update(piece);
    else this.#used += piece.copy(this.#block, this.#used);
  }

  #flush(): void {
    this.#hash.update(this.#block.subarray(0, this.#used));
    this.#used = 0;
  }
}
