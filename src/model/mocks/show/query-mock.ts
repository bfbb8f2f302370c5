/** Reads of one mock: the record, the working copy and its parts, versions. Lists: list-mocks.ts; two copies: compare-copies.ts. */
import { isRefusal } from '../../../errors.ts';
import type { Query } from '../../command.ts';
import {
  findEditableMock,
  findMock,
  findRevisions,
  findStagedResponse,
  findStagedRoute,
  findVersion,
  type StagedResponse,
  type StagedRoute,
  type VersionContent,
} from '../decide/find-mock.ts';
import type { Mock, RouteRevision } from '../mock.ts';

export const readMock: Query<{ mockId: string }, Mock> = {
  answer: (state, { mockId }, context) => findMock(state, mockId, context),
};

/** Refused for one that its file alone changes. */
export const readEditableMock: Query<{ mockId: string }, Mock> = {
  answer: (state, { mockId }, context) => findEditableMock(state, mockId, context),
};

export const readStagedRoute: Query<{ mockId: string; routeId: string }, StagedRoute> = {
  answer: (state, { mockId, routeId }, context) => findStagedRoute(state, mockId, routeId, context),
};

export const readStagedResponse: Query<{ mockId: string; routeId: string; responseId: string }, StagedResponse> = {
  answer: (state, { mockId, routeId, responseId }, context) =>
    findStagedResponse(state, mockId, routeId, responseId, context),
};

/** The content of revisions that the working copy or a version lists. */
export const readRevisions: Query<{ mockId: string; revisions: readonly number[] }, readonly RouteRevision[]> = {
  answer(state, { mockId, revisions }, context) {
    const mock = findMock(state, mockId, context);
    return isRefusal(mock) ? mock : findRevisions(mock, revisions, context);
  },
};

export const readVersion: Query<{ mockId: string; number: number }, VersionContent> = {
  answer: (state, { mockId, number }, context) => findVersion(state, mockId, number, context),
};
