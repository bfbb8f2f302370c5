/**
 * One page of a tree (page-file.ts): the positions and fields of its nodes, and its faults.
 *
 * Nodes are read as numbers, without objects: a million rules are three million nodes, which a start checks before it
 * serves.
 */
import { HEAD_BYTES, numberAt } from './page-file.ts';

/** Bytes of a node before its key. */
const NODE_BYTES = 8;
/** Bytes in a node whose value has overflow pages: the first page, their transaction, their count. */
const BIG_VALUE_BYTES = 24;
/** Flags of a leaf's node. */
export const IS_BIG = 0x01;
export const IS_TABLE = 0x02;
/** Length of a key of the free list. */
const FREE_KEY_BYTES = 8;
/** lmdb-js cannot look up longer ones, and treats an empty one as the start of the table. */
const KEY_BYTES_MAX = 1_978;

/** Keys of the free list are numbers, all others bytes. */
type KeyOrder = (
  left: Buffer,
  leftAt: number,
  leftEnd: number,
  right: Buffer,
  rightAt: number,
  rightEnd: number,
) => number;

/** The bounds of a page's keys: the first key may equal `low`, none may equal `high`. */
export interface KeyRange {
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
}

export function nodeCount(page: Buffer): number {
  return numberAt16(page, 20) >> 1;
}

/** @returns The offset of a node in the page. */
export function nodeAt(page: Buffer, index: number): number {
  return HEAD_BYTES + numberAt16(page, HEAD_BYTES + index * 2);
}

export function keyOf(page: Buffer, node: number): Buffer {
  return page.subarray(node + NODE_BYTES, keyEnd(page, node));
}

/** @returns The child page of a branch's node. */
export function childOf(page: Buffer, node: number): number {
  return numberAt32(page, node) + numberAt16(page, node + 4) * 2 ** 32;
}

export function flagsOf(page: Buffer, node: number): number {
  return numberAt16(page, node + 4);
}

export function valueBytesOf(page: Buffer, node: number): number {
  return numberAt32(page, node);
}

/** @returns The offset of the value in the page, or of the reference to its overflow pages. */
export function valueAt(page: Buffer, node: number): number {
  return keyEnd(page, node);
}

/** @param transaction The last transaction of the file. */
export function headFault(page: Buffer, number: number, transaction: number, kind: number): string | undefined {
  if (numberAt(page, 0) !== number) return `has the number ${numberAt(page, 0)}`;
  if (numberAt(page, 8) > transaction) return 'was written after the last transaction';
  if (page.readUInt16LE(18) !== kind) return 'has the wrong page type';
  return undefined;
}

/** Checks that all nodes are within the page and fill its used space. */
export function nodesFault(page: Buffer, isLeaf: boolean): string | undefined {
  const capacity = page.length - HEAD_BYTES;
  const lower = numberAt16(page, 20);
  const upper = numberAt16(page, 22);
  if (lower % 2 !== 0 || lower > upper || upper > capacity || lower === 0) return 'has invalid page bounds';
  const count = nodeCount(page);
  let taken = 0;
  for (let index = 0; index < count; index++) {
    const node = nodeAt(page, index);
    if (node < HEAD_BYTES + upper || node + NODE_BYTES > page.length) return 'has a node outside the page';
    const flags = flagsOf(page, node);
    const inPage = isLeaf ? ((flags & IS_BIG) === 0 ? valueBytesOf(page, node) : BIG_VALUE_BYTES) : 0;
    const keyBytes = keyEnd(page, node) - node - NODE_BYTES;
    // The first key of a branch may be empty: it covers everything before the second.
    if (keyBytes > KEY_BYTES_MAX || (keyBytes === 0 && (isLeaf || index > 0))) return 'has a key of invalid length';
    const end = keyEnd(page, node) + inPage;
    if (end > page.length || (isLeaf && (flags & ~(IS_BIG | IS_TABLE)) !== 0))
      return 'has a node that exceeds the page';
    // Nodes are aligned to even offsets.
    taken += (end - node + 1) & ~1;
  }
  return taken === capacity - upper ? undefined : 'has nodes that do not fill its used space';
}

/**
 * For a page that passed `nodesFault`. The first key of a branch is not compared: it covers everything below the
 * second.
 */
export function isOrdered(page: Buffer, isLeaf: boolean, { low, high }: KeyRange, order: KeyOrder): boolean {
  const count = nodeCount(page);
  let index = isLeaf ? 0 : 1;
  if (index === count) return true;
  let at = nodeAt(page, index) + NODE_BYTES;
  let end = keyEnd(page, at - NODE_BYTES);
  if (low !== undefined) {
    const first = order(low, 0, low.length, page, at, end);
    if (first > 0 || (first === 0 && !isLeaf)) return false;
  }
  while (++index < count) {
    const nextAt = nodeAt(page, index) + NODE_BYTES;
    const nextEnd = keyEnd(page, nextAt - NODE_BYTES);
    if (order(page, at, end, page, nextAt, nextEnd) >= 0) return false;
    at = nextAt;
    end = nextEnd;
  }
  return high === undefined || order(page, at, end, high, 0, high.length) < 0;
}

/** A loop instead of `Buffer.compare`: keys are short with common prefixes, and its call alone costs 60 ns. */
export const byBytes: KeyOrder = (left, leftAt, leftEnd, right, rightAt, rightEnd) => {
  const shared = Math.min(leftEnd - leftAt, rightEnd - rightAt);
  for (let index = 0; index < shared; index++) {
    const difference = (left[leftAt + index] as number) - (right[rightAt + index] as number);
    if (difference !== 0) return difference;
  }
  return leftEnd - leftAt - (rightEnd - rightAt);
};

export const byNumber: KeyOrder = (left, leftAt, leftEnd, right, rightAt, rightEnd) => {
  if (leftEnd - leftAt !== FREE_KEY_BYTES || rightEnd - rightAt !== FREE_KEY_BYTES) return 0;
  return numberAt(left, leftAt) - numberAt(right, rightAt);
};

function keyEnd(page: Buffer, node: number): number {
  return node + NODE_BYTES + numberAt16(page, node + 6);
}

function numberAt16(page: Buffer, at: number): number {
  return (page[at] as number) | ((page[at + 1] as number) << 8);
}

function numberAt32(page: Buffer, at: number): number {
  return (numberAt16(page, at) | (numberAt16(page, at + 2) << 16)) >>> 0;
}
