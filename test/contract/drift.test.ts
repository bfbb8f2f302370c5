/** Drift runs over HTTP, with a real service that changes: what is found, what is not, what is sent, staged, kept and refused; docs/drift.md. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { useServer } from '../support/shared-server.ts';
import { route, type Fields } from '../support/two-threads.ts';

const { server, key } = await useServer();

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The real service: what it answers is set by each test. */
let answer: Handler = () => undefined;
let seen: { readonly method: string; readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
const service = await new Promise<Server>((resolve) => {
  const made = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    seen.push({ method, url, headers });
    request.resume().on('end', () => answer(request, response));
  });
  made.listen(0, '127.0.0.1', () => resolve(made));
});
const UPSTREAM = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
afterAll(() => (service.closeAllConnections(), void service.close()));
beforeEach(() => {
  seen = [];
});

const JSON_TYPE = { 'content-type': 'application/json' };
const JSON_LINES = [{ name: 'content-type', value: 'application/json' }];
const json =
  (value: unknown, status = 200): Handler =>
  (_request, response) =>
    void response.writeHead(status, JSON_TYPE).end(JSON.stringify(value));
const body = (value: unknown, more: Fields = {}): Fields => ({
  headers: JSON_LINES,
  body: JSON.stringify(value),
  templated: false,
  ...more,
});

const api = (method: string, path: string, sent?: unknown) =>
  server.request(method, `/v1/mocks${path}`, { key, ...(sent === undefined ? {} : { body: sent }) });

async function data(method: string, path: string, sent?: unknown) {
  const { status, json: answered } = await api(method, path, sent);
  expect({ status, answered }).toMatchObject({ status: 200 });
  return answered.data;
}

async function mock(routes: readonly Fields[], settings: Fields = {}): Promise<string> {
  return (await data('POST', '', { name: 'drift', routes, settings })).id;
}

async function drift(id: string, asked: Fields = {}) {
  const { id: run } = await data('POST', `/${id}/drifts`, { upstream: UPSTREAM, ...asked });
  return data('GET', `/${id}/drifts/${run}?waitMs=20000`);
}

/** What a run finds of a mock of one route that answers `had`, when the service answers `has`. */
async function between(had: unknown, has: Handler, asked: Fields = {}, more: Fields = {}) {
  answer = has;
  const { results } = await drift(await mock([route('GET /one', [body(had, more)])]), asked);
  return results[0];
}

const order = { id: 7, state: 'paid', price: 9.5, note: null, items: [{ sku: 'a', count: 1 }], tags: [] };

test('a service that answers as the mock is the same, whatever its values, whole numbers, empty arrays and nulls are', async () => {
  answer = json({
    id: 1,
    state: 'new',
    price: 9,
    note: 'hi',
    items: [
      { sku: 'b', count: 2 },
      { sku: 'c', count: 3 },
    ],
    tags: ['x'],
  });
  const id = await mock([route('GET /orders/last', [body(order)])], {
    proxy: { upstream: `${UPSTREAM}/base`, when: 'never' },
  });
  const report = await drift(id, { upstream: undefined });
  expect(report).toMatchObject({
    mockId: id,
    version: 1,
    upstream: `${UPSTREAM}/base`,
    state: 'finished',
    verdict: 'same',
    requests: 2,
    counts: { same: 1, changed: 0, breaking: 0, failed: 0, skipped: 0 },
    staged: null,
    problem: null,
  });
  expect(report.results).toEqual([
    expect.objectContaining({
      route: 'GET /orders/last',
      label: '',
      status: 200,
      request: { method: 'GET', path: '/orders/last' },
      verdict: 'same',
      changes: [],
      volatile: [],
    }),
  ]);
  expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(Array(2).fill('GET /base/orders/last'));
  expect(seen[0]?.headers).toMatchObject({ accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'switchyard' });
  expect(seen[0]?.headers).not.toHaveProperty('x-forwarded-for');
});

