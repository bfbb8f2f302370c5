/** Verification: whether a mock was asked what a test expects, waiting for it; mocks.md, `POST /mocks/:id/verify`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import { isRefusal, refuse } from '../../errors.ts';
import type { Mock } from '../../model/mocks/mock.ts';
import { expectationSchema, verificationSchema, type TrafficFilter } from '../../model/mocks/traffic.ts';
import { Type } from '../../model/schema-type.ts';
import { compileCheck, refusalOf } from '../../model/validate.ts';
import type { OwnerDirectory } from '../../owners/owner-directory.ts';
import { readBody } from '../body.ts';
import type { Endpoint } from '../endpoint.ts';
import { representRequest, withMock, type MockTraffic } from './mock-traffic-api.ts';

type Expectation = Static<typeof expectationSchema>;

const VERIFY_EVERY_MS = 50;
/** Requests that `closest` chooses from, and how many it names. */
const CLOSEST_SEEN = 50;
const CLOSEST_MAX = 3;

/** @param isDraining Whether the service stops: a verification then ends with what it has. */
export function mockVerifyApi(
  owners: OwnerDirectory,
  bodyBytesMax: number,
  traffic: MockTraffic,
  isDraining: () => boolean,
): Endpoint[] {
  const check = compileCheck(expectationSchema);
  return [
    {
      method: 'POST',
      path: '/v1/mocks/:id/verify',
      access: 'read',
      doc: {
        operationId: 'verifyRequests',
        tag: 'Traffic',
        summary: 'Whether requests were made as often as expected, waiting up to withinMs',
        body: expectationSchema,
        examples: { Verify: { match: { method: 'GET', path: '/' }, atLeast: 1, withinMs: 1_000 } },
        answer: Type.Object({ data: verificationSchema }),
        refusals: ['mockNotFound', 'mockPayloadInvalid'],
      },
      handle: (call) =>
        readBody(call, bodyBytesMax, 'mockPayloadInvalid', (body) =>
          withMock(owners, call, async (mock) => {
            if (isRefusal(body)) return call.refuse(body);
            const problems = check(body, '');
            if (problems !== undefined) return call.refuse(refusalOf(problems, 'mockPayloadInvalid'));
            if (!mock.saved.settings.traffic) return call.refuse(refuse('mockPayloadInvalid', [NOT_RECORDED]));
            call.settleBody();
            const data = await verify(traffic, mock, body as unknown as Expectation, () => call.open && !isDraining());
            if (data === undefined) return call.refuse('overloaded');
            return call.succeed(`"data":${JSON.stringify(data)}`);
          }),
        ),
    },
  ];
}

const NOT_RECORDED = { path: '', message: "the mock's settings have `traffic` off: its requests are not recorded" };

/** Looks again until it is verified, cannot be any more, or the time is over. */
async function verify(
  traffic: MockTraffic,
  mock: Mock,
  asked: Expectation,
  mayWait: () => boolean,
): Promise<object | undefined> {
  const { atMost, exactly, withinMs = 0 } = asked;
  const atLeast = asked.atLeast ?? (atMost === undefined && exactly === undefined ? 1 : 0);
  const deadline = performance.now() + withinMs;
  const criteria = criteriaOf(mock, asked.match);
  const filter = Object.assign({}, ...Object.values(criteria)) as Criterion;
  for (;;) {
    const page = await traffic.requests(mock.id, { ...filter, limit: 0 });
    const isOver = performance.now() >= deadline || !mayWait();
    if (page === undefined) {
      // The data plane is being replaced.
      if (isOver) return undefined;
      await sleep(VERIFY_EVERY_MS);
      continue;
    }
    const { count, truncated, epoch } = page;
    const upper = Math.min(atMost ?? Infinity, exactly ?? Infinity);
    const lower = Math.max(atLeast, exactly ?? 0);
    // A record that lost entries cannot tell that there were no more.
    const isUpperKnown = upper === Infinity || !truncated;
    const verified = count >= lower && count <= upper && isUpperKnown;
    if (verified) return { verified, count, truncated, epoch };
    if (count > upper || isOver) {
      const closest = await closestTo(traffic, mock.id, filter, criteria);
      return { verified, count, truncated, epoch, closest };
    }
    await sleep(VERIFY_EVERY_MS);
  }
}

/** What one member of `match` asks of a request. */
type Criterion = Omit<TrafficFilter, 'limit'>;

/** By member of `match`. A path that is one of routes stands for the requests that they answered, too. */
function criteriaOf(mock: Mock, match: Expectation['match']): Readonly<Record<string, Criterion>> {
  const { method, path, routeId, responseId, header, query, bodyContains } = match;
  const routeIds = mock.saved.routes
    .map((each) => each.route)
    .filter((route) => route.path === path)
    .map(({ id }) => id);
  const headers =
    header && Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...(method === undefined ? {} : { method: { method } }),
    ...(path === undefined ? {} : { path: { path, routeIds } }),
    ...(routeId === undefined ? {} : { routeId: { routeId } }),
    ...(responseId === undefined ? {} : { responseId: { responseId } }),
    ...(headers === undefined ? {} : { header: { headers } }),
    ...(query === undefined ? {} : { query: { query } }),
    ...(bodyContains === undefined ? {} : { bodyContains: { bodyContains } }),
  };
}

/**
 * Of the last requests, those that fit all of `match`, then those that fit most of it; newest first among equals.
 *
 * Each criterion is asked of the data plane by itself, which knows what fits: what fits is told from what does not by number.
 */
async function closestTo(
  traffic: MockTraffic,
  mockId: string,
  filter: Criterion,
  criteria: Readonly<Record<string, Criterion>>,
): Promise<object[]> {
  const page = async (asked: Criterion) =>
    (await traffic.requests(mockId, { ...asked, limit: CLOSEST_SEEN }))?.records ?? [];
  const [last, fitting] = await Promise.all([page({}), page(filter)]);
  const oldest = last.at(-1)?.number ?? 0;
  const fits = await Promise.all(
    Object.entries(criteria).map(async ([name, criterion]) => {
      const records = await page({ ...criterion, afterNumber: oldest - 1 });
      return [name, new Set(records.map(({ number }) => number))] as const;
    }),
  );
  const seen = new Map([...fitting, ...last].map((record) => [record.number, record]));
  return [...seen.values()]
    .map((record) => ({
      record,
      differs:
        record.number < oldest ? [] : fits.filter(([, numbers]) => !numbers.has(record.number)).map(([name]) => name),
    }))
    .toSorted((one, other) => one.differs.length - other.differs.length || other.record.number - one.record.number)
    .slice(0, CLOSEST_MAX)
    .map(({ record, differs }) => ({ ...representRequest(record), differs }));
}
