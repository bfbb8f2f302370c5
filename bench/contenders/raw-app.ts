/**
 * The limit of a mock: a uWebSockets.js app of one thread that answers with the same bytes, and does only what these need. Run as
 * a process of its own.
 *
 * No address, no route table, no counters, no record of traffic. Guarded, it does the least that a server must that faces
 * requests it did not write: it looks at every header once, and knows when the client is gone.
 */
import * as uWS from 'uWebSockets.js';
import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { SampleReply } from '../sample-reply.ts';

export interface RawAppOptions {
  readonly guarded: boolean;
  /** Whether the body is read and parsed before the reply. */
  readonly parse: boolean;
  readonly reply: SampleReply;
}

const { guarded, parse, reply } = JSON.parse(process.argv[2] as string) as RawAppOptions;
const app = uWS.App();
app.any('/*', (res, req) => {
  let aborted = false;
  if (guarded) {
    if (countHosts(req) !== 1) {
      res.writeStatus('400 Bad Request').end();
      return;
    }
    res.onAborted(() => {
      aborted = true;
    });
  }
  if (parse) afterBody(res, () => aborted || answer(res));
  else answer(res);
});
app.listen('127.0.0.1', 0, (socket) => {
  if (!socket) throw new Error('no port to listen on');
  process.send?.(uWS.us_socket_local_port(socket));
});
process.on('disconnect', () => process.exit());

function countHosts(req: HttpRequest): number {
  let count = 0;
  req.forEach((name) => {
    if (name === 'host') count++;
  });
  return count;
}

function afterBody(res: HttpResponse, then: () => void): void {
  let received: Buffer | undefined;
  // uWebSockets.js demands it of a handler that does not answer at once.
  if (!guarded) res.onAborted(() => undefined);
  res.onData((chunk, isLast) => {
    // What a chunk holds is gone when this returns: only the last one may be read in place.
    if (!isLast)
      received = Buffer.concat(received === undefined ? [Buffer.from(chunk)] : [received, Buffer.from(chunk)]);
    else {
      const whole = received === undefined ? Buffer.from(chunk) : Buffer.concat([received, Buffer.from(chunk)]);
      JSON.parse(whole.toString('utf8'));
      res.cork(then);
    }
  });
}

/** One call for all headers, as the service does. */
function answer(res: HttpResponse): void {
  if (reply.status !== 200) res.writeStatus(`${reply.status} Not Found`);
  res.writeHeader(reply.headerName, reply.headerValue);
  res.end(reply.body);
}
