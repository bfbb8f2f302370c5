/** Mocks from the API to the answer: what a reply promises is served by every thread, and nothing else. docs/mocks-fields.md. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../src/client/index.ts';
import { revokeKey } from '../../src/cli/keys.ts';
import { DRAIN_MS } from '../../src/limits.ts';
import { askMock } from '../support/ask-mock.ts';
import { NAMED_METRICS, temporaryDirectory, TestServer, type Answer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, owner, key } = await useOwnServer(['--workers', '2', ...NAMED_METRICS]);

const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, { key, ...(body === undefined ? {} : { body }) });

async function running(body: string, more: Record<string, unknown> = {}): Promise<string> {
  const answer = await api('POST', '', { name: 'm', start: true, routes: [route(body)], ...more });
  expect(answer.json).toMatchObject({ success: true });
  return answer.json.data.id;
}

const route = (body: string, more: Record<string, unknown> = {}) => ({
  method: 'GET',
  path: '/',
  responses: [{ body }],
  ...more,
});

/** A request on a connection of its own, so that both threads get their share. */
function ask(
  id: string,
  path = '/',
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}${path}`, {
    ...init,
    headers: { connection: 'close', ...init.headers },
  });
}

const text = async (id: string, path = '/'): Promise<string> => (await ask(id, path)).text();

test('what a reply to create, save, start, stop and delete says is served at once, by every thread', async () => {
  const id = await running('v1');
  for (let version = 2; version <= 12; version++) {
    await api('PUT', `/${id}/staged`, { routes: [route(`v${version}`)] });
    expect(await Promise.all([text(id), text(id)])).toEqual([`v${version - 1}`, `v${version - 1}`]);
    expect((await api('POST', `/${id}/save`)).json.data).not.toHaveProperty('published');
    expect(await Promise.all(Array.from({ length: 6 }, () => text(id)))).toEqual(
      Array.from({ length: 6 }, () => `v${version}`),
    );
    await api('POST', `/${id}/stop`);
    const stopped = await Promise.all(Array.from({ length: 4 }, () => ask(id)));
    expect(stopped.map(({ status }) => status)).toEqual([503, 503, 503, 503]);
    expect(stopped[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    await api('POST', `/${id}/start`);
  }
  await api('DELETE', `/${id}`);
  for (const answer of await Promise.all(Array.from({ length: 4 }, () => ask(id)))) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ success: false, message: expect.any(String) });
  }
});

test('swaps under load answer only from whole versions', async () => {
  const routes = (version: number) =>
    ['a', 'b'].map((name) => ({ method: 'GET', path: `/${name}`, responses: [{ body: `${version}` }] }));
  const id = await running('', { routes: routes(1) });
  let saved = 1;
  const load = { on: true };
  const seen: string[] = [];
  const clients = Array.from({ length: 8 }, async (_each, index) => {
    while (load.on) {
      const before = saved;
      const answer = await text(id, index % 2 === 0 ? '/a' : '/b');
      seen.push(answer);
      // Never older than what was confirmed before the request.
      expect(Number(answer)).toBeGreaterThanOrEqual(before);
    }
  });
  for (let version = 2; version <= 12; version++) {
    await api('PUT', `/${id}/staged`, { routes: routes(version) });
    await api('POST', `/${id}/save`);
    saved = version;
  }
  load.on = false;
  await Promise.all(clients);
  expect(seen.length).toBeGreaterThan(50);
});

test('fifty test runs at once each create, use, verify and delete their mock without seeing each other', async () => {
  const run = async (index: number): Promise<void> => {
    const id = await running(`run ${index}`);
    for (let request = 0; request < 5; request++) expect(await text(id)).toBe(`run ${index}`);
    const verified = await api('POST', `/${id}/verify`, { match: { path: '/' }, exactly: 5 });
    expect(verified.json.data).toMatchObject({ verified: true, count: 5 });
    await api('DELETE', `/${id}`);
    expect((await ask(id)).status).toBe(404);
  };
  await Promise.all(Array.from({ length: 50 }, (_each, index) => run(index)));
});

test('kill -9 of the data plane under load: it comes back with what is committed, the API never fails, and what was open or remembered is gone', async () => {
  const open = [
    { method: 'GET', path: '/events', responses: [{ stream: { events: [{ data: 'open' }], end: 'open' } }] },
    { kind: 'ws', method: 'GET', path: '/ws', responses: [{ when: 'open', body: 'hello' }] },
    { kind: 'crud', path: '/items', store: 'items' },
  ];
  const held = await running('held', { routes: open, settings: { stores: [{ name: 'items', value: [] }] } });
  expect((await ask(held, '/items', { method: 'POST', body: '{"id":7}' })).status).toBe(201);
  const { epoch } = (await api('GET', `/${held}/counts`)).json.data;
  const events = (await ask(held, '/events')).body?.getReader();
  await events?.read();
  const socket = new WebSocket(`ws://127.0.0.1:${server.mockPort}/__mock/${held}/ws`);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  await once(socket, 'message');
  const id = await running('before');
  const child = (): number[] =>
    execFileSync('ps', ['-o', 'pid=', '--ppid', String(server.pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/)
      .map(Number);
  const [first] = child();
  const load = { on: true };
  const clients = Array.from({ length: 4 }, async () => {
    while (load.on) await text(id).catch(() => undefined);
  });
  const reads = (async () => {
    while (load.on) expect((await api('GET', `/${id}`)).status).toBe(200);
  })();
  await api('PUT', `/${id}/staged`, { routes: [route('after')] });
  process.kill(first as number, 'SIGKILL');
  const save = await api('POST', `/${id}/save`);
  expect(save.status).toBe(200);
  await expect.poll(() => text(id).catch(() => ''), { timeout: 10_000 }).toBe('after');
  expect(child()).not.toContain(first);
  load.on = false;
  await Promise.all([...clients, reads]);
  const rest = async (): Promise<void> => {
    while ((await events?.read())?.done === false);
  };
  await expect(rest()).rejects.toThrow('terminated');
  expect(await closed).toBe(1006);
  expect(await text(held, '/items/7')).not.toContain('"id":7');
  const { epoch: next, total } = (await api('GET', `/${held}/counts`)).json.data;
  expect([next === epoch, total]).toEqual([false, 1]);
});

