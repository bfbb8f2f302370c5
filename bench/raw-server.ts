/**
 * The limit: a uWebSockets.js app that does what cannot be left out, and nothing else. Run as a process of its own.
 *
 * A GET is answered with bytes that the service once sent. A POST or PUT is read, parsed, written as the service writes it
 * (raw-commits.ts), and answered the same way. No guard, no key, no check, no log; no list of what an owner has.
 */
import * as uWS from 'uWebSockets.js';
import type { HttpResponse } from 'uWebSockets.js';
import { RawCommits } from './raw-commits.ts';
import type { RulePayload } from './rules.ts';
import type { SampleReply } from './sample-reply.ts';

export interface RawServerOptions {
  readonly reply: SampleReply;
  /** A data directory of the service that POST and PUT write to; without it there is only GET. */
  readonly data?: string;
  /** So many of its owners get what is created, in turn; 1 when absent. */
  readonly ownerCount?: number;
}

const { reply, data, ownerCount = 1 } = JSON.parse(process.argv[2] as string) as RawServerOptions;
const app = uWS.App();
app.get('/*', answer);
if (data !== undefined) serveWrites(new RawCommits(data, ownerCount));
app.listen('127.0.0.1', 0, (socket) => {
  if (!socket) throw new Error('no port to listen on');
  process.send?.(uWS.us_socket_local_port(socket));
});
process.on('disconnect', () => process.exit());

/** One call for all headers, as the service does: the limit must not be slowed by more. */
function answer(res: HttpResponse): void {
  res.writeHeader(reply.headerName, reply.headerValue);
  res.end(reply.body);
}

function serveWrites(commits: RawCommits): void {
  app.post('/*', (res) => write(res, (payload) => commits.create(payload)));
  app.put('/*', (res, req) => {
    const url = req.getUrl();
    const ruleId = url.slice(url.lastIndexOf('/') + 1);
    write(res, (payload) => commits.update(ruleId, payload));
  });
}

function write(res: HttpResponse, commit: (payload: RulePayload) => Promise<unknown>): void {
  let aborted = false;
  res.onAborted(() => {
    aborted = true;
  });
  let received = '';
  res.onData((chunk, isLast) => {
    received += Buffer.from(chunk).toString('latin1');
    if (!isLast) return;
    void commit(JSON.parse(received) as RulePayload).then(() => {
      if (!aborted) res.cork(() => answer(res));
    });
  });
}
