/** Verification: whether a mock got the requests that a test expects; docs/mocks-traffic.md, `POST /mocks/:id/verify`. */
import { isRefusal, refuse } from '../../../../errors.ts';
import {
  callbackExpectationSchema,
  expectationSchema,
  verificationSchema,
} from '../../../../model/mocks/verification.ts';
import { Type } from '../../../../model/schema-type.ts';
import type { OwnerDirectory } from '../../../../owners/owner-directory.ts';
import { endpoint, type Endpoint, type EndpointBody } from '../../../endpoint.ts';
import { AnsweringRoutes } from './answering-routes.ts';
import type { ExplainRecorded } from './closest-requests.ts';
import type { MockCallbacks } from './callbacks.ts';
import {
  contradictionsIn,
  isOfCallbacks,
  readExpectation,
  type CallbackExpectation,
  type Expectation,
} from './expectation.ts';
import type { MockTraffic } from './traffic.ts';
import type { OverlaysOf, TrafficScope } from './traffic-scope.ts';
import { verifyCallbacks } from './verify-callbacks.ts';
import { verifyCount } from './verify-count.ts';
import { verifyOrder } from './verify-order.ts';

/** @param isDraining Whether the service is stopping: a verification then ends with the current result. */
export function mockVerifyApi(
  owners: OwnerDirectory,
  scopes: readonly TrafficScope[],
  overlaysOf: OverlaysOf,
  bodyBytesMax: number,
  traffic: MockTraffic,
  callbacks: MockCallbacks,
  explain: ExplainRecorded,
  isDraining: () => boolean,
): Endpoint[] {
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
  return scopes.map(({ path, suffix, refusals, enter }) =>
    endpoint({
      method: 'POST',
      path: `${path}/verify`,
      access: 'read',
      doc: {
        operationId: `verifyRequests${suffix}`,
        tag: 'Traffic',
        summary: 'Verify the count or order of requests, waiting up to withinMs',
        answer: Type.Object({ data: verificationSchema }),
        untagged: true,
        refusals: [...refusals, 'mockPayloadInvalid'],
      },
      body,
      handle(call, expectation) {
        enter(call, async (scoped) => {
          const { mock } = scoped;
          if (isRefusal(expectation)) return call.refuse(expectation);
          if (!isOfCallbacks(expectation) && !mock.saved.settings.traffic)
            return call.refuse(refuse('mockPayloadInvalid', [NOT_RECORDED]));
          const contradictions = contradictionsIn(expectation);
          if (contradictions.length > 0) return call.refuse(refuse('mockPayloadInvalid', contradictions));
          call.releaseBody();
          const deadline = performance.now() + (expectation.withinMs ?? 0);
          const isOver = (): boolean => performance.now() >= deadline || !call.open || isDraining();
          if (isOfCallbacks(expectation)) {
            const data = await verifyCallbacks({ callbacks, scoped, isOver }, expectation);
            if (data === undefined) return call.refuse('overloaded');
            return isRefusal(data) ? call.refuse(data) : call.succeed(`"data":${JSON.stringify(data)}`);
          }
          const { match, inOrder } = expectation;
          const verifying = {
            traffic,
            scoped,
            ownerId: call.caller.ownerId,
            routes: new AnsweringRoutes(owners, call.caller, mock.id, () => overlaysOf(scoped)),
            isOver,
            explain,
          };
          const data =
            match === undefined
              ? await verifyOrder(verifying, inOrder)
              : await verifyCount(verifying, match, expectation);
          if (data === undefined) return call.refuse('overloaded');
          return isRefusal(data) ? call.refuse(data) : call.succeed(`"data":${JSON.stringify(data)}`);
        });
      },
    }),
  );
}

const NOT_RECORDED = { path: '', message: 'requests are not recorded: `traffic` is off in the settings of the mock' };
