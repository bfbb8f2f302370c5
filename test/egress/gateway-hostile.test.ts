/** Attacks on the gateway's port by clients and upstreams: what they must not be able to hold, to swap, or to break. */
import { connect, createServer as createSocketServer, type AddressInfo, type Socket } from 'node:net';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureContext } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { FairShares } from '../../src/base/fair-shares.ts';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import { openTunnel, splice } from '../../src/egress/listeners/tunnels.ts';
import { RULES_COUNTED_MAX } from '../../src/egress/live-rules/exchange-counts.ts';
import { ExchangeLog } from '../../src/egress/live-rules/exchange-log.ts';
import { RedirectGuard } from '../../src/egress/live-rules/redirect-guard.ts';
import type { ToGateway } from '../../src/egress/process/gateway-messages.ts';
import { GatewayLink } from '../../src/egress/supervisor/gateway-link.ts';
import { AUTHORIZATION, LiveGateway } from '../support/live-gateway.ts';
import { source, stored } from '../support/rules-table.ts';

let answer: (req: IncomingMessage, res: ServerResponse) => void = (_req, res) => void res.end('real');
const gateway = await LiveGateway.start((req, res) => answer(req, res), { tunnelled: ['passed.test'] });
afterAll(() => gateway.close());
gateway.publish([]);

const ask = (path: string) =>
  `GET http://a.test${path} HTTP/1.1\r\nHost: a.test\r\nProxy-Authorization: ${AUTHORIZATION}\r\n\r\n`;

function open(text: string): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port: gateway.port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(text);
      resolve(socket);
    });
    socket.on('error', () => undefined);
  });
}

test('requests behind one that is not answered end with their connection', async () => {
  let asked = 0;
  answer = () => asked++;
  const socket = await open(ask('/1') + ask('/2') + ask('/3'));
  await vi.waitFor(() => expect(asked).toBe(3), { timeout: 10_000 });
  expect(gateway.inFlight).toBe(3);
  socket.destroy();
  await vi.waitFor(() => expect(gateway.inFlight).toBe(0), { timeout: 10_000 });
});

test('a refused tunnel leaves no connection', async () => {
  const socket = await open('CONNECT a.test:443 HTTP/1.1\r\n\r\nsomething');
  await new Promise((resolve) => socket.once('data', resolve));
  socket.end();
  await vi.waitFor(() => expect(gateway.connections).toBe(0), { timeout: 4_000 });
  const kept = await open('CONNECT a.test:443 HTTP/1.1\r\n\r\n');
  await new Promise((resolve) => kept.once('data', resolve));
  await vi.waitFor(() => expect(gateway.connections).toBe(0), { timeout: 4_000 });
  kept.destroy();
});

test('an answer whose head cannot be sent is a failure', async () => {
  answer = (_req, res) => void res.socket?.end('HTTP/1.1 200 a\u0001b\r\nContent-Length: 2\r\n\r\nok');
  const { status, headers } = await gateway.ask('http://a.test/');
  expect([status, new Map(headers).get('x-switchyard-error')]).toEqual([502, 'invalid']);
  expect(gateway.log.page('acme', { limit: 1 }).records[0]).toMatchObject({ outcome: 'failed', problem: 'invalid' });
});

const PAYLOAD = stored('Cancel', [source('/p', 'Contains', 'Url', { requestPayload: { key: 'op', value: 'pay' } })]);
const newest = () => gateway.log.page('acme', { limit: 1 }).records[0];

test('decoded bodies count for those that one owner may hold', async () => {
  gateway.publish([PAYLOAD]);
  const waiting: ServerResponse[] = [];
  answer = (_req, res) => void waiting.push(res);
  const bomb = gzipSync(Buffer.alloc(9_000_000, ' '));
  const post = (body: Buffer | string, coding: string) =>
    gateway.ask('http://a.test/p', { method: 'POST', body, headers: ['Content-Encoding', coding] });
  const asked = [];
  for (let count = 1; count <= 4; count++) {
    asked.push(post(bomb, 'gzip'));
    await vi.waitFor(() => expect(waiting).toHaveLength(count), 10_000);
  }
  for (const res of waiting) res.end('real');
  await Promise.all(asked);
  expect(newest()?.skipped).toMatchObject([{ reason: 'bodyTooLarge' }]);
  answer = (_req, res) => void res.end('real');
  // All of it was given back.
  await post(bomb, 'gzip');
  expect(newest()?.skipped).toEqual([]);
  expect((await post('{"op":"pay"}', 'constructor')).status).toBe(418);
});

