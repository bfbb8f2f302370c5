/** What the rules and templates of one request may still look at, in units of RULE_WORK_MAX: some 10 ns each. */

export interface WorkBudget {
  /** Below 0 nothing more may be looked at: what asks then is false, and the request is not answered by its rules. */
  work: number;
}

/** @returns Whether there was enough left. */
export function take(budget: WorkBudget, work: number): boolean {
  budget.work -= work;
  return budget.work >= 0;
}

/** A value of JSON, or a name: what listing, comparing or printing it takes where objects are large. */
export const NODE_WORK = 25;

/**
 * Takes for a whole value, as far as the budget goes: to be asked before it is printed or compared.
 *
 * @throws RangeError for a value that is nested more deeply than the stack is high.
 */
export function takeWhole(budget: WorkBudget, value: unknown): boolean {
  if (typeof value === 'string') return take(budget, 1 + (value.length >> 4));
  if (typeof value !== 'object' || value === null) return take(budget, 1);
  if (!take(budget, NODE_WORK)) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!takeWhole(budget, item)) return false;
    return true;
  }
  for (const name in value) {
    if (!take(budget, NODE_WORK + (name.length >> 4))) return false;
    if (!takeWhole(budget, (value as Record<string, unknown>)[name])) return false;
  }
  return true;
}
