/** One session: how requests name it, its differences from the mock, its requests, and ending it. */
import { useState } from 'preact/hooks';
import type { MockSession } from '../../../client/mock-session.ts';
import type { FullSessionRecord, ListedSessionRecord, SessionEnd } from '../../../client/shapes.ts';
import type { ScenarioState } from '../../../model/mocks/behaviour/scenario-state.ts';
import { SafeBlock, SafeLine } from '../../parts/safe-text.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { hrefOf } from '../../state/place.ts';
import { API_URL, api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { LiveStores } from '../settings/live-stores.tsx';
import { EndDialog, EndReport, OneSession, SessionForms, SessionHead, SessionWarnings } from './live-session.tsx';
import { timeLeft } from './time-left.ts';

interface SessionDetailProps {
  readonly mockId: string;
  readonly sessionId: string;
  /** The session in the list: null after its end, undefined while unknown. */
  readonly listed: ListedSessionRecord | null | undefined;
  readonly onEnded: () => void;
}

export function SessionDetail({ mockId, sessionId, listed, onEnded }: SessionDetailProps): JSX.Element {
  return (
    <OneSession<SessionView, SessionEnd>
      sessionId={sessionId}
      read={() => loadSession(mockId, sessionId)}
      gone="It never existed, or it ended: with its test, with its mock, or after its idle timeout."
      detail={(view, act) => <Detail mockId={mockId} view={view} listed={listed} {...act} />}
      report={(end) => <Report sessionId={sessionId} end={end} />}
      onEnded={onEnded}
    />
  );
}

interface DetailProps {
  readonly mockId: string;
  readonly view: SessionView;
  readonly listed: ListedSessionRecord | null | undefined;
  readonly onReload: () => void;
  readonly onEnd: (end: SessionEnd) => void;
}

function Detail({ mockId, view, listed, onReload, onEnd }: DetailProps): JSX.Element {
  const { session, scenarios } = view;
  const [isEnding, setEnding] = useState(false);
  const { id, version, warnings } = session;
  const { total, unmatched, expiresAt } = listed ?? session;
  return (
    <section class="stack" aria-labelledby="session">
      <SessionHead
        anchor="session"
        session={session}
        version={version}
        traffic={hrefOf(['mocks', mockId, 'traffic'], { session: id })}
        hasEnded={listed === null}
        onReload={onReload}
        onEnd={() => setEnding(true)}
      />
      {listed === null ? (
        <p class="warning" role="status">
          Ended. This is its last known state.
        </p>
      ) : (
        <p>
          {countText(total, 'request')}, {countText(unmatched, 'miss', 'misses')} · ends in{' '}
          {timeLeft(expiresAt, Date.now())} without further use. Opening this page counts as use.
        </p>
      )}
      <SessionWarnings warnings={warnings} />
      <Addresses mockId={mockId} session={session} />
      <h3>Scenarios</h3>
      {scenarios.length === 0 ? (
        <p class="muted">This mock has no scenarios.</p>
      ) : (
        <ul>
          {scenarios.map(({ name, state, states }) => (
            <li key={name}>
              <SafeLine text={name} />:{' '}
              <strong>
                <SafeLine text={state} />
              </strong>{' '}
              <span class="muted">of {visibleLine(states.join(', '), 300)}</span>
            </li>
          ))}
        </ul>
      )}
      {listed !== null && <LiveStores stores={view.stores} of={id} about="Values in this session." />}
      <h3>Overlay</h3>
      <p class="muted">Differences from its mock.</p>
      <SafeBlock text={JSON.stringify(session.overlay, null, 2)} />
      {isEnding && (
        <EndDialog
          sessionId={id}
          end={async () => (await api().mocks.openSession(mockId, id)).end()}
          onEnd={onEnd}
          onClose={() => setEnding(false)}
        >
          Its requests will be answered 404. Its recorded requests are deleted, and its counts are added to those of the
          mock.
        </EndDialog>
      )}
    </section>
  );
}

interface AddressesProps {
  readonly mockId: string;
  readonly session: FullSessionRecord;
}

function Addresses({ mockId, session: { id, address } }: AddressesProps): JSX.Element {
  const { hostUrl, pathUrl, header, baggage, cookie } = address;
  const forms = [
    ...(hostUrl === null ? [] : [['By host name', hostUrl] as const]),
    ['By path', pathUrl],
    ['By header', `${header.name}: ${header.value}`],
    ['By W3C baggage', `baggage: ${baggage}`],
    ['By cookie', `cookie: ${cookie}`],
    ["WireMock's clients", new URL(`compat/wiremock/${mockId}/${id}`, API_URL).href],
  ] as const;
  return (
    <>
      <h3>Addresses</h3>
      <SessionForms forms={forms} />
    </>
  );
}

interface SessionView {
  readonly session: FullSessionRecord;
  readonly stores: MockSession['stores'];
  readonly scenarios: readonly ScenarioState[];
}

async function loadSession(mockId: string, id: string): Promise<SessionView> {
  const opened = await api().mocks.openSession(mockId, id);
  const [session, scenarios] = await Promise.all([opened.read(), opened.scenarios()]);
  return { session, scenarios, stores: opened.stores };
}

/** The report of an ended session: counts, misses, and unused parts of its overlay. Shown once, not stored. */
function Report({ sessionId, end }: { readonly sessionId: string; readonly end: SessionEnd }): JSX.Element {
  const { counts, unmatched, unused } = end;
  const isLost = counts === null || unmatched === null || unused === null;
  return (
    <EndReport anchor="session-end" sessionId={sessionId}>
      {isLost ? undefined : (
        <>
          <p>
            {countText(counts.total, 'request')}, {countText(counts.unmatched, 'miss', 'misses')}
            {counts.statuses.map(({ status, count }) => ` · ${status}: ${numberText(count)}`)}
          </p>
          <h3>Misses</h3>
          <Misses unmatched={unmatched} />
          <h3>Unused overlay routes</h3>
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
    </EndReport>
  );
}

function Misses({ unmatched }: { readonly unmatched: NonNullable<SessionEnd['unmatched']> }): JSX.Element {
  if (unmatched.length === 0) return <p class="muted">None: a route answered every request.</p>;
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
              · closest: {visibleLine(nearest.map((route) => `${route.method} ${route.path}`).join(', '), 300)}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}
