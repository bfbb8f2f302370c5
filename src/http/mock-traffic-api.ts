/** What a mock has been asked: its recorded requests, exact counts, and verification; mocks.md, "Endpoints". */
import { Type } from 'typebox';
import { isRefusal, refuse, type Detail, type Refusal } from '../errors.ts';
import { TRAFFIC_LIMIT_MAX, VERIFY_MS_MAX } from '../limits.ts';
import type { Mock } from '../model/mocks/mock.ts';
import { readMock } from '../model/mocks/query-mock.ts';
import { compileCheck } from '../model/validate.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { readBody } from './body.ts';
import type { Call } from './call.ts';
import type { Endpoint } from './endpoint.ts';
import { onlyValue, queryInteger } from './list-query.ts';

/** A recorded request, as the data plane tells it. */
export interface RecordedRequest {
  readonly number: number;
  readonly time: number;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: Uint8Array;
  readonly bodyTruncated: boolean;
  readonly routeId: string;
  readonly responseId: string;
  readonly version: number;
  readonly status: number;
  readonly durationMs: number;
  readonly problem: string;
}

export interface RequestFilter {
  readonly routeId?: string;
  /** Any of these. */
  readonly routeIds?: readonly string[];
  readonly responseId?: string;
  readonly status?: number;
  readonly method?: string;
  readonly path?: string;
  readonly matched?: boolean;
  readonly since?: number;
  /** Only those after the one with this number. */
  readonly afterNumber?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly bodyContains?: string;
  readonly limit: number;
}

export interface RequestPage {
  readonly records: readonly RecordedRequest[];
  readonly count: number;
  readonly truncated: boolean;
  readonly oldestTime: number | undefined;
  readonly epoch: string;
}

/** What the API asks of the data plane; undefined when it does not answer in time. */
export interface MockTraffic {
  readonly requests: (mockId: string, filter: RequestFilter) => Promise<RequestPage | undefined>;
  readonly counts: (mockId: string) => Promise<object | undefined>;
  readonly reset: (mockId: string) => Promise<boolean>;
}

const VERIFY_EVERY_MS = 50;

const requestSchema = Type.Object({
  id: Type.String(),
  time: Type.Integer({ description: 'Milliseconds since the Unix epoch.' }),
  method: Type.String(),
  path: Type.String(),
  query: Type.String(),
  headers: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  body: Type.String({ description: 'As text; bytes that are no UTF-8 are replaced.' }),
  bodyTruncated: Type.Boolean(),
  routeId: Type.Union([Type.String(), Type.Null()]),
  responseId: Type.Union([Type.String(), Type.Null()]),
  version: Type.Integer(),
  status: Type.Integer(),
  durationMs: Type.Number(),
  problem: Type.Optional(Type.String({ description: 'Why the mock answered 500 instead of its response.' })),
});

const verifySchema = Type.Object({
  match: Type.Object({
    method: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: "Exact, or a route's pattern." })),
    routeId: Type.Optional(Type.String()),
    responseId: Type.Optional(Type.String()),
    header: Type.Optional(Type.Record(Type.String(), Type.String())),
    query: Type.Optional(Type.Record(Type.String(), Type.String())),
    bodyContains: Type.Optional(Type.String()),
  }),
  atLeast: Type.Optional(Type.Integer({ minimum: 0, description: '1 when nothing else is asked.' })),
  atMost: Type.Optional(Type.Integer({ minimum: 0 })),
  exactly: Type.Optional(Type.Integer({ minimum: 0 })),
  withinMs: Type.Optional(Type.Integer({ minimum: 0, maximum: VERIFY_MS_MAX, default: 0 })),
});

interface Verify {
  match: {
    method?: string;
    path?: string;
    routeId?: string;
    responseId?: string;
    header?: Record<string, string>;
    query?: Record<string, string>;
    bodyContains?: string;
  };
  atLeast?: number;
  atMost?: number;
  exactly?: number;
  withinMs?: number;
}

/** How often each mock's requests were forgotten, for those who follow them: numbers start again. */
const resets = new Map<string, number>();

export function resetCount(mockId: string): number {
  return resets.get(mockId) ?? 0;
}

