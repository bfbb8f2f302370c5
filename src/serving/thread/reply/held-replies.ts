/**
 * The replies of a thread that hold their connections: late, slow and hanging ones, and those awaited from another node.
 *
 * Bounds what the long ones of an owner hold, and ends those of a mock or session that is over. A reply that is sent at
 * once never comes here. How each is carried out: deliver.ts, forwarded-reply.ts.
 */
import type { OwnerTurns } from '../../../base/owner-turns.ts';
import type { Account } from '../../../base/owner-account.ts';
import { Bag, type InBag } from '../../../base/bag.ts';
import { sharedByOwners, WaitingBytes } from '../../../base/waiting-bytes.ts';
import { KEEP_ALIVE_SECONDS, MOCK_SOCKETS_MAX } from '../../../limits.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';
import type { Exchange } from './exchange.ts';
import type { ServedMock } from '../served-mock.ts';

/** The part of a thread's connections that long replies of one owner may hold. */
const OWNER_CONNECTIONS_PART = 2;

/** A late reply counts as long when it comes later than this: anyone may keep a connection idle for as long. */
export const HELD_MS = KEEP_ALIVE_SECONDS * 1_000;

/** It has begun, and ends as its exchange says. */
const SOCKET = { kind: 'socket' } as const;

/**
 * Replies of a thread that hang; half of them may be of one owner. Faults of the kind `hang`. Of more,
 * the connection is closed.
 */
export const HANGING_MAX = 10_000;

/** Source of a reply. Not the mock itself: a reply may wait for longer than its version is served. */
export type ReplySource = Pick<ServedMock, 'ownerId' | 'mockId' | 'sessionId' | 'cors' | 'overlaysCors' | 'account'>;

interface HeldReply extends ReplySource, InBag {
  readonly exchange: Exchange;
  readonly plan: MockAnswer['plan'];
}

export class HeldReplies {
  readonly #turns: OwnerTurns;
  readonly #byMock = new Map<string, Bag<HeldReply>>();
  /** Connections held for long, and those that hang. */
  readonly #long: WaitingBytes;
  readonly #hanging = sharedByOwners(HANGING_MAX, 0);
  /** Open WebSockets, by mock. */
  readonly #socketsOf = new Map<string, number>();

  /** @param connectionsMax Of the thread. */
  constructor(connectionsMax: number, turns: OwnerTurns) {
    this.#turns = turns;
    this.#long = new WaitingBytes(connectionsMax, Math.max(1, Math.floor(connectionsMax / OWNER_CONNECTIONS_PART)));
  }

  /**
   * Registers a reply until its exchange is finished. Call it before the request is counted.
   *
   * @returns The answer to send: a refused one is closed at once. Undefined when the request must be answered 503.
   */
  admit(exchange: Exchange, answer: MockAnswer, source: ReplySource): MockAnswer | undefined {
    const { latencyMs, plan } = answer;
    if (latencyMs <= 0 && plan === undefined) return answer;
    const { ownerId } = source;
    const hanging = plan?.kind === 'hang' ? 1 : 0;
    if (hanging > 0 && this.#hanging.exceeded(ownerId, hanging) !== undefined) return refusal(answer);
    if (isLong(answer) && !this.admitLong(exchange, ownerId)) return refusal(answer);
    this.#hanging.add(ownerId, hanging);
    this.#register(exchange, plan, source, () => this.#hanging.release(ownerId, hanging));
    return answer;
  }

  /** Registers a WebSocket until its exchange is finished. @returns Whether the mock and its owner may have one more. */
  admitSocket(exchange: Exchange, source: ReplySource): boolean {
    const { mockId, ownerId } = source;
    const open = this.#socketsOf.get(mockId) ?? 0;
    if (open >= MOCK_SOCKETS_MAX || !this.admitLong(exchange, ownerId)) return false;
    this.#socketsOf.set(mockId, open + 1);
    this.#register(exchange, SOCKET, source, () => {
      const left = (this.#socketsOf.get(mockId) as number) - 1;
      if (left === 0) this.#socketsOf.delete(mockId);
      else this.#socketsOf.set(mockId, left);
    });
    return true;
  }

  #register(
    exchange: Exchange,
    plan: MockAnswer['plan'],
    { ownerId, mockId, sessionId, cors, overlaysCors, account }: ReplySource,
    onFinished: () => void,
  ): void {
    const reply: HeldReply = { exchange, plan, ownerId, mockId, sessionId, cors, overlaysCors, account, place: -1 };
    const ofMock = this.#byMock.get(mockId) ?? new Bag();
    this.#byMock.set(mockId, ofMock);
    ofMock.add(reply);
    exchange.whenFinished(() => {
      ofMock.delete(reply);
      if (ofMock.count === 0) this.#byMock.delete(mockId);
      onFinished();
    });
  }

  /** @returns Whether the owner may hold one more connection for long: this one, until its exchange is finished. */
  admitLong(exchange: Exchange, ownerId: string): boolean {
    if (!this.#long.take(ownerId, 1)) return false;
    exchange.whenFinished(() => this.#long.release(ownerId, 1));
    return true;
  }

  /**
   * Ends the replies of a mock or session, in turns of its owner: closes those that hang or have begun, and gives the others to `answer`.
   *
   * @param sessionId Of this session alone; absent: all of the mock.
   */
  end(
    { mockId, sessionId }: { readonly mockId: string; readonly sessionId?: string },
    answer: (exchange: Exchange, source: ReplySource) => void,
    done: () => void,
  ): void {
    // Taken now: a session of the same id may be made before the last has ended. Each removes itself when it is finished.
    const all = [...(this.#byMock.get(mockId)?.values() ?? [])];
    const replies = sessionId === undefined ? all : all.filter((reply) => reply.sessionId === sessionId);
    const [first] = replies;
    if (first === undefined) return done();
    const end = (reply: HeldReply): void => {
      const { exchange, plan } = reply;
      if (exchange.open && plan?.kind !== 'hang') answer(exchange, reply);
      // A whole reply that its client still reads is an ordinary one by now.
      else if (plan !== undefined) endNow(exchange);
    };
    return this.#turns.forEach(first.account as Account, 'steps', () => replies, end, done);
  }

  /** The sessions of a mock that have such replies, or open WebSockets. */
  sessionsOf(mockId: string): ReadonlySet<string> {
    return new Set(Array.from(this.#byMock.get(mockId)?.values() ?? [], ({ sessionId }) => sessionId));
  }

  /** Ends streams, and closes everything that hangs, is slow or will be broken. Whole replies still come, but late. */
  breakOffPlanned(): void {
    for (const ofMock of this.#byMock.values()) {
      for (const { exchange, plan } of ofMock.values())
        if (plan !== undefined && plan.kind !== 'proxy') endNow(exchange);
    }
  }
}

function endNow(exchange: Exchange): void {
  if (exchange.endEarly === undefined) exchange.breakOff();
  else exchange.endEarly();
}

/** The reply holds its connection for longer than an idle client may. */
function isLong({ latencyMs, plan }: MockAnswer): boolean {
  return (
    latencyMs > HELD_MS ||
    plan?.kind === 'hang' ||
    plan?.kind === 'paced' ||
    plan?.kind === 'stream' ||
    plan?.kind === 'proxy'
  );
}

function refusal({ plan }: MockAnswer): MockAnswer | undefined {
  const refused = plan !== undefined && 'refused' in plan ? plan.refused : undefined;
  return refused && { ...refused, latencyMs: 0 };
}
