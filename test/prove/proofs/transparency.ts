/**
 * The gateway without rules: what passes is what was sent, each message is framed once, and no client gets the answer of another. nginx
 * and mitmproxy behind it are further readers of what it has sent on.
 */
import { createServer as createHttpServer, request, Agent, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { TestServer } from '../../support/server.ts';
import { EVIL, SMUGGLING_ANSWERS, smugglingRequests } from '../../support/smuggled-messages.ts';
import { FRONT_SERVERS, type FrontServer } from '../oracles/front-servers.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const PIPELINES: Record<Effort, number> = { short: 40, full: 1_000 };
const PIPELINED = 6;
/** After it a connection on which nothing comes is closed. */
const SILENT_MS = 700;
const PATIENCE_MS = 10_000;
const AT_ONCE = 8;

export const proof: Proof = {
  name: 'transparency',
  promise:
    'Without rules the gateway passes messages on as they are; what passes is framed once, and no answer goes to another request.',
  async run(tally: Tally, effort: Effort) {
    const server = await TestServer.start(['--gateway-port', '0', '--log-level', 'silent', '--workers', '1']);
    const key = await server.key('acme');
    const gateway = {
      port: Number(/gateway http:\/\/127\.0\.0\.1:(\d+)/.exec(server.stdout)?.[1]),
      authorization: `Basic ${btoa(`key:${key}`)}`,
    };
    await answers(tally, gateway);
    await hiddenAnswers(tally, gateway);
    await requests(tally, gateway);
    await pipelines(tally, gateway, PIPELINES[effort]);
    await server.end();
  },
};

interface GatewayAt {
  readonly port: number;
  readonly authorization: string;
}

interface Got {
  readonly status: number;
  readonly reason: string;
  readonly lines: readonly string[];
  readonly body: string;
  readonly isWhole: boolean;
}

/** @param port Of the upstream, or of the gateway. @returns Undefined without a head. */
function get(
  port: number,
  path: string,
  { method = 'GET', headers = {}, agent = false }: { method?: string; headers?: object; agent?: Agent | false } = {},
): Promise<Got | undefined> {
  return new Promise((resolve) => {
    const asked = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers }, agent },
      (reply: IncomingMessage) => {
        const chunks: Buffer[] = [];
        reply.on('data', (chunk: Buffer) => chunks.push(chunk));
        reply.on('error', () => undefined);
        reply.on('close', () => {
          const { statusCode: status = 0, statusMessage: reason = '', rawHeaders: lines, complete: isWhole } = reply;
          resolve({ status, reason, lines, body: Buffer.concat(chunks).toString('latin1'), isWhole });
        });
      },
    );
    asked.on('error', () => resolve(undefined));
    asked.end();
  });
}

function viaGateway(gateway: GatewayAt, port: number, path: string, options: { method?: string; agent?: Agent } = {}) {
  const headers = { host: `127.0.0.1:${port}`, 'proxy-authorization': gateway.authorization };
  return get(gateway.port, `http://127.0.0.1:${port}${path}`, { ...options, headers });
}

