/** Unsaved edits, which survive a reload of the page. */
import { signal, type Signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

const PREFIX = 'switchyard.draft.';

export interface Draft<Value> {
  /** undefined: no unsaved edit. */
  readonly value: Signal<Value | undefined>;
  /** Whether it was restored after a reload: the user decides whether to resume. */
  readonly isFound: boolean;
  discard(): void;
}

/** Edits since the page load, which closing the tab would lose. */
const unsaved = new Set<string>();

// A reload would keep them, but looks the same as closing the tab.
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});

/**
 * @param name   Of the edited record, such as `route.<mock>.<route>`.
 * @param isWork Whether closing the tab asks first; false for test requests.
 */
export function useDraft<Value>(name: string, isWork = true): Draft<Value> {
  return useMemo(() => {
    const found = read(name) as Value | undefined;
    const value = signal(found);
    // Outlives the component: a running write may end later.
    value.subscribe((now) => {
      if (now === undefined) return dropDraft(name);
      keep(name, now);
      if (isWork) unsaved.add(name);
    });
    return { value, isFound: found !== undefined, discard: () => (value.value = undefined) };
  }, [name]);
}

/** Whether a closed screen left unsaved edits. */
export const hasDraft = (name: string): boolean => sessionStorage.getItem(PREFIX + name) !== null;

export const draftNames = (start: string): string[] =>
  Object.keys(sessionStorage)
    .filter((key) => key.startsWith(PREFIX + start))
    .map((key) => key.slice(PREFIX.length))
    .toSorted();

/** Discards the edits of a closed screen. */
export function dropDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
  unsaved.delete(name);
}

/** Renames a draft, such as to a record that was created from it. */
export function moveDraft<Value>(draft: Draft<Value>, name: string): void {
  const value = draft.value.peek();
  if (value !== undefined) keep(name, value);
  draft.discard();
}

function read(name: string): unknown {
  const text = sessionStorage.getItem(PREFIX + name);
  return text === null ? undefined : JSON.parse(text);
}

/** The browser stores some 5 MB: a larger value stays in memory only. */
function keep(name: string, value: unknown): void {
  try {
    sessionStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    sessionStorage.removeItem(PREFIX + name);
  }
}
