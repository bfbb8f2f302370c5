/** The traffic of a mock: its recorded requests and exact counts; docs/mocks.md. */
import { isRefusal, refuse, type Detail, type Refusal } from '../../../errors.ts';
import { TRAFFIC_LIMIT_DEFAULT, TRAFFIC_LIMIT_MAX } from '../../../limits.ts';
import type { Mock, MockCopy } from '../../../model/mocks/mock.ts';
import { listMockIds } from '../../../model/mocks/list-mocks.ts';
import { readMock } from '../../../model/mocks/query-mock.ts';
import {
  allCountsSchema,
  countsSchema,
  requestPage,
  REQUEST_FORMATS,
  requestQuerySchema,
  requestSchema,
  type AllCounts,
  type MockCounts,
  type TrafficFilter,
  type TrafficPage,
  type TrafficRecord,
} from '../../../model/mocks/traffic.ts';
import { Type } from '../../../model/schema-type.ts';
import { shown } from '../../../model/validate.ts';
import type { OwnerDirectory } from '../../../owners/owner-directory.ts';
import type { Call } from '../../call.ts';
import { endpoint, type Endpoint } from '../../endpoint.ts';
import { onlyValue, queryInteger, unknownParameters } from '../list-query.ts';
import { replyList } from '../../page.ts';
import { replyHar, type HarOrigin } from './requests-har.ts';

export interface RequestPage extends TrafficPage {
  readonly epoch: string;
  /** Count of resets: at each, numbers start again. */
  readonly resets: number;
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
        answer: Type.Object({ data: Type.Array(requestSchema), ...requestPage.properties }),
        refusals: ['mockNotFound', 'badRequest'],
      },
      handle: (call) =>
        withMock(owners, call, async (mock) => {
          const asked = parseQuery(call.head.query);
          if (isRefusal(asked)) return call.refuse(asked);
          const page = await traffic.requests(mock.id, asked.filter);
          if (page === undefined) return call.refuse('overloaded');
          if (asked.format === 'har') return replyHar(call, mock, page, origin);
          const { records, count, hasOlder, truncated, oldestTime = null, epoch } = page;
          return replyList(
            call,
            records,
            (record) => JSON.stringify(representRequest(record)),
            (written) => {
              const nextBefore = hasOlder || written < records.length ? records[written - 1]?.number : undefined;
              return (
                `,"total":${count},"truncated":${truncated},"oldest":${oldestTime},` +
                `"nextBefore":${nextBefore ?? null},"epoch":"${epoch}"`
              );
            },
          );
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
            return call.answer(MOCK_COUNTS_BYTES * mockIds.length, () =>
              call.succeed(`"data":${JSON.stringify(counts)}`),
            );
          });
        }),
    }),
  ];
}

/** Of one mock in the counts of all: an id of 63 characters, and two numbers. */
const MOCK_COUNTS_BYTES = 150;

/** Ids and numbers, whatever the routes and responses hold. */
function countsBytesMax({ routes }: MockCopy): number {
  return routes.reduce((bytes, { route }) => bytes + 150 + 100 * route.responses.length, 1_000);
}

/** Runs `use` when the caller's owner has the mock; an error in it is a server error. */
export function withMock(owners: OwnerDirectory, call: Call, use: (mock: Mock) => Promise<void>): void {
  owners.query(readMock, { mockId: call.params[0] ?? '' }, call.caller, (mock) =>
    isRefusal(mock) ? call.refuse(mock) : void call.later(Promise.resolve(mock), use),
  );
}

/** A recorded request as clients see it. */
export function representRequest({ number, body, routeId, responseId, problem, ...rest }: TrafficRecord): object {
  return {
    id: String(number),
    ...rest,
    body: Buffer.from(body).toString('utf8'),
    routeId: routeId === '' ? null : routeId,
    responseId: responseId === '' ? null : responseId,
    ...(problem === '' ? {} : { problem }),
  };
}

function parseQuery(query: string): { readonly filter: TrafficFilter; readonly format: string } | Refusal {
  const given = new URLSearchParams(query);
  // A misspelt filter would list everything.
  const details: Detail[] = unknownParameters(given, requestQuerySchema);
  const text = (name: string) => onlyValue(given, name, details);
  const integer = (name: string) => (given.has(name) ? queryInteger(given, name, 0, 0, details) : undefined);
  const matched = text('matched');
  if (matched !== undefined && matched !== 'true' && matched !== 'false') {
    details.push({ path: 'matched', message: `expected true or false, got ${shown(matched)}` });
  }
  const format = text('format') ?? REQUEST_FORMATS[0];
  if (!REQUEST_FORMATS.includes(format)) {
    details.push({ path: 'format', message: `expected one of ${REQUEST_FORMATS.join(', ')}; got ${shown(format)}` });
  }
  const filter = {
    routeId: text('routeId'),
    responseId: text('responseId'),
    status: integer('status'),
    method: text('method'),
    path: text('path'),
    matched: matched === undefined ? undefined : matched === 'true',
    since: integer('since'),
  };
  const beforeNumber = given.has('before') ? queryInteger(given, 'before', 0, 1, details) : undefined;
  const limit = Math.min(queryInteger(given, 'limit', TRAFFIC_LIMIT_DEFAULT, 1, details), TRAFFIC_LIMIT_MAX);
  if (details.length > 0) return refuse('badRequest', details);
  const named = Object.fromEntries(
    Object.entries({ ...filter, beforeNumber }).filter(([, value]) => value !== undefined),
  );
  return { filter: { ...named, limit }, format };
}
