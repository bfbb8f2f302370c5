/**
 * What others saw of a write whose answer never came. Each of them is otherwise possible at every moment until its server's end, alone and
 * with all others, and a search over the histories of long outages does not end.
 */
import type { Operation } from './check-history.ts';

/** Names the contents of calls; no two writes have the same. */
export interface Sights<Call> {
  /** What the call writes, undefined when it has no content of its own. */
  readonly written: (call: Call) => string | undefined;
  /** What its answer shows. */
  readonly shown: (call: Call) => readonly string[];
}

/**
 * @returns `seen`: the same history, in which each unanswered write that somebody saw happened, before the first answer that shows it.
 *   `withoutUnseen`: that without the writes that nobody saw. An order of it is an order of the whole, in which they had no effect; that
 *   there is none says nothing.
 */
export function sighted<Call>(
  operations: readonly Operation<Call>[],
  { written, shown }: Sights<Call>,
): { readonly seen: Operation<Call>[]; readonly withoutUnseen: Operation<Call>[] } {
  const firstSeen = new Map<string, number>();
  for (const { call, returned, certain } of operations) {
    if (!certain) continue;
    for (const content of shown(call)) firstSeen.set(content, Math.min(returned, firstSeen.get(content) ?? Infinity));
  }
  const seen: Operation<Call>[] = [];
  const withoutUnseen: Operation<Call>[] = [];
  for (const operation of operations) {
    const content = operation.certain ? undefined : written(operation.call);
    const at = content === undefined ? undefined : firstSeen.get(content);
    // Events are whole numbers: in front of the answer, and behind every other event.
    const known = at === undefined ? operation : { ...operation, returned: at - 0.5, certain: true };
    seen.push(known);
    if (content === undefined || at !== undefined) withoutUnseen.push(known);
  }
  return { seen, withoutUnseen };
}
