/**
 * Whether the data file is what was written: its trees (check-tree.ts), and on demand what they hold.
 *
 * Nothing is read by LMDB, which would end the process on the first page that is not what it should be. A server looks at the trees
 * before it serves, `switchyard check` at everything. A tree that is damaged cannot be served even in part, since a commit of one owner
 * moves pages and entries of others; a value that is, harms its owner alone.
 */
import { unpack } from 'msgpackr';
import { existsSync, statSync } from 'node:fs';
import { Slices } from '../base/slices.ts';
import { isByteCount } from './answer-slots.ts';
import { TreeWalk, type Entry } from './pages/check-tree.ts';
import { numberAt, PageFile, TREE_BYTES, treeAt, type Front, type Tree } from './pages/page-file.ts';
import { decodeOwner, type OwnerEntry } from './codec/record-codec.ts';
import { isWhole } from './codec/seal.ts';
import { GROUP, MOCK, RULE } from './tables.ts';

/** Places that are told of one store; of a store with more, that suffices. */
const DAMAGE_MAX = 100;
/** Another process may write meanwhile and use pages again that were free: then it is looked at anew. */
const TRIES_MAX = 10;
/** LMDB keeps the version of an entry in front of its value. */
const VERSION_BYTES = 8;
const RECORD_KINDS = new Set<string>([RULE, GROUP, MOCK]);
/** Tables whose values carry a checksum; that of an owner's entry stands behind its version. */
const SEALED = new Set(['records', 'history', 'idempotency', 'publishedMocks', 'keys']);
/** Those of them whose checksum is also of what the value is stored under. */
const NAMED = new Set(['idempotency', 'publishedMocks', 'keys']);
/** What commands and a server's start read before all trees have been looked at. */
const FIRST_TABLES = new Set(['meta', 'keys']);

export interface StoreReport {
  /** As `stateOf` tells it. */
  readonly state: string;
  readonly pages: number;
  readonly entries: number;
  /** What is wrong with pages and trees: nothing of the store can be served. */
  readonly trees: readonly string[];
  /** What is wrong with values, and of which owner. */
  readonly values: readonly string[];
  /** Whether another process wrote so much that nothing could be said. */
  readonly isUnsure: boolean;
}

/** How much is looked at: front pages and the tables that a start reads, every tree, or every value too. */
export type Depth = 'first' | 'trees' | 'values';

/**
 * Looks at a data file, in slices of the event loop.
 *
 * @param signal Ends it.
 * @throws Error when it is no store, or its front pages do not say what its last state is.
 */
export async function checkStore(path: string, depth: Depth, signal?: AbortSignal): Promise<StoreReport> {
  const slices = new Slices();
  for (let tries = 1; ; tries++) {
    const look = new Look(path, depth);
    try {
      for (const _ of look.steps()) {
        if (!slices.due()) continue;
        await slices.next();
        signal?.throwIfAborted();
      }
      const report = look.report();
      if (!look.wasOvertaken || report.trees.length + report.values.length === 0) return report;
      if (tries === TRIES_MAX) return { ...report, trees: [], values: [], isUnsure: true };
    } finally {
      look.close();
    }
  }
}

/**
 * Looks at what every opening of a store reads: the front pages, the list of tables and two small tables.
 *
 * @throws Error when LMDB could not read them.
 */
export function checkFirst(path: string): void {
  // A file of no bytes was about to become a store.
  if (!existsSync(path) || statSync(path).size === 0) return;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const look = new Look(path, 'first');
    try {
      for (const _ of look.steps());
      const [damage] = look.report().trees;
      if (damage === undefined) return;
      if (!look.wasOvertaken) throw new Error(`the file is damaged: ${damage}`);
    } finally {
      look.close();
    }
  }
}

/**
 * @returns What tells the state of a file from every other: which file it is, and its last transaction.
 * @throws Error as `checkStore` does.
 */
export function stateOf(path: string): string {
  const file = new PageFile(path);
  try {
    return `${file.identity} ${file.front().transaction}`;
  } finally {
    file.close();
  }
}

/** One look at one state of a file. */
class Look {
  readonly #depth: Depth;
  readonly #file: PageFile;
  readonly #front: Front;
  readonly #walk: TreeWalk;
  readonly #trees: string[] = [];
  readonly #values: string[] = [];
  readonly #tables: [name: string, tree: Tree][] = [];
  /** Records of each owner, as its entry counts them, as they are stored, and as the index of ids has them. */
  readonly #counts = new Map<string, { entry: number | undefined; stored: number; indexed: number }>();
  #entries = 0;

  constructor(path: string, depth: Depth) {
    this.#depth = depth;
    this.#file = new PageFile(path);
    try {
      this.#front = this.#file.front();
    } catch (error) {
      this.#file.close();
      throw error;
    }
    this.#walk = new TreeWalk(this.#file, this.#front);
  }

  close(): void {
    this.#file.close();
  }

  /** Pages of a state are used again by the second transaction after it, which may be under way when the first is done. */
  get wasOvertaken(): boolean {
    return this.#file.front().transaction !== this.#front.transaction;
  }

