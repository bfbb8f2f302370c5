/**
 * Decides what happens to mocks: creation, name, state, edits of the working copy, saves and restores, deletion.
 *
 * Edits are staged: only a save, a start, a stop or a deletion changes what is served. The order of checks is that of
 * decisions.md, "Order of checks".
 */
import { randomId } from '../../base/random-id.ts';
import type { JsonObject } from '../../base/strict-json.ts';
import { isRefusal, refuse, refuseLimit, type Refusal } from '../../errors.ts';
import { MOCK_VERSIONS_MAX } from '../../limits.ts';
import type { Body, Command, CommandContext, Decision, QueryContext } from '../command.ts';
import { heldByAnother } from '../find-record.ts';
import type { OwnerState } from '../owner-state.ts';
import { ifMatchHolds } from '../precondition.ts';
import { createdStamps, modifiedStamps } from '../stamps.ts';
import type { MockResponse, MockRoute } from './definition.ts';
import type { DefinitionParser } from './definition-payload.ts';
import {
  newRevision,
  savedVersionOf,
  type Mock,
  type MockCopy,
  type MockState,
  type MockVersion,
  type RouteRevision,
} from './mock.ts';
import {
  addRoute,
  orderRoutes,
  removeRoute,
  replaceRoute,
  replaceStaged,
  withoutResponse,
  withResponse,
  type StagedEdit,
} from './staged-edit.ts';

const ID_CHARS = 15;
const MOCK_ID = /^[a-z][a-z0-9]{0,62}$/;

export interface MockInput {
  readonly mockId: string;
  readonly ifMatch: string | undefined;
}

export type ParseMockName = (body: JsonObject) => { name: string; description: string } | Refusal;

export function createMock(parser: DefinitionParser, parseName: ParseMockName): Command<{ body: Body }, Mock> {
  return {
    name: 'mock.create',
    decide(state, { body }, context) {
      if (isRefusal(body)) return body;
      const named = parseName(body);
      if (isRefusal(named)) return named;
      if (body.start !== undefined && typeof body.start !== 'boolean') {
        return refuse('mockPayloadInvalid', [{ path: '/start', message: 'expected boolean' }]);
      }
      const definition = parser.definition(body);
      if (isRefusal(definition)) return definition;
      if (state.mocks.count >= context.limits.mocks.mocksPerOwnerMax) {
        return refuseLimit(`${context.limits.mocks.mocksPerOwnerMax} mocks per owner`);
      }
      const routes = definition.routes.map((route, index) => newRevision(index + 1, route));
      const copy = { settings: definition.settings, routes };
      const { date, version, principal } = context;
      const revisions = routes.map(({ revision }) => revision);
      const mock: Mock = {
        id: `m${randomId(ID_CHARS)}`,
        ...named,
        state: body.start === true ? 'running' : 'stopped',
        staged: copy,
        stagedVersion: version,
        saved: copy,
        versions: [{ number: 1, savedAt: date, savedBy: principal.userId, settings: copy.settings, revisions }],
        nextRevision: routes.length + 1,
        kept: new Map(),
        ...createdStamps(context),
      };
      return put(state, undefined, mock, routes, context);
    },
  };
}

export function updateMock(parseName: ParseMockName): Command<MockInput & { body: Body }, Mock> {
  return {
    name: 'mock.update',
    decide(state, { mockId, body, ifMatch }, context) {
      const mock = findMock(state, mockId, context);
      if (isRefusal(mock)) return mock;
      if (isRefusal(body)) return body;
      const named = parseName(body);
      if (isRefusal(named)) return named;
      if (!ifMatchHolds(ifMatch, mock)) return refuse('preconditionFailed');
      return put(state, mock, { ...mock, ...named, ...modifiedStamps(context) }, [], context);
    },
  };
}

