/**
 * Passes requests to the process that reaches upstreams, over a Unix socket: the only connection that a serving thread makes for
 * its users. That process may be away: then nothing was sent.
 */
import { connect, type Socket } from 'node:net';
import { ConnectionShares } from '../../forward/connection-shares.ts';
import { pack, type ReplyHeadSent, type RulesActed } from '../../forward/envelope.ts';
import type { AnswerSink } from '../../forward/forwarding.ts';
import type { CallbacksSent } from '../../forward/callbacks-sent.ts';
import { FRAME, Frames } from '../../forward/frames.ts';
import type { Flow } from '../../forward/send.ts';
import type { UpstreamCall, UpstreamFailure } from '../../forward/upstream-call.ts';
import { CALLBACKS_WAITING_BYTES_MAX, UPSTREAM_CALLS_MAX } from '../../limits.ts';
import type { EgressAddress } from '../shared/messages.ts';

interface Link {
  readonly socket: Socket;
  readonly frames: Frames;
  readonly calls: Map<number, Call>;
  isConnected: boolean;
}

export class EgressClient {
  readonly #address: EgressAddress;
  readonly #shares = new ConnectionShares(UPSTREAM_CALLS_MAX);
  #link: Link | undefined;
  #lastNumber = 0;
  /** The last callbacks were not even tried. */
  #hasLost = false;

  constructor(address: EgressAddress) {
    this.#address = address;
  }

  /** Sends it once. @returns Ends it: the sink is not called any more. */
  send(call: UpstreamCall, body: Buffer | undefined, sink: AnswerSink<UpstreamFailure>): () => void {
    const sent = new Call(sink, () => this.#shares.release(call.ownerId));
    const stopWaiting = this.#shares.take(
      call.ownerId,
      () => {
        this.#lastNumber = (this.#lastNumber + 1) % 0x1_00_00_00_00;
        this.#link ??= this.#connect();
        sent.begin(this.#link, this.#lastNumber, pack(call), body);
      },
      () => sink.onUnanswered('busy', 'too many requests to upstreams are in flight'),
    );
    return () => {
      stopWaiting();
      sent.cancel();
    };
  }

  /** That process may be away: what it has not taken is lost, as what it had is. Never throws. */
  callBack(sent: CallbacksSent): void {
    const { frames } = (this.#link ??= this.#connect());
    const packed = Buffer.from(JSON.stringify(this.#hasLost ? { ...sent, isAfterLoss: true } : sent));
    // Beyond it that process takes nothing any more, and is replaced.
    this.#hasLost = frames.waitingBytes + packed.length > CALLBACKS_WAITING_BYTES_MAX;
    if (!this.#hasLost) frames.send(0, FRAME.callbacks, packed);
  }

  #connect(): Link {
    const { socketPath, token } = this.#address;
    const socket = connect({ path: socketPath });
    const calls = new Map<number, Call>();
    const frames = new Frames(socket, (number, kind, content) => calls.get(number)?.take(kind, content));
    frames.sendText(0, FRAME.hello, token);
    const link: Link = { socket, frames, calls, isConnected: false };
    socket.on('connect', () => (link.isConnected = true));
    // `close` follows.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#link = undefined;
      for (const call of calls.values()) call.lose(link.isConnected);
    });
    return link;
  }
}

/** A request to an upstream that is in flight. */
class Call implements Pick<Flow, 'pause' | 'resume'> {
  /** Undefined once it is over: what is taken out of a Map may be referred to by it for a while (base/bag.ts). */
  #sink: AnswerSink<UpstreamFailure> | undefined;
  readonly #release: () => void;
  #link: Link | undefined;
  #number = 0;
  #hasHead = false;
  #isPaused = false;

  constructor(sink: AnswerSink<UpstreamFailure>, release: () => void) {
    this.#sink = sink;
    this.#release = release;
  }

  begin(link: Link, number: number, packed: Buffer, body: Buffer | undefined): void {
    this.#link = link;
    this.#number = number;
    link.calls.set(number, this);
    link.frames.send(number, FRAME.call, packed, body);
  }

  cancel(): void {
    const link = this.#link;
    if (this.#end() !== undefined) link?.frames.send(this.#number, FRAME.cancel);
  }

  pause(): void {
    if (!this.#isPaused) this.#setPaused(true);
  }

  resume(): void {
    if (this.#isPaused) this.#setPaused(false);
  }

  #setPaused(isPaused: boolean): void {
    this.#isPaused = isPaused;
    this.#link?.frames.sendText(this.#number, FRAME.flow, isPaused ? '0' : '1');
  }

  take(kind: number, content: Buffer): void {
    if (kind === FRAME.data) return this.#sink?.onData(content);
    if (kind === FRAME.head) {
      this.#hasHead = true;
      return this.#sink?.onHead(JSON.parse(content.toString()) as ReplyHeadSent, this);
    }
    const sink = this.#end();
    if (sink === undefined) return undefined;
    if (kind === FRAME.end) return sink.onEnd();
    if (kind === FRAME.cut) return sink.onCut();
    const failure = JSON.parse(content.toString()) as {
      unanswered: UpstreamFailure;
      reason: string;
      rules?: RulesActed;
    };
    return sink.onUnanswered(failure.unanswered, failure.reason, failure.rules);
  }

  /** That process has ended, or was not there. */
  lose(wasSent: boolean): void {
    const sink = this.#end();
    if (sink === undefined) return;
    if (this.#hasHead) return sink.onCut();
    if (!wasSent) return sink.onUnanswered('egressDown', 'the egress process is starting');
    return sink.onUnanswered('lost', 'the egress process ended: the upstream may or may not have received the request');
  }

  /** @returns Undefined when it was over before, or did not begin. */
  #end(): AnswerSink<UpstreamFailure> | undefined {
    if (this.#link === undefined) return undefined;
    const sink = this.#sink;
    this.#link.calls.delete(this.#number);
    this.#link = undefined;
    this.#sink = undefined;
    this.#release();
    return sink;
  }
}
