/** Memory that owners share: however much one owner holds of it, another finds what it had recorded, and is answered. */
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { OWNER_WAITING_MAX } from '../../src/base/owner-turns.ts';
import { askMock } from '../support/ask-mock.ts';
import { keepAlive } from '../support/data-plane.ts';
import { realService } from '../support/real-service.ts';
import { answering, smallServer } from '../support/small-server.ts';
import { wireMockWorlds } from '../support/wiremock-worlds.ts';

const { server, flooder, other, make } = await smallServer();
const agent = keepAlive(16);

async function ask(mock: string, times: number, body?: string, headers = {}): Promise<void> {
  const method = body === undefined ? 'GET' : 'POST';
  const one = () => askMock(server.mockPort, '/', { mock, method, agent, headers, ...(body && { body }) });
  await Promise.all(Array.from({ length: times }, one));
}

const get = async (path: string) => (await server.request('GET', `/v1/mocks/${path}`, { key: other })).json;
const verify = async (mock: string, body: object) =>
  (await server.request('POST', `/v1/mocks/${mock}/verify`, { key: other, body })).json.data;

test('requests of one owner are verified and counted while another floods its mocks', async () => {
  const { admin, makeMock, LISTED } = wireMockWorlds({ server, key: other });
  const mock = await makeMock(LISTED, answering('GET'));
  await ask(mock, 300);
  await ask(mock, 200, undefined, { 'x-mock-session': 'w1' });
  const mocks = [1, 2, 3, 4, 5].map(() => make(flooder, answering('POST')));
  for (const each of mocks) await ask(await each, 500, 'q'.repeat(32_768));
  expect(await verify(mock, { match: { path: '/' }, exactly: 500 })).toMatchObject({ verified: true });
  expect(await get(`${mock}/requests?limit=1`)).toMatchObject({ total: 500, truncated: false });
  const counted = await admin(`${mock}/w1`, 'POST', '/requests/count', { url: '/' });
  expect(counted).toMatchObject({ status: 200, json: { count: 200 } });
});

test('beyond what may wait of an owner its requests get 503 with the bound, and another owner is answered', async () => {
  // As much work as a request may do, and then it is refused.
  const body = "{{#repeat 1000}}{{setVar 'q' (faker 'lorem.paragraphs' 10)}}{{/repeat}}{{q}}";
  const heavy = await make(flooder, answering('GET', { templated: true, body }));
  const light = await make(other, answering('GET'));
  const sockets: Socket[] = [];
  const request = `GET / HTTP/1.1\r\nHost: ${heavy}.localhost\r\n\r\n`;
  const refused = new Promise<string>((resolve) => {
    for (let count = 0; count < OWNER_WAITING_MAX + 500; count++) {
      const socket = connect(server.mockPort, '127.0.0.1', () => socket.write(request));
      socket.once('data', (data) => data.includes(' 503 ') && resolve(data.toString('latin1')));
      socket.on('error', () => undefined);
      sockets.push(socket);
    }
  });
  expect(await refused).toMatch(/\r\nretry-after: 1\r\n[^]*"hint":"[^"]*\(OWNER_WAITING_MAX\)"/i);
  expect((await askMock(server.mockPort, '/', { mock: light })).status).toBe(200);
  for (const socket of sockets) socket.destroy();
  const { json } = await server.request('GET', `/v1/mocks/${heavy}/counts`, { key: flooder });
  expect(json.data.ownerWaits.refused).toBeGreaterThan(0);
});

test('recordings of one owner stay, however many mocks another has', async () => {
  const service = await realService((_, response) => void response.end('x'.repeat(100_000)));
  const recorded = { proxy: { upstream: service.url, record: true } };
  const mock = await make(other, [], recorded);
  await ask(mock, 30);
  const before = await get(`${mock}/recording?limit=1`);
  for (let count = 0; count < 8; count++) await ask(await make(flooder, [], recorded), 12);
  expect(before).toMatchObject({ total: 30 });
  expect(await get(`${mock}/recording?limit=1`)).toMatchObject({ total: 30, truncated: false });
});

test('callbacks of one owner stay known, however many another has', async () => {
  const failing = { url: 'http://127.0.0.1:1/', body: 'x'.repeat(65_536), retry: { max: 0 } };
  const mock = await make(other, answering('GET', { callbacks: [failing] }));
  await ask(mock, 1);
  const callbacks = Array.from({ length: 10 }, () => ({ ...failing, repeat: 5 }));
  for (let count = 0; count < 17; count++) await ask(await make(flooder, answering('GET', { callbacks })), 1);
  const known = await verify(mock, { match: { kind: 'callback' }, exactly: 1 });
  expect(known).toMatchObject({ verified: true, count: 1 });
});

