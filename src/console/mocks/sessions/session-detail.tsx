/** One session: how requests name it, what it answers otherwise than its mock, what it was asked; and its end. */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FullSessionRecord, ListedSessionRecord, SessionEnd } from '../../../client/shapes.ts';
import type { ScenarioState } from '../../../model/mocks/behaviour/scenario-state.ts';
import { Button } from '../../parts/controls.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SafeBlock, SafeLine } from '../../parts/safe-text.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { failureOf } from '../../state/failure.ts';
import { hrefOf } from '../../state/place.ts';
import { useResource } from '../../state/resource.ts';
import { api, mayEdit } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { useWrite } from '../../state/write.ts';
import { timeLeft } from './time-left.ts';

interface SessionDetailProps {
  readonly mockId: string;
  readonly sessionId: string;
  /** What the list knows by now: null when it has ended, undefined while that is not known. */
  readonly listed: ListedSessionRecord | null | undefined;
  readonly onEnded: () => void;
}

export function SessionDetail({ mockId, sessionId, listed, onEnded }: SessionDetailProps): JSX.Element {
  const view = useResource<SessionView | null>(() => loadSession(mockId, sessionId), [mockId, sessionId]);
  const [end, setEnd] = useState<SessionEnd>();
  if (end !== undefined) return <EndReport sessionId={sessionId} end={end} />;
  return (
    <Shown of={view} what="the session">
      {(loaded) =>
        loaded === null ? (
          <Empty title={`Session ${visibleLine(sessionId, 40)} does not live`}>
            <p>There was none of this name, or it has ended: with its test, with its mock, or unused for too long.</p>
          </Empty>
        ) : (
          <Detail
            mockId={mockId}
            view={loaded}
            listed={listed}
            onReload={() => void view.reload()}
            onEnd={(left) => {
              setEnd(left);
              onEnded();
            }}
          />
        )
      }
    </Shown>
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
  const { id, label, createdAt, seed, version, warnings } = session;
  const { total, unmatched, expiresAt } = listed ?? session;
  return (
    <section class="stack" aria-labelledby="session">
      <header class="spread version-head">
        <div>
          <h2 id="session">
            Session <span class="monospace">{id}</span>
          </h2>
          <p class="muted">
            {label !== '' && (
              <>
                <SafeLine text={label} /> ·{' '}
              </>
            )}
            made <Moment at={createdAt} /> · v{version} · seed <span class="monospace">{seed}</span>{' '}
            <CopyButton text={String(seed)} what="the seed" />
          </p>
        </div>
        <div class="row">
          <a class="button plain" href={hrefOf(['mocks', mockId, 'traffic'], { session: id })}>
            Its traffic
          </a>
          <Button onClick={onReload}>Read again</Button>
          {mayEdit.value && listed !== null && (
            <Button kind="danger" onClick={() => setEnding(true)}>
              End…
            </Button>
          )}
        </div>
      </header>
      {listed === null ? (
        <p class="warning" role="status">
          It has ended: this is what it was.
        </p>
      ) : (
        <p>
          {countText(total, 'request')}, {countText(unmatched, 'miss', 'misses')} · ends in{' '}
          {timeLeft(expiresAt, Date.now())} unless it is used before. Opening it here uses it.
        </p>
      )}
      {warnings.length > 0 && (
        <ul class="warning">
          {warnings.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{visibleLine(path)}</code> <SafeLine text={message} max={500} />
            </li>
          ))}
        </ul>
      )}
      <Addresses session={session} />
      <h3>Scenarios</h3>
      {scenarios.length === 0 ? (
        <p class="muted">The mock has none.</p>
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
      <h3>Overlay</h3>
      <p class="muted">What it answers otherwise than its mock.</p>
      <SafeBlock text={JSON.stringify(session.overlay, null, 2)} />
      {isEnding && <EndDialog mockId={mockId} sessionId={id} onEnd={onEnd} onClose={() => setEnding(false)} />}
    </section>
  );
}

/** Ways in which a request names the session; each alone is enough. */
function Addresses({ session: { address } }: { readonly session: FullSessionRecord }): JSX.Element {
  const { hostUrl, pathUrl, header, baggage, cookie } = address;
  const forms = [
    ...(hostUrl === null ? [] : [['By host name', hostUrl] as const]),
    ['By path', pathUrl],
    ['By header', `${header.name}: ${header.value}`],
    ['By W3C baggage', `baggage: ${baggage}`],
    ['By cookie', `cookie: ${cookie}`],
  ] as const;
  return (
    <>
      <h3>Its addresses</h3>
      <dl class="facts">
        {forms.map(([name, text]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{text}</code> <CopyButton text={text} what={`the session ${name.toLowerCase()}`} />
            </dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

interface SessionView {
  readonly session: FullSessionRecord;
  readonly scenarios: readonly ScenarioState[];
}

const GONE = 404;

/** Uses the session, which so lives on for another `idleMs`: it is not to be polled. @returns null when it does not live. */
async function loadSession(mockId: string, id: string): Promise<SessionView | null> {
  try {
    const opened = await api().mocks.openSession(mockId, id);
    const [session, scenarios] = await Promise.all([opened.read(), opened.scenarios()]);
    return { session, scenarios };
  } catch (error) {
    if (failureOf(error).status === GONE) return null;
    throw error;
  }
}

interface EndDialogProps {
  readonly mockId: string;
  readonly sessionId: string;
  readonly onEnd: (end: SessionEnd) => void;
  readonly onClose: () => void;
}

/** Asks before a session ends: the test that uses it is answered 404 from then on. */
function EndDialog({ mockId, sessionId, onEnd, onClose }: EndDialogProps): JSX.Element {
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
      onSubmit={() => void end()}
      onClose={onClose}
      write={write}
      what="Ending the session"
    >
      <p>
        Requests in it are answered 404 from then on, and what it recorded is gone. Its counts are added to those of the
        mock.
      </p>
    </FormDialog>
  );
}

/** What a session left: counts, what nothing answered, and what of its overlay was not used. It is shown once, and kept nowhere. */
function EndReport({ sessionId, end }: { readonly sessionId: string; readonly end: SessionEnd }): JSX.Element {
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
            {counts.statuses.map(({ status, count }) => ` · ${status}: ${numberText(count)}`)}
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
