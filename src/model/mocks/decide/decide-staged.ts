/**
 * Decides edits of a mock's working copy, one command per endpoint below `staged`, and its replacement by a discard or
 * a restored version.
 *
 * Nothing here changes what is served. Each command has the same steps: find the addressed part, refuse a malformed
 * body, make the edit, stage it (docs/api.md, "Order of checks").
 */
import { randomId } from '../../../base/random-id.ts';
import { isRefusal, refuse, refuseLimit, type Refusal } from '../../../errors.ts';
import type { Body, Command, CommandContext } from '../../command.ts';
import type { OwnerState } from '../../owner-state.ts';
import type { MockInput } from './decide-mock.ts';
import type { MockDefinition, MockResponse, MockRoute } from '../definition/definition.ts';
import {
  findEditableMock,
  findMock,
  findStagedResponse,
  findStagedRoute,
  findVersion,
  type StagedResponse,
  type StagedRoute,
} from './find-mock.ts';
import { definitionOf, type Mock } from '../mock.ts';
import {
  refuseResponseSteps,
  refuseRouteSteps,
  refuseSteps,
  refuseUsedScenarios,
} from '../behaviour/scenario-checks.ts';
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
import { refuseSocketResponse } from '../sockets/socket-checks.ts';
import { stage } from './write-mock.ts';

const ID_CHARS = 10;

interface RouteInput extends MockInput {
  readonly routeId: string;
}

interface ResponseInput extends RouteInput {
  readonly responseId: string;
}

export const putStaged = stagedEdit<MockInput & { definition: Partial<MockDefinition> | Refusal }, Mock>(
  'mock.stage',
  (state, { mockId, definition }, context) => {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (isRefusal(definition)) return definition;
    const next = { ...definitionOf(mock.staged), ...definition };
    const refusal = definition.routes === undefined ? refuseUsedScenarios(next) : refuseSteps(next);
    if (refusal !== undefined) return refusal;
    return { mock, edit: replaceStaged(mock, next), answer: (staged) => staged };
  },
);

export const addStagedRoute = stagedEdit<MockInput & { route: MockRoute | Refusal }, StagedRoute>(
  'mock.route.create',
  (state, { mockId, route: sent }, context) => {
    const mock = findMock(state, mockId, context);
    if (isRefusal(mock)) return mock;
    if (isRefusal(sent)) return sent;
    const { routesPerMockMax } = context.limits.mocks;
    if (mock.staged.routes.length >= routesPerMockMax) return refuseLimit(`${routesPerMockMax} routes per mock`);
    const taken = mock.staged.routes.some(({ route }) => route.id === sent.id);
    const route = taken ? { ...sent, id: randomId(ID_CHARS) } : sent;
    const refusal = refuseRouteSteps(route, mock.staged.settings);
    if (refusal !== undefined) return refusal;
    return { mock, edit: addRoute(mock, route), answer: (next) => ({ mock: next, route }) };
  },
);

export const putStagedRoute = stagedEdit<RouteInput & { route: MockRoute | Refusal }, StagedRoute>(
  'mock.route.update',
  (state, { mockId, routeId, route: sent }, context) => {
    const found = findStagedRoute(state, mockId, routeId, context);
    if (isRefusal(found)) return found;
    if (isRefusal(sent)) return sent;
    const { mock } = found;
    const route = { ...sent, id: routeId };
    const refusal = refuseRouteSteps(route, mock.staged.settings);
    if (refusal !== undefined) return refusal;
    return { mock, edit: replaceRoute(mock, route), answer: (next) => ({ mock: next, route }) };
  },
);

export const deleteStagedRoute = stagedEdit<RouteInput, Mock>(
  'mock.route.delete',
  (state, { mockId, routeId }, context) => {
    const found = findStagedRoute(state, mockId, routeId, context);
    if (isRefusal(found)) return found;
    return { mock: found.mock, edit: removeRoute(found.mock, routeId), answer: (next) => next };
  },
);

export const orderStagedRoutes = stagedEdit<MockInput & { body: Body }, Mock>(
  'mock.route.order',
  (state, { mockId, body }, context) => {
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
    return { mock, edit: orderRoutes(mock, ids as string[]), answer: (next) => next };
  },
);

