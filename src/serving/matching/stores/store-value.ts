/**
 * The value of a store at one moment, and what changes it. Nothing is changed in place: what stays the same is shared, so
 * that sessions which begin with the same value take what they change.
 */
import { measure } from '../../../base/json-memory.ts';
import { isObject, type JsonObject } from '../../../base/json-object.ts';
import { STORE_BYTES_MAX, STORE_DEPTH_MAX, STORE_ITEMS_MAX } from '../../../limits.ts';
import { take, type WorkBudget } from '../../../languages/work-budget.ts';
import type { StoreDefinition } from '../../../model/mocks/stores/store-schema.ts';

/** Initial value of a store: all sessions share a value that no template renders. */
export interface FirstValue {
  readonly definition: StoreDefinition;
  readonly value: unknown;
  readonly bytes: number;
  /** Its memory, estimated: charged once, while any store has it. */
  readonly heap: number;
  /** Items of a list: they are counted once, however many stores have them. */
  readonly items: ReadonlySet<unknown>;
}

export interface StoreValue {
  readonly first: FirstValue;
  readonly value: unknown;
  /** Items of a list, members of an object; 0 of any other value. */
  readonly count: number;
  /** Size of the JSON. */
  readonly bytes: number;
  /** Memory beyond that of the first value, estimated. */
  readonly ownBytes: number;
  /** Changes since the first value. */
  readonly version: number;
}

export function firstValue(definition: StoreDefinition, value: unknown): FirstValue {
  const { bytes, heap } = sizeOf(value, { work: Infinity }) ?? sizeAtMost(value);
  const items = new Set(Array.isArray(value) ? (value as unknown[]) : []);
  return { definition, value, bytes, heap: heap + 2 * PLACE_BYTES * items.size, items };
}

export function beginWith(first: FirstValue): StoreValue {
  const { value, bytes } = first;
  return { first, value, count: countOf(value), bytes, ownBytes: STORE_BYTES, version: 0 };
}

/** Work of a step through a list or an object, and of a character of a value that is measured. In units of RULE_WORK_MAX. */
const STEP_WORK = 2;
const CHAR_WORK = 1;

/** Memory of a byte of JSON, at most. */
const HEAP_OF_BYTE_MAX = 36;
/** Memory of each item or member in a changed store's own copy: the reference, and its place among the ids. */
const PLACE_BYTES = 64;
/** A store without its value. */
const STORE_BYTES = 256;

/**
 * @param budget Measuring what has changed takes from it.
 * @returns The store with another value; the reason why it cannot have it, in terms that a person can act on.
 */
export function changedTo(store: StoreValue, value: unknown, budget: WorkBudget): StoreValue | string {
  const { name } = store.first.definition;
  if (value === store.value) return store;
  const changed = difference(store, value, budget);
  if (changed === undefined) return cannotKeep(name);
  const { added, removed, own, count } = changed;
  const bytes = store.bytes + added - removed;
  return refusedSize(name, count, bytes) ?? grown(store, value, count, bytes, own);
}

function grown(store: StoreValue, value: unknown, count: number, bytes: number, own: number): StoreValue {
  const ownBytes = Math.max(STORE_BYTES, store.ownBytes - placesOf(store) + PLACE_BYTES * count + own);
  return { first: store.first, value, count, bytes, ownBytes, version: store.version + 1 };
}

/** The first value has its own. */
function placesOf({ version, count }: StoreValue): number {
  return version > 0 ? PLACE_BYTES * count : 0;
}

function cannotKeep(name: string): string {
  return `the store ${JSON.stringify(name)} cannot store the value: it is nested too deeply or too large`;
}

/** The same as `changedTo` for a list in which others replace one item: measures the new items alone. The list is still the former one. */
export function splicedTo(
  store: StoreValue,
  removed: readonly unknown[],
  added: readonly unknown[],
  budget: WorkBudget,
): StoreValue | string {
  const { name } = store.first.definition;
  const { items: firsts } = store.first;
  const before = sizesOf(removed, firsts, budget) ?? NO_SIZE;
  const after = sizesOf(added, firsts, budget);
  if (after === undefined) return cannotKeep(name);
  const bytes = store.bytes + after.bytes - before.bytes;
  const count = store.count - removed.length + added.length;
  return refusedSize(name, count, bytes) ?? grown(store, store.value, count, bytes, after.heap - before.heap);
}

function refusedSize(name: string, count: number, bytes: number): string | undefined {
  if (count > STORE_ITEMS_MAX) return `the store ${JSON.stringify(name)} would have more than ${STORE_ITEMS_MAX} items`;
  if (bytes > STORE_BYTES_MAX)
    return `the store ${JSON.stringify(name)} would have more than ${STORE_BYTES_MAX} bytes as JSON`;
  return undefined;
}

interface Difference {
  /** Bytes as JSON. */
  readonly added: number;
  readonly removed: number;
  /** By how much the memory of its own grows. */
  readonly own: number;
  readonly count: number;
}

