/**
 * Makes pools of undici: the only place that does. Their connections end in order: undici 7 asserts that a connection does not end while
 * its answer is paused, in a listener where nobody catches it, so that any upstream could end the process (nodejs/undici#5360, mended in
 * version 8, which needs Node.js 22). It would also cut complete answers of connections that could have been kept.
 */
import type { Socket } from 'node:net';
import { buildConnector, Pool } from 'undici';

/** @param options `connect` makes the connections, or has the options of undici's own connector. */
export function makePool(origin: string, options: Pool.Options): Pool {
  const { connect } = options;
  const connector = typeof connect === 'function' ? connect : buildConnector(connect ?? {});
  return new Pool(origin, {
    ...options,
    connect: (to, done) =>
      connector(to, (...made) => {
        // Where it fails, the connector of undici gives no second one.
        if (made[0] === null) endInOrder(made[1]);
        done(...made);
      }),
  });
}

/**
 * Reports the end of a connection to who reads up to it, and not before. undici reads until nothing is left, or until the answer is
 * paused: then it reads again to resume.
 */
function endInOrder(socket: Socket): void {
  const read = socket.read.bind(socket);
  const destroy = socket.destroy.bind(socket);
  let hasReadAll = true;
  // With another protocol the connection has another reader.
  const isPaused = (): boolean => !hasReadAll && socket.listenerCount('readable') > 0;
  socket.read = (bytes?: number): unknown => {
    // node:net reads 0 bytes when the end comes, which reports it.
    if (bytes === 0 && isPaused()) return null;
    // Without a number of bytes the end is reported along with the last of them.
    const chunk: unknown = read(bytes ?? (socket.readableLength || undefined));
    if (bytes !== 0) hasReadAll = chunk === null;
    return chunk;
  };
  // undici takes these two for the end of an answer.
  socket.destroy = (error?: Error & { code?: string }) =>
    destroy(
      isPaused() && (error === undefined || error.code === 'ECONNRESET')
        ? new Error('the connection was closed', { cause: error })
        : error,
    );
}
