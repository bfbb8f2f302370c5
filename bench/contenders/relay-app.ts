/**
 * The limit of the engine: a relay of node:http and undici that sets one header each way, and does nothing else. In a process of its own.
 *
 * No key, no rules, no log, no deadline; an answer is written as it comes, `write` before `end`.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool, type Dispatcher } from 'undici';

const [name, value] = process.argv.slice(2) as [string, string];
const pools = new Map<string, Pool>();
/** They end at each server on the way. */
const HOP: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-authorization', 'transfer-encoding']);

function poolOf(origin: string): Pool {
  let pool = pools.get(origin);
  if (pool === undefined) pools.set(origin, (pool = new Pool(origin, { connections: 32, pipelining: 1 })));
  return pool;
}

function passedOn(lines: readonly string[]): string[] {
  const kept: string[] = [];
  for (let index = 0; index < lines.length; index += 2) {
    const each = lines[index] as string;
    if (!HOP.has(each.toLowerCase())) kept.push(each, lines[index + 1] as string);
  }
  kept.push(name, value);
  return kept;
}

function relay(req: IncomingMessage, res: ServerResponse): void {
  const { origin, pathname, search } = new URL(req.url as string);
  const method = req.method as Dispatcher.HttpMethod;
  poolOf(origin).dispatch(
    { method, origin, path: pathname + search, headers: passedOn(req.rawHeaders) },
    {
      onRequestStart: () => undefined,
      onResponseStart(controller, status, _headers, reason) {
        const raw = controller.rawHeaders as Buffer[];
        res.sendDate = false;
        res.writeHead(status, reason ?? '', passedOn(raw.map((each) => each.toString('latin1'))));
      },
      onResponseData: (_controller, chunk) => void res.write(chunk),
      onResponseEnd: () => void res.end(),
      onResponseError: () => void res.destroy(),
    },
  );
}

const server = createServer({ noDelay: true }, relay);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