/** @param isDraining Whether the service stops: a verification then ends with what it has. */
export function mockTrafficApi(
  owners: OwnerDirectory,
  bodyBytesMax: number,
  traffic: MockTraffic,
  isDraining: () => boolean,
): Endpoint[] {
  const checkVerify = compileCheck(verifySchema);
  /** Runs once the mock is known to be the caller's; what it throws is a server error. */
  const withMock = (call: Call, use: (mock: Mock) => Promise<void> | void): void =>
    owners.query(readMock, { mockId: call.params[0] ?? '' }, call.caller, (mock) => {
      if (isRefusal(mock)) return call.refuse(mock);
      return void Promise.resolve(use(mock)).catch((error: unknown) =>
        call.protect(() => {
          throw error;
        }),
      );
    });

  return [
    {
      method: 'GET',
      path: '/v1/mocks/:id/requests',
      access: 'read',
      doc: {
        operationId: 'listRequests',
        tag: 'Traffic',
        summary: 'List recorded requests, newest first',
        query: Type.Object({
          routeId: Type.Optional(Type.String()),
          responseId: Type.Optional(Type.String()),
          status: Type.Optional(Type.Integer()),
          method: Type.Optional(Type.String()),
          path: Type.Optional(Type.String()),
          matched: Type.Optional(Type.Boolean()),
          since: Type.Optional(Type.Integer({ description: 'Milliseconds since the Unix epoch.' })),
          limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TRAFFIC_LIMIT_MAX, default: 100 })),
        }),
        answer: Type.Object({
          data: Type.Array(requestSchema),
          total: Type.Integer({ description: 'Count of those that match, of those kept.' }),
          truncated: Type.Boolean({ description: 'Whether older ones were dropped.' }),
          oldest: Type.Union([Type.Integer(), Type.Null()], { description: 'From when on every request was kept.' }),
          epoch: Type.String({ description: 'Changes when the data plane had to start anew.' }),
        }),
        refusals: ['mockNotFound', 'badRequest'],
      },
      handle: (call) =>
        withMock(call, async ({ id }) => {
          const filter = parseFilter(call.head.query);
          if (isRefusal(filter)) return call.refuse(filter);
          const page = await traffic.requests(id, filter);
          if (page === undefined) return call.refuse('overloaded');
          const { records, count, truncated, oldestTime = null, epoch } = page;
          return call.succeed(
            `"data":${JSON.stringify(records.map(representRequest))},"total":${count},"truncated":${truncated},` +
              `"oldest":${oldestTime},"epoch":"${epoch}"`,
          );
        }),
    },
    {
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
        withMock(call, async ({ id }) => {
          const isReset = await traffic.reset(id);
          resets.set(id, resetCount(id) + 1);
          if (isReset) call.succeed('"message":"Requests reset successfully"');
          else call.refuse('overloaded');
        }),
    },
    {
      method: 'GET',
      path: '/v1/mocks/:id/counts',
      access: 'read',
      doc: {
        operationId: 'countRequests',
        tag: 'Traffic',
        summary: 'Exact counts since the reset',
        answer: Type.Object({
          data: Type.Object({
            epoch: Type.String(),
            total: Type.Integer(),
            unmatched: Type.Integer(),
            routes: Type.Array(
              Type.Object({
                routeId: Type.String(),
                count: Type.Integer(),
                responses: Type.Array(Type.Object({ responseId: Type.String(), count: Type.Integer() })),
              }),
            ),
          }),
        }),
        refusals: ['mockNotFound'],
      },
      handle: (call) =>
        withMock(call, async ({ id }) => {
          const counts = await traffic.counts(id);
          if (counts === undefined) call.refuse('overloaded');
          else call.succeed(`"data":${JSON.stringify(counts)}`);
        }),
    },
    {
      method: 'POST',
      path: '/v1/mocks/:id/verify',
      access: 'read',
      doc: {
        operationId: 'verifyRequests',
        tag: 'Traffic',
        summary: 'Whether requests were made as often as expected, waiting up to withinMs',
        body: verifySchema,
        examples: { Verify: { match: { method: 'GET', path: '/' }, atLeast: 1, withinMs: 1_000 } },
        answer: Type.Object({
          data: Type.Object({
            verified: Type.Boolean(),
            count: Type.Integer(),
            truncated: Type.Boolean(),
            epoch: Type.String(),
            closest: Type.Optional(Type.Array(requestSchema, { description: 'What came instead, newest first.' })),
          }),
        }),
        refusals: ['mockNotFound', 'mockPayloadInvalid'],
      },
      handle: (call) =>
        readBody(call, bodyBytesMax, 'mockPayloadInvalid', (body) =>
          withMock(call, async (mock) => {
            if (isRefusal(body)) return call.refuse(body);
            const problems = checkVerify(body, '');
            if (problems !== undefined) return call.refuse(refuse('mockPayloadInvalid', problems.details));
            const data = await verify(traffic, mock, body as unknown as Verify, () => call.open && !isDraining());
            if (data === undefined) return call.refuse('overloaded');
            return call.succeed(`"data":${JSON.stringify(data)}`);
          }),
        ),
    },
  ];
}

