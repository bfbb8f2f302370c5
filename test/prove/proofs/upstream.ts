/**
 * Requests to upstreams, while the process that sends them is killed again and again, while an upstream is hostile and one owner asks
 * too much, and to every spelling of an address that may not be reached. Each client gets a whole answer, one that is cut, or a refusal
 * that says why; mocks without an upstream notice nothing; nothing that is refused gets a connection.
 */
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import {
  connect,
  createServer as createSocketServer,
  type AddressInfo,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseReachList, type ReachList } from '../../../src/egress/policy/reach-list.ts';
import { Upstreams } from '../../../src/egress/forward/upstreams.ts';
import { median } from '../../../bench/rounds.ts';
import { askMock } from '../../support/ask-mock.ts';
import { TestServer } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

export const proof: Proof = {
  name: 'upstream',
  promise:
    'Behind an upstream a client gets a whole answer, a cut one or a refusal, whatever ends or attacks; nothing reaches an address that is refused.',
  async run(tally: Tally, effort: Effort) {
    await kills(tally, effort);
    await addresses(tally);
    await hostile(tally, effort);
  },
};

const KILLS: Record<Effort, number> = { full: 40, short: 2 };
const SECONDS: Record<Effort, number> = { full: 60, short: 5 };
const CLIENTS = 8;
const GATEWAY_CLIENTS = 6;
/** An answer is this text as often as its path says. */
const TEXT = '0123456789abcdef'.repeat(64);

type Outcome = 'whole' | 'cut' | 'refused';

interface Reached {
  readonly server: TestServer;
  readonly mock: (settings: object, owner?: string, routes?: readonly object[]) => Promise<string>;
}

async function start(args: readonly string[] = []): Promise<Reached> {
  const server = await TestServer.start(['--workers', '2', '--log-level', 'silent', ...args]);
  const keys = new Map<string, string>();
  return {
    server,
    async mock(settings, owner = 'acme', routes = []) {
      const key = keys.get(owner) ?? (await server.key(owner));
      keys.set(owner, key);
      const body = { name: 'front', start: true, settings, routes };
      const { status, json } = await server.request('POST', '/v1/mocks', { key, body });
      if (status !== 200) throw new Error(JSON.stringify(json));
      return json.data.id;
    },
  };
}

function listening(server: Server | SocketServer, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve) => server.listen(0, host, () => resolve((server.address() as AddressInfo).port)));
}

function egressOf({ pid }: TestServer): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  return children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('/egress.js'));
}

/** With a length or in chunks, at once or in parts. */
async function realService(): Promise<Server & { readonly port: number }> {
  const service = createServer((asked, answer) => {
    const [, count, how] = (asked.url as string).split('/');
    const body = TEXT.repeat(Number(count));
    if (how !== 'parts') return void answer.writeHead(200, { 'content-length': body.length }).end(body);
    answer.write(body.slice(0, body.length / 2));
    return void setTimeout(() => answer.end(body.slice(body.length / 2)), 20);
  });
  return Object.assign(service, { port: await listening(service) });
}

