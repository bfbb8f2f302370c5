/**
 * Requests to routes that use stores: docs/mocks-stores.md, "Stores". The home of their mock or session answers them: there the mock is found,
 * the route and its response are chosen, the stores are read and changed, and the request is counted and recorded, in one turn. The thread
 * that has received the request writes the answer.
 */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import { HANDOVERS_MAX } from '../../../limits.ts';
import { codeOfFault } from '../../../model/mocks/behaviour/fault-codes.ts';
import { answerRequest, isRenderProblem } from '../../matching/answer-request.ts';
import type { CompiledRoute, FoundRoute } from '../../matching/compile/compiled-mock.ts';
import {
  NO_PLACE,
  stateMiss,
  type MockAnswer,
  type MockRequest,
  type RenderProblem,
} from '../../matching/request/mock-request.ts';
import { RequestView } from '../../matching/request/request-view.ts';
import { StoreTurn } from '../../matching/stores/store-turn.ts';
import { addressText } from '../address-text.ts';
import { isServed, type Addressed, type Addresses } from '../addresses.ts';
import type { MockCache } from '../mock-cache.ts';
import { MockHead, readForwardedHead } from '../mock-head.ts';
import type { Exchange } from '../reply/exchange.ts';
import { NO_BODY, type CollectedBody, type RequestBodies } from '../request-bodies.ts';
import { passedRoutes, requestOf } from '../request-of.ts';
import { remainingRoutes, routeFor } from '../route-for.ts';
import type { ServedMock } from '../served-mock.ts';
import type { RequestRecord } from '../traffic/request-record.ts';
import type { Decision, HandedRequest, HomeThreads } from './home-threads.ts';
import type { LiveStores } from './live-stores.ts';

export interface StatefulOptions {
  readonly addresses: Addresses;
  readonly cache: MockCache;
  readonly bodies: RequestBodies;
  readonly record: RequestRecord;
  readonly stores: LiveStores;
  readonly homeThreads: HomeThreads;
  readonly turns: OwnerTurns;
  readonly onBug: (error: unknown) => void;
  /** Carries out the decision of the home; `kept` is a copy of the body. */
  readonly carryOut: (exchange: Exchange, kept: CollectedBody, decision: Decision) => void;
}

/** The status of a fault is an answer of its own: what the response would have changed has not happened. */
const REPLACED = codeOfFault('status');

export class StatefulRequests {
  readonly #options: StatefulOptions;

  constructor(options: StatefulOptions) {
    this.#options = options;
    options.homeThreads.onRequest((request, reply) => this.#decide(request, reply));
  }

  /** The same as `answerRequest`, in the home. Changes of stores take effect with a sent answer, and at once. */
  answer(
    found: FoundRoute,
    request: MockRequest,
    served: ServedMock,
    others: Iterator<FoundRoute> | undefined,
  ): MockAnswer | RenderProblem | undefined {
    return this.#answer(found, request, served, others).answer;
  }

  #answer(
    found: FoundRoute,
    request: MockRequest,
    served: ServedMock,
    others: Iterator<FoundRoute> | undefined,
  ): { readonly answer: MockAnswer | RenderProblem | undefined; readonly requestNumber: number } {
    const set = this.#options.stores.of(served);
    if (typeof set === 'string') {
      this.#options.stores.answered(true);
      return { answer: stateMiss(set, 507), requestNumber: 0 };
    }
    const turn = new StoreTurn(set);
    const { counters } = served;
    counters.turn = turn;
    try {
      const answer = answerRequest(found, request, counters, others);
      const isMade = answer !== undefined && answer.problem === undefined && answer.place !== NO_PLACE;
      if (isMade && turn.notKept === undefined && answer.faultCode !== REPLACED) turn.commit();
      this.#options.stores.answered(turn.notKept?.kind === 'full');
      return { answer, requestNumber: turn.requestNumber };
    } finally {
      // What was not committed.
      turn.rollBack();
      counters.turn = undefined;
    }
  }

  /** @returns Whether the request is handed to its home; false when that is this thread. */
  handOver(exchange: Exchange, { served }: Addressed, body: CollectedBody): boolean {
    const { homeThreads, bodies, carryOut } = this.#options;
    const home = homeThreads.homeOf(served);
    if (home === undefined) return false;
    const kept = bodies.keep(exchange, body);
    if (kept === undefined || exchange.forwards++ > HANDOVERS_MAX) {
      carryOut(exchange, body, { kind: 'failed' });
      return true;
    }
    exchange.wait();
    const { head, res, waitsSince } = exchange;
    const { method, path, query, headers, isSecure, clientCert } = head;
    const client = head.forwardedIp ?? addressText(res.getRemoteAddress());
    const { bytes } = kept;
    const sent = {
      client,
      method,
      path,
      query,
      headers: [...headers],
      bodyBytes: bytes?.length ?? 0,
      isSecure,
      clientCert: clientCert?.pem,
    };
    homeThreads.hand(home, { head: sent, body: bytes && new Uint8Array(bytes), waitsSince }, (decision) =>
      carryOut(exchange, kept, decision),
    );
    return true;
  }

