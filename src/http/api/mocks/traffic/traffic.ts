/** The traffic of a mock: its recorded requests and exact counts; docs/mocks-traffic.md. */
import type { OwnerWaits } from '../../../../base/owner-turns.ts';
import { isRefusal, type Refusal } from '../../../../errors.ts';
import type { Condition } from '../../../../model/mocks/definition/definition.ts';
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
import { endpoint, type Endpoint } from '../../../endpoint.ts';
import { replyList } from '../../../page.ts';
import { readDeclaredQuery } from '../../declared-query.ts';
import { AnsweringRoutes } from './answering-routes.ts';
import { recordedConditions } from './recorded-conditions.ts';
import { representRequest, representSummary } from './recorded-request.ts';
import { messagesOf, replyHar, type HarOrigin } from './requests-har.ts';
import { parseRequestQuery } from './traffic-query.ts';
import { scopeFilter, withMock, type OverlaysOf, type Scoped, type TrafficScope } from './traffic-scope.ts';

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
    endpoint({
      method: 'DELETE',
      path: '/v1/mocks/:id/requests',
      access: 'write',
      doc: {
        operationId: 'resetRequests',
        tag: 'Traffic',
        summary: 'Reset recorded requests, counts, sequences and scenario states',
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
      path: '/v1/mocks/counts',
      access: 'read',
      doc: {
        operationId: 'countAllRequests',
        tag: 'Traffic',
        summary: 'Read exact counts of all mocks, each since its reset',
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

/** The routes that answered: for conditions that read parameters of paths. */
type RoutesOf = (call: Call, scoped: Scoped) => AnsweringRoutes;

function scopedTrafficApi(
  scope: TrafficScope,
  traffic: MockTraffic,
  routesOf: RoutesOf,
  origin: HarOrigin,
): Endpoint[] {
  const { path, suffix, refusals, enter } = scope;
  return [
    endpoint({
      method: 'GET',
      path: `${path}/requests`,
      access: 'read',
      doc: {
        operationId: `listRequests${suffix}`,
        tag: 'Traffic',
        summary: 'List recorded requests, newest first',
        query: scope.kind === 'mock' ? requestQuerySchema : sessionRequestQuerySchema,
        answer: Type.Object({
          data: Type.Array(Type.Union([requestSchema, requestSummarySchema])),
          ...requestPage.properties,
        }),
        refusals: [...refusals, 'badRequest'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const { mock } = scoped;
          const asked = parseRequestQuery(call.head.query, scope.kind);
          if (isRefusal(asked)) return call.refuse(asked);
          const { rules } = asked;
          const filter = { ...asked.filter, ...scopeFilter(scoped) };
          const page = await (rules.length === 0
            ? traffic.requests(mock.id, filter)
            : requestsMeeting(rules, filter, scoped, routesOf(call, scoped), traffic));
          if (page === undefined) return call.refuse('overloaded');
          if (isRefusal(page)) return call.refuse(page);
          if (asked.format === 'har') {
            const messages = messagesOf(page);
            const said = messages && (await traffic.requests(mock.id, { ...messages, ...scopeFilter(scoped) }));
            return replyHar(call, mock, page, said, origin);
          }
          const { records, count, unjudged, hasMore, truncated, oldestTime = null, epoch } = page;
          const represent = asked.filter.isSummary === true ? representSummary : representRequest;
          return replyList(
            call,
            records,
            (record) => JSON.stringify(represent(record)),
            (written) => {
              const nextBefore = hasMore || written < records.length ? records[written - 1]?.number : undefined;
              return (
                `,"total":${count},"truncated":${truncated}${rules.length === 0 ? '' : `,"unjudged":${unjudged}`},"oldest":${oldestTime},` +
                `"nextBefore":${nextBefore ?? null},"epoch":"${epoch}"`
              );
            },
          );
        }),
    }),
    endpoint({
      method: 'GET',
      path: `${path}/requests/:requestId`,
      access: 'read',
      doc: {
        operationId: `readRequest${suffix}`,
        tag: 'Traffic',
        summary: 'Read one recorded request',
        answer: Type.Object({ data: requestSchema }),
        untagged: true,
        refusals: [...refusals, 'requestNotFound'],
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const number = requestNumber(call);
          if (number === undefined) return call.refuse('requestNotFound');
          const asked = { afterNumber: number - 1, upToNumber: number, limit: 1, message: 'also' as const };
          const page = await traffic.requests(scoped.mock.id, { ...asked, ...scopeFilter(scoped) });
          if (page === undefined) return call.refuse('overloaded');
          const [record] = page.records;
          if (record === undefined) return call.refuse('requestNotFound');
          const text = `"data":${JSON.stringify(representRequest(record))}`;
          return call.answer(3 * text.length, () => call.succeed(text));
        }),
    }),
    endpoint({
      method: 'GET',
      path: `${path}/counts`,
      access: 'read',
      doc: {
        operationId: `countRequests${suffix}`,
        tag: 'Traffic',
        summary: 'Read exact counts since the reset',
        ...(scope.kind === 'mock' ? { query: countsQuerySchema } : {}),
        answer: Type.Object({ data: shownCountsSchema }),
        untagged: true,
        refusals: scope.kind === 'mock' ? [...refusals, 'badRequest'] : refusals,
      },
      handle: (call) =>
        enter(call, async (scoped) => {
          const { id, saved } = scoped.mock;
          const query = scope.kind === 'mock' ? readDeclaredQuery(call.head.query, countsQuerySchema) : {};
          if (isRefusal(query)) return call.refuse(query);
          const [counts, [ownerWaits]] = await Promise.all([
            traffic.counts(id, { ...query, ...scopeFilter(scoped) }),
            traffic.ownerWaits(call.caller.ownerId),
          ]);
          if (counts === undefined) return call.refuse('overloaded');
          const data = { ...counts, ownerWaits };
          return call.answer(countsBytesMax(saved), () => call.succeed(`"data":${JSON.stringify(data)}`));
        }),
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
  scoped: Scoped,
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
