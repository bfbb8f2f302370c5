/** Polls a list every two seconds, in a visible tab and without failures. */
import { useEffect } from 'preact/hooks';

const READING_MS = 2_000;

interface Polled {
  readonly state: { readonly value: { readonly isLoading: boolean; readonly failure: unknown } };
  reload(): Promise<void>;
}

/** @param loaded undefined: does not poll. */
export function usePolled(loaded: Polled | undefined): void {
  useEffect(() => {
    if (loaded === undefined) return undefined;
    const read = (): void => {
      const { isLoading, failure } = loaded.state.value;
      // The list itself or the user retries after a failure.
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
