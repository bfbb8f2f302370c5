/** Who has changed what, and when: filters in the address, newest first, with the entry of the address beside it. */
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import type { HistoryPage, HistoryRecord } from '../../client/shapes.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { FailureBox, Shown } from '../parts/states.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { place, refine } from '../state/place.ts';
import { useSearchText } from '../state/search-text.ts';
import { mayEdit } from '../state/session.ts';
import { visibleLine } from '../state/visible-text.ts';
import { COMMAND_WORDS } from './command-words.ts';
import { EntryCells } from './entry-cells.tsx';
import { EntryDetails } from './entry-details.tsx';
import { ForEditors, NoHistory } from './no-history.tsx';
import { RecordLink } from './record-link.tsx';
import { useFreshRecords } from './records.ts';
import type { HistoryFilters } from './history-filters.ts';
import { useHistory } from './use-history.ts';

export const HistoryScreen = (): JSX.Element => (
  <Page title="History" screen="history">
    {mayEdit.value ? <History /> : <ForEditors />}
  </Page>
);

const ROW_PX = 36;

function History(): JSX.Element {
  const { query } = place.value;
  const filters: HistoryFilters = {
    record: query.get('record'),
    user: query.get('user'),
    command: query.get('command'),
  };
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const { log, older, newCount, showNew } = useHistory(filters);
  useFreshRecords();
  const pane = useRef<HTMLDivElement>(null);
  const toTop = (): void => {
    showNew();
    const list = pane.current?.querySelector<HTMLElement>('[role=grid]');
    list?.scrollTo({ top: 0 });
    list?.focus();
  };
  const opened = query.get('entry');
  return (
    <Shown of={log} what="the history">
      {({ records, nextBefore }) => {
        if (records.length === 0 && nextBefore === null && !isFiltered && newCount === 0) return <NoHistory />;
        const entry = records.find(({ version }) => String(version) === opened);
        return (
          <>
            <Filters filters={filters} />
            {newCount > 0 && (
              <p class="bar" role="status">
                <span>
                  {newCount.toLocaleString('en')} new {newCount === 1 ? 'change' : 'changes'}
                </span>
                <Button onClick={toTop}>Show</Button>
              </p>
            )}
            <div class={entry === undefined ? 'panes' : 'panes open'}>
              <div class="history-list" ref={pane}>
                {records.length > 0 && <Entries records={records} opened={opened} />}
                <Foot page={{ records, nextBefore }} isFiltered={isFiltered} older={older} />
              </div>
              {entry !== undefined && (
                <EntryDetails key={entry.version} entry={entry} onClose={() => refine({ entry: undefined })} />
              )}
            </div>
          </>
        );
      }}
    </Shown>
  );
}

interface EntriesProps {
  readonly records: readonly HistoryRecord[];
  /** The version of the entry that is shown beside. */
  readonly opened: string | undefined;
}

function Entries({ records, opened }: EntriesProps): JSX.Element {
  const at = (index: number): HistoryRecord => records[index] as HistoryRecord;
  return (
    <VirtualList
      label="Changes"
      count={records.length}
      rowHeight={ROW_PX}
      keyOf={(index) => String(at(index).version)}
      isSelected={(index) => String(at(index).version) === opened}
      onOpen={(index) => refine({ entry: at(index).version })}
      row={(index) => <EntryCells entry={at(index)} />}
    />
  );
}

function Filters({ filters }: { readonly filters: HistoryFilters }): JSX.Element {
  const user = useSearchText('user');
  const record = useSearchText('record');
  const { command = '' } = filters;
  const choices = [...COMMAND_WORDS];
  if (command !== '' && !COMMAND_WORDS.has(command)) choices.push([command, visibleLine(command, 60)]);
  return (
    <>
      <search class="filters">
        <TextField label="User" hiddenLabel type="search" placeholder="User, as spelt" isFind {...user} />
        <TextField label="Record" hiddenLabel type="search" placeholder="Id of a mock, rule or group" {...record} />
        <SelectField
          label="What was done"
          hiddenLabel
          value={command}
          options={[['', 'Anything done'], ...choices]}
          onChange={(chosen) => refine({ command: chosen })}
        />
      </search>
      {filters.record !== undefined && (
        <p class="row">
          <span>
            Changes of <RecordLink id={filters.record} />
          </span>
          <Button onClick={() => refine({ record: undefined })}>All records</Button>
        </p>
      )}
    </>
  );
}

interface FootProps {
  readonly page: HistoryPage;
  readonly isFiltered: boolean;
  readonly older: ReturnType<typeof useHistory>['older'];
}

/** The server looks at 10,000 entries at a time, so that a page under a filter may be empty and not the last. */
function Foot({ page: { records, nextBefore }, isFiltered, older }: FootProps): JSX.Element {
  const count = records.length;
  const words = `${count.toLocaleString('en')} ${count === 1 ? 'change' : 'changes'}`;
  return (
    <>
      {older.failure !== undefined && (
        <FailureBox failure={older.failure} what="Loading older changes" onRetry={() => void older.load()} />
      )}
      <div class="row history-foot">
        <span class="muted" role="status">
          {nextBefore === null ? `${words}: all that are kept${isFiltered ? ' and fit' : ''}.` : `The newest ${words}.`}
        </span>
        {nextBefore !== null && (
          <Button busy={older.isLoading} onClick={() => void older.load()}>
            Load older
          </Button>
        )}
        {count === 0 && isFiltered && (
          <Button onClick={() => refine({ record: undefined, user: undefined, command: undefined })}>Show all</Button>
        )}
      </div>
    </>
  );
}
