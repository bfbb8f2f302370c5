/** Reads a list again every two seconds, while the tab is in view and nothing has failed. */
import { useEffect } from 'preact/hooks';

const READING_MS = 2_000;

interface Polled {
  readonly state: { readonly value: { readonly isLoading: boolean; readonly failure: unknown } };
  reload(): Promise<void>;
}

/** @param loaded undefined: nothing is read again. */
export function usePolled(loaded: Polled | undefined): void {
  useEffect(() => {
    if (loaded === undefined) return undefined;
    const read = (): void => {
      const { isLoading, failure } = loaded.state.value;
      // A failure is repeated by the list itself, or by the person.
      if (!document.hidden && !isLoading && failure === undefined) void loaded.reload();
    };
    const timer = setInterval(read, READING_MS);
    document.addEventListener('visibilitychange', read);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', read);
    };
  }, [loaded]);
}
