/** Rings that owners share: however much one owner adds to one, another finds what it had recorded. */
import { connect, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { OWNER_WAITING_MAX } from '../../src/base/owner-turns.ts';
import { askMock } from '../support/ask-mock.ts';
import { keepAlive } from '../support/data-plane.ts';
import { realService } from '../support/real-service.ts';
import { TestServer } from '../support/server.ts';
import { wireMockWorlds } from '../support/wiremock-worlds.ts';

/** Rings are smaller on a machine of 512 MiB: 60 MiB of recorded traffic, 8 MiB of recordings. */
const SMALL = 'data:text/javascript,process.constrainedMemory = () => 2 ** 29';
const server = await TestServer.start(['--workers', '1', '--log-level', 'silent'], undefined, {
  NODE_OPTIONS: `--import="${SMALL.replaceAll(' ', '%20')}"`,
});
const [flooder, other] = [await server.key('flooder'), await server.key('other')];
const agent = keepAlive(16);

async function make(key: string, routes: readonly object[], settings: object = {}): Promise<string> {
  const { status, json } = await server.request('POST', '/v1/mocks', {
    key,
    body: { name: 'm', start: true, routes, settings },
  });
  expect(status, JSON.stringify(json)).toBe(200);
  return json.data.id;
}

async function ask(mock: string, times: number, body?: string, headers = {}): Promise<void> {
  const method = body === undefined ? 'GET' : 'POST';
  const one = () => askMock(server.mockPort, '/', { mock, method, agent, headers, ...(body && { body }) });
  await Promise.all(Array.from({ length: times }, one));
}

const get = async (path: string) => (await server.request('GET', `/v1/mocks/${path}`, { key: other })).json;
const verify = async (mock: string, body: object) =>
  (await server.request('POST', `/v1/mocks/${mock}/verify`, { key: other, body })).json.data;

const answering = (method: string, more: object = {}) => [{ method, path: '/', responses: [{ body: 'x', ...more }] }];

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
  const body = '{{#repeat 1000}}{{#repeat 100}}{{randomInt 1 9}}{{/repeat}}{{/repeat}}';
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
