/** A row of the history. */
import type { JSX } from 'preact';
import type { HistoryRecord } from '../../client/shapes.ts';
import { Moment } from '../parts/moment.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { Cell } from '../parts/virtual-list.tsx';
import { commandText } from './command-words.ts';
import { RecordLink } from './record-link.tsx';

export function EntryCells({ entry }: { readonly entry: HistoryRecord }): JSX.Element {
  const { date, user, command, recordIds, recordCount } = entry;
  const [first] = recordIds;
  return (
    <>
      <Cell class="history-when">
        <Moment at={date} />
      </Cell>
      <Cell class="history-user">
        <SafeLine text={user} max={60} />
      </Cell>
      <Cell class="history-what">
        <SafeLine text={commandText(command)} />
      </Cell>
      <Cell class="wide">
        {first !== undefined && <RecordLink id={first} isInRow />}
        {recordCount > 1 && <span class="muted"> and {(recordCount - 1).toLocaleString('en')} more</span>}
      </Cell>
    </>
  );
}
