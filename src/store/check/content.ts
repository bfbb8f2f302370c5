/**
 * The content of an environment, table by table and entry by entry: its digest, and its counts.
 *
 * The digest covers keys and values, not the file's bytes, which differ between an environment and its compacted copy.
 * All tables are read, whatever their names, so that stores of any format can be compared.
 */
import type { Database, RootDatabase, Transaction } from 'lmdb';
import { createHash } from 'node:crypto';
import { Slices } from '../../base/slices.ts';
import { settingIn } from '../tables/settings.ts';
import { GROUP, MOCK, RULE } from '../tables/tables.ts';

/** Upper bound of the tables in a store of any format. */
export const TABLES_MAX = 64;
/** Entries read between two checks of the clock. */
const ENTRIES_PER_BATCH = 256;
/** lmdb-js has no longer ones; a damaged page may. */
const KEY_BYTES_MAX = 1_978;
/** Hashing many small pieces takes longer than copying them into a large block. */
const BLOCK_BYTES = 1_048_576;

export interface Content {
  /** SHA-256 of all tables' names, keys and values, in order: hexadecimal. */
  readonly digest: string;
  /** Count of entries of each table, by its name. */
  readonly entries: Readonly<Record<string, number>>;
  readonly counts: Counts;
}

/** The counts that are shown of a snapshot. */
export interface Counts {
  readonly owners: number;
  readonly rules: number;
  readonly groups: number;
  readonly mocks: number;
  readonly keys: number;
  readonly history: number;
}

/** Reports the progress of long work: "read 20 of 30 entries". */
export type OnProgress = (done: number, total: number) => void;

/** A table of lmdb-js with the options that its types omit. */
type RawTable = Database<Buffer, Buffer> & {
  getBinaryFast(key: Buffer, options: { readonly transaction: Transaction }): Buffer | undefined;
};

/** Options of an environment whose keys and values are read as bytes. */
export const RAW = { encoding: 'binary', keyEncoding: 'binary' } as const;

/** Every table of an environment that was opened with RAW, in the order of their names. */
export function rawTables(env: RootDatabase): Map<string, RawTable> {
  // LMDB stores a name with a zero byte at its end.
  const names = [...env.getKeys()].map((name) => (name as unknown as Buffer).toString().replace(/\0$/, ''));
  return new Map(names.map((name) => [name, env.openDB<Buffer, Buffer>({ name, ...RAW }) as RawTable]));
}

/** The format of a store: 0 when it was never served, NaN when it is damaged. */
export function formatOf(tables: ReadonlyMap<string, RawTable>, transaction?: Transaction): number {
  const key = Buffer.from('format');
  const bytes = tables.get('meta')?.get(key, transaction === undefined ? {} : { transaction });
  return bytes === undefined ? 0 : (settingIn(bytes) ?? NaN);
}

/** Bytes of the pages in use: the size of a compacted copy. */
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
  /** More entries are an error: pages of a damaged file may form a cycle. */
  readonly entriesMax?: number;
  /** Called with each entry; its memory is reused. */
  readonly onEntry?: (table: string, key: Buffer, value: Buffer) => void;
}

/**
 * Reads every entry, table by table and in order.
 *
 * @param transaction The read transaction whose state is read: call it in the turn in which it began.
 * @param onTable     Called before the entries of each table.
 * @returns The count of entries of each table, by its name.
 * @throws Error when a table does not have the entries that it counts, each after the one before and found by its key.
 */
export async function readEntries(
  tables: ReadonlyMap<string, RawTable>,
  transaction: Transaction,
  onProgress: OnProgress,
  { signal, entriesMax = Infinity, onEntry }: ReadOptions,
  onTable?: (name: string) => void,
): Promise<Record<string, number>> {
  const slices = new Slices();
  const entries: Record<string, number> = {};
  const expected = new Map<string, number>();
  for (const [name, table] of tables) expected.set(name, (table.getStats() as { entryCount: number }).entryCount);
  const total = [...expected.values()].reduce((sum, count) => sum + count, 0);
  let done = 0;
  for (const [name, table] of tables) {
    onTable?.(name);
    const last = Buffer.alloc(KEY_BYTES_MAX);
    let lastBytes = 0;
    let count = 0;
    for (const { key, value } of table.getRange({ transaction })) {
      if (key.length > KEY_BYTES_MAX) throw new Error(`a key of ${name} is too long`);
      if (key.compare(last, 0, lastBytes) <= 0) throw new Error(`the keys of ${name} are out of order`);
      lastBytes = key.copy(last);
      onEntry?.(name, key, value);
      // By the keys in its branch pages, which a range does not read.
      if (table.getBinaryFast(key, { transaction }) === undefined)
        throw new Error(`an entry of ${name} is not found by its key`);
      count++;
      done++;
      if (done > entriesMax) throw new Error('more entries than the manifest records');
      if (done % ENTRIES_PER_BATCH === 0 && slices.due()) {
        onProgress(done, Math.max(done, total));
        await slices.next();
        signal?.throwIfAborted();
      }
    }
    if (count !== expected.get(name)) throw new Error(`${name} has ${count} of ${expected.get(name)} entries`);
    entries[name] = count;
  }
  return entries;
}

/** Like `readEntries`, with a digest of all entries. */
export async function readContent(
  tables: ReadonlyMap<string, RawTable>,
  transaction: Transaction,
  onProgress: OnProgress,
  { onEntry, ...options }: ReadOptions = {},
): Promise<Content> {
  const digest = new PieceDigest();
  const records: Record<string, number> = {};
  const addEntry = (name: string, key: Buffer, value: Buffer): void => {
    digest.add(key, value);
    onEntry?.(name, key, value);
    if (name !== 'records') return;
    const kind = kindOf(key);
    records[kind] = (records[kind] ?? 0) + 1;
  };
  const addTable = (name: string): void => digest.add(Buffer.from(name), TABLE);
  const entries = await readEntries(tables, transaction, onProgress, { ...options, onEntry: addEntry }, addTable);
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

/** Whether two contents are the same; counts are compared too, though the digest covers them. */
export function isSameContent(one: Content, other: Content): boolean {
  const isSame = (left: object, right: object): boolean => JSON.stringify(left) === JSON.stringify(right);
  return one.digest === other.digest && isSame(one.entries, other.entries) && isSame(one.counts, other.counts);
}

/** The kind in a key of `records`: a zero byte separates the elements of an array. */
function kindOf(key: Buffer): string {
  return String.fromCharCode(key[key.indexOf(0) + 1] ?? 0);
}

/** Takes the place of a value after a table's name: no value has this length. */
const TABLE = undefined;
const TABLE_LENGTH = 0xffff_ffff;

/** Adds each piece with its length before it, so that different pieces never give the same bytes. */
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
