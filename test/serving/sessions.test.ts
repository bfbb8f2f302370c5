/** Sessions in the data plane: how requests name them, what they share with their mock, and what is left of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MockResponse } from '../../src/model/mocks/definition/definition.ts';
import { EMPTY_OVERLAY, type SessionDefinition } from '../../src/model/mocks/sessions/session.ts';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';

let test1: TestPlane;
const sessions = new Map<string, Map<string, SessionDefinition>>();
/** What happens when a request wants an unknown session. */
let onWanted: (mockId: string, sessionId: string) => void = () => undefined;
beforeAll(async () => {
  test1 = await TestPlane.start({
    trafficBytesPerMock: 256 * 1_024,
    sessions: {
      of: (mockId) => [...(sessions.get(mockId)?.values() ?? [])],
      wanted: (mockId, sessionId) => onWanted(mockId, sessionId),
    },
  });
});
afterAll(() => test1.plane.close());

async function make(mockId: string, id: string, more: Partial<SessionDefinition> = {}): Promise<SessionDefinition> {
  const made = { id, label: '', createdAt: 0, idleMs: 1_000, seed: 1, overlay: EMPTY_OVERLAY, state: {}, ...more };
  const all = sessions.get(mockId) ?? new Map<string, SessionDefinition>();
  sessions.set(mockId, all.set(id, made));
  await test1.plane.putSession(mockId, made, { isNew: true });
  return made;
}

async function end(mockId: string, id: string, expired = false) {
  sessions.get(mockId)?.delete(id);
  return test1.plane.endSession(mockId, id, { expired });
}

/** A session that says which one it is. */
const saying = (body: string): Partial<SessionDefinition> => ({
  overlay: { ...EMPTY_OVERLAY, routes: [route('/who', [response({ body })])] },
});

const headers = (session: string) => ({ 'x-mock-session': session });

test('a session is named by host, path, x-mock-session, baggage or a cookie, the first that is there', async () => {
  await test1.publish(mock('forms', [route('/who', [response({ body: 'base' })])]));
  for (const id of ['host', 'path', 'header', 'baggage', 'cookie']) await make('forms', id, saying(id));
  const baggage = { baggage: ['a=b', 'c=%20, mock-session = bag%67age;p=1,mock-session=host'] };
  const cookie = { cookie: 'a=b; xmock-session=host;mock-session=cookie; mock-session=host' };
  const port = test1.port;
  const both = { ...headers('header'), ...baggage };
  for (let round = 0; round < 3; round++) {
    expect(await test1.text('/who', { mock: 'forms' })).toBe('base');
    expect(await test1.text('/who', { mock: 'forms', headers: baggage })).toBe('baggage');
    expect(await test1.text('/who', { mock: 'forms', headers: cookie })).toBe('cookie');
    expect(await test1.text('/who', { mock: 'forms', headers: { ...baggage, ...cookie } })).toBe('baggage');
    expect(await test1.text('/who', { mock: 'forms', headers: { cookie: 'mock-session=No_id' } })).toBe('base');
    const second = { cookie: 'mock-session=No_id; mock-session=cookie' };
    expect(await test1.text('/who', { mock: 'forms', headers: second })).toBe('cookie');
    expect(await test1.text('/who', { mock: 'forms', headers: { cookie: 'mock-sessions' } })).toBe('base');
    expect(await test1.text('/who', { mock: 'forms', headers: both })).toBe('header');
    expect(await test1.text('/__mock/forms/__session/path/who', { headers: both })).toBe('path');
    expect(await test1.text('/__mock/forms/who', { headers: both })).toBe('header');
    const host = { host: `HOST--forms.localhost:${port}`, ...both };
    expect(await test1.text('/who', { headers: host })).toBe('host');
    expect(await test1.text('/who', { headers: { 'x-mock-id': 'forms', ...both } })).toBe('header');
  }
});

