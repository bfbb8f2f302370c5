/** Live sessions, newest first: id and label, requests, misses, time until it ends, seed. */
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import type { ListedSessionRecord } from '../../../client/shapes.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Cell, VirtualList } from '../../parts/virtual-list.tsx';
import { usePagedList, type PagedList } from '../../state/paged-list.ts';
import { api } from '../../state/session.ts';
import { countText, timeLeft } from './session-words.ts';

interface SessionListProps {
  readonly sessions: Sessions;
  readonly total: number;
  readonly selected: string | undefined;
  readonly onOpen: (id: string) => void;
}

const ROW_PX = 72;

export function SessionList({ sessions, total, selected, onOpen }: SessionListProps): JSX.Element {
  return (
    <VirtualList
      label="Sessions"
      count={total}
      rowHeight={ROW_PX}
      keyOf={(index) => sessions.at(index)?.id ?? String(index)}
      isSelected={(index) => selected !== undefined && sessions.at(index)?.id === selected}
      onRange={(first, end) => sessions.show(first, end)}
      onOpen={(index) => {
        const session = sessions.at(index);
        if (session !== undefined) onOpen(session.id);
      }}
      row={(index) => {
        const session = sessions.at(index);
        return session === undefined ? <Cell>…</Cell> : <SessionCells session={session} />;
      }}
    />
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

const READING_MS = 2_000;

export type Sessions = PagedList<ListedSessionRecord>;

export function useSessions(mockId: string): Sessions {
  const sessions = usePagedList<ListedSessionRecord>((page) => api().mocks.sessions(mockId, page), [mockId]);
  useEffect(() => {
    const read = (): void => {
      const { isLoading, failure } = sessions.state.value;
      // A failure is repeated by the list itself, or by the person.
      if (!document.hidden && !isLoading && failure === undefined) void sessions.reload();
    };
    const timer = setInterval(read, READING_MS);
    document.addEventListener('visibilitychange', read);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', read);
    };
  }, [sessions]);
  return sessions;
}

/** As the list has it. @returns null when it is in none of the pages, and undefined when pages are missing. */
export function listedSession(sessions: Sessions, id: string): ListedSessionRecord | null | undefined {
  let count = 0;
  for (const [, session] of sessions.loaded()) {
    if (session.id === id) return session;
    count++;
  }
  const total = sessions.state.value.value?.total;
  return total !== undefined && count >= total ? null : undefined;
}
