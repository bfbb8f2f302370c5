/** A part of the console that loads on demand. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { failureOf, type Failure } from '../state/failure.ts';
import { FailureBox, Loading } from './states.tsx';

/** @param load Imports a module, once. @param what For messages: "the rules". */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  what: string,
): (props: Props) => JSX.Element | null {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props) {
    const [failure, setFailure] = useState<Failure>();
    const [, setLoaded] = useState(false);
    const [attempt, setAttempt] = useState(0);
    useEffect(() => {
      if (loaded !== undefined) return;
      load().then(
        (component) => {
          loaded = component;
          setFailure(undefined);
          setLoaded(true);
        },
        (error: unknown) => setFailure(failureOf(error)),
      );
    }, [attempt]);
    if (loaded !== undefined) {
      const Component = loaded;
      return <Component {...props} />;
    }
    if (failure !== undefined) {
      // The browser caches a failed import: only reloading the page retries it.
      const onRetry = (): void => (attempt === 0 ? setAttempt(1) : location.reload());
      return <FailureBox failure={failure} what={`Loading ${what}`} onRetry={onRetry} />;
    }
    return <Loading what={what} />;
  };
}