test('rules that acted or were skipped, and what upstreams say, count for what is kept', () => {
  const record = { ...(newest() as NonNullable<ReturnType<typeof newest>>), ruleIds: [] };
  const skipped = Array.from({ length: 3_000 }, () => ({ ruleId: 'r', reason: 'bodyTooLarge' }));
  const steps = Array.from({ length: 3_000 }, () => ({
    ruleId: 'r',
    name: 'n',
    phase: 'url' as const,
    pairId: 'i',
    changed: [],
  }));
  // A certificate may have names without end, and a status a long text.
  const said = 'x'.repeat(100_000);
  for (const many of [{ skipped }, { steps }, { reason: said }, { statusText: said }]) {
    const log = new ExchangeLog(1_000_000);
    for (let count = 0; count < 10; count++) log.add('acme', { ...record, ...many });
    expect(log.page('acme', { limit: 10 }).records.length).toBeLessThan(3);
  }
});

test('rules are counted one by one up to a bound, though sessions name ever more of them', () => {
  const log = new ExchangeLog(1_000_000);
  const record = newest() as NonNullable<ReturnType<typeof newest>>;
  for (let session = 0; session < 3; session++) {
    const ruleIds = Array.from({ length: RULES_COUNTED_MAX / 2 }, (_, index) => `r${session}-${index}`);
    log.add('acme', { ...record, ruleIds });
  }
  log.add('acme', { ...record, ruleIds: ['r0-0'] });
  const { rules, ruleHits } = log.counts('acme');
  expect([Object.keys(rules).length, rules['r0-0'], ruleHits]).toEqual([
    RULES_COUNTED_MAX,
    2,
    RULES_COUNTED_MAX * 1.5 + 1,
  ]);
});

test('redirects of one owner do not end those that a client of another one follows', () => {
  const guard = new RedirectGuard();
  const long = `http://a.test/${'x'.repeat(3_000)}`;
  guard.note('acme', 'c', long);
  for (let count = 0; count < 10_001; count++) guard.note('globex', 'c', `http://a.test/${count}`);
  expect(guard.follows('globex', 'c', 'http://a.test/0')).toBe(false);
  expect(guard.follows('globex', 'c', 'http://a.test/10000')).toBe(true);
  expect([guard.follows('acme', 'c', `${long}y`), guard.follows('acme', 'c', long)]).toEqual([false, true]);
  expect(guard.follows('acme', 'c', long)).toBe(false);
});

test('a tunnel that is passed on is under way until it ends', async () => {
  const before = gateway.inFlight;
  const socket = await open(`CONNECT passed.test:443 HTTP/1.1\r\nProxy-Authorization: ${AUTHORIZATION}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  expect(gateway.inFlight).toBe(before + 1);
  socket.destroy();
  await vi.waitFor(() => expect(gateway.inFlight).toBe(before));
});

test('a tunnel whose client has left, or does not shake hands, holds nothing', async () => {
  const [, left] = await socketPair();
  const [upstream] = await socketPair();
  left.destroy();
  splice(left, Buffer.alloc(0), upstream);
  expect(upstream.destroyed).toBe(true);
  const [, slow] = await socketPair();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const of = {
    ownerId: 'acme',
    host: 'a.test',
    leafs: { contextFor: () => createSecureContext() },
    shares: new FairShares(),
  };
  openTunnel(slow, Buffer.from([0x16]), of, () => undefined);
  vi.advanceTimersByTime(60_001);
  vi.useRealTimers();
  expect(slow.destroyed).toBe(true);
});

test('an owner that asks for many mocks leaves those of others', async () => {
  const mocks = createServer((req, res) => void (req.headers.host === 'other.localhost' && res.end('mocked')));
  await new Promise<void>((resolve) => mocks.listen(0, '127.0.0.1', resolve));
  const { port } = mocks.address() as AddressInfo;
  const upstreams = new Upstreams({
    policy: { allow: [], deny: [], allowsLoopback: false, ownPorts: [port] },
    instance: 'test',
    ca: [],
    insecure: [],
    mocks: { host: '127.0.0.1', port, isTls: false },
  });
  const get = (ownerId: string, host: string): Promise<string> =>
    new Promise((resolve) => {
      const sent = {
        kind: 'gateway',
        ownerId,
        method: 'GET',
        target: new URL(`http://${host}`),
        path: '/',
        headers: ['host', host],
        body: null,
        timeoutMs: 5_000,
        passes: 0,
        isForMock: true,
        answerLines: (lines: readonly string[]) => lines,
      } as const;
      upstreams.send(sent, {
        onHead: ({ status }) => resolve(`${status}`),
        onData: () => undefined,
        onEnd: () => undefined,
        onCut: () => undefined,
        onFailure: resolve,
      });
    });
  for (let count = 0; count < 70; count++) void get('one', `m${count}.localhost`);
  expect(await get('two', 'other.localhost')).toBe('200');
  await upstreams.close();
  mocks.closeAllConnections();
  mocks.close();
});

