/**
 * The limit of a mock: a uWebSockets.js app of one thread that answers with the same bytes, and does only what these need. Run as
 * a process of its own.
 *
 * No guard, no address, no route table, no counters, no record of traffic.
 */
import * as uWS from 'uWebSockets.js';
import type { HttpResponse } from 'uWebSockets.js';
import { greetingBody, GREETING_PATH, type Order } from './mock-definitions.ts';
import type { SampleReply } from './sample-reply.ts';

export interface RawMockOptions {
  /** `fixed` writes the reply; `choice` parses the body and chooses among `bodies` by its plan; `greeting` renders. */
  readonly kind: 'fixed' | 'choice' | 'greeting';
  readonly reply: SampleReply;
  /** Bodies by plan, for `choice`. */
  readonly bodies?: Readonly<Record<string, string>>;
}

const { kind, reply, bodies = {} } = JSON.parse(process.argv[2] as string) as RawMockOptions;
const app = uWS.App();
if (kind === 'fixed') app.any('/*', (res) => answer(res, reply.body));
else if (kind === 'greeting') {
  app.get(GREETING_PATH, (res, req) =>
    answer(res, greetingBody(req.getParameter(0) as string, req.getQuery('page') as string)),
  );
} else {
  app.post('/*', (res) => {
    let received = '';
    res.onAborted(() => undefined);
    // These bodies come with their head: the handler still runs, and uWebSockets.js corks by itself.
    res.onData((chunk, isLast) => {
      received += Buffer.from(chunk).toString('utf8');
      if (isLast) answer(res, bodies[(JSON.parse(received) as Order).user.plan] as string);
    });
  });
}
app.listen('127.0.0.1', 0, (socket) => {
  if (!socket) throw new Error('no port to listen on');
  process.send?.(uWS.us_socket_local_port(socket));
});
process.on('disconnect', () => process.exit());

/** One call for all headers, as the service does. */
function answer(res: HttpResponse, body: string): void {
  if (reply.status !== 200) res.writeStatus(`${reply.status} Not Found`);
  res.writeHeader(reply.headerName, reply.headerValue);
  res.end(body);
}