async function kills(tally: Tally, effort: Effort): Promise<void> {
  const service = await realService();
  const { server, mock } = await start(['--gateway-port', '0']);
  const gateway = {
    port: Number(/gateway http:\/\/127\.0\.0\.1:(\d+)/.exec(server.stdout)?.[1]),
    authorization: `Basic ${btoa(`key:${await server.key('acme')}`)}`,
  };
  const proxied = await mock({ proxy: { upstream: `http://127.0.0.1:${service.port}` } });
  const plain = await mock({}, 'acme', [{ method: 'GET', path: '/', responses: [{ body: 'own' }] }]);
  const load = { isOver: false };
  let sent = 0;
  const outcomes: Record<Outcome, number> = { whole: 0, cut: 0, refused: 0 };
  const clients = Array.from({ length: CLIENTS }, async (_each, index) => {
    while (!load.isOver) {
      const count = [1, 40, 800][sent % 3] as number;
      const path = `/${count}/${index % 2 === 0 ? 'whole' : 'parts'}`;
      sent++;
      const [outcome, problem] = await outcomeOf(
        { port: server.mockPort, path, headers: { host: `${proxied}.localhost` } },
        count * TEXT.length,
      );
      outcomes[outcome]++;
      // As Retry-After asks for, if not for so long.
      if (outcome === 'refused') await sleep(20);
      if (problem !== undefined) tally.failed(KILLED, `${path}: ${problem}`);
    }
  });
  const throughGateway: Record<Outcome, number> = { whole: 0, cut: 0, refused: 0 };
  const viaGateway = Array.from({ length: GATEWAY_CLIENTS }, async (_each, index) => {
    for (let turn = 0; !load.isOver; turn++) {
      const count = [1, 40, 800][turn % 3] as number;
      const path = `http://127.0.0.1:${service.port}/${count}/${index % 2 === 0 ? 'whole' : 'parts'}`;
      const headers = { host: `127.0.0.1:${service.port}`, 'proxy-authorization': gateway.authorization };
      const [outcome, problem] = await outcomeOf({ port: gateway.port, path, headers }, count * TEXT.length);
      throughGateway[outcome]++;
      // Nobody listens for a moment, or what was sent is lost with its connection.
      const isEnded = problem === 'socket hang up' || /ECONNRE(?:SET|FUSED)|EPIPE/.test(problem ?? '');
      if (problem !== undefined && !isEnded) tally.failed(KILLED, `gateway, ${path}: ${problem}`);
      if (outcome !== 'whole') await sleep(20);
    }
  });
  const beside = (async () => {
    while (!load.isOver) {
      const { status, text } = await askMock(server.mockPort, '/', { mock: plain });
      tally.check('a mock without an upstream meanwhile', status === 200 && text === 'own', () => `${status} ${text}`);
    }
  })();
  const all = Array.from({ length: KILLS[effort] }, (_each, index) => index);
  for (const each of tally.within(SECONDS[effort], 'kills', all)) {
    // It is away for longer each time.
    const before = outcomes.whole;
    while (outcomes.whole === before) await sleep(20);
    await sleep(((each + Math.random()) / all.length) * 400);
    // The answer that ended the wait may have been on its way before the last kill.
    let pid = egressOf(server);
    for (; pid === undefined; pid = egressOf(server)) await sleep(20);
    process.kill(pid, 'SIGKILL');
    tally.tried(KILLED);
  }
  const last = outcomes.whole;
  while (outcomes.whole === last) await sleep(20);
  load.isOver = true;
  await Promise.all([...clients, ...viaGateway, beside]);
  const { json } = await server.request('GET', `/v1/mocks/${proxied}/counts`, { key: await server.key('acme') });
  tally.check('every request is counted once', json.data.total === sent, () => `${json.data.total} of ${sent}`);
  for (const [outcome, count] of Object.entries(outcomes)) tally.tried(`answers that were ${outcome}`, count);
  for (const [outcome, count] of Object.entries(throughGateway).filter(([, some]) => some > 0))
    tally.tried(`answers through the gateway that were ${outcome}`, count);
  tally.check('the gateway answers under kills', throughGateway.whole > 0, () => JSON.stringify(throughGateway));
  tally.check('answers come again after the last kill', outcomes.whole > 0, () => JSON.stringify(outcomes));
  await server.end();
  service.closeAllConnections();
  service.close();
}

const KILLED = 'kill -9 of the process that reaches upstreams';

/** @returns What a client got, and what is wrong with it. */
function outcomeOf(
  asked: { readonly port: number; readonly path: string; readonly headers: Readonly<Record<string, string>> },
  length: number,
): Promise<[Outcome, string?]> {
  return new Promise((resolve) => {
    const sent = request({ host: '127.0.0.1', ...asked }, (reply) => {
      const kind = reply.headers['x-switchyard-error'];
      let text = '';
      reply.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      reply.on('end', () => {
        if (kind !== undefined) {
          const isKnown = ['502 lost', '503 egressDown'].includes(`${reply.statusCode} ${String(kind)}`);
          return resolve(isKnown ? ['refused'] : ['refused', `${reply.statusCode} ${String(kind)}: ${text}`]);
        }
        const isWhole = reply.statusCode === 200 && text === TEXT.repeat(length / TEXT.length);
        return resolve(isWhole ? ['whole'] : ['whole', `${reply.statusCode}, ${text.length} of ${length} bytes`]);
      });
      reply.on('error', () =>
        resolve(TEXT.repeat(length / TEXT.length).startsWith(text) ? ['cut'] : ['cut', 'others']),
      );
    });
    // Before a head: the connection was closed without a word.
    sent.on('error', (error) => resolve(['cut', error.message]));
    sent.end();
  });
}

/** Where this machine, or another that is refused, may hide. */
const SPELLINGS = [
  '127.0.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '017700000001',
  '127.1',
  '127.0.1',
  '0177.0.0.1',
  '127.0.0.1.',
  '0',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fd00:ec2::254]',
  '10.0.0.1',
  '192.168.1.1',
  '172.16.0.1',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '[::ffff:a9fe:a9fe]',
  '168.63.129.16',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'localhost.',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '127。0。0。1',
];