/** Looks again until it is verified, cannot be any more, or the time is over. */
async function verify(
  traffic: MockTraffic,
  mock: Mock,
  asked: Verify,
  mayWait: () => boolean,
): Promise<object | undefined> {
  const { atMost, exactly, withinMs = 0 } = asked;
  const atLeast = asked.atLeast ?? (atMost === undefined && exactly === undefined ? 1 : 0);
  const deadline = performance.now() + withinMs;
  const filter = filterOf(mock, asked.match);
  for (;;) {
    const page = await traffic.requests(mock.id, { ...filter, limit: 0 });
    if (page === undefined) return undefined;
    const { count, truncated, epoch } = page;
    const upper = Math.min(atMost ?? Infinity, exactly ?? Infinity);
    const lower = Math.max(atLeast, exactly ?? 0);
    // A record that lost entries cannot tell that there were no more.
    const isUpperKnown = upper === Infinity || !truncated;
    const verified = count >= lower && count <= upper && isUpperKnown;
    if (verified) return { verified, count, truncated, epoch };
    if (count > upper || performance.now() >= deadline || !mayWait()) {
      const closest = await traffic.requests(mock.id, { limit: 3 });
      return { verified, count, truncated, epoch, closest: (closest?.records ?? []).map(representRequest) };
    }
    await new Promise((resolve) => setTimeout(resolve, VERIFY_EVERY_MS));
  }
}

/** A path that is a pattern of routes stands for the requests that they answered. */
function filterOf(mock: Mock, match: Verify['match']): Omit<RequestFilter, 'limit'> {
  const { method, path, routeId, responseId, header, query, bodyContains } = match;
  const isPattern = path !== undefined && /[:*]/.test(path);
  const routeIds = isPattern
    ? mock.saved.routes
        .map((each) => each.route)
        .filter((route) => route.path === path)
        .map(({ id }) => id)
    : [];
  const headers =
    header && Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...(method === undefined ? {} : { method }),
    ...(routeIds.length > 0 ? { routeIds } : path === undefined ? {} : { path }),
    ...(routeId === undefined ? {} : { routeId }),
    ...(responseId === undefined ? {} : { responseId }),
    ...(headers === undefined ? {} : { headers }),
    ...(query === undefined ? {} : { query }),
    ...(bodyContains === undefined ? {} : { bodyContains }),
  };
}

/** A recorded request as clients see it. */
export function representRequest({ number, body, routeId, responseId, problem, ...rest }: RecordedRequest): object {
  return {
    id: String(number),
    ...rest,
    body: Buffer.from(body).toString('utf8'),
    routeId: routeId === '' ? null : routeId,
    responseId: responseId === '' ? null : responseId,
    ...(problem === '' ? {} : { problem }),
  };
}

function parseFilter(query: string): RequestFilter | Refusal {
  const given = new URLSearchParams(query);
  const details: Detail[] = [];
  const text = (name: string) => onlyValue(given, name, details);
  const integer = (name: string) => (given.has(name) ? queryInteger(given, name, 0, 0, details) : undefined);
  const matched = text('matched');
  if (matched !== undefined && matched !== 'true' && matched !== 'false') {
    details.push({ path: 'matched', message: 'expected true or false' });
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
  const limit = Math.min(queryInteger(given, 'limit', 100, 1, details), TRAFFIC_LIMIT_MAX);
  if (details.length > 0) return refuse('badRequest', details);
  const named = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
  return { ...named, limit };
}
