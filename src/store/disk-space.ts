/**
 * How much the store may still write: the free space of its disk, and the free pages within its own file, which LMDB
 * reuses.
 *
 * LMDB cannot continue after a write that the disk refused, and deletes write before they free. So a reserve is kept
 * for deletes: writes that make the store grow are refused when they would use the reserve, and deletes only when other
 * programs have used up the reserve too. The reserve is not allocated: this class compares figures, and owner-actor.ts
 * refuses by them.
 *
 * The file never shrinks; deletes make space within it. That space counts like space on the disk. But a large value
 * needs consecutive pages, which only the end of the file has for certain, so part of the reserve must be free on the
 * disk itself.
 */
import type { Database, RootDatabase } from 'lmdb';
import { existsSync, statfsSync } from 'node:fs';
import { DISK_FLOOR_BYTES, DISK_SAMPLE_AGE_MS } from '../limits.ts';
import type { DiskSpaceFigures } from './store.ts';
import type { Tables } from './tables/tables.ts';

/** Free space that a new store needs. LMDB maps a file before the disk has space; a signal would follow. */
const DISK_FIRST_BYTES = 262_144;

/** A transaction writes a new copy of every page that it changes, and an entry may have a page to itself. */
const PAGE_BYTES = 4_096;
/** Part of the reserve that must be free on the disk itself before the store may grow. */
const RESERVE_ON_DISK = 1 / 4;

/** Two pages of LMDB's file locate the newest transaction. */
const META_PAGES = 2;

/** Size of a write. */
interface WriteSize {
  readonly bytes: number;
  readonly entriesCount: number;
}

/** Pages of the store's file, in bytes. */
export interface FileBytes {
  readonly used: number;
  /** Freed by deleted or replaced entries. */
  readonly reusable: number;
}

export class DiskSpace {
  readonly #directory: string;
  readonly #reserveBytes: number;
  readonly #measureFile: () => FileBytes;
  #sampledAt = -Infinity;
  #diskBytes = Infinity;
  /** Undefined until it is needed: reading it takes 50 microseconds, while the disk's free space takes 2. */
  #file: FileBytes | undefined;
  /** Submitted and not yet written, and written since the last sample; both are upper estimates. */
  #waitingBytes = 0;
  #writtenBytes = 0;

  /** @param reserveBytes Kept free for deletes; 0 refuses nothing. */
  constructor(directory: string, reserveBytes: number, measureFile: () => FileBytes) {
    this.#directory = directory;
    this.#reserveBytes = reserveBytes;
    this.#measureFile = measureFile;
  }

  get figures(): DiskSpaceFigures {
    const isFull = !this.has({ bytes: 0, entriesCount: 0 }, false);
    return { diskBytes: freeBytes(this.#directory), reusableBytes: this.#measureFile().reusable, isFull };
  }

  /** @param freesSpace Whether the store holds less afterwards: then the write may use the reserve. */
  has(write: WriteSize, freesSpace: boolean): boolean {
    if (this.#reserveBytes === 0) return true;
    if (performance.now() - this.#sampledAt > DISK_SAMPLE_AGE_MS) this.#sample();
    if (this.#fits(estimatedBytes(write), freesSpace)) return true;
    // The space within the file matters only now.
    this.#file ??= this.#measureFile();
    return this.#fits(Math.min(estimatedBytes(write), write.bytes + this.#file.used), freesSpace);
  }

  submitted(write: WriteSize): void {
    this.#waitingBytes += estimatedBytes(write);
  }

  /** Submitted writes that are on the disk now. */
  durable(writes: readonly WriteSize[]): void {
    let bytes = 0;
    for (const each of writes) bytes += estimatedBytes(each);
    this.#waitingBytes -= bytes;
    this.#writtenBytes += bytes;
  }

  #sample(): void {
    this.#sampledAt = performance.now();
    this.#diskBytes = freeBytes(this.#directory);
    this.#file = undefined;
    this.#writtenBytes = 0;
  }

  #fits(bytes: number, freesSpace: boolean): boolean {
    const onDisk = this.#diskBytes - this.#waitingBytes - this.#writtenBytes;
    const keptOnDisk = freesSpace ? DISK_FLOOR_BYTES : Math.max(DISK_FLOOR_BYTES, this.#reserveBytes * RESERVE_ON_DISK);
    const kept = freesSpace ? 0 : this.#reserveBytes;
    return onDisk >= keptOnDisk && onDisk + (this.#file?.reusable ?? 0) - bytes >= kept;
  }
}

/** An upper estimate: an entry takes its bytes, and a page that it may share with others. */
function estimatedBytes({ bytes, entriesCount }: WriteSize): number {
  return bytes + entriesCount * PAGE_BYTES;
}

/**
 * Bytes that this user may write to the disk of a directory. Infinity when the system does not report it: then a write
 * fails.
 */
export function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}

/** LMDB's statistics of one tree, and of the environment. */
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

/** Adds up LMDB's page counts of every tree: takes 50 microseconds. */
export function fileBytes(env: RootDatabase, tables: Tables): FileBytes {
  const { pageSize, lastPageNumber, root, free } = env.getStats() as EnvironmentStats;
  let usedPages = META_PAGES;
  for (const tree of [root, free, ...Object.values(tables).map((table: Database) => table.getStats() as TreeStats)]) {
    usedPages += tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages;
  }
  return { used: usedPages * pageSize, reusable: Math.max(0, lastPageNumber + 1 - usedPages) * pageSize };
}

/**
 * Refuses to create a store on a full disk. A store's files take space when they are created; later openings write
 * nothing.
 *
 * @throws Error when the store does not exist and there is no space for it.
 */
export function refuseFullDisk(directory: string, path: string): void {
  if (existsSync(path) && existsSync(`${path}-lock`)) return;
  if (freeBytes(directory) < DISK_FIRST_BYTES) throw new Error('its disk is full');
}