test.each([
  ['status', json(order, 404), { at: 'status', kind: 'status', mock: '200', upstream: '404' }],
  [
    'mediaType',
    (_: unknown, response: ServerResponse) => void response.setHeader('content-type', 'text/html').end('<p>'),
    { at: 'content-type', kind: 'mediaType', mock: 'application/json', upstream: 'text/html' },
  ],
  [
    'missing',
    json({ ...order, items: [{ sku: 'a' }] }),
    { at: '$.items[*].count', kind: 'missing', mock: 'number', upstream: '' },
  ],
  ['type', json({ ...order, price: '9.50' }), { at: '$.price', kind: 'type', mock: 'number', upstream: 'string' }],
  ['type, null', json({ ...order, id: null }), { at: '$.id', kind: 'type', mock: 'number', upstream: 'null' }],
  [
    'type, not JSON',
    (_: unknown, response: ServerResponse) => void response.writeHead(200, JSON_TYPE).end('oops'),
    { at: '$', kind: 'type', mock: 'JSON', upstream: 'not JSON' },
  ],
] as const)('%s breaks', async (_what, has, change) => {
  const result = await between(order, has);
  expect(result).toMatchObject({ verdict: 'changed', breaking: true, changes: [change], changeCount: 1 });
});

test('what is added breaks nothing; what is ignored is not looked at; values count only when asked', async () => {
  const has = json({ ...order, id: 8, extra: { deep: 1 }, 'odd name': 1 });
  expect(await between(order, has)).toMatchObject({
    verdict: 'changed',
    breaking: false,
    changes: [
      { at: '$.extra', kind: 'added', mock: '', upstream: 'object' },
      { at: "$['odd name']", kind: 'added', mock: '', upstream: 'number' },
    ],
  });
  const ignore = ['$.extra', "$['odd name']"];
  expect(await between(order, has, { ignore })).toMatchObject({ verdict: 'same' });
  const byValue = { ignore, compare: 'values' };
  expect(await between(order, has, byValue)).toMatchObject({
    breaking: true,
    changes: [{ at: '$.id', kind: 'value', mock: '7', upstream: '8' }],
  });
  expect(await between(order, has, { ignore: ['$..*'], compare: 'values' })).toMatchObject({ verdict: 'same' });
  // A template renders another value each time: it is not compared.
  const templated = { headers: JSON_LINES, body: '{"id": "{{uuid}}", "at": "{{now}}", "kind": "a"}', templated: true };
  answer = json({ id: 'x', at: 'y', kind: 'b' });
  const { results } = await drift(await mock([route('GET /t', [templated])]), { compare: 'values' });
  expect(results[0].changes).toEqual([{ at: '$.kind', kind: 'value', mock: '"a"', upstream: '"b"' }]);
});

test('what differs from one answer to the next is volatile: only its type counts', async () => {
  let count = 0;
  const changing: Handler = (request, response) =>
    json({ at: ++count, items: [{ rank: count }], ...(count % 2 === 0 ? { warning: 'w' } : {}), kept: 'k' })(
      request,
      response,
    );
  const had = { at: 1, items: [{ rank: 1 }], warning: 'w', kept: 'k' };
  expect(await between(had, changing, { compare: 'values' })).toMatchObject({
    verdict: 'same',
    volatile: ['$.at', '$.items[*].rank', '$.warning'],
  });
  // Asked once, it cannot be known.
  expect(await between(had, changing, { compare: 'values', repeat: 1 })).toMatchObject({ verdict: 'changed' });
  let asked = 0;
  const sometimes: Handler = (request, response) => json(had, asked++ % 2 === 0 ? 503 : 200)(request, response);
  expect(await between(had, sometimes)).toMatchObject({ verdict: 'same', volatile: ['status'] });
});