/** Idempotent: a mock that is in the state already stays as it is. */
export function setMockState(to: MockState): Command<MockInput, Mock> {
  return {
    name: to === 'running' ? 'mock.start' : 'mock.stop',
    decide(state, { mockId, ifMatch }, context) {
      const mock = findMock(state, mockId, context);
      if (isRefusal(mock)) return mock;
      if (!ifMatchHolds(ifMatch, mock)) return refuse('preconditionFailed');
      if (mock.state === to) return { changes: [], answer: mock };
      return put(state, mock, { ...mock, state: to, ...modifiedStamps(context) }, [], context);
    },
  };
}

export const deleteMock: Command<MockInput, Mock> = {
  name: 'mock.delete',
  decide(state, { mockId, ifMatch }, context) {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (!ifMatchHolds(ifMatch, mock)) return refuse('preconditionFailed');
    return { changes: [{ kind: 'removeMock', mock, revisions: [...mock.kept.keys()] }], answer: mock };
  },
};

export function putStaged(parser: DefinitionParser): Command<MockInput & { body: Body }, Mock> {
  return {
    name: 'mock.stage',
    decide(state, { mockId, body, ifMatch }, context) {
      const mock = findMock(state, mockId, context);
      if (isRefusal(mock)) return mock;
      if (isRefusal(body)) return body;
      const definition = parser.definition(body);
      if (isRefusal(definition)) return definition;
      return stage(state, mock, replaceStaged(mock, definition), ifMatch, context, (next) => next);
    },
  };
}

export interface StagedRoute {
  readonly mock: Mock;
  readonly route: MockRoute;
}

export function addStagedRoute(parser: DefinitionParser): Command<MockInput & { body: Body }, StagedRoute> {
  return {
    name: 'mock.stage',
    decide(state, { mockId, body, ifMatch }, context) {
      const mock = findMock(state, mockId, context);
      if (isRefusal(mock)) return mock;
      if (isRefusal(body)) return body;
      const parsed = parser.route(body, '');
      if (isRefusal(parsed)) return parsed;
      if (mock.staged.routes.length >= context.limits.mocks.routesPerMockMax) {
        return refuseLimit(`${context.limits.mocks.routesPerMockMax} routes per mock`);
      }
      const taken = mock.staged.routes.some(({ route }) => route.id === parsed.id);
      const route = taken ? { ...parsed, id: randomId(10) } : parsed;
      return stage(state, mock, addRoute(mock, route), ifMatch, context, (next) => ({ mock: next, route }));
    },
  };
}

export interface RouteInput extends MockInput {
  readonly routeId: string;
}

export function putStagedRoute(parser: DefinitionParser): Command<RouteInput & { body: Body }, StagedRoute> {
  return {
    name: 'mock.stage',
    decide(state, { mockId, routeId, body, ifMatch }, context) {
      const found = findStagedRoute(state, mockId, routeId, context);
      if (isRefusal(found)) return found;
      if (isRefusal(body)) return body;
      const parsed = parser.route(body, '');
      if (isRefusal(parsed)) return parsed;
      const route = { ...parsed, id: routeId };
      return stage(state, found.mock, replaceRoute(found.mock, route), ifMatch, context, (mock) => ({ mock, route }));
    },
  };
}

export const deleteStagedRoute: Command<RouteInput, Mock> = {
  name: 'mock.stage',
  decide(state, { mockId, routeId, ifMatch }, context) {
    const found = findStagedRoute(state, mockId, routeId, context);
    if (isRefusal(found)) return found;
    return stage(state, found.mock, removeRoute(found.mock, routeId), ifMatch, context, (mock) => mock);
  },
};

