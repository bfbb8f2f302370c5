/**
 * One WebSocket of a mock, from its handshake to its end: answers its messages by the version that is served when they come, and sends
 * replies, each over time if it has several messages.
 *
 * Its exchange lasts as long as it does: so a stop, the end of a session and the bounds of an owner hold for it as for a stream.
 */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import { mayTakePiece } from '../../../base/small-pieces.ts';
import { MOCK_SOCKET_MESSAGES_WAITING_MAX, MOCK_SOCKET_REPLIES_MAX } from '../../../limits.ts';
import { randomId } from '../../../base/random-id.ts';
import type { SocketClose, StreamEvent } from '../../../model/mocks/definition/definition.ts';
import type { MessageDirection, MessageType } from '../../../model/mocks/sockets/message-record.ts';
import type { OpenSocketRecord } from '../../../model/mocks/sockets/open-socket.ts';
import { FAULT_CLOSE_CODE } from '../../../model/mocks/sockets/socket.ts';
import type { StreamEnd } from '../../../model/mocks/streams/stream-record.ts';
import { SENT_LATER, SENT_TOO_MUCH, type WebSocket, type WebSocketData } from '../../../wire/uws.ts';
import type { CompiledRoute, FoundRoute } from '../../matching/compile/compiled-mock.ts';
import { answerRequest, isRenderProblem } from '../../matching/answer-request.ts';
import { NO_PLACE, type MockAnswer, type MockRequest, type RouteCounter } from '../../matching/request/mock-request.ts';
import { valuesOf } from '../../matching/request/request-view.ts';
import type { CompiledSocket, SocketReply } from '../../matching/compile/compiled-mock.ts';
import type { MockCache } from '../mock-cache.ts';
import type { Exchange } from '../reply/exchange.ts';
import { switching } from '../reply/reply-heads.ts';
import { unansweredReason } from '../request-of.ts';
import { socketRouteFor } from '../route-for.ts';
import type { ServedMock } from '../served-mock.ts';
import { ID_CHARS, type OpenStream, type OpenStreams } from '../streams/open-streams.ts';
import type { RequestRecord } from '../traffic/request-record.ts';
import type { Broadcast } from './broadcasts.ts';
import { asEvent, bytesOf, type SharedTicks, type TickedSocket } from './shared-ticks.ts';
import { SocketReplies, type ReplySender } from './socket-replies.ts';
import type { Receiver, WaitingMessages } from './waiting-messages.ts';

export interface SocketServices {
  readonly cache: MockCache;
  readonly record: RequestRecord;
  readonly sockets: OpenStreams;
  readonly turns: OwnerTurns;
  readonly messages: WaitingMessages;
  readonly ticks: SharedTicks;
  /** This node may serve mocks now. */
  readonly mayServe: () => boolean;
  readonly broadcast: Broadcast;
  /** Called when a message has come or a timer is due. */
  readonly onStep: () => void;
  readonly onBug: (error: unknown) => void;
}

/** Asks a client to connect again. */
const SERVICE_RESTART = 1_012;
const GOING_AWAY = 1_001;
const NORMAL = 1_000;
const POLICY_VIOLATION = 1_008;
/** A close frame without a code, and a connection that is closed without such a frame: neither is ever sent. */
const NO_CODE = 1_005;
const ABNORMAL = 1_006;

/** No UTF-8. */
const INVALID_TEXT = Uint8Array.from([0xff, 0xfe, 0xc3, 0x28]);

export class SocketConnection implements OpenStream, WebSocketData, ReplySender, TickedSocket, Receiver {
  readonly id = randomId(ID_CHARS);
  readonly source: OpenStream['source'];
  readonly exchange: Exchange;
  readonly requestNumber: number;
  readonly channel = '';
  readonly path: string;
  readonly openedAt = Date.now();
  routeId: string;
  /** Messages to the client. */
  events = 0;
  /** The bytes of their content. */
  bytes = 0;
  readonly #services: SocketServices;
  readonly #account: Account;
  readonly #request: MockRequest;
  readonly #replies: SocketReplies;
  readonly #compresses: boolean;
  #served: ServedMock;
  #found: FoundRoute;
  #protocol = '';
  #received = 0;
  #unread = 0;
  #waiting = 0;
  #ticks = 0;
  #ticker: NodeJS.Timeout | undefined;
  /** Undefined before it is open, and once it is closed. */
  #socket: WebSocket | undefined;
  #isOpening = false;
  #ended: StreamEnd | undefined;
  #leave: ((ended: StreamEnd) => void) | undefined;

