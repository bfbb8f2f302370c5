/**
 * Counts, records and sends what was chosen for a request; what no route answers, too. Here it is also carried out what the home of a
 * mock's stores has decided.
 */
import { isRenderProblem } from '../matching/answer-request.ts';
import type { FoundRoute } from '../matching/compile/compiled-mock.ts';
import { NO_PLACE, type MockAnswer, type RenderProblem } from '../matching/request/mock-request.ts';
import { isServed, type Addressed, type Addresses } from './addresses.ts';
import type { Exchange } from './reply/exchange.ts';
import { missed, sendMessage, sendTooManyHeld, sendUnavailable } from './reply/own-replies.ts';
import { preflightHead } from './reply/reply-heads.ts';
import type { CollectedBody } from './request-bodies.ts';
import { passedRoutes, requestOf } from './request-of.ts';
import { isMockPreflight, matchingNow } from './route-for.ts';
import { SentCallbacks } from './sent-callbacks.ts';
import type { ServedMock } from './served-mock.ts';
import { Misses } from './misses.ts';
import type { Handshakes } from './sockets/handshakes.ts';
import type { Decision } from './stores/home-threads.ts';
import { answerChosen } from './stores/stateful-requests.ts';
import { UpstreamRequests, type UpstreamRequestsOptions } from './upstream-requests.ts';

const UNSENT = 'Response cannot be sent: ';

export class Answers {
  readonly #replies: UpstreamRequestsOptions;
  readonly #addresses: Addresses;
  readonly #restart: (exchange: Exchange, body: CollectedBody) => void;
  readonly misses: Misses;
  readonly #upstreams: UpstreamRequests;
  readonly #callbacks: SentCallbacks;

  /** @param restart Begins again with the address of a request. */
  constructor(
    replies: UpstreamRequestsOptions,
    addresses: Addresses,
    handshakes: Handshakes,
    restart: (exchange: Exchange, body: CollectedBody) => void,
  ) {
    this.#replies = replies;
    this.#addresses = addresses;
    this.#restart = restart;
    this.#upstreams = new UpstreamRequests(replies);
    this.#callbacks = new SentCallbacks(replies);
    this.misses = new Misses(replies.record, this.#upstreams, handshakes);
  }

  /** Counts and sends what was chosen. @param given Undefined when no route answers. */
  settle(
    exchange: Exchange,
    addressed: Addressed,
    found: FoundRoute,
    body: CollectedBody,
    given: MockAnswer | RenderProblem | undefined,
  ): void {
    const { head } = exchange;
    const { served } = addressed;
    if (given !== undefined) return this.send(exchange, addressed, body, given);
    if (isMockPreflight(served, head)) return exchange.send(preflightHead(head), '', true);
    return this.misses.route(exchange, addressed, body, passedRoutes(exchange, addressed, found, body));
  }

  /** Counts and sends an answer. */
  send(exchange: Exchange, addressed: Addressed, body: CollectedBody, chosen: MockAnswer | RenderProblem): void {
    const { served, path } = addressed;
    let answer = chosen;
    if (answer.place === NO_PLACE) return this.misses.state(exchange, addressed, body, answer);
    if (!isRenderProblem(answer)) {
      if (answer.plan?.kind === 'proxy') return this.#upstreams.begin(exchange, addressed, body, answer);
      if (!answer.isPlain) {
        const admitted = this.#replies.held.admit(exchange, answer, served);
        if (admitted === undefined) {
          this.#replies.record.miss(exchange, served, path, body, 503);
          return sendTooManyHeld(exchange, served);
        }
        answer = admitted;
      }
      if (!this.#replies.rendered.hold(exchange, answer, body)) {
        this.#replies.record.miss(exchange, served, path, body, 503);
        return sendUnavailable(exchange, served);
      }
    }
    const number = this.#replies.record.hit(exchange, served, path, body, answer);
    if (isRenderProblem(answer)) {
      served.fail(answer);
      return sendMessage(exchange, 500, `${UNSENT}${answer.problem}`, served);
    }
    if (answer.isPlain) return exchange.send(answer.head, answer.body, answer.status === 204 || answer.status === 304);
    served.countOtherStatus(answer);
    return this.#deliver(exchange, served, answer, number);
  }

  #deliver(exchange: Exchange, served: ServedMock, answer: MockAnswer, number: number): void {
    if (answer.callbacks !== undefined) this.#callbacks.sendAfter(exchange, served, number, answer.callbacks);
    return this.#replies.deliveries.deliver(exchange, answer, served);
  }

  /** What the home of its stores has decided on a request that was handed over. */
  carryOut(exchange: Exchange, body: CollectedBody, decision: Decision): void {
    if (!exchange.open) return undefined;
    const addressed = this.#addresses.find(exchange.head);
    // What is decided is decided: it is not repeated since a save has come in the meantime.
    const waits =
      typeof addressed === 'string' &&
      decision.kind !== 'again' &&
      this.#replies.cache.wait(addressed, () => this.carryOut(exchange, body, decision));
    if (waits) return;
    if (decision.kind === 'again' || !isServed(addressed)) return this.#restart(exchange, body);
    const { served, path } = addressed;
    exchange.isCounted = decision.kind === 'answer' || decision.kind === 'problem';
    switch (decision.kind) {
      case 'failed':
        this.#replies.record.miss(exchange, served, path, body, 503);
        return sendUnavailable(exchange, served);
      case 'problem':
        return sendMessage(exchange, 500, `${UNSENT}${decision.problem}`, served);
      case 'state':
        return this.misses.state(exchange, addressed, body, missed(404, decision.problem));
      case 'miss':
        if (isMockPreflight(served, exchange.head)) return exchange.send(preflightHead(exchange.head), '', true);
        return this.misses.route(exchange, addressed, body, decision.passedOn);
      case 'chosen': {
        const routes = matchingNow(addressed, exchange.head);
        const found = routes.find(({ route }) => route.id === decision.routeId);
        const request = requestOf(exchange, path, body, true);
        const answer = answerChosen(routes, request, served, decision);
        if (found === undefined || answer === undefined) return this.#restart(exchange, body);
        return this.settle(exchange, addressed, found, body, answer);
      }
      case 'answer': {
        const { answer, number } = decision;
        const admitted = answer.isPlain ? answer : this.#replies.held.admit(exchange, answer, served);
        if (admitted === undefined) return sendTooManyHeld(exchange, served);
        if (!this.#replies.rendered.hold(exchange, admitted, body)) return sendUnavailable(exchange, served);
        return this.#deliver(exchange, served, admitted, number);
      }
    }
  }
}
