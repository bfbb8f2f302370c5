/**
 * WebSocket handshakes that a route of the kind `ws` matches: refused as the response to them says, or accepted. uWebSockets.js looks
 * at the key alone, so the rest of the handshake is checked here.
 */
import type { FoundRoute } from '../../matching/compile/compiled-mock.ts';
import { answerRequest, isRenderProblem } from '../../matching/answer-request.ts';
import type { CompiledSocket } from '../../matching/compile/compiled-mock.ts';
import { NO_PLACE, type MockAnswer, type RenderProblem } from '../../matching/request/mock-request.ts';
import { valuesOf } from '../../matching/request/request-view.ts';
import type { ToMock } from '../addresses.ts';
import type { Exchange } from '../reply/exchange.ts';
import type { HeldReplies } from '../reply/held-replies.ts';
import { sendMessage, sendMisdirected, sendTooManyHeld } from '../reply/own-replies.ts';
import { NO_BODY } from '../request-bodies.ts';
import { requestOf } from '../request-of.ts';
import type { RequestRecord } from '../traffic/request-record.ts';
import { SocketConnection, type SocketServices } from './socket-connection.ts';

export interface HandshakeServices extends SocketServices {
  readonly held: HeldReplies;
  readonly record: RequestRecord;
}

const VERSION_LINE = '\r\nupgrade: websocket\r\nsec-websocket-version: 13';

/** Why an ordinary request to the path of a WebSocket is refused. */
export const PLAIN_REQUEST = 'this path is declared for WebSockets only, and the request is not a handshake';

/** Another node has received it. */
const ELSEWHERE = 'a WebSocket can only be opened on the node that serves its mock';

/** 16 bytes in base64. */
const KEY = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/** The request may become a WebSocket, or could at the node that its client has connected to. */
export function asksForSocket({ upgrade, head }: Exchange): boolean {
  return upgrade !== undefined || (head.homeAddress !== undefined && problemOf(head.headers) === undefined);
}

export class Handshakes {
  readonly #services: HandshakeServices;

  constructor(services: HandshakeServices) {
    this.#services = services;
  }

  /** @returns The answer that refuses it, as that to an ordinary request; undefined where all is done. */
  answer(exchange: Exchange, to: ToMock, found: FoundRoute): MockAnswer | RenderProblem | undefined {
    const { served } = to;
    const problem = problemOf(exchange.head.headers);
    if (problem !== undefined) {
      this.refuse(exchange, to, problem);
      return undefined;
    }
    if (exchange.upgrade === undefined) {
      this.#services.record.miss(exchange, to, NO_BODY, 421, ELSEWHERE);
      sendMisdirected(exchange, served);
      return undefined;
    }
    const { parts, replies } = found.route.socket as CompiledSocket;
    const { counters } = served;
    const number = counters.handshake();
    const numbered = { seed: counters.seed, state: counters.state, next: () => number, upcoming: () => number };
    const request = requestOf(exchange, to, NO_BODY, true);
    const { open } = parts;
    const answer =
      open === undefined ? undefined : answerRequest({ route: open, params: found.params }, request, numbered);
    // A handshake that no response is for is accepted.
    const isAnswered = answer !== undefined && answer.place !== NO_PLACE;
    if (!isAnswered) {
      this.#accept(exchange, to, found, undefined);
      return undefined;
    }
    if (isRenderProblem(answer) || replies.get(answer.responseId)?.refuses === true || answer.plan?.kind !== 'stream')
      return answer;
    this.#accept(exchange, to, found, answer);
    return undefined;
  }

  /** Answers a missing or malformed handshake with 426. */
  refuse(exchange: Exchange, to: ToMock, problem: string): void {
    this.#services.record.miss(exchange, to, NO_BODY, 426, problem);
    sendMessage(exchange, 426, `A WebSocket is needed here: ${problem}`, to.served, VERSION_LINE);
  }

  #accept(exchange: Exchange, to: ToMock, found: FoundRoute, answer: MockAnswer | undefined): void {
    const { served } = to;
    const { held, record } = this.#services;
    if (!held.admitSocket(exchange, served)) {
      record.miss(exchange, to, NO_BODY, 503);
      return sendTooManyHeld(exchange, served);
    }
    const request = requestOf(exchange, to, NO_BODY, true);
    record.opened(exchange, to, {
      routeId: found.route.id,
      responseId: answer?.responseId ?? '',
      place: answer?.place ?? NO_PLACE,
      status: 101,
      faultCode: 0,
      latencyMs: 0,
    });
    if (exchange.takeOver()) new SocketConnection(exchange, served, found, request, this.#services).begin(answer);
    return undefined;
  }
}

/** Why it is not a handshake as RFC 6455, 4.2.1 has it. */
function problemOf(headers: readonly string[]): string | undefined {
  if (!hasToken(headers, 'upgrade', 'websocket')) return 'the header upgrade must name websocket';
  if (!hasToken(headers, 'connection', 'upgrade')) return 'the header connection must name upgrade';
  const versions = valuesOf(headers, 'sec-websocket-version');
  if (versions.length !== 1 || versions[0] !== '13') return 'the header sec-websocket-version must be 13';
  const keys = valuesOf(headers, 'sec-websocket-key');
  return keys.length === 1 && KEY.test(keys[0] as string)
    ? undefined
    : 'the header sec-websocket-key must be 16 bytes in base64';
}

function hasToken(headers: readonly string[], name: string, token: string): boolean {
  return valuesOf(headers, name).some((value) => value.split(',').some((each) => each.trim().toLowerCase() === token));
}
