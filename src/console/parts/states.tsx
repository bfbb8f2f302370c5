/** The states of what is loaded, the same on every screen: loading, failed, stale, empty. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isPassing, type Failure } from '../state/failure.ts';
import type { Resource } from '../state/resource.ts';
import { visibleText } from '../state/visible-text.ts';
import { Button } from './controls.tsx';
import { CopyButton } from './copy-button.tsx';

const LOADING_AFTER_MS = 150;
const SLOW_AFTER_MS = 8_000;

interface ShownProps<Value> {
  readonly of: Pick<Resource<Value>, 'state' | 'reload'>;
  /** What is loaded, for messages: "the mocks". */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows what has been loaded. A failure and a change by others stand above it; it stays. */
export function Shown<Value>({ of, what, children }: ShownProps<Value>): JSX.Element {
  const { value, failure, isLoading, isStale } = of.state.value;
  return (
    <div class="shown" aria-busy={isLoading}>
      <FailureBox failure={failure} what={`Loading ${what}`} onRetry={() => void of.reload()} isRepeated />
      {isStale && failure === undefined && (
        <div class="bar" role="status">
          <span>Somebody else has changed {what}.</span>
          <Button onClick={() => void of.reload()}>Reload</Button>
        </div>
      )}
      {value === undefined ? failure === undefined && <Loading what={what} /> : children(value)}
    </div>
  );
}

export function Loading({ what }: { readonly what: string }): JSX.Element | null {
  const [phase, setPhase] = useState<'early' | 'loading' | 'slow'>('early');
  useEffect(() => {
    const timers = [
      setTimeout(() => setPhase('loading'), LOADING_AFTER_MS),
      setTimeout(() => setPhase('slow'), SLOW_AFTER_MS),
    ];
    return () => timers.forEach(clearTimeout);
  }, []);
  if (phase === 'early') return null;
  return (
    <p class="loading" role="status">
      Loading {what}…{phase === 'slow' && ' The server takes long to answer.'}
    </p>
  );
}

interface FailureProps {
  /** undefined: nothing has failed. */
  readonly failure: Failure | undefined;
  /** What was tried: "Saving the route". */
  readonly what: string;
  readonly onRetry?: () => void;
  /** It is tried again without being asked to, where the server may answer later. */
  readonly isRepeated?: boolean;
}

/** A refusal or a lost connection: what failed, why, the request's id for the server's log, and the way on. */
export function FailureBox({ failure, what, onRetry, isRepeated = false }: FailureProps): JSX.Element | null {
  if (failure === undefined) return null;
  const { status, message, details, requestId } = failure;
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{what} failed.</strong> {visibleText(message)}
        {status > 0 && <span class="muted"> (status {status})</span>}
      </p>
      {details.length > 0 && (
        <ul>
          {details.map(({ path, message: why }) => (
            <li key={`${path} ${why}`}>
              {path !== '' && <code>{visibleText(path)}</code>} {visibleText(why)}
            </li>
          ))}
        </ul>
      )}
      <p class="row">
        {onRetry !== undefined && <Button onClick={onRetry}>Try again</Button>}
        {requestId !== undefined && (
          <span class="muted">
            Request <code>{visibleText(requestId)}</code> <CopyButton text={requestId} what="the request id" />
          </span>
        )}
        {isRepeated && isPassing(failure) && <span class="muted">Retrying automatically.</span>}
      </p>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  /** Says what belongs here and how it comes here. */
  readonly children: ComponentChildren;
}

export const Empty = ({ title, children }: EmptyProps): JSX.Element => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
  </div>
);

/** For a viewer, where something has to be made first, and where nothing can be changed. */
export const ASK_AN_EDITOR = 'Ask someone with an editor key to create one.';
export const READ_ONLY = 'This key is read-only.';
