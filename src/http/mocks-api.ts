/** Mocks as records: created, listed, renamed, started, stopped, deleted; mocks.md, "Endpoints". */
import { Type } from 'typebox';
import type { JsonObject } from '../base/strict-json.ts';
import { isRefusal, refuse, refuseLimit, type Refusal } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { createMock, deleteMock, setMockState, updateMock } from '../model/mocks/decide-mock.ts';
import { mockSchema } from '../model/mocks/mock.ts';
import { listMocks, readMock } from '../model/mocks/query-mock.ts';
import { readBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { PAGE_PARAMETERS, pageSchema, parseListQuery } from './list-query.ts';
import { EXAMPLE_ROUTE, PAYLOAD_REFUSALS, type MockEndpoints, type MockServing } from './mock-endpoints.ts';
import { replyMessage, replyPage } from './reply.ts';

export function mocksApi(endpoints: MockEndpoints, limits: Limits, serving: MockServing): Endpoint[] {
  const { owners, parser, bytesMax, shapes, record, mockJson, replyMock, replyPublished, inputOf, read, act, define } =
    endpoints;
  const { copy } = shapes;
  const parseName = nameParser(limits);
  const commands = {
    create: createMock(parser, parseName),
    update: updateMock(parseName),
    start: setMockState('running'),
    stop: setMockState('stopped'),
  };

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
          ...copy.properties,
          start: Type.Optional(Type.Boolean()),
        }),
        examples: { Mock: { name: 'Payments', start: true, routes: [EXAMPLE_ROUTE] } },
        answer: record,
        headers: ['Idempotency-Key'],
        refusals: [...PAYLOAD_REFUSALS, 'idempotencyKeyReused'],
      },
      (call) =>
        readBody(call, bytesMax, 'mockPayloadInvalid', (body, idempotency) =>
          owners.command(
            commands.create,
            { body },
            call.caller,
            (outcome) => replyPublished(call, outcome),
            idempotency,
          ),
        ),
    ),
    define('GET', '/:id', { operationId: 'readMock', summary: 'Read a mock', answer: record }, (call) =>
      owners.query(readMock, inputOf(call), call.caller, (outcome) => replyMock(call, outcome)),
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
        refusals: [...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      (call) =>
        read(call, (body) =>
          owners.command(commands.update, { ...inputOf(call), body }, call.caller, (outcome) =>
            replyMock(call, outcome),
          ),
        ),
    ),
    define(
      'DELETE',
      '/:id',
      {
        operationId: 'deleteMock',
        summary: 'Delete a mock',
        answer: Type.Object({ message: Type.Literal('Mock deleted successfully') }),
        headers: ['If-Match'],
        refusals: ['preconditionFailed'],
      },
      (call) =>
        owners.command(deleteMock, inputOf(call), call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          return void serving
            .publish(outcome.id)
            .then((published) =>
              call.protect(() =>
                replyMessage(call, outcome, 'Mock deleted successfully', published ? '' : ',"published":false'),
              ),
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
          refusals: ['preconditionFailed'],
        },
        (call) => act(call, commands[verb], inputOf(call), replyPublished),
      ),
    ),
  ];
}

/** Reads `name` and `description` of a body. */
function nameParser(limits: Limits) {
  return (body: JsonObject): { name: string; description: string } | Refusal => {
    const { name, description = '' } = body;
    if (typeof name !== 'string' || name === '') {
      return refuse('mockPayloadInvalid', [
        { path: '/name', message: 'is required and must be a string that is not empty' },
      ]);
    }
    if (typeof description !== 'string' && description !== null) {
      return refuse('mockPayloadInvalid', [{ path: '/description', message: 'expected string' }]);
    }
    if (name.length > limits.nameCharsMax) return refuseLimit(`name of ${limits.nameCharsMax} characters`, '/name');
    if ((description ?? '').length > limits.textCharsMax)
      return refuseLimit(`description of ${limits.textCharsMax} characters`, '/description');
    return { name, description: description ?? '' };
  };
}
