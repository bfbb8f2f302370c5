/** The client's sessions: addressed in each way, verified with what replays them, ended once. */
import { MockSession, startSwitchyard, VerificationError, type MockRecord, type Switchyard } from 'switchyard-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { realService } from '../support/real-service.ts';

let switchyard: Switchyard;
let mock: MockRecord;
beforeAll(async () => {
  switchyard = await startSwitchyard();
  const routes = [{ method: 'GET', path: '/a', responses: [{ body: 'of the mock' }] }];
  mock = await switchyard.client.mocks.create({ name: 'm', start: true, routes });
});
afterAll(() => switchyard?.stop());

const OVERLAY = { routes: [{ method: 'GET', path: '/a', responses: [{ body: 'of the session' }] }] };

test('it is asked by its address, by fetch and by its headers, and outside of it nothing changes', async () => {
  const { mocks } = switchyard.client;
  const session = await mocks.session(mock.id, { overlay: OVERLAY });
  const outside = mocks.urlFor(mock, '/a');
  for (const response of [
    await fetch(`${session.url}/a`),
    await session.fetch('/a'),
    await fetch(outside, { headers: session.headers }),
    await fetch(outside, { headers: { baggage: session.headers.baggage ?? '' } }),
  ]) {
    expect(await response.text()).toBe('of the session');
  }
  expect(await (await fetch(outside)).text()).toBe('of the mock');
  const again = await mocks.openSession(mock.id, session.id);
  expect(again).toBeInstanceOf(MockSession);
  expect((await again.requests()).total).toBe(4);
  expect((await mocks.sessions(mock.id)).records).toMatchObject([{ id: session.id, total: 4, unmatched: 0 }]);
  expect(await session.end()).toMatchObject({ counts: { total: 4 }, unmatched: [], unused: [] });
  await expect(session.read()).rejects.toMatchObject({ status: 404 });
});

test('with `compat` it has the base URL of a client of WireMock', async () => {
  const { mocks } = switchyard.client;
  const base = await mocks.create({ name: 'w', start: true, settings: { precedence: 'listed', cors: false } });
  await using session = await mocks.session(base.id, { compat: true });
  const body = JSON.stringify({ request: { url: '/w' }, response: { body: 'stubbed' } });
  expect((await fetch(`${session.wiremockUrl}/__admin/mappings`, { method: 'POST', body })).status).toBe(201);
  expect(await (await session.fetch('/w')).text()).toBe('stubbed');
  const again = await mocks.openSession(base.id, session.id);
  expect(() => again.wiremockUrl).toThrow('create the session with {compat: true}');
});

test('a failed verification prints the seed, and the line that replays it', async () => {
  const session = await switchyard.client.mocks.session(mock.id, { id: 'failing', seed: 42 });
  const failed = await session.assertVerified({ match: { path: '/a' } }).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(VerificationError);
  expect((failed as Error).message).toContain('session failing; to replay: client.mocks.session(mockId, { seed: 42 })');
  await session.end();
});

test('callbacks of a session are listed and verified, and a failed verification names the newest', async () => {
  const { mocks } = switchyard.client;
  const callbacks = [{ name: 'gone', url: 'http://127.0.0.1:9/', retry: { max: 0 } }];
  const routes = [{ method: 'POST', path: '/calls', responses: [{ callbacks }] }];
  const session = await mocks.session(mock.id, { overlay: { routes } });
  expect((await session.callbacks()).records).toEqual([]);
  await session.fetch('/calls', { method: 'POST' });
  const over = { match: { kind: 'callback', state: 'refused' }, exactly: 1, withinMs: 10_000 } as const;
  expect(await session.assertVerified(over)).toMatchObject({ verified: true, count: 1 });
  expect((await mocks.callbacks(mock.id, { name: 'gone' })).total).toBe(1);
  const failed = await mocks
    .assertVerified(mock.id, { match: { kind: 'callback', state: 'done' } })
    .catch((error: unknown) => error);
  expect((failed as Error).message).toContain(
    'expected at least 1 of {"kind":"callback","state":"done"}, but 0 were sent\nthe newest:\n  gone: POST http://127.0.0.1:9/ -> refused (addressRefused: ',
  );
  await session.end();
});

test('what is used for a block ends with it, also when it has ended already', async () => {
  const { mocks } = switchyard.client;
  const session = await mocks.session(mock.id);
  await session[Symbol.asyncDispose]();
  await session[Symbol.asyncDispose]();
  expect((await mocks.sessions(mock.id)).total).toBe(0);
});

test('a real service is recorded in a session, beside tests that must not reach it; what was recorded is saved when asked', async () => {
  const service = await realService(({ url }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ url }));
  });
  const { mocks } = switchyard.client;
  const outside = async () => (await fetch(mocks.urlFor(mock, '/a'))).text();
  const [one, other] = await Promise.all(
    ['/one', '/other'].map((path) =>
      mocks.record(mock.id, { upstream: service.url, into: 'add' }, async (url) => {
        expect(await (await fetch(`${url}${path}`)).json()).toEqual({ url: path });
        expect(await outside()).toBe('of the mock');
      }),
    ),
  );
  expect([one?.check?.summary, other?.check?.summary]).toEqual(Array(2).fill('1 exchange is answered the same'));
  expect((await mocks.sessions(mock.id)).total).toBe(0);
  expect(await mocks.checkRecording(mock.id, { against: 'staged' })).toMatchObject({ checked: 2, same: 2 });
  expect(await mocks.checkRecording(mock.id)).toMatchObject({ checked: 2, same: 0 });
  const saved = [one, other].map(async (recorded) =>
    recorded?.save().catch(({ status }: { status: number }) => status),
  );
  // The working copy of the one that was staged first has changed since.
  expect((await Promise.all(saved)).filter((each) => each === 412)).toHaveLength(1);
  expect(await (await fetch(mocks.urlFor(mock, '/other'))).json()).toEqual({ url: '/other' });
  expect(await outside()).toBe('of the mock');
  const failing = mocks.record(mock.id, { upstream: service.url }, () => Promise.reject(new Error('no suite')));
  await expect(failing).rejects.toThrow('no suite');
  expect((await mocks.sessions(mock.id)).total).toBe(0);
  const none = mocks.record(mock.id, { upstream: service.url }, () => undefined);
  await expect(none).rejects.toMatchObject({ status: 400, message: expect.stringContaining('Nothing recorded') });
});
