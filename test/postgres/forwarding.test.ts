/**
 * What a node does with requests whose mock has its home at another: they arrive as they were sent and are answered as at
 * the home, owners share the way, and what is lost on it is neither repeated nor called untried. The way can be cut.
 */
import { once } from 'node:events';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { STREAMS_PER_OWNER_MAX } from '../../src/limits.ts';
import { askMock } from '../support/ask-mock.ts';
import { freePort } from '../support/free-port.ts';
import { postTool } from '../support/mcp.ts';
import { newDatabase } from '../support/new-database.ts';
import { endAll } from '../support/process.ts';
import { ask, RawConnection, rawRequest } from '../support/raw-http.ts';
import type { Answer, TestServer } from '../support/server.ts';
import { dataPlanePid } from '../support/vital-signs.ts';
import { startNode } from './support/cluster.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { PostgresServer } from './support/postgres-server.ts';

const LEASE = ['--mock-lease', '30s'];

let postgres: PostgresServer;
let way: CuttingProxy;
let home: TestServer;
let other: TestServer;
let acme: string;
let evil: string;
let quiet: string;

beforeAll(async () => {
  postgres = await PostgresServer.shared();
  const store = await newDatabase(postgres.url());
  const internal = await freePort();
  way = await CuttingProxy.start(internal);
  home = await startNode(store, 'n1', [...LEASE, '--internal-address', `127.0.0.1:${way.port}`], undefined, internal);
  other = await startNode(store, 'n2', [...LEASE, '--wiremock', '0:wired']);
  [acme, evil, quiet] = (await Promise.all(['acme', 'evil', 'quiet'].map((owner) => home.key(owner)))) as [
    string,
    string,
    string,
  ];
});

afterAll(async () => {
  process.kill(home.pid, 'SIGCONT');
  await Promise.all([home.end(), other.end()]);
  await endAll();
  way.close();
});

/** A mock whose home is the first node. */
async function makeMock(routes: object[], key = acme): Promise<string> {
  const made = await home.request('POST', '/v1/mocks', { key, body: { name: 'm', start: true, routes } });
  expect(made.status, JSON.stringify(made.json)).toBe(200);
  const id = made.json.data.id as string;
  // Who is asked first for what only the home knows becomes it.
  await home.request('GET', `/v1/mocks/${id}/counts`, { key });
  return id;
}

test("at WireMock's port of any node, its mock is asked at home, or the one that the host names", async () => {
  const local = await home.key('local');
  const named = await makeMock([{ method: 'GET', path: '/', responses: [{ body: 'named' }] }]);
  await home.request('GET', '/v1/mocks/wired/counts', { key: local });
  const port = Number(/WireMock http:\/\/127\.0\.0\.1:(\d+)/.exec(other.stdout)?.[1]);
  const stub = JSON.stringify({ request: { url: '/a' }, response: { body: 'wired' } });
  const admin = `http://127.0.0.1:${port}/__admin/mappings`;
  expect((await fetch(admin, { method: 'POST', headers: { 'x-api-key': local }, body: stub })).status).toBe(201);
  expect((await askMock(port, '/a')).text).toBe('wired');
  expect((await askMock(port, '/', { headers: { host: `${named}.localhost` } })).text).toBe('named');
});

test('an agent is answered at any node: what its tools ask of the home is asked there', async () => {
  const mock = await makeMock([{ method: 'GET', path: '/users/:id', responses: [{ body: 'Ann' }] }]);
  await askMock(home.mockPort, '/user/7', { mock });
  for (const node of [home, other]) {
    const { isError, text } = await postTool(node, acme, 'traffic_list', { mock, misses: true });
    expect([isError, text]).toEqual([false, expect.stringContaining('nearest is GET /users/:id')]);
    const { text: ended } = await postTool(node, acme, 'mocks_try', {
      mock,
      method: 'GET',
      path: '/users/7',
      body: 'x',
    });
    expect(ended).toContain('"body":"Ann"');
  }
});

