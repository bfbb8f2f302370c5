/** The live sessions of the gateway. */
import type { ListedGatewaySessionRecord } from '../../client/shapes.ts';
import { SessionsFrame } from '../mocks/sessions/live-session.tsx';
import { Command } from '../parts/copy-button.tsx';
import { Empty } from '../parts/states.tsx';
import { countText } from '../parts/words.ts';
import { api } from '../state/session.ts';
import type { RunningProps } from './connect-screen.tsx';
import { SessionDetail } from './session-detail.tsx';

export const SessionsScreen = ({ gateway, path: [selected] }: RunningProps): JSX.Element => (
  <SessionsFrame<ListedGatewaySessionRecord>
    at={['gateway', 'sessions']}
    selected={selected}
    load={(page) => api().gateway.sessions(page)}
    about={() => null}
    counts={({ total }) => countText(total, 'exchange')}
    none={<NoSessions />}
    detail={(sessionId, sessions) => (
      <SessionDetail gateway={gateway} sessionId={sessionId} onEnded={() => void sessions.reload()} />
    )}
  />
);

const LINES = `await using session = await client.gateway.session({
  overlay: { attach: { 'pay.example.com': 'payments' }, others: 'refuse' },
});
const context = await browser.newContext({ proxy: session.proxy });`;

const NoSessions = (): JSX.Element => (
  <Empty
    title="No live sessions"
    docs={['gateway#sessions', 'Session documentation']}
    waiting="Live sessions appear here."
  >
    <p>
      A session is one test's own view of the gateway: its own rules, attached mocks, exchanges and counts, while other
      tests use the same gateway. In a test, with the client:
    </p>
    <Command text={LINES} what="the lines" label="" />
  </Empty>
);
