/** One session of the gateway: how requests name it, its differences, and ending it. */
import type { FullGatewaySessionRecord, GatewaySessionEnd } from '../../client/shapes.ts';
import { Names, OneSession, timeLeft } from '../mocks/sessions/live-session.tsx';
import { countText } from '../parts/words.ts';
import { hrefOf } from '../state/place.ts';
import { api } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { ClientLines, type Running } from './connect-screen.tsx';
import { useMockNames } from './mock-names.ts';

interface SessionProps {
  readonly gateway: Running;
  readonly sessionId: string;
  readonly onEnded: () => void;
}

export function SessionDetail({ gateway, sessionId, onEnded }: SessionProps): JSX.Element {
  const { nameOf } = useMockNames();
  const open = () => api().gateway.openSession(sessionId);
  return (
    <OneSession<FullGatewaySessionRecord, GatewaySessionEnd>
      sessionId={sessionId}
      read={async () => (await open()).read()}
      gone="It never existed, or it ended: with its test, or after its idle timeout."
      traffic={hrefOf(['gateway'], { session: sessionId })}
      counts={({ total, expiresAt }) => `${countText(total, 'exchange')} · ends in ${timeLeft(expiresAt, Date.now())}`}
      forms={({ id, baggage, cookie }) => [
        ['As the proxy’s user', id],
        ['By header', `x-mock-session: ${id}`],
        ['By W3C baggage', `baggage: ${baggage}`],
        ['By cookie', `cookie: ${cookie}`],
      ]}
      formsTitle="How to use this session"
      differsFrom="your rules and settings"
      end={async () => (await open()).end()}
      consequences="Its requests will be answered 404. Its exchanges are deleted, and the sessions of its mocks end too."
      report={reportOf}
      onEnded={onEnded}
    >
      {({ id, mocks }) => (
        <>
          <h3>Sessions of mocks</h3>
          <Names
            none="None yet."
            names={Object.keys(mocks).map((mockId) => (
              <a href={hrefOf(['mocks', mockId, 'sessions', id])}>{visibleLine(nameOf(mockId))}</a>
            ))}
          />
          <details class="gateway-connect">
            <summary>Commands for clients in this session</summary>
            <ClientLines gateway={gateway} user={id} />
          </details>
        </>
      )}
    </OneSession>
  );
}

function reportOf({ counts, notAttached, unusedRules, ruleNames }: GatewaySessionEnd): JSX.Element | undefined {
  if (counts === null) return undefined;
  return (
    <>
      <p>
        {countText(counts.total, 'exchange')}, {countText(counts.ruleHits, 'rule hit')}
      </p>
      <h3>Refused hosts</h3>
      <Names names={(notAttached ?? []).map((host) => visibleLine(host))} />
      <h3>Overlay rules that never applied</h3>
      <Names names={(unusedRules ?? []).map((id) => visibleLine(ruleNames?.[id] ?? id))} />
    </>
  );
}
