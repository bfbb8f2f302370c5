/** Pages of lists: as many items as fit into an answer, and where the next page begins. */
import { ANSWER_BYTES_MAX } from './answer.ts';

/** For the members around the items. */
const FRAME_BYTES = 2_000;

/** @returns The first items that fit, and at least one. */
export function fitting<Item>(items: readonly Item[]): readonly Item[] {
  let bytes = FRAME_BYTES;
  const end = items.findIndex((item, index) => {
    // What is escaped for safety may take more.
    bytes += Buffer.byteLength(JSON.stringify(item)) * 1.1 + 1;
    return index > 0 && bytes > ANSWER_BYTES_MAX;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** @param offset Of the first of these items. @param total Of all. */
export function pageOf(name: string, items: readonly unknown[], offset: number, total: number): object {
  const kept = fitting(items);
  const next = offset + kept.length;
  return { [name]: kept, total, nextOffset: next < total ? next : null };
}
