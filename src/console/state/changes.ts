/**
 * What others change: one reader of the owner's change feed for the whole page.
 *
 * Changes of this tab are left out: a screen shows the answer of its own writes.
 */
import { computed, effect } from '@preact/signals';
import { failureOf } from './failure.ts';
import { api, checkKeyAfter, me } from './session.ts';
import type { ChangeRecord } from '../../client/shapes.ts';

export type Change = ChangeRecord;

/** Gets undefined when it is not known what has changed, as after a long time without the server. */
type Listener = (change: Change | undefined) => void;

const listeners = new Set<Listener>();
/** How long after a write of this tab a change by the same user is taken for its own. */
const OWN_MS = 3_000;
const RETRY_MS = 5_000;
let lastWrite = -OWN_MS;

/** To be called with every write of this tab. */
export function wrote(): void {
  lastWrite = performance.now();
}

/** Passes to the screens a write of this tab whose answer none of them gets. */
export function announce(command: string, recordIds: readonly string[], user: string): void {
  tell({ version: 0, date: Date.now(), user, command, recordIds: [...recordIds], recordCount: recordIds.length });
}

/** @returns Ends the listening. */
export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the feed of the one who is signed in. */
export function followChanges(): void {
  // An answer about the same person, after a refusal, does not begin it again.
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
          if (!isOwn(event.change, userId)) tell(event.change);
        } else {
          after = event.version;
          if (event.type === 'gap') tell(undefined);
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

function tell(change: Change | undefined): void {
  for (const listener of listeners) listener(change);
}
