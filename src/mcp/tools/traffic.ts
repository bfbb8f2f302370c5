/** Requests to a mock, why nothing answered some of them, and effects of rules on live traffic. */
import type { Static } from 'typebox';
import { reasonOf } from '../../client/misses-error.ts';
import type { RequestRecord, RequestSummary, TryInput } from '../../client/shapes.ts';
import type { TrafficClient } from '../../client/traffic-client.ts';
import { VerificationError } from '../../client/verification-error.ts';
import { EXCHANGE_OUTCOMES } from '../../model/gateway/exchange.ts';
import { expectationSchema, matchSchema } from '../../model/mocks/verification.ts';
import { Type } from '../../model/schema-type.ts';
import { compact, fitting } from '../answer.ts';
import { before, limit, mock, named, session, tool, trafficOf } from './tool.ts';
import { headerValue, queryText, withoutActual } from './without-secrets.ts';

const PAGE = 30;
/** Each miss is a dry run. */
const MISSES_PAGE = 8;
const BODY_CHARS_MAX = 4_000;

export const listRequests = tool({
  name: 'traffic_list',
  verb: 'traffic list',
  access: 'read',
  description:
    'Lists the requests that a mock received, newest first. With `misses` only those that no route answered, with the reason and the closest routes: start here when a test got an unexpected 404. With `full` headers and bodies.',
  input: Type.Object({
    mock,
    session,
    misses: Type.Optional(Type.Boolean()),
    full: Type.Optional(Type.Boolean()),
    method: Type.Optional(Type.String()),
    path: Type.Optional(Type.String({ description: 'The exact path, without a query.' })),
    status: Type.Optional(Type.Integer()),
    q: Type.Optional(Type.String({ description: 'Part of path, header or body.' })),
    limit,
    before,
  }),
  async run(api, { mock: id, session: sessionId, misses = false, full = false, limit: asked, ...filters }) {
    const traffic = trafficOf(api, id, sessionId);
    const page = await traffic.requests({
      ...filters,
      ...(misses ? { matched: false } : {}),
      ...(full || misses ? {} : { fields: 'summary' as const }),
      limit: misses ? Math.min(asked ?? MISSES_PAGE, MISSES_PAGE) : (asked ?? PAGE),
    });
    const items = await Promise.all(
      page.records.map(async (record) => ({
        ...(full ? wholeOf(record) : summaryOf(record)),
        ...(misses ? await reasonFor(traffic, record) : {}),
      })),
    );
    return { data: requestPage(items, page), isRecorded: true };
  },
});

interface Page {
  readonly total: number;
  readonly truncated: boolean;
  readonly nextBefore: number | null;
}

/** The requests that fit into an answer. */
function requestPage(items: readonly { readonly id?: string }[], { total, truncated, nextBefore }: Page): object {
  const requests = fitting(items);
  const last = requests.at(-1);
  const next = requests.length < items.length ? Number(last?.id) : nextBefore;
  return {
    requests,
    ...(next === null ? {} : { total, nextBefore: next }),
    ...(truncated ? { olderWereDropped: true } : {}),
  };
}

interface Near {
  readonly method: string;
  readonly path: string;
}

/** Explains a request by the reason that was recorded with it; else what a dry run against the version that answered says of the nearest routes. */
async function reasonFor(traffic: TrafficClient, record: RequestRecord): Promise<object> {
  if (record.problem !== undefined) return { why: record.problem };
  // The version may be gone.
  const tried = await traffic.try({ ...askedAgain(record), against: record.version }).catch(() => undefined);
  if (tried === undefined) return {};
  if (tried.route !== null) return { why: 'a route answers it now' };
  const { nearest = [], passedOn } = tried.explanation as { nearest?: readonly Near[]; passedOn?: unknown };
  return {
    why: reasonOf(tried),
    ...(nearest.length > 1 ? { alsoNear: nearest.slice(1).map(({ method, path }) => `${method} ${path}`) } : {}),
    ...(passedOn === undefined
      ? {}
      : { more: 'routes match, but none of their responses answered: mocks_try with `request` says why' }),
  };
}

