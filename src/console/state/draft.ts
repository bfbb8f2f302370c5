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

/** @param name Of what is edited, such as `route.<mock>.<route>`. */
export function useDraft<Value>(name: string): Draft<Value> {
  return useMemo(() => {
    const found = read(name) as Value | undefined;
    const value = signal(found);
    // Not ended with the component: a write that it has begun may end later.
    value.subscribe((now) => {
      if (now === undefined) sessionStorage.removeItem(PREFIX + name);
      else keep(name, now);
    });
    return { value, isFound: found !== undefined, discard: () => (value.value = undefined) };
  }, [name]);
}

/** Whether something is typed that the server does not have, on a screen that was left. */
export const hasDraft = (name: string): boolean => sessionStorage.getItem(PREFIX + name) !== null;

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
