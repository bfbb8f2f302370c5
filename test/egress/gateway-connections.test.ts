/** What connections of clients may cost before and beside their exchanges: heads, tunnels, handshakes; and what ends with them. */
import { connect, type Socket } from 'node:net';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { newAuthority } from '../../src/ca/authority.ts';
import { Leafs } from '../../src/ca/leafs.ts';
import { AUTHORIZATION, LiveGateway, OTHER_AUTHORIZATION } from '../support/live-gateway.ts';
import { source, stored } from '../support/rules-table.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void;
const real: Answer = (_req, res) => void res.end('real');
let answer = real;
const authority = newAuthority(Date.now());
const leafs = new Leafs(authority);
const gateway = await LiveGateway.start((req, res) => answer(req, res), { leafs });
afterAll(() => gateway.close());
gateway.publish([]);
gateway.publish([], [], 'globex');
beforeEach(() => void (answer = real));

const ask = (path: string, more = '', authorization: string | undefined = AUTHORIZATION) =>
  `GET http://a.test${path} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${authorization}\r\n${more}\r\n`;
const tunnel = (authorization = AUTHORIZATION) =>
  `CONNECT a.test:443 HTTP/1.1\r\nHost: a.test:443\r\nProxy-Authorization: ${authorization}\r\n\r\n`;

interface Client {
  readonly socket: Socket;
  readonly got: () => string;
  readonly isClosed: () => boolean;
}

function open(first: string | Buffer, port = gateway.port): Promise<Client> {
  return new Promise((resolve) => {
    let text = '';
    let isClosed = false;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(first);
      resolve({ socket, got: () => text, isClosed: () => isClosed });
    });
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined).on('end', () => socket.end());
    socket.on('close', () => (isClosed = true));
    onTestFinished(() => void socket.destroy());
  });
}

const countOf = (text: string, part: string): number => text.split(part).length - 1;

test.each(['', 'Proxy-Authorization: Basic eDp5\r\n'])(
  'a connection without a key is refused 16 times: %j',
  async (line) => {
    const head = `GET http://a.test/ HTTP/1.1\r\nHost: a.test\r\n${line}\r\n`;
    const { got, isClosed } = await open(head.repeat(400));
    await expect.poll(isClosed).toBe(true);
    expect(countOf(got(), 'HTTP/1.1 407')).toBeLessThanOrEqual(16);
    expect(got()).toMatch(/HTTP\/1\.1 407[^]*connection: close/i);
  },
);

test('requests in one write are begun 16 at a time, and answered in order, whole', async () => {
  let underWay = 0;
  let most = 0;
  const large = 'x'.repeat(300_000);
  answer = (req, res) => {
    most = Math.max(most, ++underWay);
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () =>
      setTimeout(() => {
        underWay--;
        res.end(`<${req.url}${body}${String(req.headers['x-n'])}>${req.url?.endsWith('0') ? large : ''}`);
      }, Math.random() * 5),
    );
  };
  const paths = Array.from({ length: 120 }, (_, index) => `/p${index}`);
  const heads = paths.map((path, index) =>
    index % 7 === 3
      ? ask(path, `x-n: ${index}\r\nContent-Length: 5\r\n`).replace('GET', 'POST') + 'hello'
      : ask(path, `x-n: ${index}\r\n`),
  );
  const { got } = await open(heads.join(''));
  await expect.poll(() => countOf(got(), 'HTTP/1.1 200'), { timeout: 20_000 }).toBe(paths.length);
  await expect.poll(() => got().endsWith('>')).toBe(true);
  expect([...got().matchAll(/<([^>]*)>/g)].map(([, each]) => each)).toEqual(
    paths.map((path, index) => `${path}${index % 7 === 3 ? 'hello' : ''}${index}`),
  );
  expect(countOf(got(), large)).toBe(12);
  expect(most).toBeLessThanOrEqual(16);
  expect(gateway.inFlight).toBe(0);
});

test('a request for another protocol, and a tunnel, lose nothing that came behind them in one write', async () => {
  answer = (req, res) => void res.end(`<${req.url}>`);
  const upgrading = (path: string) => ask(path, 'Connection: Upgrade\r\nUpgrade: h2c\r\n');
  const { got } = await open(upgrading('/a') + Array.from({ length: 40 }, (_, index) => ask(`/${index}`)).join(''));
  await expect.poll(got).toMatch(/<\/a>[^]*<\/0>[^]*<\/39>$/);
  const inTunnel = Array.from({ length: 40 }, (_, index) => `GET /${index} HTTP/1.1\r\nHost: a.test:443\r\n\r\n`);
  const other = await open(tunnel() + inTunnel.join(''));
  await expect.poll(other.got).toMatch(/Established[^]*<\/0>[^]*<\/39>$/);
});

