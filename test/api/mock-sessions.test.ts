/** Sessions of mocks over HTTP: their bodies, answers and refusals; docs/mocks-sessions.md. What they answer: test/contract/sessions.test.ts. */
import { OVERLAY_BYTES_MAX } from '../../src/model/mocks/sessions/session-payload.ts';
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import type { Answer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, key } = await useOwnServer(['--compat-lenient']);
let mock: string;
const ids = { route: '', empty: '', response: '', none: '' };

const SETTINGS = { scenarios: [{ name: 'login', states: ['out', 'in'] }] };
const ROUTES = [
  {
    method: 'GET',
    path: '/a',
    responses: [
      { label: 'full', body: 'a' },
      { body: 'b', templated: true },
    ],
  },
  { method: 'DELETE', path: '/a', responses: [{ status: 204 }] },
];

beforeAll(async () => {
  mock = await makeMock();
  const { routes } = (await send('GET', '/staged')).json.data;
  Object.assign(ids, {
    route: routes[0].id,
    response: routes[0].responses[0].id,
    empty: routes[1].id,
    none: routes[1].responses[0].id,
  });
});

async function makeMock(settings: object = SETTINGS): Promise<string> {
  const body = { name: 'm', start: true, settings, routes: ROUTES };
  return (await server.request('POST', '/v1/mocks', { key, body })).json.data.id as string;
}

const send = (method: string, path: string, body?: unknown, as = key): Promise<Answer> =>
  server.request(method, `/v1/mocks/${mock}${path}`, { key: as, ...(body === undefined ? {} : { body }) });

/** With the id of the route, of its first response, or of the route that answers 204. */
const named = (text: string): string =>
  text.replaceAll('ROUTE', ids.route).replaceAll('RESPONSE', ids.response).replaceAll('EMPTY', ids.empty);

