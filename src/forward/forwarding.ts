/**
 * One request on its way to another node, in an envelope, over connections that owners share.
 */
import type { Pool } from 'undici';
import type { ConnectionShares } from './connection-shares.ts';
import { unpack, type ReplyHeadSent, type RulesActed, type SentBack, type NoAnswerReason } from './envelope.ts';
import { send, type Flow, type Incoming, type Outgoing } from './send.ts';

/** The connections to one node, and what is under way over them. */
export interface Link {
  readonly requests: Pool;
  readonly shares: ConnectionShares;
  readonly running: Set<{ lose(): void }>;
}

/** Receives the outcome of a forwarded request: `onUnanswered`, or `onHead` and the rest of the answer. */
export interface AnswerSink<Why = NoAnswerReason> {
  onHead(head: ReplyHeadSent, flow: Pick<Flow, 'pause' | 'resume'>): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** The rest of the answer does not come. */
  onCut(): void;
  /** @param rules Present where rules act on requests to upstreams. */
  onUnanswered(why: Why, reason?: string, rules?: RulesActed): void;
}

/** One request on its way: it waits for a connection, is sent, and is answered. */
export class Forwarding implements Incoming {
  readonly #link: Link;
  readonly #ownerId: string;
  readonly #sink: AnswerSink;
  #stopWaiting: (() => void) | undefined;
  /** Once it has a connection. */
  #flow: Flow | undefined;
  #holdsConnection = false;
  #isOver = false;
  #head: SentBack | undefined;
  /** Bytes of the head so far. */
  #part: Buffer = Buffer.alloc(0);

  constructor(link: Link, ownerId: string, sink: AnswerSink) {
    this.#link = link;
    this.#ownerId = ownerId;
    this.#sink = sink;
  }

  begin(outgoing: Outgoing): void {
    this.#link.running.add(this);
    this.#stopWaiting = this.#link.shares.take(
      this.#ownerId,
      () => {
        this.#holdsConnection = true;
        this.#flow = send(this.#link.requests, outgoing, this);
      },
      () => this.#fail('busy'),
    );
  }

  cancel(): void {
    this.#close();
  }

  /** That node is not alive any more. */
  lose(): void {
    this.onLost(this.#flow?.wasSent === true);
  }

  onHead(status: number): void {
    // That node is of another version.
    if (status !== 200) this.#fail('unreachable');
  }

  onData(chunk: Buffer): void {
    if (this.#head !== undefined) return this.#sink.onData(chunk);
    this.#part = this.#part.length === 0 ? chunk : Buffer.concat([this.#part, chunk]);
    const unpacked = unpack(this.#part);
    if (unpacked === undefined) return undefined;
    const { body } = unpacked;
    const head = unpacked.head as SentBack;
    this.#head = head;
    if ('unanswered' in head) return undefined;
    this.#sink.onHead(head, this.#flow as Flow);
    if (body.length > 0 && !this.#isOver) this.#sink.onData(body);
    return undefined;
  }

  onEnd(): void {
    const head = this.#head;
    if (head === undefined || 'unanswered' in head) return this.#fail(head?.unanswered ?? 'lost');
    if (this.#close()) this.#sink.onEnd();
    return undefined;
  }

  onLost(wasSent: boolean): void {
    this.#fail(wasSent ? 'lost' : 'unreachable');
  }

  #fail(why: NoAnswerReason): void {
    if (!this.#close()) return;
    const head = this.#head;
    if (head === undefined || 'unanswered' in head) this.#sink.onUnanswered(why);
    else this.#sink.onCut();
  }

  /** @returns false when it was over before. */
  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    this.#link.running.delete(this);
    this.#stopWaiting?.();
    this.#flow?.cancel();
    if (this.#holdsConnection) this.#link.shares.release(this.#ownerId);
    return true;
  }
}
