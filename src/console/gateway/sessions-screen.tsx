/** The live sessions of the gateway, with the selected one beside the list. */
import type { ListedGatewaySessionRecord } from '../../client/shapes.ts';
import { SessionList } from '../mocks/sessions/live-session.tsx';
import { timeLeft } from '../mocks/sessions/time-left.ts';
import { Command } from '../parts/copy-button.tsx';
import { Panes } from '../parts/panes.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { Empty, Shown } from '../parts/states.tsx';
import { Cell } from '../parts/virtual-list.tsx';
import { countText } from '../parts/words.ts';
import { usePagedList } from '../state/paged-list.ts';
import { navigate, hrefOf } from '../state/place.ts';
import { usePolled } from '../state/polled.ts';
import { api } from '../state/session.ts';
import type { RunningProps } from './running.ts';
import { SessionDetail } from './session-detail.tsx';

/** Listing does not extend a session. */
export function SessionsScreen({ gateway, path: [selected] }: RunningProps): JSX.Element {
  const sessions = usePagedList<ListedGatewaySessionRecord>((page) => api().gateway.sessions(page), []);
  usePolled(sessions);
  return (
    <Shown of={sessions} what="the sessions">
      {({ total }) =>
        total === 0 && selected === undefined ? (
          <NoSessions />
        ) : (
          <Panes
            list={
              <SessionList
                sessions={sessions}
                total={total}
                selected={selected}
                onOpen={(id) => navigate(['gateway', 'sessions', id])}
                cells={(session) => <SessionCells session={session} />}
              />
            }
            none="Select a session."
            back={{ label: 'All sessions', href: hrefOf(['gateway', 'sessions']) }}
            detail={
              selected && (
                <SessionDetail
                  key={selected}
                  gateway={gateway}
                  sessionId={selected}
                  onEnded={() => void sessions.reload()}
                />
              )
            }
          />
        )
      }
    </Shown>
  );
}

const SessionCells = ({
  session: { id, label, total, expiresAt },
}: {
  readonly session: ListedGatewaySessionRecord;
}): JSX.Element => (
  <>
    <Cell class="wide session-name">
      <strong class="monospace">{id}</strong>
      {label !== '' && <SafeLine text={label} max={80} />}
    </Cell>
    <Cell class="session-counts">{countText(total, 'exchange')}</Cell>
    <Cell class="session-end muted">ends in {timeLeft(expiresAt, Date.now())}</Cell>
  </>
);

const LINES = `await using session = await client.gateway.session({
  overlay: { attach: { 'pay.example.com': 'payments' }, others: 'refuse' },
});
const context = await browser.newContext({ proxy: session.proxy });`;

const NoSessions = (): JSX.Element => (
  <Empty title="No live sessions">
    <p>
      A session is one test's own view of the gateway: its own rules, attached mocks, exchanges and counts, while other
      tests use the same gateway. In a test, with the client:
    </p>
    <Command text={LINES} what="the lines" label="" />
    <p>
      <a href="console/docs/gateway#sessions" target="_blank" rel="noreferrer">
        Session documentation
      </a>
    </p>
    <p class="muted" role="status">
      Live sessions appear here.
    </p>
  </Empty>
);