test('a restart of the service serves what was saved, and nothing that was only staged', async () => {
  const id = await running('saved');
  const stopped = await running('stopped');
  await api('POST', `/${stopped}/stop`);
  await api('PUT', `/${id}/staged`, { routes: [route('staged')] });
  await server.restart();
  expect(await text(id)).toBe('saved');
  expect((await ask(stopped)).status).toBe(503);
});

test('sequences count exactly across threads, and start anew with a save', async () => {
  const responses = Array.from({ length: 100 }, (_each, index) => ({ body: String(index) }));
  const id = await running('', { routes: [{ method: 'GET', path: '/', selection: 'sequential', responses }] });
  for (let round = 0; round < 2; round++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => text(id)));
    expect(answers.map(Number).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_each, index) => index));
    await api('POST', `/${id}/save`);
  }
});

describe('traffic', () => {
  test('shows a request as soon as its reply was received, filters, counts and resets', async () => {
    const id = await running('hi', {
      routes: [route('hi'), { method: 'POST', path: '/orders/:id', responses: [{ status: 201 }] }],
    });
    await ask(id, '/?a=1', { headers: { 'x-test': 'yes' } });
    await ask(id, '/orders/7', { method: 'POST', body: '{"n":1}' });
    await ask(id, '/nowhere');
    const { json } = await api('GET', `/${id}/requests`);
    expect(json).toMatchObject({ total: 3, truncated: false, oldest: null, epoch: expect.any(String) });
    expect(json.data.map(({ path, status }: { path: string; status: number }) => [path, status])).toEqual([
      ['/nowhere', 404],
      ['/orders/7', 201],
      ['/', 200],
    ]);
    expect(json.data[1]).toMatchObject({ method: 'POST', body: '{"n":1}', bodyTruncated: false, version: 1 });
    for (const [query, total] of [
      ['status=201', 1],
      ['method=GET', 2],
      ['path=/orders/7', 1],
      ['matched=false', 1],
      ['matched=true&method=GET', 1],
      ['since=99999999999999', 0],
      ['limit=1', 3],
    ] as const) {
      expect((await api('GET', `/${id}/requests?${query}`)).json.total, query).toBe(total);
    }
    expect((await api('GET', `/${id}/requests?matched=maybe`)).status).toBe(400);
    expect((await api('GET', `/${id}/counts`)).json.data).toMatchObject({ total: 3, unmatched: 1 });
    expect((await api('DELETE', `/${id}/requests`)).status).toBe(200);
    expect((await api('GET', `/${id}/requests`)).json.data).toEqual([]);
    expect((await api('GET', `/${id}/counts`)).json.data).toMatchObject({ total: 0, unmatched: 0 });
  });

  test('verify waits for what is still to come, and says what came instead', async () => {
    const id = await running('hi', { routes: [{ method: 'GET', path: '/users/:id', responses: [{}] }] });
    const waiting = api('POST', `/${id}/verify`, {
      match: { path: '/users/:id', header: { 'X-Run': '7' } },
      atLeast: 2,
      withinMs: 5_000,
    });
    for (let request = 0; request < 2; request++) await ask(id, `/users/${request}`, { headers: { 'x-run': '7' } });
    expect((await waiting).json.data).toMatchObject({ verified: true, count: 2 });
    const missed = (await api('POST', `/${id}/verify`, { match: { path: '/users/9' } })).json.data;
    expect(missed).toMatchObject({ verified: false, count: 0 });
    expect(missed.closest[0].path).toBe('/users/1');
    expect((await api('POST', `/${id}/verify`, { match: {}, atMost: 1 })).json.data.verified).toBe(false);
    expect((await api('POST', `/${id}/verify`, { match: {}, withinMs: 60_000 })).status).toBe(400);
  });

  test('a stream tells requests as they come, and ends with the service', async () => {
    const id = await running('hi');
    await text(id, '/before');
    const response = await fetch(`http://127.0.0.1:${server.port}/v1/mocks/${id}/requests/stream`, {
      headers: { 'x-api-key': key },
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
    let events = '';
    const until = async (wanted: string): Promise<void> => {
      while (!events.includes(wanted)) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended before ${wanted}: ${events}`);
        events += value;
      }
    };
    await new Promise((resolve) => setTimeout(resolve, 200));
    await text(id, '/one');
    await until('"/one"');
    await text(id, '/two');
    await until('"/two"');
    expect(events).not.toContain('"/before"');
    expect(events).toMatch(/event: request\ndata: \{"id":"\d+"/);
    const stopping = performance.now();
    await server.end();
    expect(performance.now() - stopping).toBeLessThan(DRAIN_MS);
    await server.start();
  });
});

describe('what a review found:', () => {
  test('a pattern stands for every route that has it', async () => {
    const id = await running('', {
      routes: ['GET', 'DELETE'].map((method) => ({ method, path: '/u/:id', responses: [{}] })),
    });
    await ask(id, '/u/1', { method: 'DELETE' });
    await ask(id, '/u/1');
    const verified = await api('POST', `/${id}/verify`, { match: { method: 'DELETE', path: '/u/:id' }, exactly: 1 });
    expect(verified.json.data.verified).toBe(true);
    expect((await api('POST', `/${id}/verify`, { match: { path: '/u/:id' }, exactly: 2 })).json.data.verified).toBe(
      true,
    );
  });

  test('a stream goes on after a reset, and ends with its key and with its mock', async () => {
    const id = await running('hi');
    const viewer = await server.key(owner, 'vic', 'viewer');
    const follow = async (as: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}/v1/mocks/${id}/requests/stream`, {
        headers: { 'x-api-key': as },
      });
      const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream()).getReader();
      let events = '';
      const ended = (async () => {
        for (let piece = await reader.read(); !piece.done; piece = await reader.read()) events += piece.value;
      })().catch(() => undefined);
      return { ended, events: () => events };
    };
    const [one, two] = [await follow(key), await follow(viewer)];
    await new Promise((resolve) => setTimeout(resolve, 300));
    await text(id, '/1');
    await expect.poll(one.events).toContain('"/1"');
    await api('DELETE', `/${id}/requests`);
    await text(id, '/2');
    await text(id, '/3');
    await expect.poll(one.events).toContain('"/3"');
    expect(one.events()).toContain('"/2"');
    expect(one.events()).toContain('event: reset');
    await revokeKey(server.data, viewer.split('_')[1] as string);
    await two.ended;
    await api('DELETE', `/${id}`);
    await one.ended;
  });

  test('a verification that waits does not hold up a stop', async () => {
    const id = await running('hi');
    const waiting = api('POST', `/${id}/verify`, { match: { path: '/never' }, withinMs: 30_000 });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const stopping = performance.now();
    await server.end();
    expect(performance.now() - stopping).toBeLessThan(DRAIN_MS);
    await server.start();
    expect((await waiting).json.data.verified).toBe(false);
  });
});