test('an unknown session is 404, a miss of the mock, and told from one that has expired', async () => {
  await test1.publish(mock('unknown', [route('/*', [response({ body: 'base' })])]));
  const asked = await test1.ask('/a', { mock: 'unknown', headers: headers('nobody') });
  expect([asked.status, JSON.parse(asked.text).message]).toEqual([404, 'Session not found']);
  const byCookie = await test1.ask('/a', { mock: 'unknown', headers: { cookie: 'mock-session=nobody' } });
  expect([byCookie.status, JSON.parse(byCookie.text).hint]).toEqual([
    404,
    expect.stringMatching(/^named by the cookie mock-session; create it: POST/),
  ]);
  await make('unknown', 'late');
  expect(await test1.text('/a', { mock: 'late--unknown' })).toBe('base');
  await end('unknown', 'late', true);
  for (let round = 0; round < 2; round++) {
    const ended = await test1.ask('/a', { mock: 'late--unknown' });
    expect([ended.status, JSON.parse(ended.text)]).toMatchObject([404, { expired: true }]);
  }
  expect(await test1.plane.counts('unknown')).toMatchObject({ total: 5, unmatched: 4 });
  const page = await test1.plane.requests('unknown', { limit: 10, matched: false });
  expect(page?.records.map(({ session, status }) => [session, status])).toEqual(
    Array.from({ length: 4 }, () => ['', 404]),
  );
});

// reaches SESSION_MISSES_MAX
test('the end of a session hands back its counts and its newest 50 misses', async () => {
  const known = route('/a', [response({ body: 'a' })]);
  await test1.publish(mock('ends', [known]));
  await make('ends', 's');
  await test1.ask('/a', { mock: 'ends' });
  for (let index = 0; index < 60; index++) await test1.ask(index < 55 ? `/none/${index}` : '/a', { mock: 's--ends' });
  expect(await test1.plane.counts('ends')).toMatchObject({ total: 1, unmatched: 0 });
  expect(await test1.plane.counts('ends', { sessions: true })).toMatchObject({ total: 61, unmatched: 55 });
  expect(await test1.plane.counts('ends', { session: 's' })).toMatchObject({ total: 60, unmatched: 55 });
  const uses = await test1.plane.sessionUses(['ends']);
  expect(uses?.sessions).toMatchObject([{ sessionId: 's', total: 60, unmatched: 55 }]);
  expect(Math.abs(Date.now() - (uses?.sessions[0]?.lastUsedAt ?? 0))).toBeLessThan(60_000);
  const left = await end('ends', 's');
  expect(left?.counts).toMatchObject({ total: 60, unmatched: 55, routes: [{ routeId: known.id, count: 5 }] });
  expect(left?.unmatched.map(({ path }) => path)).toEqual(Array.from({ length: 50 }, (_, at) => `/none/${54 - at}`));
  expect(await test1.plane.counts('ends')).toMatchObject({ total: 61, unmatched: 55 });
  expect((await test1.plane.requests('ends', { limit: 100 }))?.count).toBe(1);
});

test('numbers and pages are of the whole mock, or of one session, and go on when the mock is reset', async () => {
  await test1.publish(mock('pages', [route('/*', [response()])]));
  for (const id of ['a', 'b']) await make('pages', id);
  for (const name of ['pages', 'a--pages', 'b--pages', 'a--pages']) await test1.ask('/x', { mock: name });
  const numbers = async (session?: string): Promise<[number, string][] | undefined> => {
    const page = await test1.plane.requests('pages', { limit: 10, ...(session === undefined ? {} : { session }) });
    return page?.records.map((record) => [record.number, record.session]);
  };
  expect(await numbers()).toEqual([
    [4, 'a'],
    [3, 'b'],
    [2, 'a'],
    [1, ''],
  ]);
  expect(await numbers('a')).toEqual([
    [4, 'a'],
    [2, 'a'],
  ]);
  expect(await numbers('')).toEqual([[1, '']]);
  await test1.plane.reset('pages');
  await test1.ask('/x', { mock: 'pages' });
  expect(await numbers('')).toEqual([[5, '']]);
  expect(await test1.plane.counts('pages')).toMatchObject({ total: 1 });
  // Nothing of the session is missing, though numbers between its own are others'.
  const polled = await test1.plane.requests('pages', { session: 'a', afterNumber: 0, limit: 10 });
  expect(polled).toMatchObject({ seen: 2, passed: 2, newestNumber: 5, count: 2 });
});

