/** All mocks: search and filters, state, version, unsaved changes, and current request rates. */
import { useState } from 'preact/hooks';
import type { MockQuery, MockRecord } from '../../client/shapes.ts';
import { Button } from '../parts/controls.tsx';
import { Command, CopyButton } from '../parts/copy-button.tsx';
import { ChoiceFilter, SearchFilter } from '../parts/filters.tsx';
import { Page } from '../parts/page.tsx';
import { perSecond, RateChart, Sparkline } from '../parts/rate-chart.tsx';
import { RATE_POINTS } from '../parts/rates.ts';
import { SafeLine } from '../parts/safe-text.tsx';
import { ASK_AN_EDITOR, Empty, Shown } from '../parts/states.tsx';
import { Cell, VirtualList } from '../parts/virtual-list.tsx';
import { countText } from '../parts/words.ts';
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

const STATES = [
  ['', 'Any state'],
  ['running', 'Running'],
  ['stopped', 'Stopped'],
] as const;

const CHANGES = [
  ['', 'Any save state'],
  ['true', 'With unsaved changes'],
  ['false', 'All saved'],
] as const;

const SORTS = [
  ['', 'Newest first'],
  ['creationDate', 'Oldest first'],
  ['name', 'Name'],
  ['-modificationDate', 'Recently changed'],
] as const;

const ROW_PX = 44;

export function MocksScreen(): JSX.Element {
  const { query } = place.value;
  const filters = {
    q: query.get('q'),
    state: query.get('state'),
    unsaved: query.get('unsaved'),
    sort: query.get('sort'),
  };
  const isFiltered = filters.q !== undefined || filters.state !== undefined || filters.unsaved !== undefined;
  const list = usePagedList<MockRecord>(
    (page) => api().mocks.list({ ...page, ...queryOf(filters) }),
    [filters.q, filters.state, filters.unsaved, filters.sort],
    { whenChanged: ({ command }) => (command.startsWith('mock.') ? 'reload' : undefined) },
  );
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<MockRecord>();
  const [active, setActive] = useState(0);
  useRates();
  useShortcuts(mayEdit.value ? [{ keys: 'n', label: 'New mock', run: () => setCreating(true) }] : [], [mayEdit.value]);
  const mayDelete = (record: MockRecord): boolean => mayEdit.value && record.file === null;
  const at = (index: number): MockRecord | undefined => list.at(index);
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
                <VirtualList
                  label="Mocks"
                  count={total}
                  rowHeight={ROW_PX}
                  keyOf={(index) => at(index)?.id ?? String(index)}
                  row={(index) => (
                    <MockCells
                      record={at(index)}
                      isActive={index === Math.min(active, total - 1)}
                      onChange={(record) => list.replace(index, record)}
                      onDelete={setDeleted}
                    />
                  )}
                  onRange={(first, end) => list.show(first, end)}
                  onActive={setActive}
                  onOpen={(index) => {
                    const record = at(index);
                    if (record !== undefined) navigate(['mocks', record.id]);
                  }}
                  onKey={({ key }, index) => {
                    const record = at(index);
                    if (key !== 'Delete' || record === undefined || !mayDelete(record)) return false;
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
    <Button onClick={() => refine({ q: undefined, state: undefined, unsaved: undefined })}>Show all mocks</Button>
  </Empty>
);

type Filters = { readonly [Name in 'q' | 'state' | 'unsaved' | 'sort']: string | undefined };

/** The API refuses values it does not know, and the screen shows the refusal. */
function queryOf({ q, state, unsaved, sort }: Filters): MockQuery {
  return {
    ...(q === undefined ? {} : { q }),
    ...(state === undefined ? {} : { state: state as 'running' }),
    ...(unsaved === undefined ? {} : { unsaved: unsaved === 'true' }),
    sort: (sort ?? '-creationDate') as 'name',
  };
}

interface MockCellsProps {
  /** undefined while loading. */
  readonly record: MockRecord | undefined;
  /** The row that has the keyboard: Tab reaches its buttons. */
  readonly isActive: boolean;
  readonly onChange: (record: MockRecord) => void;
  readonly onDelete: (record: MockRecord) => void;
}

function MockCells({ record, isActive, onChange, onDelete }: MockCellsProps): JSX.Element {
  if (record === undefined) return <Cell class="muted">…</Cell>;
  const { id, name, state, version, routeCount, hasStagedChanges, file, published } = record;
  const address = api().mocks.urlFor(record);
  const shortName = visibleLine(name, 60);
  return (
    <>
      <Cell class="mocks-state">
        <MockState state={state} />
      </Cell>
      <Cell class="wide">
        <div class="mocks-named">
          <a class="mocks-name" href={hrefOf(['mocks', id])} tabIndex={-1}>
            <SafeLine text={name} />
          </a>
          {hasStagedChanges && <span class="badge warn">unsaved</span>}
          {file !== null && <span class="badge">file</span>}
          {published === false && <span class="badge warn">not served by every thread yet</span>}
        </div>
        <code class="mocks-address muted">{address}</code>
      </Cell>
      <Cell class="mocks-routes muted">
        {countText(routeCount, 'route')} · v{version}
      </Cell>
      <RateCell mockId={id} />
      <Cell class="mocks-actions">
        <CopyButton text={address} what={`address of ${shortName}`} skipped={!isActive}>
          Copy<span class="mocks-copied"> address</span>
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
    <Cell class="mocks-rate">
      <Sparkline rates={points.map(({ total }) => total)} points={RATE_POINTS} />
      <span class="mocks-number">{perSecond(now?.total ?? 0)}</span>
      {(now?.missed ?? 0) > 0 && <span class="badge bad">{perSecond(now?.missed ?? 0)} missed</span>}
    </Cell>
  );
}

interface TurnProps extends Pick<MockCellsProps, 'isActive' | 'onChange'> {
  readonly record: MockRecord;
}

function Turn({ record, isActive, onChange }: TurnProps): JSX.Element {
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
