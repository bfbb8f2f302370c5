/** Helpers of what is kept: the number of the request, variables of the template and of the mock, stores. */
import { compileJsonPath, type JsonPath } from '../../../../languages/json-path.ts';
import { numberProblem } from '../../../../base/strict-json.ts';
import { unmarked } from '../../../../languages/json-text.ts';
import { takeWhole } from '../../../../languages/work-budget.ts';
import { disown } from '../../stores/own-list.ts';
import { takeVisits } from '../../stores/store-path.ts';
import { changedAt, copied, PATH_OPERATIONS, type PathOperation } from '../../stores/store-value.ts';
import type { StoreTurn } from '../../stores/store-turn.ts';
import { asText, type Argument, type Helpers, type MakeHelper } from '../helper.ts';
import type { TemplateRun } from '../template-run.ts';
import { asData, stepsIn, stepsWork, valueAt, valueAtPath } from '../values.ts';

export const STATE_HELPERS: Helpers<
  'requestNumber' | 'setVar' | 'var' | 'variable' | 'store' | 'storeSet' | 'global' | 'globalSet'
> = {
  requestNumber:
    () =>
    ({ view }) =>
      view.requestNumber,
  /** Prints nothing. */
  setVar: ([name, value]) => {
    const variable = String(name?.literal?.value ?? '');
    return (run) => {
      (run.variables ??= new Map()).set(variable, value?.evaluate(run));
      return undefined;
    };
  },
  var:
    ([name]) =>
    (run) =>
      run.variables?.get(asText(run, name?.evaluate(run))),
  variable: ([name, fallback], _named, { variables }) => {
    const literal = name?.literal?.value;
    if (typeof literal === 'string') {
      const value = valueAt(variables, literal.split('.'));
      return (run) => value ?? fallback?.evaluate(run);
    }
    return (run) => valueAtPath(run, variables, name?.evaluate(run)) ?? fallback?.evaluate(run);
  },
  store: ([name, path]) => {
    const find = finder(path);
    return (run) => {
      const store = storesOf(run)?.get(asText(run, name?.evaluate(run)));
      const found = store && find(run, store.value);
      if (found === store?.value) disown(found);
      return found;
    };
  },
  storeSet,
  global: ([name, fallback]) => {
    return (run) => {
      const globals = storesOf(run)?.globals.value;
      const steps = [asText(run, name?.evaluate(run))];
      run.view.work -= stepsWork(steps);
      return valueAt(globals, steps) ?? fallback?.evaluate(run);
    };
  },
  globalSet:
    ([name, value]) =>
    (run) => {
      const turn = storesOf(run);
      if (turn === undefined) return undefined;
      const kept = { ...(turn.globals.value as object), ...named(run, turn, name, value) };
      keep(run, turn, turn.setGlobal(kept, run.view));
      return undefined;
    },
};

function named(run: TemplateRun, turn: StoreTurn, name: Argument | undefined, value: Argument | undefined): object {
  return Object.fromEntries([[asText(run, name?.evaluate(run)), keptValue(run, turn, value?.evaluate(run))]]);
}

/** The stores of the request; without any there is a problem. */
function storesOf(run: TemplateRun): StoreTurn | undefined {
  const { stores } = run.view;
  if (stores === undefined) run.problem ??= 'stores cannot be used here';
  return stores;
}

/** Why something is not kept, the answer says, which has another status then. */
function keep(run: TemplateRun, turn: StoreTurn, isKept: boolean): void {
  if (!isKept) run.problem ??= turn.notKept?.problem;
}

/** By a dot path, or a JSONPath from $ on: of that the first value, or a list of several. */
function finder(path: Argument | undefined): (run: TemplateRun, value: unknown) => unknown {
  if (path === undefined) return (_run, value) => value;
  const literal = path.literal?.value;
  if (typeof literal === 'string' && literal.startsWith('$')) {
    let compiled: JsonPath | string | undefined;
    return (run, value) => {
      compiled ??= compileJsonPath(literal);
      if (typeof compiled === 'string' || !takeVisits(run.view, compiled, value)) return undefined;
      const found = compiled.find(value, run.view);
      return found.length > 1 ? found : found[0];
    };
  }
  return (run, value) => {
    const text = path.evaluate(run);
    return text === undefined || text === '' ? value : valueAtPath(run, value, text);
  };
}

const ITEM_WORK = 1;

/** `storeSet operation store path value`; prints nothing. */
function storeSet([operation, name, path, operand]: readonly Argument[]): ReturnType<MakeHelper> {
  const op = String(operation?.literal?.value ?? '') as PathOperation;
  if (!PATH_OPERATIONS.includes(op)) return () => undefined;
  return (run) => {
    const turn = storesOf(run);
    const store = turn?.get(asText(run, name?.evaluate(run)));
    if (turn === undefined || store === undefined) return undefined;
    const at = path?.evaluate(run);
    const steps = at === undefined || at === '' || at === null ? [] : stepsIn(run, at);
    if (steps === undefined || run.view.work < 0) return undefined;
    // What is along the path is copied.
    if (Array.isArray(store.value)) run.view.work -= ITEM_WORK * store.value.length;
    const value = changedAt(store.value, steps, op, keptValue(run, turn, operand?.evaluate(run)));
    keep(run, turn, isExact(op, value, steps, turn) && turn.set(store, value, run.view));
    return undefined;
  };
}

/** A count that no longer changes would be taken for another one. */
function isExact(op: PathOperation, value: unknown, steps: readonly string[], turn: StoreTurn): boolean {
  const count = op === 'inc' || op === 'dec' ? valueAt(value, steps) : undefined;
  if (typeof count !== 'number' || Math.abs(count) <= Number.MAX_SAFE_INTEGER) return true;
  return turn.refuse('unfit', `storeSet: ${steps.join('.')} would be beyond 2^53, where counts are not exact`);
}

function plainText(value: unknown): unknown {
  return typeof value === 'string' ? unmarked(value) : value;
}

/** A text that is an object or a list in JSON is kept as that: `(body)` is a text. */
function keptValue(run: TemplateRun, turn: StoreTurn, value: unknown): unknown {
  const data = typeof value === 'string' && /^\s*[[{]/.test(value) ? asData(run, value) : undefined;
  // A number with more digits than a store keeps is stored as its text.
  if (data === undefined) return takeWhole(run.view, value) ? copied(plainText(value)) : undefined;
  const problem = numberProblem(value as string, run.view);
  if (problem !== undefined) keep(run, turn, turn.refuse('unfit', problem));
  return data;
}
