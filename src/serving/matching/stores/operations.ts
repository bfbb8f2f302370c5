/** Operations on the items of a store: for routes of the kind `crud`, responses with a step, and the API. Pure, but for the turn. */
import { randomUUID } from 'node:crypto';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { draws, streamOf } from '../../../base/seeded-draw.ts';
import { ITEM_ID_CHARS_MAX } from '../../../limits.ts';
import type { WorkBudget } from '../../../languages/work-budget.ts';
import { ID_MEMBER, type StoreOperation } from '../../../model/mocks/stores/store.ts';
import { uuidFrom } from '../templates/helpers/random.ts';
import { idOf, indexOf, isId, itemOf, numbersIn } from './own-list.ts';
import type { StoreTurn } from './store-turn.ts';
import type { StoreValue } from './store-value.ts';

export interface Operation {
  /** `list` gives all of it: list-query.ts chooses among it. */
  readonly op: StoreOperation;
  readonly name: string;
  readonly id?: string | undefined;
  readonly value?: unknown;
}

/** `malformed` and `unsupported` are of bodies; `unfit` is what no store can keep as it was sent. */
export type Failure = 'missing' | 'taken' | 'invalid' | 'unfit' | 'full' | 'malformed' | 'unsupported';

export type OperationResult =
  | { readonly kind: 'done'; readonly value: unknown; readonly id?: string }
  | { readonly kind: Failure; readonly problem: string };

/** Work of looking at an item. In units of RULE_WORK_MAX. */
const ITEM_WORK = 5;

export function perform(turn: StoreTurn, asked: Operation, budget: WorkBudget): OperationResult {
  const store = turn.get(asked.name);
  if (store === undefined) return failed('missing', `the mock has no store ${JSON.stringify(asked.name)}`);
  if (Array.isArray(store.value)) budget.work -= ITEM_WORK * store.value.length;
  return new Performer(turn, store, asked, budget).perform();
}

class Performer {
  readonly #turn: StoreTurn;
  readonly #store: StoreValue;
  readonly #asked: Operation;
  readonly #budget: WorkBudget;

  constructor(turn: StoreTurn, store: StoreValue, asked: Operation, budget: WorkBudget) {
    this.#turn = turn;
    this.#store = store;
    this.#asked = asked;
    this.#budget = budget;
  }

  perform(): OperationResult {
    const { op, id, value } = this.#asked;
    const list = this.#list;
    switch (op) {
      case 'list':
        return done(this.#store.value);
      case 'create':
        return list === undefined ? this.#put(value, value, '') : this.#create(list, value);
      case 'replaceAll':
        return list === undefined ? this.#put(value, value) : this.#replaceAll(value);
      case 'mergeAll':
        return list === undefined ? this.#mergeObject(value) : this.#mergeAll(list, value);
      case 'clear':
        return this.#put(emptyOf(this.#store.value));
      case 'get':
      case 'replace':
      case 'merge':
      case 'remove': {
        const item = list === undefined || id === undefined ? undefined : itemOf(list, this.#idMember, id);
        if (list === undefined || id === undefined || item === undefined)
          return failed('missing', `${this.#name} has no item ${JSON.stringify(id ?? '')}`);
        if (op === 'get') return done(item.found);
        return this.#onItem(list, indexOf(list, this.#idMember, id));
      }
    }
  }

  get #name(): string {
    return JSON.stringify(this.#asked.name);
  }

  get #idMember(): string {
    return this.#store.first.definition.idMember ?? ID_MEMBER;
  }

  get #list(): readonly unknown[] | undefined {
    const { value } = this.#store;
    return Array.isArray(value) ? (value as readonly unknown[]) : undefined;
  }

  /** @param answer What is answered; the value when absent. */
  #put(value: unknown, answer = value, id?: string): OperationResult {
    if (value === undefined) return failed('invalid', 'a value is required');
    if (!this.#turn.set(this.#store, value, this.#budget)) return this.#turn.notKept ?? FULL;
    return id === undefined ? done(answer) : { kind: 'done', value: answer, id };
  }

  /** @param answer What is answered. */
  #splice(index: number, count: number, added: readonly unknown[], answer: unknown, id?: string): OperationResult {
    if (added.includes(undefined)) return failed('invalid', 'a value is required');
    if (!this.#turn.splice(this.#store, index, count, added, this.#budget)) return this.#turn.notKept ?? FULL;
    return id === undefined ? done(answer) : { kind: 'done', value: answer, id };
  }