export function orderStagedRoutes(): Command<MockInput & { body: Body }, Mock> {
  return {
    name: 'mock.stage',
    decide(state, { mockId, body, ifMatch }, context) {
      const mock = findMock(state, mockId, context);
      if (isRefusal(mock)) return mock;
      if (isRefusal(body)) return body;
      const ids = body.ids as unknown[] | undefined;
      const present = new Set(mock.staged.routes.map(({ route }) => route.id));
      const isOrder = Array.isArray(ids) && ids.length === present.size && new Set(ids).size === ids.length;
      if (!isOrder || !ids.every((id) => present.has(id as string))) {
        return refuse('mockPayloadInvalid', [
          { path: '/ids', message: 'expected the id of every staged route, once each' },
        ]);
      }
      return stage(state, mock, orderRoutes(mock, ids as string[]), ifMatch, context, (next) => next);
    },
  };
}

export interface StagedResponse extends StagedRoute {
  readonly response: MockResponse;
}

export function addStagedResponse(parser: DefinitionParser): Command<RouteInput & { body: Body }, StagedResponse> {
  return {
    name: 'mock.stage',
    decide(state, { mockId, routeId, body, ifMatch }, context) {
      const found = findStagedRoute(state, mockId, routeId, context);
      if (isRefusal(found)) return found;
      if (isRefusal(body)) return body;
      const parsed = parser.response(body, '');
      if (isRefusal(parsed)) return parsed;
      if (found.route.responses.length >= context.limits.mocks.responsesPerRouteMax) {
        return refuseLimit(`${context.limits.mocks.responsesPerRouteMax} responses per route`);
      }
      const taken = found.route.responses.some(({ id }) => id === parsed.id);
      const response = taken ? { ...parsed, id: randomId(10) } : parsed;
      const route = withResponse(found.route, response);
      return stage(state, found.mock, replaceRoute(found.mock, route), ifMatch, context, (mock) => ({
        mock,
        route,
        response,
      }));
    },
  };
}

export interface ResponseInput extends RouteInput {
  readonly responseId: string;
}

export function putStagedResponse(parser: DefinitionParser): Command<ResponseInput & { body: Body }, StagedResponse> {
  return {
    name: 'mock.stage',
    decide(state, { mockId, routeId, responseId, body, ifMatch }, context) {
      const found = findStagedResponse(state, mockId, routeId, responseId, context);
      if (isRefusal(found)) return found;
      if (isRefusal(body)) return body;
      const parsed = parser.response(body, '');
      if (isRefusal(parsed)) return parsed;
      const response = { ...parsed, id: responseId };
      const route = withResponse(found.route, response);
      return stage(state, found.mock, replaceRoute(found.mock, route), ifMatch, context, (mock) => ({
        mock,
        route,
        response,
      }));
    },
  };
}

export const deleteStagedResponse: Command<ResponseInput, Mock> = {
  name: 'mock.stage',
  decide(state, { mockId, routeId, responseId, ifMatch }, context) {
    const found = findStagedResponse(state, mockId, routeId, responseId, context);
    if (isRefusal(found)) return found;
    if (found.route.responses.length === 1) {
      return refuse('mockPayloadInvalid', [{ path: '/responses', message: 'a route has at least one response' }]);
    }
    const route = withoutResponse(found.route, responseId);
    return stage(state, found.mock, replaceRoute(found.mock, route), ifMatch, context, (mock) => mock);
  },
};

/** The working copy becomes the next version. `If-Match` guards the working copy: against a save of what another editor changed. */
export const saveMock: Command<MockInput, Mock> = {
  name: 'mock.save',
  decide(state, { mockId, ifMatch }, context) {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (!ifMatchHolds(ifMatch, { modifiedVersion: mock.stagedVersion })) return refuse('preconditionFailed');
    const { settings, routes } = mock.staged;
    const revisions = routes.map(({ revision }) => revision);
    const number = savedVersionOf(mock).number + 1;
    const version = { number, savedAt: context.date, savedBy: context.principal.userId, settings, revisions };
    const versions = [...mock.versions, version].slice(-MOCK_VERSIONS_MAX);
    return put(state, mock, { ...mock, saved: mock.staged, versions }, [], context);
  },
};

