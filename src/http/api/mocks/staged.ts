/** A mock's working copy: read, and edited part by part; docs/mocks-fields.md. */
import type { JsonObject } from '../../../base/json-object.ts';
import {
  addStagedResponse,
  addStagedRoute,
  deleteStagedResponse,
  deleteStagedRoute,
  orderStagedRoutes,
  putStaged,
  putStagedResponse,
  putStagedRoute,
} from '../../../model/mocks/decide/decide-staged.ts';
import type { StagedResponse, StagedRoute } from '../../../model/mocks/decide/find-mock.ts';
import { copyBytes, definitionOf, mockSchema, type Mock } from '../../../model/mocks/mock.ts';
import { readMock, readStagedResponse, readStagedRoute } from '../../../model/mocks/show/query-mock.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Call } from '../../call.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../endpoint.ts';
import { PAYLOAD_REFUSALS } from './drafts.ts';
import { EXAMPLE_ROUTE } from './files/examples.ts';
import {
  asEdited,
  asStaged,
  changeMock,
  mockInput,
  ofData,
  ofWarned,
  replyFound,
  warned,
  type MockReply,
  type MocksContext,
} from './replies.ts';

export function mockStagedApi(context: MocksContext): Endpoint[] {
  const { owners, bodies } = context;
  const record = ofWarned(mockSchema);
  const copy = bodies.definition.schema;
  const route = bodies.route.schema;
  const response = bodies.response.schema;
  const order: EndpointBody<JsonObject> = {
    schema: Type.Object({ ids: Type.Array(Type.String()) }),
    bytesMax: bodies.definition.bytesMax,
    invalid: 'mockPayloadInvalid',
  };

  return [
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/staged',
      access: 'read',
      doc: {
        operationId: 'readStaged',
        tag: 'Mocks',
        summary: 'Read the working copy',
        answer: ofData(copy),
        refusals: ['mockNotFound'],
      },
      handle(call) {
        owners.query(readMock, mockInput(call), call.caller, (mock) =>
          replyFound(context, call, mock, asCopy, ({ staged }) => copyBytes(staged)),
        );
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/v1/mocks/:id/staged',
      access: 'write',
      doc: {
        operationId: 'replaceStaged',
        tag: 'Mocks',
        summary: 'Replace the working copy',
        answer: ofWarned(copy),
        headers: ['If-Match'],
        refusals: ['mockNotFound', 'mockOfFile', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      body: bodies.definition,
      handle(call, sent) {
        changeMock(context, call, putStaged, { ...mockInput(call), definition: sent }, asEditedCopy);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/staged/routes',
      access: 'write',
      doc: {
        operationId: 'addStagedRoute',
        tag: 'Mocks',
        summary: 'Add a route to the working copy',
        answer: ofWarned(route),
        headers: ['If-Match', 'Idempotency-Key'],
        refusals: ['mockNotFound', 'mockOfFile', 'idempotencyKeyReused', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      body: { ...bodies.route, examples: { Route: EXAMPLE_ROUTE } },
      handle(call, sent) {
        changeMock(context, call, addStagedRoute, { ...mockInput(call), route: sent }, asEditedRoute);
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/v1/mocks/:id/staged/order',
      access: 'write',
      doc: {
        operationId: 'orderStagedRoutes',
        tag: 'Mocks',
        summary: 'Reorder the staged routes',
        answer: ofWarned(copy),
        headers: ['If-Match'],
        refusals: ['mockNotFound', 'mockOfFile', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      body: order,
      handle(call, sent) {
        changeMock(context, call, orderStagedRoutes, { ...mockInput(call), body: sent }, asEditedCopy);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/staged/routes/:routeId',
      access: 'read',
      doc: {
        operationId: 'readStagedRoute',
        tag: 'Mocks',
        summary: 'Read a staged route',
        answer: ofData(route),
        refusals: ['mockNotFound', 'routeNotFound'],
      },
      handle(call) {
        owners.query(readStagedRoute, routeInput(call), call.caller, (found) =>
          replyFound(context, call, found, asRoute, stagedBytesMax),
        );
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/v1/mocks/:id/staged/routes/:routeId',
      access: 'write',
      doc: {
        operationId: 'replaceStagedRoute',
        tag: 'Mocks',
        summary: 'Replace a staged route',
        answer: ofWarned(route),
        headers: ['If-Match'],
        refusals: ['mockNotFound', 'mockOfFile', 'routeNotFound', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      body: bodies.route,
      handle(call, sent) {
        changeMock(context, call, putStagedRoute, { ...routeInput(call), route: sent }, asEditedRoute);
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/mocks/:id/staged/routes/:routeId',
      access: 'write',
      doc: {
        operationId: 'deleteStagedRoute',
        tag: 'Mocks',
        summary: 'Remove a staged route',
        answer: record,
        headers: ['If-Match'],
        refusals: ['mockNotFound', 'mockOfFile', 'routeNotFound', 'preconditionFailed'],
      },
      handle(call) {
        changeMock(context, call, deleteStagedRoute, routeInput(call), asEdited);
      },
    }),
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/staged/routes/:routeId/responses',
      access: 'write',
      doc: {
        operationId: 'addStagedResponse',
        tag: 'Mocks',
        summary: 'Add a response to a staged route',
        answer: ofWarned(response),
        headers: ['If-Match', 'Idempotency-Key'],
        refusals: [
          'mockNotFound',
          'mockOfFile',
          'idempotencyKeyReused',
          'routeNotFound',
          ...PAYLOAD_REFUSALS,
          'preconditionFailed',
        ],
      },
      body: { ...bodies.response, examples: { Response: { status: 404, body: 'no such payment' } } },
      handle(call, sent) {
        changeMock(context, call, addStagedResponse, { ...routeInput(call), response: sent }, asEditedResponse);
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/staged/routes/:routeId/responses/:responseId',
      access: 'read',
      doc: {
        operationId: 'readStagedResponse',
        tag: 'Mocks',
        summary: 'Read a staged response',
        answer: ofData(response),
        refusals: ['mockNotFound', 'routeNotFound', 'responseNotFound'],
      },
      handle(call) {
        owners.query(readStagedResponse, responseInput(call), call.caller, (found) =>
          replyFound(context, call, found, asResponse, stagedBytesMax),
        );
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/v1/mocks/:id/staged/routes/:routeId/responses/:responseId',
      access: 'write',
      doc: {
        operationId: 'replaceStagedResponse',
        tag: 'Mocks',
        summary: 'Replace a staged response',
        answer: ofWarned(response),
        headers: ['If-Match'],
        refusals: [
          'mockNotFound',
          'mockOfFile',
          'routeNotFound',
          'responseNotFound',
          ...PAYLOAD_REFUSALS,
          'preconditionFailed',
        ],
      },
      body: bodies.response,
      handle(call, sent) {
        changeMock(context, call, putStagedResponse, { ...responseInput(call), response: sent }, asEditedResponse);
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/mocks/:id/staged/routes/:routeId/responses/:responseId',
      access: 'write',
      doc: {
        operationId: 'deleteStagedResponse',
        tag: 'Mocks',
        summary: 'Remove a staged response',
        answer: record,
        headers: ['If-Match'],
        refusals: [
          'mockNotFound',
          'mockOfFile',
          'routeNotFound',
          'responseNotFound',
          'mockPayloadInvalid',
          'preconditionFailed',
        ],
      },
      handle(call) {
        changeMock(context, call, deleteStagedResponse, responseInput(call), asEdited);
      },
    }),
  ];
}

const asCopy = (mock: Mock): MockReply => asStaged(mock, definitionOf(mock.staged));
const asRoute = (found: StagedRoute): MockReply => asStaged(found.mock, found.route);
const asResponse = (found: StagedResponse): MockReply => asStaged(found.mock, found.response);

const asEditedCopy = (mock: Mock): MockReply => warned(asCopy(mock), mock.staged);
const asEditedRoute = (found: StagedRoute): MockReply => warned(asRoute(found), found.mock.staged, found.route.id);
const asEditedResponse = (found: StagedResponse): MockReply =>
  warned(asResponse(found), found.mock.staged, found.route.id);

/** The bytes of the route that it is a part of. */
function stagedBytesMax({ mock, route }: StagedRoute): number {
  return mock.staged.routes.find((each) => each.route === route)?.bytes ?? 0;
}

function routeInput(call: Call) {
  return { ...mockInput(call), routeId: call.params[1] ?? '' };
}

function responseInput(call: Call) {
  return { ...routeInput(call), responseId: call.params[2] ?? '' };
}
