/** Requests that a mock sends after its answers, over HTTP with two threads: what a receiver gets, attempts, bounds; docs/callbacks.md. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { CallbackRecord } from '../../src/model/mocks/callback-record.ts';
import { receiveCallbacks } from '../support/callback-receiver.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();
const { port, url, seenBy, answers } = await receiveCallbacks();

/** A mock whose `POST /` is followed by these. */
const calling = (callbacks: readonly Fields[], response: Fields = {}, settings: Fields = {}): Promise<string> =>
  two.mock([route('POST /', [{ ...response, callbacks }])], settings);
const post = (mock: string, body: object | string = {}, headers: Record<string, string> = {}) =>
  two.ask(mock, '/', {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });
// oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
const listed = async (mock: string, query = ''): Promise<any> =>
  (await two.api('GET', `/${mock}/callbacks${query}`)).json;
const verified = (mock: string, match: Fields, more: Fields = {}) =>
  two.data('POST', `/${mock}/verify`, { match: { kind: 'callback', ...match }, withinMs: 5_000, ...more });
const POLL = { timeout: 20_000, interval: 20 };
/** Waits until so many are over. They are handed over just after their answer. */
async function over(mock: string, count: number): Promise<CallbackRecord[]> {
  const areOver = async (): Promise<number> =>
    (await listed(mock)).data.filter(({ state }: Fields) => state !== 'waiting').length;
  await expect.poll(areOver, POLL).toBe(count);
  return (await listed(mock)).data;
}

test('a callback follows the answer, rendered from the request and the response', async () => {
  const mock = await calling(
    [
      {
        name: 'paid',
        url: `${url}/rendered/{{body 'order'}}?x={{response.status}}`,
        method: 'PUT',
        templated: 'json',
        headers: [
          { name: 'Content-Type', value: 'application/json' },
          { name: 'X-From', value: "{{response.headers.x-id}} {{header 'x-one'}}" },
        ],
        body: '{"id":"{{response.body.id}}","amount":{{body \'amount\'}}}',
      },
      {
        url: `${url}/rendered/never`,
        when: [{ target: 'body', property: 'order', operator: 'equals', value: 'other' }],
      },
    ],
    {
      status: 201,
      templated: true,
      headers: [{ name: 'X-Id', value: 'r1' }],
      body: '{"id":"{{randomInt 1 1000000}}"}',
      latency: 50,
    },
  );
  const begun = performance.now();
  const reply = await post(mock, { order: 'a b', amount: 7 }, { 'x-one': '1' });
  expect(reply.status).toBe(201);
  await expect.poll(() => seenBy('rendered').length, POLL).toBe(1);
  const { file } = await two.data('GET', `/${mock}/export?report=true`);
  const imported = await two.data('POST', '/import', JSON.parse(file));
  expect(imported.report.entries).toEqual([]);
  const staged = async (id: string) => (await two.data('GET', `/${id}/staged`)).routes;
  expect(await staged(imported.mocks[0].id)).toEqual(await staged(mock));
  const [got] = seenBy('rendered');
  expect(got).toMatchObject({
    method: 'PUT',
    url: '/rendered/a%20b?x=201',
    headers: {
      'content-type': 'application/json',
      'x-from': 'r1 1',
      'x-switchyard-depth': '1',
      'user-agent': 'switchyard',
      host: `127.0.0.1:${port}`,
    },
  });
  expect(got?.headers).not.toHaveProperty('via');
  expect(JSON.parse(got?.body ?? '')).toEqual({ id: JSON.parse(reply.text).id, amount: 7 });
  expect((got?.at ?? 0) - begun).toBeGreaterThan(45);
  const [record] = await over(mock, 1);
  expect(record).toMatchObject({
    name: 'paid',
    requestNumber: 1,
    session: null,
    method: 'PUT',
    url: `${url}/rendered/a%20b?x=201`,
    state: 'done',
    problem: null,
    attempts: [{ status: 200, problem: null }],
    body: got?.body,
    bodyTruncated: false,
  });
});

test('not after a rate limit, a status fault or a response that cannot be sent; after other faults, though', async () => {
  const callbacks = [{ url: `${url}/faults` }];
  const limited = await calling(callbacks, {}, { rateLimit: { requests: 1, perMs: 60_000, status: 429 } });
  expect([(await post(limited)).status, (await post(limited)).status]).toEqual([200, 429]);
  const failing = await calling(callbacks, { fault: { kind: 'status', status: 503 } });
  expect((await post(failing)).status).toBe(503);
  const unsendable = await calling(callbacks, { templated: true, headers: [{ name: 'x', value: "{{body 'x'}}" }] });
  expect((await post(unsendable, { x: 'a\r\nb' })).status).toBe(500);
  const closing = await calling(callbacks, { fault: { kind: 'empty' } });
  await expect(post(closing)).rejects.toThrow('socket hang up');
  await over(limited, 1);
  await over(closing, 1);
  await over(failing, 0);
  await over(unsendable, 0);
});

