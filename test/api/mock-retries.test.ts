/** Retries of mocks over HTTP: Idempotency-Key on every POST that does something, and what is parsed off the event loop. */
import { describe, expect, test } from 'vitest';
import { processMs } from '../support/cpu-ms.ts';
import type { Answer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, key } = await useOwnServer(['--workers', '2']);

const api = (method: string, path: string, body?: unknown, idempotencyKey?: string): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, {
    key,
    ...(body === undefined ? {} : { body }),
    ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
  });

const ROUTE = { method: 'GET', path: '/', responses: [{ body: 'first' }, { body: 'second' }], selection: 'sequential' };

async function running(): Promise<string> {
  return (await api('POST', '', { name: 'm', start: true, routes: [ROUTE] })).json.data.id;
}

const ask = async (id: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}/`)).text();

/** Every POST below a mock that does something, with a body where it takes one, and what counts its effects. */
const POSTS: Readonly<Record<string, { path: string; body?: object; effects: (id: string) => Promise<unknown> }>> = {
  'a staged route': { path: '/staged/routes', body: { ...ROUTE, path: '/other' }, effects: stagedRoutes },
  'a staged response': { path: '/staged/routes/:routeId/responses', body: { body: 'third' }, effects: stagedResponses },
  save: { path: '/save', effects: versions },
  discard: { path: '/discard', effects: etag },
  'restore of a version': { path: '/versions/1/restore', effects: etag },
  stop: { path: '/stop', effects: record },
  start: { path: '/start', effects: record },
};

async function stagedRoutes(id: string): Promise<unknown> {
  return (await api('GET', `/${id}/staged`)).json.data.routes.length;
}

async function stagedResponses(id: string): Promise<unknown> {
  return (await api('GET', `/${id}/staged`)).json.data.routes[0].responses.length;
}

async function versions(id: string): Promise<unknown> {
  return (await api('GET', `/${id}/versions`)).json.data.length;
}

async function etag(id: string): Promise<unknown> {
  return (await api('GET', `/${id}/staged`)).headers.get('etag');
}

async function record(id: string): Promise<unknown> {
  // After a restart a free port is another one.
  return { ...(await api('GET', `/${id}`)).json.data, url: undefined };
}

const sendTo = async (id: string, name: string, idempotencyKey: string): Promise<Answer> => {
  const { path, body } = POSTS[name] as (typeof POSTS)[string];
  const { routes } = (await api('GET', `/${id}/staged`)).json.data;
  return api('POST', `/${id}${path.replace(':routeId', routes[0].id)}`, body, idempotencyKey);
};

test('Idempotency-Key gives the first answer again and has no second effect, also after a restart', async () => {
  const made = [];
  for (const [name, { effects }] of Object.entries(POSTS)) {
    const id = await running();
    const first = await sendTo(id, name, `a ${name}`);
    expect(first.status, name).toBe(200);
    made.push({ name, effects, id, first, after: await effects(id) });
  }
  for (const restart of [false, true]) {
    if (restart) await server.restart();
    for (const { name, effects, id, first, after } of made) {
      const again = await sendTo(id, name, `a ${name}`);
      expect(again.json, name).toEqual(first.json);
      expect(again.headers.get('etag'), name).toBe(first.headers.get('etag'));
      expect(await effects(id), name).toEqual(after);
    }
  }
});

describe.each(Object.entries(POSTS))('Idempotency-Key on %s', (name, { effects }) => {
  const send = (id: string, idempotencyKey: string): Promise<Answer> => sendTo(id, name, idempotencyKey);

  test('is one effect of many at once', async () => {
    const id = await running();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(id, 'b')));
    expect(new Set(answers.map(({ json }) => JSON.stringify(json))).size).toBe(1);
    const after = await effects(id);
    await send(id, 'b');
    expect(await effects(id)).toEqual(after);
  });

  test('that cannot be kept is refused, and nothing is done', async () => {
    const id = await running();
    const before = await effects(id);
    const answer = await send(id, 'x'.repeat(256));
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ message: 'Bad Request', details: [{ path: 'Idempotency-Key' }] });
    expect(await effects(id)).toEqual(before);
  });
});

test('a repeated creation or save leaves sequences and counts as they are', async () => {
  const body = { name: 'm', start: true, routes: [ROUTE] };
  const created = await api('POST', '', body, 'sequence');
  const { id } = created.json.data;
  expect(await ask(id)).toBe('first');
  expect((await api('POST', '', body, 'sequence')).json).toEqual(created.json);
  expect(await ask(id)).toBe('second');
  await api('POST', `/${id}/save`, undefined, 'saved');
  expect(await ask(id)).toBe('first');
  await api('POST', `/${id}/save`, undefined, 'saved');
  expect(await ask(id)).toBe('second');
  expect((await api('GET', `/${id}/counts`)).json.data.total).toBe(4);
});

test('the same key with another body is 422', async () => {
  const id = await running();
  await api('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/one' }, 'c');
  const answer = await api('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/two' }, 'c');
  expect(answer.status).toBe(422);
  expect(answer.json).toEqual({ success: false, message: 'Idempotency-Key reused' });
});

describe('what takes long to parse:', () => {
  const patterns = (count: number, value = String.raw`\p{L}{1,100}`) => ({
    routes: Array.from({ length: count / 50 }, (_route, index) => ({
      method: 'GET',
      path: `/${index}`,
      responses: [
        { rules: Array.from({ length: 50 }, () => ({ target: 'query', property: 'q', operator: 'regex', value })) },
      ],
    })),
  });

  // reaches DRAFT_BYTES_INLINE_MAX
  test('is parsed elsewhere, as what it is', async () => {
    const made = await api('POST', '', { name: 'patterns', ...patterns(500) });
    expect(made.json.data.routeCount).toBe(10);
    const broken = await api('POST', '', { name: 'patterns', ...patterns(100, String.raw`\p{L}{1,100}(`) });
    expect(broken.json.message).toBe('Mock Payload is invalid');
    expect(broken.json.details[0]).toMatchObject({
      path: '/routes/0/responses/0/rules/0',
      message: expect.stringContaining('missing closing )'),
    });
  });

  // reaches MOCK_INSTRUCTIONS_MAX
  test('more patterns than a mock may have are refused before they are compiled, at once or one by one', async () => {
    const message = 'Limit reached: 200000 instructions of patterns, JSONPaths and schemas per mock';
    const before = processMs(server.pid);
    const refused = await api('POST', '', { name: 'patterns', ...patterns(100_000) });
    expect(refused.status).toBe(403);
    expect(refused.json.message).toBe(message);
    expect(processMs(server.pid) - before).toBeLessThan(5_000);

    const { id } = (await api('POST', '', { name: 'patterns', ...patterns(500) })).json.data;
    const [route] = patterns(50, 'a{1000}b{1000}').routes;
    expect((await api('POST', `/${id}/staged/routes`, route)).json.message).toBe(message);
  });

  test('JSONPaths count by what they take to compile: what a mock may have, its first request compiles', async () => {
    const paths = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        rules: [{ target: 'body', property: `$.${'a'.repeat(900)}${index}`, operator: 'exists' }],
      }));
    const mockOf = (count: number) => ({
      name: 'paths',
      start: true,
      routes: [{ method: 'POST', path: '/', responses: [...paths(count), { body: 'none' }] }],
    });
    const refused = await api('POST', '', mockOf(90));
    expect(refused.status).toBe(403);
    expect(refused.json.details).toEqual([{ path: '/routes/0', message: expect.stringContaining('JSONPaths') }]);

    const { id } = (await api('POST', '', mockOf(60))).json.data;
    // Reading it takes most of a request's budget.
    const asked = { method: 'POST', body: `[${'0,'.repeat(900_000)}0]` };
    const answer = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}/`, asked);
    expect([answer.status, await answer.text()]).toEqual([200, 'none']);
  });

  test('a JSONPath whose patterns are too large together is refused where it stands', async () => {
    const property = `$[?${Array.from({ length: 30 }, () => "search(@,'x{999}y{999}')").join(' || ')}]`;
    const rules = [{ target: 'body', property, operator: 'exists' }];
    const routes = [{ method: 'POST', path: '/', responses: [{ rules }] }];
    const refused = await api('POST', '', { name: 'path', routes });
    expect(refused.status).toBe(400);
    expect(refused.json.details[0]).toMatchObject({
      path: '/routes/0/responses/0/rules/0',
      message: expect.stringContaining('too large in total'),
    });
  });
});
