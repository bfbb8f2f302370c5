/** Collects the bodies of requests to mocks, bounded each and in all of one thread. */
import { MOCK_REQUEST_BYTES_MAX, MOCK_REQUESTS_BYTES_MAX } from '../../limits.ts';
import type { Exchange } from './exchange.ts';

export interface CollectedBody {
  /** Undefined when there is none. Only valid during the call that hands them on: `keep` copies. */
  readonly bytes: Buffer | undefined;
  /** Whether more came than was kept. */
  readonly truncated: boolean;
  /** Whether it was waited for and not looked at. */
  readonly isDrained?: true;
}

const DRAINED: CollectedBody = { bytes: undefined, truncated: true, isDrained: true };

export type Collected = CollectedBody | 'tooLarge' | 'tooMany';

export class RequestBodies {
  /** Of bodies that are under way or kept. */
  #bytes = 0;

  /**
   * Calls `done` once, which must not throw, unless the client leaves before. To be called inside the handler, after `exchange.wait()`.
   *
   * A body that comes with its head, the common case, is handed on as uWebSockets.js has it, without a copy.
   */
  collect(exchange: Exchange, done: (body: Collected) => void): void {
    const { contentLength } = exchange.head;
    if (contentLength !== undefined && contentLength > MOCK_REQUEST_BYTES_MAX) return done('tooLarge');
    let isFirst = true;
    let take: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined;
    exchange.res.onData((chunk, isLast) => {
      exchange.isCorked = true;
      if (isFirst && isLast && chunk.byteLength <= MOCK_REQUEST_BYTES_MAX) {
        done({ bytes: Buffer.from(chunk), truncated: false });
      } else {
        isFirst = false;
        take ??= this.#inParts(exchange, done);
        take(chunk, isLast);
      }
      exchange.isCorked = false;
    });
  }

  /**
   * Waits for the end of a body that nobody looks at: a reply before it would cut the upload of a client that closes.
   *
   * Calls `done` as `collect`.
   */
  drain(exchange: Exchange, done: (body: Collected) => void): void {
    let bytes = 0;
    let isOver = false;
    exchange.res.onData((chunk, isLast) => {
      bytes += chunk.byteLength;
      if (isOver || !(isLast || bytes > MOCK_REQUEST_BYTES_MAX)) return;
      isOver = true;
      exchange.isCorked = true;
      done(bytes > MOCK_REQUEST_BYTES_MAX ? 'tooLarge' : DRAINED);
      exchange.isCorked = false;
    });
  }

  /** A body that outlives the call that handed it on, until its exchange is finished. @returns undefined when too many are kept. */
  keep(exchange: Exchange, body: CollectedBody): CollectedBody | undefined {
    const { bytes, truncated } = body;
    if (bytes === undefined) return body;
    const { length } = bytes;
    if (this.#bytes + length > MOCK_REQUESTS_BYTES_MAX) return undefined;
    this.#bytes += length;
    exchange.whenFinished(() => (this.#bytes -= length));
    return { bytes: Buffer.from(bytes), truncated };
  }

  #inParts(exchange: Exchange, done: (body: Collected) => void): (chunk: ArrayBuffer, isLast: boolean) => void {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isOver = false;
    const end = (): void => {
      if (!isOver) this.#bytes -= bytes;
      isOver = true;
    };
    const finish = (body: Collected): void => {
      end();
      exchange.onAborted = undefined;
      done(body);
    };
    exchange.onAborted = end;
    return (chunk, isLast) => {
      if (isOver) return;
      bytes += chunk.byteLength;
      this.#bytes += chunk.byteLength;
      if (bytes > MOCK_REQUEST_BYTES_MAX) return finish('tooLarge');
      if (this.#bytes > MOCK_REQUESTS_BYTES_MAX) return finish('tooMany');
      // The chunk is only valid during this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (isLast) finish({ bytes: Buffer.concat(chunks), truncated: false });
    };
  }
}
