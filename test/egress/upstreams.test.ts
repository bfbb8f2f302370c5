/** Calls to upstreams as the egress process sends them: connections of owners, repeated requests, bounds. */
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { Upstreams } from '../../src/egress/forward/upstreams.ts';
import type { UpstreamCall } from '../../src/forward/upstream-call.ts';
import { UPSTREAM_CONNECTIONS_MAX, UPSTREAM_ORIGINS_MAX } from '../../src/limits.ts';
import { upstreamCall } from '../support/upstream-call.ts';

const upstreams = new Upstreams({
  policy: { allow: [], deny: [], allowsLoopback: true, ownPorts: [] },
  instance: 'test',
  ca: [],
  insecure: [],
  silenceMs: 300,
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

const NONE = Buffer.alloc(0);
const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

test('owners never share a connection, and one owner keeps its own', async () => {
  let connections = 0;
  const port = await listen((socket) => {
    connections++;
    socket.on('data', () => socket.write(OK));
  });
  for (const ownerId of ['acme', 'acme', 'other', 'acme', 'other']) {
    expect(await ask(upstreamCall(`http://127.0.0.1:${port}`, { ownerId }))).toBe('200 ok');
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
  expect(await ask(upstreamCall(upstream))).toBe('200 ok');
  expect(await ask(upstreamCall(upstream))).toBe('200 ok');
  expect(requests).toBe(3);
  expect(await ask(upstreamCall(upstream, { method: 'POST' }), Buffer.from('once'))).toBe('lost');
  expect(requests).toBe(4);
});

// reaches UPSTREAM_ORIGINS_MAX
test('an owner has connections to so many origins at once; one that is idle leaves for another', async () => {
  const waiting: Socket[] = [];
  const port = await listen((socket) => socket.on('data', () => void waiting.push(socket)));
  const asked = Array.from({ length: UPSTREAM_ORIGINS_MAX }, (_, index) =>
    ask(upstreamCall(`http://127.0.1.${index + 1}:${port}`, { ownerId: 'many' })),
  );
  await expect.poll(() => waiting.length).toBe(UPSTREAM_ORIGINS_MAX);
  const further = () => ask(upstreamCall(`http://127.0.2.1:${port}`, { ownerId: 'many' }));
  expect(await further()).toBe('busy');
  const reasons: string[] = [];
  upstreams.forward(upstreamCall(`http://127.0.2.1:${port}`, { ownerId: 'many' }), Buffer.alloc(0), {
    onHead: () => undefined,
    onData: () => undefined,
    onEnd: () => undefined,
    onCut: () => undefined,
    onFailure: (_kind, reason) => reasons.push(reason),
  });
  expect(reasons).toEqual([
    expect.stringContaining(`an owner may have requests to at most ${UPSTREAM_ORIGINS_MAX} origins in flight`),
  ]);
  const [first, ...others] = waiting;
  const gone = new Promise((resolve) => first?.once('close', resolve));
  // It is kept, for the next request to its origin.
  first?.write(OK);
  await Promise.race(asked);
  const late = further();
  await expect.poll(() => waiting.length).toBe(UPSTREAM_ORIGINS_MAX + 1);
  await gone;
  for (const socket of [...others, waiting.at(-1)]) socket?.end(OK);
  expect(new Set(await Promise.all([late, ...asked]))).toEqual(new Set(['200 ok']));
});

// reaches UPSTREAM_CONNECTIONS_MAX
test('calls that are given up while they wait for a connection are so many at most', async () => {
  const waiting: Socket[] = [];
  const port = await listen((socket) => socket.on('data', () => void waiting.push(socket)));
  const upstream = `http://127.0.0.1:${port}`;
  const held = Array.from({ length: UPSTREAM_CONNECTIONS_MAX }, () => ask(upstreamCall(upstream, { ownerId: 'slow' })));
  await expect.poll(() => waiting.length).toBe(UPSTREAM_CONNECTIONS_MAX);
  const given = () =>
    ask(upstreamCall(upstream, { ownerId: 'slow', timeoutMs: 1, method: 'POST' }), Buffer.from('kept'));
  for (let at = 0; at < UPSTREAM_CONNECTIONS_MAX; at++) expect(await given()).toBe('timeout');
  expect(await given()).toBe('busy');
  const other = await listen((socket) => socket.on('data', () => socket.write(OK)));
  expect(await ask(upstreamCall(`http://127.0.0.1:${other}`, { ownerId: 'slow' }))).toBe('200 ok');
  for (const socket of waiting) socket.end('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok');
  expect(new Set(await Promise.all(held))).toEqual(new Set(['200 ok']));
  await expect.poll(given).toBe('timeout');
});

test('a 101 or 100 that nothing asked for is no answer, and the request is not sent again', async () => {
  for (const status of ['101 Switching Protocols', '100 Continue']) {
    let requests = 0;
    const port = await listen((socket) => {
      socket.on('data', () => {
        requests++;
        socket.write(`HTTP/1.1 ${status}\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n`);
      });
    });
    expect(await ask(upstreamCall(`http://127.0.0.1:${port}`))).toBe('invalid');
    expect(requests).toBe(1);
  }
});

test('an answer that stops is cut, but not while its client reads slowly', async () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n';
  const silent = await listen((socket) => socket.on('data', () => socket.write(`${head}ok`)));
  expect(await ask(upstreamCall(`http://127.0.0.1:${silent}`))).toBe('200 okcut');
  const whole = await listen((socket) => socket.on('data', () => socket.write(`${head}okok`)));
  const text = await new Promise<string>((resolve) => {
    let got = '';
    const flow = upstreams.forward(upstreamCall(`http://127.0.0.1:${whole}`), Buffer.alloc(0), {
      onHead() {
        queueMicrotask(() => flow.pause());
        setTimeout(() => flow.resume(), 900);
      },
      onData: (chunk) => (got += chunk.toString()),
      onEnd: () => resolve(got),
      onCut: () => resolve(`${got}cut`),
      onFailure: (kind) => resolve(kind),
    });
  });
  expect(text).toBe('okok');
});

test('an upstream that ends its connection while its answer is paused ends nothing but that, and loses no byte', async () => {
  const HEAD = 'HTTP/1.1 200 OK\r\n';
  const answers = [
    `${HEAD}content-length: 4\r\nconnection: close\r\n\r\nokok`,
    `${HEAD}transfer-encoding: chunked\r\nconnection: close\r\n\r\n4\r\nokok\r\n0\r\n\r\n`,
    `${HEAD}\r\nokok`,
    `${HEAD}content-length: 4\r\n\r\nokok`,
  ];
  const reset = (socket: Socket, text: string) =>
    socket.write(text, () => setTimeout(() => socket.resetAndDestroy(), 20));
  const endings = [
    (socket: Socket, text: string) => socket.end(text),
    // Its end comes while what was read before waits, or by itself.
    (socket: Socket, text: string) => {
      socket.write(text.slice(0, -2));
      setTimeout(() => socket.write(text.slice(-2)), 20);
      setTimeout(() => socket.end(), 40);
    },
    reset,
  ];
  const slowly = (port: number, pausesAt: 'onHead' | 'onData') =>
    new Promise<string>((resolve) => {
      let got = '';
      const pause = (at: 'onHead' | 'onData'): void => {
        if (at !== pausesAt) return;
        flow.pause();
        setTimeout(() => flow.resume(), 80);
      };
      const flow = upstreams.forward(upstreamCall(`http://127.0.0.1:${port}`, { ownerId: `paused ${port}` }), NONE, {
        onHead: () => pause('onHead'),
        onData(chunk) {
          got += chunk.toString();
          pause('onData');
        },
        onEnd: () => resolve(got),
        onCut: () => resolve('cut'),
        onFailure: (kind) => resolve(kind),
      });
    });
  for (const end of endings) {
    for (const text of answers) {
      const port = await listen((socket) => socket.once('data', () => end(socket, text)));
      const asked = Array.from({ length: 10 }, async (_, at) => slowly(port, at % 2 === 0 ? 'onHead' : 'onData'));
      // A reset leaves what was read before.
      for (const [at, got] of (await Promise.all(asked)).entries()) {
        const how = `${text} in the way ${endings.indexOf(end)}, paused in the way ${at % 2}`;
        expect(got, how).toMatch(end === reset ? /^(?:okok|cut)$/ : /^okok$/);
      }
    }
  }
});

test('an answer goes on once whoever resumes it has passed on the bytes it holds, also from within another answer', async () => {
  const port = await listen((socket) => socket.on('data', () => socket.write(OK)));
  const got: string[] = [];
  const call = upstreamCall(`http://127.0.0.1:${port}`);
  const ended: string[] = [];
  const sink = (at: number, onHead: () => void, onData: (text: string) => void) => ({
    onHead,
    onData: (chunk: Buffer) => onData(chunk.toString()),
    onEnd: () => (ended[at] = 'whole'),
    onCut: () => (ended[at] = 'cut'),
    onFailure: (kind: string) => (ended[at] = kind),
  });
  const pauseFirst = (): void => {
    first.pause();
    setTimeout(() => {
      const resumeFirst = (): void => {
        first.resume();
        got.push('held');
      };
      upstreams.forward(
        call,
        NONE,
        sink(1, () => undefined, resumeFirst),
      );
    }, 20);
  };
  const first = upstreams.forward(
    call,
    NONE,
    sink(0, pauseFirst, (text) => void got.push(text)),
  );
  await expect.poll(() => ended).toEqual(['whole', 'whole']);
  expect(got).toEqual(['held', 'ok']);
});

test('dots do not lead out of the base path', async () => {
  const asked: string[] = [];
  const port = await listen((socket) => {
    socket.on('data', (bytes) => {
      asked.push(bytes.toString().split(' ')[1] as string);
      socket.write(OK);
    });
  });
  const upstream = `http://127.0.0.1:${port}/v1`;
  for (const path of [
    '/../admin',
    '/%2e%2e/admin',
    '/a/..%2f..%2fadmin',
    '/..\\admin',
    '/.%2E',
    '/..%5Cadmin',
    '/../v10',
    // Parameters of segments, what is decoded twice, and texts that end at a zero.
    '/a/..;/..;/..;/x',
    '/a/..;x=1/..%3bx/x',
    '/..%00/x',
    '/..%00a',
    '/.%00./x',
    '/%252e%252e/x',
    '/.%252e/x',
    '/%25252e./x',
    '/a%252f..%255c../x',
    // What is one segment to some servers, and two or none to others.
    '/a%2fb/../../x',
    '/a\\b/../../x',
    '/a//../../x',
    '/;a%2fb/../x',
    '/a#/../../x',
  ]) {
    expect(`${path} ${await ask(upstreamCall(upstream, { path }))}`).toBe(`${path} outsideBase`);
  }
  for (const path of ['/a/../b', '/..a', '/a..b', '/x/..', '/a;..;b/..;/.../c', '/a%252eb%00..'])
    expect(await ask(upstreamCall(upstream, { path }))).toBe('200 ok');
  expect(await ask(upstreamCall(`http://127.0.0.1:${port}`, { path: '/../x' }))).toBe('200 ok');
  expect(asked).toHaveLength(7);
  expect(asked.slice(0, 5)).toEqual(['/v1/a/../b', '/v1/..a', '/v1/a..b', '/v1/x/..', '/v1/a;..;b/..;/.../c']);
});

test('what a hostile upstream sends ends within its bounds', async () => {
  const sends = (write: (socket: Socket) => void): Promise<number> =>
    listen((socket) => socket.once('data', () => write(socket)));
  const repeat = (socket: Socket, text: string, everyMs = 0): void => {
    const next = (): void => {
      if (socket.destroyed) return;
      socket.write(text);
      setTimeout(next, everyMs);
    };
    next();
  };
  const ports: [expected: string, port: number][] = [
    ['invalid', await sends((socket) => repeat(socket, `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(10_000)}`))],
    ['timeout', await sends((socket) => repeat(socket, 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 1))],
    [
      'timeout',
      await sends((socket) =>
        'HTTP/1.1 200 OK\r\n'.split('').forEach((each, at) => setTimeout(() => socket.write(each), 100 * at)),
      ),
    ],
    [
      'invalid',
      await sends((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nokk')),
    ],
    ['invalid', await sends((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n'))],
    ['invalid', await sends((socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nok'))],
    ['200 okcut', await sends((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok'))],
  ];
  const answers = await Promise.all(
    ports.map(async ([, port]) => ask(upstreamCall(`http://127.0.0.1:${port}`, { timeoutMs: 600, method: 'POST' }))),
  );
  expect(answers).toEqual(ports.map(([expected]) => expected));
});
