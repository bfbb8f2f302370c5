/** Verification: whether a mock got the requests that a test expects; docs/mocks.md, `POST /mocks/:id/verify`. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Static } from 'typebox';
import { isRefusal, refuse, type Detail, type Refusal } from '../../../../errors.ts';
import { savedVersionOf } from '../../../../model/mocks/mock.ts';
import type { SessionOverlay } from '../../../../model/mocks/sessions/session.ts';
import { expectationSchema, verificationSchema, type TrafficFilter } from '../../../../model/mocks/traffic.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import { checkedReader } from '../../../checked-reader.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../../endpoint.ts';
import { AnsweringRoutes } from './answering-routes.ts';
import { representRequest } from './recorded-request.ts';
import type { MockTraffic } from './traffic.ts';
import { scopeFilter, type Scoped, type TrafficScope } from './traffic-scope.ts';

type Expectation = Static<typeof expectationSchema>;

const VERIFY_EVERY_MS = 50;
/** Requests that `closest` chooses from, and how many it returns. */
const CLOSEST_SEEN = 50;
const CLOSEST_MAX = 3;

/** The overlays of the sessions of a scope. */
type OverlaysOf = (scoped: Scoped) => Iterable<SessionOverlay>;

/** @param isDraining Whether the service is stopping: a verification then ends with the current result. */
export function mockVerifyApi(
  owners: OwnerDirectory,
  scopes: readonly TrafficScope[],
  overlaysOf: OverlaysOf,
  bodyBytesMax: number,
  traffic: MockTraffic,
  isDraining: () => boolean,
): Endpoint[] {
  const body: EndpointBody<Expectation> = {
    schema: expectationSchema,
    examples: { Verify: { match: { method: 'GET', path: '/' }, atLeast: 1, withinMs: 1_000 } },
    bytesMax: bodyBytesMax,
    invalid: 'mockPayloadInvalid',
    read: checkedReader(expectationSchema, 'mockPayloadInvalid'),
  };
  return scopes.map(({ path, suffix, refusals, enter }) =>
    endpoint({
      method: 'POST',
      path: `${path}/verify`,
      access: 'read',
      doc: {
        operationId: `verifyRequests${suffix}`,
        tag: 'Traffic',
        summary: 'Whether requests were made as often as expected, waiting up to withinMs',
        answer: Type.Object({ data: verificationSchema }),
        untagged: true,
        refusals: [...refusals, 'mockPayloadInvalid'],
      },
      body,
      handle(call, expectation) {
        enter(call, async (scoped) => {
          const { mock } = scoped;
          if (isRefusal(expectation)) return call.refuse(expectation);
          if (!mock.saved.settings.traffic) return call.refuse(refuse('mockPayloadInvalid', [NOT_RECORDED]));
          const contradictions = contradictionsOf(expectation);
          if (contradictions.length > 0) return call.refuse(refuse('mockPayloadInvalid', contradictions));
          call.releaseBody();
          const routes = new AnsweringRoutes(owners, call.caller, mock.id, () => overlaysOf(scoped));
          const data = await verify(traffic, scoped, routes, expectation, () => call.open && !isDraining());
          if (data === undefined) return call.refuse('overloaded');
          return isRefusal(data) ? call.refuse(data) : call.succeed(`"data":${JSON.stringify(data)}`);
        });
      },
    }),
  );
}

const NOT_RECORDED = { path: '', message: "the mock's settings have `traffic` off: its requests are not recorded" };

/** Bounds that no count can fit. */
function contradictionsOf({ atLeast, atMost, exactly }: Expectation): Detail[] {
  const details: Detail[] = [];
  if (exactly !== undefined && (atLeast !== undefined || atMost !== undefined)) {
    details.push({ path: '/exactly', message: 'stands alone: leave out atLeast and atMost' });
  }
  if (atLeast !== undefined && atMost !== undefined && atLeast > atMost) {
    details.push({ path: '/atLeast', message: 'is above atMost' });
  }
  return details;
}

/** Criteria that no request can meet, according to the versions that answered. */
function impossibleIn({ path, routeId, responseId }: Expectation['match'], routes: AnsweringRoutes): Detail[] {
  const details: Detail[] = [];
  if (path !== undefined && routes.withPattern(path).size === 0) {
    if (path.includes('?'))
      details.push({ path: '/match/path', message: 'has no query: that is asked for by `query`' });
    if (SPACE_OR_CONTROL.test(path)) {
      details.push({
        path: '/match/path',
        message: 'is percent-encoded as received, without spaces and control characters',
      });
    }
  }
  if (routeId !== undefined && !routes.mayHave(routeId, undefined)) {
    details.push({ path: '/match/routeId', message: NOT_THERE });
  } else if (responseId !== undefined && !routes.mayHave(routeId, responseId)) {
    details.push({
      path: '/match/responseId',
      message: routeId === undefined ? NOT_THERE : `${NOT_THERE} of this route`,
    });
  }
  return details;
}

