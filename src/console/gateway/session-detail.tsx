/** One session of the gateway: how requests name it, its differences, and ending it. */
import { useState } from 'preact/hooks';
import type { FullGatewaySessionRecord, GatewaySessionEnd } from '../../client/shapes.ts';
import {
  EndDialog,
  EndReport,
  OneSession,
  SessionForms,
  SessionHead,
  SessionWarnings,
} from '../mocks/sessions/live-session.tsx';
import { timeLeft } from '../mocks/sessions/time-left.ts';
import { SafeBlock } from '../parts/safe-text.tsx';
import { countText } from '../parts/words.ts';
import { hrefOf } from '../state/place.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { ClientLines } from './connect-screen.tsx';
import { useMockNames } from './mock-names.ts';
import type { Running } from './running.ts';

interface SessionProps {
  readonly gateway: Running;
  readonly sessionId: string;
  readonly onEnded: () => void;
}

export function SessionDetail({ gateway, sessionId, onEnded }: SessionProps): JSX.Element {
  return (
    <OneSession<FullGatewaySessionRecord, GatewaySessionEnd>
      sessionId={sessionId}
      read={async () => (await api().gateway.openSession(sessionId)).read()}
      gone="It never existed, or it ended: with its test, or after its idle timeout."
      detail={(session, act) => <Detail gateway={gateway} session={session} {...act} />}
      report={(end) => <Report sessionId={sessionId} end={end} />}
      onEnded={onEnded}
    />
  );
}

interface DetailProps {
  readonly gateway: Running;
  readonly session: FullGatewaySessionRecord;
  readonly onReload: () => void;
  readonly onEnd: (end: GatewaySessionEnd) => void;
}

function Detail({ gateway, session, onReload, onEnd }: DetailProps): JSX.Element {
  const { id, expiresAt, total, baggage, cookie, mocks, overlay, warnings } = session;
  const [isEnding, setEnding] = useState(false);
  const { nameOf } = useMockNames();
  const forms = [
    ['As the proxy’s user', id],
    ['By header', `x-mock-session: ${id}`],
    ['By W3C baggage', `baggage: ${baggage}`],
    ['By cookie', `cookie: ${cookie}`],
  ] as const;
  return (
    <section class="stack" aria-labelledby="gateway-session">
      <SessionHead
        anchor="gateway-session"
        session={session}
        traffic={hrefOf(['gateway'], { session: id })}
        onReload={onReload}
        onEnd={() => setEnding(true)}
      />
      <p>
        {countText(total, 'exchange')} · ends in {timeLeft(expiresAt, Date.now())} without further use. Opening this
        page counts as use.
      </p>
      <SessionWarnings warnings={warnings} />
      <h3>How to use this session</h3>
      <SessionForms forms={forms} />
      <h3>Sessions of mocks</h3>
      {Object.keys(mocks).length === 0 ? (
        <p class="muted">None yet.</p>
      ) : (
        <ul>
          {Object.keys(mocks).map((mockId) => (
            <li key={mockId}>
              <a href={hrefOf(['mocks', mockId, 'sessions', id])}>{visibleLine(nameOf(mockId))}</a>
            </li>
          ))}
        </ul>
      )}
      <h3>Overlay</h3>
      <p class="muted">Differences from your rules and settings.</p>
      <SafeBlock text={JSON.stringify(overlay, null, 2)} />
      <details class="gateway-connect">
        <summary>Commands for clients in this session</summary>
        <ClientLines gateway={gateway} user={id} />
      </details>
      {isEnding && (
        <EndDialog
          sessionId={id}
          end={async () => (await api().gateway.openSession(id)).end()}
          onEnd={onEnd}
          onClose={() => setEnding(false)}
        >
          Its requests will be answered 404. Its exchanges are deleted, and the sessions of its mocks end too.
        </EndDialog>
      )}
    </section>
  );
}

function Report({ sessionId, end }: { readonly sessionId: string; readonly end: GatewaySessionEnd }): JSX.Element {
  const { counts, notAttached, unusedRules, ruleNames } = end;
  return (
    <EndReport anchor="gateway-session-end" sessionId={sessionId}>
      {counts === null ? undefined : (
        <>
          <p>
            {countText(counts.total, 'exchange')}, {countText(counts.ruleHits, 'rule hit')}
          </p>
          <h3>Refused hosts</h3>
          <Names names={notAttached ?? []} />
          <h3>Overlay rules that never applied</h3>
          <Names names={(unusedRules ?? []).map((id) => ruleNames?.[id] ?? id)} />
        </>
      )}
    </EndReport>
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