test('a WebSocket is opened at the home alone: another node says where that is, and its API answers for it', async () => {
  const id = await makeMock([
    { kind: 'ws', method: 'GET', path: '/ws', responses: [{ templated: true, body: '{{body}}' }] },
    { method: 'GET', path: '/ws', responses: [{ body: 'page' }] },
    { method: 'GET', path: '/page', responses: [{ body: 'page' }] },
  ]);
  const connect = (node: TestServer, path: string): WebSocket => {
    const socket = new WebSocket(`ws://127.0.0.1:${node.mockPort}/__mock/${id}${path}`);
    onTestFinished(() => socket.terminate());
    return socket.on('error', () => undefined);
  };
  const refusal = async (path: string) => {
    const [, answer] = await once(connect(other, path), 'unexpected-response');
    return { status: answer.statusCode as number, body: await textOf(answer) };
  };
  const opened = connect(home, '/ws');
  await once(opened, 'open');
  const misdirected = await refusal('/ws');
  expect(misdirected.status).toBe(421);
  expect(JSON.parse(misdirected.body)).toMatchObject({
    message: 'Misdirected request',
    home: `127.0.0.1:${home.mockPort}`,
  });
  expect(await refusal('/page')).toEqual({ status: 200, body: 'page' });
  const sent = once(opened, 'message');
  const body = { messages: [{ data: 'hi' }] };
  expect((await other.request('POST', `/v1/mocks/${id}/ws/send`, { key: acme, body })).json.data).toEqual({
    delivered: 1,
    sockets: 1,
  });
  expect(String((await sent)[0])).toBe('hi');
  const refused = await other.request('GET', `/v1/mocks/${id}/requests?status=421`, { key: acme });
  expect(refused.json.data).toMatchObject([
    { path: '/ws', problem: expect.stringContaining('on the node that serves its mock') },
  ]);
});

const echo = (method: string) => ({
  method,
  path: '/e',
  responses: [{ templated: true, body: "{{method}}|{{queryParam 'q'}}|{{header 'content-length' 'none'}}|{{body}}" }],
});

async function msOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function medianMs(count: number, work: () => Promise<unknown>): Promise<number> {
  const each: number[] = [];
  for (let turn = 0; turn < count; turn++) each.push(await msOf(work));
  return each.toSorted((one, another) => one - another)[Math.floor(count / 2)] as number;
}

describe('a request is answered by way of another node as at the home:', () => {
  test('with a method that few know, a query of raw bytes, no length or a length of 0, and headers beyond ASCII', async () => {
    const value = { name: 'x-e', value: 'café ✓' };
    const id = await makeMock([
      echo('FOO'),
      echo('POST'),
      { method: 'GET', path: '/h', responses: [{ headers: [value], body: 'h' }] },
    ]);
    const heads = [
      `FOO /__mock/${id}/e?q=1 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `POST /__mock/${id}/e?q=é HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `POST /__mock/${id}/e HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      `POST /__mock/${id}/e HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
      `GET /__mock/${id}/h HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      `HEAD /__mock/${id}/h HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    ];
    for (const head of heads) {
      const answers = await Promise.all([home, other].map(({ mockPort }) => exchanged(mockPort, head)));
      expect(answers[1]).toBe(answers[0]);
      expect(answers[0]).toMatch(/^HTTP\/1\.1 200 /);
    }
  });

  test('a call with a query of raw bytes, a body of another type or too large, and a HEAD of a stream', async () => {
    const id = await makeMock([echo('POST')]);
    const call = (line: string, more = '', body = ''): string =>
      `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${acme}\r\nX-Request-Id: same\r\nConnection: close\r\n${more}\r\n${body}`;
    const verify = `POST /v1/mocks/${id}/verify`;
    const calls = [
      call(`GET /v1/mocks/${id}/requests?q=é`),
      call(verify, 'Content-Type: text/plain\r\nContent-Length: 2\r\n', '{}'),
      call(verify, 'Content-Type: application/json; charset=latin1\r\nContent-Length: 2\r\n', '{}'),
      call(verify, 'Content-Type: application/json\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n', '{}'),
      call(verify, 'Content-Type: application/json\r\nContent-Length: 99999999\r\n'),
      call(verify),
      call(`HEAD /v1/mocks/${id}/requests/stream`),
      call(`HEAD /v1/mocks/${id}/counts`),
    ];
    const statuses: string[] = [];
    for (const each of calls) {
      const answers = await Promise.all([home, other].map(({ port }) => exchanged(port, each)));
      expect(answers[1]).toBe(answers[0]);
      statuses.push((answers[0] as string).slice(9, 12));
    }
    expect(statuses).toEqual(['200', '415', '415', '415', '413', '400', '200', '200']);
  });
});

