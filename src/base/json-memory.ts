/** Estimates the memory that values of JSON take. */
import type { JsonObject } from './json-object.ts';

/**
 * Memory of what V8 makes of JSON, in bytes; test/serving/store-memory.test.ts measures it. An object is often a hash table: one that
 * was copied with another id, or whose names no other object has. A text that has characters beyond ASCII may take two bytes for each.
 */
const OBJECT_BYTES = 96;
const MEMBER_BYTES = 56;
/** V8 keeps members apart that are named by numbers. */
const INDEXES_BYTES = 120;
const LIST_BYTES = 48;
const REFERENCE_BYTES = 8;
const TEXT_BYTES = 24;
const NUMBER_BYTES = 16;

/**
 * Adds up the memory of a value. Bounds what is looked at too: the same value may stand in it again and again.
 *
 * @param depth Levels of nesting that it may have. @returns Whether it is within both bounds.
 */
export function measure(value: unknown, depth: number, walk: { left: number; heap: number }): boolean {
  if (typeof value === 'string') {
    walk.left -= value.length;
    walk.heap += TEXT_BYTES + value.length;
  } else if (typeof value === 'number' && (value | 0) !== value) walk.heap += NUMBER_BYTES;
  if (typeof value !== 'object' || value === null) return --walk.left >= 0;
  if (depth === 0 || --walk.left < 0) return false;
  if (Array.isArray(value)) {
    walk.heap += LIST_BYTES + REFERENCE_BYTES * value.length;
    for (const each of value as readonly unknown[]) if (!measure(each, depth - 1, walk)) return false;
    return true;
  }
  walk.heap += OBJECT_BYTES;
  const names = Object.keys(value);
  // Numbers come first.
  if (/^\d/.test(names[0] ?? '')) walk.heap += INDEXES_BYTES;
  for (const name of names) {
    walk.heap += MEMBER_BYTES + name.length;
    if (!measure((value as JsonObject)[name], depth - 1, walk)) return false;
  }
  return true;
}
