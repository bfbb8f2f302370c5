/** What a session left: counts, what nothing answered, and what of its overlay was not used. It is shown once, and kept nowhere. */
import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { SessionEnd } from '../../../client/shapes.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { visibleLine } from '../../state/visible-text.ts';
import { countText } from './session-words.ts';

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
