/** Reads of mocks: the record, lists, the working copy and its parts, what a save would change, versions. */
import { isRefusal } from '../../errors.ts';
import type { Query } from '../command.ts';
import { pageOf, type Page, type PageRequest } from '../queries.ts';

import { diffCopies, type StagedDiff } from './diff.ts';
import {
  findMock,
  findStagedResponse,
  findStagedRoute,
  findVersion,
  type StagedResponse,
  type StagedRoute,
  type VersionContent,
} from './find-mock.ts';
import type { Mock } from './mock.ts';

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

export const readVersion: Query<{ mockId: string; number: number }, VersionContent> = {
  answer: (state, { mockId, number }, context) => findVersion(state, mockId, number, context),
};
