/**
 * Answers a request whose route is known: refuses it, chooses and renders, counts, records and sends; what no route answers, too. Here it
 * is also carried out what the home of a mock's stores has decided.
 */
import type { Account } from '../../base/owner-account.ts';
import { answerRequest, isRenderProblem } from '../matching/answer-request.ts';
import type { FoundRoute } from '../matching/compile/compiled-mock.ts';
import { NO_PLACE, type MockAnswer, type RenderProblem } from '../matching/request/mock-request.ts';
import { isServed, type Addressed, type Addresses, type ToMock } from './addresses.ts';
import type { Exchange } from './reply/exchange.ts';
import {
  sendCertificateProblem,
  missed,
  sendMessage,
  sendPreflight,
  sendStopped,
  sendTooManyHeld,
  sendTooManyWait,
  sendTooMuch,
  sendUnavailable,
} from './reply/own-replies.ts';
import { RATE_PROBLEM, type Gate } from './rate-gate.ts';
import { NO_BODY, type CollectedBody } from './request-bodies.ts';
import { passedRoutes, requestOf } from './request-of.ts';
import { isMockPreflight, matchingNow, remainingRoutes } from './route-for.ts';
import { SentCallbacks } from './sent-callbacks.ts';
import type { ServedMock } from './served-mock.ts';
import { Misses } from './misses.ts';
import { Handshakes, type HandshakeServices } from './sockets/handshakes.ts';
import type { Decision } from './stores/home-threads.ts';
import { answerChosen, StatefulRequests, type StatefulOptions } from './stores/stateful-requests.ts';
import type { ThreadHomes } from './thread-homes.ts';
import { UpstreamRequests, type UpstreamRequestsOptions } from './upstream-requests.ts';

interface AnswersOptions
  extends
    UpstreamRequestsOptions,
    Omit<HandshakeServices, 'mayServe'>,
    Omit<StatefulOptions, 'addresses' | 'carryOut'> {
  readonly homes: ThreadHomes;
}

const UNSENT = 'Response cannot be sent: ';

export class Answers {
  readonly #replies: AnswersOptions;
  readonly #addresses: Addresses;
  readonly #restart: (exchange: Exchange, body: CollectedBody) => void;
  readonly #protect: (exchange: Exchange, act: () => void) => void;
  readonly misses: Misses;
  readonly #upstreams: UpstreamRequests;
  readonly #callbacks: SentCallbacks;
  readonly #handshakes: Handshakes;
  readonly #stateful: StatefulRequests;

  /** @param restart Begins again with the address of a request. @param protect Goes on with one that waited; a bug gets 500. */
  constructor(
    replies: AnswersOptions,
    addresses: Addresses,
    restart: (exchange: Exchange, body: CollectedBody) => void,
    protect: (exchange: Exchange, act: () => void) => void,
  ) {
    this.#replies = replies;
    this.#addresses = addresses;
    this.#restart = restart;
    this.#protect = protect;
    this.#upstreams = new UpstreamRequests(replies);
    this.#callbacks = new SentCallbacks(replies);
    this.#handshakes = new Handshakes({ ...replies, mayServe: () => replies.homes.mayServe });
    this.misses = new Misses(replies.record, this.#upstreams, this.#handshakes);
    this.#stateful = new StatefulRequests({
      ...replies,
      addresses,
      carryOut: (exchange, body, decision) => protect(exchange, () => this.#carryOut(exchange, body, decision)),
    });
  }

  /** Answers a request whose route was looked up. @param found Undefined when no route answers. @param isHandshake Of a WebSocket. */
  answer(
    exchange: Exchange,
    addressed: Addressed,
    body: CollectedBody,
    found: FoundRoute | undefined,
    isHandshake: boolean,
  ): void {
    const { head } = exchange;
    const { served, unknownSession } = addressed;
    if (unknownSession !== undefined) return this.misses.session(exchange, addressed, unknownSession, body);
    if (found === undefined && isMockPreflight(served, head)) return sendPreflight(exchange, served);
    if (served.gate !== undefined && !this.#passes(exchange, addressed, served.gate, body)) return;
    if (found === undefined) return this.misses.route(exchange, addressed, body);
    const { route } = found;
    if (isHandshake) {
      const refusal = this.#handshakes.answer(exchange, addressed, found);
      return refusal && this.send(exchange, addressed, NO_BODY, refusal);
    }
    let answer: MockAnswer | RenderProblem | undefined = route.staticAnswer;
    if (answer === undefined) {
      if (route.isStateful && this.#stateful.handOver(exchange, addressed, body)) return;
      const request = requestOf(exchange, addressed, body, route.needsIp);
      const others = route.fallsThrough ? remainingRoutes(addressed, head, found) : undefined;
      answer = route.isStateful
        ? this.#stateful.answer(found, request, served, others)
        : answerRequest(found, request, served.counters, others);
    }
    return this.#settle(exchange, addressed, found, body, answer);
  }

  /** @returns Whether the request is answered; else it was refused. */
  #passes(exchange: Exchange, to: ToMock, gate: Gate, body: CollectedBody): boolean {
    const { served } = to;
    if (gate === 'stopped') {
      this.#replies.record.miss(exchange, to, body, 503);
      sendStopped(exchange, served);
      return false;
    }
    const { certificate, rate } = gate;
    const problem = certificate?.problemOf(exchange.head.clientCert);
    if (problem !== undefined) {
      const status = certificate?.status ?? 403;
      this.#replies.record.refused(exchange, to, body, missed(status, problem));
      sendCertificateProblem(exchange, status, problem, served);
      return false;
    }
    const waitMs = rate?.take(exchange, served.counters.state) ?? 0;
    if (rate === undefined || waitMs === 0) return true;
    this.#replies.record.refused(exchange, to, body, missed(rate.status, RATE_PROBLEM));
    exchange.send(rate.head(waitMs), rate.body, rate.status === 204 || rate.status === 304);
    return false;
  }

  /** Counts and sends what was chosen. @param given Undefined when no route answers. */
  #settle(
    exchange: Exchange,
    addressed: Addressed,
    found: FoundRoute,
    body: CollectedBody,
    given: MockAnswer | RenderProblem | undefined,
  ): void {
    const { head } = exchange;
    const { served } = addressed;
    if (given !== undefined) return this.send(exchange, addressed, body, given);
    if (isMockPreflight(served, head)) return sendPreflight(exchange, served);
    return this.misses.route(exchange, addressed, body, passedRoutes(exchange, addressed, found, body));
  }