// reaches SESSION_TRAFFIC_PART
test("traffic of a session has an eighth of its mock's bytes, and goes with it", async () => {
  await test1.publish(mock('eighth', [route('/*', [response()])]));
  await make('eighth', 's');
  const body = 'x'.repeat(4_000);
  for (let index = 0; index < 40; index++) await test1.ask('/x', { mock: 's--eighth', method: 'POST', body });
  const page = await test1.plane.requests('eighth', { session: 's', limit: 100, afterNumber: 0 });
  expect(page?.truncated).toBe(true);
  // Two threads, with 256 KiB / 2 / 8 each.
  expect(page?.count).toBeLessThanOrEqual(8);
  expect((page?.newestNumber ?? 0) - (page?.seen ?? 0)).toBe(40 - (page?.count ?? 0));
  await end('eighth', 's');
  await make('eighth', 's');
  expect(await test1.plane.requests('eighth', { session: 's', limit: 1 })).toMatchObject({
    count: 0,
    truncated: false,
  });
});

test('with `sessions: "auto"` a request waits for the session that it names, or gets 503 when it is refused', async () => {
  onWanted = (mockId, sessionId) => {
    if (sessionId === 'no') test1.plane.refuseSession(mockId, sessionId, 'Limit reached: 3 sessions');
    else if (sessions.get(mockId)?.has(sessionId) !== true) void make(mockId, sessionId, saying(sessionId));
  };
  await test1.publish(mock('auto', [route('/who', [response({ body: 'base' })])], { settings: { sessions: 'auto' } }));
  const asked = Array.from({ length: 8 }, (_, at) => test1.text('/who', { mock: `n${at % 2}--auto` }));
  expect(await Promise.all(asked)).toEqual(['n0', 'n1', 'n0', 'n1', 'n0', 'n1', 'n0', 'n1']);
  const refused = await test1.ask('/who', { mock: 'auto', headers: headers('no') });
  expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1']);
  expect(JSON.parse(refused.text).message).toBe('Limit reached: 3 sessions');
  expect((await test1.ask('/who', { mock: 'auto', headers: headers('No Id') })).status).toBe(404);
});

test('what a session changes is its own, and follows a save at once', async () => {
  const versions = (body: string): MockResponse[] => [
    response({ id: 'one', body }),
    response({ id: 'two', body: 'two' }),
  ];
  const saved = (version: number) =>
    mock('follows', [route('/a', versions(`v${version}`), { id: 'a', selection: 'sequential' })], { version });
  await test1.publish(saved(1));
  const made = await make('follows', 's');
  expect(await test1.text('/a', { mock: 's--follows' })).toBe('v1');
  const overlay = { ...EMPTY_OVERLAY, responses: { a: { kind: 'merge' as const, merge: { status: 418 } } } };
  const changed = { ...made, overlay };
  sessions.get('follows')?.set('s', changed);
  await test1.plane.putSession('follows', changed, { isNew: false });
  expect(await test1.ask('/a', { mock: 's--follows' })).toMatchObject({ status: 418, text: 'two' });
  await test1.publish(saved(2));
  expect(await test1.ask('/a', { mock: 's--follows' })).toMatchObject({ status: 418, text: 'v2' });
  expect(await test1.ask('/a', { mock: 'follows' })).toMatchObject({ status: 200, text: 'v2' });
  expect((await test1.plane.counts('follows', { session: 's' }))?.statuses).toEqual([
    { status: 200, count: 1 },
    { status: 418, count: 2 },
  ]);
});