/** Answers the request for `/n` with the nth of these bytes, and any other with its path. */
async function rawService(texts: readonly string[]) {
  const sockets = new Set<Socket>();
  const service = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    let got = '';
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString('latin1');
      for (let end = got.indexOf('\r\n\r\n'); end !== -1; end = got.indexOf('\r\n\r\n')) {
        const [, , path = ''] = /^(\S+) (\S+)/.exec(got) ?? [];
        got = got.slice(end + 4);
        const text = texts[Number(path.slice(1))];
        const own = `own ${path}`;
        const isToClose = text !== undefined && /connection: close/i.test(text);
        socket.write(Buffer.from(text ?? `HTTP/1.1 200 OK\r\nContent-Length: ${own.length}\r\n\r\n${own}`, 'latin1'));
        if (isToClose) socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  return {
    port: (service.address() as AddressInfo).port,
    end(): void {
      for (const socket of sockets) socket.destroy();
      service.close();
    },
  };
}

const GZIPPED = gzipSync('text '.repeat(50)).toString('latin1');

/** Whole answers, as servers write them. */
const ANSWERS: readonly string[] = [
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nDate: then\r\nServer: x\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 299 Quite So, (really)\r\ncontent-LENGTH: 2\r\n\r\nok',
  'HTTP/1.1 418 Br\xc3\xbch\r\nContent-Length: 1\r\n\r\nx',
  'HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nset-cookie: b=2\r\nSET-COOKIE: c\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX-Bytes: \xe9\xff\x80\r\nX-Empty:\r\nX-Tabs:\ta\tb\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nVia: 1.1 other\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nConnection: X-Hop\r\nX-Hop: gone\r\nX-Stays: 1\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n5;ext=1\r\ndefgh\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${GZIPPED.length}\r\n\r\n${GZIPPED}`,
  `HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 256\r\n\r\n${String.fromCodePoint(...Array.from({ length: 256 }, (_each, byte) => byte))}`,
  'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nuntil the end',
  'HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\nold',
  'HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\n\r\n',
  'HTTP/1.1 304 Not Modified\r\nETag: "a"\r\nContent-Length: 10\r\n\r\n',
  'HTTP/1.1 301 Moved\r\nLocation: /there?a=%20b#c\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="a"\r\nWWW-Authenticate: Digest x\r\nContent-Length: 0\r\n\r\n',
  'HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nlate',
  'HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/9\r\nContent-Length: 2\r\n\r\nok',
  `HTTP/1.1 200 OK\r\n${'X-Many: v\r\n'.repeat(150)}Content-Length: 0\r\n\r\n`,
  `HTTP/1.1 200 OK\r\nX-Long: ${'l'.repeat(8_000)}\r\nContent-Length: 0\r\n\r\n`,
];

const OF_CONNECTION = new Set(['connection', 'keep-alive', 'transfer-encoding', 'x-hop']);

/** What must be equal: all but what belongs to a connection, and what names this server. */
function shown(got: Got | undefined): string {
  if (got === undefined) return 'nothing';
  const lines: string[] = [];
  for (let index = 0; index < got.lines.length; index += 2) {
    const [name = '', value = ''] = got.lines.slice(index, index + 2);
    if (OF_CONNECTION.has(name.toLowerCase())) continue;
    if (name.toLowerCase() !== 'via') lines.push(`${name}: ${value}`);
  }
  return JSON.stringify([got.status, got.reason, lines, got.body, got.isWhole]);
}

async function answers(tally: Tally, gateway: GatewayAt): Promise<void> {
  const service = await rawService(ANSWERS);
  for (const [index, text] of ANSWERS.entries()) {
    for (const method of ['GET', 'HEAD']) {
      // The service answers HEAD as it does GET: bodies would follow.
      if (method === 'HEAD' && (!text.endsWith('\r\n\r\n') || text.includes('chunked'))) continue;
      const direct = shown(await get(service.port, `/${index}`, { method }));
      const passed = shown(await viaGateway(gateway, service.port, `/${index}`, { method }));
      tally.check('an answer is that of a direct request', passed === direct, () => `${passed}, not ${direct}`);
    }
  }
  service.end();
}

async function hiddenAnswers(tally: Tally, gateway: GatewayAt): Promise<void> {
  const service = await rawService(SMUGGLING_ANSWERS.map(({ bytes }) => bytes));
  for (const [index, { what }] of SMUGGLING_ANSWERS.entries()) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await viaGateway(gateway, service.port, `/${index}`, { agent });
    const next = await viaGateway(gateway, service.port, `/next-${index}`, { agent });
    agent.destroy();
    const isOwn = next?.status === 200 && next.body === `own /next-${index}`;
    tally.check('an answer behind which another hides', isOwn, () => `${what}: then ${shown(next)}`);
    const isFramed = first === undefined || !first.isWhole || !first.body.includes(EVIL) || first.status === 502;
    tally.check('a hidden answer is a part of none', isFramed, () => `${what}: ${shown(first)}`);
  }
  service.end();
}

/** Answers each request with its path, which it keeps. */
async function echoService() {
  const seen: string[] = [];
  const service = createHttpServer((asked, reply) => {
    seen.push(asked.url ?? '');
    const text = `own ${asked.url}`;
    const answer = (): void => void reply.writeHead(200, { 'content-length': text.length }).end(text);
    asked.resume().on('error', () => undefined);
    const wait = Number(new URL(asked.url ?? '/', 'http://a').searchParams.get('wait'));
    asked.on('end', () => (wait > 0 ? setTimeout(answer, wait) : answer()));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  return {
    port: (service.address() as AddressInfo).port,
    seen,
    end(): void {
      service.closeAllConnections();
      service.close();
    },
  };
}

/** Sends these bytes over a connection of their own. @returns All that comes until it ends, is all, or stays silent. */
function exchange(port: number, bytes: string, isAll: (got: string) => boolean, silentMs: number): Promise<string> {
  return new Promise((resolve) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    socket.setTimeout(silentMs, () => socket.destroy());
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString('latin1');
      if (isAll(got)) socket.destroy();
    });
    socket.on('error', () => undefined).on('close', () => resolve(got));
  });
}