describe('try', () => {
  const routes = [
    {
      method: 'GET',
      path: '/users/:id',
      responses: [
        { status: 403, rules: [{ target: 'header', property: 'role', operator: 'equals', value: 'guest' }] },
        { body: "user {{urlParam 'id'}}", templated: true },
      ],
    },
  ];

  test('answers with reasons, from the staged or the saved version, and leaves counts alone', async () => {
    const id = await running('', { routes });
    await api('PUT', `/${id}/staged`, { routes: [{ ...routes[0], path: '/people/:id' }] });
    const tried = (path: string, against: string, headers = {}) =>
      api('POST', `/${id}/try`, { method: 'GET', path, against, headers });
    const saved = (await tried('/users/7?x=1', 'saved')).json.data;
    expect(saved.response).toMatchObject({ status: 200, body: 'user 7' });
    expect(saved.explanation.candidates[0].rules[0]).toMatchObject({ holds: false, actual: [] });
    expect((await tried('/users/7', 'saved', { Role: 'guest' })).json.data.response.status).toBe(403);
    expect((await tried('/people/7', 'staged')).json.data.response.body).toBe('user 7');
    const missed = (await tried('/people/7', 'saved')).json.data;
    expect(missed).toMatchObject({ response: null, route: null, chosen: null });
    expect(missed.explanation.nearest.length).toBeGreaterThan(0);
    expect((await api('GET', `/${id}/counts`)).json.data.total).toBe(0);
    expect((await api('POST', `/${id}/try`, { method: 'GET', path: 'x', against: 'saved' })).status).toBe(400);
  });
});

