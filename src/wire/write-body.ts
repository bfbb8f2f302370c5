/**
 * Writes what follows the headers of a reply: its body, or nothing, in the one way that works with uWebSockets.js in
 * each case.
 *
 * Measured: in 20.51 `endWithoutBody` with a length crashes the process when it is called inside the handler, and
 * ignores a requested close; 20.69 fixes this (uws.ts). `end` with a close goes on reading until a large body is sent,
 * and runs the bytes after a chunked request. With a close, uWebSockets.js writes `Connection: close` itself, unless
 * the client has sent it.
 */
import { BACKPRESSURE_BYTES } from '../limits.ts';
import { CLOSES_WITHOUT_BODY, type HttpResponse } from './uws.ts';

/**
 * @param body  For an answer to HEAD its length is enough; -1 where that is not known.
 * @param isBodyless Whether the status never carries a body.
 * @param closes  Whether the connection cannot be used afterwards.
 * @returns false when the body is large: then nothing was written, and `writeLarge` must write it.
 */
export function writeBody(
  res: HttpResponse,
  body: string | Buffer | ArrayBuffer | number,
  isHead: boolean,
  isBodyless: boolean,
  closes: boolean,
): boolean {
  if (isHead || isBodyless) {
    const known = typeof body === 'number' ? body : Buffer.byteLength(body);
    const length = isBodyless ? 0 : Math.max(0, known);
    // With a close, uWebSockets.js writes `Content-Length: 0` itself: the other calls would send two.
    if (closes && length === 0) res.end(undefined, true);
    else if (closes && CLOSES_WITHOUT_BODY) res.endWithoutBody(length, true);
    else if (closes) {
      res.writeHeader('connection', 'close');
      res.tryEnd('', length);
      // After the cork: a close inside it would discard the reply. Replies that close run on a separate turn of the
      // event loop, so nothing comes in between.
      queueMicrotask(() => res.close());
    } else {
      if (!isBodyless && known !== -1) res.writeHeader('content-length', String(length));
      res.endWithoutBody();
    }
    return true;
  }
  if (typeof body === 'number') throw new Error('a length is enough for HEAD alone');
  if ((typeof body === 'string' ? body.length : body.byteLength) >= BACKPRESSURE_BYTES) return false;
  res.end(body, closes);
  return true;
}

/**
 * Sends the head before anything of the body, with the body's length. Where an empty part would end the response (uws.ts), the
 * head is sent with the first part instead.
 */
export function writeHeadAlone(res: HttpResponse, bodyBytes: number): void {
  if (!CLOSES_WITHOUT_BODY) res.tryEnd('', bodyBytes);
}

/**
 * Writes a body as fast as the client reads. Until it is finished, uWebSockets.js closes the connection when another
 * request arrives on it.
 *
 * @param onSent Called when the rest is written; not called when everything was written at once.
 * @returns Whether everything was written at once.
 */
export function writeLarge(res: HttpResponse, body: Buffer, closes: boolean, onSent: () => void): boolean {
  if (closes) res.writeHeader('connection', 'close');
  const start = res.getWriteOffset();
  const write = (from: number): boolean => {
    // A paused connection reads no further request, and is closed when it is idle. A partial write resumes it, so it is
    // paused again.
    if (closes) res.pause();
    const [isSent] = res.tryEnd(body.subarray(from), body.length);
    return isSent;
  };
  if (write(0)) return true;
  res.onWritable((offset) => {
    const isSent = write(offset - start);
    if (isSent) onSent();
    return isSent;
  });
  return false;
}
