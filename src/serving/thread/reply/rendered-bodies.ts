/** Rendered bodies stay in memory until they are sent, which a delay or a slow client may postpone: their sum is limited. */
import type { WaitingBytes } from '../../../base/waiting-bytes.ts';
import { BACKPRESSURE_BYTES } from '../../../limits.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';
import type { StreamToSend } from '../../matching/streams/stream-plan.ts';
import type { CollectedBody, RequestBodies } from '../request-bodies.ts';
import type { Exchange } from './exchange.ts';

export class RenderedBodies {
  readonly #waiting: WaitingBytes;
  readonly #requests: RequestBodies;

  constructor(waiting: WaitingBytes, requests: RequestBodies) {
    this.#waiting = waiting;
    this.#requests = requests;
  }

  /**
   * @param asked Of the request: events of a stream that are rendered later may read it.
   * @returns Whether there is memory for the body, until the exchange is finished.
   */
  hold(exchange: Exchange, { body, ownsBody, plan }: MockAnswer, asked: CollectedBody): boolean {
    if (plan?.kind === 'stream') return this.#holdRequest(exchange, plan.stream, asked);
    const bytes = typeof body === 'string' ? body.length : body.byteLength;
    if (!ownsBody || bytes < BACKPRESSURE_BYTES) return true;
    const { ownerId } = exchange;
    if (!this.#waiting.take(ownerId, bytes)) return false;
    exchange.whenFinished(() => this.#waiting.release(ownerId, bytes));
    return true;
  }

  #holdRequest(exchange: Exchange, stream: StreamToSend, asked: CollectedBody): boolean {
    if (stream.requestBody === undefined) return true;
    const kept = this.#requests.keep(exchange, asked);
    if (kept !== undefined) stream.keepBody(kept.bytes);
    return kept !== undefined;
  }
}