test('what may pass is tried again: no connection, a timeout, 5xx; nothing else', async () => {
  const dead = createServer();
  await new Promise<void>((resolve) => dead.listen(0, '127.0.0.1', resolve));
  const gone = `http://127.0.0.1:${(dead.address() as AddressInfo).port}`;
  await new Promise((resolve) => dead.close(resolve));
  answers.set('late', () => undefined);
  answers.set('broken', (_nth, response) => response.writeHead(503).end());
  answers.set('moved', (_nth, response) => response.writeHead(302, { location: `${url}/elsewhere` }).end());
  answers.set('wrong', (_nth, response) => response.writeHead(400).end('x'.repeat(200_000)));
  const retry = { max: 1, backoffMs: [10] };
  const mock = await calling([
    { name: 'gone', url: gone, retry },
    { name: 'late', url: `${url}/late`, timeoutMs: 50, retry },
    { name: 'broken', url: `${url}/broken`, retry: { max: 2, backoffMs: [10, 100] } },
    { name: 'moved', url: `${url}/moved`, retry },
    { name: 'wrong', url: `${url}/wrong`, retry },
    { name: 'once', url: `${url}/broken`, retry: { max: 0 } },
  ]);
  await post(mock);
  const byName = Object.fromEntries((await over(mock, 6)).map((record) => [record.name, record]));
  const outcome = (name: string) => {
    const { state, attempts } = byName[name] as { state: string; attempts: { status: number; problem: string }[] };
    return [state, ...attempts.map(({ status, problem }) => status ?? problem.replace(/:.*/s, ''))];
  };
  expect(outcome('gone')).toEqual(['failed', 'unreachable', 'unreachable']);
  expect(outcome('late')).toEqual(['failed', 'timeout', 'timeout']);
  expect(outcome('broken')).toEqual(['failed', 503, 503, 503]);
  expect(outcome('moved')).toEqual(['failed', 302]);
  expect(outcome('wrong')).toEqual(['failed', 400]);
  expect(outcome('once')).toEqual(['failed', 503]);
  expect(seenBy('elsewhere')).toEqual([]);
  expect(byName.wrong?.problem).toBe('answered with the status 400');
  expect(await verified(mock, { name: 'broken', attempts: 3, state: 'failed' }, { exactly: 1 })).toMatchObject({
    verified: true,
  });
});

test('delays and repetitions are drawn from the seed, and repetitions have one id', async () => {
  const callbacks = [
    {
      url: `${url}/{{body 'to'}}`,
      templated: true,
      body: '{{uuid}}',
      delay: { min: 20, max: 120 },
      repeat: 3,
      sign: { scheme: 'standard', secret: 'plain' },
    },
  ];
  const timesOf = async (to: string): Promise<{ bodies: string[]; ids: unknown[] }> => {
    const mock = await calling(callbacks, {}, { seed: 5 });
    await post(mock, { to });
    await over(mock, 3);
    return { bodies: seenBy(to).map(({ body }) => body), ids: seenBy(to).map(({ headers }) => headers['webhook-id']) };
  };
  const [one, other] = [await timesOf('seed-a'), await timesOf('seed-b')];
  expect(one.bodies).toEqual(other.bodies);
  expect(one.bodies).toHaveLength(3);
  expect(new Set(one.bodies).size).toBe(1);
  expect(new Set(one.ids).size).toBe(1);
});

// reaches CALLBACK_DEPTH_MAX
test('two mocks that call each other back end after five callbacks', async () => {
  const other = await two.mock([]);
  const mine = await calling([{ url: `http://127.0.0.1:${two.server.mockPort}/__mock/${other}/` }]);
  await two.save(other, [
    route('POST /', [{ callbacks: [{ url: `http://127.0.0.1:${two.server.mockPort}/__mock/${mine}/` }] }]),
  ]);
  await post(mine);
  const statesOf = async (): Promise<string[]> =>
    [...(await listed(mine)).data, ...(await listed(other)).data].map(({ state }: CallbackRecord) => state);
  await expect
    .poll(async () => (await statesOf()).toSorted((one, next) => one.localeCompare(next)), POLL)
    .toEqual(['done', 'done', 'done', 'done', 'done', 'refused']);
  const all = [...(await listed(mine)).data, ...(await listed(other)).data];
  expect(all.find(({ state }) => state === 'refused').problem).toContain('depth');
});

