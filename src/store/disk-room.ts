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
import { statfsSync } from 'node:fs';
import { DISK_FLOOR_BYTES } from '../limits.ts';
import type { RoomFigures } from './store.ts';

/** A transaction writes every page that it touches anew, and an entry may have a page of its own. */
const PAGE_BYTES = 4_096;
/** Part of the reserve that must be free on the disk itself before the store may grow. */
const RESERVE_ON_DISK = 1 / 4;
/** Part of the reserve that is written, at most, between two looks at the disk. */
const RESERVE_PER_LOOK = 1 / 8;

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
  #diskBytes = Infinity;
  #file: FileBytes = { used: 0, reusable: 0 };
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
    return { diskBytes: this.#diskBytes, reusableBytes: this.#file.reusable, isFull: !this.#fits(0, false) };
  }

  /** @param frees Whether less is stored afterwards: then it may use the reserve. */
  has(written: Written, frees: boolean): boolean {
    return this.#fits(this.#costOf(written), frees);
  }

  submitted(written: Written): void {
    this.#waitingBytes += this.#costOf(written);
  }

  /** Of what was submitted: it is on the disk now. */
  durable(written: readonly Written[]): void {
    let bytes = 0;
    for (const each of written) bytes += this.#costOf(each);
    this.#waitingBytes -= bytes;
    this.#writtenBytes += bytes;
    if (this.#writtenBytes > this.#reserveBytes * RESERVE_PER_LOOK) this.look();
  }

  /** Reads anew what is free. Takes some 40 microseconds. */
  look(): void {
    if (this.#reserveBytes === 0) return;
    this.#diskBytes = freeBytes(this.#directory);
    this.#file = this.#measureFile();
    this.#writtenBytes = 0;
  }

  #fits(bytes: number, frees: boolean): boolean {
    if (this.#reserveBytes === 0) return true;
    const onDisk = this.#diskBytes - this.#waitingBytes - this.#writtenBytes;
    const keptOnDisk = frees ? DISK_FLOOR_BYTES : Math.max(DISK_FLOOR_BYTES, this.#reserveBytes * RESERVE_ON_DISK);
    return onDisk >= keptOnDisk && onDisk + this.#file.reusable - bytes >= (frees ? 0 : this.#reserveBytes);
  }

  /** An entry costs its bytes and a page of others that it shares; but no more pages than there are. */
  #costOf({ bytes, entriesCount }: Written): number {
    return bytes + Math.min(entriesCount * PAGE_BYTES, Math.max(this.#file.used, PAGE_BYTES));
  }
}

/** What this user may write. Infinity when the system does not tell: then the write itself will. */
function freeBytes(directory: string): number {
  try {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
