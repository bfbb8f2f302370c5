/** A mock's working copy: read, edited part by part, compared with what is saved; mocks.md, "Endpoints". */
import { Type } from 'typebox';
import { isRefusal } from '../errors.ts';
import {
  addStagedResponse,
  addStagedRoute,
  deleteStagedResponse,
  deleteStagedRoute,
  orderStagedRoutes,
  putStaged,
  putStagedResponse,
  putStagedRoute,
  type MockInput,
} from '../model/mocks/decide-mock.ts';
import { diffSchema } from '../model/mocks/diff.ts';
import { definitionOf } from '../model/mocks/mock.ts';
import { diffStaged, readMock, readStagedResponse, readStagedRoute } from '../model/mocks/query-mock.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { EXAMPLE_ROUTE, PAYLOAD_REFUSALS, type MockEndpoints } from './mock-endpoints.ts';

export function mockStagedApi(endpoints: MockEndpoints): Endpoint[] {
  const { owners, parser, shapes, record, replyEdited, replyStaged, inputOf, read, act, define, ofData } = endpoints;
  const { route, response, copy } = shapes;
  const commands = {
    putStaged: putStaged(parser),
    addRoute: addStagedRoute(parser),
    putRoute: putStagedRoute(parser),
    order: orderStagedRoutes(),
    addResponse: addStagedResponse(parser),
    putResponse: putStagedResponse(parser),
  };

  return [
    define(
      'GET',
      '/:id/staged',
      { operationId: 'readStaged', summary: 'Read the working copy', answer: ofData(copy) },
      (call) =>
        owners.query(readMock, inputOf(call), call.caller, (mock) =>
          replyStaged(call, mock, isRefusal(mock) ? undefined : definitionOf(mock.staged)),
        ),
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
        refusals: [...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.putStaged, { ...inputOf(call), body }, call.caller, (mock) =>
            replyStaged(call, mock, isRefusal(mock) ? undefined : definitionOf(mock.staged)),
          ),
        ),
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
        refusals: [...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.addRoute, { ...inputOf(call), body }, call.caller, (outcome) =>
            isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.route),
          ),
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
        refusals: [...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.order, { ...inputOf(call), body }, call.caller, (mock) =>
            replyStaged(call, mock, isRefusal(mock) ? undefined : definitionOf(mock.staged)),
          ),
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
      (call) =>
        owners.query(readStagedRoute, { ...inputOf(call), routeId: call.params[1] ?? '' }, call.caller, (outcome) =>
          isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.route),
        ),
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
        refusals: ['routeNotFound', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(
            commands.putRoute,
            { ...inputOf(call), routeId: call.params[1] ?? '', body },
            call.caller,
            (outcome) => (isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.route)),
          ),
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
        refusals: ['routeNotFound', 'preconditionFailed'],
      },
      (call) => act(call, deleteStagedRoute, { ...inputOf(call), routeId: call.params[1] ?? '' }, replyEdited),
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
        refusals: ['routeNotFound', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(
            commands.addResponse,
            { ...inputOf(call), routeId: call.params[1] ?? '', body },
            call.caller,
            (outcome) =>
              isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.response),
          ),
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
        owners.query(readStagedResponse, responseInput(call, inputOf(call)), call.caller, (outcome) =>
          isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.response),
        ),
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
        refusals: ['routeNotFound', 'responseNotFound', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(
            commands.putResponse,
            { ...responseInput(call, inputOf(call)), body },
            call.caller,
            (outcome) =>
              isRefusal(outcome) ? call.refuse(outcome) : replyStaged(call, outcome.mock, outcome.response),
          ),
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
        refusals: ['routeNotFound', 'responseNotFound', 'mockPayloadInvalid', 'preconditionFailed'],
      },
      (call) => act(call, deleteStagedResponse, responseInput(call, inputOf(call)), replyEdited),
    ),
  ];
}

function responseInput(call: Call, input: MockInput) {
  return { ...input, routeId: call.params[1] ?? '', responseId: call.params[2] ?? '' };
}
