/**
 * Lists of items that one store alone has, so that single items are changed in place: of ten thousand items a copy for each request took
 * longer than all else. And what is known of the items of a list, so that one is found, and a new id made, without looking at all.
 */
import { isObject } from '../../../base/json-object.ts';
import { ITEM_ID_CHARS_MAX } from '../../../limits.ts';

type List = readonly unknown[];

const own = new WeakSet<List>();

/** Called before a list gets into other hands, as those of a template: from then on it never changes. */
export function disown(value: unknown): void {
  if (Array.isArray(value)) own.delete(value);
}

interface Facts {
  /** The member that names an item. */
  readonly member: string;
  /** Items by id as paths have it: of the list that this one was copied from, so that sessions share it. */
  readonly base: ReadonlyMap<string, unknown>;
  /** Differences from the shared list; undefined for a removed item. */
  readonly changed: Map<string, unknown>;
  /** Two items have the same id: the first one answers for it. */
  hasRepeats: boolean;
  /** The highest of the ids that are numbers, and how many there are. undefined: it is to be found. */
  highest: number | undefined;
  numbers: number;
  /** Some number among the ids is or was a fraction. */
  hasFractions: boolean;
}

const known = new WeakMap<List, Facts>();

function factsOf(list: List, member: string): Facts {
  let facts = known.get(list);
  if (facts?.member !== member) known.set(list, (facts = factsFrom(list, member)));
  return facts;
}

function factsFrom(list: List, member: string): Facts {
  const base = new Map<string, unknown>();
  let hasRepeats = false;
  let numbers = 0;
  let hasFractions = false;
  for (const item of list) {
    const number = numberOf(item, member);
    if (number !== undefined) numbers++;
    if (number !== undefined && !Number.isInteger(number)) hasFractions = true;
    const id = idOf(item, member);
    if (id === undefined) continue;
    if (base.has(id)) hasRepeats = true;
    else base.set(id, item);
  }
  return { member, base, changed: new Map(), hasRepeats, highest: undefined, numbers, hasFractions };
}

function found({ base, changed }: Facts, id: string): unknown {
  return changed.has(id) ? changed.get(id) : base.get(id);
}

function note(facts: Facts, item: unknown): void {
  const id = idOf(item, facts.member);
  if (id === undefined) return;
  if (found(facts, id) === undefined) facts.changed.set(id, item);
  else facts.hasRepeats = true;
  const number = numberOf(item, facts.member);
  if (number === undefined) return;
  facts.numbers++;
  if (!Number.isInteger(number)) facts.hasFractions = true;
  if (facts.highest !== undefined) facts.highest = Math.max(facts.highest, number);
}

function forget(facts: Facts, item: unknown): void {
  const id = idOf(item, facts.member);
  if (id === undefined) return;
  if (facts.base.has(id)) facts.changed.set(id, undefined);
  else facts.changed.delete(id);
  const number = numberOf(item, facts.member);
  if (number === undefined) return;
  facts.numbers--;
  if (number === facts.highest) facts.highest = highestBelow(facts, number);
}

/** Most often it is the next number below: to look at all ten thousand took 45 µs. */
function highestBelow(facts: Facts, number: number): number | undefined {
  if (facts.hasFractions) return undefined;
  const below = numberOf(found(facts, String(number - 1)), facts.member);
  return below === number - 1 && below > 0 ? below : undefined;
}

/** Has the facts of a list follow its change. */
function follow(list: List, removed: List, added: List): void {
  const facts = known.get(list);
  if (facts === undefined) return;
  // Another item may have the id of one that goes.
  if (facts.hasRepeats) known.delete(list);
  else {
    for (const item of removed) forget(facts, item);
    for (const item of added) note(facts, item);
  }
}

function numberOf(item: unknown, member: string): number | undefined {
  const id = isObject(item) ? item[member] : undefined;
  return typeof id === 'number' ? id : undefined;
}

export function isId(id: unknown): id is number | string {
  return typeof id === 'number' || (typeof id === 'string' && id !== '' && id.length <= ITEM_ID_CHARS_MAX);
}

/** Id of an item, in the form that paths have it. */
export function idOf(item: unknown, member: string): string | undefined {
  const id = isObject(item) && Object.hasOwn(item, member) ? item[member] : undefined;
  return isId(id) ? String(id) : undefined;
}

/** The highest number among the ids, 0 without any; and whether there is one, or nothing else. */
export function numbersIn(
  list: List,
  member: string,
): { readonly highest: number; readonly hasNumbers: boolean; readonly areAllNumbers: boolean } {
  const facts = factsOf(list, member);
  let { highest } = facts;
  if (highest === undefined) {
    highest = 0;
    for (let index = 0; index < list.length; index++) {
      const id = (list[index] as Readonly<Record<string, unknown>> | null)?.[member];
      if (typeof id === 'number' && id > highest) highest = id;
    }
    facts.highest = highest;
  }
  return { highest, hasNumbers: facts.numbers > 0, areAllNumbers: facts.numbers === list.length };
}

/** Items that are not objects are addressed by their index. @returns undefined where there is none. */
export function itemOf(list: List, member: string, id: string): { readonly found: unknown } | undefined {
  if (list.length > 0 && !isObject(list[0])) {
    const index = /^\d{1,7}$/.test(id) ? Number(id) : -1;
    return index >= 0 && index < list.length ? { found: list[index] } : undefined;
  }
  const item = found(factsOf(list, member), id);
  return item === undefined ? undefined : { found: item };
}

/** @returns -1 where there is none. */
export function indexOf(list: List, member: string, id: string): number {
  const item = itemOf(list, member, id);
  if (item === undefined) return -1;
  // What is changed or removed is most often what was created last.
  return isObject(item.found) ? list.lastIndexOf(item.found) : Number(id);
}

/** A list, and what takes its change back. */
interface ListChange {
  readonly list: List;
  readonly undo: () => void;
}

/** Replaces items of a list: in place where it is its store's own, in a copy of it otherwise, which is. */
export function spliced(list: List, index: number, count: number, added: List): ListChange {
  if (!own.has(list)) {
    const copy = list.toSpliced(index, count, ...added);
    own.add(copy);
    const facts = known.get(list);
    if (facts !== undefined) known.set(copy, { ...facts, changed: new Map(facts.changed) });
    follow(copy, list.slice(index, index + count), added);
    return { list: copy, undo: () => undefined };
  }
  const items = list as unknown[];
  const removed = items.splice(index, count, ...added);
  follow(list, removed, added);
  return {
    list,
    undo() {
      items.splice(index, added.length, ...removed);
      follow(list, added, removed);
    },
  };
}