test('so does a circle that leads through a mock that sends requests on', async () => {
  const own = `http://127.0.0.1:${two.server.mockPort}/__mock`;
  const front = await two.mock([]);
  const mine = await calling([{ url: `${own}/${front}/`, delay: 10 }]);
  await two.save(front, [], { proxy: { upstream: `${own}/${mine}` } });
  await post(mine);
  const states = (await over(mine, 6)).map(({ state }) => state);
  expect(states).toEqual(['refused', 'done', 'done', 'done', 'done', 'done']);
});

test('a host that a request chooses must be allowed; an origin cannot be left by a template', async () => {
  const mock = await calling([
    { name: 'chosen', url: "{{body 'url'}}", templated: true },
    { name: 'kept', url: `${url}/{{body 'path'}}`, templated: true },
  ]);
  await post(mock, { url: 'http://example.com/x', path: '../chosen' });
  const refused = await over(mock, 2);
  expect(refused.map(({ name, state }) => `${name} ${state}`)).toEqual(['kept done', 'chosen refused']);
  expect(refused[1]?.problem).toContain('--callback-allow');
  // On a loopback host this machine may be chosen, as it may be named.
  await post(mock, { url: `${url}/chosen`, path: 'x' });
  expect((await over(mock, 4))[1]).toMatchObject({ name: 'chosen', state: 'done' });
  // reaches CALLBACK_URL_CHARS_MAX
  await post(mock, { url, path: 'x'.repeat(8_192) });
  expect((await over(mock, 6)).find(({ state, name }) => name === 'kept' && state === 'refused')?.problem).toContain(
    '8192',
  );
  const always = await calling([{ url: 'http://[::ffff:169.254.169.254]/latest' }]);
  await post(always);
  expect(await over(always, 1)).toMatchObject([
    { state: 'refused', problem: expect.stringContaining('always refused') },
  ]);
});

test('a session changes callbacks, sees its own, and its end cancels what waits of it alone', async () => {
  const mock = await calling([{ name: 'later', url: `${url}/sessions`, delay: 60_000 }]);
  const sessionOf = async (overlay: Fields = {}): Promise<string> =>
    (await two.data('POST', `/${mock}/sessions`, { overlay })).id;
  const [routeId] = (await two.data('GET', `/${mock}/staged`)).routes.map(({ id }: { id: string }) => id);
  const [one, other, none, soon] = [
    await sessionOf(),
    await sessionOf(),
    await sessionOf({ responses: { [routeId]: { merge: { callbacks: [] } } } }),
    await sessionOf({ responses: { [routeId]: { merge: { callbacks: [{ name: 'soon', url: `${url}/soon` }] } } } }),
  ];
  for (const session of [one, one, other, none, soon]) await post(mock, {}, { 'x-mock-session': session });
  await post(mock);
  const of = (session: string, query = '') =>
    listed(mock, '').then(() => two.api('GET', `/${mock}/sessions/${session}/callbacks${query}`));
  await expect.poll(async () => (await listed(mock)).total, POLL).toBe(5);
  expect((await of(one)).json).toMatchObject({
    total: 2,
    truncated: false,
    data: [{ session: one, state: 'waiting' }, {}],
  });
  expect((await of(none)).json.total).toBe(0);
  const inSession = { match: { kind: 'callback', name: 'soon', state: 'done' }, exactly: 1, withinMs: 3_000 };
  expect(await two.data('POST', `/${mock}/sessions/${soon}/verify`, inSession)).toMatchObject({
    verified: true,
    count: 1,
  });
  expect((await listed(mock, `?session=${other}`)).total).toBe(1);

  expect(await two.data('DELETE', `/${mock}/sessions/${one}`)).toMatchObject({ callbacksCanceled: 2 });
  expect(await two.data('DELETE', `/${mock}/sessions/${soon}`)).not.toHaveProperty('callbacksCanceled');
  const nameOf = new Map<string | null, string>([
    [null, 'mock'],
    [one, 'one'],
    [other, 'other'],
    [soon, 'soon'],
  ]);
  const states = async (): Promise<string[]> =>
    (await listed(mock)).data
      .map(({ session, state }: CallbackRecord) => `${nameOf.get(session) ?? ''} ${state}`)
      .toSorted((before: string, after: string) => before.localeCompare(after));
  expect(await states()).toEqual(['mock waiting', 'one canceled', 'one canceled', 'other waiting', 'soon done']);
  await two.data('POST', `/${mock}/stop`);
  expect(await states()).toEqual(['mock canceled', 'one canceled', 'one canceled', 'other canceled', 'soon done']);
  expect(seenBy('sessions')).toEqual([]);
});

