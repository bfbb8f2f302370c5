/** Rendered bodies stay in memory until they are sent, which a delay or a slow client may postpone: their sum is limited. */
import { BACKPRESSURE_BYTES } from '../../../limits.ts';
import type { MockAnswer } from '../../matching/request/mock-request.ts';
import type { Exchange } from './exchange.ts';

export class RenderedBodies {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @returns Whether there is memory for the body, until the exchange is finished. */
  hold(exchange: Exchange, { body, ownsBody }: MockAnswer): boolean {
    const bytes = typeof body === 'string' ? body.length : body.byteLength;
    if (!ownsBody || bytes < BACKPRESSURE_BYTES) return true;
    if (this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    exchange.whenFinished(() => (this.#bytes -= bytes));
    return true;
  }
}
