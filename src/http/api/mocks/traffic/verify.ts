/** Verification: whether a mock got the requests, or sent the callbacks, that a test expects; docs/mocks-traffic.md, `POST /mocks/:id/verify`. */
import { isRefusal, refuse } from '../../../../errors.ts';
import type { CallbackFilter, CallbackRecord } from '../../../../model/mocks/callback-record.ts';
import { savedVersionOf } from '../../../../model/mocks/mock.ts';
import type { TrafficRecord } from '../../../../model/mocks/traffic.ts';
import {
  callbackExpectationSchema,
  expectationSchema,
  verificationSchema,
} from '../../../../model/mocks/verification.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { Principal } from '../../../../model/principal.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import type { Endpoint, EndpointBody } from '../../../endpoint.ts';
import { operationsOf } from '../../operation.ts';
import { contradictionsIn, verify, type Verified } from '../../journal/verify.ts';
import { AnsweringRoutes } from './answering-routes.ts';
import { callbacksIn, type MockCallbacks } from './callbacks.ts';
import { closestTo, type ExplainRecorded } from './closest-requests.ts';
import { allOf, criteriaOf, inLowerCase } from './criteria.ts';
import {
  impossibleIn,
  isOfCallbacks,
  mayBeUnjudged,
  readExpectation,
  type CallbackExpectation,
  type Expectation,
  type Match,
} from './expectation.ts';
import { representSummary } from './recorded-request.ts';
import type { MockTraffic } from './traffic.ts';
import { recordOf } from '../../journal/cursor.ts';
import { scopeFilter, type OverlaysOf, type TrafficScope, type TrafficSubject } from './traffic-scope.ts';

interface VerifyParts {
  readonly owners: OwnerDirectory;
  readonly overlaysOf: OverlaysOf;
  readonly traffic: MockTraffic;
  readonly callbacks: MockCallbacks;
  readonly explain: ExplainRecorded;
  /** Whether the service is stopping: a verification then ends with the current result. */
  readonly isDraining: () => boolean;
}

export function mockVerifyApi(scopes: readonly TrafficScope[], bodyBytesMax: number, parts: VerifyParts): Endpoint[] {
  const body: EndpointBody<Expectation | CallbackExpectation> = {
    schema: Type.Union([expectationSchema, callbackExpectationSchema]),
    examples: {
      Verify: { match: { method: 'GET', path: '/' }, atLeast: 1, withinMs: 1_000 },
      Conditions: {
        match: { rules: [{ target: 'body', property: 'amount', operator: 'gte', value: '100' }] },
        exactly: 0,
      },
      Callbacks: { match: { kind: 'callback', name: 'paid', state: 'done' }, exactly: 1, withinMs: 1_000 },
      Order: {
        inOrder: [
          { method: 'POST', path: '/cart' },
          { method: 'POST', path: '/checkout' },
        ],
      },
    },
    bytesMax: bodyBytesMax,
    invalid: 'mockPayloadInvalid',
    read: readExpectation,
  };
  return scopes.map((scope) =>
    operationsOf('Traffic', scope)('verifyRequests', 'POST /verify', {
      access: 'read',
      summary: 'Verify the count or order of requests, waiting up to withinMs',
      data: verificationSchema,
      body,
      async run(call, { found: scoped, body: expectation }) {
        const { mock } = scoped;
        if (!isOfCallbacks(expectation) && !mock.saved.settings.traffic)
          return refuse('mockPayloadInvalid', [NOT_RECORDED]);
        const contradictions = contradictionsIn(expectation);
        if (contradictions.length > 0) return refuse('mockPayloadInvalid', contradictions);
        call.releaseBody();
        const { isDraining } = parts;
        if (isOfCallbacks(expectation))
          return verify(call, expectation, isDraining, callbacksOf(expectation.match, scoped, parts.callbacks));
        return verify(call, expectation, isDraining, requestsOf(expectation, scoped, call.caller, parts));
      },
    }),
  );
}

const NOT_RECORDED = { path: '', message: 'requests are not recorded: `traffic` is off in the settings of the mock' };

/** A path of `match` may be a pattern in a version that answered: versions are learnt as they are met. */
function requestsOf(
  { match, inOrder }: Expectation,
  scoped: TrafficSubject,
  caller: Principal,
  { owners, overlaysOf, traffic, explain }: VerifyParts,
): Verified<Match, TrafficRecord> {
  const { mock } = scoped;
  const steps = match === undefined ? inOrder : [match];
  const routes = new AnsweringRoutes(owners, caller, mock.id, () => overlaysOf(scoped));
  const scope = scopeFilter(scoped);
  let timesLearnt = 0;
  return {
    steps,
    mayBeUnjudged: steps.some(mayBeUnjudged),
    async look(step, range) {
      // Versions come from saves only, so this ends.
      for (;;) {
        const filter = { ...allOf(criteriaOf(step, scoped, routes)), ...scope, ...range };
        const page = await traffic.requests(mock.id, { ...filter, stopsAtLimit: range.limit > 0, namesVersions: true });
        if (!scoped.isLive()) return refuse('sessionNotFound');
        if (page === undefined) return undefined;
        const isNew = await routes.learn([savedVersionOf(mock).number, ...page.versions]);
        if (isRefusal(isNew)) return isNew;
        if (!isNew) return { ...page, life: `${recordOf(page)} ${timesLearnt}` };
        timesLearnt++;
        const impossible = steps.flatMap((each) => impossibleIn(each, routes));
        if (impossible.length > 0) return refuse('mockPayloadInvalid', impossible);
      }
    },
    async closest(step, after) {
      const criteria = criteriaOf(step, scoped, routes);
      const asked = { mockId: mock.id, ownerId: caller.ownerId, match: step, criteria, scope, after };
      return { closest: await closestTo(asked, traffic, explain) };
    },
    represent: representSummary,
  };
}

/** Each callback counts once, with all its attempts. */
function callbacksOf(
  { kind: _kind, header, ...match }: CallbackExpectation['match'],
  scoped: TrafficSubject,
  callbacks: MockCallbacks,
): Verified<CallbackFilter, CallbackRecord> {
  return {
    steps: [{ ...match, ...(header === undefined ? {} : { header: inLowerCase(header) }) }],
    async look(filter) {
      const page = await callbacksIn(scoped, { filter, limit: 0 }, callbacks);
      if (!scoped.isLive()) return refuse('sessionNotFound');
      return page && { ...page, count: page.total, life: page.epoch };
    },
    async closest() {
      const all = await callbacksIn(scoped, { filter: {}, limit: CALLBACKS_SHOWN_MAX }, callbacks);
      return { callbacks: all?.records ?? [] };
    },
    represent: (record) => record,
  };
}

/** How many an answer names that is not verified. */
const CALLBACKS_SHOWN_MAX = 10;
