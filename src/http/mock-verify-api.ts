/** Verification: whether a mock was asked what a test expects, waiting for it; mocks.md, `POST /mocks/:id/verify`. */
import { Type, type Static } from 'typebox';
import { isRefusal } from '../errors.ts';
import type { Mock } from '../model/mocks/mock.ts';
import { expectationSchema, verificationSchema, type TrafficFilter } from '../model/mocks/traffic.ts';
import { compileCheck, refusalOf } from '../model/validate.ts';
import type { OwnerDirectory } from '../owners/owner-directory.ts';
import { readBody } from './body.ts';
import type { Endpoint } from './endpoint.ts';
import { representRequest, withMock, type MockTraffic } from './mock-traffic-api.ts';

type Expectation = Static<typeof expectationSchema>;

const VERIFY_EVERY_MS = 50;

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
            const data = await verify(traffic, mock, body as unknown as Expectation, () => call.open && !isDraining());
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
  asked: Expectation,
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
function filterOf(mock: Mock, match: Expectation['match']): Omit<TrafficFilter, 'limit'> {
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
