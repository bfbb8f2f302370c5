/** Who changed what, and when: filters, entries newest first, and the selected entry. */
import { useRef } from 'preact/hooks';
import type { HistoryPage, HistoryRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { Command } from '../parts/copy-button.tsx';
import { Drawer } from '../parts/dialog.tsx';
import { ChoiceFilter, SearchFilter } from '../parts/filters.tsx';
import { Moment, wholeMoment } from '../parts/moment.tsx';
import { Page } from '../parts/page.tsx';
import { SafeLine } from '../parts/safe-text.tsx';
import { Facts, Section } from '../parts/section.tsx';
import { Empty, FailureBox, Shown } from '../parts/states.tsx';
import { Cell, RowList } from '../parts/virtual-list.tsx';
import { countText, numberText } from '../parts/words.ts';
import { hrefOf, place, refine } from '../state/place.ts';
import { API_URL, mayEdit } from '../state/session.ts';
import { apiCommand } from '../state/api-command.ts';
import { COMMAND_WORDS, commandText, FILTERS, type HistoryFilters } from './entry-words.ts';
import { RecordLink, useFreshRecords } from './records.tsx';
import { useHistory } from './use-history.ts';

export const HistoryScreen = (): JSX.Element => (
  <Page title="History" screen="history">
    {mayEdit.value ? <History /> : <ForEditors />}
  </Page>
);

const ROW_PX = 36;

function History(): JSX.Element {
  const { query } = place.value;
  const filters = FILTERS.of(query);
  const isFiltered = Object.values(filters).some((value) => value !== '');
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
                <span>{countText(newCount, 'new change')}</span>
                <Button onClick={toTop}>Show</Button>
              </p>
            )}
            <div class={entry === undefined ? 'panes' : 'panes open'}>
              <div class="column" ref={pane}>
                {records.length > 0 && (
                  <RowList
                    label="Changes"
                    rows={records}
                    rowHeight={ROW_PX}
                    idOf={({ version }) => String(version)}
                    selected={opened}
                    onOpen={({ version }) => refine({ entry: version })}
                    cells={(each) => <EntryCells entry={each} />}
                  />
                )}
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

function Filters({ filters }: { readonly filters: HistoryFilters }): JSX.Element {
  return (
    <>
      <search class="filters">
        <SearchFilter name="user" label="User" placeholder="User (exact)" isFind />
        <SearchFilter name="record" label="Record" placeholder="Id of a mock, rule or group" />
        <ChoiceFilter name="command" label="Command" options={[['', 'Any command'], ...COMMAND_WORDS]} />
      </search>
      {filters.record !== '' && (
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

/** The server reads 10,000 entries at a time: a filtered page may be empty without being the last. */
function Foot({ page: { records, nextBefore }, isFiltered, older }: FootProps): JSX.Element {
  const count = records.length;
  const words = countText(count, 'change');
  return (
    <>
      <FailureBox failure={older.failure} what="Loading older changes" onRetry={() => void older.load()} />
      <div class="row">
        <span class="muted" role="status">
          {nextBefore === null
            ? `${words}: ${isFiltered ? 'all matches' : 'the complete history'}.`
            : `The newest ${words}.`}
        </span>
        {nextBefore !== null && (
          <Button busy={older.isLoading} onClick={() => void older.load()}>
            Load older
          </Button>
        )}
        {count === 0 && isFiltered && <Button onClick={() => refine(FILTERS.none)}>Show all</Button>}
      </div>
    </>
  );
}

function EntryCells({ entry }: { readonly entry: HistoryRecord }): JSX.Element {
  const { date, user, command, recordIds, recordCount } = entry;
  const [first] = recordIds;
  return (
    <>
      <Cell class="w-7">
        <Moment at={date} />
      </Cell>
      <Cell class="w-10 from-701">
        <SafeLine text={user} max={60} />
      </Cell>
      <Cell class="w-15">
        <SafeLine text={commandText(command)} />
      </Cell>
      <Cell class="wide">
        {first !== undefined && <RecordLink id={first} command={entry.command} isInRow />}
        {recordCount > 1 && <span class="muted"> and {numberText(recordCount - 1)} more</span>}
      </Cell>
    </>
  );
}

interface EntryDetailsProps {
  readonly entry: HistoryRecord;
  readonly onClose: () => void;
}

/** One entry: user, exact time, key, and records. */
function EntryDetails({ entry, onClose }: EntryDetailsProps): JSX.Element {
  const { version, date, user, keyId, command, recordIds, recordCount } = entry;
  return (
    <Drawer title={commandText(command)} onClose={onClose}>
      <Facts
        rows={[
          ['When', wholeMoment(date)],
          [
            'By',
            <>
              <SafeLine text={user} /> · <a href={hrefOf(['history'], { user })}>all by this user</a>
            </>,
          ],
          ['Key', <code>{keyId}</code>],
          [
            'Command',
            <>
              <code>{command}</code> · <a href={hrefOf(['history'], { command })}>all of this kind</a>
            </>,
          ],
          ['Change', `no. ${numberText(version)} of this account`],
        ]}
      />
      <Section title={countText(recordCount, 'record')}>
        <ul class="stack tight">
          {recordIds.map((id) => (
            <li key={id}>
              <RecordLink id={id} command={entry.command} /> ·{' '}
              <a href={hrefOf(['history'], { record: id })}>its history</a>
            </li>
          ))}
        </ul>
        {recordIds.length < recordCount && <p class="muted">The history records the first {recordIds.length}.</p>}
      </Section>
    </Drawer>
  );
}

/** Shown before the first change, and to viewers. */
function NoHistory(): JSX.Element {
  return (
    <Empty title="No changes yet">
      <p>
        Every change to a mock, rule or group appears here, with its user and time, whether made in the console, through
        the API or by a file. <a href={hrefOf(['mocks'])}>Create a mock</a> or <a href={hrefOf(['rules'])}>a rule</a>,
        and it is the first.
      </p>
      <Command text={apiCommand(`${API_URL}/history`)} />
    </Empty>
  );
}

const ForEditors = (): JSX.Element => (
  <Empty title="The history needs an editor key">
    <p>
      It says who did what, with which key. Your key is a viewer's, so the server refuses it here (status 401). Somebody
      who runs the server can make an editor's key: <code>switchyard keys create</code>.
    </p>
  </Empty>
);