/** Compares by reference, so what is shared costs no more than to look at it. @returns undefined for what cannot be kept. */
function difference(store: StoreValue, next: unknown, budget: WorkBudget): Difference | undefined {
  const { value: old, first, bytes, ownBytes } = store;
  if (Array.isArray(old) && Array.isArray(next)) return listDifference(old, next, first.items, budget);
  if (isObject(old) && isObject(next)) return objectDifference(old, next, first.value, budget);
  const size = sizeOf(next, budget);
  const own = (next === first.value ? 0 : (size?.heap ?? 0)) + STORE_BYTES - (ownBytes - placesOf(store));
  return size && { added: size.bytes, removed: bytes, own, count: countOf(next) };
}

function listDifference(
  old: readonly unknown[],
  next: readonly unknown[],
  firsts: ReadonlySet<unknown>,
  budget: WorkBudget,
): Difference | undefined {
  take(budget, STEP_WORK * Math.min(old.length, next.length));
  let start = 0;
  const shorter = Math.min(old.length, next.length);
  while (start < shorter && old[start] === next[start]) start++;
  let end = 0;
  while (end < shorter - start && old[old.length - 1 - end] === next[next.length - 1 - end]) end++;
  const added = sizesOf(next.slice(start, next.length - end), firsts, budget);
  const removed = sizesOf(old.slice(start, old.length - end), firsts, budget) ?? NO_SIZE;
  return added && { added: added.bytes, removed: removed.bytes, own: added.heap - removed.heap, count: next.length };
}

/** Items as parts of a list: the memory of those of the first value is charged with that. @returns As `sizeOf`. */
function sizesOf(items: readonly unknown[], firsts: ReadonlySet<unknown>, budget: WorkBudget): Size | undefined {
  let bytes = 0;
  let heap = 0;
  for (const item of items) {
    const size = sizeOf(item, budget);
    if (size === undefined) return undefined;
    bytes += size.bytes + 1;
    if (!firsts.has(item)) heap += size.heap;
  }
  return { bytes, heap };
}

function objectDifference(
  old: JsonObject,
  next: JsonObject,
  first: unknown,
  budget: WorkBudget,
): Difference | undefined {
  let added = 0;
  let removed = 0;
  let own = 0;
  const names = Object.keys(next);
  take(budget, STEP_WORK * names.length);
  // What is replaced of the first value stays in memory for others.
  const isOwn = (object: JsonObject, name: string): boolean =>
    !isObject(first) || !Object.hasOwn(first, name) || first[name] !== object[name];
  for (const name of names) {
    if (Object.hasOwn(old, name) && old[name] === next[name]) continue;
    const size = sizeOf(next[name], budget);
    if (size === undefined) return undefined;
    added += size.bytes + name.length + NAME_BYTES;
    if (isOwn(next, name)) own += size.heap + name.length;
  }
  for (const name of Object.keys(old)) {
    if (Object.hasOwn(next, name) && old[name] === next[name]) continue;
    const size = sizeOf(old[name], budget) ?? NO_SIZE;
    removed += size.bytes + name.length + NAME_BYTES;
    if (isOwn(old, name)) own -= size.heap + name.length;
  }
  return { added, removed, own, count: names.length };
}

/** Two quotes, a colon and a comma. */
const NAME_BYTES = 4;

interface Size {
  /** Size of the JSON. */
  readonly bytes: number;
  /** Memory, estimated. */
  readonly heap: number;
}

const NO_SIZE: Size = { bytes: 0, heap: 0 };

/** For what is nested too deeply to be measured. */
function sizeAtMost(value: unknown): Size {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  return { bytes, heap: HEAP_OF_BYTE_MAX * bytes };
}

/** @returns undefined for what is not JSON, or nested too deeply, or more work than the budget has. */
function sizeOf(value: unknown, budget: WorkBudget): Size | undefined {
  const walk = { left: STORE_BYTES_MAX, heap: 0 };
  const isWhole = typeof value === 'object' && value !== null;
  if (!measure(value, STORE_DEPTH_MAX, walk) && isWhole) return undefined;
  const text = JSON.stringify(value) ?? 'null';
  if (isWhole && !take(budget, CHAR_WORK * text.length)) return undefined;
  const bytes = Buffer.byteLength(text);
  // Half of a surrogate pair is escaped.
  const isAscii = bytes === text.length && !text.includes(String.raw`\ud`);
  return { bytes, heap: walk.heap + (isAscii ? 0 : text.length) };
}

/** A copy of a value that templates have made: V8 keeps all of a text in memory with each part of it, such as a body with a word. */
export function copied(value: unknown): unknown {
  return value === undefined ? undefined : (JSON.parse(JSON.stringify(value) ?? 'null') as unknown);
}

/** Items of a list; 0 of any other value. */
export function itemsOf({ value, count }: StoreValue): number {
  return Array.isArray(value) ? count : 0;
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