/** @param isValid Of the key that is known. */
function linkTo(sent: ToGateway[], isValid = true): GatewayLink {
  const link = new GatewayLink(
    (message) => (sent.push(message), true),
    () => undefined,
  );
  link.attach({
    authenticate: () => ({ keyId: 'k', ownerId: 'acme', userId: 'ann' }),
    isValid: () => isValid,
    keysGeneration: () => 0,
    authority: 'there is none',
    storedRules: () => Promise.resolve({ kind: 'stored', version: 1, rules: [], groups: [] }),
  });
  // That there is no authority.
  sent.length = 0;
  onTestFinished(() => (link.reset(), link.stop()));
  return link;
}

test('an owner that the gateway asks for as its last edit is confirmed is sent again', async () => {
  const sent: ToGateway[] = [];
  const link = linkTo(sent);
  const last = async (count: number) => {
    await vi.waitFor(() => expect(sent).toHaveLength(count));
    return (sent.at(-1) as Extract<ToGateway, { kind: 'ask' }>).id;
  };
  const rules = { kind: 'ask', id: 1, name: 'rules', question: { ownerId: 'acme' } } as const;
  link.take(rules, () => undefined);
  link.take({ kind: 'answer', id: await last(1), answer: 'done' }, () => undefined);
  link.take({ kind: 'answer', id: await last(2), answer: 'done' }, () => undefined);
  link.take(rules, () => undefined);
  await last(3);
  expect(sent.at(-1)).toMatchObject({ name: 'put', question: { isFirst: true } });
});

test('a key that was just revoked is refused, though it is still remembered', async () => {
  const question = { kind: 'ask', id: 1, name: 'credential', question: { key: 'x' } } as const;
  const reply = await new Promise((resolve) => linkTo([], false).take(question, resolve));
  expect(reply).toEqual({ kind: 'answer', id: 1, answer: undefined });
});

test('what a process has asked that has ended is not answered to the next one, whose questions have the same numbers', async () => {
  const sent: ToGateway[] = [];
  const link = linkTo(sent);
  let refuse!: (problem: string) => void;
  const made = new Promise<string>((resolve) => (refuse = resolve));
  link.attachSessions({ sessions: () => [], mockWanted: () => made });
  const replies: unknown[] = [];
  const wanted = { ownerId: 'acme', sessionId: 's', mockId: 'm' };
  link.take({ kind: 'ask', id: 1, name: 'mockSession', question: wanted }, (reply) => replies.push(reply));
  link.reset();
  link.onReady();
  refuse('the mock has too many sessions');
  await vi.waitFor(() => expect(replies).toHaveLength(1));
  expect(sent.filter(({ kind }) => kind === 'answer')).toEqual([]);
});

/** Both ends of a connection. */
async function socketPair(): Promise<[Socket, Socket]> {
  const listener = createSocketServer({ allowHalfOpen: true });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const client = connect((listener.address() as AddressInfo).port, '127.0.0.1');
  const server = await new Promise<Socket>((resolve) => listener.once('connection', resolve));
  for (const each of [client, server]) each.on('error', () => undefined).resume();
  listener.close();
  onTestFinished(() => void [client, server].map((each) => each.destroy()));
  return [client, server];
}

test.each([204, 304])('a rule that gives %d a status with a body does not leave the length', async (status) => {
  gateway.publish([stored('Response', [{ ...source('/s'), type: 'static', value: '', statusCode: '200' }])]);
  answer = (_req, res) => void res.socket?.end(`HTTP/1.1 ${status} X\r\nContent-Length: 5\r\n\r\n`);
  const { headers, body } = await gateway.ask('http://a.test/s');
  expect(new Map(headers.map(([name, value]) => [name.toLowerCase(), value])).get('content-length')).toBe('0');
  expect(body.toString()).toBe('');
});

test('answers on one connection come in the order of their requests', async () => {
  gateway.publish([stored('Cancel', [source('/blocked')])]);
  answer = (req, res) => void setTimeout(() => res.end(`<${req.url}>`), Math.random() * 30);
  const paths = Array.from({ length: 30 }, (_, index) => (index % 5 === 3 ? '/blocked' : `/p${index}`));
  const socket = await open(paths.map(ask).join(''));
  let got = '';
  socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
  await vi.waitFor(() => expect(got.match(/HTTP\/1\.1 (?:200|418)/g)).toHaveLength(30));
  await vi.waitFor(() => expect(got).toMatch(/<\/p29>/));
  const order = [...got.matchAll(/HTTP\/1\.1 418|<(\/p\d+)>/g)].map(([, path]) => path ?? '/blocked');
  expect(order).toEqual(paths);
  socket.destroy();
});