describe('a body is refused with the place of the mistake:', () => {
  test.each<[body: object, path: string, message: RegExp]>([
    [{ id: 'Upper' }, '/id', /expected up to 40 lower-case letters/],
    [{ id: 'a--b' }, '/id', /expected up to 40/],
    [{ id: '-a' }, '/id', /expected up to 40/],
    [{ id: 'a'.repeat(41) }, '/id', /expected up to 40/],
    // reaches SESSION_IDLE_MS_MIN
    [{ idleMs: 999 }, '/idleMs', /must be 1000 or more/],
    // reaches SESSION_IDLE_MS_MAX
    [{ idleMs: 86_400_001 }, '/idleMs', /must be 86400000 or less/],
    [{ seed: 0.5 }, '/seed', /expected an integer/],
    [{ lable: 'x' }, '/lable', /known are id, label/],
    [{ state: { login: 'gone' } }, '/state/login', /not a state of scenario "login", which has "out", "in"/],
    [{ state: { logout: 'in' } }, '/state/logout', /settings.scenarios has "login"/],
    [{ overlay: { route: [] } }, '/overlay/route', /known are routes, responses/],
    [
      // reaches SCENARIOS_MAX
      {
        overlay: {
          settings: { scenarios: Array.from({ length: 100 }, (_, at) => ({ name: `s${at}`, states: ['1'] })) },
        },
      },
      '/overlay/settings/scenarios',
      /at most 100 scenarios/,
    ],
    [
      { overlay: { routes: [{ method: 'get', path: '/', responses: [{}] }] } },
      '/overlay/routes/0/method',
      /upper case/,
    ],
    [
      { overlay: { routes: [{ method: 'GET', path: '/x', responses: [{ templated: true, body: '{{body "$["}}' }] }] } },
      '/overlay/routes/0/responses/0/body',
      /GET \/x: line 1, column 3: the JSONPath/,
    ],
    [
      { overlay: { routes: [{ id: 'ROUTE', method: 'GET', path: '/', responses: [{}] }] } },
      '/overlay/routes/0/id',
      /in `responses`/,
    ],
    [
      { overlay: { responses: { nobodys: { status: 500 } } } },
      '/overlay/responses/nobodys',
      /no route with the id "nobodys"/,
    ],
    [{ overlay: { responses: { 'a/~b': {} } } }, '/overlay/responses/a~1~0b', /no route with the id "a\/~b"/],
    [
      { overlay: { responses: { ROUTE: 'RESPONSE' } } },
      '/overlay/responses/ROUTE',
      /expected {responseId}, {merge} or a response/,
    ],
    [
      { overlay: { responses: { ROUTE: { responseId: 'x' } } } },
      '/overlay/responses/ROUTE/responseId',
      /is not one of the responses of the route: RESPONSE, /,
    ],
    [
      { overlay: { responses: { ROUTE: { responseId: 'x', status: 200 } } } },
      '/overlay/responses/ROUTE/status',
      /is unknown/,
    ],
    [{ overlay: { responses: { ROUTE: { status: 99 } } } }, '/overlay/responses/ROUTE/status', /200 or more/],
    [{ overlay: { responses: { ROUTE: { bdoy: '' } } } }, '/overlay/responses/ROUTE/bdoy', /is unknown/],
    [
      { overlay: { responses: { ROUTE: { merge: { body: '' } } } } },
      '/overlay/responses/ROUTE/merge/body',
      /known are status, latency, fault, stream, headers/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { latency: { min: 2, max: 1 } } } } } },
      '/overlay/responses/ROUTE/merge/latency',
      /min is above max/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { fault: { kind: 'status' } } } } } },
      '/overlay/responses/ROUTE/merge/fault/status',
      /is required/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { headers: [{ name: 'a b', value: '' }] } } } } },
      '/overlay/responses/ROUTE/merge/headers/0',
      /the name must be/,
    ],
    [
      { overlay: { responses: { EMPTY: { merge: { fault: { kind: 'truncated' } } } } } },
      '/overlay/responses/EMPTY/merge/fault/kind',
      /truncated needs a body, and 204 has none/,
    ],
    [
      { overlay: { responses: { ROUTE: { merge: { headers: [{ name: 'a', value: "{{body '$['}}" }] } } } } },
      '/overlay/responses/ROUTE/merge/headers/0/value',
      /the JSONPath/,
    ],
    [{ overlay: { disabled: ['nobodys'] } }, '/overlay/disabled/0', /no route with the id "nobodys"/],
    [
      { overlay: { settings: { traffic: false } } },
      '/overlay/settings/traffic',
      /known are cors, latency, faults, rateLimit, headers, clock, variables/,
    ],
    [
      { overlay: { settings: { faults: [{ kind: 'hang', probability: 2 }] } } },
      '/overlay/settings/faults/0/probability',
      /1 or less/,
    ],
  ])('%j', async (body, path, message) => {
    const sent = JSON.parse(named(JSON.stringify(body))) as { overlay?: object };
    const { status, json } = await send('POST', '/sessions', sent);
    expect({ status, json }).toMatchObject({ status: 400, json: { message: 'Mock Payload is invalid' } });
    const detail = (json.details as { path: string; message: string }[]).find((each) => each.path === named(path));
    expect(detail?.message, JSON.stringify(json.details)).toMatch(new RegExp(named(message.source)));
  });
});

// reaches OVERLAY_BYTES_MAX
test('an overlay of more than a mebibyte is refused by its limit', async () => {
  const overlay = { routes: [{ method: 'GET', path: '/', responses: [{ body: 'x'.repeat(OVERLAY_BYTES_MAX) }] }] };
  const { status, json } = await send('POST', '/sessions', { overlay });
  expect(status).toBe(403);
  expect(json.message).toBe('Limit reached: 1048576 bytes of an overlay');
  expect(json.details).toEqual([{ path: '/overlay', message: 'more than 1048576 bytes of an overlay' }]);
});

/** Of what a session is made. */
async function made(body: object = {}, at = mock): Promise<Answer['json']> {
  const { status, json } = await server.request('POST', `/v1/mocks/${at}/sessions`, { key, body });
  expect({ status, json }).toMatchObject({ status: 200, json: { success: true } });
  return json.data;
}

/** A request in a session. */
const ask = (session: string, path: string, method = 'GET') =>
  askMock(server.mockPort, path, { mock, method, headers: { 'x-mock-session': session } });

