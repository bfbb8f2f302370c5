/** Reads of mocks: the record, lists, the working copy and its parts, what a save would change, versions. */
import { isRefusal, refuse, type Refusal } from '../../errors.ts';
import type { QueryContext, Query } from '../command.ts';
import type { OwnerState } from '../owner-state.ts';
import { pageOf, type Page, type PageRequest } from '../queries.ts';

import { diffCopies, type StagedDiff } from './diff.ts';
import { findMock, findStagedResponse, findStagedRoute, type StagedResponse, type StagedRoute } from './find-mock.ts';
import type { Mock, MockVersion, RouteRevision } from './mock.ts';

export const readMock: Query<{ mockId: string }, Mock> = {
  answer: (state, { mockId }, context) => findMock(state, mockId, context),
};

export const listMocks: Query<{ page: PageRequest }, Page<Mock>> = {
  answer: (state, { page }) => pageOf(state.mocks, page),
};

export const readStagedRoute: Query<{ mockId: string; routeId: string }, StagedRoute> = {
  answer: (state, { mockId, routeId }, context) => findStagedRoute(state, mockId, routeId, context),
};

export const readStagedResponse: Query<{ mockId: string; routeId: string; responseId: string }, StagedResponse> = {
  answer: (state, { mockId, routeId, responseId }, context) =>
    findStagedResponse(state, mockId, routeId, responseId, context),
};

export const diffStaged: Query<{ mockId: string }, StagedDiff> = {
  answer(state, { mockId }, context) {
    const mock = findMock(state, mockId, context);
    return isRefusal(mock) ? mock : diffCopies(mock.saved, mock.staged);
  },
};

export interface VersionContent {
  readonly mock: Mock;
  readonly version: MockVersion;
  readonly routes: readonly RouteRevision[];
}

/** The whole of one saved version. The store's part is read at once: the next save may let go of the oldest. */
export const readVersion = {
  answer(
    state: OwnerState,
    { mockId, number }: { mockId: string; number: number },
    context: QueryContext,
  ): VersionContent | Refusal {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    const version = mock.versions.find((each) => each.number === number);
    if (version === undefined) return refuse('versionNotFound');
    const known = new Map([...mock.saved.routes, ...mock.staged.routes].map((each) => [each.revision, each]));
    const unknown = version.revisions.filter((revision) => !known.has(revision));
    const stored = unknown.length === 0 ? [] : context.routeRevisions(mock.createdVersion, unknown);
    // A revision that was saved and replaced within the last instants is not on the disk yet.
    if (stored === undefined) return refuse('overloaded');
    for (const each of stored) known.set(each.revision, each);
    return { mock, version, routes: version.revisions.map((revision) => known.get(revision) as RouteRevision) };
  },
};
