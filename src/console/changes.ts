/**
 * What others change meanwhile: one reader of the owner's change feed for the whole page.
 *
 * Changes of this tab are left out: a screen shows the answer of its own writes.
 */
import { effect } from '@preact/signals';
import { failureOf } from './failure.ts';
import { api, hasKey, me } from './session.ts';
import type { HistoryRecord } from '../client/shapes.ts';

export type Change = HistoryRecord;

const listeners = new Set<(change: Change) => void>();
/** How long after a write of this tab a change by the same user is taken for its own. */
const OWN_MS = 3_000;
const RETRY_MS = 5_000;
let lastWrite = -OWN_MS;

/** To be called with every write of this tab. */
export function wrote(): void {
  lastWrite = performance.now();
}

/** @returns Ends the listening. */
export function onChange(listener: (change: Change) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Follows the feed from now on, whoever is signed in. */
export function followChanges(): void {
  effect(() => {
    if (!hasKey.value || me.value === undefined) return undefined;
    const leaving = new AbortController();
    void follow(me.value.userId, leaving.signal);
    return () => leaving.abort();
  });
}

async function follow(userId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const change of feed().changes({ signal })) {
        const isOwn = change.user === userId && performance.now() - lastWrite < OWN_MS;
        if (!isOwn) for (const listener of listeners) listener(change);
      }
    } catch (error) {
      if (signal.aborted || failureOf(error).status === 401) return;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, RETRY_MS);
    });
  }
}

interface Feed {
  changes(options: { readonly signal: AbortSignal }): AsyncIterable<Change>;
}

const feed = (): Feed => api().history as unknown as Feed;
