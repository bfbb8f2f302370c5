/** Mocks as records: created, listed, renamed, started, stopped, deleted; mocks.md, "Endpoints". */
import { isRefusal } from '../../errors.ts';
import { createMock, deleteMock, setMockState, updateMock } from '../../model/mocks/decide-mock.ts';
import { mockSchema } from '../../model/mocks/mock.ts';
import { listMocks, readMock } from '../../model/mocks/query-mock.ts';
import { Type } from '../../model/schema-type.ts';
import type { Endpoint } from '../endpoint.ts';
import { PAGE_PARAMETERS, pageSchema, parseListQuery } from '../list-query.ts';
import { EXAMPLE_ROUTE, PAYLOAD_REFUSALS, type MockEndpoints, type MockServing } from './mock-endpoints.ts';
import { replyMessage, replyPage } from '../reply.ts';

export function mocksApi(endpoints: MockEndpoints, serving: MockServing): Endpoint[] {
  const { owners, shapes, mockJson, asRecord, answer, command, act, read, inputOf, define, ofData } = endpoints;
  const record = ofData(mockSchema);
  const states = { start: setMockState('running'), stop: setMockState('stopped') };

  return [
    define(
      'GET',
      '',
      {
        operationId: 'listMocks',
        summary: 'List mocks in order of creation',
        query: Type.Object(PAGE_PARAMETERS),
        answer: pageSchema(mockSchema),
        refusals: ['badRequest'],
      },
      (call) => {
        const query = parseListQuery(call.head.query, {});
        if (isRefusal(query)) return call.refuse(query);
        return owners.query(listMocks, { page: query.page }, call.caller, (page) => replyPage(call, page, mockJson));
      },
    ),
    define(
      'POST',
      '',
      {
        operationId: 'createMock',
        summary: 'Create a mock, saved as version 1',
        body: Type.Object({
          name: Type.String({ minLength: 1 }),
          description: Type.Optional(Type.String()),
          ...shapes.copy.properties,
          start: Type.Optional(Type.Boolean()),
        }),
        examples: { Mock: { name: 'Payments', start: true, routes: [EXAMPLE_ROUTE] } },
        answer: record,
        refusals: PAYLOAD_REFUSALS,
      },
      (call) =>
        read(call, 'mock', (draft, repeatable) =>
          command(call, createMock, { draft }, asRecord, { publishes: true, repeatable }),
        ),
    ),
    define('GET', '/:id', { operationId: 'readMock', summary: 'Read a mock', answer: record }, (call) =>
      owners.query(readMock, inputOf(call), call.caller, answer(call, asRecord)),
    ),
    define(
      'PUT',
      '/:id',
      {
        operationId: 'updateMock',
        summary: 'Change name and description',
        body: Type.Object({ name: Type.String({ minLength: 1 }), description: Type.Optional(Type.String()) }),
        answer: record,
        headers: ['If-Match'],
        refusals: PAYLOAD_REFUSALS,
      },
      (call) => read(call, 'name', (named) => command(call, updateMock, { ...inputOf(call), named }, asRecord)),
    ),
    define(
      'DELETE',
      '/:id',
      {
        operationId: 'deleteMock',
        summary: 'Delete a mock',
        answer: Type.Object({ message: Type.Literal('Mock deleted successfully') }),
        headers: ['If-Match'],
      },
      (call) =>
        owners.command(deleteMock, inputOf(call), call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          return void call.later(serving.publish(outcome.id), (isPublished) =>
            replyMessage(call, outcome, 'Mock deleted successfully', isPublished ? '' : ',"published":false'),
          );
        }),
    ),
    ...(['start', 'stop'] as const).map((verb) =>
      define(
        'POST',
        `/:id/${verb}`,
        {
          operationId: `${verb}Mock`,
          summary: verb === 'start' ? 'Serve the saved version' : 'Answer 503',
          answer: record,
          headers: ['If-Match'],
        },
        (call) => act(call, states[verb], inputOf(call), asRecord, { publishes: true }),
      ),
    ),
  ];
}
