/** The rate limit of a mock over HTTP with two threads: how many pass, what the others get, and what is counted and recorded; docs/mocks-behaviour.md. */
import { Agent } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import type { MockReply } from '../support/ask-mock.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

/** No request is let pass again while a test runs. */
const HOUR = 3_600_000;
const ROUTES = [route('GET /a', [{ body: 'passed' }])];
const limited = (rateLimit: Fields, settings: Fields = {}) => two.mock(ROUTES, { rateLimit, ...settings });

const agents = Array.from({ length: 8 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
afterAll(() => agents.forEach((agent) => agent.destroy()));
const ask = (mock: string, path = '/a', more: object = {}) => two.ask(mock, path, more);
/** Eight connections at once, which both threads have. */
const atOnce = (mock: string, count: number): Promise<MockReply[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => ask(mock, '/a', { agent: agents[index % agents.length] })));
const passed = (replies: readonly MockReply[]): number => replies.filter(({ status }) => status === 200).length;

test('of requests at once, exactly the burst passes, and the others are refused, counted and recorded', async () => {
  const mock = await limited({ requests: 1, perMs: HOUR, burst: 24 });
  const replies = await atOnce(mock, 400);
  expect(passed(replies)).toBe(24);
  const refused = replies.find(({ status }) => status === 429) as MockReply;
  expect(JSON.parse(refused.text)).toEqual({
    success: false,
    message: 'Too many requests',
    hint: `rate limit of this mock: 1 per ${HOUR} ms, 24 at once, by mock`,
  });
  const { headers } = refused;
  expect(headers['ratelimit-policy']).toBe('"default";q=24;w=86400');
  expect(Number(headers['retry-after'])).toBeGreaterThan(3_500);
  expect(headers['ratelimit']).toBe(`"default";r=0;t=${headers['retry-after']}`);
  expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'content-type': expect.stringMatching(/json/) });
  expect(replies.find(({ status }) => status === 200)?.headers).not.toHaveProperty('ratelimit');

  // Misses are limited, too.
  expect((await ask(mock, '/missing')).status).toBe(429);
  const counts = await two.data('GET', `/${mock}/counts`);
  expect(counts).toMatchObject({ total: 401, unmatched: 377 });
  expect(counts.statuses).toEqual([
    { status: 200, count: 24 },
    { status: 429, count: 377 },
  ]);
  const { requests } = await recorded(mock, 'matched=false&limit=1000');
  expect(requests).toHaveLength(377);
  expect(requests[0]).toMatchObject({ path: '/missing', status: 429, routeId: null, problem: 'rate limit' });

  // A save and a reset begin anew; what was counted before a save stays.
  await two.data('PUT', `/${mock}/staged`, { settings: { rateLimit: { requests: 1, perMs: HOUR, status: 503 } } });
  await two.data('POST', `/${mock}/save`);
  expect(passed(await atOnce(mock, 3))).toBe(1);
  expect((await two.data('GET', `/${mock}/counts`)).statuses).toEqual([
    { status: 200, count: 25 },
    { status: 429, count: 377 },
    { status: 503, count: 2 },
  ]);
  await two.data('DELETE', `/${mock}/requests`);
  expect(passed(await atOnce(mock, 3))).toBe(1);
  expect(await two.data('GET', `/${mock}/counts`)).toMatchObject({ total: 3, unmatched: 2 });
});

test('as many pass as the time allows', async () => {
  const [requests, perMs, burst] = [7, 1_000, 5];
  const mock = await limited({ requests, perMs, burst });
  const began = performance.now();
  let [count, lastMs] = [0, 0];
  for (let round = 0; round < 12; round++) {
    count += passed(await atOnce(mock, 16));
    lastMs = performance.now() - began;
  }
  // The first passes after `began`, and the last before `lastMs`.
  expect(count).toBeLessThanOrEqual(burst + Math.floor((lastMs * requests) / perMs));
  const waitMs = perMs / requests;
  await expect.poll(async () => (await ask(mock)).status, { interval: waitMs, timeout: 20_000 }).toBe(200);
});

