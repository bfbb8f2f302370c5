/** Recordings that become routes: staged, checked and served in place of the real service; docs/guide-recording.md. */
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { realService } from '../support/real-service.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

let polls = 0;
const shop = await realService(({ method, url = '', headers: asked, body }, response) => {
  const send = (status: number, value: unknown, headers: Record<string, string> = {}) => {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
  const [, id] = /^\/users\/(\d+)$/.exec(url) ?? [];
  if (id !== undefined) return id === '404' ? send(404, { error: 'no such user' }) : send(200, { id: Number(id) });
  if (url === '/login')
    return send(
      200,
      { token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln', user: JSON.parse(body).user },
      { 'Set-Cookie': 'sid=secret; Path=/' },
    );
  if (url === '/hello') return send(200, asked['accept-language']?.[0] === 'de' ? 'hallo' : 'hello');
  if (url === '/job') return send(200, { state: polls++ % 2 === 0 ? 'waiting' : 'done' });
  if (url === '/image') {
    response.writeHead(200, { 'Content-Type': 'image/png' });
    return response.end(Buffer.from([0x89, 0x50, 0x00, 0xff]));
  }
  if (url === '/zipped') {
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' });
    return response.end(gzipSync('zipped'));
  }
  if (url === '/empty') {
    response.writeHead(204);
    return response.end();
  }
  const [, to] = /^\/shops\/1\/orders\?(.*)$/.exec(url) ?? [];
  if (to !== undefined) return send(201, {}, { Location: decodeURIComponent(to) });
  return send(200, { method, url, body });
});

/** A mock in front of the service, to which the requests were sent: "GET /path", or with a body. */
async function recorded(
  requests: readonly (string | readonly [target: string, body: string])[],
  routes: readonly Fields[] = [],
) {
  polls = 0;
  const mock = await two.mock(routes, { proxy: { upstream: shop.url, when: 'always', record: true } });
  for (const each of requests) {
    const [target, body] = typeof each === 'string' ? [each] : each;
    const [method = '', path = ''] = target.split(' ');
    const headers = {
      authorization: 'Bearer abc',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    await two.ask(mock, path, { method, headers, ...(body === undefined ? {} : { body }) });
  }
  return mock;
}

const stage = async (mock: string, body: Fields = {}) => (await two.api('POST', `/${mock}/recording/stage`, body)).json;
const check = async (mock: string, body: Fields = {}) => (await two.api('POST', `/${mock}/recording/check`, body)).json;
const shownOf = ({ routes }: { routes: Fields[] }) =>
  routes.map(({ method, path, selection, responses }) =>
    [method, path, selection, (responses as Fields[]).length].join(' '),
  );

test('requests that a header alone tells apart are named, and staged with conditions on it', async () => {
  const mock = await two.mock([], { proxy: { upstream: shop.url, when: 'always', record: true } });
  for (const language of ['de', 'en', 'de'])
    await two.ask(mock, '/hello', { headers: { 'accept-language': language, authorization: 'Bearer abc' } });
  const { data } = await stage(mock);
  expect(data.report.entries).toMatchObject(
    [1, 2, 3].map(() => ({ code: 'har.header-apart', message: expect.stringContaining('accept-language') })),
  );
  const told = await stage(mock, { distinguishBy: ['Accept-Language'] });
  expect([told.data.report.entries, told.data.check.same]).toEqual([[], 3]);
  await two.data('POST', `/${mock}/save`, {});
  for (const [language, text] of [
    ['en', 'hello'],
    ['de', 'hallo'],
    ['en', 'hello'],
  ])
    expect((await two.ask(mock, '/hello', { headers: { 'accept-language': language as string } })).text).toBe(
      `"${text}"`,
    );
  const refused = await two.api('POST', `/${mock}/recording/stage`, { distinguishBy: ['authorization'] });
  expect([refused.status, refused.json.details[0].path]).toEqual([400, '/distinguishBy/0']);
});

const FLOW = [
  'GET /users/1',
  'GET /users/2',
  'GET /users/404',
  ['POST /login', '{"user":"ann","password":"p"}'],
  'GET /job',
  'GET /job',
  'GET /job',
  'GET /image',
  'GET /zipped',
  'GET /empty',
  'GET /search?q=a&page=1',
  'GET /search?q=a&page=2',
] as const;

test('a recording is staged, checked, saved, and then answers in place of the service', async () => {
  const mock = await recorded(FLOW);
  const { data, warnings } = await stage(mock);
  expect(data.check).toEqual({
    checked: 12,
    same: 12,
    different: [],
    notChecked: { partial: 0, open: 0, failed: 0, proxied: 0, beyond: 0 },
    summary: 'all 12 exchanges are answered the same',
  });
  expect(data.report.items.responses).toMatchObject({ dropped: 0 });
  expect(data.diff.routesAdded.map(({ method, path }: Fields) => [method, path].join(' '))).toContain('GET /users/:id');
  expect(warnings).toEqual([]);
  const staged = await two.data('GET', `/${mock}/staged`);
  expect(shownOf(staged)).toEqual([
    'GET /users/:id rules 3',
    'POST /login rules 1',
    'GET /job sequential 2',
    'GET /image rules 1',
    'GET /zipped rules 1',
    'GET /empty rules 1',
    'GET /search rules 2',
  ]);
  expect(staged.settings.proxy).toMatchObject({ upstream: shop.url, when: 'never' });
  expect(JSON.stringify(staged)).not.toMatch(/secret|Bearer abc|"p"|eyJ/);
  const asked = shop.seen.length;
  expect((await two.both(mock, '/users/1')).headers).toHaveProperty('x-switchyard-proxied');
  expect(shop.seen.length).toBe(asked + 2);
  await two.api('POST', `/${mock}/save`);
  expect(JSON.parse((await two.both(mock, '/users/2')).text)).toEqual({ id: 2 });
  expect((await two.both(mock, '/users/404')).status).toBe(404);
  const zipped = await two.ask(mock, '/zipped');
  expect([zipped.text, zipped.headers['content-encoding']]).toEqual(['zipped', undefined]);
  const states = [];
  for (let round = 0; round < 3; round++) states.push(JSON.parse((await two.ask(mock, '/job')).text).state);
  expect(states).toEqual(['waiting', 'done', 'waiting']);
  expect(shop.seen.length).toBe(asked + 2);
  expect((await check(mock)).data.summary).toBe('all 14 exchanges are answered the same');
});

test('a Location below the address of the mock is recorded from the place of the request, so that it leads to any mock', async () => {
  const mock = await recorded([]);
  const places: Readonly<Record<string, string>> = {
    '/shops/1/orders/7?a=b#c': 'orders/7?a=b#c',
    [`${shop.url}/shops/1/orders/7`]: 'orders/7',
    '/shops/2/orders': '../2/orders',
    '/': '../../',
    '/shops/1/': './',
    '/shops/1/jobs:7': './jobs:7',
    'https://other.example.com/x': 'https://other.example.com/x',
  };
  const [asked] = Object.keys(places).map((to) => `/shops/1/orders?${encodeURIComponent(to)}`);
  const sent = await askMock(two.server.mockPort, `${two.root(mock)}${asked}`);
  expect(sent.headers.location).toBe(`${two.root(mock)}/shops/1/orders/7?a=b#c`);
  for (const to of Object.keys(places).slice(1))
    await askMock(two.server.mockPort, `${two.root(mock)}/shops/1/orders?${encodeURIComponent(to)}`);
  const locationOf = ({ response }: { response: { headers: Fields[] } }) =>
    response.headers.find(({ name }) => name === 'Location')?.value;
  const { data } = await two.api('GET', `/${mock}/recording`).then(({ json }) => json);
  expect(data.toReversed().map(locationOf)).toEqual(Object.values(places));
  await stage(mock);
  await two.api('POST', `/${mock}/save`);
  expect((await two.both(mock, asked ?? '')).headers.location).toBe('orders/7?a=b#c');
});

test('samples are the requests as they were recorded; they are stored, exported and checked, and compared in a diff', async () => {
  const mock = await recorded([['POST /login?tenant=x', '{"user":"ann","password":"p"}']]);
  await stage(mock);
  const [login] = (await two.data('GET', `/${mock}/staged`)).routes;
  expect(login.responses[0].sample).toMatchObject({
    path: '/login',
    query: 'tenant=x',
    body: expect.stringMatching(/^\{"user":"ann","password":"redacted-[0-9a-f]{8}"\}$/),
    bodyEncoding: 'text',
  });
  expect(login.responses[0].sample.headers).toContainEqual({
    name: 'authorization',
    value: expect.stringMatching(/^Bearer redacted-[0-9a-f]{8}$/),
  });
  await two.api('POST', `/${mock}/save`);
  expect((await check(mock, { entries: 'samples' })).data).toMatchObject({ checked: 1, same: 1 });
  const exported = await two.api('GET', `/${mock}/export`);
  expect(exported.json.routes[0].responses[0].sample).toEqual(login.responses[0].sample);
  const { id: _, ...response } = login.responses[0];
  const place = `/${mock}/staged/routes/${login.id}/responses/${login.responses[0].id}`;
  await two.api('PUT', place, { ...response, sample: { path: '/elsewhere' } });
  expect((await two.data('GET', `/${mock}/staged/diff`)).routesChanged[0].responsesChanged[0].fields).toEqual([
    {
      field: 'sample',
      before: response.sample,
      after: { path: '/elsewhere', query: '', headers: [], body: '', bodyEncoding: 'text' },
    },
  ]);
  expect((await check(mock, { entries: 'samples', against: 'staged' })).data).toMatchObject({
    same: 0,
    different: [{ number: 1, request: 'POST /elsewhere', reason: 'noRoute' }],
  });
  const refused = async (sample: Fields) => (await two.api('PUT', place, { ...response, sample })).json.details?.[0];
  expect(await refused({ path: 'x' })).toMatchObject({ path: '/sample/path' });
  expect(await refused({ path: '/x', query: '?a' })).toMatchObject({ path: '/sample/query' });
  expect(await refused({ path: '/x', headers: [{ name: 'a b', value: '' }] })).toMatchObject({
    path: '/sample/headers/0',
  });
  expect(await refused({ path: '/x', body: '*', bodyEncoding: 'base64' })).toMatchObject({ path: '/sample/body' });
  expect(await refused({ path: '/x', body: 'x'.repeat(70_000) })).toMatchObject({ path: '/sample' });
  expect((await stage(mock, { samples: false })).data.diff.routesChanged[0].responsesChanged[0].fields[0].field).toBe(
    'sample',
  );
});

test('a difference says where it begins; a version and the working copy are checked alike', async () => {
  const mock = await recorded(['GET /users/1', 'GET /job', 'GET /job']);
  await stage(mock);
  await two.api('POST', `/${mock}/save`);
  const { routes } = await two.data('GET', `/${mock}/staged`);
  const [users, job] = routes;
  await two.api('PUT', `/${mock}/staged/routes/${users.id}`, {
    ...users,
    responses: [{ ...users.responses[0], body: '{"id":2}' }],
  });
  await two.api('DELETE', `/${mock}/staged/routes/${job.id}`);
  const found = (await check(mock, { against: 'staged' })).data;
  expect(found.summary).toBe('0 of 3 exchanges are answered the same; 3 differ');
  expect(found.different.slice(0, 2)).toEqual([
    { number: 1, request: 'GET /users/1', reason: 'body', at: '/id', recorded: '1', answered: '2' },
    {
      number: 2,
      request: 'GET /job',
      reason: 'noRoute',
      at: null,
      recorded: '200',
      answered: 'no route matches; nearest: GET /users/1',
    },
  ]);
  expect((await check(mock)).data.same).toBe(3);
  expect((await check(mock, { against: 2, headers: ['content-type'] })).data.same).toBe(3);
  expect((await check(mock, { against: 1 })).data.notChecked.proxied).toBe(3);
  expect(await two.api('POST', `/${mock}/recording/check`, { against: 9 })).toMatchObject({ status: 404 });
});

test('a recording is added: new responses come first in a route of the same shape; twice is once', async () => {
  const own = [route('GET /users/:user', [{ body: 'mine', default: true }]), route('GET /kept', [{ body: 'kept' }])];
  const mock = await recorded(['GET /users/1', 'GET /users/2', 'GET /job', 'GET /job'], own);
  const first = (await stage(mock, { into: 'add' })).data;
  expect(first.check.summary).toBe('all 4 exchanges are answered the same');
  const staged = await two.data('GET', `/${mock}/staged`);
  expect(shownOf(staged)).toEqual(['GET /users/:user rules 3', 'GET /kept rules 1', 'GET /job sequential 2']);
  expect(staged.settings.proxy.when).toBe('unmatched');
  expect(
    staged.routes[0].responses.map(({ rules, default: is }: Fields) => [(rules as Fields[])[0]?.property, is]),
  ).toEqual([
    ['user', false],
    ['user', false],
    [undefined, true],
  ]);
  const second = (await stage(mock, { into: 'add' })).data;
  expect(second.check.same).toBe(4);
  expect(await two.data('GET', `/${mock}/staged`)).toEqual(staged);
  await two.api('POST', `/${mock}/save`);
  expect((await two.both(mock, '/users/3')).text).toBe('mine');
  expect((await two.both(mock, '/elsewhere')).headers).toHaveProperty('x-switchyard-proxied');
});

test('latency and paths are as they are asked for; a session has its own recording', async () => {
  const mock = await recorded([]);
  const session = (await two.api('POST', `/${mock}/sessions`, {})).json.data;
  const inSession = { 'x-mock-session': session.id };
  await two.ask(mock, '/users/1', { headers: inSession });
  await two.ask(mock, '/users/2');
  await two.api('DELETE', `/${mock}/sessions/${session.id}`);
  const exact = (await stage(mock, { paths: 'exact', latency: true })).data;
  expect(exact.diff.routesAdded.map(({ path }: Fields) => path)).toEqual(['/users/1', '/users/2']);
  const [first] = (await two.data('GET', `/${mock}/staged`)).routes;
  expect(first.responses[0].latency).toBeGreaterThanOrEqual(0);
  const ids = (await stage(mock, { paths: 'ids', session: session.id })).data;
  expect([ids.check.checked, ids.diff.routesAdded.map(({ path }: Fields) => path)]).toEqual([1, ['/users/:id']]);
  expect((await check(mock, { against: 'staged', session: '' })).data).toMatchObject({ checked: 1, same: 0 });
});

test('refusals', async () => {
  const mock = await recorded(['GET /users/404']);
  const refusal = async (path: string, body: Fields, headers = {}) => {
    const { status, json } = await two.api('POST', `/${mock}/recording/${path}`, body, headers);
    return [status, json.message ?? json.errors];
  };
  expect(await refusal('stage', { status: 200 })).toEqual([400, 'Nothing recorded']);
  expect(await refusal('check', { since: 9e15 })).toEqual([400, 'Nothing recorded']);
  expect((await refusal('stage', { into: 'elsewhere' }))[0]).toBe(400);
  expect((await refusal('check', { fuzzy: true }))[0]).toBe(400);
  expect((await refusal('stage', {}, { 'if-match': '"0"' }))[0]).toBe(412);
  await two.api('DELETE', `/${mock}/recording`);
  expect(await refusal('stage', {})).toEqual([400, 'Nothing recorded']);
  expect((await check(mock, { entries: 'samples' })).data.summary).toBe('no sample was checked');
});
