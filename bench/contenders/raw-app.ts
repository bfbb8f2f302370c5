/**
 * The limit: a uWebSockets.js app that does what cannot be left out, and nothing else. Run as a process of its own.
 *
 * A request is answered with bytes that the service once sent. Defensive, it also does the least that a server must do that faces
 * requests it did not write: it reads every header once, and notes when the client is gone. With a store, a POST is
 * read, parsed and written as the service writes it (raw-commits.ts). No key, no check, no log; no list of what an owner has.
 */
import { uWS, type HttpRequest, type HttpResponse } from '../../src/wire/uws.ts';
import type { RulePayload } from '../rules.ts';
import type { SampleReply } from '../sample-reply.ts';
import { RawCommits } from './raw-commits.ts';

export interface RawAppOptions {
  readonly reply: SampleReply;
  readonly defensive?: boolean;
  /** Whether the body is read and parsed before the reply. */
  readonly parse?: boolean;
  /** A data directory of the service that POST writes to. */
  readonly data?: string;
}

const { reply, defensive = false, parse = false, data } = JSON.parse(process.argv[2] as string) as RawAppOptions;
const app = uWS.App();
app.any('/*', (res, req) => {
  if (defensive && countHosts(req) !== 1) {
    res.writeStatus('400 Bad Request').end();
    return;
  }
  const state = { aborted: false };
  // uWebSockets.js demands it of a handler that does not answer at once.
  if (defensive || parse) res.onAborted(() => (state.aborted = true));
  if (parse) readJson(res, () => res.cork(() => state.aborted || answer(res)));
  else answer(res);
});
if (data !== undefined) serveWrites(new RawCommits(data));
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

function readJson(res: HttpResponse, then: (value: unknown) => void): void {
  let received: Buffer | undefined;
  res.onData((chunk, isLast) => {
    // What a chunk holds is gone when this returns.
    const bytes = Buffer.from(chunk);
    if (!isLast) received = Buffer.concat(received === undefined ? [bytes] : [received, bytes]);
    else then(JSON.parse((received === undefined ? bytes : Buffer.concat([received, bytes])).toString('utf8')));
  });
}

/** One call for all headers, as the service does: the limit must not be slowed by more. */
function answer(res: HttpResponse): void {
  if (reply.status !== 200) res.writeStatus(`${reply.status} Not Found`);
  res.writeHeader(reply.headerName, reply.headerValue);
  res.end(reply.body);
}

function serveWrites(commits: RawCommits): void {
  app.post('/*', (res) => {
    let aborted = false;
    res.onAborted(() => {
      aborted = true;
    });
    readJson(res, (payload) => {
      void commits.create(payload as RulePayload).then(() => aborted || res.cork(() => answer(res)));
    });
  });
}
