/** WebSockets through the gateway: their handshakes with rules, and the bytes behind them; docs/gateway.md. */
import { connect, type Socket } from 'node:net';
import { request, type IncomingMessage } from 'node:http';
import { connect as connectTls } from 'node:tls';
import type { Duplex } from 'node:stream';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { readOrMakeAuthority } from '../../src/ca/authority.ts';
import { Leafs } from '../../src/ca/leafs.ts';
import { AUTHORIZATION, LiveGateway } from '../support/live-gateway.ts';
import { ANY, source, stored } from '../support/rules-table.ts';
import { temporaryDirectory } from '../support/server.ts';

const authority = readOrMakeAuthority(temporaryDirectory(), Date.now());
const gateway = await LiveGateway.start((_req, res) => void res.writeHead(403, { 'x-a': '1' }).end('no'), {
  leafs: new Leafs(authority),
});
afterAll(() => gateway.close());

const echo = new WebSocketServer({ noServer: true });
echo.on('connection', (socket) => socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary })));
afterAll(() => echo.close());

type Upgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
const answering: Upgrade = (req, socket, head) =>
  echo.handleUpgrade(req, socket, head, (socketOpened) => echo.emit('connection', socketOpened, req));
let onUpgrade: Upgrade = answering;
let lines: readonly string[] = [];
let path = '';
gateway.upstream.on('upgrade', (req, socket, head) => {
  socket.on('error', () => undefined);
  socket.on('end', () => setImmediate(() => socket.end()));
  lines = req.rawHeaders;
  path = req.url ?? '';
  onUpgrade(req, socket, head);
});

beforeEach(() => {
  gateway.publish([]);
  onUpgrade = answering;
});

const newest = () => gateway.log.page('acme', { limit: 1 }).records[0];
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const handshake = (target: string, more = '') =>
  `GET ${target} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${AUTHORIZATION}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n${more}\r\n`;

/** A connection to the gateway that has sent this. */
function open(first: string | Buffer): Promise<{ socket: Socket; got: () => string }> {
  return new Promise((resolve) => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(first);
      resolve({ socket, got: () => text });
    });
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
  });
}

/** A tunnel through the gateway. */
function tunnel(authorityOf: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port: gateway.port,
      method: 'CONNECT',
      path: authorityOf,
      headers: { 'proxy-authorization': AUTHORIZATION },
    });
    sent.on('connect', (_res, socket: Socket) => resolve(socket));
    sent.on('error', reject);
    sent.end();
  });
}

/** Sends a message and takes its echo. */
async function expectEcho(client: WebSocket, message: string | Buffer): Promise<void> {
  const came = new Promise<Buffer>((resolve) => client.once('message', (data) => resolve(data as Buffer)));
  client.send(message);
  expect((await came).equals(Buffer.from(message))).toBe(true);
}

async function opened(client: WebSocket): Promise<WebSocket> {
  onTestFinished(() => client.terminate());
  await new Promise<void>((resolve, reject) => {
    client.once('open', resolve);
    client.once('error', reject);
  });
  return client;
}

test.each([
  ['ws', 'within a tunnel', () => tunnel('a.test:80')],
  [
    'wss',
    'within an intercepted tunnel',
    async () => {
      const socket = connectTls({
        socket: await tunnel('a.test:443'),
        ca: authority.certificate,
        servername: 'a.test',
      });
      await new Promise((resolve) => socket.once('secureConnect', resolve));
      return socket;
    },
  ],
])('%s: %s', async (scheme, _, reach) => {
  gateway.publish([
    stored('Headers', [
      {
        ...source('/chat'),
        modifications: {
          Request: [{ type: 'Add', header: 'X-One', value: 'rule' }],
          Response: [{ type: 'Add', header: 'x-two', value: 'rule' }],
        },
      },
    ]),
    stored('Response', [
      { ...source('/chat'), response: { type: 'static', value: 'not this', serveWithoutRequest: true } },
    ]),
  ]);
  const socket = await reach();
  const client = new WebSocket(`${scheme}://a.test/chat?x=1`, {
    createConnection: () => socket,
    headers: { 'x-switchyard-call': 'gone' },
    perMessageDeflate: false,
  });
  const upgraded = new Promise<Record<string, unknown>>((resolve) =>
    client.once('upgrade', (res) => resolve(res.headers)),
  );
  await opened(client);
  expect(await upgraded).toMatchObject({ 'x-two': 'rule', upgrade: 'websocket' });
  await expectEcho(client, 'hello');
  await expectEcho(client, Buffer.alloc(500_000, 7));
  expect(path).toBe('/chat?x=1');
  expect(lines).toContain('X-One');
  expect(lines.join('\n')).not.toMatch(/x-switchyard|proxy-/i);
  expect(newest()).toMatchObject({
    outcome: 'forward',
    status: 101,
    method: 'GET',
    url: `${scheme.replace('ws', 'http')}://a.test/chat?x=1`,
    ruleIds: [expect.stringContaining('Headers')],
  });
  expect(gateway.inFlight).toBe(1);
  const closed = new Promise((resolve) => client.once('close', resolve));
  client.close(1000, 'bye');
  expect(await closed).toBe(1000);
  await vi.waitFor(() => expect(gateway.inFlight).toBe(0));
});

