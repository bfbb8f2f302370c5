/** Mocks as records: created, listed, renamed, started, stopped, deleted; docs/mocks-fields.md. */
import { isRefusal } from '../../../errors.ts';
import { createMock, deleteMock, setMockState, updateMock } from '../../../model/mocks/decide/decide-mock.ts';
import { listMocks, MOCK_SORTS, MOCK_STATES, type MockFilter } from '../../../model/mocks/show/list-mocks.ts';
import { mockSchema } from '../../../model/mocks/mock.ts';
import { readMock } from '../../../model/mocks/show/query-mock.ts';
import { pageAt } from '../../../model/page-at.ts';
import { Type } from '../../../model/schema-type.ts';
import type { Endpoint } from '../../endpoint.ts';
import { operations } from '../operation.ts';
import { knownTo } from '../../list-tag.ts';
import { replyMessage, replyPage } from '../../reply.ts';
import { PAGE_PARAMETERS, parseListQuery, type ListQuery } from '../list-query.ts';
import { EXAMPLE_MOCKS } from './files/examples.ts';
import { asRecord, asSaved, changesOf, mockInput, listedMockJson, readsOf, type MocksContext } from './replies.ts';

const operation = operations('Mocks');

const START = setMockState('running');
const STOP = setMockState('stopped');

const FILTERS = { q: 'any', state: MOCK_STATES, unsaved: ['true', 'false'], sort: MOCK_SORTS } as const;
const list = pageAt(listMocks);

export function mocksApi(context: MocksContext): Endpoint[] {
  const { owners, serving, bodies } = context;
  const change = changesOf(context);
  const read = readsOf(context);

  return [
    operation('listMocks', 'GET /v1/mocks', {
      summary: 'List mocks, by default in order of creation',
      query: Type.Object({
        ...PAGE_PARAMETERS,
        q: Type.Optional(
          Type.String({ description: 'Only mocks with this text in name or description. Ignores case.' }),
        ),
        state: Type.Optional(Type.Enum([...MOCK_STATES])),
        unsaved: Type.Optional(Type.Boolean({ description: 'Only mocks with, or without, unsaved changes.' })),
        sort: Type.Optional(
          Type.Enum([...MOCK_SORTS], {
            default: 'creationDate',
            description: 'Sort by this member; `-` reverses the order. Names sort case-insensitively.',
          }),
        ),
      }),
      page: mockSchema,
      handle(call) {
        const query = parseListQuery(call.head.query, FILTERS);
        if (isRefusal(query)) return call.refuse(query);
        const input = { page: query.page, filter: filterOf(query) };
        owners.query(list, { list: input, isKnown: knownTo(call) }, call.caller, (page) =>
          replyPage(call, page, query.page.offset, (mock, ownerId) => listedMockJson(mock, ownerId, serving.urlsOf)),
        );
      },
    }),
    operation('createMock', 'POST /v1/mocks', {
      summary: 'Create a mock, saved as version 1',
      warned: mockSchema,
      repeatable: true,
      refuses: ['mockIdTaken'],
      body: { ...bodies.mock, examples: EXAMPLE_MOCKS },
      handle: change(createMock, asSaved, (_call, draft) => ({ draft }), { publishes: true }),
    }),
    operation('readMock', 'GET /v1/mocks/:id', {
      summary: 'Read a mock',
      record: mockSchema,
      handle: read(readMock, asRecord, mockInput),
    }),
    operation('updateMock', 'PUT /v1/mocks/:id', {
      summary: 'Change name and description',
      record: mockSchema,
      conditional: true,
      body: bodies.name,
      handle: change(updateMock, asRecord, (call, named) => ({ ...mockInput(call), named })),
    }),
    operation('deleteMock', 'DELETE /v1/mocks/:id', {
      summary: 'Delete a mock',
      message: 'Mock deleted successfully',
      conditional: true,
      handle(call) {
        owners.command(deleteMock, mockInput(call), call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          return void call.later(serving.publish(outcome.id), (isPublished) =>
            replyMessage(call, outcome, 'Mock deleted successfully', isPublished ? '' : ',"published":false'),
          );
        });
      },
    }),
    operation('startMock', 'POST /v1/mocks/:id/start', {
      summary: 'Start the mock: serve the saved version',
      record: mockSchema,
      conditional: true,
      repeatable: true,
      handle: change(START, asRecord, mockInput, { publishes: true }),
    }),
    operation('stopMock', 'POST /v1/mocks/:id/stop', {
      summary: 'Answer 503',
      record: mockSchema,
      conditional: true,
      repeatable: true,
      handle: change(STOP, asRecord, mockInput, { publishes: true }),
    }),
  ];
}

function filterOf({ filter }: ListQuery): MockFilter | undefined {
  if (filter === undefined) return undefined;
  const { unsaved, ...others } = filter;
  return { ...others, ...(unsaved === undefined ? {} : { unsaved: unsaved === 'true' }) };
}
