/**
 * The stores of one mock or session as one request sees them: what it changes is kept apart until it is answered, and then takes
 * effect as a whole or not at all.
 */
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import { STORE_DEPTH_MAX } from '../../../limits.ts';
import { spliced } from './own-list.ts';
import { beginWith, changedTo, firstValue, itemsOf, splicedTo, type StoreValue } from './store-value.ts';

/** Stores of an owner in all of its sessions and mocks. */
export interface StoreUsage {
  /** Why it cannot have so many bytes more; undefined where it can. */
  readonly refusal: (bytes: number) => string | undefined;
  /** @param items How many more items lists have. */
  readonly add: (bytes: number, items: number) => void;
}

/** The live stores of a mock or session. */
export interface StoreSet {
  readonly stores: Map<string, StoreValue>;
  /** Values that templates keep by name: one store of its own. */
  globals: StoreValue;
  readonly usage: StoreUsage;
  /** Decides the ids that are made; null: chance does. */
  readonly seed: number | null;
  /** Number of created ids. */
  idsMade: number;
}

/** Why a value is not kept: no store can have it (422), or there is no space (507). */
export interface KeepProblem {
  readonly kind: 'unfit' | 'full';
  readonly problem: string;
}

/** Work of looking at a value within another. In units of RULE_WORK_MAX. */
const NODE_WORK = 10;

export const NO_GLOBALS = beginWith(firstValue({ name: 'global', value: {} }, {}));

export class StoreTurn {
  readonly #set: StoreSet;
  readonly #changed = new Map<string, StoreValue>();
  readonly #undo: (() => void)[] = [];
  #globals: StoreValue | undefined;
  #growth = 0;
  #idsMade = 0;
  /** Why something could not be kept: the request is answered by that, and changes nothing. */
  notKept: KeepProblem | undefined;
  /** Why the operation of the response cannot be done: its texts cannot be rendered. */
  problem: string | undefined;
  /** Result of the response's operation. */
  result: { readonly body: unknown } | undefined;
  /** The number of the request among those of the route that was asked last; 0 when the route does not use it. */
  requestNumber = 0;

  constructor(set: StoreSet) {
    this.#set = set;
  }

  get(name: string): StoreValue | undefined {
    return this.#changed.get(name) ?? this.#set.stores.get(name);
  }

  get seed(): number | null {
    return this.#set.seed;
  }

  /** Numbers the ids that are made since the stores began, from 1. */
  nextId(): number {
    return this.#set.idsMade + ++this.#idsMade;
  }

  names(): readonly string[] {
    return [...this.#set.stores.keys()];
  }

  get globals(): StoreValue {
    return this.#globals ?? this.#set.globals;
  }

  /** @returns That it is not kept. */
  refuse(kind: KeepProblem['kind'], problem: string): false {
    this.notKept ??= { kind, problem };
    return false;
  }

  /** @returns Whether it is kept; else `notKept` says why not. */
  set(store: StoreValue, value: unknown, budget: WorkBudget): boolean {
    const next = this.#grown(store, value, budget);
    if (next === undefined) return false;
    if (next !== store) this.#changed.set(store.first.definition.name, next);
    return true;
  }

  /** The same as `set` for a list, with some items replaced. @param count Number of removed items. */
  splice(store: StoreValue, index: number, count: number, added: readonly unknown[], budget: WorkBudget): boolean {
    const list = store.value as readonly unknown[];
    const next = this.#fitting(store, splicedTo(store, list.slice(index, index + count), added, budget), added, budget);
    if (next === undefined) return false;
    const changed = spliced(list, index, count, added);
    this.#undo.push(changed.undo);
    const changedStore = changed.list === list ? next : { ...next, value: changed.list };
    this.#changed.set(store.first.definition.name, changedStore);
    return true;
  }

  /** Takes back what was changed in place, where nothing is to be changed. */
  rollBack(): void {
    for (const undo of this.#undo.splice(0).toReversed()) undo();
  }

  setGlobal(value: unknown, budget: WorkBudget): boolean {
    const next = this.#grown(this.globals, value, budget);
    if (next === undefined) return false;
    this.#globals = next;
    return true;
  }

  #grown(store: StoreValue, value: unknown, budget: WorkBudget): StoreValue | undefined {
    return this.#fitting(store, changedTo(store, value, budget), [value], budget);
  }

  /** @param added What is new in it. */
  #fitting(
    store: StoreValue,
    next: StoreValue | string,
    added: readonly unknown[],
    budget: WorkBudget,
  ): StoreValue | undefined {
    if (typeof next === 'string') {
      const name = JSON.stringify(store.first.definition.name);
      if (added.some((each) => isTooDeep(each, STORE_DEPTH_MAX, budget)))
        this.refuse(
          'unfit',
          `the store ${name} cannot store the value: it is nested more than ${STORE_DEPTH_MAX} levels deep`,
        );
      else this.refuse('full', next);
      return undefined;
    }
    const growth = next.ownBytes - store.ownBytes;
    const refusal = growth > 0 ? this.#set.usage.refusal(this.#growth + growth) : undefined;
    if (refusal !== undefined) {
      this.refuse('full', refusal);
      return undefined;
    }
    this.#growth += growth;
    return next;
  }

  /** Changed names in the order of the changes, with the value before and after. */
  changes(): { readonly name: string; readonly before: unknown; readonly after: unknown }[] {
    const changed = [...this.#changed].map(([name, { value }]) => ({
      name,
      before: this.#set.stores.get(name)?.value,
      after: value,
    }));
    if (this.#globals === undefined) return changed;
    return [...changed, { name: 'global', before: this.#set.globals.value, after: this.#globals.value }];
  }

  /** Makes the changes. */
  commit(): void {
    this.#undo.length = 0;
    let items = 0;
    for (const [name, store] of this.#changed) {
      const before = this.#set.stores.get(name);
      items += itemsOf(store) - (before === undefined ? 0 : itemsOf(before));
      this.#set.stores.set(name, store);
    }
    if (this.#globals !== undefined) this.#set.globals = this.#globals;
    this.#set.usage.add(this.#growth, items);
    this.#set.idsMade += this.#idsMade;
  }
}

function isTooDeep(value: unknown, depth: number, budget: WorkBudget): boolean {
  if (typeof value !== 'object' || value === null || !take(budget, NODE_WORK)) return false;
  return depth === 0 || Object.values(value).some((each) => isTooDeep(each, depth - 1, budget));
}
