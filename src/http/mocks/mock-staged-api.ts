/** A mock's working copy: read, edited part by part, compared with what is saved; mocks.md, "Endpoints". */
import { isRefusal } from '../../errors.ts';
import type { MockInput } from '../../model/mocks/decide-mock.ts';
import {
  addStagedResponse,
  addStagedRoute,
  deleteStagedResponse,
  deleteStagedRoute,
  orderStagedRoutes,
  putStaged,
  putStagedResponse,
  putStagedRoute,
} from '../../model/mocks/decide-staged.ts';
import { diffSchema } from '../../model/mocks/diff.ts';
import type { StagedResponse, StagedRoute } from '../../model/mocks/find-mock.ts';
import { definitionOf, mockSchema, type Mock } from '../../model/mocks/mock.ts';
import { diffStaged, readMock, readStagedResponse, readStagedRoute } from '../../model/mocks/query-mock.ts';
import { Type } from '../../model/schema-type.ts';
import { readBody } from '../body.ts';
import type { Call } from '../call.ts';
import type { Endpoint } from '../endpoint.ts';
import { EXAMPLE_ROUTE, PAYLOAD_REFUSALS, type MockEndpoints, type MockReply } from './mock-endpoints.ts';

export function mockStagedApi(endpoints: MockEndpoints): Endpoint[] {
  const { owners, bytesMax, shapes, asEdited, asStaged, answer, command, act, read, inputOf, define, ofData } =
    endpoints;
  const { route, response, copy } = shapes;
  const record = ofData(mockSchema);

  const asCopy = (mock: Mock): MockReply => asStaged(mock, definitionOf(mock.staged));
  const asRoute = (found: StagedRoute): MockReply => asStaged(found.mock, found.route);
  const asResponse = (found: StagedResponse): MockReply => asStaged(found.mock, found.response);

  return [
    define(
      'GET',
      '/:id/staged',
      { operationId: 'readStaged', summary: 'Read the working copy', answer: ofData(copy) },
      (call) => owners.query(readMock, inputOf(call), call.caller, answer(call, asCopy)),
    ),
    define(
      'PUT',
      '/:id/staged',
      {
        operationId: 'replaceStaged',
        summary: 'Replace the working copy',
        body: copy,
        answer: ofData(copy),
        headers: ['If-Match'],
        refusals: PAYLOAD_REFUSALS,
      },
      (call) =>
        read(call, 'definition', (definition) => command(call, putStaged, { ...inputOf(call), definition }, asCopy)),
    ),
    define(
      'GET',
      '/:id/staged/diff',
      { operationId: 'diffStaged', summary: 'What a save would change', answer: ofData(diffSchema) },
      (call) =>
        owners.query(diffStaged, inputOf(call), call.caller, (diff) =>
          isRefusal(diff) ? call.refuse(diff) : call.succeed(`"data":${JSON.stringify(diff)}`),
        ),
    ),
    define(
      'POST',
      '/:id/staged/routes',
      {
        operationId: 'addStagedRoute',
        summary: 'Stage another route',
        body: route,
        examples: { Route: EXAMPLE_ROUTE },
        answer: ofData(route),
        headers: ['If-Match'],
        refusals: PAYLOAD_REFUSALS,
      },
      (call) =>
        read(call, 'route', (sent, repeatable) =>
          command(call, addStagedRoute, { ...inputOf(call), route: sent }, asRoute, { repeatable }),
        ),
    ),
    define(
      'PUT',
      '/:id/staged/order',
      {
        operationId: 'orderStagedRoutes',
        summary: 'Reorder the staged routes',
        body: Type.Object({ ids: Type.Array(Type.String()) }),
        answer: ofData(copy),
        headers: ['If-Match'],
        refusals: PAYLOAD_REFUSALS,
      },
      (call) =>
        readBody(call, bytesMax, 'mockPayloadInvalid', (body) =>
          command(call, orderStagedRoutes, { ...inputOf(call), body }, asCopy),
        ),
    ),
    define(
      'GET',
      '/:id/staged/routes/:routeId',
      {
        operationId: 'readStagedRoute',
        summary: 'Read a staged route',
        answer: ofData(route),
        refusals: ['routeNotFound'],
      },
      (call) => owners.query(readStagedRoute, routeInput(call, inputOf(call)), call.caller, answer(call, asRoute)),
    ),
    define(
      'PUT',
      '/:id/staged/routes/:routeId',
      {
        operationId: 'replaceStagedRoute',
        summary: 'Replace a staged route',
        body: route,
        answer: ofData(route),
        headers: ['If-Match'],
        refusals: ['routeNotFound', ...PAYLOAD_REFUSALS],
      },
      (call) =>
        read(call, 'route', (sent) =>
          command(call, putStagedRoute, { ...routeInput(call, inputOf(call)), route: sent }, asRoute),
        ),
    ),
    define(
      'DELETE',
      '/:id/staged/routes/:routeId',
      {
        operationId: 'deleteStagedRoute',
        summary: 'Remove a staged route',
        answer: record,
        headers: ['If-Match'],
        refusals: ['routeNotFound'],
      },
      (call) => act(call, deleteStagedRoute, routeInput(call, inputOf(call)), asEdited),
    ),
    define(
      'POST',
      '/:id/staged/routes/:routeId/responses',
      {
        operationId: 'addStagedResponse',
        summary: 'Stage another response',
        body: response,
        examples: { Response: { status: 404, body: 'no such payment' } },
        answer: ofData(response),
        headers: ['If-Match'],
        refusals: ['routeNotFound', ...PAYLOAD_REFUSALS],
      },
      (call) =>
        read(call, 'response', (sent, repeatable) =>
          command(call, addStagedResponse, { ...routeInput(call, inputOf(call)), response: sent }, asResponse, {
            repeatable,
          }),
        ),
    ),
    define(
      'GET',
      '/:id/staged/routes/:routeId/responses/:responseId',
      {
        operationId: 'readStagedResponse',
        summary: 'Read a staged response',
        answer: ofData(response),
        refusals: ['routeNotFound', 'responseNotFound'],
      },
      (call) =>
        owners.query(readStagedResponse, responseInput(call, inputOf(call)), call.caller, answer(call, asResponse)),
    ),
    define(
      'PUT',
      '/:id/staged/routes/:routeId/responses/:responseId',
      {
        operationId: 'replaceStagedResponse',
        summary: 'Replace a staged response',
        body: response,
        answer: ofData(response),
        headers: ['If-Match'],
        refusals: ['routeNotFound', 'responseNotFound', ...PAYLOAD_REFUSALS],
      },
      (call) =>
        read(call, 'response', (sent) =>
          command(call, putStagedResponse, { ...responseInput(call, inputOf(call)), response: sent }, asResponse),
        ),
    ),
    define(
      'DELETE',
      '/:id/staged/routes/:routeId/responses/:responseId',
      {
        operationId: 'deleteStagedResponse',
        summary: 'Remove a staged response',
        answer: record,
        headers: ['If-Match'],
        refusals: ['routeNotFound', 'responseNotFound', 'mockPayloadInvalid'],
      },
      (call) => act(call, deleteStagedResponse, responseInput(call, inputOf(call)), asEdited),
    ),
  ];
}

function routeInput(call: Call, input: MockInput) {
  return { ...input, routeId: call.params[1] ?? '' };
}

function responseInput(call: Call, input: MockInput) {
  return { ...routeInput(call, input), responseId: call.params[2] ?? '' };
}