test('metrics have the statuses of a mock, and how long its answers took, recorded or not, in sessions and after them', async () => {
  for (const traffic of [true, false]) {
    const routes = [
      { method: 'GET', path: '/fast', responses: [{ body: 'a' }] },
      { method: 'GET', path: '/slow', responses: [{ status: 503, latency: 60 }] },
    ];
    const id = await running('', { routes, settings: { traffic } });
    const { data: session } = (await api('POST', `/${id}/sessions`, {})).json;
    for (const path of ['/fast', '/fast', '/none', '/slow']) await askMock(server.mockPort, path, { mock: id });
    await askMock(server.mockPort, '/slow', { mock: `${session.id}--${id}` });
    const shown = async () => {
      const metrics: string = await server.metrics();
      const of = (name: string, labels = '') =>
        Number(new RegExp(`^switchyard_mock_${name}\\{mock="${id}"${labels}\\} (\\S+)$`, 'm').exec(metrics)?.[1]);
      const took = 'request_duration_seconds';
      return {
        statuses: [200, 404, 503].map((status) => of('responses', `,status="${status}"`)),
        below: ['0.001', '0.05', '0.1', '[+]Inf'].map((le) => of(`${took}_bucket`, `,le="${le}"`)),
        count: of(`${took}_count`),
        isSumRight: of(`${took}_sum`) >= 0.12 && of(`${took}_sum`) < 2,
      };
    };
    const expected = { statuses: [2, 1, 2], below: [3, 3, expect.any(Number), 5], count: 5, isSumRight: true };
    expect(await shown()).toEqual(expected);
    await api('DELETE', `/${id}/sessions/${session.id}`);
    expect(await shown()).toEqual(expected);
    await api('DELETE', `/${id}/requests`);
    expect((await shown()).count).toBe(0);
  }
  const metrics: string = await server.metrics();
  const [, bytes] = /^switchyard_data_plane_resident_memory_bytes (\d+)$/m.exec(metrics) ?? [];
  expect(Number(bytes)).toBeGreaterThan(20_000_000);
});

test('metrics that anybody may read name neither mocks nor owners', async () => {
  const id = await running('named');
  await text(id);
  expect(await server.metrics()).toContain(id);
  const open = await TestServer.start(['--workers', '1', '--no-gateway'], temporaryDirectory());
  const opened = createClient({ apiUrl: `http://127.0.0.1:${open.port}/v1`, key: await open.key('acme') });
  const mock = await opened.mocks.create({ name: 'm', start: true, routes: [route('x')] });
  await opened.mocks.fetch(mock, '/');
  const metrics = await open.metrics();
  expect(metrics).toContain('switchyard_mock_requests{mock="_others",matched="yes"} 1');
  expect(metrics).not.toContain(mock.id);
  expect(metrics).not.toContain('acme');
  await open.end();
});

test('metrics tell of each thread and of the busiest mocks, and forget a mock that is deleted', async () => {
  const id = await running('hi');
  for (let request = 0; request < 7; request++) await text(id);
  const metrics = async (): Promise<string> => await server.metrics();
  const before = await metrics();
  expect(before).toContain(`switchyard_mock_requests{mock="${id}",matched="yes"} 7`);
  const threads = [...before.matchAll(/switchyard_data_plane_thread_requests\{thread="(\d)"\} (\d+)/g)];
  expect(threads.map(([, thread]) => thread)).toEqual(['0', '1']);
  for (const [, , requests] of threads) expect(Number(requests)).toBeGreaterThan(0);
  expect(before).toMatch(/^switchyard_data_plane_serving 1$/m);
  await api('DELETE', `/${id}`);
  expect(await metrics()).not.toContain(id);
});