  /** Counts and sends an answer. */
  send(exchange: Exchange, addressed: Addressed, body: CollectedBody, chosen: MockAnswer | RenderProblem): void {
    const { served } = addressed;
    let answer = chosen;
    if (answer.place === NO_PLACE) return this.misses.state(exchange, addressed, body, answer);
    if (!isRenderProblem(answer)) {
      if (answer.plan?.kind === 'proxy') return this.#upstreams.begin(exchange, addressed, body, answer);
      if (!answer.isPlain) {
        const admitted = this.#replies.held.admit(exchange, answer, served);
        if (admitted === undefined) {
          this.#replies.record.miss(exchange, addressed, body, 503);
          return sendTooManyHeld(exchange, served);
        }
        answer = admitted;
      }
      if (!this.#replies.rendered.hold(exchange, answer, body)) {
        this.#replies.record.miss(exchange, addressed, body, 503);
        return sendTooMuch(exchange, 'MOCK_REPLIES_BYTES_MAX', served);
      }
    }
    const number = this.#replies.record.hit(exchange, addressed, body, answer);
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

  #sendChosen(
    exchange: Exchange,
    addressed: Addressed,
    body: CollectedBody,
    decision: Decision & { readonly kind: 'chosen' },
  ): void {
    if (!exchange.open) return undefined;
    const routes = matchingNow(addressed, exchange.head);
    const found = routes.find(({ route }) => route.id === decision.routeId);
    const request = requestOf(exchange, addressed, body, true);
    const answer = answerChosen(routes, request, addressed.served, decision);
    if (found === undefined || answer === undefined) return this.#restart(exchange, body);
    return this.#settle(exchange, addressed, found, body, answer);
  }

  /** Rendering takes as long here as it would at the home, which has charged its own part alone. */
  #inTurn(exchange: Exchange, { served }: Addressed, render: () => void): void {
    const { turns } = this.#replies;
    const account = served.account as Account;
    if (turns.mayRun(account)) return turns.run(account, render);
    if (!turns.wait(account, () => this.#protect(exchange, render))) sendTooManyWait(exchange, served);
    return undefined;
  }

  /** Carries out the decision of the thread that owns the stores on a request that it was given. */
  #carryOut(exchange: Exchange, body: CollectedBody, decision: Decision): void {
    if (!exchange.open) return undefined;
    const addressed = this.#addresses.find(exchange.head);
    // What is decided is not repeated since this thread lacks the session after a save.
    const isComing = typeof addressed === 'string' && addressed !== 'absent' && decision.kind !== 'again';
    const proceed = (known: boolean): void =>
      this.#protect(exchange, () => (known ? this.#carryOut(exchange, body, decision) : sendUnavailable(exchange)));
    if (isComing && this.#replies.cache.wait(addressed, proceed)) return undefined;
    if (decision.kind === 'again' || !isServed(addressed)) return this.#restart(exchange, body);
    const { served } = addressed;
    exchange.isCounted = decision.kind === 'answer' || decision.kind === 'problem';
    switch (decision.kind) {
      case 'failed':
        this.#replies.record.miss(exchange, addressed, body, 503);
        return sendUnavailable(exchange, served);
      case 'problem':
        return sendMessage(exchange, 500, `${UNSENT}${decision.problem}`, served);
      case 'state':
        return this.misses.state(exchange, addressed, body, missed(decision.status, decision.problem));
      case 'miss':
        if (isMockPreflight(served, exchange.head)) return sendPreflight(exchange, served);
        return this.misses.route(exchange, addressed, body, decision.passedOn);
      case 'chosen':
        return this.#inTurn(exchange, addressed, () => this.#sendChosen(exchange, addressed, body, decision));
      case 'answer': {
        const { answer, number } = decision;
        const admitted = answer.isPlain ? answer : this.#replies.held.admit(exchange, answer, served);
        if (admitted === undefined) return sendTooManyHeld(exchange, served);
        if (!this.#replies.rendered.hold(exchange, admitted, body))
          return sendTooMuch(exchange, 'MOCK_REPLIES_BYTES_MAX', served);
        return this.#deliver(exchange, served, admitted, number);
      }
    }
  }
}
