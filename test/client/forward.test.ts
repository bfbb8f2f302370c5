/** What a server under test sends while it answers a request names the session of that request, and to the mocks alone. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { forwardingFetch, inSession } from 'switchyard-server/forward';
import { afterAll, beforeAll, expect, test } from 'vitest';

const servers: Server[] = [];
async function listen(answer: (headers: IncomingHttpHeaders) => Promise<string>): Promise<string> {
  const server = createServer((request, response) => void answer(request.headers).then((text) => response.end(text)));
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let site: string;
let asked: (headers: IncomingHttpHeaders) => Promise<string>;
beforeAll(async () => {
  const baggage = (headers: IncomingHttpHeaders) => Promise.resolve(String(headers['baggage'] ?? ''));
  const [mocks, other] = [await listen(baggage), await listen(baggage)];
  const fetch = forwardingFetch([`${mocks}/__mock/shop`]);
  asked = async () => {
    await sleep(5);
    const requests = [
      fetch(`${mocks}/a`),
      fetch(new URL(mocks), { headers: { baggage: 'a=b' } }),
      fetch(new Request(mocks, { headers: { baggage: 'c=d' } })),
      fetch(other),
    ];
    return JSON.stringify(await Promise.all(requests.map(async (each) => (await each).text())));
  };
  site = await listen((headers) => inSession(headers, () => asked(headers)));
});
afterAll(() => servers.forEach((server) => server.close()));

const ask = async (headers: Record<string, string>) =>
  JSON.parse(await (await fetch(site, { headers })).text()) as unknown;
const named = (id: string) => [`mock-session=${id}`, `a=b, mock-session=${id}`, `c=d, mock-session=${id}`, ''];

test('requests that are answered at once forward their own session each', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `s-${index}`);
  const answers = await Promise.all(ids.map((id) => ask({ baggage: `x=y, mock-session=${id};p=1` })));
  expect(answers).toEqual(ids.map(named));
});

test.each([
  ['x-mock-session', { 'x-mock-session': 'h1', baggage: 'mock-session=b1', cookie: 'mock-session=c1' }, 'h1'],
  ['baggage before a cookie', { baggage: 'mock-session = b1', cookie: 'mock-session=c1' }, 'b1'],
  ['baggage, percent-encoded', { baggage: 'mock-session=b%2D1' }, 'b-1'],
  ['a cookie', { cookie: 'a=mock-session; mock-session=c1; b=c' }, 'c1'],
  ['a cookie that can be an id', { cookie: 'mock-session=s%3Aabc.xyz; mock-session=c1' }, 'c1'],
])('the session is named by %s', async (_what, headers, id) => {
  expect(await ask(headers)).toEqual(named(id));
});

test('a Headers object names it too', async () => {
  const answer = await inSession(new Headers({ cookie: 'mock-session=c2' }), () => asked({}));
  expect(JSON.parse(answer)).toEqual(named('c2'));
});

test.each([
  {},
  { cookie: 'my-mock-session=c1', baggage: 'xmock-session=b1' },
  { baggage: 'mock-session=b_1' },
  { cookie: 'mock-session=c1.signed' },
])('without a session nothing is added: %o', async (headers) => {
  expect(await ask(headers)).toEqual(['', 'a=b', 'c=d', '']);
});

test('what cannot be asked is rejected, as by fetch', async () => {
  const fetch = forwardingFetch([]);
  const answer = fetch('/no-host');
  await expect(answer).rejects.toThrow(TypeError);
});
