/**
 * Walks a tree of the data file page by page, and says where it is not one: pages that are missing, foreign or used twice, nodes that
 * reach out of their page, keys out of order, counts that do not agree.
 *
 * What passes can be read by LMDB without leaving the file. What the entries hold is for the caller, who gets each of them.
 */
import {
  BRANCH,
  HEAD_BYTES,
  LEAF,
  NO_PAGE,
  numberAt,
  OVERFLOW,
  type Front,
  type PageFile,
  type Tree,
} from './page-file.ts';

/** Bytes of a node in front of its key. */
const NODE_BYTES = 8;
/** What stands in a node whose value has pages of its own: their first, their transaction, their count. */
const BIG_VALUE_BYTES = 24;
const IS_BIG = 0x01;
const IS_TABLE = 0x02;
/** A tree of this depth holds more than a disk. */
const DEPTH_MAX = 32;
/** Free pages that one message names. */
const FREE_KEY_BYTES = 8;

export interface Entry {
  readonly key: Buffer;
  /** Reads the value, which may have pages of its own. */
  readonly value: () => Buffer | undefined;
}

export interface WalkOptions {
  /** Names the tree in what is found. */
  readonly name: string;
  /** Keys of the free list are numbers, all others bytes. */
  readonly numeric?: boolean;
  /** Whether its entries are tables; otherwise none may be. */
  readonly holdsTables?: boolean;
  /** The key and the value are of this call: their memory is used again. */
  readonly onEntry?: (entry: Entry) => void;
  readonly onDamage: (what: string) => void;
}

interface Counts {
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

/** The pages of one transaction, each with whether something uses it. */
export class PageWalk {
  readonly #file: PageFile;
  readonly #front: Front;
  readonly #used: Uint8Array;
  #freeBehindFile = 0;
  readonly #levels: Buffer[] = [];

  constructor(file: PageFile, front: Front) {
    this.#file = file;
    this.#front = front;
    // No page beyond the file can be used.
    this.#used = new Uint8Array(file.pageCount);
    this.#used.fill(1, 0, 2);
  }

  /** Walks a tree; yields now and then, for whoever has other things to do. */
  *walk(tree: Tree, options: WalkOptions): Iterable<void> {
    const counts: Counts = { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 };
    if (tree.root !== NO_PAGE) {
      if (tree.depth < 1 || tree.depth > DEPTH_MAX)
        return options.onDamage(`${options.name}: its depth is ${tree.depth}`);
      yield* this.#walkPage(tree.root, tree.depth, undefined, undefined, counts, options);
    }
    for (const [name, count] of Object.entries(counts) as [keyof Counts, number][]) {
      if (count !== tree[name]) options.onDamage(`${options.name}: ${name} are ${count}, not ${tree[name]}`);
    }
  }