test('a session is made, listed, read, changed, reset and ended', async () => {
  const before = Date.now();
  const first = await made({ id: 'one', label: 'a test', idleMs: 60_000, seed: 7, state: { login: 'in' } });
  expect(first).toEqual({
    id: 'one',
    label: 'a test',
    createdAt: expect.any(Number),
    idleMs: 60_000,
    expiresAt: first.createdAt + 60_000,
    seed: 7,
    version: 1,
    epoch: expect.stringMatching(/./),
    address: {
      header: { name: 'x-mock-session', value: 'one' },
      baggage: 'mock-session=one',
      cookie: 'mock-session=one',
      hostUrl: `http://one--${mock}.localhost:${server.mockPort}`,
      pathUrl: `http://localhost:${server.mockPort}/__mock/${mock}/__session/one`,
    },
  });
  expect(first.createdAt).toBeGreaterThanOrEqual(before);
  const second = await made();
  expect(second).toMatchObject({ id: expect.stringMatching(/^[a-z0-9]{12}$/), label: '', idleMs: 600_000 });
  expect((await send('POST', '/sessions', { id: 'one' })).json).toEqual({
    success: false,
    message: 'Session id taken',
  });

  for (const [path, status] of [
    ['/a', 200],
    ['/missing', 404],
  ] as const)
    expect((await ask('one', path)).status).toBe(status);
  const list = (await send('GET', '/sessions')).json;
  expect(list).toMatchObject({
    data: [
      { id: second.id, total: 0, unmatched: 0 },
      { id: 'one', total: 2, unmatched: 1 },
    ],
    total: 2,
    nextOffset: null,
  });
  expect((await send('GET', '/sessions?pageSize=1')).json).toMatchObject({ data: [{ id: second.id }], nextOffset: 1 });
  expect((await send('GET', '/sessions?pageSize=1&offset=1')).json).toMatchObject({
    data: [{ id: 'one' }],
    nextOffset: null,
  });

  const overlay = {
    routes: [{ id: 'added', method: 'GET', path: '/added', responses: [{ body: 'added' }] }],
    responses: { [ids.route]: { merge: { status: 503 } } },
    disabled: [ids.empty],
    settings: { latency: 1 },
  };
  expect((await send('PUT', '/sessions/one/overlay', overlay)).json.data).toMatchObject({ id: 'one', version: 1 });
  expect((await ask('one', '/a')).status).toBe(503);
  expect((await ask('one', '/a', 'DELETE')).status).toBe(404);
  expect((await askMock(server.mockPort, '/a', { mock })).status).toBe(200);
  expect((await send('GET', '/sessions/one')).json.data).toMatchObject({
    overlay: { ...overlay, routes: [{ id: 'added', path: '/added', enabled: true }] },
    state: { login: 'in' },
    warnings: [],
    total: 4,
    unmatched: 2,
  });
  const tried = (await send('POST', '/sessions/one/try', { method: 'GET', path: '/added' })).json.data;
  expect(tried).toMatchObject({ route: { routeId: 'added' }, response: { status: 200, body: 'added' } });
  const counted = await send('POST', '/sessions/one/verify', { match: { path: '/a', method: 'GET' }, exactly: 2 });
  expect(counted.json.data).toMatchObject({ verified: true, epoch: first.epoch });

  expect((await send('POST', '/sessions/one/reset')).json.message).toBe('Session reset successfully');
  expect((await send('GET', '/sessions/one/counts')).json.data).toMatchObject({ total: 0 });
  await ask('one', '/a');
  await ask('one', '/b?c=1');
  const end = (await send('DELETE', '/sessions/one')).json.data;
  expect(end).toMatchObject({
    epoch: first.epoch,
    counts: { total: 2, unmatched: 1 },
    unmatched: [{ method: 'GET', path: '/b', nearest: expect.arrayContaining([{ method: 'GET', path: '/a' }]) }],
    unused: ['added'],
  });
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['GET', '/requests'],
    ['POST', '/reset'],
  ] as const) {
    const { status, json } = await send(method, `/sessions/one${path}`);
    expect({ status, json }).toEqual({ status: 404, json: { success: false, message: 'Session not found' } });
  }
  expect((await ask('one', '/a')).status).toBe(404);
  await made({ id: 'one' });
  await send('DELETE', '/sessions/one');
});

