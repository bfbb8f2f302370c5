/** All mocks: search and filters, state, version, what is unsaved, and how much each is asked just now. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { MockQuery, MockRecord } from '../../client/shapes.ts';
import { usePagedList } from '../paged-list.ts';
import { Button, SelectField, TextField } from '../parts/controls.tsx';
import { Page } from '../parts/page.tsx';
import { RateChart } from '../parts/rate-chart.tsx';
import { Shown } from '../parts/states.tsx';
import { VirtualList } from '../parts/virtual-list.tsx';
import { go, place, refine } from '../place.ts';
import { api, mayEdit } from '../session.ts';
import { useSearchText } from '../search-text.ts';
import { MockCells } from './mock-row.tsx';
import { NewMock } from './new-mock.tsx';
import { NoMocks } from './no-mocks.tsx';
import { rates, useRates } from './rate-poller.ts';
import { RATE_POINTS, sumOf } from './rates.ts';

const STATES = [
  ['', 'Any state'],
  ['running', 'Running'],
  ['stopped', 'Stopped'],
] as const;

const CHANGES = [
  ['', 'Saved or not'],
  ['true', 'With unsaved changes'],
  ['false', 'All saved'],
] as const;

const SORTS = [
  ['', 'Newest last'],
  ['-creationDate', 'Newest first'],
  ['name', 'Name'],
  ['-modificationDate', 'Last changed first'],
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
  const search = useSearchText('q');
  useRates();
  const at = (index: number): MockRecord | undefined => list.at(index);
  return (
    <Page
      title="Mocks"
      actions={
        mayEdit.value && (
          <Button kind="primary" onClick={() => setCreating(true)}>
            New mock
          </Button>
        )
      }
    >
      <Shown of={list} what="the mocks">
        {({ total }) =>
          total === 0 && !isFiltered ? (
            <NoMocks onCreate={() => setCreating(true)} />
          ) : (
            <>
              <RateChart
                label="Requests of all mocks"
                rates={sumOf(rates.value).map(({ classes }) => classes)}
                seconds={RATE_POINTS}
              />
              <search class="filters">
                <TextField
                  label="Find a mock"
                  hiddenLabel
                  type="search"
                  placeholder="Find by name…"
                  isFind
                  {...search}
                />
                <SelectField
                  label="State"
                  hiddenLabel
                  value={filters.state ?? ''}
                  options={STATES}
                  onChange={(state) => refine({ state })}
                />
                <SelectField
                  label="Changes"
                  hiddenLabel
                  value={filters.unsaved ?? ''}
                  options={CHANGES}
                  onChange={(unsaved) => refine({ unsaved })}
                />
                <SelectField
                  label="Order"
                  hiddenLabel
                  value={filters.sort ?? ''}
                  options={SORTS}
                  onChange={(sort) => refine({ sort })}
                />
                <span class="muted" role="status">
                  {total.toLocaleString('en')} {total === 1 ? 'mock' : 'mocks'}
                </span>
              </search>
              {total > 0 && (
                <VirtualList
                  label="Mocks"
                  count={total}
                  rowHeight={ROW_PX}
                  keyOf={(index) => at(index)?.id ?? String(index)}
                  row={(index) => <MockCells record={at(index)} onChange={(record) => list.replace(index, record)} />}
                  onRange={(first, end) => list.show(first, end)}
                  onOpen={(index) => {
                    const record = at(index);
                    if (record !== undefined) go(['mocks', record.id]);
                  }}
                />
              )}
            </>
          )
        }
      </Shown>
      {isCreating && <NewMock onClose={() => setCreating(false)} />}
    </Page>
  );
}

type Filters = { readonly [Name in 'q' | 'state' | 'unsaved' | 'sort']: string | undefined };

/** What an address says beyond what the API takes is refused by it, and shown. */
function queryOf({ q, state, unsaved, sort }: Filters): MockQuery {
  return {
    ...(q === undefined ? {} : { q }),
    ...(state === undefined ? {} : { state: state as 'running' }),
    ...(unsaved === undefined ? {} : { unsaved: unsaved === 'true' }),
    ...(sort === undefined ? {} : { sort: sort as 'name' }),
  };
}
