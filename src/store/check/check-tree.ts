/**
 * Walks trees of the data file page by page and reports damage: pages that are missing, foreign or used twice, nodes
 * that exceed their page, keys out of order, wrong counts.
 *
 * LMDB can read a tree that passes without leaving the file. The content of the entries is checked by the caller, who
 * gets each one.
 *
 * Nearly all pages are leaves, and they lie wherever a commit found free pages: read one by one in the order of their
 * keys, those of a million rules took 1.8 s from the page cache and most of a minute from the disk. So branches are
 * walked first, and the leaves that they name are then read in the order of the file, in blocks.
 */
import {
  byBytes,
  byNumber,
  childOf,
  flagsOf,
  headFault,
  IS_BIG,
  IS_TABLE,
  isOrdered,
  keyOf,
  nodeAt,
  nodeCount,
  nodesFault,
  valueAt,
  valueBytesOf,
  type KeyRange,
} from './check-page.ts';
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
import { PageUse } from './page-use.ts';

/** A tree of this depth holds more than any disk. */
const DEPTH_MAX = 32;
/** Larger blocks leave the processor's cache before they are checked: with 1 MiB, the walk took a fifth longer. */
const BLOCK_BYTES = 262_144;
/** A block of which fewer pages are needed is read page by page. */
const PAGES_PER_BLOCK_MIN = 8;
/** Leaves waiting to be read: 2 GiB of the file, and the branches that name them take 40 MB. */
const WAITING_LEAVES_MAX = 524_288;
/** More than the nodes of any page. */
const NODES_MAX = 65_536;

export interface Entry {
  readonly key: Buffer;
  /** Reads the value, which may have overflow pages. */
  readonly value: () => Buffer | undefined;
}

interface WalkOptions {
  /** Name of the tree in reports. */
  readonly name: string;
  /** Keys of the free list are numbers, all others bytes. */
  readonly numeric?: boolean;
  /** Whether its entries are tables: either all are, or none. */
  readonly holdsTables?: boolean;
  /** Called in any order. Key and value are valid during the call: their memory is reused. */
  readonly onEntry?: (entry: Entry) => void;
  readonly onDamage: (what: string) => void;
}

interface Counts {
  branchPages: number;
  leafPages: number;
  overflowPages: number;
  entries: number;
}

/** A tree whose leaves may still be waiting. */
interface Walked {
  readonly tree: Tree;
  readonly options: WalkOptions;
  readonly counts: Counts;
}

/** A branch whose children are waiting leaves. */
interface LowestBranch extends KeyRange {
  readonly page: Buffer;
  readonly walked: Walked;
}

/** A walk over trees of one transaction. */
export class TreeWalk {
  readonly #file: PageFile;
  readonly #transaction: number;
  readonly #use: PageUse;
  readonly #levels: Buffer[] = [];
  readonly #block: Buffer;
  readonly #blockPages: number;
  #walked: Walked[] = [];
  #branches: LowestBranch[] = [];
  /** By block: the index of the branch that names a leaf, and of its node there. */
  readonly #leaves = new Map<number, number[]>();
  #waiting = 0;

  constructor(file: PageFile, { transaction, lastPage }: Front) {
    this.#file = file;
    this.#transaction = transaction;
    this.#use = new PageUse(file.pageCount, lastPage);
    this.#blockPages = BLOCK_BYTES / file.pageBytes;
    this.#block = Buffer.allocUnsafe(BLOCK_BYTES);
  }

  /** Marks pages that the free list names. @returns The fault, when they cannot be free. */
  free(first: number, count: number): string | undefined {
    return this.#use.free(first, count);
  }

  get isLongEnough(): boolean {
    return this.#use.isLongEnough;
  }