test('a call whose body in chunks is refused unread is refused as at the home', async () => {
  const id = await makeMock([echo('POST')]);
  const head = `POST /v1/mocks/${id}/verify HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${acme}\r\nContent-Type: text/plain\r\n`;
  const request = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
  const answers = await Promise.all([home, other].map(({ port }) => exchanged(port, request)));
  expect(answers[1]).toBe(answers[0]);
  expect(answers[0]).toMatch(/^HTTP\/1\.1 415 /);
});

test('a reply with headers as large as a mock may have', async () => {
  const headers = Array.from({ length: 8 }, (_each, index) => ({ name: `x-${index}`, value: '✓'.repeat(8_000) }));
  const id = await makeMock([{ method: 'GET', path: '/', responses: [{ headers, body: 'a' }] }]);
  const request = rawRequest(`GET /__mock/${id}/ HTTP/1.1`, ['Host: a']);
  for (const { mockPort } of [home, other]) {
    const reply = await ask(mockPort, request);
    expect([reply.status, reply.json]).toEqual([200, 'a']);
    expect([...reply.headers.values()].filter((value) => value.length === 3 * 8_000)).toHaveLength(8);
  }
});

test('a stream whose client has left before its home was known is not asked for', async () => {
  const key = await home.key('gone');
  const id = await makeMock([echo('GET')], key);
  const streams = `/v1/mocks/${id}/requests/stream`;
  const request = `GET ${streams} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Api-Key: ${key}\r\n\r\n`;
  // One knows the key.
  expect((await other.request('GET', `/v1/mocks/${id}/counts`, { key })).status).toBe(200);
  postgres.pause();
  const clients = await Promise.all(
    Array.from({ length: STREAMS_PER_OWNER_MAX }, () => RawConnection.open(other.port)),
  );
  await Promise.all(clients.map((client) => client.write(request)));
  await sleep(300);
  for (const client of clients) client.drop();
  await sleep(300);
  postgres.resume();
  await sleep(2_000);
  const ending = new AbortController();
  const stream = await fetch(`http://127.0.0.1:${other.port}${streams}`, {
    headers: { 'x-api-key': key },
    signal: ending.signal,
  });
  expect(stream.status).toBe(200);
  ending.abort();
});

