/** The live sessions of a mock. */
import type { ListedSessionRecord } from '../../../client/shapes.ts';
import { Command } from '../../parts/copy-button.tsx';
import { Empty } from '../../parts/states.tsx';
import { countText } from '../../parts/words.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import type { PagedList } from '../../state/paged-list.ts';
import { api, mayEdit } from '../../state/session.ts';
import { SessionsFrame } from './live-session.tsx';
import { SessionDetail } from './session-detail.tsx';

export const SessionsScreen = ({ record: { id }, path: [selected] }: MockScreenProps): JSX.Element => (
  <SessionsFrame<ListedSessionRecord>
    at={['mocks', id, 'sessions']}
    selected={selected}
    load={(page) => api().mocks.sessions(id, page)}
    about={({ seed }) => <span class="muted">seed {seed}</span>}
    counts={({ total, unmatched }) => (
      <>
        <span>{countText(total, 'request')}</span>
        <span class={unmatched !== null && unmatched > 0 ? 'badge bad' : 'muted'}>
          {countText(unmatched, 'miss', 'misses')}
        </span>
      </>
    )}
    none={<NoSessions mockId={id} />}
    detail={(sessionId, sessions) => (
      <SessionDetail
        mockId={id}
        sessionId={sessionId}
        listed={listedSession(sessions, sessionId)}
        onEnded={() => void sessions.reload()}
      />
    )}
  />
);

/** @returns null when no page has it, undefined while pages are missing. */
function listedSession(sessions: PagedList<ListedSessionRecord>, id: string): ListedSessionRecord | null | undefined {
  let count = 0;
  for (const [, session] of sessions.loaded()) {
    if (session.id === id) return session;
    count++;
  }
  const total = sessions.state.value.value?.total;
  return total !== undefined && count >= total ? null : undefined;
}

/** Explains sessions, and how a test creates one. */
function NoSessions({ mockId }: { readonly mockId: string }): JSX.Element {
  const lines = `await using session = await client.mocks.session('${mockId}', { label: 'my test' });
const response = await session.fetch('/');`;
  return (
    <Empty
      title="No live sessions"
      docs={['mocks-sessions', 'Session documentation']}
      waiting="Live sessions appear here."
    >
      <p>
        A session is one test's own view of this mock: its own responses, sequences, seed, counts and traffic, while
        other tests use the same mock. In a test, with the client:
      </p>
      <Command text={lines} what="the lines" label="" />
      {!mayEdit.value && <p>Creating one needs an editor key.</p>}
    </Empty>
  );
}
