/** Calls to upstreams as the egress process sends them: connections of owners, repeated requests, bounds. */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import type { UpstreamCall } from '../../src/forward/upstream-call.ts';
import { UPSTREAM_CONNECTIONS_MAX, UPSTREAM_ORIGINS_MAX } from '../../src/limits.ts';

const upstreams = new Upstreams({
  policy: { allow: [], deny: [], allowsLoopback: true, ownPorts: [] },
  instance: 'test',
  ca: [],
  insecure: [],
});
const servers: Server[] = [];
afterAll(async () => {
  await upstreams.close();
  for (const server of servers) server.close();
});

async function listen(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  return (server.address() as AddressInfo).port;
}

function callOf(upstream: string, more: Partial<UpstreamCall> = {}): UpstreamCall {
  return {
    ownerId: 'acme',
    upstream,
    client: '127.0.0.1',
    method: 'GET',
    path: '/',
    query: '',
    headers: [],
    bodyBytes: 0,
    timeoutMs: 5_000,
    host: '',
    keepsHost: false,
    scheme: 'http',
    requestHeaders: [],
    responseHeaders: [],
    rewrites: true,
    root: '',
    ...more,
  };
}

/** @returns The status and body, or the kind of failure. */
function ask(call: UpstreamCall, body = Buffer.alloc(0)): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    upstreams.forward(call, body, {
      onHead: ({ status }) => (text += `${status} `),
      onData: (chunk) => (text += chunk.toString()),
      onEnd: () => resolve(text),
      onCut: () => resolve(`${text}cut`),
      onFailure: (kind) => resolve(kind),
    });
  });
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

test('owners never share a connection, and one owner keeps its own', async () => {
  let connections = 0;
  const port = await listen((socket) => {
    connections++;
    socket.on('data', () => socket.write(OK));
  });
  for (const ownerId of ['acme', 'acme', 'other', 'acme', 'other']) {
    expect(await ask(callOf(`http://127.0.0.1:${port}`, { ownerId }))).toBe('200 ok');
    // A connection is free again once its answer has been handled.
    await new Promise(setImmediate);
  }
  expect(connections).toBe(2);
});

test('a kept connection that dies costs a request without a body a repetition, and one with a body its answer', async () => {
  let requests = 0;
  const port = await listen((socket) => {
    socket.on('data', () => (++requests % 2 === 0 ? socket.destroy() : socket.write(OK)));
  });
  const upstream = `http://127.0.0.1:${port}`;
  expect(await ask(callOf(upstream))).toBe('200 ok');
  expect(await ask(callOf(upstream))).toBe('200 ok');
  expect(requests).toBe(3);
  expect(await ask(callOf(upstream, { method: 'POST' }), Buffer.from('once'))).toBe('lost');
  expect(requests).toBe(4);
});

// reaches UPSTREAM_ORIGINS_MAX
test('an owner has connections to so many origins at once', async () => {
  const waiting: Socket[] = [];
  const port = await listen((socket) => socket.on('data', () => void waiting.push(socket)));
  const asked = Array.from({ length: UPSTREAM_ORIGINS_MAX }, (_, index) =>
    ask(callOf(`http://127.0.1.${index + 1}:${port}`, { ownerId: 'many' })),
  );
  await expect.poll(() => waiting.length).toBe(UPSTREAM_ORIGINS_MAX);
  expect(await ask(callOf(`http://127.0.2.1:${port}`, { ownerId: 'many' }))).toBe('busy');
  for (const socket of waiting) socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
  expect(new Set(await Promise.all(asked))).toEqual(new Set(['200 ok']));
});

// reaches UPSTREAM_CONNECTIONS_MAX
test('calls that are given up while they wait for a connection are so many at most', async () => {
  const waiting: Socket[] = [];
  const port = await listen((socket) => socket.on('data', () => void waiting.push(socket)));
  const upstream = `http://127.0.0.1:${port}`;
  const held = Array.from({ length: UPSTREAM_CONNECTIONS_MAX }, () => ask(callOf(upstream, { ownerId: 'slow' })));
  await expect.poll(() => waiting.length).toBe(UPSTREAM_CONNECTIONS_MAX);
  const given = () => ask(callOf(upstream, { ownerId: 'slow', timeoutMs: 1, method: 'POST' }), Buffer.from('kept'));
  for (let at = 0; at < UPSTREAM_CONNECTIONS_MAX; at++) expect(await given()).toBe('timeout');
  expect(await given()).toBe('busy');
  const other = await listen((socket) => socket.on('data', () => socket.write(OK)));
  expect(await ask(callOf(`http://127.0.0.1:${other}`, { ownerId: 'slow' }))).toBe('200 ok');
  for (const socket of waiting) socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
  expect(new Set(await Promise.all(held))).toEqual(new Set(['200 ok']));
  await expect.poll(given).toBe('timeout');
});
