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
import type { Endpoint, EndpointBody } from '../../endpoint.ts';
import { operations } from '../operation.ts';
import { EXAMPLE_ROUTE } from './files/examples.ts';
import {
  asEdited,
  asStaged,
  changesOf,
  mockInput,
  readsOf,
  warned,
  type MockReply,
  type MocksContext,
} from './replies.ts';

const operation = operations('Mocks');

export function mockStagedApi(context: MocksContext): Endpoint[] {
  const { bodies } = context;
  const change = changesOf(context);
  const read = readsOf(context);
  const copySchema = bodies.definition.schema;
  const routeSchema = bodies.route.schema;
  const responseSchema = bodies.response.schema;
  const order: EndpointBody<JsonObject> = {
    schema: Type.Object({ ids: Type.Array(Type.String()) }),
    bytesMax: bodies.definition.bytesMax,
    invalid: 'mockPayloadInvalid',
  };

  return [
    operation('readStaged', 'GET /v1/mocks/:id/staged', {
      summary: 'Read the working copy',
      record: copySchema,
      handle: read(readMock, asCopy, mockInput, ({ staged }) => copyBytes(staged)),
    }),
    operation('replaceStaged', 'PUT /v1/mocks/:id/staged', {
      summary: 'Replace the working copy',
      warned: copySchema,
      conditional: true,
      body: bodies.definition,
      handle: change(putStaged, asEditedCopy, (call, definition) => ({ ...mockInput(call), definition })),
    }),
    operation('addStagedRoute', 'POST /v1/mocks/:id/staged/routes', {
      summary: 'Add a route to the working copy',
      warned: routeSchema,
      conditional: true,
      repeatable: true,
      body: { ...bodies.route, examples: { Route: EXAMPLE_ROUTE } },
      handle: change(addStagedRoute, asEditedRoute, (call, route) => ({ ...mockInput(call), route })),
    }),
    operation('orderStagedRoutes', 'PUT /v1/mocks/:id/staged/order', {
      summary: 'Reorder the staged routes',
      warned: copySchema,
      conditional: true,
      body: order,
      handle: change(orderStagedRoutes, asEditedCopy, (call, body) => ({ ...mockInput(call), body })),
    }),
    operation('readStagedRoute', 'GET /v1/mocks/:id/staged/routes/:routeId', {
      summary: 'Read a staged route',
      record: routeSchema,
      handle: read(readStagedRoute, asRoute, routeInput, stagedBytesMax),
    }),
    operation('replaceStagedRoute', 'PUT /v1/mocks/:id/staged/routes/:routeId', {
      summary: 'Replace a staged route',
      warned: routeSchema,
      conditional: true,
      body: bodies.route,
      handle: change(putStagedRoute, asEditedRoute, (call, route) => ({ ...routeInput(call), route })),
    }),
    operation('deleteStagedRoute', 'DELETE /v1/mocks/:id/staged/routes/:routeId', {
      summary: 'Remove a staged route',
      warned: mockSchema,
      conditional: true,
      handle: change(deleteStagedRoute, asEdited, routeInput),
    }),
    operation('addStagedResponse', 'POST /v1/mocks/:id/staged/routes/:routeId/responses', {
      summary: 'Add a response to a staged route',
      warned: responseSchema,
      conditional: true,
      repeatable: true,
      body: { ...bodies.response, examples: { Response: { status: 404, body: 'no such payment' } } },
      handle: change(addStagedResponse, asEditedResponse, (call, response) => ({ ...routeInput(call), response })),
    }),
    operation('readStagedResponse', 'GET /v1/mocks/:id/staged/routes/:routeId/responses/:responseId', {
      summary: 'Read a staged response',
      record: responseSchema,
      handle: read(readStagedResponse, asResponse, responseInput, stagedBytesMax),
    }),
    operation('replaceStagedResponse', 'PUT /v1/mocks/:id/staged/routes/:routeId/responses/:responseId', {
      summary: 'Replace a staged response',
      warned: responseSchema,
      conditional: true,
      body: bodies.response,
      handle: change(putStagedResponse, asEditedResponse, (call, response) => ({ ...responseInput(call), response })),
    }),
    operation('deleteStagedResponse', 'DELETE /v1/mocks/:id/staged/routes/:routeId/responses/:responseId', {
      summary: 'Remove a staged response',
      warned: mockSchema,
      conditional: true,
      refuses: ['mockPayloadInvalid'],
      handle: change(deleteStagedResponse, asEdited, responseInput),
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
