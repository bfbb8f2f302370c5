/**
 * The remaining work of the rules and templates of one request, in units of RULE_WORK_MAX: 5 ns each at most.
 *
 * Costs are those of the slowest input that was found (test/prove/proofs/stall.ts searches for it), not of the usual
 * one.
 */

export interface WorkBudget {
  /** Below 0 no more work is done: every test is false, and the request is not answered by its rules. */
  work: number;
  /**
   * Cached texts of objects and arrays of this request, and member names of large objects: computed once for all rules.
   */
  texts?: Map<object, string> | undefined;
  names?: Map<object, readonly string[]> | undefined;
  /** Milliseconds since 1970; when absent by the machine's clock. */
  readonly now?: () => number;
}

/** @returns Whether the budget sufficed. */
export function take(budget: WorkBudget, work: number): boolean {
  budget.work -= work;
  return budget.work >= 0;
}

/** Cost of listing, comparing or printing an object, an array or a name. */
export const NODE_WORK = 25;
/** The same for a name in an object with more members than this: V8 stores those differently, and lists them slowly. */
const FEW_NAMES = 100;
const NAME_OF_MANY_WORK = 120;
/** JSON.stringify compares each object with all that it is in. */
const DEPTHS_PER_WORK = 8;
const PRIMITIVE_WORK = 12;

/**
 * Takes the cost of a whole value, as far as the budget lasts. Call it before the value is printed or compared.
 *
 * @throws RangeError for a value nested too deeply for the stack.
 */
export function takeWhole(budget: WorkBudget, value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return take(budget, 1 + value.length);
  if (typeof value !== 'object' || value === null) return take(budget, PRIMITIVE_WORK);
  if (!take(budget, NODE_WORK + Math.floor(depth / DEPTHS_PER_WORK))) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!takeWhole(budget, item, depth + 1)) return false;
    return true;
  }
  for (const name of namesOf(budget, value)) {
    if (!take(budget, NODE_WORK + name.length)) return false;
    if (!takeWhole(budget, (value as Record<string, unknown>)[name], depth + 1)) return false;
  }
  // Without enough budget there are no names.
  return budget.work >= 0;
}

/** The names of an object's members; empty when the budget does not suffice. */
export function namesOf(budget: WorkBudget, value: object): readonly string[] {
  const known = budget.names?.get(value);
  if (known !== undefined) return known;
  const names = Object.keys(value);
  if (names.length > FEW_NAMES) {
    budget.work -= names.length * NAME_OF_MANY_WORK;
    (budget.names ??= new Map()).set(value, names);
  }
  return take(budget, NODE_WORK) ? names : [];
}