test('by header, each value has its own limit, and requests without it have one', async () => {
  const mock = await limited({ requests: 1, perMs: HOUR, burst: 2, by: 'header:X-Client', status: 420, body: 'slow' });
  for (const client of ['ann', 'ben', undefined]) {
    const headers = client === undefined ? {} : { 'x-client': client };
    const replies = [1, 2, 3].map(() => ask(mock, '/a', { headers }));
    expect(passed(await Promise.all(replies)), client).toBe(2);
  }
  const { status, text, headers } = await ask(mock, '/a', { headers: { 'x-client': 'ann' } });
  expect([status, text, headers['content-type']]).toEqual([420, 'slow', 'text/plain; charset=utf-8']);
});

test('with a status that has no body, all that is refused has none', async () => {
  const mock = await limited({ requests: 1, perMs: HOUR, burst: 3, status: 204 }, { cors: false });
  const replies = await atOnce(mock, 20);
  expect(passed(replies)).toBe(3);
  const refused = replies.find(({ status }) => status === 204);
  expect(refused?.text).toBe('');
  expect(refused?.headers).not.toHaveProperty('access-control-allow-origin');
  const posted = await ask(mock, '/a', { method: 'POST', body: 'x'.repeat(100_000) });
  expect(posted.status, 'a request with a body').toBe(204);
});

test('a preflight that the mock answers itself is not limited, and a stopped mock takes none of it', async () => {
  const mock = await limited({ requests: 1, perMs: HOUR, burst: 1 });
  const headers = { origin: 'http://a.example', 'access-control-request-method': 'GET' };
  for (let time = 0; time < 3; time++) {
    expect((await ask(mock, '/a', { method: 'OPTIONS', headers })).status).toBe(204);
  }
  await two.data('POST', `/${mock}/stop`);
  expect((await ask(mock)).status).toBe(503);
  await two.data('POST', `/${mock}/start`);
  expect(passed(await atOnce(mock, 4))).toBe(1);
});

test('a dry run names the limit and takes none of it', async () => {
  const mock = await limited({ requests: 1, perMs: HOUR });
  for (let time = 0; time < 3; time++) {
    const { response, explanation } = await two.data('POST', `/${mock}/try`, { method: 'GET', path: '/a' });
    expect(response.status).toBe(200);
    expect(explanation.rateLimit).toEqual({ requests: 1, perMs: HOUR, burst: 1, by: 'mock', status: 429 });
  }
  expect((await ask(mock)).status).toBe(200);
});

test.each<[Fields, string, string]>([
  [{ perMs: 1 }, '/requests', 'is required'],
  [{ requests: 0, perMs: 1 }, '/requests', 'must be 1 or more'],
  [{ requests: 1.5, perMs: 1 }, '/requests', 'expected'],
  [{ requests: 1_001, perMs: 1 }, '/requests', 'is more than 1,000 per millisecond'],
  [{ requests: 1, perMs: 86_400_001 }, '/perMs', 'must be 86400000 or less'],
  [{ requests: 1, perMs: HOUR, burst: 25 }, '/burst', 'takes more than a day'],
  [{ requests: 1, perMs: 1, by: 'ip' }, '/by', 'mock or header:<name>'],
  [{ requests: 1, perMs: 1, by: 'header:' }, '/by', 'mock or header:<name>'],
  [{ requests: 1, perMs: 1, status: 199 }, '/status', 'must be 200 or more'],
  [{ requests: 1, perMs: 1, status: 204, body: '' }, '/body', '204 has none'],
  [{ requests: 1, perMs: 1, window: 2 }, '/window', 'is unknown'],
])('%j is refused at %s', async (rateLimit, path, message) => {
  const { status, json } = await two.api('POST', '', { name: 'm', routes: ROUTES, settings: { rateLimit } });
  expect(status).toBe(400);
  expect(json.details).toEqual([
    { path: `/settings/rateLimit${path}`, message: expect.stringContaining(message) as string },
  ]);
});

async function recorded(mock: string, query: string): Promise<{ readonly requests: readonly Fields[] }> {
  return { requests: await two.data('GET', `/${mock}/requests?${query}`) };
}
