/** Finds a mock, the parts of its working copy and its saved versions, for its owner. */
import { isRefusal, refuse, Refusal } from '../../../errors.ts';
import type { QueryContext } from '../../command.ts';
import { ownedByAnother } from '../../find-record.ts';
import type { OwnerState } from '../../owner-state.ts';
import type { MockResponse, MockRoute } from '../definition/definition.ts';
import type { Mock, MockVersion, RouteRevision } from '../mock.ts';

const MOCK_ID = /^[a-z][a-z0-9]{0,62}$/;

export interface StagedRoute {
  readonly mock: Mock;
  readonly route: MockRoute;
}

export interface StagedResponse extends StagedRoute {
  readonly response: MockResponse;
}

/** The owner's mock, or 404 when no owner has it, or 401 when another owner does. */
export function findMock(state: OwnerState, mockId: string, context: QueryContext): Mock | Refusal {
  const mock = state.mocks.get(mockId);
  if (mock !== undefined) return mock;
  return MOCK_ID.test(mockId) && ownedByAnother(state, mockId, context)
    ? refuse('unauthorized')
    : refuse('mockNotFound');
}

/** Like `findMock`, for a change: refuses mocks that a file defines. */
export function findEditableMock(state: OwnerState, mockId: string, context: QueryContext): Mock | Refusal {
  const mock = findMock(state, mockId, context);
  if (isRefusal(mock) || mock.file === null) return mock;
  return new Refusal('mockOfFile', undefined, `change the file ${mock.file}`);
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

export interface VersionContent {
  readonly mock: Mock;
  readonly version: MockVersion;
  readonly routes: readonly RouteRevision[];
}

/** One complete saved version. The store's part is read at once: the next save may drop the oldest version. */
export function findVersion(
  state: OwnerState,
  mockId: string,
  number: number,
  context: QueryContext,
): VersionContent | Refusal {
  const mock = findMock(state, mockId, context);
  if (isRefusal(mock)) return mock;
  const version = mock.versions.find((each) => each.number === number);
  if (version === undefined) return refuse('versionNotFound');
  const routes = findRevisions(mock, version.revisions, context);
  return isRefusal(routes) ? routes : { mock, version, routes };
}

/** Routes in the order of `revisions`. Those that only older versions list are read from the store, at once. */
export function findRevisions(
  mock: Mock,
  revisions: readonly number[],
  context: QueryContext,
): readonly RouteRevision[] | Refusal {
  const known = revisionsInMemory(mock);
  const unknown = revisions.filter((revision) => !known.has(revision));
  const stored = unknown.length === 0 ? [] : context.routeRevisions(mock.createdVersion, unknown);
  // A revision that was saved and replaced a moment ago may not be on the disk yet.
  if (stored === undefined) return refuse('overloaded');
  for (const each of stored) known.set(each.revision, each);
  return revisions.map((revision) => known.get(revision) as RouteRevision);
}

/**
 * The same, with a pause after each that is read: of a large mock's versions reading all takes a fifth of a second. Refused
 * too when a save in the meantime has dropped a version that lists one.
 */
export function* findRevisionsInSteps(
  mock: Mock,
  revisions: readonly number[],
  { routeRevisions }: QueryContext,
): Generator<void, readonly RouteRevision[] | Refusal> {
  const known = revisionsInMemory(mock);
  const found: RouteRevision[] = [];
  for (const revision of revisions) {
    const route = known.get(revision) ?? routeRevisions(mock.createdVersion, [revision])?.[0];
    if (route === undefined) return refuse('overloaded');
    found.push(route);
    yield;
  }
  return found;
}

function revisionsInMemory({ saved, staged }: Mock): Map<number, RouteRevision> {
  return new Map([...saved.routes, ...staged.routes].map((each) => [each.revision, each]));
}
