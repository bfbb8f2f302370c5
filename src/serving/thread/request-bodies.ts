/** Collects the bodies of requests to mocks, limited for each body and for all bodies of one thread. */
import { mayTakePiece } from '../../base/small-pieces.ts';
import type { WaitingBytes } from '../../base/waiting-bytes.ts';
import { MOCK_REQUEST_BYTES_MAX } from '../../limits.ts';
import type { Exchange } from './reply/exchange.ts';

export interface CollectedBody {
  /** Undefined when it is absent. Only valid during the callback: `keep` copies. */
  readonly bytes: Buffer | undefined;
  /** The client sent more than is here. */
  readonly truncated: boolean;
  /** The server received and discarded the body. */
  readonly isDrained?: true;
}

/** Stands for the body of a request without one. */
export const NO_BODY: CollectedBody = { bytes: undefined, truncated: false };

/** Stands for a refused body: nothing of it is kept. */
export const CUT_BODY: CollectedBody = { bytes: undefined, truncated: true };

const DRAINED: CollectedBody = { bytes: undefined, truncated: true, isDrained: true };

export type CollectOutcome = CollectedBody | 'tooLarge' | 'tooMany';

export class RequestBodies {
  /** Bodies that are being received or kept. */
  readonly #waiting: WaitingBytes;

  constructor(waiting: WaitingBytes) {
    this.#waiting = waiting;
  }

  /**
   * Calls `done` once, unless the client disconnects before; `done` must not throw. Call it inside the handler, after
   * `exchange.wait()`.
   *
   * A body that arrives with its head, the common case, is passed on in the memory of uWebSockets.js, without a copy.
   *
   * @param bytesMax Infinity for what another node has received: it was bounded there.
   */
  collect(exchange: Exchange, done: (body: CollectOutcome) => void, bytesMax = MOCK_REQUEST_BYTES_MAX): void {
    const { contentLength } = exchange.head;
    if (contentLength !== undefined && contentLength > bytesMax) return done('tooLarge');
    let isFirst = true;
    let take: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;
    exchange.res.onData((chunk, isLast) => {
      exchange.isCorked = true;
      if (isFirst && isLast && chunk.byteLength <= bytesMax) {
        done({ bytes: Buffer.from(chunk), truncated: false });
      } else {
        isFirst = false;
        if (!mayTakePiece(exchange.ownerId)) return exchange.breakOff();
        take ??= this.#inParts(exchange, done, bytesMax);
        take(chunk, isLast);
      }
      exchange.isCorked = false;
    });
  }

  /**
   * Receives and discards a body that is not needed: a reply before its end would cut off the upload of a client that
   * closes.
   *
   * Calls `done` like `collect`.
   */
  drain(exchange: Exchange, done: (body: CollectOutcome) => void): void {
    let bytes = 0;
    let isOver = false;
    exchange.res.onData((chunk, isLast) => {
      if (!isLast && !mayTakePiece(exchange.ownerId)) return exchange.breakOff();
      bytes += chunk.byteLength;
      if (isOver || !(isLast || bytes > MOCK_REQUEST_BYTES_MAX)) return;
      isOver = true;
      exchange.isCorked = true;
      done(bytes > MOCK_REQUEST_BYTES_MAX ? 'tooLarge' : DRAINED);
      exchange.isCorked = false;
    });
  }

  /**
   * Copies a body, so that it stays valid until its exchange is finished.
   * @returns undefined when there is no memory for it: the owner has its part, or all have.
   */
  keep(exchange: Exchange, body: CollectedBody): CollectedBody | undefined {
    const { bytes, truncated } = body;
    if (bytes === undefined) return body;
    const { length } = bytes;
    const { ownerId } = exchange;
    if (!this.#waiting.take(ownerId, length)) return undefined;
    exchange.whenFinished(() => this.#waiting.release(ownerId, length));
    return { bytes: Buffer.from(bytes), truncated };
  }

  #inParts(
    exchange: Exchange,
    done: (body: CollectOutcome) => void,
    bytesMax: number,
  ): (chunk: ArrayBuffer, isLast: boolean) => void {
    const chunks: Buffer[] = [];
    const { ownerId } = exchange;
    let bytes = 0;
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.#waiting.release(ownerId, bytes);
      isOver = true;
    };
    const finish = (body: CollectOutcome): void => {
      end();
      exchange.onAborted = undefined;
      done(body);
    };
    exchange.onAborted = end;
    return (chunk, isLast) => {
      if (isOver) return;
      const { byteLength } = chunk;
      if (bytes + byteLength > bytesMax) return finish('tooLarge');
      if (!this.#waiting.take(ownerId, byteLength)) return finish('tooMany');
      bytes += byteLength;
      // The chunk is only valid during this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (isLast) finish({ bytes: Buffer.concat(chunks), truncated: false });
    };
  }
}
