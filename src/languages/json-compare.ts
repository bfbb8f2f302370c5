/** Compares JSON values: as a whole, or one as a part of another. Every comparison is paid for. */
import { namesOf, NODE_WORK, take, type WorkBudget } from './work-budget.ts';

export interface JsonComparison {
  /** Whether the order of items in arrays makes no difference: they are compared as sets with repetitions. */
  readonly ignoreOrder: boolean;
  /** Whether objects may have further members, and arrays compared as sets further items. */
  readonly isPart: boolean;
}

const DEPTH_MAX = 200;

/**
 * Whether a value is as expected. Members of objects have no order, and numbers are compared by value.
 *
 * @returns false when the budget does not suffice. Takes quadratic time for arrays whose order is ignored.
 */
export function matchesJson(
  value: unknown,
  expected: unknown,
  comparison: JsonComparison,
  budget: WorkBudget,
  depth = 0,
): boolean {
  if (!take(budget, NODE_WORK) || depth > DEPTH_MAX) return false;
  if (typeof expected === 'string') return take(budget, expected.length >> 4) && value === expected;
  if (typeof expected !== 'object' || expected === null) return value === expected;
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(expected)) return false;
  if (Array.isArray(expected)) return matchesItems(value as unknown[], expected, comparison, budget, depth);
  const names = namesOf(budget, expected);
  if (!comparison.isPart && namesOf(budget, value).length !== names.length) return false;
  return names.every(
    (name) =>
      Object.hasOwn(value, name) &&
      matchesJson(
        (value as Record<string, unknown>)[name],
        (expected as Record<string, unknown>)[name],
        comparison,
        budget,
        depth + 1,
      ),
  );
}

function matchesItems(
  items: readonly unknown[],
  expected: readonly unknown[],
  comparison: JsonComparison,
  budget: WorkBudget,
  depth: number,
): boolean {
  const { ignoreOrder, isPart } = comparison;
  if (isPart && ignoreOrder ? items.length < expected.length : items.length !== expected.length) return false;
  if (!ignoreOrder) {
    return expected.every((each, index) => matchesJson(items[index], each, comparison, budget, depth + 1));
  }
  // Each item is taken once. One that several expected ones match is given to the first of them.
  if (!take(budget, items.length >> 5)) return false;
  const taken = new Uint8Array(items.length);
  let from = 0;
  return expected.every((each) => {
    while (taken[from] === 1) from++;
    for (let at = from; at < items.length; at++) {
      if (!take(budget, SKIP_WORK)) return false;
      if (taken[at] === 1 || !matchesJson(items[at], each, comparison, budget, depth + 1)) continue;
      taken[at] = 1;
      return true;
    }
    return false;
  });
}

/** Of looking at an item that is taken already. In units of RULE_WORK_MAX. */
const SKIP_WORK = 0.5;
