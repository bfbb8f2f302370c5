/** The live sessions of a mock: the list, and beside it the session of the address. */
import type { JSX } from 'preact';
import { Shown } from '../parts/states.tsx';
import type { MockScreenProps } from '../state/mock-screen-props.ts';
import { go, hrefOf } from '../state/place.ts';
import { NoSessions } from './sessions/no-sessions.tsx';
import { SessionDetail } from './sessions/session-detail.tsx';
import { SessionList } from './sessions/session-list.tsx';
import { listedSession, useSessions } from './sessions/use-sessions.ts';

export function SessionsScreen({ record: { id }, path: [selected] }: MockScreenProps): JSX.Element {
  const sessions = useSessions(id);
  return (
    <Shown of={sessions} what="the sessions">
      {({ total }) =>
        total === 0 && selected === undefined ? (
          <NoSessions mockId={id} />
        ) : (
          <div class={selected === undefined ? 'version-panes' : 'version-panes open'}>
            <div class="version-list">
              <SessionList
                sessions={sessions}
                total={total}
                selected={selected}
                onOpen={(sessionId) => go(['mocks', id, 'sessions', sessionId])}
              />
            </div>
            {selected === undefined ? (
              <p class="muted version-none">Choose a session to see its addresses, overlay and states, or to end it.</p>
            ) : (
              <div class="version-detail">
                <a class="version-back" href={hrefOf(['mocks', id, 'sessions'])}>
                  ← All sessions
                </a>
                <SessionDetail
                  key={selected}
                  mockId={id}
                  sessionId={selected}
                  listed={listedSession(sessions, selected)}
                  onEnded={() => void sessions.reload()}
                />
              </div>
            )}
          </div>
        )
      }
    </Shown>
  );
}