test('lists are paged, filtered and waited for; what nothing matches is not verified, and says what came', async () => {
  const mock = await calling([
    { name: 'a', url: `${url}/paged?n=1`, headers: [{ name: 'X-Kind', value: 'paid' }], body: 'the body' },
    { name: 'b', url: `${url}/paged`, delay: 400 },
  ]);
  await post(mock);
  await over(mock, 1);
  const { revision } = await listed(mock);
  const waited = await listed(mock, `?after=${revision}&waitMs=5000&name=b`);
  expect(waited.revision).not.toBe(revision);
  await over(mock, 2);
  const first = await listed(mock, '?limit=1');
  expect(first).toMatchObject({ total: 2, data: [{ name: 'b' }], nextBefore: expect.any(Number) });
  const next = await listed(mock, `?limit=1&before=${first.nextBefore}`);
  expect(next).toMatchObject({ data: [{ name: 'a' }], nextBefore: null });
  const har = (await two.api('GET', `/${mock}/callbacks?format=har&limit=1`)).json as unknown as {
    log: { entries: object[] };
  };
  expect(har.log).toMatchObject({ _switchyard: { total: 2, truncated: false, nextBefore: first.nextBefore } });
  expect(har.log.entries).toMatchObject([
    {
      request: { method: 'POST', url: `${url}/paged` },
      response: { status: 200 },
      _switchyard: { name: 'b', state: 'done' },
    },
  ]);
  for (const wrong of ['?state=no', '?limit=0', '?waitMs=30001', '?nope=1'])
    expect((await two.api('GET', `/${mock}/callbacks${wrong}`)).status, wrong).toBe(400);

  const match = { url: `${url}/paged?n=1`, method: 'POST', header: { 'x-kind': 'paid' }, bodyContains: 'e bo' };
  expect(await verified(mock, match, { exactly: 1 })).toMatchObject({ verified: true, count: 1, truncated: false });
  const missing = await verified(mock, { name: 'c' }, { withinMs: 0 });
  expect(missing).toMatchObject({ verified: false, count: 0, callbacks: [{ name: 'b' }, { name: 'a' }] });
  expect(await verified(mock, {}, { atMost: 1, withinMs: 0 })).toMatchObject({ verified: false, count: 2 });
  expect((await two.api('POST', `/${mock}/verify`, { match: { kind: 'callback', nam: 'a' } })).status).toBe(400);
  expect(await two.api('POST', `/${mock}/verify`, { match: { name: 'a', method: 'POST' } })).toMatchObject({
    status: 400,
    json: { details: [{ path: '/match/kind' }] },
  });
  await two.api('DELETE', `/${mock}/requests`);
  expect((await listed(mock)).total).toBe(0);
});

test('a dry run shows what would be sent, without the secret, and sends nothing', async () => {
  const mock = await calling(
    [
      {
        name: 'tried',
        url: `${url}/tried/{{body 'id'}}`,
        templated: 'json',
        body: '{"id":"{{response.body.id}}","x":"{{response.headers.x-id}}"}',
        headers: [{ name: 'X-Draw', value: '{{uuid}}' }],
        delay: { min: 1, max: 5 },
        sign: { scheme: 'github', secret: 'not shown' },
      },
      { url: `${url}/tried`, when: [{ target: 'method', operator: 'equals', value: 'GET' }] },
    ],
    { body: '{"id":"r"}', headers: [{ name: 'X-Id', value: 'h' }] },
    { seed: 3 },
  );
  const asked = { method: 'POST', path: '/', body: '{"id":"1"}', headers: { 'content-type': 'application/json' } };
  const { explanation } = await two.data('POST', `/${mock}/try`, asked);
  expect(explanation.callbacks).toMatchObject([
    {
      name: 'tried',
      method: 'POST',
      url: `${url}/tried/1`,
      body: '{"id":"r","x":"h"}',
      signed: 'github',
      delaysMs: [expect.any(Number)],
    },
  ]);
  expect(JSON.stringify(explanation)).not.toContain('not shown');
  expect((await two.data('POST', `/${mock}/try`, asked)).explanation.callbacks).toEqual(explanation.callbacks);
  expect(seenBy('tried')).toEqual([]);
  await post(mock, { id: '1' });
  await over(mock, 1);
  const [sent] = seenBy('tried');
  expect(sent).toMatchObject({ url: '/tried/1', body: '{"id":"r","x":"h"}' });
  // As the dry run has drawn it.
  expect(sent?.headers['x-draw']).toBe(explanation.callbacks[0].headers[0].value);
});