describe('what is lost on the way:', () => {
  test('a request on a kept connection is not sent again: it is answered 500, and recorded once', async () => {
    const late = { method: 'POST', path: '/late', responses: [{ latency: 1_000, body: 'late' }] };
    const id = await makeMock([late, { method: 'GET', path: '/', responses: [{ body: 'a' }] }]);
    // A connection of each thread is kept from here on.
    for (let turn = 0; turn < 4; turn++) await askMock(other.mockPort, '/', { mock: id });
    const asked = askMock(other.mockPort, '/late', { mock: id, method: 'POST', body: 'x' });
    await sleep(400);
    way.release();
    const { status, headers } = await asked;
    expect([status, headers['retry-after']]).toEqual([500, undefined]);
    await sleep(1_000);
    const counts = await home.request('GET', `/v1/mocks/${id}/counts`, { key: acme });
    expect(counts.json.data.total).toBe(5);
  });

  test('a call that may have taken effect is answered 500, and one that was not sent 503', async () => {
    const id = await makeMock([echo('GET')]);
    const make = (session: string): Promise<Answer> =>
      other.request('POST', `/v1/mocks/${id}/sessions`, { key: acme, body: { id: session } });
    await make('first');
    // Of the answer, nothing comes.
    way.cutAfter(0);
    const lost = await make('lost');
    expect([lost.status, lost.json.message, lost.headers.get('retry-after')]).toEqual([500, 'server error', null]);
    const found = await home.request('GET', `/v1/mocks/${id}/sessions/lost`, { key: acme });
    expect(found.status).toBe(200);
    way.refuse();
    const unsent = await make('unsent');
    expect([unsent.status, unsent.headers.get('retry-after')]).toEqual([503, '1']);
    way.accept();
    expect((await home.request('GET', `/v1/mocks/${id}/sessions/unsent`, { key: acme })).status).toBe(404);
  });

  test('what the data plane of the home has not read when it ends holds up no request behind it', async () => {
    const id = await makeMock([echo('POST')]);
    const half = Buffer.alloc(1_000_000, 'a');
    const upload = async (delayMs: number): Promise<void> => {
      const connection = await RawConnection.open(other.mockPort);
      await connection.write(
        rawRequest(`POST /__mock/${id}/e HTTP/1.1`, ['Host: a', `Content-Length: ${2 * half.length}`]),
      );
      await connection.write(half);
      await sleep(delayMs);
      await connection.write(half);
      // It is answered, or broken off.
      await connection.until(() => connection.rest.length > 0);
      await connection.close();
    };
    const uploads = Array.from({ length: 60 }, (_each, turn) => upload(5 * turn));
    await sleep(250);
    process.kill(dataPlanePid(home.pid), 'SIGKILL');
    await Promise.all(uploads);
    await expect.poll(async () => (await askMock(other.mockPort, '/e', { mock: id, method: 'POST' })).status).toBe(200);
    // On a busy machine so many bytes at once may have overloaded it, and the next test is not about that.
    const me = async (): Promise<number> => (await home.request('GET', '/v1/me', { key: acme })).status;
    await expect.poll(me, { timeout: 20_000 }).toBe(200);
  });

  // reaches FORWARDED_CALL_MS
  test('a verify waits as long as at the home', async () => {
    const id = await makeMock([echo('GET')]);
    const asked = other.request('POST', `/v1/mocks/${id}/verify`, {
      key: acme,
      body: { match: { path: '/e' }, withinMs: 25_000 },
    });
    await sleep(16_000);
    await askMock(home.mockPort, '/e', { mock: id });
    const { status, json } = await asked;
    expect([status, json.data?.verified]).toEqual([200, true]);
  });

  // reaches FORWARDED_SILENCE_MS
  test('a stream ends when nothing comes from the home for longer than its comments', async () => {
    const id = await makeMock([echo('GET')]);
    const stream = await fetch(`http://127.0.0.1:${other.port}/v1/mocks/${id}/requests/stream`, {
      headers: { 'x-api-key': acme },
    });
    const ended = (async () => {
      for await (const _ of stream.body as ReadableStream<Uint8Array>);
    })();
    await sleep(500);
    process.kill(home.pid, 'SIGSTOP');
    const lasted = await msOf(() => ended);
    process.kill(home.pid, 'SIGCONT');
    expect(lasted).toBeLessThan(15_000);
  });
});

