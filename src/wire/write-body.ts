/**
 * What follows the headers of a reply: its body, or none, in the one form that each case stands with uWebSockets.js.
 *
 * Measured on this build: `endWithoutBody` with a length ends the process when it is called inside the handler, and does not close when
 * it is asked to; `end` with a close goes on reading until a large body is sent, and runs what stands behind a chunked one.
 */
import type { HttpResponse } from 'uWebSockets.js';
import { BACKPRESSURE_BYTES } from '../limits.ts';

/**
 * @param hasNone Whether the status never carries a body.
 * @param closes  Whether the connection cannot be used afterwards.
 * @returns false when the body is large: then nothing was written of it, and `writeLarge` does.
 */
export function writeBody(
  res: HttpResponse,
  body: string | Buffer | ArrayBuffer,
  isHead: boolean,
  hasNone: boolean,
  closes: boolean,
): boolean {
  if (isHead || hasNone) {
    const length = hasNone ? 0 : Buffer.byteLength(body);
    // With a close uWebSockets.js writes a length of its own, of nothing: the other form would send two.
    if (closes && length === 0) res.end(undefined, true);
    else if (closes) {
      res.writeHeader('connection', 'close');
      res.tryEnd('', length);
      // Behind the cork: what is closed inside of it is not sent. A reply that closes is on a turn of its own, so nothing comes between.
      queueMicrotask(() => res.close());
    } else {
      if (!hasNone) res.writeHeader('content-length', String(length));
      res.endWithoutBody();
    }
    return true;
  }
  if ((typeof body === 'string' ? body.length : body.byteLength) >= BACKPRESSURE_BYTES) return false;
  res.end(body, closes);
  return true;
}

/**
 * Writes a body as fast as the client reads. While it is unfinished, uWebSockets.js closes the connection on another request behind it.
 *
 * @param onSent Called when the rest was taken; not when all of it was at once.
 * @returns Whether all of it was taken at once.
 */
export function writeLarge(res: HttpResponse, body: Buffer, closes: boolean, onSent: () => void): boolean {
  if (closes) res.writeHeader('connection', 'close');
  const start = res.getWriteOffset();
  const write = (from: number): boolean => {
    // A paused connection reads nothing more and is closed when it has been idle; a write that is cut short resumes it.
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
