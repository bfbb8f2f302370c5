/** Live sessions, newest first: id and label, requests, misses, time until it ends, seed. */
import type { JSX } from 'preact';
import type { ListedSessionRecord } from '../../../client/shapes.ts';
import { SafeLine } from '../../parts/safe-text.tsx';
import { Cell, VirtualList } from '../../parts/virtual-list.tsx';
import { countText, timeLeft } from './session-words.ts';
import type { Sessions } from './use-sessions.ts';

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
