/** All mocks: search and filters, state, version, unsaved changes, and current request rates. */
import { useState } from 'preact/hooks';
import type { MockQuery, MockRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { Command, CopyButton } from '../parts/copy-button.tsx';
import { ChoiceFilter, SearchFilter } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { perSecond, RateChart, Sparkline } from '../parts/rate-chart.tsx';
import { RATE_POINTS } from '../parts/rates.ts';
import { HeadTail, SafeLine } from '../parts/safe-text.tsx';
import { ASK_AN_EDITOR, Empty, Shown } from '../parts/states.tsx';
import { Cell, RowList } from '../parts/virtual-list.tsx';
import { choices, countText } from '../parts/words.ts';
import { dropEmpty, filtersBy } from '../state/filters.ts';
import { usePagedList } from '../state/paged-list.ts';
import { navigate, hrefOf, place, refine } from '../state/place.ts';
import { api, API_URL, mayEdit } from '../state/session.ts';
import { apiCommand } from '../state/api-command.ts';
import { useShortcuts } from '../state/shortcuts.ts';
import { notify } from '../state/toasts.ts';
import { turningText, turnMock, turnText } from '../state/turn-mock.ts';
import { visibleLine } from '../state/visible-text.ts';
import { useWrite } from '../state/write.ts';
import { DeleteMock } from './delete-mock.tsx';
import { MockState } from './mock-head.tsx';
import { NewMock } from './new-mock.tsx';
import { allRates, rates, useRates } from './rate-poller.ts';

const STATES = choices({ '': 'Any state', running: 'Running', stopped: 'Stopped' });

const CHANGES = choices({ '': 'Any save state', true: 'With unsaved changes', false: 'All saved' });

const SORTS = choices({
  '': 'Newest first',
  creationDate: 'Oldest first',
  name: 'Name',
  '-modificationDate': 'Recently changed',
});

const FILTERS = filtersBy('q', 'state', 'unsaved');

const ROW_PX = 44;

export function MocksScreen(): JSX.Element {
  const { query } = place.value;
  const filters = FILTERS.of(query);
  const sort = query.get('sort') ?? '-creationDate';
  const isFiltered = Object.values(filters).some((value) => value !== '');
  const list = usePagedList<MockRecord>(
    (page) => api().mocks.list({ ...page, ...queryOf(filters), sort: sort as 'name' }),
    [...Object.values(filters), sort],
    { whenChanged: ({ command }) => (command.startsWith('mock.') ? 'reload' : undefined) },
  );
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<MockRecord>();
  const [active, setActive] = useState(0);
  useRates();
  useShortcuts(mayEdit.value ? [{ keys: 'n', label: 'New mock', run: () => setCreating(true) }] : [], [mayEdit.value]);
  return (
    <Page
      title="Mocks"
      actions={
        mayEdit.value && (
          <>
            <a class="button" href={hrefOf(['mocks', 'import'])}>
              Import
            </a>
            <Button kind="primary" onClick={() => setCreating(true)}>
              New mock
            </Button>
          </>
        )
      }
    >
      <Shown of={list} what="the mocks">
        {({ total }) =>
          total === 0 && !isFiltered ? (
            <NoMocks onCreate={() => setCreating(true)} />
          ) : (
            <>
              <search class="filters">
                <SearchFilter name="q" label="Find a mock" placeholder="Find by name…" isFind />
                <ChoiceFilter name="state" label="State" options={STATES} />
                <ChoiceFilter name="unsaved" label="Changes" options={CHANGES} />
                <ChoiceFilter name="sort" label="Order" options={SORTS} />
                <span class="muted" role="status">
                  {countText(total, 'mock')}
                </span>
              </search>
              {total === 0 ? (
                <NothingFound />
              ) : (
                <RowList
                  label="Mocks"
                  rows={list}
                  rowHeight={ROW_PX}
                  idOf={({ id }) => id}
                  cells={(record, index) => (
                    <MockCells
                      record={record}
                      isActive={index === Math.min(active, total - 1)}
                      onChange={(changed) => list.replace(index, changed)}
                      onDelete={setDeleted}
                    />
                  )}
                  onActive={setActive}
                  onOpen={({ id }) => navigate(['mocks', id])}
                  onKey={({ key }, record) => {
                    if (key !== 'Delete' || !mayEdit.value || record.file !== null) return false;
                    setDeleted(record);
                    return true;
                  }}
                />
              )}
              <AllRates />
            </>
          )
        }
      </Shown>
      {isCreating && <NewMock onClose={() => setCreating(false)} />}
      {deleted !== undefined && (
        <DeleteMock
          key={deleted.id}
          record={deleted}
          onClose={() => setDeleted(undefined)}
          onDeleted={() => {
            setDeleted(undefined);
            void list.reload().then(focusList);
          }}
        />
      )}
    </Page>
  );
}

/** A component of its own: it is redrawn each second. */
const AllRates = (): JSX.Element | null => (
  <RateChart label="Requests of all mocks" rates={allRates.value} seconds={RATE_POINTS} />
);

const NoMocks = ({ onCreate }: { readonly onCreate: () => void }): JSX.Element => (
  <Empty title="No mocks yet">
    <p>
      A mock is an HTTP server with its own address. Its routes define the answers. It records every request, and
      explains why a request matched no route.
    </p>
    {mayEdit.value ? (
      <>
        <Button kind="primary" onClick={onCreate}>
          New mock
        </Button>
        <Command text={apiCommand(`${API_URL}/mocks`, '{"name":"Payments","start":true}')} />
      </>
    ) : (
      <p>{ASK_AN_EDITOR}</p>
    )}
  </Empty>
);

/** The focused row is gone. */
function focusList(): void {
  requestAnimationFrame(() => {
    const list = document.querySelector<HTMLElement>('main [role=grid]') ?? document.querySelector('h1');
    list?.focus();
  });
}

const NothingFound = (): JSX.Element => (
  <Empty title="No mocks match these filters">
    <p>The search covers names and descriptions.</p>
    <Button onClick={() => refine(FILTERS.none)}>Show all mocks</Button>
  </Empty>
);

/** The API refuses values it does not know, and the screen shows the refusal. */
const queryOf = ({ q, state, unsaved }: ReturnType<typeof FILTERS.of>): MockQuery =>
  dropEmpty({ q, state: state as 'running', unsaved: unsaved === '' ? undefined : unsaved === 'true' });

interface MockCellsProps {
  readonly record: MockRecord;
  /** The row that has the keyboard: Tab reaches its buttons. */
  readonly isActive: boolean;
  readonly onChange: (record: MockRecord) => void;
  readonly onDelete: (record: MockRecord) => void;
}

function MockCells({ record, isActive, onChange, onDelete }: MockCellsProps): JSX.Element {
  const { id, name, state, version, routeCount, hasStagedChanges, file, published } = record;
  const address = api().mocks.urlFor(record);
  const idAt = Math.max(0, address.lastIndexOf(id));
  const shortName = visibleLine(name, 60);
  return (
    <>
      <Cell class="mocks-state w-6">
        <MockState state={state} />
      </Cell>
      <Cell class="wide">
        <div class="one-line">
          <a class="mocks-name cut" href={hrefOf(['mocks', id])} tabIndex={-1}>
            <SafeLine text={name} />
          </a>
          {hasStagedChanges && <span class="badge warn">unsaved</span>}
          {file !== null && <span class="badge">file</span>}
          {published === false && <span class="badge warn">not served by every thread yet</span>}
        </div>
        <code class="mocks-address">
          <HeadTail head={address.slice(0, idAt)} tail={address.slice(idAt)} />
        </code>
      </Cell>
      <Cell class="w-10 muted from-701">
        {countText(routeCount, 'route')} · v{version}
      </Cell>
      <RateCell mockId={id} />
      <Cell class="mocks-actions one-line">
        <CopyButton text={address} what={`address of ${shortName}`} skipped={!isActive}>
          Copy<span class="from-701"> address</span>
        </CopyButton>
        {mayEdit.value && <Turn record={record} isActive={isActive} onChange={onChange} />}
        {mayEdit.value && file === null && (
          <Button kind="quiet" label={`Delete ${shortName}`} skipped={!isActive} onClick={() => onDelete(record)}>
            Delete
          </Button>
        )}
      </Cell>
    </>
  );
}

function RateCell({ mockId }: { readonly mockId: string }): JSX.Element {
  const points = rates.value.get(mockId) ?? [];
  const now = points.at(-1);
  return (
    <Cell class="mocks-rate one-line">
      <Sparkline rates={points.map(({ total }) => total)} points={RATE_POINTS} />
      <span class="mocks-number">{perSecond(now?.total ?? 0)}</span>
      {(now?.missed ?? 0) > 0 && <span class="badge bad">{perSecond(now?.missed ?? 0)} missed</span>}
    </Cell>
  );
}

function Turn({ record, isActive, onChange }: Omit<MockCellsProps, 'onDelete'>): JSX.Element {
  const write = useWrite();
  const turn = async (): Promise<void> => {
    const answer = await write.run(() => turnMock(record));
    if (answer !== undefined) return onChange(answer);
    const failure = write.failure.value;
    if (failure !== undefined) notify(`${turningText(record)} failed: ${failure.message}`);
  };
  const verb = turnText(record);
  return (
    <Button
      label={`${verb} ${visibleLine(record.name, 60)}`}
      busy={write.isRunning.value}
      skipped={!isActive}
      onClick={() => void turn()}
    >
      {verb}
    </Button>
  );
}
