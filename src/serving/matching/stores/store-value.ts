/**
 * The value of a store at one moment, and what changes it. Nothing is changed in place: what stays the same is shared, so
 * that sessions which begin with the same value take what they change.
 */
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { STORE_BYTES_MAX, STORE_DEPTH_MAX, STORE_ITEMS_MAX } from '../../../limits.ts';
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import type { StoreDefinition } from '../../../model/mocks/stores/store.ts';

/** What each session has to begin with: shared by all of them. */
export interface FirstValue {
  readonly definition: StoreDefinition;
  readonly value: unknown;
  readonly bytes: number;
  /** Items of a list: they are counted once, however many stores have them. */
  readonly items: ReadonlySet<unknown>;
}

export interface StoreValue {
  readonly first: FirstValue;
  readonly value: unknown;
  /** Items of a list; 0 of any other value. */
  readonly items: number;
  /** As JSON. */
  readonly bytes: number;
  /** Memory beyond that of the first value, estimated. */
  readonly ownBytes: number;
  /** Changes since the first value. */
  readonly version: number;
}

export function firstValue(definition: StoreDefinition, value: unknown): FirstValue {
  const bytes = Buffer.byteLength(JSON.stringify(value) ?? '');
  return { definition, value, bytes, items: new Set(Array.isArray(value) ? (value as unknown[]) : []) };
}

export function beginWith(first: FirstValue): StoreValue {
  return { first, value: first.value, items: lengthOf(first.value), bytes: first.bytes, ownBytes: 0, version: 0 };
}

/** Work of a step through a list or an object, and of a character of a value that is measured. In units of RULE_WORK_MAX. */
const STEP_WORK = 2;
const CHAR_WORK = 1;
/** What a reference to an item takes. */
const REFERENCE_BYTES = 8;

/**
 * @param budget Measuring what has changed takes from it.
 * @returns The store with another value; the reason why it cannot have it, in terms that a person can act on.
 */
export function changedTo(store: StoreValue, value: unknown, budget: WorkBudget): StoreValue | string {
  const { name } = store.first.definition;
  if (value === store.value) return store;
  const { added, removed, own, count } = difference(store, value, budget);
  if (added === undefined)
    return `the store ${JSON.stringify(name)} cannot keep it: it is nested too deeply or too large`;
  const bytes = store.bytes + added - removed;
  const refused = refusedSize(name, count, bytes);
  if (refused !== undefined) return refused;
  const items = lengthOf(value);
  return grown(store, value, items, bytes, own);
}