  #onItem(list: readonly unknown[], index: number): OperationResult {
    const { op, value } = this.#asked;
    const item = list[index];
    if (op === 'remove') return this.#splice(index, 1, [], item);
    if (!isObject(item)) return this.#splice(index, 1, [value], value);
    if (!isObject(value)) return NOT_AN_OBJECT;
    const member = this.#idMember;
    const next = withId(op === 'merge' ? { ...item, ...value } : value, member, item[member]);
    return this.#splice(index, 1, [next], next);
  }

  #create(list: readonly unknown[], value: unknown): OperationResult {
    const { first } = this.#store;
    const items = list.length === 0 && Array.isArray(first.value) ? (first.value as readonly unknown[]) : list;
    if (items.length > 0 && !isObject(items[0]))
      return this.#splice(list.length, 0, [value], value, String(list.length));
    const made = this.#withOwnId(list, value);
    if ('kind' in made) return made;
    return this.#splice(list.length, 0, [made.item], made.item, made.id);
  }

  #withOwnId(
    list: readonly unknown[],
    value: unknown,
  ): { readonly item: JsonObject; readonly id: string } | OperationResult {
    if (!isObject(value)) return NOT_AN_OBJECT;
    const member = this.#idMember;
    const given = Object.hasOwn(value, member) ? value[member] : undefined;
    if (given === undefined || given === null || given === '') {
      const id = this.#newId(list);
      if (typeof id === 'object') return id;
      return { item: withId(value, member, id), id: String(id) };
    }
    if (!isId(given))
      return failed('invalid', `its ${member} must be a number, or a text of at most ${ITEM_ID_CHARS_MAX} characters`);
    if (indexOf(list, member, String(given)) !== -1) return this.#taken(given);
    return { item: value, id: String(given) };
  }

  #taken(id: unknown): OperationResult {
    return failed('taken', `${this.#name} already has an item ${JSON.stringify(String(id))}`);
  }

  /** The number after the highest one, or the next that no text is; a UUID where no id is a number, in a list that has or had items. */
  #newId(list: readonly unknown[]): number | string | OperationResult {
    const { first } = this.#store;
    const member = this.#idMember;
    const begun = Array.isArray(first.value) ? (first.value as readonly unknown[]) : [];
    const items = list.length === 0 ? begun : list;
    if (items.length === 0 || numbersIn(items, member).hasNumbers) {
      const { highest } = numbersIn(list, member);
      let id = highest + 1;
      while (itemOf(list, member, String(id)) !== undefined && id <= Number.MAX_SAFE_INTEGER) id++;
      if (id <= Number.MAX_SAFE_INTEGER) return id;
      return failed('unfit', `no id can follow the highest id of ${this.#name}, ${highest}: give the item an id`);
    }
    const { seed } = this.#turn;
    if (seed === null) return randomUUID();
    return uuidFrom(draws(seed, streamOf('store', this.#asked.name), this.#turn.nextId()));
  }

  #replaceAll(value: unknown): OperationResult {
    if (!Array.isArray(value)) return failed('invalid', `${this.#name} is a list: expected an array`);
    return this.#putItems([], value as readonly unknown[]);
  }

  #mergeObject(value: unknown): OperationResult {
    const { value: old } = this.#store;
    if (!isObject(value) || !isObject(old)) return NOT_AN_OBJECT;
    return this.#put({ ...old, ...value });
  }

  /** Items whose id is known are merged, others are added. */
  #mergeAll(list: readonly unknown[], value: unknown): OperationResult {
    if (!Array.isArray(value)) return failed('invalid', `${this.#name} is a list: expected an array`);
    return this.#putItems(list, value as readonly unknown[]);
  }

  #putItems(kept: readonly unknown[], added: readonly unknown[]): OperationResult {
    const member = this.#idMember;
    const next = [...kept];
    const indexes = new Map(kept.map((item, index) => [idOf(item, member), index]));
    const isMerge = kept.length > 0;
    this.#budget.work -= ITEM_WORK * added.length;
    for (const item of added) {
      if (!isObject(item)) {
        if (isMerge && kept.some(isObject)) return NOT_AN_OBJECT;
        next.push(item);
        continue;
      }
      const id = idOf(item, member);
      const index = id === undefined ? undefined : indexes.get(id);
      if (index === undefined) {
        const made = id === undefined ? this.#withOwnId([...next], item) : { item, id };
        if ('kind' in made) return made;
        indexes.set(made.id, next.length);
        next.push(made.item);
        // A new id looks at all of them.
        if (id === undefined) this.#budget.work -= ITEM_WORK * next.length;
      } else if (index >= kept.length) return this.#taken(id);
      else next[index] = { ...(next[index] as JsonObject), ...item };
      if (this.#budget.work < 0) break;
    }
    return this.#put(next);
  }
}

function done(value: unknown): OperationResult {
  return { kind: 'done', value };
}

export function failed(kind: Failure, problem: string): { readonly kind: Failure; readonly problem: string } {
  return { kind, problem };
}

/** Failure of any change that does not fit into the store, also outside of this file. */
export const FULL = failed('full', 'the store is full');
const NOT_AN_OBJECT: OperationResult = { kind: 'invalid', problem: 'expected a JSON object' };

function emptyOf(value: unknown): unknown {
  if (Array.isArray(value)) return [];
  return isObject(value) ? {} : null;
}

function withId(value: JsonObject, member: string, id: unknown): JsonObject {
  return value[member] === id ? value : { ...value, ...Object.fromEntries([[member, id]]) };
}
