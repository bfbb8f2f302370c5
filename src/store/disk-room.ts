/**
 * How much the store may still write: what its disk has free, and what its own file has, whose freed pages are used again.
 *
 * LMDB cannot go on after a write that the disk refused, and deletes write before they free. So a reserve is kept back for them: what
 * makes the store grow is refused while it would reach into the reserve, and what frees is refused only when even that is used up, by
 * other programs. The reserve is watched, not taken: this is a look at figures, and owner-actor.ts refuses by them.
 *
 * The file never gets smaller, and what is deleted makes room within it. Room there counts as room on the disk does; but a large value
 * needs pages in a row, which only the file's end has for certain, so a part of the reserve must be free on the disk itself.
 */
import type { Database, RootDatabase } from 'lmdb';
import { existsSync, statfsSync } from 'node:fs';
import { DISK_FIRST_BYTES, DISK_FLOOR_BYTES, DISK_LOOK_AGE_MS } from '../limits.ts';
import type { RoomFigures } from './store.ts';
import type { Tables } from './tables.ts';

/** A transaction writes every page that it touches anew, and an entry may have a page of its own. */
const PAGE_BYTES = 4_096;
/** Part of the reserve that must be free on the disk itself before the store may grow. */
const RESERVE_ON_DISK = 1 / 4;

/** Of LMDB's file: two pages tell where the newest transaction is. */
const META_PAGES = 2;

/** What a transaction writes. */
export interface Written {
  readonly bytes: number;
  readonly entriesCount: number;
}

/** Pages of the store's file, in bytes. */
export interface FileBytes {
  readonly used: number;
  /** Freed by what was deleted or replaced. */
  readonly reusable: number;
}

export class DiskRoom {
  readonly #directory: string;
  readonly #reserveBytes: number;
  readonly #measureFile: () => FileBytes;
  #lookedAt = -Infinity;
  #diskBytes = Infinity;
  /** Undefined until it is asked for: reading it takes 50 microseconds, and what the disk has takes 2. */
  #file: FileBytes | undefined;
  /** Submitted and not yet written, and written since the last look; both reckoned too high rather than too low. */
  #waitingBytes = 0;
  #writtenBytes = 0;

  /** @param reserveBytes Kept free for deletes; 0 to refuse nothing. */
  constructor(directory: string, reserveBytes: number, measureFile: () => FileBytes) {
    this.#directory = directory;
    this.#reserveBytes = reserveBytes;
    this.#measureFile = measureFile;
  }

  get figures(): RoomFigures {
    const isFull = !this.has({ bytes: 0, entriesCount: 0 }, false);
    return { diskBytes: freeBytes(this.#directory), reusableBytes: this.#measureFile().reusable, isFull };
  }

  /** @param frees Whether less is stored afterwards: then it may use the reserve. */
  has(written: Written, frees: boolean): boolean {
    if (this.#reserveBytes === 0) return true;
    if (performance.now() - this.#lookedAt > DISK_LOOK_AGE_MS) this.#look();
    if (this.#fits(costOf(written), frees)) return true;
    // What the file has matters only now.
    this.#file ??= this.#measureFile();
    return this.#fits(Math.min(costOf(written), written.bytes + this.#file.used), frees);
  }

  submitted(written: Written): void {
    this.#waitingBytes += costOf(written);
  }

  /** Of what was submitted: it is on the disk now. */
  durable(written: readonly Written[]): void {
    let bytes = 0;
    for (const each of written) bytes += costOf(each);
    this.#waitingBytes -= bytes;
    this.#writtenBytes += bytes;
  }

  #look(): void {
    this.#lookedAt = performance.now();
    this.#diskBytes = freeBytes(this.#directory);
    this.#file = undefined;
    this.#writtenBytes = 0;
  }

  #fits(bytes: number, frees: boolean): boolean {
    const onDisk = this.#diskBytes - this.#waitingBytes - this.#writtenBytes;
    const keptOnDisk = frees ? DISK_FLOOR_BYTES : Math.max(DISK_FLOOR_BYTES, this.#reserveBytes * RESERVE_ON_DISK);
    const kept = frees ? 0 : this.#reserveBytes;
    return onDisk >= keptOnDisk && onDisk + (this.#file?.reusable ?? 0) - bytes >= kept;
  }
}

/** An entry takes its bytes, and a page that it shares with others: as many pages as the file uses, at most. */
function costOf({ bytes, entriesCount }: Written): number {
  return bytes + entriesCount * PAGE_BYTES;
}

/** What this user may write to the disk of a directory. Infinity when the system does not tell: then the write itself will. */
export function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** What LMDB tells of one tree, and of the environment. */
interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}
interface EnvironmentStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly root: TreeStats;
  readonly free: TreeStats;
}

/** Counts the pages of every tree, which LMDB knows: takes 50 microseconds. */
export function fileBytes(env: RootDatabase, tables: Tables): FileBytes {
  const { pageSize, lastPageNumber, root, free } = env.getStats() as EnvironmentStats;
  let usedPages = META_PAGES;
  for (const tree of [root, free, ...Object.values(tables).map((table: Database) => table.getStats() as TreeStats)]) {
    usedPages += tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
  }
  return { used: usedPages * pageSize, reusable: Math.max(0, lastPageNumber + 1 - usedPages) * pageSize };
}

/**
 * The files of a store take their room when they are made; later ones write only what a transaction says.
 *
 * @throws Error when there is no such store, nor room for one.
 */
export function refuseFullDisk(directory: string, path: string): void {
  if (existsSync(path) && existsSync(`${path}-lock`)) return;
  if (freeBytes(directory) < DISK_FIRST_BYTES) throw new Error('its disk is full');
}
