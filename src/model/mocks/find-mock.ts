/** Finds a mock, and the parts of its working copy, for its owner. */
import { isRefusal, refuse, type Refusal } from '../../errors.ts';
import type { QueryContext } from '../command.ts';
import { heldByAnother } from '../find-record.ts';
import type { OwnerState } from '../owner-state.ts';
import type { MockResponse, MockRoute } from './definition.ts';
import type { Mock } from './mock.ts';

const MOCK_ID = /^[a-z][a-z0-9]{0,62}$/;

export interface StagedRoute {
  readonly mock: Mock;
  readonly route: MockRoute;
}

export interface StagedResponse extends StagedRoute {
  readonly response: MockResponse;
}

/** The owner's mock, or 404 when no owner has it, or 401 when another one does. */
export function findMock(state: OwnerState, mockId: string, context: QueryContext): Mock | Refusal {
  const mock = state.mocks.get(mockId);
  if (mock !== undefined) return mock;
  return MOCK_ID.test(mockId) && heldByAnother(state, mockId, context)
    ? refuse('unauthorized')
    : refuse('mockNotFound');
}

export function findStagedRoute(
  state: OwnerState,
  mockId: string,
  routeId: string,
  context: QueryContext,
): StagedRoute | Refusal {
  const mock = findMock(state, mockId, context);
  if (isRefusal(mock)) return mock;
  const route = mock.staged.routes.find((each) => each.route.id === routeId)?.route;
  return route === undefined ? refuse('routeNotFound') : { mock, route };
}

export function findStagedResponse(
  state: OwnerState,
  mockId: string,
  routeId: string,
  responseId: string,
  context: QueryContext,
): StagedResponse | Refusal {
  const found = findStagedRoute(state, mockId, routeId, context);
  if (isRefusal(found)) return found;
  const response = found.route.responses.find(({ id }) => id === responseId);
  return response === undefined ? refuse('responseNotFound') : { ...found, response };
}