function summaryOf(request: RequestSummary): object {
  const { id, session: of, time, method, path, query, routeId, status, problem, fault } = request;
  return compact({
    id,
    session: of,
    time: new Date(time).toISOString(),
    request: `${method} ${path}${query === '' ? '' : `?${queryText(query)}`}`,
    status,
    routeId,
    problem,
    fault,
  });
}

/** With headers and body. */
function wholeOf(record: RequestRecord): object {
  const { headers, body, bodyEncoding, bodyTruncated, responseId, version, durationMs } = record;
  return {
    ...summaryOf(record),
    ...compact({ responseId, version, durationMs, bodyEncoding }),
    headers: headers.map(({ name, value }) => `${name}: ${headerValue(name, value)}`),
    ...(body === '' ? {} : { body: body.slice(0, BODY_CHARS_MAX) }),
    ...(bodyTruncated || body.length > BODY_CHARS_MAX ? { bodyIsCut: true } : {}),
  };
}

/** The same request for a dry run. */
export function askedAgain({ method, path, query, headers, body, bodyEncoding }: RequestRecord): TryInput {
  return {
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers,
    ...(body === '' ? {} : { body }),
    ...(bodyEncoding === undefined ? {} : { bodyEncoding }),
  };
}

const { atLeast, atMost, exactly, withinMs } = expectationSchema.properties;
const match = named(matchSchema, 'All given members must match.');

export const verifyRequests = tool({
  name: 'traffic_verify',
  verb: 'verify',
  access: 'read',
  description:
    'Checks the count of requests (`match`, by default at least one) or their order (`inOrder`). If the check fails, returns the closest requests and how they differ.',
  input: Type.Object({
    mock,
    session,
    match: Type.Optional(match),
    inOrder: Type.Optional(
      Type.Array(Type.Unsafe<Static<typeof match>>({ type: 'object', description: 'Steps like `match`.' })),
    ),
    atLeast,
    atMost,
    exactly,
    withinMs,
  }),
  async run(api, { mock: id, session: sessionId, ...body }) {
    const verification = await trafficOf(api, id, sessionId).verify(body);
    const { verified, count, truncated, epoch: _epoch, closest, ...others } = verification;
    const result = { verified, count, ...(truncated ? { olderWereDropped: true } : {}) };
    if (verified) return { data: result };
    const [problem] = new VerificationError(body, verification).message.split('\n');
    const came = closest?.map(({ differs, differences, ...record }) => ({
      ...summaryOf(record),
      ...compact({ differs, differences: withoutActual(differences, body) }),
    }));
    return { data: { ...result, problem, ...compact({ ...others, closest: came }) }, isRecorded: true };
  },
});

export const listExchanges = tool({
  name: 'gateway_requests',
  verb: 'gateway requests',
  access: 'read',
  description:
    'Lists live exchanges of the gateway, newest first: which rules acted, or why the upstream did not answer. With `id` one of them: what each rule changed, and why the others did not act.',
  input: Type.Object({
    id: Type.Optional(Type.String()),
    session: Type.Optional(Type.String({ description: 'Id of a gateway session.' })),
    host: Type.Optional(Type.String()),
    ruleId: Type.Optional(Type.String()),
    outcome: Type.Optional(Type.Enum([...EXCHANGE_OUTCOMES])),
    limit,
    before,
  }),
  async run(api, { id, limit: asked = PAGE, ...filters }) {
    if (id !== undefined) return { data: await api.gateway.request(id), isRecorded: true };
    const page = await api.gateway.requests({ ...filters, limit: asked });
    return {
      data: requestPage(
        page.records.map((each) => compact(each)),
        page,
      ),
      isRecorded: true,
    };
  },
});
