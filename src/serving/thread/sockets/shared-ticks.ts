/** Ticks that all sockets of a route get, in the thread that renders them: process/socket-ticks.ts counts the time for all threads. */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import type { StreamEvent } from '../../../model/mocks/definition/definition.ts';
import type { StreamAction } from '../../../model/mocks/streams/open-stream.ts';
import { FAULT_CLOSE_CODE } from '../../../model/mocks/sockets/socket.ts';
import type { SocketReply } from '../../matching/compile/compiled-mock.ts';
import type { MockAnswer, RenderProblem } from '../../matching/request/mock-request.ts';
import type { SocketTick, TickedSockets } from '../../shared/socket-messages.ts';
import type { StreamSource } from '../streams/open-streams.ts';
import type { Broadcast } from './broadcasts.ts';
import { SocketReplies, type ReplySender } from './socket-replies.ts';

export interface TickedSocket {
  readonly source: StreamSource;
  readonly routeId: string;
  readonly noteProblem: ReplySender['fail'];
  /** Answers a tick of the route, by the handshake of this socket. @returns undefined for a closed socket, null for no answer. */
  readonly answerTick: (
    number: number,
  ) => { readonly answer: MockAnswer; readonly reply: SocketReply } | RenderProblem | null | undefined;
}

interface Ticking extends Omit<TickedSockets, 'tickMs'> {
  tickMs: number;
  readonly sockets: Set<TickedSocket>;
  replies: SocketReplies | undefined;
}

interface Services {
  readonly turns: OwnerTurns;
  readonly broadcast: Broadcast;
}

export class SharedTicks {
  readonly #services: Services;
  readonly #report: (ticked: TickedSockets) => void;
  readonly #byRoute = new Map<string, Ticking>();
  readonly #bySocket = new Map<TickedSocket, Ticking>();

  /** @param report Called when the thread has its first or no sockets of a route, or its time between ticks has changed. */
  constructor(services: Services, report: (ticked: TickedSockets) => void) {
    this.#services = services;
    this.#report = report;
  }

  /** Also when its route is another one now, or ticks at other times. */
  join(socket: TickedSocket, tickMs: number): void {
    const { mockId, sessionId: session } = socket.source;
    const { routeId } = socket;
    const key = keyOf({ mockId, session, routeId });
    const known = this.#byRoute.get(key);
    const ticking = known ?? { mockId, session, routeId, tickMs, sockets: new Set(), replies: undefined };
    if (this.#bySocket.get(socket) !== ticking) {
      this.leave(socket);
      ticking.sockets.add(socket);
      this.#bySocket.set(socket, ticking);
      this.#byRoute.set(key, ticking);
    }
    if (known !== undefined && known.tickMs === tickMs) return;
    ticking.tickMs = tickMs;
    this.#report({ mockId, session, routeId, tickMs });
  }

  leave(socket: TickedSocket): void {
    const ticking = this.#bySocket.get(socket);
    if (ticking === undefined) return;
    this.#bySocket.delete(socket);
    ticking.sockets.delete(socket);
    if (ticking.sockets.size > 0) return;
    const { mockId, session, routeId } = ticking;
    ticking.replies?.stop();
    this.#byRoute.delete(keyOf(ticking));
    this.#report({ mockId, session, routeId, tickMs: undefined });
  }

  /** Conditions and templates read the handshake of the socket that has been open longest here. */
  tick({ number, ...of }: SocketTick): void {
    const ticking = this.#byRoute.get(keyOf(of));
    const [first] = ticking?.sockets ?? [];
    if (ticking === undefined || first === undefined) return;
    this.#services.turns.begin(accountOf(first), 'steps', () => this.#answer(ticking, number));
  }

  #answer(ticking: Ticking, number: number): void {
    for (const socket of ticking.sockets) {
      const ticked = socket.answerTick(number);
      if (ticked === undefined) continue;
      const sender = this.#senderTo(ticking);
      if (ticked !== null && 'problem' in ticked) return sender.fail(ticked.problem, ticked.responseId);
      const { turns } = this.#services;
      const soon = (step: () => void): void => turns.add(accountOf(socket), 'steps', step);
      const replies = (ticking.replies ??= new SocketReplies(sender, soon));
      if (ticked !== null && !replies.isFull) replies.add(ticked.answer, ticked.reply);
      return;
    }
  }

  #senderTo({ session, routeId, sockets: members }: Ticking): ReplySender {
    const { broadcast } = this.#services;
    // Ticks beyond what may be under way are left out.
    const toAll = (action: StreamAction): void => {
      const [first] = members;
      if (first !== undefined) broadcast(first.source, { session, routeId }, action);
    };
    return {
      sendTo: (_to, message, responseId) => toAll({ events: [asEvent(message)], responseId }),
      fail: (problem, responseId) => {
        const [first] = members;
        first?.noteProblem(problem, responseId);
        toAll({ end: 'close', close: { code: FAULT_CLOSE_CODE }, why: 'problem' });
      },
      sendInvalid: () => toAll({ brokenAt: null }),
      cutInMidst: (message, bytes) => toAll({ events: [asEvent(message)], brokenAt: bytes ?? null }),
      endByFault: (code = FAULT_CLOSE_CODE) => toAll({ end: 'close', close: { code }, why: 'fault' }),
      // Ticks that find too many waiting are left out.
      refuseMore: () => undefined,
      // They answer no message.
      hold: () => true,
      release: () => undefined,
      end: (why, close) => toAll({ end: 'close', ...(close === undefined ? {} : { close }), why }),
      cut: (why) => toAll({ end: 'cut', why }),
    };
  }
}

function accountOf({ source }: TickedSocket): Account {
  return source.account as Account;
}

function keyOf({ mockId, session, routeId }: Omit<TickedSockets, 'tickMs'>): string {
  return JSON.stringify([mockId, session, routeId]);
}

/** A message as the threads pass it on. */
export function asEvent(message: string | Buffer): StreamEvent {
  return typeof message === 'string' ? { data: message } : { data: message.toString('base64'), encoding: 'base64' };
}

const encoded = new WeakMap<StreamEvent, Buffer>();

/** A message as it is sent: encoded once for all its receivers. */
export function bytesOf(event: StreamEvent): Buffer {
  const known = encoded.get(event);
  if (known !== undefined) return known;
  const bytes = Buffer.from(event.data ?? '', event.encoding === 'base64' ? 'base64' : 'utf8');
  encoded.set(event, bytes);
  return bytes;
}
