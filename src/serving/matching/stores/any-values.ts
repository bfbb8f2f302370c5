/** Operations on stores of any values, as Mockoon performs them: whatever a body is becomes the item or the whole, and nothing is refused. */
import { randomUUID } from 'node:crypto';
import { isObject } from '../../../base/json-object.ts';
import { draws, streamOf } from '../../../base/seeded-draw.ts';
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import { ID_MEMBER } from '../../../model/mocks/stores/store.ts';
import { uuidFrom } from '../templates/helpers/random.ts';
import { failed, FULL, type Operation, type OperationResult } from './operations.ts';
import { numbersIn } from './own-list.ts';
import type { StoreTurn } from './store-turn.ts';
import type { StoreValue } from './store-value.ts';

/** Work of looking at an item. In units of RULE_WORK_MAX. */
const ITEM_WORK = 10;
/** Value of a store that was removed. */
const REMOVED = '';

export function performOnAny(turn: StoreTurn, asked: Operation, budget: WorkBudget): OperationResult {
  const store = turn.get(asked.name);
  if (store === undefined) return failed('missing', `the mock has no store ${JSON.stringify(asked.name)}`);
  const { op, value } = asked;
  const list = Array.isArray(store.value) ? (store.value as readonly unknown[]) : undefined;
  const put = (next: unknown, answer = next): OperationResult =>
    turn.set(store, next, budget) ? { kind: 'done', value: answer } : (turn.notKept ?? FULL);
  switch (op) {
    case 'list':
      return { kind: 'done', value: store.value };
    case 'replaceAll':
      return put(value);
    case 'clear':
      return put(REMOVED, {});
    case 'mergeAll':
      if (list !== undefined && Array.isArray(value)) return put([...list, ...(value as readonly unknown[])]);
      return put(merged(store.value, value));
    case 'create': {
      if (list === undefined) return put(value);
      const item = withId(value, store, list, turn);
      return doneIf(turn.splice(store, list.length, 0, [item], budget), item, turn);
    }
    case 'get':
    case 'replace':
    case 'merge':
    case 'remove':
      return list === undefined ? onWhole(op, store.value, value, put) : onItem(turn, store, list, asked, budget);
  }
}

function onWhole(
  op: Operation['op'],
  whole: unknown,
  value: unknown,
  put: (next: unknown, answer?: unknown) => OperationResult,
): OperationResult {
  if (op === 'get') return { kind: 'done', value: whole };
  if (op === 'remove') return put(REMOVED, {});
  return put(op === 'merge' ? merged(whole, value) : value);
}

function onItem(
  turn: StoreTurn,
  store: StoreValue,
  list: readonly unknown[],
  { op, id = '', value }: Operation,
  budget: WorkBudget,
): OperationResult {
  const member = idMember(store);
  // Values that are no objects have their place.
  const place = Number.parseInt(id, 10) || 0;
  const index = take(budget, list.length * ITEM_WORK)
    ? list.findIndex((item, at) => (isValue(item) ? at === place : idText(item, member) === id))
    : -1;
  const item = list[index];
  if (index === -1) return failed('missing', `no item ${JSON.stringify(id)}`);
  if (op === 'get') return { kind: 'done', value: item };
  if (op === 'remove') return doneIf(turn.splice(store, index, 1, [], budget), {}, turn);
  const next = op === 'merge' ? merged(item, value) : replaced(item, value, member);
  return doneIf(turn.splice(store, index, 1, [next], budget), next, turn);
}

function doneIf(isKept: boolean, value: unknown, { notKept }: StoreTurn): OperationResult {
  return isKept ? { kind: 'done', value } : (notKept ?? FULL);
}

function isValue(item: unknown): boolean {
  return typeof item !== 'object' || item === null;
}

function idText(item: unknown, member: string): string | undefined {
  const id = isObject(item) && Object.hasOwn(item, member) ? item[member] : undefined;
  return id === undefined || id === null ? undefined : textOf(id);
}

function textOf(id: unknown): string {
  return typeof id === 'string' ? id : JSON.stringify(id);
}

function idMember({ first }: StoreValue): string {
  return first.definition.idMember ?? ID_MEMBER;
}

/** Members of lists are their items. */
function merged(one: unknown, other: unknown): unknown {
  return isValue(one) ? other : Object.fromEntries([...Object.entries(one as object), ...entriesOf(other)]);
}

function entriesOf(value: unknown): [string, unknown][] {
  return isValue(value) ? [] : Object.entries(value as object);
}

/** An object keeps its id, unless it gets another. */
function replaced(item: unknown, value: unknown, member: string): unknown {
  if (isValue(item)) return value;
  const next = Object.fromEntries(entriesOf(value));
  const own = isObject(item) ? item[member] : undefined;
  return Object.hasOwn(next, member) || own === undefined ? next : { ...next, ...Object.fromEntries([[member, own]]) };
}

/** The number after the highest, else a UUID. */
function withId(value: unknown, store: StoreValue, list: readonly unknown[], turn: StoreTurn): unknown {
  const member = idMember(store);
  if (!isObject(value) || value[member] !== undefined) return value;
  const { highest, hasNumbers } = numbersIn(list, member);
  const { seed } = turn;
  const made =
    seed === null ? randomUUID() : uuidFrom(draws(seed, streamOf('store', store.first.definition.name), turn.nextId()));
  return { ...value, ...Object.fromEntries([[member, hasNumbers ? highest + 1 : made]]) };
}
