/** The live sessions of a mock, read again every two seconds while the tab is in view. To list them uses none: they expire as ever. */
import { useEffect } from 'preact/hooks';
import type { ListedSessionRecord } from '../../../client/shapes.ts';
import { usePagedList, type PagedList } from '../../state/paged-list.ts';
import { api } from '../../state/session.ts';

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
