/** What is typed and not yet taken by the server: it survives a reload of the page. */
import { signal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

const PREFIX = 'switchyard.draft.';

export interface Draft<Value> {
  /** undefined: nothing is typed that the server does not have. */
  readonly value: Signal<Value | undefined>;
  /** Whether it was found after a reload: the person is asked whether to go on with it. */
  readonly isFound: boolean;
  discard(): void;
}

/** What was typed since the page was loaded, and would be lost with the tab. */
const unsaved = new Set<string>();

// A reload keeps it, and cannot be distinguished from the end of the tab.
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/**
 * @param name   Of what is edited, such as `route.<mock>.<route>`.
 * @param isWork Whether the browser asks before the tab is closed with it; false for what is only asked, such as the request of a test.
 */
export function useDraft<Value>(name: string, isWork = true): Draft<Value> {
  return useMemo(() => {
    const found = read(name) as Value | undefined;
    const value = signal(found);
    // Not ended with the component: a write that it has begun may end later.
    value.subscribe((now) => {
      if (now === undefined) return dropDraft(name);
      keep(name, now);
      if (isWork) unsaved.add(name);
    });
    return { value, isFound: found !== undefined, discard: () => (value.value = undefined) };
  }, [name]);
}

/** Whether something is typed that the server does not have, on a screen that was left. */
export const hasDraft = (name: string): boolean => sessionStorage.getItem(PREFIX + name) !== null;

/** Names of drafts that begin with a text. */
export const draftNames = (start: string): string[] =>
  Object.keys(sessionStorage)
    .filter((key) => key.startsWith(PREFIX + start))
    .map((key) => key.slice(PREFIX.length))
    .toSorted();

/** Drops what was typed on a screen that was left. */
export function dropDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
  unsaved.delete(name);
}

/** Goes on with what is typed under another name, such as that of a record which was made of it. */
export function moveDraft<Value>(draft: Draft<Value>, name: string): void {
  const value = draft.value.peek();
  if (value !== undefined) keep(name, value);
  draft.discard();
}

function read(name: string): unknown {
  const text = sessionStorage.getItem(PREFIX + name);
  return text === null ? undefined : JSON.parse(text);
}

/** A value beyond what the browser stores (some 5 MB) is kept in the page alone. */
function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(PREFIX + name);
  }
}
