/**
 * Whether the data file is what was written: its trees (check-tree.ts), and on demand what they hold (check-content.ts).
 *
 * Nothing is read by LMDB, which would end the process on the first page that is not what it should be. A server looks at the trees
 * before it serves, `switchyard check` at everything. A tree that is damaged cannot be served even in part, since a commit of one owner
 * moves pages and entries of others; a value that is, harms its owner alone.
 */
import { existsSync, statSync } from 'node:fs';
import { Slices } from '../../base/slices.ts';
import { ContentCheck } from './check-content.ts';
import { unreadableFormat } from '../codec/form.ts';
import { TreeWalk, type Entry } from '../pages/check-tree.ts';
import { numberAt, PageFile, TREE_BYTES, treeAt, type Front, type Tree } from '../pages/page-file.ts';
import { TABLE_NAMES } from '../tables.ts';

/** Places of its trees that are told of one store; of a store with more, that suffices. */
const DAMAGE_MAX = 100;
/** Another process may write meanwhile and use pages again that were free: then it is looked at anew. */
const TRIES_MAX = 10;
/** What commands and a server's start read before all trees have been looked at. */
const FIRST_TABLES = new Set(['meta', 'keys']);

export interface StoreReport {
  /** As `stateOf` tells it. */
  readonly state: string;
  readonly pages: number;
  readonly entries: number;
  /** What is wrong with pages and trees: nothing of the store can be served. */
  readonly trees: readonly string[];
  /** What is wrong with keys and values, and of which owner. */
  readonly values: readonly string[];
  /** Whether another process wrote so much that nothing could be said. */
  readonly isUnsure: boolean;
}

/** How much is looked at: front pages and the tables that a start reads, every tree, or every key and value too. */
export type Depth = 'first' | 'trees' | 'values';

/**
 * Looks at a data file, in slices of the event loop.
 *
 * @param signal Ends it.
 * @throws Error when it is no store, its front pages do not say what its last state is, or it is of a newer format.
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
      const problem = unreadableFormat(look.format);
      if (problem !== undefined && !look.wasOvertaken) throw new Error(problem);
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
 * @throws Error when LMDB could not read them, or they are of a newer format.
 */
export function checkFirst(path: string): void {
  // A file of no bytes was about to become a store.
  if (!existsSync(path) || statSync(path).size === 0) return;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const look = new Look(path, 'first');
    try {
      for (const _ of look.steps());
      const [damage] = look.report().trees;
      const problem = unreadableFormat(look.format) ?? (damage && `the file is damaged: ${damage}`);
      if (problem === undefined) return;
      if (!look.wasOvertaken) throw new Error(problem);
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
  readonly #tables: [name: string, tree: Tree][] = [];
  readonly #content = new ContentCheck();
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

  /** Of the store: looked at in any case, since a newer one may have tables of other names. */
  get format(): number {
    return this.#content.format;
  }

  report(): StoreReport {
    const state = `${this.#file.identity} ${this.#front.transaction}`;
    const pages = this.#front.lastPage + 1;
    return { state, pages, entries: this.#entries, trees: this.#trees, values: this.#content.found, isUnsure: false };
  }

  *steps(): Iterable<void> {
    const onDamage = (what: string): void => add(this.#trees, what);
    yield* this.#walk.walk(this.#front.main, {
      name: 'the list of tables',
      holdsTables: true,
      onEntry: ({ key, value }) => {
        const bytes = value();
        if (bytes?.length !== TREE_BYTES) onDamage('the list of tables: an entry is no table');
        else this.#tables.push([tableName(key), treeAt(bytes, 0)]);
      },
      onDamage,
    });
    yield* this.#walk.finish();
    for (const [name, tree] of this.#tables) {
      // A name that is damaged would hide its table, and an empty one be made instead.
      if (!TABLE_NAMES.has(name)) onDamage(`the list of tables: there is none named ${JSON.stringify(name)}`);
      if (this.#depth === 'first' && !FIRST_TABLES.has(name)) continue;
      const onEntry = ({ key, value }: Entry): void => {
        const bytes = value();
        if (bytes !== undefined) this.#content.look(name, key, bytes);
      };
      const isLookedAt = this.#depth === 'values' || name === 'meta';
      yield* this.#walk.walk(tree, { name, onDamage, ...(isLookedAt ? { onEntry } : {}) });
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
    if (this.#depth === 'values' && this.#trees.length === 0) this.#content.finish();
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
}

function add(found: string[], what: string): void {
  if (found.length < DAMAGE_MAX) found.push(what);
}

/** The name of a table in the list of tables, where a zero byte ends it. */
function tableName(key: Buffer): string {
  const end = key.indexOf(0);
  return key.toString('latin1', 0, end === -1 ? key.length : end);
}
