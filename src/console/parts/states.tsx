/** The states of loaded data on every screen: loading, failed, stale, empty. */
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
  /** For messages: "the mocks". */
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** Shows loaded data, below failures and changes by other users. */
export function Shown<Value>({ of, what, children }: ShownProps<Value>): JSX.Element {
  const { value, failure, isLoading, isStale } = of.state.value;
  return (
    <div class="shown" aria-busy={isLoading}>
      <FailureBox failure={failure} what={`Loading ${what}`} onRetry={() => void of.reload()} isRepeated />
      {isStale && failure === undefined && (
        <div class="bar" role="status">
          <span>Another user changed {what}.</span>
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
      Loading {what}…{phase === 'slow' && ' The server is slow to answer.'}
    </p>
  );
}

interface FailureProps {
  /** undefined: no failure. */
  readonly failure: Failure | undefined;
  /** The action: "Saving the route". */
  readonly what: string;
  readonly onRetry?: () => void;
  /** Whether it is retried automatically when the server may recover. */
  readonly isRepeated?: boolean;
}

/** A refusal or a lost connection: the action, the reason, the request id for the server's log, and a retry. */
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
  /** Explains what belongs here, and how to get it. */
  readonly children: ComponentChildren;
  /** A page of the documentation, and the text of its link. */
  readonly docs?: readonly [to: string, text: string];
  /** For a list that fills automatically: "Callbacks appear here live." */
  readonly waiting?: string;
}

export const Empty = ({ title, children, docs, waiting }: EmptyProps): JSX.Element => (
  <div class="empty">
    <h2>{title}</h2>
    {children}
    {docs !== undefined && (
      <p>
        <DocLink to={docs[0]}>{docs[1]}</DocLink>
      </p>
    )}
    {waiting !== undefined && (
      <p class="muted" role="status">
        {waiting}
      </p>
    )}
  </div>
);

interface DocLinkProps {
  /** The page, and its section: "gateway#https". */
  readonly to: string;
  readonly children: ComponentChildren;
}

/** Relative: a reverse proxy may serve the console under a prefix. */
export const DocLink = ({ to, children }: DocLinkProps): JSX.Element => (
  <a href={`console/docs/${to}`} target="_blank" rel="noreferrer">
    {children}
  </a>
);

/** For viewers. */
export const ASK_AN_EDITOR = 'Ask someone with an editor key to create one.';
export const READ_ONLY = 'This key is read-only.';
