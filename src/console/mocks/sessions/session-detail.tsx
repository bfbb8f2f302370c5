/** One session: how requests name it, its differences from the mock, its requests, and ending it. */
import type { MockSession } from '../../../client/mock-session.ts';
import type { FullSessionRecord, ListedSessionRecord, SessionEnd } from '../../../client/shapes.ts';
import type { ScenarioState } from '../../../model/mocks/behaviour/scenario-state.ts';
import { RequestLine, SafeLine } from '../../parts/safe-text.tsx';
import { countText, numberText } from '../../parts/words.ts';
import { hrefOf } from '../../state/place.ts';
import { API_URL, api } from '../../state/session.ts';
import { visibleLine } from '../../state/visible-text.ts';
import { LiveStores } from '../settings/live-stores.tsx';
import { Names, OneSession, timeLeft } from './live-session.tsx';

interface SessionDetailProps {
  readonly mockId: string;
  readonly sessionId: string;
  /** The session in the list: null after its end, undefined while unknown. */
  readonly listed: ListedSessionRecord | null | undefined;
  readonly onEnded: () => void;
}

export function SessionDetail({ mockId, sessionId, listed, onEnded }: SessionDetailProps): JSX.Element {
  const open = (): Promise<MockSession> => api().mocks.openSession(mockId, sessionId);
  return (
    <OneSession<SessionView, SessionEnd>
      sessionId={sessionId}
      read={async () => readSession(await open())}
      gone="It never existed, or it ended: with its test, with its mock, or after its idle timeout."
      traffic={hrefOf(['mocks', mockId, 'traffic'], { session: sessionId })}
      hasEnded={listed === null}
      version={({ version }) => version}
      counts={(session) => {
        const { total, unmatched, expiresAt } = listed ?? session;
        return `${countText(total, 'request')}, ${countText(unmatched, 'miss', 'misses')} · ends in ${timeLeft(expiresAt, Date.now())}`;
      }}
      forms={(session) => addressesOf(mockId, session)}
      formsTitle="Addresses"
      differsFrom="its mock"
      end={async () => (await open()).end()}
      consequences="Its requests will be answered 404. Its recorded requests are deleted, and its counts are added to those of the mock."
      report={reportOf}
      onEnded={onEnded}
    >
      {({ scenarios, stores }) => (
        <>
          <h3>Scenarios</h3>
          <Names
            none="This mock has no scenarios."
            names={scenarios.map(({ name, state, states }) => (
              <>
                <SafeLine text={name} />:{' '}
                <strong>
                  <SafeLine text={state} />
                </strong>{' '}
                <span class="muted">of {visibleLine(states.join(', '), 300)}</span>
              </>
            ))}
          />
          {listed !== null && <LiveStores stores={stores} of={sessionId} about="Values in this session." />}
        </>
      )}
    </OneSession>
  );
}

function addressesOf(mockId: string, { id, address }: FullSessionRecord): readonly (readonly [string, string])[] {
  const { hostUrl, pathUrl, header, baggage, cookie } = address;
  return [
    ...(hostUrl === null ? [] : [['By host name', hostUrl] as const]),
    ['By path', pathUrl],
    ['By header', `${header.name}: ${header.value}`],
    ['By W3C baggage', `baggage: ${baggage}`],
    ['By cookie', `cookie: ${cookie}`],
    ["WireMock's clients", new URL(`compat/wiremock/${mockId}/${id}`, API_URL).href],
  ];
}

type SessionView = FullSessionRecord & {
  readonly stores: MockSession['stores'];
  readonly scenarios: readonly ScenarioState[];
};

async function readSession(opened: MockSession): Promise<SessionView> {
  const [session, scenarios] = await Promise.all([opened.read(), opened.scenarios()]);
  return { ...session, scenarios, stores: opened.stores };
}

/** The report of an ended session: counts, misses, and unused parts of its overlay. */
function reportOf({ counts, unmatched, unused }: SessionEnd): JSX.Element | undefined {
  if (counts === null || unmatched === null || unused === null) return undefined;
  return (
    <>
      <p>
        {countText(counts.total, 'request')}, {countText(counts.unmatched, 'miss', 'misses')}
        {counts.statuses.map(({ status, count }) => ` · ${status}: ${numberText(count)}`)}
      </p>
      <h3>Misses</h3>
      <Names
        none="None: a route answered every request."
        names={unmatched.map(({ method, path, nearest }) => (
          <>
            <RequestLine method={method} target={path} />
            {nearest.length > 0 && (
              <span class="muted">
                {' '}
                · closest: {visibleLine(nearest.map((route) => `${route.method} ${route.path}`).join(', '), 300)}
              </span>
            )}
          </>
        ))}
      />
      <h3>Unused overlay routes</h3>
      <Names names={unused.map((id) => visibleLine(id, 100))} />
    </>
  );
}
