/** What differs between two streams of a response: their members, and their events one by one. */
import type { MockStream, StreamEvent } from '../definition/definition.ts';

interface Change {
  /** "stream.repeat", "stream.events.3". */
  readonly field: string;
  /** This and the next: null where there is none. */
  readonly before: unknown;
  readonly after: unknown;
}

export function streamChanges(before: MockStream, after: MockStream): Change[] {
  return [...memberChanges(before, after), ...eventChanges(before.events, after.events)];
}

function memberChanges(before: object, after: object): Change[] {
  const [old, next] = [before, after] as [Record<string, unknown>, Record<string, unknown>];
  return [...new Set([...Object.keys(next), ...Object.keys(old)])]
    .filter((name) => name !== 'events' && old[name] !== next[name])
    .map((name) => ({ field: `stream.${name}`, before: old[name] ?? null, after: next[name] ?? null }));
}

/** Events that both begin or end with are the same; those between are compared in their order. */
function eventChanges(before: readonly StreamEvent[], after: readonly StreamEvent[]): Change[] {
  const old = before.map((event) => JSON.stringify(event));
  const next = after.map((event) => JSON.stringify(event));
  let first = 0;
  while (first < old.length && old[first] === next[first]) first++;
  const shorter = Math.min(old.length, next.length) - first;
  let last = 0;
  while (last < shorter && old.at(-1 - last) === next.at(-1 - last)) last++;
  const changes: Change[] = [];
  for (let index = first; index < Math.max(old.length, next.length) - last; index++) {
    const was = index < old.length - last ? before[index] : undefined;
    const is = index < next.length - last ? after[index] : undefined;
    if (was === undefined || is === undefined || old[index] !== next[index])
      changes.push({ field: `stream.events.${index}`, before: was ?? null, after: is ?? null });
  }
  return changes;
}