const NOT_THERE = 'is in no version that answered, nor in the saved one';

/** Characters below "!": uWebSockets.js answers 505 to a target with one. It accepts others, also above 0x7f. */
const SPACE_OR_CONTROL = /[^!-\uffff]/;

/** Polls until the expectation is met, cannot be met any more, or the time is over. */
async function verify(
  traffic: MockTraffic,
  scoped: Scoped,
  routes: AnsweringRoutes,
  asked: Expectation,
  mayWait: () => boolean,
): Promise<object | Refusal | undefined> {
  const { atMost, exactly, withinMs = 0 } = asked;
  const atLeast = asked.atLeast ?? (atMost === undefined && exactly === undefined ? 1 : 0);
  const deadline = performance.now() + withinMs;
  const { mock } = scoped;
  const scope = scopeFilter(scoped);
  let criteria = criteriaOf(routes, asked.match);
  for (;;) {
    const filter = Object.assign({}, ...Object.values(criteria), scope) as Criterion;
    const page = await traffic.requests(mock.id, { ...filter, limit: 0, namesVersions: true });
    if (!scoped.isLive()) return refuse('sessionNotFound');
    const isOver = performance.now() >= deadline || !mayWait();
    if (page === undefined) {
      // The data plane is being replaced.
      if (isOver) return undefined;
      await sleep(VERIFY_EVERY_MS);
      continue;
    }
    const learnt = await routes.learn([savedVersionOf(mock).number, ...page.versions]);
    if (isRefusal(learnt)) return learnt;
    if (learnt) {
      const impossible = impossibleIn(asked.match, routes);
      if (impossible.length > 0) return refuse('mockPayloadInvalid', impossible);
      // The path may be a pattern in a new version. Versions come from saves only, so this ends.
      criteria = criteriaOf(routes, asked.match);
      continue;
    }
    const { count, truncated, epoch } = page;
    const upper = Math.min(atMost ?? Infinity, exactly ?? Infinity);
    const lower = Math.max(atLeast, exactly ?? 0);
    // With entries lost, an upper bound cannot be confirmed.
    const isUpperKnown = upper === Infinity || !truncated;
    const verified = count >= lower && count <= upper && isUpperKnown;
    if (verified) return { verified, count, truncated, epoch };
    if (count > upper || isOver) {
      const closest = await closestTo(traffic, mock.id, filter, criteria, scope);
      return { verified, count, truncated, epoch, closest };
    }
    await sleep(VERIFY_EVERY_MS);
  }
}

/** What one member of `match` requires of a request. */
type Criterion = Omit<TrafficFilter, 'limit'>;

/** By member of `match`. A path that is a route's pattern also matches the requests that the route answered. */
function criteriaOf(routes: AnsweringRoutes, match: Expectation['match']): Readonly<Record<string, Criterion>> {
  const { method, path, routeId, responseId, header, query, bodyContains } = match;
  const headers =
    header && Object.fromEntries(Object.entries(header).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    ...(method === undefined ? {} : { method: { method } }),
    ...(path === undefined ? {} : { path: { path, routeIdsByVersion: routes.withPattern(path) } }),
    ...(routeId === undefined ? {} : { routeId: { routeId } }),
    ...(responseId === undefined ? {} : { responseId: { responseId } }),
    ...(headers === undefined ? {} : { header: { headers } }),
    ...(query === undefined ? {} : { query: { query } }),
    ...(bodyContains === undefined ? {} : { bodyContains: { bodyContains } }),
  };
}

/**
 * The last requests that match all of `match`, then those that match most of it; the newest first among equals.
 *
 * One query per criterion: the data plane decides what fits, and requests are matched up by number.
 *
 * @returns undefined when the data plane does not answer every query: what differs would be wrong.
 */
async function closestTo(
  traffic: MockTraffic,
  mockId: string,
  filter: Criterion,
  criteria: Readonly<Record<string, Criterion>>,
  scope: Criterion,
): Promise<object[] | undefined> {
  let isAnswered = true;
  const page = async (asked: Criterion) => {
    const found = await traffic.requests(mockId, { ...asked, ...scope, limit: CLOSEST_SEEN });
    if (found === undefined) isAnswered = false;
    return found?.records ?? [];
  };
  const [last, fitting] = await Promise.all([page({}), page(filter)]);
  const oldest = last.at(-1)?.number ?? 0;
  const fits = await Promise.all(
    Object.entries(criteria).map(async ([name, criterion]) => {
      const records = await page({ ...criterion, afterNumber: oldest - 1 });
      return [name, new Set(records.map(({ number }) => number))] as const;
    }),
  );
  if (!isAnswered) return undefined;
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