  report(): StoreReport {
    const state = `${this.#file.identity} ${this.#front.transaction}`;
    const pages = this.#front.lastPage + 1;
    return { state, pages, entries: this.#entries, trees: this.#trees, values: this.#values, isUnsure: false };
  }

  *steps(): Iterable<void> {
    const onDamage = (what: string): void => add(this.#trees, what);
    yield* this.#walk.walk(this.#front.main, {
      name: 'the list of tables',
      holdsTables: true,
      onEntry: ({ key, value }) => {
        const bytes = value();
        if (bytes?.length !== TREE_BYTES) onDamage('the list of tables: an entry is no table');
        // A name ends with a zero byte.
        else this.#tables.push([textOf(key), treeAt(bytes, 0)]);
      },
      onDamage,
    });
    yield* this.#walk.finish();
    for (const [name, tree] of this.#tables) {
      if (this.#depth === 'first' && !FIRST_TABLES.has(name)) continue;
      const onEntry = (entry: Entry): void => this.#checkValue(name, entry);
      yield* this.#walk.walk(tree, { name, onDamage, ...(this.#depth === 'values' ? { onEntry } : {}) });
      this.#entries += tree.entries;
    }
    yield* this.#walk.finish();
    if (this.#depth === 'first') return;
    // Last: what is used is known by now, and no free page may be.
    yield* this.#walk.walk(this.#front.free, {
      name: 'the list of free pages',
      numeric: true,
      onEntry: (entry) => this.#checkFree(entry, onDamage),
      onDamage,
    });
    yield* this.#walk.finish();
    if (!this.#walk.isLongEnough) onDamage(`the file ends before its last page, ${this.#front.lastPage}`);
    if (this.#depth === 'values' && this.#trees.length === 0) this.#compareCounts();
  }

  /** A list of page numbers, its length first. A negative one is a count of pages from the next number on, zero is a gap. */
  #checkFree({ value }: Entry, onDamage: (what: string) => void): void {
    const list = value();
    const count = list === undefined || list.length < 8 ? -1 : numberAt(list, 0);
    if (list === undefined || count < 0 || list.length < (count + 1) * 8)
      return onDamage('the list of free pages: an entry is cut short');
    let length = 1;
    for (let index = 1; index <= count; index++) {
      const page = Number(list.readBigInt64LE(index * 8));
      if (page < 0) length = -page;
      else if (page > 0) {
        const fault = this.#walk.free(page, length);
        if (fault !== undefined) return onDamage(`the list of free pages: page ${page} ${fault}`);
        length = 1;
      }
    }
  }

  #checkValue(table: string, { key, value }: Entry): void {
    const bytes = value();
    const owner = textOf(key);
    if (bytes === undefined) return;
    if (table === 'owners') {
      try {
        this.#countsOf(owner).entry = ownerEntry(bytes, owner).recordCount;
      } catch (error) {
        add(this.#values, `owner ${owner}: its entry: ${(error as Error).message}`);
      }
    } else if (table === 'answerBytes') {
      if (!isWholeValue(table, key, bytes))
        add(this.#values, `owner ${owner}: ${table}: a value that is no number of bytes`);
    } else if (table === 'recordOwners') this.#countsOf(bytes.toString('latin1')).indexed++;
    else if (!isWholeValue(table, key, bytes)) {
      const whose = table === 'records' || table === 'history' ? `owner ${owner}: ` : '';
      add(this.#values, `${whose}${table}: a value whose checksum is another`);
    }
    if (table === 'records' && RECORD_KINDS.has(String.fromCharCode(key[owner.length + 1] ?? 0)))
      this.#countsOf(owner).stored++;
  }

  #compareCounts(): void {
    for (const [owner, { entry, stored, indexed }] of this.#counts) {
      if (entry !== undefined && stored !== entry) add(this.#values, `owner ${owner}: ${stored} of ${entry} records`);
      if (indexed !== stored) add(this.#values, `owner ${owner}: the index of ids has ${indexed} of ${stored} records`);
    }
  }

  #countsOf(owner: string): { entry: number | undefined; stored: number; indexed: number } {
    let counts = this.#counts.get(owner);
    if (counts === undefined) this.#counts.set(owner, (counts = { entry: undefined, stored: 0, indexed: 0 }));
    return counts;
  }
}

function isPackedByteCount(bytes: Buffer): boolean {
  try {
    return isByteCount(unpack(bytes));
  } catch {
    return false;
  }
}

/** Whether a value is as it was written, as far as its checksum tells, or what it must be where it has none. */
export function isWholeValue(table: string, key: Buffer, bytes: Buffer): boolean {
  if (table === 'answerBytes') return isPackedByteCount(bytes);
  if (table !== 'owners') return !SEALED.has(table) || isWhole(bytes, NAMED.has(table) ? textOf(key) : '');
  try {
    ownerEntry(bytes, textOf(key));
    return true;
  } catch {
    return false;
  }
}

/** @throws Error when it is damaged. */
function ownerEntry(bytes: Buffer, owner: string): OwnerEntry {
  const version = bytes.length < VERSION_BYTES ? NaN : bytes.readDoubleLE(0);
  return decodeOwner(bytes.subarray(VERSION_BYTES), owner, version);
}

function add(found: string[], what: string): void {
  if (found.length < DAMAGE_MAX) found.push(what);
}

/** The first text of a key: ids are ASCII, and a zero byte ends each part. */
function textOf(key: Buffer): string {
  const end = key.indexOf(0);
  return key.toString('latin1', 0, end === -1 ? key.length : end);
}