  /** Notes that something uses pages. @returns Why they cannot be what they are taken for. */
  use(first: number, count: number): string | undefined {
    if (first + count > this.#front.lastPage + 1) return 'lies behind the last page';
    if (first + count > this.#used.length) return 'is not in the file';
    return this.#mark(first, first + count);
  }

  /** Notes pages that are free. The file may end before the last of them. @returns Why they cannot be. */
  free(first: number, count: number): string | undefined {
    const end = first + count;
    if (end > this.#front.lastPage + 1) return 'lies behind the last page';
    const missing = end - Math.max(first, this.#used.length);
    if (missing > 0) this.#freeBehindFile += missing;
    return this.#mark(first, Math.min(end, this.#used.length));
  }

  /** @returns Whether the file is long enough: what it lacks must be free. */
  get isLongEnough(): boolean {
    return this.#used.length + this.#freeBehindFile > this.#front.lastPage;
  }

  #mark(first: number, end: number): string | undefined {
    for (let page = first; page < end; page++) {
      if (this.#used[page] === 1) return 'is used twice';
      this.#used[page] = 1;
    }
    return undefined;
  }

  *#walkPage(
    number: number,
    depth: number,
    low: Buffer | undefined,
    high: Buffer | undefined,
    counts: Counts,
    options: WalkOptions,
  ): Iterable<void> {
    const fail = (what: string): void => options.onDamage(`${options.name}: page ${number} ${what}`);
    const unusable = this.use(number, 1);
    if (unusable !== undefined) return fail(unusable);
    // One buffer for each level: a page is read when its siblings are done with, and the bounds are keys of pages above.
    const page = this.#file.read(number, 1, this.#levels[depth]) as Buffer;
    this.#levels[depth] = page;
    const wrong = this.#headFault(page, number, depth === 1 ? LEAF : BRANCH);
    if (wrong !== undefined) return fail(wrong);
    const nodes = nodesOf(page, depth === 1);
    if (typeof nodes === 'string') return fail(nodes);
    const compare = options.numeric === true ? compareNumbers : compareBytes;
    const isOrdered = nodes.every(({ key }, index) => {
      // The first key of a branch stands for whatever is below the second.
      if (index === 0) return depth > 1 || low === undefined || compare(low, key) <= 0;
      const before = nodes[index - 1] as Node;
      return index === 1 && depth > 1 ? low === undefined || compare(low, key) < 0 : compare(before.key, key) < 0;
    });
    const last = nodes.at(-1)?.key;
    const isBelow =
      high === undefined || last === undefined || (nodes.length === 1 && depth > 1) || compare(last, high) < 0;
    if (!isOrdered || !isBelow) return fail('has keys out of order');
    if (depth === 1) {
      counts.leafPages++;
      for (const node of nodes) this.#checkEntry(page, node, counts, options, fail);
      return;
    }
    counts.branchPages++;
    for (const [index, { key, child }] of nodes.entries()) {
      const lowest = index === 0 ? low : key;
      yield* this.#walkPage(child, depth - 1, lowest, nodes[index + 1]?.key ?? high, counts, options);
    }
    yield;
  }

  #checkEntry(page: Buffer, node: Node, counts: Counts, options: WalkOptions, fail: (what: string) => void): void {
    counts.entries++;
    const { key, flags, valueAt, valueBytes } = node;
    if (((flags & IS_TABLE) !== 0) !== (options.holdsTables === true)) fail('has an entry of another kind');
    else if ((flags & IS_BIG) === 0) {
      options.onEntry?.({ key, value: () => page.subarray(valueAt, valueAt + valueBytes) });
    } else this.#checkBig(page, node, counts, options, fail);
  }

  #checkBig(page: Buffer, node: Node, counts: Counts, options: WalkOptions, fail: (what: string) => void): void {
    const { key, valueAt, valueBytes } = node;
    const first = numberAt(page, valueAt);
    const count = numberAt(page, valueAt + 16);
    // A value that became shorter keeps its pages.
    const needed = Math.ceil((HEAD_BYTES + valueBytes) / this.#file.pageBytes);
    const fault = count < needed ? 'has too few pages' : (this.use(first, count) ?? this.#bigFault(first, count));
    if (fault !== undefined) return fail(`has a value on page ${first}, which ${fault}`);
    counts.overflowPages += count;
    const value = () => this.#file.read(first, needed)?.subarray(HEAD_BYTES, HEAD_BYTES + valueBytes);
    options.onEntry?.({ key, value });
  }

  /** What is wrong with the first page of a value; the others have no head. */
  #bigFault(first: number, count: number): string | undefined {
    const page = this.#file.read(first) as Buffer;
    if (page.readUInt32LE(20) !== count) return 'is of another count of pages';
    return this.#headFault(page, first, OVERFLOW);
  }

  #headFault(page: Buffer, number: number, flags: number): string | undefined {
    if (numberAt(page, 0) !== number) return `says that it is page ${numberAt(page, 0)}`;
    if (numberAt(page, 8) > this.#front.transaction) return 'was written after the last transaction';
    if (page.readUInt16LE(18) !== flags) return 'is of another kind';
    return undefined;
  }
}

interface Node {
  readonly key: Buffer;
  readonly flags: number;
  /** Of a branch: the page below. */
  readonly child: number;
  readonly valueAt: number;
  readonly valueBytes: number;
}

/** @returns The nodes of a page, all within it, or what is wrong. */
function nodesOf(page: Buffer, isLeaf: boolean): Node[] | string {
  const room = page.length - HEAD_BYTES;
  const lower = page.readUInt16LE(20);
  const upper = page.readUInt16LE(22);
  if (lower % 2 !== 0 || lower > upper || upper > room || lower === 0) return 'has bounds that cannot be';
  const nodes: Node[] = [];
  let taken = 0;
  for (let index = 0; index < lower / 2; index++) {
    const offset = page.readUInt16LE(HEAD_BYTES + index * 2);
    const at = HEAD_BYTES + offset;
    if (offset < upper || at + NODE_BYTES > page.length) return 'has a node outside of it';
    const low = page.readUInt32LE(at);
    const flags = page.readUInt16LE(at + 4);
    const keyAt = at + NODE_BYTES;
    const valueAt = keyAt + page.readUInt16LE(at + 6);
    const inPage = isLeaf ? ((flags & IS_BIG) === 0 ? low : BIG_VALUE_BYTES) : 0;
    if (valueAt + inPage > page.length || (isLeaf && (flags & ~(IS_BIG | IS_TABLE)) !== 0))
      return 'has a node that reaches out of it';
    // Nodes lie at even places.
    taken += (valueAt + inPage - at + 1) & ~1;
    nodes.push({
      key: page.subarray(keyAt, valueAt),
      flags,
      child: low + flags * 2 ** 32,
      valueAt,
      valueBytes: low,
    });
  }
  return taken === room - upper ? nodes : 'has nodes of other lengths than their room';
}

function compareNumbers(left: Buffer, right: Buffer): number {
  if (left.length !== FREE_KEY_BYTES || right.length !== FREE_KEY_BYTES) return 0;
  return numberAt(left, 0) - numberAt(right, 0);
}

function compareBytes(left: Buffer, right: Buffer): number {
  return left.compare(right);
}