describe('an owner that takes all it can get keeps no other waiting:', () => {
  /** Others may use the machine for a moment; who is kept waiting is so for as long as the owner holds what it has. */
  const HELD_MS = 8_000;
  /** Requests of the owner while nothing else runs. */
  const quietMs = async (id: string): Promise<number> =>
    medianMs(20, () => askMock(other.mockPort, '/', { mock: id, agent: keptAlive }));
  const keptAlive = new Agent({ keepAlive: true, maxSockets: 4 });
  const page = [{ method: 'GET', path: '/', responses: [{ body: 'a' }] }];
  let id: string;
  let before: number;
  beforeAll(async () => {
    id = await makeMock(page, quiet);
    await quietMs(id);
    before = await quietMs(id);
  });
  afterAll(() => keptAlive.destroy());

  test.each([
    ['late replies', { latency: 20_000 }],
    ['replies that hang', { fault: { kind: 'hang' } }],
  ])('%s', async (_what, response) => {
    const held = await makeMock([{ method: 'GET', path: '/', responses: [{ body: 'x', ...response }] }], evil);
    const agent = new Agent({ keepAlive: true });
    const asking = Array.from({ length: 600 }, () =>
      askMock(other.mockPort, '/', { mock: held, agent }).catch(() => undefined),
    );
    await sleep(1_500);
    await expect.poll(() => quietMs(id), { timeout: HELD_MS }).toBeLessThan(2 * before + 50);
    agent.destroy();
    await Promise.all(asking);
  });

  test('calls that wait, and streams of several owners: counts and saves of another are as quick', async () => {
    const mocks = await Promise.all([evil, acme].map((key) => makeMock(page, key)));
    const save = async (): Promise<void> => {
      await other.request('PUT', `/v1/mocks/${id}/staged`, { key: quiet, body: { routes: page } });
      const saved = await other.request('POST', `/v1/mocks/${id}/save`, { key: quiet });
      expect([saved.status, saved.json.data?.published]).toEqual([200, undefined]);
    };
    const count = (): Promise<Answer> => other.request('GET', `/v1/mocks/${id}/counts`, { key: quiet });
    await save();
    const [countsBefore, savesBefore] = [await medianMs(10, count), await medianMs(5, save)];
    const ending = new AbortController();
    const { signal } = ending;
    const held = [evil, acme].flatMap((key, index) =>
      Array.from({ length: 40 }, () =>
        fetch(`http://127.0.0.1:${other.port}/v1/mocks/${mocks[index]}/requests/stream`, {
          headers: { 'x-api-key': key },
          signal,
        }),
      ),
    );
    for (const stream of await Promise.all(held)) expect(stream.status).toBe(200);
    const waiting = Array.from({ length: 200 }, () =>
      fetch(`http://127.0.0.1:${other.port}/v1/mocks/${mocks[0]}/verify`, {
        method: 'POST',
        headers: { 'x-api-key': evil, 'content-type': 'application/json' },
        body: JSON.stringify({ match: { path: '/never' }, withinMs: 12_000 }),
        signal,
      }).catch(() => undefined),
    );
    await sleep(1_000);
    await expect.poll(() => medianMs(10, count), { timeout: HELD_MS / 2 }).toBeLessThan(2 * countsBefore + 50);
    await expect.poll(() => medianMs(5, save), { timeout: HELD_MS / 2 }).toBeLessThan(2 * savesBefore + 50);
    ending.abort();
    await Promise.all(waiting);
  });
});

test('a body that is too large is refused when the home of the mock has changed', async () => {
  const store = await newDatabase(postgres.url());
  const nodes = [await startNode(store, 'n1'), await startNode(store, 'n2')] as const;
  const [first, second] = nodes;
  const key = await first.key('acme');
  const ids = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const body = { name: 'm', start: true, routes: [{ method: 'POST', path: '/', responses: [{ body: 'taken' }] }] };
      const id = (await first.request('POST', '/v1/mocks', { key, body })).json.data.id as string;
      await askMock(first.mockPort, '/', { mock: id, method: 'POST', body: 'a' });
      return id;
    }),
  );
  const statuses = async (): Promise<Set<string>> => {
    const request = (id: string): string =>
      `POST /__mock/${id}/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 99999999\r\n\r\n`;
    const answers = await Promise.all(ids.map((id) => exchanged(second.mockPort, request(id))));
    return new Set(answers.map((answer) => answer.slice(9, 12)));
  };
  // Both threads know the home.
  for (let turn = 0; turn < 4; turn++) expect(await statuses()).toEqual(new Set(['413']));
  const ended = first.end();
  while ((await first.request('GET', '/v1/mocks', { key }).catch(() => undefined))?.status === 200) {
    expect(await statuses()).toEqual(new Set(['413']));
  }
  await ended;
  expect(await statuses()).toEqual(new Set(['413']));
  await second.end();
});

