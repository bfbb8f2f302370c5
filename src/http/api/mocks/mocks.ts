/** Mocks as records: created, listed, renamed, started, stopped, deleted; docs/mocks-fields.md. */
import { isRefusal } from '../../../errors.ts';
import { createMock, deleteMock, setMockState, updateMock } from '../../../model/mocks/decide/decide-mock.ts';
import { listMocks, MOCK_SORTS, MOCK_STATES, type MockFilter } from '../../../model/mocks/show/list-mocks.ts';
import { mockSchema } from '../../../model/mocks/mock.ts';
import { readMock } from '../../../model/mocks/show/query-mock.ts';
import { pageAt } from '../../../model/page-at.ts';
import { Type } from '../../../model/schema-type.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { knownTo } from '../../list-tag.ts';
import { replyMessage, replyPage } from '../../reply.ts';
import { PAGE_PARAMETERS, pageSchema, parseListQuery, type ListQuery } from '../list-query.ts';
import { PAYLOAD_REFUSALS } from './drafts.ts';
import { EXAMPLE_MOCKS } from './files/examples.ts';
import {
  asRecord,
  asSaved,
  changeMock,
  mockInput,
  listedMockJson,
  ofData,
  ofWarned,
  replyFound,
  type MocksContext,
} from './replies.ts';

const START = setMockState('running');
const STOP = setMockState('stopped');

const FILTERS = { q: 'any', state: MOCK_STATES, unsaved: ['true', 'false'], sort: MOCK_SORTS } as const;
const list = pageAt(listMocks);

export function mocksApi(context: MocksContext): Endpoint[] {
  const { owners, serving, bodies } = context;
  const record = ofData(mockSchema);

  return [
    endpoint({
      method: 'GET',
      path: '/v1/mocks',
      access: 'read',
      doc: {
        operationId: 'listMocks',
        tag: 'Mocks',
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
        answer: pageSchema(mockSchema),
        headers: ['If-None-Match'],
        refusals: ['badRequest'],
      },
      handle(call) {
        const query = parseListQuery(call.head.query, FILTERS);
        if (isRefusal(query)) return call.refuse(query);
        const input = { page: query.page, filter: filterOf(query) };
        owners.query(list, { list: input, isKnown: knownTo(call) }, call.caller, (page) =>
          replyPage(call, page, query.page.offset, (mock, ownerId) => listedMockJson(mock, ownerId, serving.urlOf)),
        );
      },
    }),
    endpoint({
      method: 'POST',
      path: '/v1/mocks',
      access: 'write',
      doc: {
        operationId: 'createMock',
        tag: 'Mocks',
        summary: 'Create a mock, saved as version 1',
        answer: ofWarned(mockSchema),
        headers: ['Idempotency-Key'],
        refusals: ['idempotencyKeyReused', 'mockIdTaken', ...PAYLOAD_REFUSALS],
      },
      body: { ...bodies.mock, examples: EXAMPLE_MOCKS },
      handle(call, draft) {
        changeMock(context, call, createMock, { draft }, asSaved, { publishes: true });
      },
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id',
      access: 'read',
      doc: {
        operationId: 'readMock',
        tag: 'Mocks',
        summary: 'Read a mock',
        answer: record,
        refusals: ['mockNotFound'],
      },
      handle(call) {
        owners.query(readMock, mockInput(call), call.caller, (mock) => replyFound(context, call, mock, asRecord));
      },
    }),
    endpoint({
      method: 'PUT',
      path: '/v1/mocks/:id',
      access: 'write',
      doc: {
        operationId: 'updateMock',
        tag: 'Mocks',
        summary: 'Change name and description',
        answer: record,
        headers: ['If-Match'],
        refusals: ['mockNotFound', 'mockOfFile', ...PAYLOAD_REFUSALS, 'preconditionFailed'],
      },
      body: bodies.name,
      handle(call, named) {
        changeMock(context, call, updateMock, { ...mockInput(call), named }, asRecord);
      },
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/mocks/:id',
      access: 'write',
      doc: {
        operationId: 'deleteMock',
        tag: 'Mocks',
        summary: 'Delete a mock',
        answer: Type.Object({ message: Type.Literal('Mock deleted successfully') }),
        headers: ['If-Match'],
        refusals: ['mockNotFound', 'mockOfFile', 'preconditionFailed'],
      },
      handle(call) {
        owners.command(deleteMock, mockInput(call), call.caller, (outcome) => {
          if (isRefusal(outcome)) return call.refuse(outcome);
          return void call.later(serving.publish(outcome.id), (isPublished) =>
            replyMessage(call, outcome, 'Mock deleted successfully', isPublished ? '' : ',"published":false'),
          );
        });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/start',
      access: 'write',
      doc: {
        operationId: 'startMock',
        tag: 'Mocks',
        summary: 'Start the mock: serve the saved version',
        answer: record,
        headers: ['If-Match', 'Idempotency-Key'],
        refusals: ['mockNotFound', 'mockOfFile', 'idempotencyKeyReused', 'limitReached', 'preconditionFailed'],
      },
      handle(call) {
        changeMock(context, call, START, mockInput(call), asRecord, { publishes: true });
      },
    }),
    endpoint({
      method: 'POST',
      path: '/v1/mocks/:id/stop',
      access: 'write',
      doc: {
        operationId: 'stopMock',
        tag: 'Mocks',
        summary: 'Answer 503',
        answer: record,
        headers: ['If-Match', 'Idempotency-Key'],
        refusals: ['mockNotFound', 'mockOfFile', 'idempotencyKeyReused', 'limitReached', 'preconditionFailed'],
      },
      handle(call) {
        changeMock(context, call, STOP, mockInput(call), asRecord, { publishes: true });
      },
    }),
  ];
}

function filterOf({ filter }: ListQuery): MockFilter | undefined {
  if (filter === undefined) return undefined;
  const { unsaved, ...others } = filter;
  return { ...others, ...(unsaved === undefined ? {} : { unsaved: unsaved === 'true' }) };
}
