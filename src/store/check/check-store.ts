/**
 * Checks that the data file is what was written: its trees (check-tree.ts), and on demand their entries
 * (check-content.ts).
 *
 * Nothing is read through LMDB, which would end the process on the first invalid page. A server checks the trees before
 * it serves, `switchyard check` checks everything. A damaged tree cannot be served even in part, since a commit of one
 * owner moves pages and entries of others; a damaged value affects its owner alone.
 *
 * There are two readers of stores that may be damaged. This one reads pages without LMDB, and lets a start be refused
 * in a second for a million rules. snapshots/inspection.ts reads copies through LMDB in a process that may die of it,
 * and verifies snapshots.
 */
import { existsSync, statSync } from 'node:fs';
import { Slices } from '../../base/slices.ts';
import { ContentCheck } from './check-content.ts';
import { unreadableFormat } from '../codec/value-format.ts';
import { TreeWalk, type Entry } from './check-tree.ts';
import { numberAt, PageFile, TREE_BYTES, treeAt, type Front, type Tree } from './page-file.ts';
import { TABLE_NAMES } from '../tables/tables.ts';

/** Damaged places in trees reported of one store. */
const DAMAGE_MAX = 100;
/** Another process may write during a check and reuse pages that were free: then the check starts over. */
const TRIES_MAX = 10;
/** Tables that commands and a server's start read before all trees have been checked. */
const FIRST_TABLES = new Set(['meta', 'keys']);

export interface StoreReport {
  /** As `stateOf` returns it. */
  readonly state: string;
  readonly pages: number;
  readonly entries: number;
  /** Damage of pages and trees: with any, nothing of the store can be served. */
  readonly trees: readonly string[];
  /** Damage of keys and values, with the owner where it is known. */
  readonly values: readonly string[];
  /** Whether another process changed the store too fast for a result. */
  readonly isInconclusive: boolean;
}

/** How much is checked: front pages and the tables that a start reads, every tree, or every key and value too. */
type Depth = 'first' | 'trees' | 'values';

/**
 * Checks a data file, in slices of the event loop.
 *
 * @param signal Aborts the check.
 * @throws Error when the file is not a store, its front pages do not agree on its last state, or its format is newer.
 */
export async function checkStore(path: string, depth: Depth, signal?: AbortSignal): Promise<StoreReport> {
  const slices = new Slices();
  for (let tries = 1; ; tries++) {
    const scan = new StoreScan(path, depth);
    try {
      for (const _ of scan.steps()) {
        if (!slices.due()) continue;
        await slices.next();
        signal?.throwIfAborted();
      }
      const problem = unreadableFormat(scan.format);
      if (problem !== undefined && !scan.isStale) throw new Error(problem);
      const report = scan.report();
      if (!scan.isStale || report.trees.length + report.values.length === 0) return report;
      if (tries === TRIES_MAX) return { ...report, trees: [], values: [], isInconclusive: true };
    } finally {
      scan.close();
    }
  }
}

/**
 * Checks what every opening of a store reads: the front pages, the list of tables and two small tables.
 *
 * @throws Error when LMDB could not read them, or their format is newer.
 */
export function checkFirst(path: string): void {
  // An empty file was about to become a store.
  if (!existsSync(path) || statSync(path).size === 0) return;
  for (let tries = 1; tries <= TRIES_MAX; tries++) {
    const scan = new StoreScan(path, 'first');
    try {
      for (const _ of scan.steps());
      const [damage] = scan.report().trees;
      const problem = unreadableFormat(scan.format) ?? (damage && `the file is damaged: ${damage}`);
      if (problem === undefined) return;
      if (!scan.isStale) throw new Error(problem);
    } finally {
      scan.close();
    }
  }
}

/**
 * @returns An identifier of the file's state: which file it is, and its last transaction.
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

/** One scan of one state of a file. */
class StoreScan {
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

  /** The second transaction after a state reuses its pages, and may have begun when the first is done. */
  get isStale(): boolean {
    return this.#file.front().transaction !== this.#front.transaction;
  }

  /** Format of the store: checked at every depth, since a newer store may have tables of other names. */
  get format(): number {
    return this.#content.format;
  }

  report(): StoreReport {
    const state = `${this.#file.identity} ${this.#front.transaction}`;
    const pages = this.#front.lastPage + 1;
    return {
      state,
      pages,
      entries: this.#entries,
      trees: this.#trees,
      values: this.#content.damage,
      isInconclusive: false,
    };
  }

  *steps(): Iterable<void> {
    const onDamage = (what: string): void => add(this.#trees, what);
    yield* this.#walk.walk(this.#front.main, {
      name: 'the list of tables',
      holdsTables: true,
      onEntry: ({ key, value }) => {
        const bytes = value();
        if (bytes?.length !== TREE_BYTES) onDamage('the list of tables: invalid entry');
        else this.#tables.push([tableName(key), treeAt(bytes, 0)]);
      },
      onDamage,
    });
    yield* this.#walk.finish();
    for (const [name, tree] of this.#tables) {
      // With a damaged name its table would be invisible, and LMDB would create an empty one instead.
      if (!TABLE_NAMES.has(name)) onDamage(`the list of tables: unknown table ${JSON.stringify(name)}`);
      if (this.#depth === 'first' && !FIRST_TABLES.has(name)) continue;
      const onEntry = ({ key, value }: Entry): void => {
        const bytes = value();
        if (bytes !== undefined) this.#content.add(name, key, bytes);
      };
      const isChecked = this.#depth === 'values' || name === 'meta';
      yield* this.#walk.walk(tree, { name, onDamage, ...(isChecked ? { onEntry } : {}) });
      this.#entries += tree.entries;
    }
    yield* this.#walk.finish();
    if (this.#depth === 'first') return;
    // Last: all used pages are known by now, and no free page may be one of them.
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

  /**
   * A list of page numbers, its length first. A negative one is a count of pages from the next number on, zero is a
   * gap.
   */
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

/** The name of a table in the list of tables, where it ends with a zero byte. */
function tableName(key: Buffer): string {
  const end = key.indexOf(0);
  return key.toString('latin1', 0, end === -1 ? key.length : end);
}