/** Everything that is answered until the connection closes. What is of the moment is left out. */
async function exchanged(port: number, request: string): Promise<string> {
  const connection = await RawConnection.open(port);
  await connection.write(request);
  await connection.end();
  return connection.rest.toString('latin1').replace(/^(?:date|x-request-id): .*\r\n/gim, '');
}

describe('a stream by way of another node', () => {
  const POLL = { timeout: 20_000, interval: 20 };
  const openAt = async (mock: string, path: string, headers = {}) => {
    const leave = new AbortController();
    const { signal } = leave;
    const response = await fetch(`http://127.0.0.1:${other.mockPort}/__mock/${mock}${path}`, { headers, signal });
    let text = '';
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) text += decoder.decode(chunk);
    })();
    // Whether it broke off is for those who ask.
    reading.catch(() => undefined);
    return { response, text: () => text, ended: reading, leave: () => leave.abort() };
  };
  const push = (id: string, body: object) => other.request('POST', `/v1/mocks/${id}/streams/send`, { key: acme, body });
  const ends = async (mock: string): Promise<unknown[]> =>
    (await home.request('GET', `/v1/mocks/${mock}/requests`, { key: acme })).json.data
      .map(({ stream }: { stream?: { ended: unknown; events: number } }) => [stream?.ended, stream?.events])
      .toReversed();
  let mock: string;
  beforeAll(async () => {
    const three = [1, 2, 3].map((n) => ({ data: String(n) }));
    mock = await makeMock([
      {
        method: 'GET',
        path: '/open',
        responses: [
          { label: 'feed', stream: { ids: 'auto', keepAliveMs: 50, end: 'open', events: [{ data: 'first' }] } },
        ],
      },
      { method: 'GET', path: '/whole', responses: [{ stream: { ids: 'auto', events: three } }] },
      {
        method: 'GET',
        path: '/cut',
        responses: [{ fault: { kind: 'truncated', bytes: 3, afterEvents: 2 }, stream: { events: three } }],
      },
      { method: 'GET', path: '/ndjson', responses: [{ stream: { format: 'ndjson', events: three } }] },
    ]);
  });

  test('has each event as it is sent, pushed from any node, and the comments of its silence', async () => {
    const { response, text, ended } = await openAt(mock, '/open');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    await expect.poll(text, POLL).toContain('id: 1\ndata: first\n\n');
    for (const [index, data] of ['a', 'b'].entries()) {
      expect((await push(mock, { channel: 'feed', events: [{ data }] })).json.data).toEqual({
        delivered: 1,
        streams: 1,
      });
      await expect.poll(text, POLL).toContain(`id: ${index + 2}\ndata: ${data}\n\n`);
    }
    const before = text().split(':\n\n').length;
    await expect.poll(() => text().split(':\n\n').length, POLL).toBeGreaterThan(before + 2);
    const listed = await other.request('GET', `/v1/mocks/${mock}/streams`, { key: acme });
    expect(listed.json).toMatchObject({ total: 1, data: [{ channel: 'feed', events: 3 }] });
    await push(mock, { events: [{ data: 'last' }], end: 'close' });
    await ended;
    expect(text()).toContain('data: last\n\n');
  });

  test('ends as at its home: whole, cut, and by its client, who is missed there', async () => {
    const whole = await openAt(mock, '/whole', { 'last-event-id': '1' });
    await whole.ended;
    expect(whole.text()).toBe('id: 2\ndata: 2\n\nid: 3\ndata: 3\n\n');
    const lines = await openAt(mock, '/ndjson');
    await lines.ended;
    expect([lines.response.headers.get('content-type'), lines.text()]).toEqual(['application/x-ndjson', '1\n2\n3\n']);
    const cut = await openAt(mock, '/cut');
    await expect(cut.ended).rejects.toThrow('terminated');
    expect(cut.text()).toBe('data: 1\n\ndata: 2\n\ndat');
    const left = await openAt(mock, '/open');
    await expect.poll(left.text, POLL).toContain('first');
    left.leave();
    await expect
      .poll(() => ends(mock), POLL)
      .toEqual([
        ['push', 4],
        ['script', 2],
        ['script', 3],
        ['fault', 2],
        ['client', 1],
      ]);
  });
});
