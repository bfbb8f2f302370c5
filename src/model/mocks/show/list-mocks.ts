/** Lists of an owner's mocks: all, or those that match a filter, in order of creation or in another. */
import type { Query } from '../../command.ts';
import { filteredPage, pageOf, type Page, type PageRequest } from '../../queries.ts';
import { hasStagedChanges, type Mock, type MockState } from '../mock.ts';

export interface MockFilter {
  /** Searched in name and description, ignoring case. */
  readonly q?: string;
  readonly state?: MockState;
  /** Whether the working copy differs from what is saved. */
  readonly unsaved?: boolean;
  readonly sort?: MockSort;
}

/** By which member, with "-" from the last to the first. Mocks of one name stay in order of creation. */
export const MOCK_SORTS = [
  'creationDate',
  '-creationDate',
  'modificationDate',
  '-modificationDate',
  'name',
  '-name',
] as const;
type MockSort = (typeof MOCK_SORTS)[number];

export const MOCK_STATES = ['running', 'stopped'] as const satisfies readonly MockState[];

export const listMocks: Query<{ page: PageRequest; filter: MockFilter | undefined }, Page<Mock>> = {
  answer(state, { page, filter }) {
    if (filter === undefined) return pageOf(state.mocks, page);
    const { q: text, state: only, unsaved, sort = 'creationDate' } = filter;
    const q = text?.toLowerCase();
    return filteredPage(
      sorted(state.mocks.snapshot(), sort),
      page,
      (mock) =>
        (only === undefined || mock.state === only) &&
        (q === undefined || mock.name.toLowerCase().includes(q) || mock.description.toLowerCase().includes(q)) &&
        (unsaved === undefined || hasStagedChanges(mock) === unsaved),
    );
  },
};

/** The ids of all of an owner's mocks, in order of creation. */
export const listMockIds: Query<undefined, readonly string[]> = {
  answer: (state) => state.mocks.ordered().map(({ id }) => id),
};

/** An owner's versions stand for dates, which may be the same. */
function sorted(mocks: readonly Mock[], sort: MockSort): readonly Mock[] {
  switch (sort) {
    case 'creationDate':
      return mocks;
    case '-creationDate':
      return mocks.toReversed();
    case 'modificationDate':
      return mocks.toSorted((one, other) => one.modifiedVersion - other.modifiedVersion);
    case '-modificationDate':
      return mocks.toSorted((one, other) => other.modifiedVersion - one.modifiedVersion);
    case 'name':
      return byName(mocks, 1);
    case '-name':
      return byName(mocks, -1);
  }
}

function byName(mocks: readonly Mock[], direction: 1 | -1): readonly Mock[] {
  return mocks
    .map((mock) => ({ mock, name: mock.name.toLowerCase() }))
    .toSorted((one, other) => (one.name === other.name ? 0 : one.name < other.name ? -direction : direction))
    .map(({ mock }) => mock);
}
