/**
 * Compares JSON bodies by their shape: what the mock has, against all that the service has answered to the same request.
 *
 * A place is the list of the values that stand at it: of a member one for each object that has it, of the items of arrays all items of
 * all arrays. So a shape needs no type of its own. An empty array says nothing of its items, and `null` nothing of a type.
 */
import { excerpt } from '../base/excerpt.ts';
import { itemOf, memberOf, ROOT } from './json-places.ts';
import type { Change } from './report.ts';

/** Deeper values are not compared. */
const DEPTH_MAX = 100;

type ReportChange = (change: Change) => void;

export function compareShapes(
  mocks: readonly unknown[],
  upstreams: readonly unknown[],
  report: ReportChange,
  at = ROOT,
  depth = 0,
): void {
  const had = typesOf(mocks);
  const has = typesOf(upstreams);
  // What is null on the side of the mock may be anything.
  if (had.size === 0 || depth > DEPTH_MAX) return;
  const isNullable = mocks.includes(null);
  if (has.size === 0 ? !isNullable : [...has].some((type) => !had.has(type)))
    report({ at, kind: 'type', mock: named(had), upstream: has.size === 0 ? 'null' : named(has) });
  if (had.has('object') && has.has('object')) compareMembers(mocks, upstreams, report, at, depth);
  if (had.has('array') && has.has('array')) {
    const [items, others] = [itemsOf(mocks), itemsOf(upstreams)];
    if (items.length > 0 && others.length > 0) compareShapes(items, others, report, itemOf(at), depth + 1);
  }
}

function compareMembers(
  mocks: readonly unknown[],
  upstreams: readonly unknown[],
  report: ReportChange,
  at: string,
  depth: number,
): void {
  const objects = mocks.filter(isObject);
  const had = membersOf(objects);
  const has = membersOf(upstreams.filter(isObject));
  for (const [name, values] of had) {
    const others = has.get(name);
    const place = memberOf(at, name);
    if (others !== undefined) compareShapes(values, others, report, place, depth + 1);
    // What some objects of the mock lack may be lacking.
    else if (values.length === objects.length)
      report({ at: place, kind: 'missing', mock: named(typesOf(values), 'null'), upstream: '' });
  }
  for (const [name, values] of has)
    if (!had.has(name))
      report({ at: memberOf(at, name), kind: 'added', mock: '', upstream: named(typesOf(values), 'null') });
}

/** Adds the places at which two answers to one request differ. */
export function findVolatile(
  one: unknown,
  other: unknown,
  found: { add(place: string): unknown },
  at = ROOT,
  depth = 0,
): void {
  if (depth > DEPTH_MAX) return;
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) found.add(at);
    for (const [index, item] of one.entries())
      if (index < other.length) findVolatile(item, other[index], found, itemOf(at), depth + 1);
  } else if (isObject(one) && isObject(other)) {
    for (const [name, value] of Object.entries(one)) {
      if (Object.hasOwn(other, name)) findVolatile(value, other[name], found, memberOf(at, name), depth + 1);
      else found.add(memberOf(at, name));
    }
    for (const name of Object.keys(other)) if (!Object.hasOwn(one, name)) found.add(memberOf(at, name));
  } else if (one !== other) found.add(at);
}

/** Reports values of the same type that differ, but for those at volatile places. */
export function compareValues(
  mock: unknown,
  upstream: unknown,
  isVolatile: (place: string) => boolean,
  report: ReportChange,
  { at, merged, depth } = { at: ROOT, merged: ROOT, depth: 0 },
): void {
  if (depth > DEPTH_MAX || isVolatile(merged)) return;
  if (Array.isArray(mock) && Array.isArray(upstream)) {
    if (mock.length !== upstream.length)
      report({ at, kind: 'value', mock: itemCount(mock), upstream: itemCount(upstream) });
    for (const [index, item] of mock.entries()) {
      if (index >= upstream.length) return;
      const other: unknown = upstream[index];
      const place = { at: itemOf(at, index), merged: itemOf(merged), depth: depth + 1 };
      compareValues(item, other, isVolatile, report, place);
    }
  } else if (isObject(mock) && isObject(upstream)) {
    for (const [name, value] of Object.entries(mock)) {
      if (!Object.hasOwn(upstream, name)) continue;
      const other = upstream[name];
      const place = { at: memberOf(at, name), merged: memberOf(merged, name), depth: depth + 1 };
      compareValues(value, other, isVolatile, report, place);
    }
  } else if (mock !== upstream && (typeof mock === typeof upstream || mock === null || upstream === null))
    report({ at, kind: 'value', mock: represent(mock), upstream: represent(upstream) });
}

function itemCount({ length }: readonly unknown[]): string {
  return length === 1 ? '1 item' : `${length} items`;
}

function represent(value: unknown): string {
  return excerpt(typeof value === 'object' && value !== null ? named(typesOf([value])) : JSON.stringify(value));
}

type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean';

/** Without that of null. Whole numbers and others are one type: a price may be either. */
function typesOf(values: readonly unknown[]): Set<JsonType> {
  const types = new Set<JsonType>();
  for (const value of values)
    if (value !== null) types.add(Array.isArray(value) ? 'array' : (typeof value as JsonType));
  return types;
}

function named(types: ReadonlySet<string>, none = ''): string {
  return types.size === 0 ? none : [...types].toSorted().join(' or ');
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function itemsOf(values: readonly unknown[]): unknown[] {
  return values.flatMap((value) => (Array.isArray(value) ? (value as unknown[]) : []));
}

function membersOf(objects: readonly Readonly<Record<string, unknown>>[]): Map<string, unknown[]> {
  const members = new Map<string, unknown[]>();
  for (const object of objects) {
    for (const [name, value] of Object.entries(object)) {
      const values = members.get(name);
      if (values === undefined) members.set(name, [value]);
      else values.push(value);
    }
  }
  return members;
}
