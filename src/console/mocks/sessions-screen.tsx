/** The live sessions of a mock: the list, and beside it the session of the address. */
import type { JSX } from 'preact';
import { Panes } from '../parts/panes.tsx';
import { Shown } from '../parts/states.tsx';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { go, hrefOf } from '../state/place.ts';
import { NoSessions } from './sessions/no-sessions.tsx';
import { SessionDetail } from './sessions/session-detail.tsx';
import { listedSession, SessionList, useSessions } from './sessions/session-list.tsx';

export function SessionsScreen({ record: { id }, path: [selected] }: MockScreenProps): JSX.Element {
  const sessions = useSessions(id);
  return (
    <Shown of={sessions} what="the sessions">
      {({ total }) =>
        total === 0 && selected === undefined ? (
          <NoSessions mockId={id} />
        ) : (
          <Panes
            back={{ label: 'All sessions', href: hrefOf(['mocks', id, 'sessions']) }}
            none="Choose a session to see its addresses, overlay and states, or to end it."
            list={
              <SessionList
                sessions={sessions}
                total={total}
                selected={selected}
                onOpen={(sessionId) => go(['mocks', id, 'sessions', sessionId])}
              />
            }
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
