/**
 * Passes requests to the process that reaches upstreams, over a Unix socket: the only connections that a serving thread makes for
 * its users. That process may be away: then nothing was sent.
 */
import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { ConnectionShares } from '../../forward/connection-shares.ts';
import { pack } from '../../forward/envelope.ts';
import { CALLBACKS_PATH, type CallbacksSent } from '../../forward/callbacks-sent.ts';
import { Forwarding, type AnswerSink, type Link } from '../../forward/forwarding.ts';
import { FORWARDED_HEADER } from '../../forward/peer-headers.ts';
import type { UpstreamCall, UpstreamFailure } from '../../forward/upstream-call.ts';
import { send } from '../../forward/send.ts';
import { CALLBACKS_WAITING_BYTES_MAX, PEER_IDLE_MS, UPSTREAM_CALLS_MAX } from '../../limits.ts';
import type { EgressAddress } from '../shared/messages.ts';

/** A process that takes nothing for so long hangs, and is replaced. */
const CALLBACK_HAND_OVER_MS = 5_000;

export class EgressClient {
  readonly #token: string;
  readonly #link: Link;
  /** Callbacks that are not handed over yet. */
  #callbackBytes = 0;
  /** Whether the last callbacks were not even tried. */
  #hasLost = false;

  constructor({ socketPath, token }: EgressAddress) {
    this.#token = token;
    this.#link = {
      requests: new Pool('http://egress', {
        socketPath,
        connections: UPSTREAM_CALLS_MAX,
        pipelining: 1,
        keepAliveTimeout: PEER_IDLE_MS,
        keepAliveMaxTimeout: PEER_IDLE_MS,
      }),
      shares: new ConnectionShares(UPSTREAM_CALLS_MAX),
      running: new Set(),
    };
  }

  /** Sends it once. @returns Ends it: the sink is not called any more. */
  send(call: UpstreamCall, body: Buffer | undefined, sink: AnswerSink<UpstreamFailure>): () => void {
    const packed = pack(call);
    const forwarding = new Forwarding<UpstreamFailure>(this.#link, call.ownerId, {
      onHead: (head, flow) => sink.onHead(head, flow),
      onData: (chunk) => sink.onData(chunk),
      onEnd: () => sink.onEnd(),
      onCut: () => sink.onCut(),
      onUnanswered(why, reason) {
        // What that process says has a reason; what is said of the connection to it has none.
        if (reason !== undefined) return sink.onUnanswered(why as UpstreamFailure, reason);
        if (why === 'busy') return sink.onUnanswered('busy', 'too many requests to upstreams are under way');
        if (why === 'lost')
          return sink.onUnanswered(
            'lost',
            'the egress process ended: whether the upstream got the request is not known',
          );
        return sink.onUnanswered('egressDown', 'the egress process is starting');
      },
    });
    forwarding.begin({
      method: 'POST',
      path: '/',
      headers: [FORWARDED_HEADER, this.#token],
      // The body may be large, and is in memory already.
      body: body === undefined ? packed : Readable.from([packed, body]),
      headMs: 0,
      silenceMs: 0,
    });
    return () => forwarding.cancel();
  }

  /** That process may be away: what it has not taken is lost, as what it had is. Never throws. */
  callBack(sent: CallbacksSent): void {
    const body = Buffer.from(JSON.stringify(this.#hasLost ? { ...sent, isAfterLoss: true } : sent));
    // Beyond it that process takes nothing any more.
    this.#hasLost = this.#callbackBytes + body.length > CALLBACKS_WAITING_BYTES_MAX;
    if (this.#hasLost) return;
    this.#callbackBytes += body.length;
    const done = (): void => void (this.#callbackBytes -= body.length);
    const headers = [FORWARDED_HEADER, this.#token];
    const outgoing = {
      method: 'POST',
      path: CALLBACKS_PATH,
      headers,
      body,
      headMs: CALLBACK_HAND_OVER_MS,
      silenceMs: 0,
    };
    const noAnswer = (): void => undefined;
    send(this.#link.requests, outgoing, { onHead: noAnswer, onData: noAnswer, onEnd: done, onLost: done });
  }
}
