/** Pages of a journal, newest first. */
import { replyList } from '../../page.ts';
import type { Call } from '../../call.ts';

/** Entries as they are answered. */
interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** Whether older ones match. */
  readonly hasMore: boolean;
}

/** Answers with as many of them as fit. @param members Members of the envelope besides `data` and `nextBefore`. */
export function replyPage<Entry extends { readonly number: number } | { readonly id: string }>(
  call: Call,
  { entries, hasMore }: Page<Entry>,
  represent: (entry: Entry) => object,
  members: object,
): void {
  const tail = JSON.stringify(members).slice(1, -1);
  const json = (entry: Entry): string => JSON.stringify(represent(entry));
  replyList(call, entries, json, (written) => {
    const last = hasMore || written < entries.length ? entries[written - 1] : undefined;
    return `,"nextBefore":${last === undefined ? null : numberOf(last)},${tail}`;
  });
}

function numberOf(entry: { readonly number: number } | { readonly id: string }): number {
  return 'number' in entry ? entry.number : Number(entry.id);
}
