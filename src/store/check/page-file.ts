/**
 * The data file as pages, read without LMDB: LMDB maps the file and trusts it, so that a damaged page ends the process.
 *
 * The layout is that of LMDB's data version 2 on a little-endian 64-bit machine: a page has a head of 24 bytes (its own
 * number, the transaction that wrote it, flags, bounds or a count of pages), and two front pages, written alternately,
 * name the roots of the free list and of the tree of tables. They are verified like all other pages.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
/** Bytes of a page's head. */
export const HEAD_BYTES = 24;
/** Bytes that describe a tree. */
export const TREE_BYTES = 48;
/** The root of an empty tree: all bits set, as a double represents it. */
export const NO_PAGE = 2 ** 64;
/** While another process commits, a front page may be read half written. */
const META_READS_MAX = 20;

export const BRANCH = 0x01;
export const LEAF = 0x02;
export const OVERFLOW = 0x04;
const META = 0x08;

/** A tree, as described by the entry that names it. */
export interface Tree {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  readonly root: number;
}

/** One of the two front pages. */
export interface Front {
  readonly transaction: number;
  /** The number of the last page. */
  readonly lastPage: number;
  readonly free: Tree;
  readonly main: Tree;
}

export class PageFile {
  readonly pageBytes: number;
  readonly #descriptor: number;

  /** @throws Error when the file is not a store, or its first page has no valid page length. */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'r');
    const head = this.#readAt(0, PAGE_BYTES_MIN);
    const pageBytes = head?.readUInt32LE(HEAD_BYTES + 24) ?? 0;
    this.pageBytes = pageBytes;
    if (head?.readUInt32LE(HEAD_BYTES) === MAGIC && head.readUInt32LE(HEAD_BYTES + 4) === DATA_VERSION) {
      const isPower = (pageBytes & (pageBytes - 1)) === 0;
      if (isPower && pageBytes >= PAGE_BYTES_MIN && pageBytes <= PAGE_BYTES_MAX) return;
    }
    this.close();
    throw new Error('not a Switchyard store file');
  }

  /**
   * @param into Memory to reuse.
   * @returns Consecutive complete pages; undefined when the file ends before.
   */
  read(page: number, count = 1, into?: Buffer): Buffer | undefined {
    return this.#readAt(page * this.pageBytes, count * this.pageBytes, into);
  }

  /** Distinguishes this file from another one of the same name. */
  get identity(): string {
    const { dev, ino } = fstatSync(this.#descriptor);
    return `${dev}:${ino}`;
  }

  /** The number of complete pages. */
  get pageCount(): number {
    return Math.floor(fstatSync(this.#descriptor).size / this.pageBytes);
  }

  /**
   * The front page of the last transaction.
   *
   * The two belong to consecutive transactions, the even one first, and each transaction writes the root of the tree of
   * tables. Both are verified, since a damaged transaction number could make an older state the last one. In a
   * compacted copy the first front page is empty, and the pages are older.
   *
   * @throws Error when they are not consistent.
   */
  front(): Front {
    let why = '';
    for (let tries = 0; tries < META_READS_MAX; tries++) {
      const pages = this.read(0, 2);
      if (pages === undefined) {
        why = 'it ends before its second page';
        continue;
      }
      const fronts = [this.#front(pages, 0), this.#front(pages, 1)] as const;
      const [even, odd] = fronts;
      if (typeof even === 'string' || typeof odd === 'string') {
        why = [even, odd].find((each) => typeof each === 'string') as string;
        continue;
      }
      const last = even.transaction > odd.transaction ? even : odd;
      if (even.transaction === 0 && even.main.root === NO_PAGE) return last;
      const follow = Math.abs(even.transaction - odd.transaction) === 1 && even.transaction % 2 === 0;
      if (follow && this.#wasWrittenBy(last)) return last;
      why = `its front pages have transactions ${even.transaction} and ${odd.transaction}, which do not match its tables`;
    }
    throw new Error(`the file is damaged: ${why}`);
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Whether the root of the tree of tables was written by the same transaction. */
  #wasWrittenBy({ transaction, main }: Front): boolean {
    const root = main.root < this.pageCount ? this.read(main.root) : undefined;
    return root !== undefined && numberAt(root, 8) === transaction;
  }

  /** @returns The page's content, or its fault. */
  #front(pages: Buffer, index: number): Front | string {
    const at = index * this.pageBytes;
    const base = at + HEAD_BYTES;
    const isFront = pages.readUInt16LE(at + 18) === META && pages.readUInt32LE(base) === MAGIC;
    if (!isFront || pages.readUInt32LE(base + 4) !== DATA_VERSION || pages.readUInt32LE(base + 24) !== this.pageBytes)
      return `page ${index} is not a valid front page`;
    return {
      free: treeAt(pages, base + 24),
      main: treeAt(pages, base + 24 + TREE_BYTES),
      lastPage: numberAt(pages, base + 120),
      transaction: numberAt(pages, base + 128),
    };
  }

  #readAt(offset: number, bytes: number, buffer: Buffer = Buffer.allocUnsafe(bytes)): Buffer | undefined {
    return readSync(this.#descriptor, buffer, 0, bytes, offset) === bytes ? buffer : undefined;
  }
}

export function treeAt(bytes: Buffer, at: number): Tree {
  return {
    depth: bytes.readUInt16LE(at + 6),
    branchPages: numberAt(bytes, at + 8),
    leafPages: numberAt(bytes, at + 16),
    overflowPages: numberAt(bytes, at + 24),
    entries: numberAt(bytes, at + 32),
    root: numberAt(bytes, at + 40),
  };
}

/** A 64-bit number; above 2^53 it is damage, and need not be exact. */
export function numberAt(bytes: Buffer, at: number): number {
  return bytes.readUInt32LE(at) + bytes.readUInt32LE(at + 4) * 2 ** 32;
}