test('a save is followed, and what of the overlay it has removed is told', async () => {
  const own = await makeMock();
  const at = (path: string): string => `/v1/mocks/${own}${path}`;
  const { routes } = (await server.request('GET', at('/staged'), { key })).json.data;
  const [route, empty] = routes;
  await made(
    {
      id: 'kept',
      state: { login: 'in' },
      overlay: { responses: { [route.id]: { responseId: route.responses[1].id } }, disabled: [empty.id] },
    },
    own,
  );
  const changed = { ...route, path: '/b', responses: [route.responses[0]] };
  await server.request('PUT', at('/staged'), { key, body: { settings: {}, routes: [changed] } });
  await server.request('POST', at('/save'), { key });
  const { data } = (await server.request('GET', at('/sessions/kept'), { key })).json;
  expect(data.version).toBe(2);
  expect(data.warnings.map(({ path }: { path: string }) => path)).toEqual([
    `/overlay/responses/${route.id}/responseId`,
    '/overlay/disabled/0',
    '/state/login',
  ]);
  const reply = await askMock(server.mockPort, '/b', { mock: own, headers: { 'x-mock-session': 'kept' } });
  expect([reply.status, reply.text]).toEqual([200, 'a']);
  await server.request('DELETE', at(''), { key });
  const gone = await askMock(server.mockPort, '/b', { mock: own, headers: { 'x-mock-session': 'kept' } });
  expect(gone.status).toBe(404);
});

test('it expires when it is not used, and that is told by the API and by the mock', async () => {
  await made({ id: 'short', idleMs: 1_000 });
  // Neither a request nor a call that names it: either would be a use.
  const live = async (): Promise<string[]> =>
    (await send('GET', '/sessions')).json.data.map(({ id }: { id: string }) => id);
  await expect.poll(live, { timeout: 15_000 }).not.toContain('short');
  // The threads are told of it a moment later.
  await expect.poll(async () => (await ask('short', '/a')).status, { timeout: 15_000 }).toBe(404);
  expect(JSON.parse((await ask('short', '/a')).text)).toMatchObject({ expired: true });
  const { status, json } = await send('GET', '/sessions/short');
  expect({ status, json }).toEqual({
    status: 404,
    json: { success: false, message: 'Session not found: it has expired', expired: true },
  });
});

test('with `sessions: "auto"` a request makes the session that it names', async () => {
  const own = await makeMock({ ...SETTINGS, sessions: 'auto' });
  const asked = (session: string) =>
    askMock(server.mockPort, '/a', { mock: own, headers: { 'x-mock-session': session } });
  expect((await asked('by-request')).status).toBe(200);
  const { data } = (await server.request('GET', `/v1/mocks/${own}/sessions`, { key })).json;
  expect(data).toMatchObject([{ id: 'by-request', idleMs: 600_000, total: 1 }]);
  expect((await asked('No')).status).not.toBe(200);
});

test('when the data plane is killed sessions are back, with nothing of before, and `epoch` tells', async () => {
  const overlay = { routes: [{ method: 'GET', path: '/own', responses: [{ body: 'own' }] }] };
  const { epoch } = await made({ id: 'survivor', overlay });
  expect((await ask('survivor', '/own')).text).toBe('own');
  const child = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
  process.kill(Number(child.trim()), 'SIGKILL');
  await expect
    .poll(async () => (await ask('survivor', '/own').catch(() => ({ text: '' }))).text, { timeout: 20_000 })
    .toBe('own');
  const verified = await send('POST', '/sessions/survivor/verify', { match: {}, atLeast: 1 });
  expect(verified.json.data.verified).toBe(true);
  expect(verified.json.data.epoch).not.toBe(epoch);
  expect((await send('DELETE', '/sessions/survivor')).json.data.epoch).toBe(verified.json.data.epoch);
});

