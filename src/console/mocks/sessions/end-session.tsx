/** The end of a session: the question before it, and what the session left. That is shown once, and kept nowhere. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionEnd } from '../../../client/shapes.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import { countText } from './session-words.ts';

interface EndDialogProps {
  readonly mockId: string;
  readonly sessionId: string;
  readonly onEnd: (end: SessionEnd) => void;
  readonly onClose: () => void;
}

export function EndDialog({ mockId, sessionId, onEnd, onClose }: EndDialogProps): JSX.Element {
  const write = useWrite();
  const end = async (): Promise<void> => {
    const left = await write.run(async () => (await api().mocks.openSession(mockId, sessionId)).end());
    if (left !== undefined) onEnd(left);
  };
  return (
    <FormDialog
      title={`End the session ${sessionId}`}
      submit="End the session"
      danger
      write={write}
      what="Ending the session"
      onSubmit={() => void end()}
      onClose={onClose}
    >
      <p>
        Requests in it are answered 404 from then on, and what it recorded is gone. Its counts are added to those of the
        mock.
      </p>
    </FormDialog>
  );
}

export function EndReport({ sessionId, end }: { readonly sessionId: string; readonly end: SessionEnd }): JSX.Element {
  const { counts, unmatched, unused } = end;
  const head = useRef<HTMLHeadingElement>(null);
  // The button that had the focus has gone.
  useEffect(() => {
    head.current?.focus();
  }, []);
  return (
    <section class="stack" aria-labelledby="session-end">
      <h2 id="session-end" ref={head} tabIndex={-1}>
        Session <span class="monospace">{sessionId}</span> has ended
      </h2>
      {counts === null || unmatched === null || unused === null ? (
        <p class="warning">Its counts were lost with the process that served it.</p>
      ) : (
        <>
          <p>
            {countText(counts.total, 'request')}, {countText(counts.unmatched, 'miss', 'misses')}
            {counts.statuses.map(({ status, count }) => ` · ${status}: ${count.toLocaleString('en')}`)}
          </p>
          <h3>What nothing answered</h3>
          <Misses unmatched={unmatched} />
          <h3>Unused routes of its overlay</h3>
          {unused.length === 0 ? (
            <p class="muted">None.</p>
          ) : (
            <ul>
              {unused.map((routeId) => (
                <li key={routeId} class="monospace">
                  {visibleLine(routeId, 100)}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </section>
  );
}

function Misses({ unmatched }: { readonly unmatched: NonNullable<SessionEnd['unmatched']> }): JSX.Element {
  if (unmatched.length === 0) return <p class="muted">Nothing: a route answered every request.</p>;
  return (
    <ul>
      {unmatched.map(({ method, path, nearest }, index) => (
        <li key={index}>
          <span class="monospace">
            {visibleLine(method, 32)} <SafeLine text={path} max={300} />
          </span>
          {nearest.length > 0 && (
            <span class="muted">
              {' '}
              · nearest: {visibleLine(nearest.map((route) => `${route.method} ${route.path}`).join(', '), 300)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
