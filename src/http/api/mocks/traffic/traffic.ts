/** The traffic of a mock: its recorded requests and exact counts; docs/mocks-traffic.md. */
import type { OwnerWaits } from '../../../../base/owner-waits.ts';
import { isRefusal, refuse, type Refusal } from '../../../../errors.ts';
import type { JournalNumbers } from '../../../../model/journal.ts';
import { savedVersionOf, type MockCopy } from '../../../../model/mocks/mock.ts';
import { listMockIds } from '../../../../model/mocks/show/list-mocks.ts';
import { parametersIn } from '../../../../model/mocks/recorded-conditions.ts';
import { requestQuerySchema, sessionRequestQuerySchema } from '../../../../model/mocks/traffic-queries.ts';
import {
  allCountsSchema,
  countsQuerySchema,
  requestPage,
  requestSchema,
  requestSummarySchema,
  shownCountsSchema,
  type AllCounts,
  type MockCounts,
  type MockTotals,
  type TrafficFilter,
  type TrafficPage,
} from '../../../../model/mocks/traffic.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { Call } from '../../../call.ts';
import type { Endpoint } from '../../../endpoint.ts';
import { operationsOf } from '../../operation.ts';
import type { HarOrigin } from '../../journal/har.ts';
import { replyPage } from '../../journal/page.ts';
import { AnsweringRoutes } from './answering-routes.ts';
import { recordedConditions } from './recorded-conditions.ts';
import { representRequest, representSummary } from './recorded-request.ts';
import { messagesOf, replyRequestsHar } from './requests-har.ts';
import { parseRequestQuery } from './traffic-query.ts';
import {
  ofMock,
  ofOwner,
  scopeFilter,
  type OverlaysOf,
  type TrafficSubject,
  type TrafficScope,
} from './traffic-scope.ts';
import type { Condition } from '../../../../model/mocks/definition/condition-schema.ts';

export interface RequestPage extends TrafficPage, JournalNumbers {
  readonly epoch: string;
  /** Where the filter asks for them. */
  readonly totals?: MockTotals;
}

/** Queries to the data plane; undefined when it does not answer in time. */
export interface MockTraffic {
  readonly requests: (mockId: string, filter: TrafficFilter) => Promise<RequestPage | undefined>;
  /** @param scope `session`: of this session alone; `sessions`: of live sessions too. */
  readonly counts: (
    mockId: string,
    scope: { readonly session?: string; readonly sessions?: boolean },
  ) => Promise<(MockCounts & { epoch: string }) | undefined>;
  readonly allCounts: (mockIds: readonly string[]) => Promise<(AllCounts & { epoch: string }) | undefined>;
  /** Empty where nothing of the owner has waited for its share of a thread. */
  readonly ownerWaits: (ownerId: string) => Promise<readonly OwnerWaits[]>;
  readonly reset: (mockId: string) => Promise<boolean>;
}

export function mockTrafficApi(
  owners: OwnerDirectory,
  scopes: readonly TrafficScope[],
  traffic: MockTraffic,
  overlaysOf: OverlaysOf,
  origin: HarOrigin,
): Endpoint[] {
  const routesOf: RoutesOf = (call, scoped) =>
    new AnsweringRoutes(owners, call.caller, scoped.mock.id, () => overlaysOf(scoped));
  return [
    ...scopes.flatMap((scope) => scopedTrafficApi(scope, traffic, routesOf, origin)),
    operationsOf('Traffic', ofMock(owners))('resetRequests', 'DELETE /requests', {
      summary: 'Reset recorded requests, counts, sequences and scenario states',
      message: 'Requests reset successfully',
      run: async (_call, { found: { id } }) => ((await traffic.reset(id)) ? undefined : refuse('overloaded')),
    }),
    operationsOf('Traffic', ofOwner(owners, listMockIds))('countAllRequests', 'GET /v1/mocks/counts', {
      summary: 'Read exact counts of all mocks, each since its reset',
      data: allCountsSchema,
      run: async (_call, { found: mockIds }) => (await traffic.allCounts(mockIds)) ?? refuse('overloaded'),
    }),
  ];
}

/** The routes that answered: for conditions that read parameters of paths. */
type RoutesOf = (call: Call, scoped: TrafficSubject) => AnsweringRoutes;

