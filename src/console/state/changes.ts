/**
 * Changes by others: one reader of the owner's change feed for the whole page.
 *
 * Changes of this tab are excluded: its screens show the answers of their writes.
 */
import { computed, effect } from '@preact/signals';
import { failureOf } from './failure.ts';
import { api, checkKeyAfter, me } from './session.ts';
import type { ChangeRecord } from '../../client/shapes.ts';

export type Change = ChangeRecord;

/** undefined: unknown changes, as after a long disconnection. */
type Listener = (change: Change | undefined) => void;

const listeners = new Set<Listener>();
/** A change by the same user this soon after a write of this tab counts as its own. */
const OWN_MS = 3_000;
const RETRY_MS = 5_000;
let lastWrite = -OWN_MS;

/** Call it with every write of this tab. */
export function wrote(): void {
  lastWrite = performance.now();
}

/** Announces a write of this tab whose answer no screen receives. */
export function announce(command: string, recordIds: readonly string[], user: string): void {
  notify({ version: 0, date: Date.now(), user, command, recordIds: [...recordIds], recordCount: recordIds.length });
}

/** @returns Unsubscribes. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the feed of the signed-in user. */
export function followChanges(): void {
  // The same user again, after a refusal: keeps following.
  const userId = computed(() => me.value?.userId);
  effect(() => {
    if (userId.value === undefined) return undefined;
    const leaving = new AbortController();
    void follow(userId.value, leaving.signal);
    return () => leaving.abort();
  });
}

async function follow(userId: string, signal: AbortSignal): Promise<void> {
  let after: number | undefined;
  while (!signal.aborted) {
    try {
      for await (const event of api().history.changes({ signal, ...(after === undefined ? {} : { after }) })) {
        if (event.type === 'change') {
          after = event.change.version;
          if (!isOwn(event.change, userId)) notify(event.change);
        } else {
          after = event.version;
          if (event.type === 'gap') notify(undefined);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      checkKeyAfter(failureOf(error));
    }
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}

const isOwn = ({ user }: Change, userId: string): boolean => user === userId && performance.now() - lastWrite < OWN_MS;

function notify(change: Change | undefined): void {
  for (const listener of listeners) listener(change);
}