test('in absolute form, as ws: or http:', async () => {
  for (const target of ['ws://a.test/x', 'http://a.test/x']) {
    const { socket, got } = await open(handshake(target));
    await vi.waitFor(() => expect(got()).toMatch(/^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\n/));
    expect(got()).toMatch(/sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/i);
    expect(newest()).toMatchObject({ status: 101, url: 'http://a.test/x' });
    socket.destroy();
  }
  await vi.waitFor(() => expect(gateway.inFlight).toBe(0));
});

test('rules block, delay and lead elsewhere; an answer other than 101 is one of HTTP, which Response rules replace', async () => {
  gateway.publish([stored('Cancel', [source('/no')])]);
  const blocked = await open(handshake('ws://a.test/no'));
  await vi.waitFor(() => expect(blocked.got()).toMatch(/^HTTP\/1\.1 418 [^]*connection: close/i));
  expect(newest()).toMatchObject({ outcome: 'blocked' });

  gateway.publish([
    stored('Delay', [{ ...source('/from'), delay: 20 }]),
    stored('Redirect', [{ ...source('/from'), destinationType: 'url', destination: 'http://b.test/to' }]),
  ]);
  const moved = await open(handshake('ws://a.test/from'));
  await vi.waitFor(() => expect(moved.got()).toMatch(/^HTTP\/1\.1 101 /));
  expect([path, newest()?.delayMs]).toEqual(['/to', 20]);
  moved.socket.destroy();

  gateway.publish([]);
  onUpgrade = (_req, socket) => socket.end('HTTP/1.1 401 Who\r\ncontent-length: 2\r\nx-a: 1\r\n\r\nno');
  const refused = await open(handshake('ws://a.test/x'));
  await vi.waitFor(() => expect(refused.got()).toMatch(/^HTTP\/1\.1 401 Who\r\n[^]*x-a: 1\r\n[^]*\r\n\r\nno$/));
  gateway.publish([stored('Response', [{ ...ANY, response: { type: 'static', value: 'by a rule' } }])]);
  const replaced = await open(handshake('ws://a.test/x'));
  await vi.waitFor(() => expect(replaced.got()).toMatch(/^HTTP\/1\.1 401 [^]*\r\n\r\nby a rule$/));
  await vi.waitFor(() => expect(gateway.inFlight).toBe(0));
});

test('without a key, with a body, of another version, or of a path alone a handshake is refused', async () => {
  for (const [first, status] of [
    [handshake('ws://a.test/').replace(/Proxy-Authorization.*\r\n/, ''), 407],
    [handshake('ws://a.test/', 'Content-Length: 3\r\n') + 'abc', 400],
    [handshake('ws://a.test/', 'Transfer-Encoding: chunked\r\n') + '0\r\n\r\n', 400],
    [handshake('/'), 400],
    [handshake('ws://b.test/'), 400],
  ] as const) {
    const { socket, got } = await open(first);
    const closed = new Promise((resolve) => socket.once('end', resolve));
    await closed;
    expect(got()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(got().match(/HTTP\/1\.1 /g)).toHaveLength(1);
  }
});

test('another protocol is not asked for: the request is answered as if it had not asked', async () => {
  const { got } = await open(
    handshake('http://a.test/x')
      .replace('websocket', 'h2c')
      .replace('Connection: Upgrade', 'Connection: Upgrade, X-Gone\r\nX-Gone: 1') +
      `GET http://a.test/y HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${AUTHORIZATION}\r\n\r\n`,
  );
  await vi.waitFor(() => expect(got().match(/HTTP\/1\.1 403 /g)).toHaveLength(2));
  expect(newest()?.url).toBe('http://a.test/y');
});

test('a client that asks for another protocol again and again leaves no listeners', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): number => warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const asked = handshake('http://a.test/x').replace('websocket', 'h2c');
  const { socket, got } = await open(asked);
  for (let answers = 1; answers <= 12; answers++) {
    await vi.waitFor(() => expect(got().match(/HTTP\/1\.1 403 /g)).toHaveLength(answers));
    socket.write(asked);
  }
  expect(warnings).toEqual([]);
});