async function addresses(tally: Tally): Promise<void> {
  let connections = 0;
  const target = createSocketServer((socket) => {
    connections++;
    socket.destroy();
  });
  const port = await listening(target, '0.0.0.0');
  const { server, mock } = await start(['--host', '0.0.0.0']);
  for (const host of SPELLINGS) {
    const upstream = `http://${host}:${port}`;
    const made = await mock({ proxy: { upstream, timeoutMs: 2_000 } }).catch((error: unknown) => String(error));
    // Refused when it is written, or when it is asked for.
    const isRefused = made.includes('/settings/proxy/upstream');
    const kind = isRefused ? '' : (await askMock(server.mockPort, '/', { mock: made })).headers['x-switchyard-error'];
    tally.check(
      'a mock whose upstream is an address that is refused',
      isRefused || kind === 'addressRefused' || kind === 'unreachable',
      () => `${upstream}: ${String(kind)}`,
    );
  }
  await server.end();

  // A name that means another address the next time; one of two that are allowed; a redirect.
  const asked: string[] = [];
  const allowed = createServer((_asked, answer) =>
    answer.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
  );
  const allowedPort = await listening(allowed, '127.0.0.2');
  let answers: string[] = [];
  const upstreams = new Upstreams({
    policy: { allow: parseReachList('127.0.0.2') as ReachList, deny: [], allowsLoopback: false, ownPorts: [] },
    instance: 'proof',
    ca: [],
    insecure: [],
    lookup: (host, _options, done) => {
      asked.push(host);
      done(
        null,
        answers.splice(0, 1).map((address) => ({ address, family: 4 })),
      );
    },
  });
  const ask = (host: string, at: number): Promise<string> =>
    new Promise((resolve) => {
      const call = {
        ownerId: 'acme',
        upstream: `http://${host}:${at}`,
        client: '',
        method: 'GET',
        path: '/',
        query: '',
      };
      const settings = {
        timeoutMs: 2_000,
        host: '',
        keepsHost: false,
        scheme: 'http',
        rewrites: true,
        root: '',
      } as const;
      const edits = { headers: ['connection', 'close'], bodyBytes: 0, requestHeaders: [], responseHeaders: [] };
      upstreams.forward({ ...call, ...settings, ...edits }, Buffer.alloc(0), {
        onHead: ({ status }) => resolve(String(status)),
        onData: () => undefined,
        onEnd: () => undefined,
        onCut: () => undefined,
        onFailure: (kind) => resolve(kind),
      });
    });
  for (const [name, at, said, expected] of [
    ['rebound.example', allowedPort, ['127.0.0.2'], '302'],
    ['rebound.example', port, ['127.0.0.1'], 'addressRefused'],
    ['other.example', port, ['169.254.169.254'], 'addressRefused'],
  ] as const) {
    answers = [...said];
    const got = await ask(name, at);
    tally.check(
      'a name that means a refused address the next time, and a redirect',
      got === expected,
      () => `${name}: ${got}`,
    );
  }
  await upstreams.close();
  tally.check('connections to what is refused', connections === 0, () => `${connections}`);
  target.close();
  allowed.closeAllConnections();
  allowed.close();
}

const HOSTILE: readonly ((socket: Socket) => void)[] = [
  (socket) => repeat(socket, `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(1_000)}`, 50),
  (socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 20),
  (socket) => repeat(socket, 'H', 50),
  (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000000000\r\n\r\n');
    repeat(socket, 'x'.repeat(65_536), 20);
  },
  (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: a\r\nconnection: upgrade\r\n\r\n'),
  () => undefined,
];

function repeat(socket: Socket, text: string, everyMs: number): void {
  const timer = setInterval(
    () => (socket.writable && socket.writableLength < 1_000_000 ? socket.write(text) : undefined),
    everyMs,
  );
  socket.on('close', () => clearInterval(timer));
}

const ASKED: Record<Effort, number> = { full: 60, short: 20 };
/** How many connections of one owner that wait for an upstream that answers nothing. */
const FLOOD: Record<Effort, number> = { full: 1_800, short: 300 };
const RSS_MAX = 400e6;

async function hostile(tally: Tally, effort: Effort): Promise<void> {
  let next = 0;
  const attacker = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => (HOSTILE[next++ % HOSTILE.length] as (socket: Socket) => void)(socket));
  });
  const attackerPort = await listening(attacker);
  const service = await realService();
  const { server, mock } = await start();
  const attacked = await mock({ proxy: { upstream: `http://127.0.0.1:${attackerPort}`, timeoutMs: 5_000 } }, 'loud');
  const quiet = await mock({ proxy: { upstream: `http://127.0.0.1:${service.port}` } }, 'quiet');
  const times = async (): Promise<number> => {
    const all: number[] = [];
    for (let count = 0; count < ASKED[effort]; count++) {
      const began = performance.now();
      const { text } = await askMock(server.mockPort, '/1/whole', { mock: quiet });
      all.push(performance.now() - began);
      tally.check('a request of another owner meanwhile', text === TEXT, () => text.slice(0, 200));
    }
    return median(all);
  };
  await times();
  const before = await times();
  // Clients that read nothing.
  const clients = Array.from({ length: FLOOD[effort] }, () => {
    const socket = connect(server.mockPort, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET /x HTTP/1.1\r\nHost: ${attacked}.localhost\r\n\r\n`);
    return socket.pause();
  });
  await sleep(500);
  const during = await times();
  const limit = 2 * before + 20;
  tally.check(
    'another owner waits at most twice as long and 20 ms',
    during <= limit,
    () => `${during} ms after ${before}`,
  );
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${egressOf(server)}/status`, 'utf8'))?.[1]) * 1_024;
  tally.check('memory stays bounded beside endless answers', rss < RSS_MAX, () => `${rss} bytes`);
  for (const client of clients) client.destroy();
  await server.end();
  attacker.close();
  service.closeAllConnections();
  service.close();
}
