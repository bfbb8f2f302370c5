/** The bounds of callbacks, owners apart, and what is known of them after the end of the process that sends them. */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { TestServer } from '../support/server.ts';

const POLL = { timeout: 20_000, interval: 50 };

let held: ServerResponse[] = [];
let holds = true;
let count = 0;
const receiver = createServer((request, response) => {
  count++;
  request.resume();
  if (request.url === '/held' && holds) held.push(response);
  else response.end();
});
let url = '';
let server: TestServer;
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  server = await TestServer.start(['--workers', '1', '--log-level', 'silent']);
});
afterAll(() => (receiver.closeAllConnections(), receiver.close()));

const release = (): void => {
  holds = false;
  for (const response of held) response.end();
  held = [];
};

async function callingMock(owner: string, callbacks: readonly object[]): Promise<{ id: string; key: string }> {
  const key = await server.key(owner);
  const body = { name: 'calls', start: true, routes: [{ method: 'GET', path: '/', responses: [{ callbacks }] }] };
  const { status, json } = await server.request('POST', '/v1/mocks', { key, body });
  expect({ status, json }).toMatchObject({ status: 200 });
  return { id: json.data.id, key };
}

const listed = async ({ id, key }: { id: string; key: string }, query = '', session = '') => {
  const scope = session === '' ? '' : `/sessions/${session}`;
  return (await server.request('GET', `/v1/mocks/${id}${scope}/callbacks${query}`, { key })).json;
};
const totalOf = async (mock: { id: string; key: string }, state: string): Promise<number> =>
  (await listed(mock, `?limit=1&state=${state}`)).total;
const metric = async (name: string): Promise<number> => {
  const text: string = (await server.request('GET', '/metrics')).json;
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(name))
      ?.split(' ')
      .at(-1),
  );
};
const ask = (mock: { id: string }, headers: Record<string, string> = {}) =>
  askMock(server.mockPort, '/', { mock: mock.id, headers });

// reaches CALLBACKS_RUNNING_MAX, CALLBACKS_WAITING_MAX, CALLBACK_RECORDS_MAX, CALLBACKS_WAITING_BYTES_MAX, CALLBACK_RECORDS_BYTES_MAX
test('of an owner 100 are sent at once and 1,000 wait; others are dropped, and another owner does not notice', async () => {
  const one = { url: `${url}/held`, repeat: 5, timeoutMs: 30_000 };
  const storm = await callingMock(
    'storm',
    Array.from({ length: 10 }, () => one),
  );
  // 50 each.
  await Promise.all(Array.from({ length: 24 }, () => ask(storm)));
  await expect.poll(() => totalOf(storm, 'dropped'), POLL).toBe(100);
  await expect.poll(() => held.length, POLL).toBe(64);
  expect(await metric('switchyard_callbacks_waiting')).toBe(1_100);
  const list = await listed(storm);
  expect(list).toMatchObject({ total: 1_000, truncated: true });
  expect(list.data[0].problem).toContain('too many callbacks');
  const upper = { match: { kind: 'callback' }, atMost: 5_000 };
  const verification = await server.request('POST', `/v1/mocks/${storm.id}/verify`, { key: storm.key, body: upper });
  expect(verification.json.data).toMatchObject({ verified: false, truncated: true });

  const quiet = await callingMock('quiet', [{ url: `${url}/quiet` }]);
  const begun = performance.now();
  await ask(quiet);
  await expect.poll(() => totalOf(quiet, 'done'), POLL).toBe(1);
  expect(performance.now() - begun).toBeLessThan(2_000);

  const large = { ...one, body: 'x'.repeat(262_144) };
  const heavy = await callingMock(
    'heavy',
    Array.from({ length: 3 }, () => large),
  );
  // 15 each, of which 63 have the memory.
  await Promise.all(Array.from({ length: 5 }, () => ask(heavy)));
  await expect.poll(async () => metric('switchyard_callbacks_total{state="dropped"}'), POLL).toBe(112);
  expect((await listed(heavy, '?limit=1')).truncated).toBe(true);

  // Those that wait for one of the 64 connections have begun. What is deleted is not sent any more, and is not that of another mock with its id.
  const before = count;
  for (const { id, key } of [storm, heavy])
    expect((await server.request('DELETE', `/v1/mocks/${id}`, { key })).status).toBe(200);
  release();
  await expect.poll(() => metric('switchyard_callbacks_waiting'), POLL).toBe(0);
  expect(count - before).toBeLessThan(200);
});

test('after the end of that process the records say so, and no upper bound is verified but in a new session', async () => {
  const mock = await callingMock('ends', [{ url: `${url}/ends` }, { url: `${url}/later`, delay: 600_000 }]);
  await ask(mock);
  await expect.poll(() => totalOf(mock, 'done'), POLL).toBe(1);
  const verify = async (body: object, session = '') => {
    const scope = session === '' ? '' : `/sessions/${session}`;
    return (await server.request('POST', `/v1/mocks/${mock.id}${scope}/verify`, { key: mock.key, body })).json.data;
  };
  const done = { match: { kind: 'callback', state: 'done' }, exactly: 1 };
  expect(await verify(done)).toMatchObject({ verified: true, truncated: false });
  const { epoch } = await listed(mock);
  const { pid } = server;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  const egress = children.find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('/egress.js'));
  process.kill(egress as number, 'SIGKILL');
  await expect.poll(async () => (await listed(mock)).epoch, POLL).not.toBe(undefined);
  await expect.poll(async () => ((await listed(mock)).epoch ?? epoch) !== epoch, POLL).toBe(true);
  expect(await listed(mock)).toMatchObject({ total: 0, truncated: true });
  await ask(mock);
  await expect.poll(() => totalOf(mock, 'done'), POLL).toBe(1);
  expect(await verify(done)).toMatchObject({ verified: false, count: 1, truncated: true });
  const made = await server.request('POST', `/v1/mocks/${mock.id}/sessions`, { key: mock.key, body: {} });
  const session: string = made.json.data.id;
  await ask(mock, { 'x-mock-session': session });
  expect(await verify({ ...done, withinMs: 5_000 }, session)).toMatchObject({ verified: true, truncated: false });
});

test('a stop lets attempts end that have begun, and drops the others', async () => {
  const mock = await callingMock('stops', [{ url: `${url}/held` }, { url: `${url}/never`, delay: 600_000 }]);
  const before = count;
  holds = true;
  await ask(mock);
  await expect.poll(() => held.length, POLL).toBe(1);
  const ended = server.end();
  setTimeout(release, 300);
  expect(await ended).toBe(0);
  expect(count - before).toBe(1);
});