export const discardStaged: Command<MockInput, Mock> = {
  name: 'mock.discard',
  decide(state, { mockId, ifMatch }, context) {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    const edit = { staged: mock.saved, added: [], nextRevision: mock.nextRevision };
    return stage(state, mock, edit, ifMatch, context, (next) => next);
  },
};

/** Stages a saved version, whose routes were read beforehand: the version must still be there. */
export const restoreVersion: Command<MockInput & { number: number; routes: readonly RouteRevision[] }, Mock> = {
  name: 'mock.restore',
  decide(state, { mockId, number, routes, ifMatch }, context) {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    const version = mock.versions.find((each) => each.number === number);
    if (version === undefined) return refuse('versionNotFound');
    const edit = { staged: { settings: version.settings, routes }, added: [], nextRevision: mock.nextRevision };
    return stage(state, mock, edit, ifMatch, context, (next) => next);
  },
};

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

/** Makes an edit the working copy. */
function stage<Answer>(
  state: OwnerState,
  mock: Mock,
  { staged, added, nextRevision }: StagedEdit,
  ifMatch: string | undefined,
  context: CommandContext,
  answer: (mock: Mock) => Answer,
): Decision<Answer> | Refusal {
  if (!ifMatchHolds(ifMatch, { modifiedVersion: mock.stagedVersion })) return refuse('preconditionFailed');
  const next: Mock = { ...mock, staged, nextRevision, stagedVersion: context.version };
  const decision = put(state, mock, next, added, context);
  return isRefusal(decision) ? decision : { changes: decision.changes, answer: answer(decision.answer) };
}

/**
 * Writes a mock with the revisions it has anew, lets go of those that nothing lists any more, and holds it to its bytes: the oldest
 * versions go first, and only what does not fit without them is refused.
 */
function put(
  state: OwnerState,
  before: Mock | undefined,
  mock: Mock,
  added: readonly RouteRevision[],
  { limits }: CommandContext,
): Decision<Mock> | Refusal {
  const { definitionBytesMax, ownerMockBytesMax } = limits.mocks;
  // Only what adds is refused: whoever is over a limit that was lowered can still save, stop and delete.
  const adds = added.length > 0;
  if (adds && sum(mock.staged.routes.map(({ bytes }) => bytes)) > definitionBytesMax) {
    return refuseLimit(`${definitionBytesMax} bytes of a mock's definition`);
  }
  const bytesOf = new Map([...(before?.kept ?? []), ...added.map(({ revision, bytes }) => [revision, bytes] as const)]);
  let { versions } = mock;
  let kept = listedOf(mock.staged, versions, bytesOf);
  if (adds) {
    const left =
      ownerMockBytesMax - sum(state.mocks.ordered().map((each) => (each.id === mock.id ? 0 : sum(each.kept.values()))));
    while (sum(kept.values()) > left && versions.length > 1) {
      versions = versions.slice(1);
      kept = listedOf(mock.staged, versions, bytesOf);
    }
    if (sum(kept.values()) > left)
      return refuseLimit(`${ownerMockBytesMax} bytes of mocks and their versions per owner`);
  }
  const removed = [...(before?.kept.keys() ?? [])].filter((revision) => !kept.has(revision));
  const next: Mock = { ...mock, versions, kept };
  const saves = before?.versions !== versions;
  const isNew = before === undefined ? { isNew: true as const } : {};
  return { changes: [{ kind: 'putMock', mock: next, added, removed, saves, ...isNew }], answer: next };
}

/** Bytes of every revision that the working copy or a version lists. */
function listedOf(
  staged: MockCopy,
  versions: readonly MockVersion[],
  bytesOf: ReadonlyMap<number, number>,
): Map<number, number> {
  const listed = new Map<number, number>();
  const list = (revision: number): unknown => listed.set(revision, bytesOf.get(revision) ?? 0);
  for (const { revision } of staged.routes) list(revision);
  for (const { revisions } of versions) for (const revision of revisions) list(revision);
  return listed;
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
