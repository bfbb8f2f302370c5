/** One session of the gateway: how requests name it, what is otherwise in it; and its end. */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FullGatewaySessionRecord, GatewaySessionEnd } from '../../client/shapes.ts';
import { timeLeft } from '../mocks/sessions/time-left.ts';
import { Button } from '../parts/controls.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Moment } from '../parts/moment.tsx';
import { SafeBlock, SafeLine } from '../parts/safe-text.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { countText } from '../parts/words.ts';
import { failureOf } from '../state/failure.ts';
import { hrefOf } from '../state/place.ts';
import { useResource } from '../state/resource.ts';
import { api, mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import { ClientLines } from './connect-screen.tsx';
import type { Running } from './running.ts';

interface SessionProps {
  readonly gateway: Running;
  readonly sessionId: string;
  readonly onEnded: () => void;
}

export function SessionDetail({ gateway, sessionId, onEnded }: SessionProps): JSX.Element {
  const session = useResource<FullGatewaySessionRecord | null>(() => readSession(sessionId), [sessionId]);
  const [end, setEnd] = useState<GatewaySessionEnd>();
  if (end !== undefined) return <EndReport sessionId={sessionId} end={end} />;
  return (
    <Shown of={session} what="the session">
      {(loaded) =>
        loaded === null ? (
          <Empty title={`Session ${visibleLine(sessionId, 40)} does not live`}>
            <p>There was none of this name, or it has ended: with its test, or unused for too long.</p>
          </Empty>
        ) : (
          <Detail
            gateway={gateway}
            session={loaded}
            onReload={() => void session.reload()}
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

const GONE = 404;

/** Uses the session, which so lives on: it is not to be polled. @returns null when it does not live. */
async function readSession(id: string): Promise<FullGatewaySessionRecord | null> {
  try {
    return await (await api().gateway.openSession(id)).read();
  } catch (error) {
    if (failureOf(error).status === GONE) return null;
    throw error;
  }
}

interface DetailProps {
  readonly gateway: Running;
  readonly session: FullGatewaySessionRecord;
  readonly onReload: () => void;
  readonly onEnd: (end: GatewaySessionEnd) => void;
}

function Detail({ gateway, session, onReload, onEnd }: DetailProps): JSX.Element {
  const { id, label, createdAt, expiresAt, total, seed, baggage, cookie, mocks, overlay, warnings } = session;
  const [isEnding, setEnding] = useState(false);
  const forms = [
    ['As the proxy’s user', id],
    ['By header', `x-mock-session: ${id}`],
    ['By W3C baggage', `baggage: ${baggage}`],
    ['By cookie', `cookie: ${cookie}`],
  ] as const;
  return (
    <section class="stack" aria-labelledby="gateway-session">
      <header class="spread version-head">
        <div>
          <h2 id="gateway-session">
            Session <span class="monospace">{id}</span>
          </h2>
          <p class="muted">
            {label !== '' && (
              <>
                <SafeLine text={label} /> ·{' '}
              </>
            )}
            made <Moment at={createdAt} /> · seed <span class="monospace">{seed}</span>
          </p>
        </div>
        <div class="row">
          <a class="button plain" href={hrefOf(['gateway'], { session: id })}>
            Its traffic
          </a>
          <Button onClick={onReload}>Read again</Button>
          {mayEdit.value && (
            <Button kind="danger" onClick={() => setEnding(true)}>
              End…
            </Button>
          )}
        </div>
      </header>
      <p>
        {countText(total, 'exchange')} · ends in {timeLeft(expiresAt, Date.now())} unless it is used before. Opening it
        here uses it.
      </p>
      {warnings.length > 0 && (
        <ul class="warning">
          {warnings.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{visibleLine(path)}</code> <SafeLine text={message} max={500} />
            </li>
          ))}
        </ul>
      )}
      <h3>How requests name it</h3>
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
      <h3>Sessions of mocks</h3>
      {Object.keys(mocks).length === 0 ? (
        <p class="muted">None yet.</p>
      ) : (
        <ul>
          {Object.keys(mocks).map((mockId) => (
            <li key={mockId}>
              <a href={hrefOf(['mocks', mockId, 'sessions', id])}>{visibleLine(mockId)}</a>
            </li>
          ))}
        </ul>
      )}
      <h3>Overlay</h3>
      <p class="muted">What is otherwise than in the rules and settings of the owner.</p>
      <SafeBlock text={JSON.stringify(overlay, null, 2)} />
      <details class="gateway-connect">
        <summary>Lines for clients in this session</summary>
        <ClientLines gateway={gateway} user={id} />
      </details>
      {isEnding && <EndDialog sessionId={id} onEnd={onEnd} onClose={() => setEnding(false)} />}
    </section>
  );
}

interface EndDialogProps {
  readonly sessionId: string;
  readonly onEnd: (end: GatewaySessionEnd) => void;
  readonly onClose: () => void;
}

function EndDialog({ sessionId, onEnd, onClose }: EndDialogProps): JSX.Element {
  const write = useWrite();
  const end = async (): Promise<void> => {
    const left = await write.run(async () => (await api().gateway.openSession(sessionId)).end());
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
        Requests in it are answered 404 from then on. Its exchanges are gone, and the sessions of its mocks end too.
      </p>
    </FormDialog>
  );
}

/** What a session left. It is shown once, and kept nowhere. */
function EndReport({ sessionId, end }: { readonly sessionId: string; readonly end: GatewaySessionEnd }): JSX.Element {
  const { counts, notAttached, unusedRules } = end;
  const head = useRef<HTMLHeadingElement>(null);
  // The button that had the focus has gone.
  useEffect(() => {
    head.current?.focus();
  }, []);
  return (
    <section class="stack" aria-labelledby="gateway-session-end">
      <h2 id="gateway-session-end" ref={head} tabIndex={-1}>
        Session <span class="monospace">{sessionId}</span> has ended
      </h2>
      {counts === null ? (
        <p class="warning">Its counts were lost with the process that served it.</p>
      ) : (
        <p>
          {countText(counts.total, 'exchange')}, {countText(counts.ruleHits, 'rule hit')}
        </p>
      )}
      <h3>Hosts that were refused</h3>
      <Names names={notAttached ?? []} />
      <h3>Rules of its overlay that never acted</h3>
      <Names names={unusedRules ?? []} />
    </section>
  );
}

const Names = ({ names }: { readonly names: readonly string[] }): JSX.Element =>
  names.length === 0 ? (
    <p class="muted">None.</p>
  ) : (
    <ul>
      {names.map((name) => (
        <li key={name} class="monospace">
          {visibleLine(name, 200)}
        </li>
      ))}
    </ul>
  );
