/** The live sessions of a mock, with the selected one beside the list. */
import type { ListedSessionRecord } from '../../../client/shapes.ts';
import { Command } from '../../parts/copy-button.tsx';
import { Panes } from '../../parts/panes.tsx';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Empty, Shown } from '../../parts/states.tsx';
import { Cell } from '../../parts/virtual-list.tsx';
import { countText } from '../../parts/words.ts';
import type { MockScreenProps } from '../../state/mock-screen-props.ts';
import { usePagedList, type PagedList } from '../../state/paged-list.ts';
import { navigate, hrefOf } from '../../state/place.ts';
import { usePolled } from '../../state/polled.ts';
import { api, mayEdit } from '../../state/session.ts';
import { SessionList } from './live-session.tsx';
import { SessionDetail } from './session-detail.tsx';
import { timeLeft } from './time-left.ts';

export function SessionsScreen({ record: { id }, path: [selected] }: MockScreenProps): JSX.Element {
  const sessions = useSessions(id);
  return (
    <Shown of={sessions} what="the sessions">
      {({ total }) =>
        total === 0 && selected === undefined ? (
          <NoSessions mockId={id} />
        ) : (
          <Panes
            list={
              <SessionList
                sessions={sessions}
                total={total}
                selected={selected}
                onOpen={(sessionId) => navigate(['mocks', id, 'sessions', sessionId])}
                cells={(session) => <SessionCells session={session} />}
              />
            }
            none="Select a session."
            back={{ label: 'All sessions', href: hrefOf(['mocks', id, 'sessions']) }}
            detail={
              selected && (
                <SessionDetail
                  key={selected}
                  mockId={id}
                  sessionId={selected}
                  listed={listedSession(sessions, selected)}
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

function SessionCells({ session }: { readonly session: ListedSessionRecord }): JSX.Element {
  const { id, label, total, unmatched, expiresAt, seed } = session;
  return (
    <>
      <Cell class="wide session-name">
        <strong class="monospace">{id}</strong>
        {label !== '' && <SafeLine text={label} max={80} />}
        <span class="muted">seed {seed}</span>
      </Cell>
      <Cell class="session-counts">
        <span>{countText(total, 'request')}</span>
        <span class={unmatched !== null && unmatched > 0 ? 'badge bad' : 'muted'}>
          {countText(unmatched, 'miss', 'misses')}
        </span>
      </Cell>
      <Cell class="session-end muted">ends in {timeLeft(expiresAt, Date.now())}</Cell>
    </>
  );
}

export type Sessions = PagedList<ListedSessionRecord>;

/** Reads the sessions every two seconds in a visible tab. Listing does not extend a session. */
function useSessions(mockId: string): Sessions {
  const sessions = usePagedList<ListedSessionRecord>((page) => api().mocks.sessions(mockId, page), [mockId]);
  usePolled(sessions);
  return sessions;
}

/** @returns null when no page has it, undefined while pages are missing. */
function listedSession(sessions: Sessions, id: string): ListedSessionRecord | null | undefined {
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
    <Empty title="No live sessions">
      <p>
        A session is one test's own view of this mock: its own responses, sequences, seed, counts and traffic, while
        other tests use the same mock. In a test, with the client:
      </p>
      <Command text={lines} what="the lines" label="" />
      {!mayEdit.value && <p>Creating one needs an editor key.</p>}
      <p>
        <a href="console/docs/mocks-sessions" target="_blank" rel="noreferrer">
          Session documentation
        </a>
      </p>
      <p class="muted" role="status">
        Live sessions appear here.
      </p>
    </Empty>
  );
}