/** Large bodies are refused while memory is short. */
async function makeLarge(key: string, routes: readonly object[]): Promise<string> {
  let mock = '';
  const makeIt = async () => (mock = await make(key, routes).catch(() => ''));
  await expect.poll(makeIt, { timeout: 60_000 }).not.toBe('');
  return mock;
}

interface Held {
  readonly sockets: readonly Socket[];
  /** Heads of their answers; "" where none has come. */
  readonly heads: readonly string[];
  readonly end: () => void;
}

/** Sends what a client of the flooder sends on so many connections, and reads no more than the head of an answer. */
async function hold(count: number, request: string, body?: Buffer): Promise<Held> {
  const heads = Array<string>(count).fill('');
  const sockets = heads.map((_, index) => {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(`${request}\r\nHost: 127.0.0.1\r\nx-api-key: ${flooder}\r\n\r\n`);
    if (body !== undefined) socket.write(body);
    socket
      .on('error', () => undefined)
      .once('data', (data) => {
        heads[index] = data.toString('latin1');
        socket.pause();
      });
    return socket;
  });
  const arrived =
    body === undefined
      ? () => heads.every((head) => head !== '')
      : () => sockets.every(({ connecting, writableLength }) => !connecting && writableLength === 0);
  await expect.poll(arrived, { timeout: 20_000 }).toBe(true);
  return { sockets, heads, end: () => sockets.forEach((socket) => socket.destroy()) };
}

test('answers that an owner does not read are bounded, and give way to those of another owner', async () => {
  const large = (bytes: number) =>
    Array.from({ length: bytes / 500_000 }, (_, index) => ({
      ...answering('GET', { body: 'x'.repeat(500_000) })[0],
      path: `/${index}`,
    }));
  const [unread, read] = [await makeLarge(flooder, large(7_500_000)), await makeLarge(other, large(7_500_000))];
  const held = await hold(8, `GET /v1/mocks/${unread}/staged HTTP/1.1`);
  const refused = held.heads.filter((head) => !head.startsWith('HTTP/1.1 200'));
  expect(refused.length).toBeGreaterThan(0);
  for (const head of refused)
    expect(head).toMatch(
      / 503 [^]*retry-after: 1\r[^]*(?:unfinished answers of one owner have \d+ bytes at most|Service overloaded)/i,
    );
  for (let look = 0; look < 3; look++) {
    // While memory is short, what is large is refused.
    const asked = async () => (await server.request('GET', `/v1/mocks/${read}/staged`, { key: other })).status;
    await expect.poll(asked, { timeout: 60_000, interval: 200 }).toBe(200);
  }
  held.end();
});

test('while an owner asks for reports of exports on many connections and reads none, small reads and writes of others are answered', async () => {
  const routes = Array.from({ length: 100 }, (_, index) => ({
    ...answering('GET', { body: 'x'.repeat(46_000) })[0],
    path: `/${index}`,
  }));
  const mocks: string[] = [];
  for (let count = 0; count < 4; count++) {
    mocks.push(await makeLarge(flooder, routes));
  }
  const held = await Promise.all(mocks.map((mock) => hold(15, `GET /v1/mocks/${mock}/export?report=true HTTP/1.1`)));
  for (let look = 0; look < 20; look++) {
    const read = await server.request('GET', '/v1/groups', { key: other });
    const written = await server.request('POST', '/v1/groups', { key: other, body: { name: 'g' } });
    expect([read.json.message, written.json.message]).toEqual([undefined, undefined]);
    await sleep(50);
  }
  for (const each of held) each.end();
});

test('bodies that an owner does not finish give way to those of another owner', async () => {
  const held = await hold(
    1,
    'POST /v1/mocks/import HTTP/1.1\r\nContent-Length: 39000000',
    Buffer.alloc(25_100_000, ' '),
  );
  const pairs = [{ type: 'static', value: 'v'.repeat(900_000) }];
  const body = { name: 'r', ruleType: 'Response', pairs };
  for (let look = 0; look < 5; look++) {
    const { status, json } = await server.request('POST', '/v1/rules', { key: other, body });
    expect([status, json.message]).toEqual([200, undefined]);
    await sleep(100);
  }
  held.end();
});

test('clients without a key that send too many requests in one go are disconnected', async () => {
  const requests = 'GET /v1/groups HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(8_000);
  const socket = connect(server.port, '127.0.0.1', () => socket.write(requests));
  let answers = '';
  socket.on('error', () => undefined).on('data', (data) => (answers += data.toString('latin1')));
  await new Promise((closed) => socket.on('close', closed));
  expect(answers.split(' 401 ').length).toBeLessThan(8_000);
  expect((await server.request('GET', '/v1/groups', { key: other })).status).toBe(200);
});
