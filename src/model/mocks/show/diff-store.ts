/** Compares the stores of two copies: the members of each store, and its initial value item by item. */
import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../base/json-object.ts';
import { ID_MEMBER } from '../stores/store.ts';
import type { StoreDefinition } from '../stores/store-schema.ts';

interface Change {
  /** "stores.users", "stores.users.idMember", "stores.users.value.7". */
  readonly field: string;
  /** This and the next: null where it is absent. */
  readonly before: unknown;
  readonly after: unknown;
}

/** @returns Empty where only the order of stores or of members is another. */
export function storeChanges(before: readonly StoreDefinition[], after: readonly StoreDefinition[]): Change[] {
  return compared('stores', byName(before), byName(after)).flatMap((change) => {
    const { field, before: old, after: next } = change;
    return isObject(old) && isObject(next) ? memberChanges(field, old, next) : [change];
  });
}

function byName(stores: readonly StoreDefinition[]): ReadonlyMap<string, StoreDefinition> {
  return new Map(stores.map((store) => [store.name, store]));
}

function memberChanges(field: string, before: object, after: object): Change[] {
  return compared(field, membersOf(before), membersOf(after)).flatMap((change) => {
    if (!change.field.endsWith('.value')) return [change];
    const [old, next] = [before as StoreDefinition, after as StoreDefinition];
    const [oldParts, parts] = [partsOf(old), partsOf(next)];
    if (oldParts === undefined || parts === undefined || oldParts.kind !== parts.kind) return [change];
    const changes = compared(change.field, oldParts.byKey, parts.byKey);
    return changes.length > 0 ? changes : [change];
  });
}

/**
 * Items by their ids; by their index where an id is missing or stands twice; the members of an object by their names.
 *
 * @returns undefined for any other value.
 */
function partsOf({ value, idMember = ID_MEMBER }: StoreDefinition) {
  if (isObject(value)) return { kind: 'members', byKey: membersOf(value) };
  if (!Array.isArray(value)) return undefined;
  const ids = (value as readonly unknown[]).map((item) => (isObject(item) ? item[idMember] : undefined));
  const areIds = ids.every((id) => typeof id === 'string' || typeof id === 'number');
  if (areIds && new Set(ids.map(String)).size === ids.length)
    return { kind: 'items', byKey: new Map(ids.map((id, index) => [String(id), value[index] as unknown])) };
  return { kind: 'places', byKey: membersOf(value) };
}

function membersOf(value: object): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(value));
}

function compared(field: string, before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): Change[] {
  return [...new Set([...after.keys(), ...before.keys()])].flatMap((name) => {
    const [old, next] = [before.get(name), after.get(name)];
    if (isDeepStrictEqual(old, next)) return [];
    return [{ field: `${field}.${name}`, before: old ?? null, after: next ?? null }];
  });
}