  /** For what another thread has received. */
  #decide(request: HandedRequest, reply: (decision: Decision) => void): void {
    const decide = (): void => {
      const head = new MockHead();
      readForwardedHead(head, request.head);
      const addressed = this.#options.addresses.find(head);
      if (typeof addressed === 'string' && addressed !== 'absent') {
        const waits = this.#options.cache.wait(addressed, (known) =>
          known ? this.#decide(request, reply) : reply({ kind: 'failed' }),
        );
        if (!waits) reply({ kind: 'failed' });
      } else if (isServed(addressed)) this.#decideInTurn(addressed, head, request, reply);
      else reply({ kind: 'again' });
    };
    this.#protect(decide, reply);
  }

  /** The thread that has received it has charged its own part alone. */
  #decideInTurn(
    { served }: Addressed,
    head: MockHead,
    request: HandedRequest,
    reply: (decision: Decision) => void,
  ): void {
    const { turns, addresses } = this.#options;
    const account = (served.account ??= turns.account(served.ownerId));
    const decide = (): void => {
      // What is served may have changed while it waited.
      const addressed = addresses.find(head);
      reply(isServed(addressed) ? this.#decision(addressed, head, request) : { kind: 'again' });
    };
    if (turns.mayRun(account)) turns.run(account, decide);
    else if (!turns.wait(account, () => this.#protect(decide, reply))) reply({ kind: 'failed' });
  }

  #protect(decide: () => void, reply: (decision: Decision) => void): void {
    try {
      decide();
    } catch (error) {
      this.#options.onBug(error);
      reply({ kind: 'failed' });
    }
  }

  #decision(addressed: Addressed, head: MockHead, { body, waitsSince }: HandedRequest): Decision {
    const { served, unknownSession } = addressed;
    const found = routeFor(addressed, head);
    if (unknownSession !== undefined || !served.isRunning || found?.route.isStateful !== true) return { kind: 'again' };
    const { record } = this.#options;
    const received = { head, waitsSince, isCounted: false, recorded: undefined };
    const collected =
      body === undefined
        ? NO_BODY
        : { bytes: Buffer.from(body.buffer, body.byteOffset, body.length), truncated: false };
    const others = found.route.fallsThrough ? remainingRoutes(addressed, head, found) : undefined;
    const request = requestOf(received, addressed, collected, true);
    const { answer, requestNumber } = this.#answer(found, request, served, others);
    if (answer === undefined) return { kind: 'miss', passedOn: passedRoutes(received, addressed, found, collected) };
    if (answer.place === NO_PLACE) return { kind: 'state', problem: answer.problem ?? '', status: answer.status };
    if (!isRenderProblem(answer) && (answer.plan?.kind === 'stream' || answer.plan?.kind === 'proxy')) {
      const { routeId, responseId } = answer;
      return { kind: 'chosen', routeId, responseId, requestNumber };
    }
    const number = record.hit(received, addressed, collected, answer);
    if (isRenderProblem(answer)) {
      served.fail(answer);
      return { kind: 'problem', problem: answer.problem };
    }
    if (!answer.isPlain) served.countOtherStatus(answer);
    return { kind: 'answer', answer, number };
  }
}

/** @returns The answer of a response that the home has chosen; undefined where this thread has another version. */
export function answerChosen(
  routes: Iterable<FoundRoute>,
  request: MockRequest,
  served: ServedMock,
  { routeId, responseId, requestNumber }: Decision & { readonly kind: 'chosen' },
): MockAnswer | RenderProblem | undefined {
  for (const found of routes) {
    const { route } = found;
    if (route.id !== routeId) continue;
    const { seed } = served.counters;
    const view = new RequestView(request, route.parameterNames, found, requestNumber, seed);
    view.now = route.clock;
    return responseOf(route, responseId)?.answer(view);
  }
  return undefined;
}

function responseOf({ responses }: CompiledRoute, responseId: string): CompiledRoute['responses'][number] | undefined {
  return responses.find(({ id }) => id === responseId);
}