function scopedTrafficApi(
  scope: TrafficScope,
  traffic: MockTraffic,
  routesOf: RoutesOf,
  origin: HarOrigin,
): Endpoint[] {
  const operation = operationsOf('Traffic', scope);
  const isOfMock = scope.kind === 'mock';
  return [
    operation('listRequests', 'GET /requests', {
      summary: 'List recorded requests, newest first',
      query: isOfMock ? requestQuerySchema : sessionRequestQuerySchema,
      answer: Type.Object({
        data: Type.Array(Type.Union([requestSchema, requestSummarySchema])),
        ...requestPage.properties,
      }),
      readQuery: (query) => parseRequestQuery(query, scope.kind),
      async run(call, { found: scoped, query }) {
        const { mock } = scoped;
        const { rules } = query;
        const filter = { ...query.filter, ...scopeFilter(scoped) };
        const page = await (rules.length === 0
          ? traffic.requests(mock.id, filter)
          : requestsMeeting(rules, filter, scoped, routesOf(call, scoped), traffic));
        if (page === undefined) return refuse('overloaded');
        if (isRefusal(page)) return page;
        if (query.format === 'har') {
          const messages = messagesOf(page);
          const said = messages && (await traffic.requests(mock.id, { ...messages, ...scopeFilter(scoped) }));
          return replyRequestsHar(call, mock, page, said, origin);
        }
        const { records: entries, hasMore, count: total, truncated, unjudged, oldestTime: oldest = null, epoch } = page;
        const represent = query.filter.isSummary === true ? representSummary : representRequest;
        const judged = rules.length === 0 ? {} : { unjudged };
        return replyPage(call, { entries, hasMore }, represent, { total, truncated, ...judged, oldest, epoch });
      },
    }),
    operation('readRequest', 'GET /requests/:requestId', {
      summary: 'Read one recorded request',
      data: requestSchema,
      async run(call, { found: scoped }) {
        const number = requestNumber(call);
        if (number === undefined) return refuse('requestNotFound');
        const asked = { afterNumber: number - 1, upToNumber: number, limit: 1, message: 'also' as const };
        const page = await traffic.requests(scoped.mock.id, { ...asked, ...scopeFilter(scoped) });
        if (page === undefined) return refuse('overloaded');
        const [record] = page.records;
        if (record === undefined) return refuse('requestNotFound');
        const text = `"data":${JSON.stringify(representRequest(record))}`;
        return call.answer(3 * text.length, () => call.succeed(text));
      },
    }),
    operation('countRequests', 'GET /counts', {
      summary: 'Read exact counts since the reset',
      ...(isOfMock ? { query: countsQuerySchema } : {}),
      data: shownCountsSchema,
      async run(call, { found: scoped, query }) {
        const { id, saved } = scoped.mock;
        const [counts, [ownerWaits]] = await Promise.all([
          traffic.counts(id, { ...query, ...scopeFilter(scoped) }),
          traffic.ownerWaits(call.caller.ownerId),
        ]);
        if (counts === undefined) return refuse('overloaded');
        const data = { ...counts, ownerWaits };
        return call.answer(countsBytesMax(saved), () => call.succeed(`"data":${JSON.stringify(data)}`));
      },
    }),
  ];
}

/** Ids and numbers, whatever the routes and responses hold. */
function countsBytesMax({ routes }: MockCopy): number {
  return routes.reduce((bytes, { route }) => bytes + 150 + 100 * route.responses.length, 1_000);
}

/** undefined for a text that is not the id of a request. */
function requestNumber({ params }: Call): number | undefined {
  const text = params.at(-1) ?? '';
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** A page of requests that meet conditions. It is read again when a version answered whose routes were not known, and are needed. */
async function requestsMeeting(
  rules: readonly Condition[],
  filter: TrafficFilter,
  scoped: TrafficSubject,
  routes: AnsweringRoutes,
  traffic: MockTraffic,
): Promise<RequestPage | Refusal | undefined> {
  const namesVersions = parametersIn(rules).size > 0;
  for (;;) {
    const conditions = recordedConditions(rules, scoped, routes);
    const page = await traffic.requests(scoped.mock.id, { ...filter, conditions, namesVersions });
    if (page === undefined || !namesVersions) return page;
    const learnt = await routes.learn([savedVersionOf(scoped.mock).number, ...page.versions]);
    if (isRefusal(learnt)) return learnt;
    if (!learnt) return page;
  }
}