function grown(store: StoreValue, value: unknown, items: number, bytes: number, own: number): StoreValue {
  const before = store.version > 0 ? REFERENCE_BYTES * store.items : 0;
  const ownBytes = Math.max(0, store.ownBytes - before + REFERENCE_BYTES * items + own);
  return { first: store.first, value, items, bytes, ownBytes, version: store.version + 1 };
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** As `changedTo` for a list of which one item is replaced by others: its own part is measured alone. The list is still that of before. */
export function splicedTo(
  store: StoreValue,
  removed: readonly unknown[],
  added: readonly unknown[],
  budget: WorkBudget,
): StoreValue | string {
  const { name } = store.first.definition;
  const { items: firsts } = store.first;
  let { bytes } = store;
  let own = 0;
  for (const item of removed) {
    const size = bytesOf(item, budget) ?? 0;
    bytes -= size + 1;
    if (!firsts.has(item)) own -= size;
  }
  for (const item of added) {
    const size = bytesOf(item, budget);
    if (size === undefined)
      return `the store ${JSON.stringify(name)} cannot keep it: it is nested too deeply or too large`;
    bytes += size + 1;
    if (!firsts.has(item)) own += size;
  }
  const items = store.items - removed.length + added.length;
  return refusedSize(name, items, bytes) ?? grown(store, store.value, items, bytes, own);
}

function refusedSize(name: string, count: number, bytes: number): string | undefined {
  if (count > STORE_ITEMS_MAX) return `the store ${JSON.stringify(name)} has more than ${STORE_ITEMS_MAX} items`;
  if (bytes > STORE_BYTES_MAX)
    return `the store ${JSON.stringify(name)} has more than ${STORE_BYTES_MAX} bytes as JSON`;
  return undefined;
}

interface Difference {
  /** Bytes as JSON; undefined for what cannot be kept. */
  readonly added: number | undefined;
  readonly removed: number;
  /** By how much the memory of its own grows. */
  readonly own: number;
  readonly count: number;
}

/** Compares by reference, so what is shared costs no more than to look at it. */
function difference({ value: old, first }: StoreValue, next: unknown, budget: WorkBudget): Difference {
  if (Array.isArray(old) && Array.isArray(next)) return listDifference(old, next, first.items, budget);
  if (isObject(old) && isObject(next)) return objectDifference(old, next, budget);
  const added = bytesOf(next, budget);
  const removed = bytesOf(old, budget) ?? 0;
  const isFirst = old === first.value;
  return { added, removed, own: (added ?? 0) - (isFirst ? 0 : removed), count: countOf(next) };
}

function listDifference(
  old: readonly unknown[],
  next: readonly unknown[],
  firsts: ReadonlySet<unknown>,
  budget: WorkBudget,
): Difference {
  take(budget, STEP_WORK * Math.min(old.length, next.length));
  let start = 0;
  const shorter = Math.min(old.length, next.length);
  while (start < shorter && old[start] === next[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end++;
  let added: number | undefined = 0;
  let removed = 0;
  let own = 0;
  for (const item of next.slice(start, next.length - end)) {
    const bytes = bytesOf(item, budget);
    if (bytes === undefined) added = undefined;
    if (added === undefined || bytes === undefined) break;
    added += bytes + 1;
    if (!firsts.has(item)) own += bytes;
  }
  for (const item of old.slice(start, old.length - end)) {
    const bytes = bytesOf(item, budget) ?? 0;
    removed += bytes + 1;
    if (!firsts.has(item)) own -= bytes;
  }
  return { added, removed, own, count: next.length };
}

function objectDifference(old: JsonObject, next: JsonObject, budget: WorkBudget): Difference {
  let added: number | undefined = 0;
  let removed = 0;
  const names = Object.keys(next);
  take(budget, STEP_WORK * names.length);
  for (const name of names) {
    if (Object.hasOwn(old, name) && old[name] === next[name]) continue;
    const bytes = bytesOf(next[name], budget);
    if (bytes === undefined) added = undefined;
    if (added === undefined || bytes === undefined) break;
    added += bytes + name.length + NAME_BYTES;
  }
  for (const name of Object.keys(old)) {
    if (Object.hasOwn(next, name) && old[name] === next[name]) continue;
    removed += (bytesOf(old[name], budget) ?? 0) + name.length + NAME_BYTES;
  }
  // What is replaced of the first value stays in memory for others.
  return { added, removed, own: added ?? 0, count: names.length };
}

/** Two quotes, a colon and a comma. */
const NAME_BYTES = 4;

/** @returns undefined for what is not JSON, or nested too deeply, or more work than the budget has. */
function bytesOf(value: unknown, budget: WorkBudget): number | undefined {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value) ?? 'null');
  if (!isShallow(value, STORE_DEPTH_MAX, { left: STORE_BYTES_MAX })) return undefined;
  const text = JSON.stringify(value);
  return take(budget, CHAR_WORK * text.length) ? Buffer.byteLength(text) : undefined;
}

/** Bounds what is looked at too: the same value may stand in it again and again. */
function isShallow(value: unknown, depth: number, bound: { left: number }): boolean {
  if (typeof value === 'string') bound.left -= value.length;
  if (typeof value !== 'object' || value === null) return --bound.left >= 0;
  if (depth === 0 || --bound.left < 0) return false;
  for (const each of Object.values(value)) if (!isShallow(each, depth - 1, bound)) return false;
  return true;
}

export function countOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

export const PATH_OPERATIONS = ['set', 'merge', 'push', 'del', 'inc', 'dec', 'invert'] as const;
export type PathOperation = (typeof PATH_OPERATIONS)[number];

/**
 * @param steps From the root; empty for all of it.
 * @returns The changed value; the same one where the operation does not apply.
 */
export function changedAt(root: unknown, steps: readonly string[], op: PathOperation, operand: unknown): unknown {
  const [step, ...rest] = steps;
  if (step === undefined) return op === 'del' ? emptied(root) : applied(root, op, operand);
  if (Array.isArray(root)) {
    const index = INDEX.test(step) ? Number(step) : -1;
    if (index < 0 || index > root.length) return root;
    const list = root as readonly unknown[];
    if (rest.length === 0 && op === 'del') return index === list.length ? root : list.toSpliced(index, 1);
    const next = changedAt(list[index], rest, op, operand);
    if (next === list[index]) return root;
    return index === list.length ? [...list, next] : list.with(index, next);
  }
  if (root !== undefined && root !== null && !isObject(root)) return root;
  const object: JsonObject = root ?? {};
  const own = Object.hasOwn(object, step) ? object[step] : undefined;
  if (rest.length === 0 && op === 'del') {
    if (!Object.hasOwn(object, step)) return root;
    return Object.fromEntries(Object.entries(object).filter(([name]) => name !== step));
  }
  const next = changedAt(own, rest, op, operand);
  if (next === own) return root;
  return { ...object, ...Object.fromEntries([[step, next]]) };
}

const INDEX = /^\d{1,7}$/;

function emptied(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? value : [];
  return isObject(value) ? {} : null;
}

function applied(value: unknown, op: PathOperation, operand: unknown): unknown {
  switch (op) {
    case 'set':
      return operand === undefined ? null : operand;
    case 'merge':
      return isObject(operand) && (value === undefined || isObject(value)) ? { ...value, ...operand } : value;
    case 'push':
      if (value === undefined) return [operand ?? null];
      return Array.isArray(value) ? [...(value as unknown[]), operand ?? null] : value;
    case 'inc':
    case 'dec': {
      if (value !== undefined && typeof value !== 'number') return value;
      const by = operand === undefined ? 1 : Number(operand);
      return Number.isFinite(by) ? (value ?? 0) + (op === 'inc' ? by : -by) : value;
    }
    case 'invert':
      return typeof value === 'boolean' ? !value : value;
    case 'del':
      return value;
  }
}