test.each([
  ['what is no HTTP', 'garbage\r\n\r\n'],
  ['a head that is malformed', 'GET http://a.test/ HTTP/1.1\r\n: x\r\n\r\n'],
])('%s behind a request leaves that its answer', async (_, behind) => {
  answer = (_req, res) => void setTimeout(() => res.end('real'), 50);
  const { got, isClosed } = await open(
    `${ask('/', 'Content-Length: 5\r\n').replace('GET', 'POST')}hello${ask('/')}${behind}`,
  );
  await expect.poll(isClosed).toBe(true);
  expect(got()).toMatch(/^HTTP\/1\.1 200 [^]*real\r?\n?[^]*HTTP\/1\.1 200 [^]*connection: close[^]*real/i);
});

test.each(['HTTP/1.0', 'Connection: close'])('so does another request behind one with %s', async (what) => {
  const head = what === 'HTTP/1.0' ? ask('/').replace('HTTP/1.1', 'HTTP/1.0') : ask('/', 'Connection: close\r\n');
  const { got, isClosed } = await open(head + ask('/2'));
  await expect.poll(isClosed).toBe(true);
  expect(got()).toMatch(/^HTTP\/1\.1 200 [^]*real$/);
});

test.each(['5;a\n', '5\r\nhelloX\r\n', '0x5\r\n', '-1\r\n', '5 \r\n', `${'1'.repeat(17)}\r\n`])(
  'a body that is malformed gets 400: %j',
  async (chunk) => {
    for (const rules of [
      [],
      [stored('Cancel', [source('/', 'Contains', 'Url', { requestPayload: { key: 'a', value: 'b' } })])],
    ]) {
      gateway.publish(rules);
      const head = ask('/p', 'Transfer-Encoding: chunked\r\n').replace('GET', 'POST');
      const { got, isClosed } = await open(ask('/') + head + chunk);
      await expect.poll(isClosed).toBe(true);
      expect(got()).toMatch(/^HTTP\/1\.1 (200|418) [^]*HTTP\/1\.1 400 [^]*"Bad Request"/);
      await expect.poll(() => gateway.inFlight).toBe(0);
    }
    gateway.publish([]);
  },
);

test('a tunnel ends with its client, before its first byte and in its handshake', async () => {
  for (const first of ['', '\u0016\u0003\u0001']) {
    const { socket, got } = await open(tunnel());
    await expect.poll(got).toMatch(/ 200 /);
    socket.write(first);
    await expect.poll(() => gateway.connections).toBe(1);
    socket.end();
    await expect.poll(() => gateway.connections, { timeout: 3_000 }).toBe(0);
  }
});

test('where all connections are taken, tunnels that nobody uses end: of the owner that has most of them', async () => {
  const full = await LiveGateway.start(real, { connectionsMax: 6, leafs });
  onTestFinished(() => full.close());
  full.publish([]);
  full.publish([], [], 'globex');
  const other = await open(ask('/', '', OTHER_AUTHORIZATION), full.port);
  await expect.poll(other.got).toMatch(/real$/);
  const tunnels: Client[] = [];
  for (let count = 0; count < 8; count++) {
    const each = await open(tunnel(), full.port);
    await expect.poll(each.got).toMatch(/ 200 /);
    tunnels.push(each);
  }
  expect([other, ...tunnels].map(({ isClosed }) => isClosed())).toEqual([
    false,
    true,
    true,
    true,
    ...Array(5).fill(false),
  ]);
});

test('certificates of one owner do not end those of others', () => {
  const few = new Leafs(authority, 20);
  const own = few.contextFor('bob.test', 'globex');
  for (let count = 0; count < 30; count++) few.contextFor(`n${count}.test`, 'acme');
  expect(few.count).toBe(20);
  expect(few.contextFor('bob.test', 'globex')).toBe(own);
});

test('a tunnel has the certificate of its host, whatever name its client gives', async () => {
  const { socket, got } = await open(tunnel());
  await expect.poll(got).toMatch(/ 200 /);
  const before = leafs.count;
  const secured = connectTls({ socket, servername: 'other.test', rejectUnauthorized: false });
  await new Promise((resolve) => secured.once('secureConnect', resolve));
  expect(secured.getPeerCertificate().subjectaltname).toBe('DNS:a.test');
  expect(leafs.count).toBeLessThanOrEqual(before + 1);
});

test('certificates of one owner are made in its turns', async () => {
  const made = vi.spyOn(leafs, 'contextFor');
  onTestFinished(() => made.mockRestore());
  const context = leafs.contextFor('a.test', 'acme');
  made.mockClear();
  made.mockImplementation(() => {
    const until = performance.now() + 20;
    while (performance.now() < until);
    return context;
  });
  const flood = await Promise.all(Array.from({ length: 24 }, () => open(tunnel())));
  const other = await open(tunnel(OTHER_AUTHORIZATION));
  for (const { got } of [...flood, other]) await expect.poll(got).toMatch(/ 200 /);
  for (const { socket } of [...flood, other]) socket.write('\u0016');
  await expect.poll(() => made.mock.calls.length, { timeout: 10_000 }).toBe(25);
  expect(made.mock.calls.slice(0, 16).map(([, ownerId]) => ownerId)).toContain('globex');
});