test('requests follow from routes and their `equals` conditions; others are skipped, each with its reason', async () => {
  answer = json({ a: 1 });
  const rules = (...all: Fields[]) => ({ rules: all });
  const equals = (target: string, property: string, value: string) => ({ target, property, operator: 'equals', value });
  const id = await mock(
    [
      route('GET /q', [
        body({ a: 1 }, rules(equals('query', 'a b', 'c&d'), equals('header', 'x-kind', 'K'))),
        body({ a: 1 }, rules({ target: 'query', property: 'z', operator: 'regex', value: '^x+$' })),
        body({ a: 1 }, { default: true }),
      ]),
      route('GET /users/:id/:tab?', [body({ a: 1 }, rules(equals('urlParam', 'id', 'ö 7'))), body({ a: 1 })]),
      route('HEAD /h', [body({ a: 1 })]),
      route('POST /p', [body({ a: 1 }, rules(equals('body', 'n.0.m', '5')))]),
      route('GET /secret', [body({ a: 1 }, rules(equals('header', 'authorization', 'Bearer test')))]),
      route('GET /fault', [body({ a: 1 }, { fault: { kind: 'reset' } })]),
      route('GET /turns', [body({ a: 1 }), body({ a: 2 })], { selection: 'sequential' }),
      route('GET /real', [{ proxy: { upstream: UPSTREAM } }]),
      route('GET /off', [body({ a: 1 })], { enabled: false }),
    ],
    { proxy: { upstream: UPSTREAM, when: 'always' } },
  );
  const report = await drift(id, { repeat: 1, headers: [{ name: 'Authorization', value: 'Bearer real' }] });
  const outcomes = report.results.map(
    ({ route: of, verdict, reason, request }: Record<string, unknown>) =>
      `${of as string}: ${(reason ?? verdict) as string}${request === null ? '' : ` ${(request as { path: string }).path}`}`,
  );
  expect(outcomes).toEqual([
    'GET /q: same /q?a%20b=c%26d',
    'GET /q: noSample',
    'GET /q: same /q',
    'GET /users/:id/:tab?: same /users/%C3%B6%207',
    'GET /users/:id/:tab?: noSample',
    'HEAD /h: same /h',
    'POST /p: unsafe',
    'GET /secret: same /secret',
    'GET /fault: fault',
    'GET /turns: same /turns',
    'GET /turns: notByRequest',
    'GET /real: proxied',
  ]);
  expect(report).toMatchObject({ verdict: 'same', requests: 6, counts: { same: 6, skipped: 6 } });
  expect(new Set(seen.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer real']));
  expect(seen.find(({ url }) => url?.startsWith('/q?'))?.headers['x-kind']).toBe('K');
  expect(JSON.stringify(report)).not.toContain('Bearer');
  const unsafe = await drift(id, { repeat: 1, unsafe: true, routes: [report.results[6].routeId] });
  expect(unsafe.results).toMatchObject([{ verdict: 'same', request: { method: 'POST', path: '/p' } }]);
});

test('samples are sent as they were recorded, without credentials; of a sequence each response that has one', async () => {
  answer = json({ a: 1 });
  const sample = (path: string, more: Fields = {}) => ({ sample: { path, ...more } });
  const line = (name: string, value: string) => ({ name, value });
  const headers = [
    line('x-kind', 'k'),
    line('Authorization', 'Bearer redacted-01234567'),
    line('if-none-match', '"1"'),
  ];
  const id = await mock([
    route('GET /users/:id', [body({ a: 1 }, sample('/users/a%2Fb', { query: 'q=1&q=2', headers }))]),
    route('POST /users', [body({ a: 1 }, sample('/users', { body: '{"n":1}' }))]),
    route('GET /turns', [body({ a: 1 }, sample('/turns')), body({ a: 'x' }, sample('/turns'))], {
      selection: 'sequential',
    }),
    route('GET /secret', [body({ a: 1 }, sample('/secret', { query: 'token=redacted-01234567' }))]),
    route('GET /wrong', [body({ a: 1 }, sample('/other')), body({ a: 1 })]),
  ]);
  const { results } = await drift(id, { repeat: 1 });
  expect(results.map(({ reason, verdict }: Record<string, string>) => reason ?? verdict)).toEqual([
    'same',
    'unsafe',
    'same',
    'changed',
    'redacted',
    'otherResponse',
    'noSample',
  ]);
  expect(seen.find(({ url }) => url === '/users/a%2Fb?q=1&q=2')?.headers).toMatchObject({ 'x-kind': 'k' });
  for (const name of ['authorization', 'if-none-match']) expect(seen[0]?.headers).not.toHaveProperty(name);
});

test('a service that wants the credential of a sample has not drifted: it is named, and compared once it is given', async () => {
  answer = (request, response) =>
    request.headers.authorization === 'Bearer real' || request.url === '/open'
      ? json({ a: 1 })(request, response)
      : json({ error: 'who?' }, 401)(request, response);
  const headers = [{ name: 'Authorization', value: 'Bearer redacted-01234567' }];
  const id = await mock([
    route('GET /me', [body({ a: 1 }, { sample: { path: '/me', headers } })]),
    route('GET /open', [body({ a: 1 }, { sample: { path: '/open', headers } })]),
    route('GET /denied', [body({ error: 'x' }, { status: 401, sample: { path: '/denied', headers } })]),
    route('GET /bare', [body({ a: 1 }, { sample: { path: '/bare' } })]),
  ]);
  const { results } = await drift(id, { repeat: 1 });
  expect(results).toMatchObject([
    {
      verdict: 'skipped',
      reason: 'noCredential',
      detail: expect.stringContaining('give authorization in the headers'),
    },
    { verdict: 'same' },
    { verdict: 'same' },
    { verdict: 'changed', changes: [{ kind: 'status' }] },
  ]);
  const given = [{ name: 'authorization', value: 'Bearer real' }];
  expect((await drift(id, { repeat: 1, headers: given, routes: [results[0].routeId] })).verdict).toBe('same');
});

test('`stage` puts answers with breaking changes into the working copy, which is served once it is saved', async () => {
  answer = (request, response) =>
    request.url === '/ok'
      ? json({ a: 2 })(request, response)
      : request.url === '/away'
        ? json({ error: 'no' }, 503)(request, response)
        : void response
            .writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip', 'set-cookie': 's=1', 'x-new': '1' })
            .end(gzipSync('{"a":"{{now}}"}'));
  const id = await mock([
    route('GET /ok', [body({ a: 1 })]),
    route('GET /away', [body({ a: 1 })]),
    route('GET /new', [body({ a: 1 }, { templated: true })]),
  ]);
  expect(await drift(id, { stage: true })).toMatchObject({ verdict: 'breaking', staged: 1, problem: null });
  const { routes } = await data('GET', `/${id}/staged`);
  expect(routes.map(({ responses }: { responses: Fields[] }) => responses[0])).toMatchObject([
    { body: '{"a":1}' },
    { body: '{"a":1}' },
    { status: 200, body: '{"a":"{{now}}"}', templated: false, headers: [...JSON_LINES, { name: 'x-new', value: '1' }] },
  ]);
  expect(await data('GET', `/${id}`)).toMatchObject({ version: 1, hasStagedChanges: true });
  expect(await drift(id, { against: 'staged', routes: [routes[2].id] })).toMatchObject({
    version: null,
    verdict: 'same',
  });
  await data('POST', `/${id}/save`);
  expect(await drift(id, { against: 1 })).toMatchObject({ version: 1, verdict: 'breaking' });
});

test('a service that does not answer has failed, with what would help', async () => {
  answer = (_request, response) => void response.destroy();
  const id = await mock([route('GET /x', [body({ a: 1 })])]);
  expect(await drift(id)).toMatchObject({
    verdict: 'failed',
    requests: 1,
    results: [{ verdict: 'failed', reason: 'lost' }],
  });
  expect(await drift(id, { upstream: 'http://10.0.0.1' })).toMatchObject({
    verdict: 'failed',
    results: [
      { reason: 'addressRefused', detail: '10.0.0.1:80 is not a public address: allow it with --egress-allow' },
    ],
  });
  // A body above the bound: what is known without it is compared still.
  answer = (_request, response) => void response.writeHead(200, JSON_TYPE).end(`"${'x'.repeat(1_048_576)}"`);
  // reaches DRIFT_BODY_BYTES_MAX
  expect(await drift(id)).toMatchObject({ verdict: 'failed', results: [{ verdict: 'skipped', reason: 'tooLarge' }] });
});

test('a run can be cancelled; its owner has two at a time, and finds the last ten', async () => {
  answer = () => undefined;
  const id = await mock([route('GET /x', [body({ a: 1 })]), route('GET /y', [body({ a: 1 })])]);
  const start = () => api('POST', `/${id}/drifts`, { upstream: UPSTREAM });
  const [one, two] = [await start(), await start()];
  // reaches DRIFTS_RUNNING_PER_OWNER_MAX
  expect(await start()).toMatchObject({ status: 403, json: { message: 'Limit reached: 2 drift runs at a time' } });
  expect(await data('GET', `/${id}/drifts/${one.json.data.id}?waitMs=1`)).toMatchObject({
    state: 'running',
    verdict: null,
  });
  for (const { json: started } of [one, two])
    expect(await data('DELETE', `/${id}/drifts/${started.data.id}`)).toMatchObject({
      state: 'cancelled',
      verdict: null,
    });
  const { results, counts } = await data('GET', `/${id}/drifts/${one.json.data.id}`);
  expect(counts).toMatchObject({ skipped: 2 });
  expect(results).toMatchObject([{ reason: 'cancelled' }, { reason: 'cancelled' }]);
  answer = json({ a: 1 });
  const ids: string[] = [];
  for (let count = 0; count < 10; count++) ids.push((await drift(id)).id);
  // reaches DRIFT_REPORTS_PER_OWNER_MAX
  const listed = await data('GET', `/${id}/drifts`);
  expect(listed.map((each: { id: string }) => each.id)).toEqual(ids.toReversed());
  expect(listed[0]).not.toHaveProperty('results');
  expect(await api('GET', `/${id}/drifts/${one.json.data.id}`)).toMatchObject({
    status: 404,
    json: {
      message: 'Drift not found',
      details: [{ message: expect.stringMatching(/^the server that ran it keeps the last 10 reports/) }],
    },
  });
});

test('the metrics count drift runs', async () => {
  answer = json({ a: 1 });
  const counted = async () => {
    const metrics = await server.metrics();
    return Number(/^switchyard_drift_runs_total\{verdict="same"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  const before = await counted();
  await drift(await mock([route('GET /x', [body({ a: 1 })])]));
  expect(await counted()).toBe(before + 1);
});

test('what cannot be asked for is refused, with a pointer', async () => {
  const id = await mock([route('GET /x', [body({ a: 1 })])]);
  const refused = async (asked: Fields) => {
    const { status, json: answered } = await api('POST', `/${id}/drifts`, asked);
    return { status, details: answered.details };
  };
  expect(await refused({})).toEqual({
    status: 400,
    details: [
      {
        path: '/upstream',
        message: 'is required: the settings of the mock have no proxy, so name the service to compare with',
      },
    ],
  });
  const details = async (asked: Fields) => (await refused(asked)).details.map(({ path }: { path: string }) => path);
  expect(
    await details({
      upstream: 'ftp://x',
      ignore: ['$.a', 'a['],
      routes: ['no'],
      headers: [{ name: 'a b', value: '' }],
    }),
  ).toEqual(['/upstream', '/headers/0', '/ignore/1', '/routes/0']);
  // reaches DRIFT_REPEAT_MAX, DRIFT_IGNORE_MAX
  expect(await details({ upstream: UPSTREAM, repeat: 4, ignore: Array(21).fill('$.a'), misspelt: 1 })).toHaveLength(3);
  expect(await refused({ upstream: UPSTREAM, against: 9 })).toMatchObject({ status: 404 });
  // reaches DRIFT_WAIT_MS_MAX
  const { id: run } = await data('POST', `/${id}/drifts`, { upstream: UPSTREAM });
  expect(await api('GET', `/${id}/drifts/${run}?waitMs=30001`)).toMatchObject({ status: 400 });
  await data('DELETE', `/${id}/drifts/${run}`);
});

test('a mock that is deleted and made again has no runs, and gets nothing of one that is under way', async () => {
  const begun: (() => void)[] = [];
  answer = (request, response) => void begun.push(() => json({ other: 1 })(request, response));
  const made = { id: 'remade', name: 'drift', routes: [{ id: 'r', ...route('GET /', [body({ a: 1 })]) }] };
  const { id } = await data('POST', '', made);
  const { id: run } = await data('POST', `/${id}/drifts`, { upstream: UPSTREAM, repeat: 1, stage: true });
  await expect.poll(() => begun.length).toBe(1);
  expect((await api('DELETE', `/${id}`)).status).toBe(200);
  await data('POST', '', made);
  begun[0]?.();
  expect(await data('GET', `/${id}/drifts`)).toEqual([]);
  expect((await api('GET', `/${id}/drifts/${run}`)).status).toBe(404);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect((await data('GET', `/${id}/staged`)).routes[0].responses[0].body).toBe('{"a":1}');
  expect((await api('DELETE', `/${id}`)).status).toBe(200);
});