export const addStagedResponse = stagedEdit<RouteInput & { response: MockResponse | Refusal }, StagedResponse>(
  'mock.response.create',
  (state, { mockId, routeId, response: sent }, context) => {
    const found = findStagedRoute(state, mockId, routeId, context);
    if (isRefusal(found)) return found;
    if (isRefusal(sent)) return sent;
    const { mock, route: before } = found;
    const { responsesPerRouteMax } = context.limits.mocks;
    if (before.responses.length >= responsesPerRouteMax) {
      return refuseLimit(`${responsesPerRouteMax} responses per route`);
    }
    const taken = before.responses.some(({ id }) => id === sent.id);
    const response = taken ? { ...sent, id: randomId(ID_CHARS) } : sent;
    const refusal =
      refuseSocketResponse(before, response) ?? refuseResponseSteps(response, before.selection, mock.staged.settings);
    if (refusal !== undefined) return refusal;
    const route = withResponse(before, response);
    return { mock, edit: replaceRoute(mock, route), answer: (next) => ({ mock: next, route, response }) };
  },
);

export const putStagedResponse = stagedEdit<ResponseInput & { response: MockResponse | Refusal }, StagedResponse>(
  'mock.response.update',
  (state, { mockId, routeId, responseId, response: sent }, context) => {
    const found = findStagedResponse(state, mockId, routeId, responseId, context);
    if (isRefusal(found)) return found;
    if (isRefusal(sent)) return sent;
    const { mock } = found;
    const response = { ...sent, id: responseId };
    const refusal =
      refuseSocketResponse(found.route, response) ??
      refuseResponseSteps(response, found.route.selection, mock.staged.settings);
    if (refusal !== undefined) return refusal;
    const route = withResponse(found.route, response);
    return { mock, edit: replaceRoute(mock, route), answer: (next) => ({ mock: next, route, response }) };
  },
);

export const deleteStagedResponse = stagedEdit<ResponseInput, Mock>(
  'mock.response.delete',
  (state, { mockId, routeId, responseId }, context) => {
    const found = findStagedResponse(state, mockId, routeId, responseId, context);
    if (isRefusal(found)) return found;
    const { mock, route } = found;
    if (route.responses.length === 1) {
      return refuse('mockPayloadInvalid', [{ path: '/responses', message: 'a route must have at least one response' }]);
    }
    return { mock, edit: replaceRoute(mock, withoutResponse(route, responseId)), answer: (next) => next };
  },
);

export const discardStaged = stagedEdit<MockInput, Mock>('mock.discard', (state, { mockId }, context) => {
  const mock = findMock(state, mockId, context);
  if (isRefusal(mock)) return mock;
  const { saved: staged, nextRevision } = mock;
  return { mock, edit: { staged, added: [], nextRevision }, answer: (next) => next };
});

/** Stages a saved version. */
export const restoreVersion = stagedEdit<MockInput & { number: number }, Mock>(
  'mock.restore',
  (state, { mockId, number }, context) => {
    const found = findVersion(state, mockId, number, context);
    if (isRefusal(found)) return found;
    const { mock, version, routes } = found;
    const staged = { settings: version.settings, routes };
    return { mock, edit: { staged, added: [], nextRevision: mock.nextRevision }, answer: (next) => next };
  },
);

/** An edit that was decided, and the answer once it is staged. */
interface EditDecision<Answer> {
  readonly mock: Mock;
  readonly edit: StagedEdit;
  readonly answer: (next: Mock) => Answer;
}

function stagedEdit<Input extends MockInput, Answer>(
  name: string,
  decideEdit: (state: OwnerState, input: Input, context: CommandContext) => EditDecision<Answer> | Refusal,
): Command<Input, Answer> {
  return {
    name,
    decide(state, input, context) {
      const editable = findEditableMock(state, input.mockId, context);
      if (isRefusal(editable)) return editable;
      const edited = decideEdit(state, input, context);
      if (isRefusal(edited)) return edited;
      const { mock, edit, answer } = edited;
      const decision = stage(state, mock, edit, input.ifMatch, context);
      return isRefusal(decision) ? decision : { changes: decision.changes, answer: answer(decision.answer) };
    },
  };
}