  /** Walks a tree down to its leaves, which wait for `finish`. Yields often, so that the caller can do other work. */
  *walk(tree: Tree, options: WalkOptions): Iterable<void> {
    const walked = { tree, options, counts: { branchPages: 0, leafPages: 0, overflowPages: 0, entries: 0 } };
    if (tree.root !== NO_PAGE) {
      if (tree.depth < 1 || tree.depth > DEPTH_MAX)
        return options.onDamage(`${options.name}: its depth is ${tree.depth}`);
      const unusable = this.#use.use(tree.root, 1);
      if (unusable !== undefined) return options.onDamage(`${options.name}: page ${tree.root} ${unusable}`);
      const range = { low: undefined, high: undefined };
      if (tree.depth === 1) this.#checkLeaf(this.#file.read(tree.root), tree.root, range, walked);
      else yield* this.#walkBranch(tree.root, tree.depth, range, walked);
    }
    this.#walked.push(walked);
  }

  /** Checks all waiting leaves. */
  *finish(): Iterable<void> {
    yield* this.#checkWaiting();
    for (const { tree, options, counts } of this.#walked) {
      for (const [name, count] of Object.entries(counts) as [keyof Counts, number][]) {
        if (count !== tree[name]) options.onDamage(`${options.name}: ${name}: ${count} instead of ${tree[name]}`);
      }
    }
    this.#walked = [];
  }

  /** @param number A page that is marked as used; so is each that it names. */
  *#walkBranch(number: number, depth: number, range: KeyRange, walked: Walked): Iterable<void> {
    const { options, counts } = walked;
    const isLowest = depth === 2;
    // One buffer per level: a page is read after its previous sibling is done, and the bounds are keys of pages above.
    const page = this.#file.read(number, 1, isLowest ? undefined : this.#levels[depth]);
    const fault = this.#pageFault(page, number, BRANCH, range, options);
    if (fault !== undefined || page === undefined) return options.onDamage(`${options.name}: page ${number} ${fault}`);
    counts.branchPages++;
    if (isLowest) {
      this.#defer(page, range, walked);
      if (this.#waiting >= WAITING_LEAVES_MAX) yield* this.#checkWaiting();
      return yield;
    }
    this.#levels[depth] = page;
    const nodes = nodeCount(page);
    for (let index = 0; index < nodes; index++) {
      const child = childOf(page, nodeAt(page, index));
      const unusable = this.#use.use(child, 1);
      if (unusable !== undefined) options.onDamage(`${options.name}: page ${child} ${unusable}`);
      else yield* this.#walkBranch(child, depth - 1, rangeOf(page, index, range), walked);
    }
  }

  /** Queues the leaves below a branch. */
  #defer(page: Buffer, { low, high }: KeyRange, walked: Walked): void {
    const { options } = walked;
    const branch = this.#branches.length * NODES_MAX;
    // The keys are in pages whose memory is reused.
    this.#branches.push({ page, low: low && Buffer.from(low), high: high && Buffer.from(high), walked });
    const nodes = nodeCount(page);
    for (let index = 0; index < nodes; index++) {
      const child = childOf(page, nodeAt(page, index));
      const unusable = this.#use.use(child, 1);
      if (unusable !== undefined) {
        options.onDamage(`${options.name}: page ${child} ${unusable}`);
        continue;
      }
      const block = Math.floor(child / this.#blockPages);
      const leaves = this.#leaves.get(block);
      if (leaves === undefined) this.#leaves.set(block, [branch + index]);
      else leaves.push(branch + index);
      this.#waiting++;
    }
  }

  *#checkWaiting(): Iterable<void> {
    for (const block of [...this.#leaves.keys()].toSorted((left, right) => left - right)) {
      this.#checkBlock(block, this.#leaves.get(block) as number[]);
      yield;
    }
    this.#leaves.clear();
    this.#branches = [];
    this.#waiting = 0;
  }

