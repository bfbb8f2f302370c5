/** The traffic of a mock: its recorded requests and exact counts; docs/mocks.md. */
import { isRefusal } from '../../../errors.ts';
import type { Mock, MockCopy } from '../../../model/mocks/mock.ts';
import { listMockIds } from '../../../model/mocks/list-mocks.ts';
import { readMock } from '../../../model/mocks/query-mock.ts';
import {
  allCountsSchema,
  countsSchema,
  requestPage,
  requestQuerySchema,
  requestSchema,
  requestSummarySchema,
  type AllCounts,
  type MockCounts,
  type MockTotals,
  type TrafficFilter,
  type TrafficPage,
} from '../../../model/mocks/traffic.ts';
import { Type } from '../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Call } from '../../call.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { replyList } from '../../page.ts';
import { representRequest, representSummary } from './recorded-request.ts';
import { replyHar, type HarOrigin } from './requests-har.ts';
import { parseRequestQuery } from './traffic-query.ts';

export interface RequestPage extends TrafficPage {
  readonly epoch: string;
  /** Differs after a reset: what is known of requests before is over. */
  readonly resets: number;
  /** The number of the last request before that reset: 0, unless sessions went on with the numbers. */
  readonly numbersFrom: number;
  /** The number of the last request whose reply was chosen before the question was asked. */
  readonly newestNumber: number;
  /** Where the filter asks for them. */
  readonly totals?: MockTotals;
}

/** Queries to the data plane; undefined when it does not answer in time. */
export interface MockTraffic {
  readonly requests: (mockId: string, filter: TrafficFilter) => Promise<RequestPage | undefined>;
  readonly counts: (mockId: string) => Promise<(MockCounts & { epoch: string }) | undefined>;
  readonly allCounts: (mockIds: readonly string[]) => Promise<(AllCounts & { epoch: string }) | undefined>;
  readonly reset: (mockId: string) => Promise<boolean>;
}

export function mockTrafficApi(owners: OwnerDirectory, traffic: MockTraffic, origin: HarOrigin): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/requests',
      access: 'read',
      doc: {
        operationId: 'listRequests',
        tag: 'Traffic',
        summary: 'List recorded requests, newest first',
        query: requestQuerySchema,
        answer: Type.Object({
          data: Type.Array(Type.Union([requestSchema, requestSummarySchema])),
          ...requestPage.properties,
        }),
        refusals: ['mockNotFound', 'badRequest'],
      },
      handle: (call) =>
        withMock(owners, call, async (mock) => {
          const asked = parseRequestQuery(call.head.query);
          if (isRefusal(asked)) return call.refuse(asked);
          const page = await traffic.requests(mock.id, asked.filter);
          if (page === undefined) return call.refuse('overloaded');
          if (asked.format === 'har') return replyHar(call, mock, page, origin);
          const { records, count, hasMore, truncated, oldestTime = null, epoch } = page;
          const represent = asked.filter.isSummary === true ? representSummary : representRequest;
          return replyList(
            call,
            records,
            (record) => JSON.stringify(represent(record)),
            (written) => {
              const nextBefore = hasMore || written < records.length ? records[written - 1]?.number : undefined;
              return (
                `,"total":${count},"truncated":${truncated},"oldest":${oldestTime},` +
                `"nextBefore":${nextBefore ?? null},"epoch":"${epoch}"`
              );
            },
          );
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/requests/:requestId',
      access: 'read',
      doc: {
        operationId: 'readRequest',
        tag: 'Traffic',
        summary: 'Read one recorded request',
        answer: Type.Object({ data: requestSchema }),
        untagged: true,
        refusals: ['mockNotFound', 'requestNotFound'],
      },
      handle: (call) =>
        withMock(owners, call, async (mock) => {
          const number = requestNumber(call);
          if (number === undefined) return call.refuse('requestNotFound');
          const page = await traffic.requests(mock.id, { afterNumber: number - 1, upToNumber: number, limit: 1 });
          if (page === undefined) return call.refuse('overloaded');
          const [record] = page.records;
          if (record === undefined) return call.refuse('requestNotFound');
          const text = `"data":${JSON.stringify(representRequest(record))}`;
          return call.answer(3 * text.length, () => call.succeed(text));
        }),
    }),
    endpoint({
      method: 'DELETE',
      path: '/v1/mocks/:id/requests',
      access: 'write',
      doc: {
        operationId: 'resetRequests',
        tag: 'Traffic',
        summary: 'Forget recorded requests, counts and sequences',
        answer: Type.Object({ message: Type.Literal('Requests reset successfully') }),
        refusals: ['mockNotFound'],
      },
      handle: (call) =>
        withMock(owners, call, async ({ id }) => {
          const isReset = await traffic.reset(id);
          if (isReset) call.succeed('"message":"Requests reset successfully"');
          else call.refuse('overloaded');
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/:id/counts',
      access: 'read',
      doc: {
        operationId: 'countRequests',
        tag: 'Traffic',
        summary: 'Exact counts since the reset',
        answer: Type.Object({ data: countsSchema }),
        untagged: true,
        refusals: ['mockNotFound'],
      },
      handle: (call) =>
        withMock(owners, call, async ({ id, saved }) => {
          const counts = await traffic.counts(id);
          if (counts === undefined) return call.refuse('overloaded');
          return call.answer(countsBytesMax(saved), () => call.succeed(`"data":${JSON.stringify(counts)}`));
        }),
    }),
    endpoint({
      method: 'GET',
      path: '/v1/mocks/counts',
      access: 'read',
      doc: {
        operationId: 'countAllRequests',
        tag: 'Traffic',
        summary: 'Exact counts of all mocks, each since its reset',
        answer: Type.Object({ data: allCountsSchema }),
        untagged: true,
        refusals: [],
      },
      handle: (call) =>
        owners.query(listMockIds, undefined, call.caller, (mockIds) => {
          if (isRefusal(mockIds)) return call.refuse(mockIds);
          return void call.later(traffic.allCounts(mockIds), (counts) => {
            if (counts === undefined) return call.refuse('overloaded');
            const json = JSON.stringify(counts);
            return call.answer(json.length, () => call.succeed(`"data":${json}`));
          });
        }),
    }),
  ];
}

/** Ids and numbers, whatever the routes and responses hold. */
function countsBytesMax({ routes }: MockCopy): number {
  return routes.reduce((bytes, { route }) => bytes + 150 + 100 * route.responses.length, 1_000);
}

/** undefined for a text that is no id of a request. */
function requestNumber({ params }: Call): number | undefined {
  const [, text = ''] = params;
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Runs `use` when the caller's owner has the mock; an error in it is a server error. */
export function withMock(owners: OwnerDirectory, call: Call, use: (mock: Mock) => Promise<void>): void {
  owners.query(readMock, { mockId: call.params[0] ?? '' }, call.caller, (mock) =>
    isRefusal(mock) ? call.refuse(mock) : void call.later(Promise.resolve(mock), use),
  );
}
