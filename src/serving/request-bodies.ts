/** Collects the bodies of requests to mocks, bounded each and in all of one thread. */
import { MOCK_REQUEST_BYTES_MAX, MOCK_REQUESTS_BYTES_MAX } from '../limits.ts';
import type { Exchange } from './exchange.ts';

export interface CollectedBody {
  /** Undefined when there is none. */
  readonly bytes: Buffer | undefined;
  /** Whether more came than was kept. */
  readonly truncated: boolean;
}

export class RequestBodies {
  /** Of bodies under way. */
  #bytes = 0;

  /**
   * Calls `done` once, unless the client leaves before. To be called inside the handler, after `exchange.wait()`.
   *
   * A body that comes with its head is done before this returns: a pipelined request is then answered at once.
   */
  collect(exchange: Exchange, done: (body: CollectedBody | 'tooLarge' | 'tooMany') => void): void {
    const { contentLength } = exchange.head;
    if (contentLength !== undefined && contentLength > MOCK_REQUEST_BYTES_MAX) return done('tooLarge');
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isOver = false;
    const finish = (body: CollectedBody | 'tooLarge' | 'tooMany'): void => {
      isOver = true;
      this.#bytes -= bytes;
      exchange.onAborted = undefined;
      done(body);
    };
    exchange.onAborted = () => {
      if (!isOver) this.#bytes -= bytes;
      isOver = true;
    };
    exchange.res.onData((chunk, isLast) => {
      if (isOver) return;
      bytes += chunk.byteLength;
      this.#bytes += chunk.byteLength;
      if (bytes > MOCK_REQUEST_BYTES_MAX) return finish('tooLarge');
      if (this.#bytes > MOCK_REQUESTS_BYTES_MAX) return finish('tooMany');
      // The chunk is only valid during this call.
      chunks.push(Buffer.from(new Uint8Array(chunk)));
      if (!isLast) return;
      finish({ bytes: chunks.length === 1 ? chunks[0] : Buffer.concat(chunks), truncated: false });
    });
  }
}