  #checkBlock(block: number, leaves: readonly number[]): void {
    const first = block * this.#blockPages;
    const count = Math.min(this.#blockPages, this.#use.fileCount - first);
    const pages = leaves.length < PAGES_PER_BLOCK_MIN ? undefined : this.#file.read(first, count, this.#block);
    for (const leaf of leaves) {
      const index = leaf % NODES_MAX;
      const branch = this.#branches[(leaf - index) / NODES_MAX] as LowestBranch;
      const number = childOf(branch.page, nodeAt(branch.page, index));
      const at = (number - first) * this.#file.pageBytes;
      const page = pages?.subarray(at, at + this.#file.pageBytes) ?? this.#file.read(number, 1, this.#block);
      this.#checkLeaf(page, number, rangeOf(branch.page, index, branch), branch.walked);
    }
  }

  #checkLeaf(pageRead: Buffer | undefined, number: number, range: KeyRange, { options, counts }: Walked): void {
    const page = pageRead?.subarray(0, this.#file.pageBytes);
    const fail = (what: string): void => options.onDamage(`${options.name}: page ${number} ${what}`);
    const fault = this.#pageFault(page, number, LEAF, range, options);
    if (fault !== undefined || page === undefined) return fail(fault as string);
    counts.leafPages++;
    const nodes = nodeCount(page);
    counts.entries += nodes;
    for (let index = 0; index < nodes; index++) {
      const node = nodeAt(page, index);
      const flags = flagsOf(page, node);
      if (((flags & IS_TABLE) !== 0) !== (options.holdsTables === true)) fail('has an entry of the wrong type');
      else if ((flags & IS_BIG) !== 0) this.#checkBig(page, node, counts, options, fail);
      else if (options.onEntry !== undefined) {
        const at = valueAt(page, node);
        const value = page.subarray(at, at + valueBytesOf(page, node));
        options.onEntry({ key: keyOf(page, node), value: () => value });
      }
    }
  }

  #checkBig(page: Buffer, node: number, counts: Counts, options: WalkOptions, fail: (what: string) => void): void {
    const at = valueAt(page, node);
    const bytes = valueBytesOf(page, node);
    const first = numberAt(page, at);
    const count = numberAt(page, at + 16);
    // A value that became shorter keeps its pages.
    const needed = Math.ceil((HEAD_BYTES + bytes) / this.#file.pageBytes);
    const fault = count < needed ? 'has too few pages' : (this.#use.use(first, count) ?? this.#bigFault(first, count));
    if (fault !== undefined) return fail(`has a value on page ${first}, which ${fault}`);
    counts.overflowPages += count;
    const value = () => this.#file.read(first, needed)?.subarray(HEAD_BYTES, HEAD_BYTES + bytes);
    options.onEntry?.({ key: keyOf(page, node), value });
  }

  /** The fault of the first page of a value; the others have no head. */
  #bigFault(first: number, count: number): string | undefined {
    const page = this.#file.read(first);
    if (page === undefined) return 'is not in the file';
    if (page.readUInt32LE(20) !== count) return 'has the wrong count of pages';
    return headFault(page, first, this.#transaction, OVERFLOW);
  }

  #pageFault(
    page: Buffer | undefined,
    number: number,
    kind: typeof BRANCH | typeof LEAF,
    range: KeyRange,
    { numeric }: WalkOptions,
  ): string | undefined {
    if (page === undefined) return 'is not in the file';
    const fault = headFault(page, number, this.#transaction, kind) ?? nodesFault(page, kind === LEAF);
    if (fault !== undefined) return fault;
    return isOrdered(page, kind === LEAF, range, numeric === true ? byNumber : byBytes)
      ? undefined
      : 'has keys out of order';
  }
}

/** The bounds of the keys below a node of a branch. */
function rangeOf(branch: Buffer, index: number, { low, high }: KeyRange): KeyRange {
  return {
    low: index === 0 ? low : keyOf(branch, nodeAt(branch, index)),
    high: index + 1 === nodeCount(branch) ? high : keyOf(branch, nodeAt(branch, index + 1)),
  };
}