test('when the data plane is killed amid a hundred sessions, none is answered as another one, or as the mock', async () => {
  const names = Array.from({ length: 100 }, (_each, index) => `amid-${index}`);
  const overlay = (name: string) => ({ responses: { [ids.route]: { status: 200, body: name } } });
  await Promise.all(names.map((id) => made({ id, overlay: overlay(id) })));
  const child = execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' });
  const answers = async (): Promise<(string | undefined)[]> =>
    Promise.all(
      names.map(async (name) => {
        // Cut off, or 503, while nothing serves.
        const answer = await ask(name, '/a').catch(() => undefined);
        return answer?.status === 503 ? undefined : answer?.text;
      }),
    );
  expect(await answers()).toEqual(names);
  process.kill(Number(child.trim()), 'SIGKILL');
  let wasAway = false;
  for (let isAway = true; isAway || !wasAway;) {
    const all = await answers();
    expect(all.filter((text, index) => text !== undefined && text !== names[index])).toEqual([]);
    isAway = all.includes(undefined);
    wasAway ||= isAway;
  }
  await Promise.all(names.map((name) => send('DELETE', `/sessions/${name}`)));
});

test('the mock has the requests of its sessions, and the counts of live ones when asked', async () => {
  const own = await makeMock();
  const get = async (path: string): Promise<Answer['json']> =>
    (await server.request('GET', `/v1/mocks/${own}${path}`, { key })).json;
  await made({ id: 'one' }, own);
  await askMock(server.mockPort, '/a', { mock: own });
  for (let count = 0; count < 2; count++)
    await askMock(server.mockPort, '/a', { mock: own, headers: { 'x-mock-session': 'one' } });
  const sessionsOf = async (query: string): Promise<(string | undefined)[]> =>
    (await get(`/requests${query}`)).data.map(({ session }: { session?: string }) => session);
  expect(await sessionsOf('')).toEqual(['one', 'one', undefined]);
  expect(await sessionsOf('?session=one')).toEqual(['one', 'one']);
  expect(await sessionsOf('?session=')).toEqual([undefined]);
  expect((await get('/counts')).data.total).toBe(1);
  expect((await get('/counts?sessions=true')).data.total).toBe(3);
  expect((await get('/sessions/one/requests?session=one')).message).toBe('Bad Request');
  await server.request('DELETE', `/v1/mocks/${own}/sessions/one`, { key });
  expect((await get('/counts')).data.total).toBe(3);
  expect(await sessionsOf('')).toEqual([undefined]);
});

test('a verification that waits for requests of a session ends with it, also when another gets its id', async () => {
  await send('POST', '/sessions', { id: 'again' });
  const verifying = send('POST', '/sessions/again/verify', { match: {}, exactly: 1, withinMs: 30_000 });
  // Its answer shows that the verification, which was sent before, has begun.
  await send('GET', '/sessions/again/counts');
  await send('DELETE', '/sessions/again');
  await send('POST', '/sessions', { id: 'again' });
  await askMock(server.mockPort, '/a', { mock, headers: { 'x-mock-session': 'again' } });
  expect(await verifying).toMatchObject({ status: 404, json: { message: 'Session not found' } });
  await send('DELETE', '/sessions/again');
});

test('a lenient server takes stubs of WireMock that differ slightly, and names the codes; others it refuses', async () => {
  const settings = { precedence: 'listed', cors: false, sessions: 'auto' };
  const { json } = await server.request('POST', '/v1/mocks', {
    key,
    body: { name: 'c', start: true, settings, routes: [] },
  });
  const path = `/compat/wiremock/${json.data.id}/s/__admin/mappings`;
  const request = { method: 'GET', urlPath: '/gone' };
  const post = (body: object) => server.request('POST', path, { key, body });
  const taken = await post({ request, response: { fault: 'CONNECTION_RESET_BY_PEER' } });
  expect(taken).toMatchObject({ status: 201, json: { request } });
  expect(taken.headers.get('x-switchyard-approximated')).toBe('wiremock.connection');
  const asked = askMock(server.mockPort, '/gone', { mock: json.data.id, headers: { 'x-mock-session': 's' } });
  await expect(asked).rejects.toThrow(/socket hang up|ECONNRESET/);
  expect((await post({ request: { ...request, host: { equalTo: 'x' } }, response: {} })).status).toBe(422);
});
