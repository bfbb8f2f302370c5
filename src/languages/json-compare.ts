/** Compares JSON values: as a whole, or one as a part of another. Every comparison is paid for. */
import { Placeholder } from './json-placeholders.ts';
import { namesOf, NODE_WORK, take, type WorkBudget } from './work-budget.ts';

interface JsonComparison {
  /** Whether the order of items in arrays makes no difference: they are compared as sets with repetitions. */
  readonly ignoreOrder: boolean;
  /** Whether objects may have further members, and arrays compared as sets further items. */
  readonly isPart: boolean;
  /** Whether arrays of a part may have further items at their end. */
  readonly extraItems?: boolean;
}

const DEPTH_MAX = 200;

/**
 * Whether a value is as expected. Members of objects have no order, and numbers are compared by value.
 *
 * @returns false when the budget does not suffice. Takes quadratic time for arrays whose order is ignored, and up to cubic time for
 * parts of them.
 */
export function matchesJson(
  value: unknown,
  expected: unknown,
  comparison: JsonComparison,
  budget: WorkBudget,
  depth = 0,
): boolean {
  if (!take(budget, NODE_WORK) || depth > DEPTH_MAX) return false;
  if (expected instanceof Placeholder) return expected.fits(value, budget);
  if (typeof expected === 'string') return take(budget, expected.length >> 4) && value === expected;
  if (typeof expected !== 'object' || expected === null) return value === expected;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected)) return matchesItems(value as unknown[], expected, comparison, budget, depth);
  const names = namesOf(budget, expected);
  let found = 0;
  const areThere = names.every((name) => {
    const wanted = (expected as Record<string, unknown>)[name];
    if (!Object.hasOwn(value, name)) return wanted instanceof Placeholder && wanted.mayBeMissing;
    found++;
    return matchesJson((value as Record<string, unknown>)[name], wanted, comparison, budget, depth + 1);
  });
  return areThere && (comparison.isPart || namesOf(budget, value).length === found) && budget.work >= 0;
}

function matchesItems(
  items: readonly unknown[],
  expected: readonly unknown[],
  comparison: JsonComparison,
  budget: WorkBudget,
  depth: number,
): boolean {
  const { ignoreOrder, isPart, extraItems = false } = comparison;
  const mayBeMore = isPart && (ignoreOrder || extraItems);
  if (mayBeMore ? items.length < expected.length : items.length !== expected.length) return false;
  if (!ignoreOrder) {
    return expected.every((each, index) => matchesJson(items[index], each, comparison, budget, depth + 1));
  }
  if (!take(budget, items.length >> 4)) return false;
  const assignment = new Assignment(items.length, budget, (row, at) =>
    matchesJson(items[at], expected[row], comparison, budget, depth + 1),
  );
  // Items that equal one expected item equal the same others: moving them would not help.
  return expected.every((_, row) => assignment.takesFree(row) || (isPart && assignment.movesOthers(row)));
}

/** Work of looking at an item without comparing it, and of a row that may move. In units of RULE_WORK_MAX. */
const SKIP_WORK = 0.5;
const ROW_WORK = 20;

interface Row {
  /** The items that it fits, among those before `scanned`. */
  readonly known: number[];
  scanned: number;
  /** It fits no item before this one that is still free: it has looked for one. */
  readonly passed: number;
}

/** By item: the search that reached it last, counted from 1, and the row that it was reached from. */
interface Reached {
  readonly in: Int32Array;
  readonly by: Int32Array;
}

/**
 * Gives each expected item, a row, an item of its own, as a matching in a bipartite graph: a row that finds no free item gets one by an
 * augmenting path. What is known of a row is kept, so that each pair is compared at most twice.
 */
class Assignment {
  readonly #count: number;
  readonly #budget: WorkBudget;
  readonly #fits: (row: number, at: number) => boolean;
  /** The row of each item, plus 1; 0 while it is free. */
  readonly #owners: Int32Array;
  /** The item of each row. */
  readonly #given: number[] = [];
  readonly #rows = new Map<number, Row>();
  #firstFree = 0;
  #searches = 0;
  #reached: Reached | undefined;

  constructor(count: number, budget: WorkBudget, fits: (row: number, at: number) => boolean) {
    this.#count = count;
    this.#budget = budget;
    this.#fits = fits;
    this.#owners = new Int32Array(count);
  }

  /** Gives a row the first free item that it fits. @returns false without one. */
  takesFree(row: number): boolean {
    while (this.#owners[this.#firstFree] !== 0 && this.#firstFree < this.#count) this.#firstFree++;
    for (let at = this.#firstFree; at < this.#count; at++) {
      if (!take(this.#budget, SKIP_WORK)) return false;
      if (this.#owners[at] !== 0 || !this.#fits(row, at)) continue;
      this.#give(row, at);
      return true;
    }
    return false;
  }

  /** Gives a row that fits no free item one of another row, which takes one of a third, until one takes a free item. */
  movesOthers(root: number): boolean {
    if (this.#reached === undefined) {
      if (!take(this.#budget, this.#count >> 3)) return false;
      this.#reached = { in: new Int32Array(this.#count), by: new Int32Array(this.#count) };
    }
    this.#searches++;
    const open = [root];
    // Grows with the owners of what is reached.
    for (const row of open) {
      const free = this.#reachFrom(row, open, this.#reached);
      if (free === undefined) continue;
      this.#move(root, free, this.#reached.by);
      return true;
    }
    return false;
  }

  /** @returns A free item that the row fits; undefined when it fits those of others alone, whose rows are added to `open`. */
  #reachFrom(row: number, open: number[], reached: Reached): number | undefined {
    let state = this.#rows.get(row);
    if (state === undefined) {
      state = { known: [], scanned: 0, passed: this.#given[row] ?? this.#count };
      this.#rows.set(row, state);
    }
    if (!take(this.#budget, ROW_WORK + (state.known.length >> 2))) return undefined;
    for (const at of state.known) if (this.#isFree(row, at, open, reached)) return at;
    while (state.scanned < this.#count) {
      if (!take(this.#budget, SKIP_WORK)) return undefined;
      const at = state.scanned++;
      if (at < state.passed && this.#owners[at] === 0) continue;
      if (this.#given[row] !== at && !this.#fits(row, at)) continue;
      state.known.push(at);
      if (this.#isFree(row, at, open, reached)) return at;
    }
    return undefined;
  }

  #isFree(row: number, at: number, open: number[], reached: Reached): boolean {
    if (reached.in[at] === this.#searches) return false;
    reached.in[at] = this.#searches;
    reached.by[at] = row;
    const owner = this.#owners[at] as number;
    if (owner > 0) open.push(owner - 1);
    return owner === 0;
  }

  /** Each row on the way to the free item takes the one that it reached. */
  #move(root: number, free: number, reachedBy: Int32Array): void {
    for (let at: number | undefined = free; at !== undefined;) {
      const row = reachedBy[at] as number;
      const before: number | undefined = row === root ? undefined : this.#given[row];
      this.#give(row, at);
      at = before;
    }
  }

  #give(row: number, at: number): void {
    this.#owners[at] = row + 1;
    this.#given[row] = at;
  }
}
