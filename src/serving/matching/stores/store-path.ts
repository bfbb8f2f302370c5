/** Paths of conditions and templates into a store. */
import { compileJsonPath, type JsonPath } from '../../../languages/json-path.ts';
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import { countOf } from './store-value.ts';

/** Work of a JSONPath that may look at all of a value, for each item and member at its top. In units of RULE_WORK_MAX. */
const VISIT_WORK = 400;

/** @returns Whether the budget suffices for a path that looks at more than one value. */
export function takeVisits(budget: WorkBudget, path: JsonPath, value: unknown): boolean {
  return take(budget, path.looks === 0 ? 0 : VISIT_WORK * path.looks * (1 + countOf(value)));
}

/** @returns What finds the values of the path; empty where there are none. */
export function compileStorePath(path: string): (value: unknown, budget: WorkBudget) => readonly unknown[] {
  if (path.startsWith('$')) {
    let compiled: JsonPath | string | undefined;
    return (value, budget) => {
      compiled ??= compileJsonPath(path);
      return typeof compiled === 'string' || !takeVisits(budget, compiled, value) ? NONE : compiled.find(value, budget);
    };
  }
  const steps = path === '' ? [] : path.split('.');
  return (value, budget) => {
    budget.work -= steps.length * STEP_WORK;
    let found = value;
    for (const step of steps) {
      if (typeof found !== 'object' || found === null) return NONE;
      if (Array.isArray(found) && step === 'length') found = found.length;
      else if (Object.hasOwn(found, step)) found = (found as Record<string, unknown>)[step];
      else return NONE;
    }
    return [found];
  };
}

const STEP_WORK = 10;
const NONE: readonly unknown[] = [];