/** The places that answers say they are of, in their order. */
function answered(got: string): string[] {
  return [...got.matchAll(/own (\/\S*?)(?=HTTP\/1\.1|$)/g)].map(([, path = '']) => path);
}

async function requests(tally: Tally, gateway: GatewayAt): Promise<void> {
  const service = await echoService();
  const fronts: FrontServer[] = [];
  for (const [name, { isInstalled, start }] of Object.entries(FRONT_SERVERS)) {
    if (isInstalled()) fronts.push(await start(service.port));
    else tally.tried(`${name} is not installed, and reads nothing`);
  }
  for (const front of [{ name: 'Node.js', port: service.port }, ...fronts]) {
    const forms = Array.from({ length: smugglingRequests('', '', '').length }, (_each, index) => index);
    service.seen.length = 0;
    for (let first = 0; first < forms.length; first += AT_ONCE) {
      const some = forms.slice(first, first + AT_ONCE);
      await Promise.all(some.map((index) => askHiding(tally, gateway, front, index, service.seen)));
    }
  }
  await Promise.all(fronts.map((front) => front.end()));
  service.end();
}

/** @param seen What the upstream behind the front server was asked for. */
async function askHiding(
  tally: Tally,
  { port, authorization }: GatewayAt,
  front: { readonly name: string; readonly port: number },
  index: number,
  seen: readonly string[],
): Promise<void> {
  const row = `a request behind which another hides, read by ${front.name}`;
  const host = `127.0.0.1:${front.port}`;
  const lines = `Proxy-Authorization: ${authorization}\r\n`;
  const [path, hidden, next] = ['first', 'hidden', 'next'].map((name) => `/${name}-${index}-`) as [
    string,
    string,
    string,
  ];
  const form = smugglingRequests(`http://${host}${path}`, `http://${host}${hidden}`, lines)[index];
  const following = `GET http://${host}${next} HTTP/1.1\r\nHost: ${host}\r\n${lines}\r\n`;
  const got = await exchange(port, `${form?.bytes}${following}`, (text) => text.includes(`own ${next}`), SILENT_MS);
  const bodies = answered(got);
  const asked = seen.filter((each) => each.includes(`-${index}-`));
  const what = (): string => `${form?.what}: ${JSON.stringify({ asked, bodies, head: got.slice(0, 12) })}`;
  const placeOf = (each: string): number => [path, hidden, next].findIndex((known) => each.startsWith(known));
  // Whether the hidden one is a request of its own is for the gateway to say: each is asked once, and answered in that order.
  const isOnce = new Set(asked.map(placeOf)).size === asked.length && !asked.some((each) => placeOf(each) === -1);
  const isInOrder = bodies.every((each, at) => at === 0 || placeOf(bodies[at - 1] as string) < placeOf(each));
  tally.check(row, isOnce && isInOrder && bodies.every((each) => asked.includes(each)), what);
  // What is refused is asked of nobody, and what is in it.
  const isRefused = got.startsWith('HTTP/1.1 400');
  const isAsked = asked.some((each) => placeOf(each) < 2);
  tally.check(`${row}, and which is refused`, !isRefused || !isAsked, what);
}

async function pipelines(tally: Tally, { port, authorization }: GatewayAt, count: number): Promise<void> {
  const service = await echoService();
  const host = `127.0.0.1:${service.port}`;
  const lines = `Host: ${host}\r\nProxy-Authorization: ${authorization}\r\n\r\n`;
  for (let round = 0; round < count; round += AT_ONCE) {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_each, index) => {
        const paths = Array.from(
          { length: PIPELINED },
          (_one, place) => `/${round + index}-${place}?wait=${Math.floor(Math.random() * 20)}`,
        );
        const bytes = paths.map((path) => `GET http://${host}${path} HTTP/1.1\r\n${lines}`);
        const isAll = (got: string): boolean =>
          answered(got).length === PIPELINED && got.endsWith(paths.at(-1) as string);
        const bodies = answered(await exchange(port, bytes.join(''), isAll, PATIENCE_MS));
        const isInOrder = JSON.stringify(bodies) === JSON.stringify(paths);
        tally.check('answers on one connection are in the order of their requests', isInOrder, () => bodies.join(' '));
      }),
    );
  }
  service.end();
}
