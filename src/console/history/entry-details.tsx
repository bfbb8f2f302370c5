/** One entry of the history: by whom, when to the second, with which key, and its records. */
import type { JSX } from 'preact';
import type { HistoryRecord } from '../../client/shapes.ts';
import { Drawer } from '../parts/drawer.tsx';
import { wholeMoment } from '../parts/moment-text.ts';
import { SafeLine } from '../parts/safe-text.tsx';
import { hrefOf } from '../state/place.ts';
import { commandText } from './command-words.ts';
import { RecordLink } from './record-link.tsx';

interface EntryDetailsProps {
  readonly entry: HistoryRecord;
  readonly onClose: () => void;
}

export function EntryDetails({ entry, onClose }: EntryDetailsProps): JSX.Element {
  const { version, date, user, keyId, command, recordIds, recordCount } = entry;
  return (
    <Drawer title={commandText(command)} onClose={onClose}>
      <dl class="history-facts">
        <dt>When</dt>
        <dd>{wholeMoment(date)}</dd>
        <dt>By</dt>
        <dd>
          <SafeLine text={user} /> · <a href={hrefOf(['history'], { user })}>all by this user</a>
        </dd>
        <dt>Key</dt>
        <dd>
          <code>{keyId}</code>
        </dd>
        <dt>Command</dt>
        <dd>
          <code>{command}</code> · <a href={hrefOf(['history'], { command })}>all of this kind</a>
        </dd>
        <dt>Change</dt>
        <dd>number {version.toLocaleString('en')} of this account</dd>
      </dl>
      <section class="stack" aria-labelledby="history-records">
        <h3 id="history-records">
          {recordCount.toLocaleString('en')} {recordCount === 1 ? 'record' : 'records'}
        </h3>
        <ul class="history-records">
          {recordIds.map((id) => (
            <li key={id}>
              <RecordLink id={id} /> · <a href={hrefOf(['history'], { record: id })}>its history</a>
            </li>
          ))}
        </ul>
        {recordIds.length < recordCount && (
          <p class="muted">The first {recordIds.length} of them are kept in the history.</p>
        )}
      </section>
    </Drawer>
  );
}
