/** Answers a request whose upstream has failed as if nothing were sent on: for mocks whose `onFailure` says so. */
import { answerRequest, isRenderProblem } from '../matching/answer-request.ts';
import { NO_PLACE, type Outcome } from '../matching/request/mock-request.ts';
import type { Addressed } from './addresses.ts';
import type { Deliveries } from './reply/deliver.ts';
import type { Exchange } from './reply/exchange.ts';
import type { HeldReplies } from './reply/held-replies.ts';
import { missed, sendUnavailable } from './reply/own-replies.ts';
import type { RenderedBodies } from './reply/rendered-bodies.ts';
import { requestOf } from './request-of.ts';
import type { CollectedBody } from './request-bodies.ts';
import { remainingRoutes, routeFor } from './route-for.ts';

export interface Replies {
  readonly held: HeldReplies;
  readonly deliveries: Deliveries;
  readonly rendered: RenderedBodies;
}

/**
 * @param count Called before the answer is sent. @returns Whether there is one: a response with `proxy` has none of its own.
 */
export function answerItself(
  { held, deliveries, rendered }: Replies,
  exchange: Exchange,
  addressed: Pick<Addressed, 'served' | 'path'>,
  body: CollectedBody,
  count: (outcome: Outcome) => boolean,
): boolean {
  const { head } = exchange;
  const { served, path } = addressed;
  const found = routeFor(addressed, head, true);
  const others = found?.route.fallsThrough === true ? remainingRoutes(addressed, head, found, true) : undefined;
  const request = requestOf(exchange, addressed, body, found?.route.needsIp === true);
  const answer = found && answerRequest(found, request, served.counters, others);
  if (answer === undefined || answer.place === NO_PLACE) {
    const miss = served.missOf(head.method, path, []);
    if (count(missed(404))) exchange.send(miss.head, miss.body);
    else sendUnavailable(exchange, served);
    return true;
  }
  if (isRenderProblem(answer) || answer.plan?.kind === 'proxy') return false;
  const admitted = held.admit(exchange, answer, served);
  if (admitted === undefined || !rendered.hold(exchange, admitted, body)) return false;
  if (!count(admitted)) sendUnavailable(exchange, served);
  else if (admitted.isPlain) {
    exchange.send(admitted.head, admitted.body, admitted.status === 204 || admitted.status === 304);
  } else {
    served.countOtherStatus(admitted);
    deliveries.deliver(exchange, admitted, served);
  }
  return true;
}