  /** @param request The handshake. */
  constructor(
    exchange: Exchange,
    served: ServedMock,
    found: FoundRoute,
    request: MockRequest,
    services: SocketServices,
  ) {
    const { ownerId, mockId, sessionId, account } = served;
    this.exchange = exchange;
    this.#account = account as Account;
    this.source = { ownerId, mockId, sessionId, account };
    this.requestNumber = exchange.recorded?.number ?? 0;
    this.path = request.path;
    this.routeId = found.route.id;
    this.#served = served;
    this.#found = found;
    this.#request = request;
    this.#services = services;
    this.#compresses = this.#route.compresses;
    this.#replies = new SocketReplies(this, (step) => this.#soon(step));
  }

  get #route(): CompiledSocket {
    return this.#found.route.socket as CompiledSocket;
  }

  get waitingBytes(): number {
    return this.#socket?.getBufferedAmount() ?? 0;
  }

  shown(): Partial<OpenSocketRecord> {
    return { path: this.path, protocol: this.#protocol, received: this.#received, sent: this.events };
  }

  /** Accepts the handshake. @param answer What it is answered with then. */
  begin(answer: MockAnswer | undefined): void {
    const { exchange } = this;
    const { upgrade } = exchange;
    if (upgrade === undefined) return exchange.breakOff();
    this.#protocol = this.#agreedProtocol();
    const extensions = this.#compresses ? this.#header('sec-websocket-extensions') : '';
    exchange.endEarly = () => this.end('stop');
    const reply = answer && this.#route.replies.get(answer.responseId);
    this.#isOpening = true;
    exchange.cork(() => {
      if (answer !== undefined && reply?.hasHeaders === true) upgrade.res.writeStatus(switching(answer));
      upgrade.res.upgrade({ of: this }, this.#header('sec-websocket-key'), this.#protocol, extensions, upgrade.context);
    });
    // A close in the turn of the handshake would come before its answer.
    setImmediate(() => (this.#isOpening = false));
    if (answer !== undefined && reply !== undefined) this.#replies.add(answer, reply);
    this.#startTicks();
    return undefined;
  }

  #agreedProtocol(): string {
    const offered = this.#header('sec-websocket-protocol')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '');
    const { protocols } = this.#route;
    return (protocols === undefined ? offered[0] : offered.find((each) => protocols.includes(each))) ?? '';
  }

  /** @param name In lower case. */
  #header(name: string): string {
    return valuesOf(this.#request.headers, name).join(', ');
  }

  opened(socket: WebSocket): void {
    this.#socket = socket;
    this.#leave = this.#services.sockets.enter(this);
  }

  received(message: ArrayBuffer, isBinary: boolean): void {
    const { onStep, turns, messages } = this.#services;
    onStep();
    if (this.#ended !== undefined) return undefined;
    this.#received++;
    const account = this.#account;
    if (messages.isWaiting(account) || !turns.mayRun(account)) return this.#wait(message, isBinary);
    const startedAt = performance.now();
    // The bytes are those of the next message soon, and replies may read them later.
    const body = Buffer.from(new Uint8Array(message));
    this.#protect(() => this.#answer(body, isBinary));
    return turns.charge(account, startedAt);
  }

  pinged(): void {
    if (!mayTakePiece(this.source.ownerId)) this.refuseMore('too many pings');
  }

  #wait(message: ArrayBuffer, isBinary: boolean): void {
    const mayWait = this.#waiting < MOCK_SOCKET_MESSAGES_WAITING_MAX;
    if (mayWait && this.#services.messages.add(this.#account, this, message, isBinary)) return void this.#waiting++;
    this.#account.refused++;
    return this.refuseMore('too many messages are waiting');
  }

  answerWaiting(body: Buffer, isBinary: boolean): void {
    this.#waiting--;
    if (this.#ended !== undefined) return;
    this.#services.onStep();
    this.#protect(() => this.#answer(body, isBinary));
  }

  #soon(step: () => void): void {
    this.#services.turns.add(this.#account, 'steps', step);
  }

  #answer(body: Buffer, isBinary: boolean): void {
    if (!this.refresh()) return;
    const { parts, replies } = this.#route;
    const message = { ...this.#request, body };
    const answer = this.#chosenBy(parts.message, message, this.#served.counters);
    const isAnswered = answer !== undefined && answer.place !== NO_PLACE;
    const problem =
      answer === undefined
        ? unansweredReason(parts.message, this.#found.params, message, this.#served)
        : answer.problem;
    this.#note('in', isBinary ? 'binary' : 'text', body, {
      ...(isAnswered ? { responseId: answer.responseId, place: answer.place, latencyMs: answer.latencyMs } : {}),
      ...(problem === undefined ? {} : { problem }),
    });
    if (!isAnswered) return;
    if (isRenderProblem(answer)) return this.end('problem', { code: FAULT_CLOSE_CODE });
    this.#replies.add(answer, replies.get(answer.responseId) as SocketReply, body.length);
  }

  #chosenBy(part: CompiledRoute | undefined, request: MockRequest, counter: RouteCounter) {
    if (part === undefined) return undefined;
    return answerRequest({ route: part, params: this.#found.params }, request, counter);
  }

  #startTicks(): void {
    const { tickMs, ticksAll } = this.#route;
    const { ticks } = this.#services;
    if (tickMs !== undefined && ticksAll) {
      clearTimeout(this.#ticker);
      this.#ticker = undefined;
      return ticks.join(this, tickMs);
    }
    ticks.leave(this);
    return this.#ticker === undefined ? this.#scheduleTick(performance.now()) : undefined;
  }

  #scheduleTick(lastAt: number): void {
    const { tickMs, ticksAll } = this.#route;
    this.#ticker = undefined;
    if (tickMs === undefined || ticksAll) return;
    const at = lastAt + tickMs;
    this.#ticker = setTimeout(
      () => this.#soon(() => this.#protect(() => this.#tick(at))),
      Math.max(0, at - performance.now()),
    );
  }

  /** Each socket numbers its own ticks. */
  #tick(at: number): void {
    this.#services.onStep();
    const ticked = this.answerTick(++this.#ticks);
    if (ticked === undefined) return;
    if (ticked !== null && 'problem' in ticked) return this.fail(ticked.problem, ticked.responseId);
    if (ticked !== null && !this.#replies.isFull) this.#replies.add(ticked.answer, ticked.reply);
    this.#scheduleTick(Math.max(at, performance.now() - (this.#route.tickMs ?? 0)));
  }

  answerTick(number: number): ReturnType<TickedSocket['answerTick']> {
    if (this.#ended !== undefined || this.#socket === undefined || !this.refresh()) return undefined;
    const { counters } = this.#served;
    const numbered = { seed: counters.seed, state: counters.state, next: () => number, upcoming: () => number };
    const { parts, replies } = this.#route;
    const answer = this.#chosenBy(parts.tick, this.#request, numbered);
    if (answer === undefined || answer.place === NO_PLACE) return null;
    if (isRenderProblem(answer)) return answer;
    return { answer, reply: replies.get(answer.responseId) as SocketReply };
  }

  /** Goes on by what is served now. @returns Whether it does; else the socket is closed. */
  refresh(): boolean {
    if (!this.#services.mayServe()) {
      this.end('stop', { code: SERVICE_RESTART });
      return false;
    }
    const newest = this.#services.cache.newestReady(this.source);
    // Where it is not known, no other version was published since.
    if (newest === undefined || newest === this.#served) return true;
    const found = newest === 'gone' ? undefined : socketRouteFor({ served: newest, path: this.path });
    if (newest === 'gone' || found === undefined) {
      this.end('stop', { code: SERVICE_RESTART });
      return false;
    }
    this.#served = newest;
    this.#found = found;
    this.routeId = found.route.id;
    this.#startTicks();
    return true;
  }

  push(events: readonly StreamEvent[], responseId = ''): boolean {
    for (const event of events) {
      if (this.#ended !== undefined) return false;
      this.send(bytesOf(event), responseId, event.encoding === 'base64');
    }
    return this.#ended === undefined;
  }

  /** Sends a message at once: text, or bytes in a binary one. */
  send(message: string | Buffer, responseId: string, isBinary = typeof message !== 'string'): void {
    if (this.#socket === undefined || this.#ended !== undefined || this.#replies.isStalled) return;
    this.events++;
    this.bytes += Buffer.byteLength(message);
    this.#services.sockets.countEvent();
    const sent = this.#socket.send(message, isBinary, this.#compresses);
    this.#note('out', isBinary ? 'binary' : 'text', Buffer.from(message as string), { responseId });
    this.#services.sockets.note(this, null);
    if (sent === SENT_TOO_MUCH || (sent === SENT_LATER && !this.#holdUnread())) this.cut('slowReader');
  }

  sendTo(to: SocketReply['to'], message: string | Buffer, responseId: string): void {
    if (to === 'sender') return this.send(message, responseId);
    const of = {
      session: this.source.sessionId,
      routeId: this.routeId,
      ...(to === 'others' ? { except: this.id } : {}),
    };
    if (this.#services.broadcast(this.source, of, { events: [asEvent(message)], responseId })) return undefined;
    return this.refuseMore('too many broadcasts are waiting');
  }

  noteProblem(problem: string, responseId: string): void {
    this.#note('out', 'text', Buffer.alloc(0), { responseId, problem: problem.replaceAll('\n', ' ') });
  }

  fail(problem: string, responseId: string): void {
    this.noteProblem(problem, responseId);
    this.end('problem', { code: FAULT_CLOSE_CODE });
  }

  sendInvalid(): void {
    this.#socket?.send(INVALID_TEXT, false, false);
  }

  /** Sends the first fragment of a message whose rest never comes. */
  cutInMidst(message: string | Buffer, bytes: number | undefined): void {
    const all = Buffer.from(message as string);
    const part = all.subarray(0, Math.min(bytes ?? Math.floor(all.length / 2), Math.max(0, all.length - 1)));
    this.#socket?.sendFirstFragment(part, typeof message !== 'string', false);
    this.cut('fault');
  }

  pushBroken(event: StreamEvent | undefined, bytes: number | undefined): void {
    if (event === undefined) return this.sendInvalid();
    const { data = '', encoding } = event;
    return this.cutInMidst(encoding === 'base64' ? Buffer.from(data, 'base64') : data, bytes);
  }

  endByFault(code = FAULT_CLOSE_CODE): void {
    this.end('fault', { code });
  }

  hold(bytes: number): boolean {
    return this.#services.sockets.hold(this.source, bytes);
  }

  release(bytes: number): void {
    this.#services.sockets.release(this.source, bytes);
  }

  refuseMore(reason = `more than ${MOCK_SOCKET_REPLIES_MAX} replies are waiting`): void {
    this.end('problem', { code: POLICY_VIOLATION, reason });
  }

  /** Closes it as the standard has it: of a stop with 1001, unless `close` says otherwise. */
  end(why: StreamEnd, { code = why === 'stop' ? GOING_AWAY : NORMAL, reason = '' }: SocketClose = {}): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#note('out', 'close', Buffer.from(reason === '' ? String(code) : `${code} ${reason}`), {});
    const close = (): void => this.#socket?.end(code, reason);
    if (this.#isOpening) setImmediate(close);
    else close();
  }

  cut(why: StreamEnd): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    // On a later turn: bytes reach the kernel when the callback of uWebSockets.js returns.
    setImmediate(() => this.#socket?.close());
  }

  /** Takes memory for what the client has not read yet. @returns Whether there is any. */
  #holdUnread(): boolean {
    const more = this.waitingBytes - this.#unread;
    if (this.hold(more)) this.#unread += more;
    return this.#unread === this.waitingBytes;
  }

  drained(): void {
    this.#holdUnread();
    this.#services.sockets.note(this, null);
  }

  closed(code: number, reason: ArrayBuffer): void {
    this.#socket = undefined;
    clearTimeout(this.#ticker);
    this.#services.ticks.leave(this);
    this.#replies.stop();
    this.#holdUnread();
    if (this.#ended === undefined && code !== ABNORMAL) {
      const text = [...(code === NO_CODE ? [] : [code]), Buffer.from(reason).toString()].join(' ').trim();
      this.#protect(() => this.#note('in', 'close', Buffer.from(text), {}));
    }
    this.#leave?.(this.#ended ?? 'client');
    this.exchange.finish();
  }

  #note(
    direction: MessageDirection,
    type: MessageType,
    body: Buffer,
    of: {
      readonly responseId?: string;
      readonly place?: number;
      readonly latencyMs?: number;
      readonly problem?: string;
    },
  ): void {
    const { path, query, headers } = this.#request;
    this.#services.record.message(this.#served, {
      direction,
      type,
      body,
      path,
      query,
      headers,
      handshake: this.requestNumber,
      routeId: this.routeId,
      responseId: of.responseId ?? '',
      latencyMs: of.latencyMs ?? 0,
      place: of.place ?? NO_PLACE,
      problem: of.problem ?? '',
    });
  }

  #protect(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#services.onBug(error);
      this.endByFault();
    }
  }
}
