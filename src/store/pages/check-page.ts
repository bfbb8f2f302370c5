/**
 * One page of a tree (page-file.ts): where its nodes lie and what they say, and what is wrong with it.
 *
 * Nothing is made of a node but numbers: a million rules are three million nodes, which a start looks at before it serves.
 */
import { HEAD_BYTES, numberAt } from './page-file.ts';

/** Bytes of a node in front of its key. */
const NODE_BYTES = 8;
/** What stands in a node whose value has pages of its own: their first, their transaction, their count. */
const BIG_VALUE_BYTES = 24;
/** Flags of a leaf's node. */
export const IS_BIG = 0x01;
export const IS_TABLE = 0x02;
/** Keys of the free list. */
const FREE_KEY_BYTES = 8;
/** lmdb-js could ask for no longer ones, and would take one of no bytes for the beginning of all. */
const KEY_BYTES_MAX = 1_978;

/** Keys of the free list are numbers, all others bytes. */
export type KeyOrder = (
  left: Buffer,
  leftAt: number,
  leftEnd: number,
  right: Buffer,
  rightAt: number,
  rightEnd: number,
) => number;

/** What the keys of a page lie between: the first may equal `low`, none may equal `high`. */
export interface KeyRange {
  readonly low: Buffer | undefined;
  readonly high: Buffer | undefined;
}

export function nodeCount(page: Buffer): number {
  return numberAt16(page, 20) >> 1;
}

/** @returns Where in the page a node begins. */
export function nodeAt(page: Buffer, index: number): number {
  return HEAD_BYTES + numberAt16(page, HEAD_BYTES + index * 2);
}

export function keyOf(page: Buffer, node: number): Buffer {
  return page.subarray(node + NODE_BYTES, keyEnd(page, node));
}

/** @returns Of a branch's node: the page below. */
export function childOf(page: Buffer, node: number): number {
  return numberAt32(page, node) + numberAt16(page, node + 4) * 2 ** 32;
}

export function flagsOf(page: Buffer, node: number): number {
  return numberAt16(page, node + 4);
}

export function valueBytesOf(page: Buffer, node: number): number {
  return numberAt32(page, node);
}

/** @returns Where in the page the value begins, or what says where it is. */
export function valueAt(page: Buffer, node: number): number {
  return keyEnd(page, node);
}

/** @param transaction The last one. */
export function headFault(page: Buffer, number: number, transaction: number, kind: number): string | undefined {
  if (numberAt(page, 0) !== number) return `says that it is page ${numberAt(page, 0)}`;
  if (numberAt(page, 8) > transaction) return 'was written after the last transaction';
  if (page.readUInt16LE(18) !== kind) return 'is of another kind';
  return undefined;
}

/** Whether all nodes are within the page and fill what is taken of it. */
export function nodesFault(page: Buffer, isLeaf: boolean): string | undefined {
  const room = page.length - HEAD_BYTES;
  const lower = numberAt16(page, 20);
  const upper = numberAt16(page, 22);
  if (lower % 2 !== 0 || lower > upper || upper > room || lower === 0) return 'has bounds that cannot be';
  const count = nodeCount(page);
  let taken = 0;
  for (let index = 0; index < count; index++) {
    const node = nodeAt(page, index);
    if (node < HEAD_BYTES + upper || node + NODE_BYTES > page.length) return 'has a node outside of it';
    const flags = flagsOf(page, node);
    const inPage = isLeaf ? ((flags & IS_BIG) === 0 ? valueBytesOf(page, node) : BIG_VALUE_BYTES) : 0;
    const keyBytes = keyEnd(page, node) - node - NODE_BYTES;
    // The first key of a branch stands for whatever is in front of the second.
    if (keyBytes > KEY_BYTES_MAX || (keyBytes === 0 && (isLeaf || index > 0)))
      return 'has a key of a length that cannot be';
    const end = keyEnd(page, node) + inPage;
    if (end > page.length || (isLeaf && (flags & ~(IS_BIG | IS_TABLE)) !== 0))
      return 'has a node that reaches out of it';
    // Nodes lie at even places.
    taken += (end - node + 1) & ~1;
  }
  return taken === room - upper ? undefined : 'has nodes of other lengths than their room';
}

/** Of a page whose nodes are within it. The first key of a branch stands for whatever is below the second. */
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

/** In a loop of its own: keys are short and begin alike, and `Buffer.compare` costs 60 ns before its first byte. */
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