test('what is sent at once behind either head arrives', async () => {
  const much = 'x'.repeat(10_000);
  let received = '';
  onUpgrade = (_req, socket, head) => {
    received = head.toString();
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write(`HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 3\r\n\r\n${much}`);
  };
  const { socket, got } = await open(handshake('ws://a.test/') + much);
  socket.write('more');
  await vi.waitFor(() =>
    expect([received.length, got().replace(/^[^]*?\r\n\r\n/, '').length]).toEqual([10_004, 10_000]),
  );
  expect(got()).not.toMatch(/content-length/i);
});

test('an end of either side is one of the other, and what came before it arrives', async () => {
  const much = Buffer.alloc(2_000_000, 'y');
  let ended = false;
  onUpgrade = (_req, socket) => {
    socket.write('HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.end(much);
    socket.on('close', () => (ended = true));
    socket.resume();
  };
  const { socket, got } = await open(handshake('ws://a.test/'));
  socket.pause();
  await vi.waitFor(() => expect(newest()).toMatchObject({ status: 101 }));
  const done = new Promise((resolve) => socket.once('end', resolve));
  socket.resume();
  await done;
  expect(got().replace(/^[^]*?\r\n\r\n/, '').length).toBe(much.length);
  socket.end();
  await vi.waitFor(() => expect([ended, gateway.inFlight]).toEqual([true, 0]));

  let isGone = false;
  onUpgrade = (_req, upstream) => {
    upstream.write('HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    upstream.on('close', () => (isGone = true));
    upstream.on('end', () => upstream.end('last'));
    upstream.resume();
  };
  const other = await open(handshake('ws://a.test/'));
  await vi.waitFor(() => expect(other.got()).toMatch(/101/));
  other.socket.end();
  await vi.waitFor(() => expect([isGone, gateway.inFlight]).toEqual([true, 0]));
  await vi.waitFor(() => expect(other.got()).toMatch(/last$/));
});

test('an upgrade that never answers ends with its client, also where that only ends its side', async () => {
  for (const leave of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.end()]) {
    let isAsked = false;
    let isGone = false;
    onUpgrade = (_req, socket) => {
      isAsked = true;
      socket.on('end', () => (isGone = true)).resume();
    };
    const { socket } = await open(handshake('ws://a.test/'));
    await vi.waitFor(() => expect(isAsked).toBe(true));
    leave(socket);
    await vi.waitFor(() => expect([isGone, gateway.inFlight]).toEqual([true, 0]));
  }
});

test.each([
  ['a 101 that names no protocol', 'HTTP/1.1 101 Yes\r\n\r\n'],
  ['a 101 of another protocol', 'HTTP/1.1 101 Yes\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n'],
  ['no HTTP', 'nonsense\r\n\r\n'],
])('%s is a failure', async (_, answer) => {
  onUpgrade = (_req, socket) => void socket.write(answer);
  const { got } = await open(handshake('ws://a.test/'));
  await vi.waitFor(() => expect(got()).toMatch(/^HTTP\/1\.1 502 [^]*x-switchyard-error: invalid/));
  expect(newest()).toMatchObject({ outcome: 'failed', problem: 'invalid' });
  await vi.waitFor(() => expect(gateway.inFlight).toBe(0));
});

test('a slow reader holds up the upstream, not the gateway', async () => {
  let written = 0;
  onUpgrade = (_req, socket) => {
    socket.write('HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    const chunk = Buffer.alloc(1_000_000);
    const more = (): void => {
      while (written < 200 && socket.write(chunk)) written++;
      if (written < 200) socket.once('drain', () => (written++, more()));
    };
    more();
  };
  const { socket } = await open(handshake('ws://a.test/'));
  socket.pause();
  await vi.waitFor(() => expect(written).toBeGreaterThan(0));
  let before = -1;
  await vi.waitFor(() => {
    const now = written;
    const isStill = now === before;
    before = now;
    expect(isStill).toBe(true);
  });
  expect(written).toBeLessThan(50);
});

test('a key that is revoked ends them', async () => {
  let isGone = false;
  onUpgrade = (_req, socket) => {
    socket.write('HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    socket.on('end', () => (isGone = true)).resume();
  };
  const { socket, got } = await open(handshake('ws://a.test/'));
  await vi.waitFor(() => expect(got()).toMatch(/101/));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('end', () => socket.end());
  gateway.credentials.end('k');
  await closed;
  await vi.waitFor(() => expect([isGone, gateway.inFlight]).toEqual([true, 0]));
});
