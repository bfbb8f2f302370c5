/** The mocks API over HTTP: records, staged edits, diff, saves, versions; docs/mocks-fields.md and "Endpoints". */
import { describe, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { DEFAULT_RESPONSE, DEFAULT_SETTINGS } from '../support/mocks.ts';
import type { Answer } from '../support/server.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';

const { server, owner, key } = await useOwnServer();

/** What must hold when the server has been restarted: one restart, at the end, is for all. */
const kept: (() => Promise<void>)[] = [];
const afterRestart = (holds: () => Promise<void>): void => void kept.push(holds);

const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, { key, headers, ...(body === undefined ? {} : { body }) });

async function created(more: Record<string, unknown> = {}) {
  const answer = await send('POST', '', { name: 'm', ...more });
  expect(answer.json).toMatchObject({ success: true });
  expect(answer.status).toBe(200);
  return answer.json.data;
}

const ROUTE = {
  method: 'GET',
  path: '/users/:id',
  responses: [{ status: 201, body: 'hi', headers: [{ name: 'x-a', value: '1' }] }],
};

const LATENCY_FORMS = 'expected a number, {min, max}, {mean, deviation, min?, max?} or {median, sigma, max?}';

describe('a new mock', () => {
  test('has one route with one response, is stopped, and is saved as version 1', async () => {
    const data = await created();
    expect(data).toEqual({
      id: expect.stringMatching(/^[a-z][a-z0-9]{10,62}$/),
      name: 'm',
      description: '',
      state: 'stopped',
      url: expect.stringContaining(data.id),
      version: 1,
      savedAt: expect.any(Number),
      hasStagedChanges: false,
      routeCount: 1,
      file: null,
      creationDate: data.savedAt,
      modificationDate: data.savedAt,
      createdBy: 'ann',
      lastModifiedBy: 'ann',
      currentOwnerId: owner,
    });
    expect(data.url).toBe(`http://${data.id}.localhost:${server.mockPort}`);
    const staged = (await send('GET', `/${data.id}/staged`)).json.data;
    expect(staged).toEqual({
      settings: DEFAULT_SETTINGS,
      routes: [
        {
          id: expect.any(String),
          method: 'GET',
          path: '/',
          description: '',
          enabled: true,
          selection: 'rules',
          responses: [{ ...DEFAULT_RESPONSE, id: expect.any(String), body: '{}' }],
        },
      ],
    });
  });

  describe('whose id is chosen', () => {
    const other = newOwner();
    const asOther = async (method: string, path: string, body?: unknown) =>
      server.request(method, `/v1/mocks${path}`, { key: await otherKey, ...(body === undefined ? {} : { body }) });
    const otherKey = server.key(other, 'bea');
    const taken = { success: false, message: 'Mock id taken', details: [{ path: '/id', message: expect.any(String) }] };

    test('has it, and a second of the same id is refused, whoever asks', async () => {
      expect(await created({ id: 'payments' })).toMatchObject({
        id: 'payments',
        url: `http://payments.localhost:${server.mockPort}`,
      });
      const again = await send('POST', '', { id: 'payments', name: 'again' });
      expect(again).toMatchObject({ status: 409, json: taken });
      expect((await asOther('POST', '', { id: 'payments', name: 'mine' })).json).toEqual(again.json);
      expect((await send('GET', '/payments')).json.data.name).toBe('m');
      afterRestart(async () => expect((await send('GET', '/payments')).json.data.id).toBe('payments'));
    });

    test('may be made again under its id, by another owner too, and has nothing of the one before', async () => {
      const respond = (body: string) => ({
        id: 'again',
        name: 'm',
        start: true,
        routes: [{ ...ROUTE, responses: [{ body }] }],
      });
      const ask = async () => (await askMock(server.mockPort, '/users/1', { mock: 'again' })).text;
      await created(respond('first'));
      expect(await ask()).toBe('first');
      expect((await send('POST', '/again/sessions', { id: 'one' })).status).toBe(200);
      expect((await send('DELETE', '/again')).status).toBe(200);
      expect((await asOther('POST', '', respond('second'))).status).toBe(200);
      expect(await ask()).toBe('second');
      expect((await asOther('GET', '/again/requests')).json).toMatchObject({ total: 1 });
      expect((await asOther('GET', '/again/sessions')).json).toMatchObject({ data: [] });
      expect((await send('GET', '/again')).status).toBe(401);
    });

    test('a repetition gets the first answer, and of many owners who ask at once one gets it', async () => {
      const body = { id: 'repeated', name: 'm' };
      const headers = { 'idempotency-key': 'chosen-id' };
      const first = await send('POST', '', body, headers);
      expect((await send('POST', '', body, headers)).json).toEqual(first.json);

      for (let round = 0; round < 10; round++) {
        const race = { id: `race${round}`, name: 'm' };
        const answers = await Promise.all([
          send('POST', '', race),
          asOther('POST', '', race),
          asOther('POST', '', race),
        ]);
        expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409]);
      }
    });

    test.each(['', 'A', 'my-mock', '1a', 'import', 'counts', 'a234567890123456789012', 7, null])(
      'is refused when it is %j',
      async (id) => {
        expect(await send('POST', '', { id, name: 'm' })).toMatchObject({
          status: 400,
          json: { message: 'Mock Payload is invalid', details: [{ path: '/id' }] },
        });
      },
    );

    test('is one of an import too, of a file that makes one mock', async () => {
      const file = { switchyard: 1, kind: 'mock', name: 'Shop', routes: [ROUTE] };
      const made = await send('POST', '/import?id=imported', file);
      expect(made.json.data.mocks).toMatchObject([{ id: 'imported', name: 'Shop' }]);
      expect(await send('POST', '/import?id=imported', file)).toMatchObject({ status: 409, json: taken });
      expect(await send('POST', '/import?id=Im-ported', file)).toMatchObject({
        status: 400,
        json: { details: [{ path: 'id' }] },
      });
      const imposters = [1, 2].map((port) => ({
        port,
        protocol: 'http',
        stubs: [{ responses: [{ is: { body: 'a' } }] }],
      }));
      expect(await send('POST', '/import?id=both', { imposters })).toMatchObject({
        status: 400,
        json: { details: [{ path: 'id', message: expect.stringMatching(/makes several/) }] },
      });
    });
  });

  test('may be started, described and given its routes', async () => {
    const data = await created({
      description: 'd',
      start: true,
      routes: [ROUTE],
      settings: { precedence: 'listed', seed: 7 },
    });
    expect(data).toMatchObject({ description: 'd', state: 'running', routeCount: 1 });
    const staged = (await send('GET', `/${data.id}/staged`)).json.data;
    expect(staged.settings).toMatchObject({ precedence: 'listed', seed: 7 });
    expect(staged.routes[0]).toMatchObject(ROUTE);
  });

  test('is made once per Idempotency-Key', async () => {
    const one = await send('POST', '', { name: 'm' }, { 'idempotency-key': 'k' });
    afterRestart(async () => {
      const two = await send('POST', '', { name: 'm' }, { 'idempotency-key': 'k' });
      expect(two.json.data.id).toBe(one.json.data.id);
    });
  });
});

describe('staged edits', () => {
  test('change nothing of what is saved until a save, which is the next version', async () => {
    const { id } = await created();
    const route = (await send('POST', `/${id}/staged/routes`, ROUTE)).json.data;
    expect(route).toMatchObject({ ...ROUTE, id: expect.any(String) });
    expect((await send('GET', `/${id}`)).json.data).toMatchObject({
      version: 1,
      routeCount: 1,
      hasStagedChanges: true,
    });
    const saved = (await send('POST', `/${id}/save`)).json.data;
    expect(saved).toMatchObject({ version: 2, routeCount: 2, hasStagedChanges: false });
    expect((await send('GET', `/${id}/staged/routes/${route.id}`)).json.data).toEqual(route);
  });

  test('of one route, one response and the order', async () => {
    const { id } = await created({ routes: [] });
    const a = (await send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/a' })).json.data;
    const b = (await send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/b' })).json.data;
    const response = (await send('POST', `/${id}/staged/routes/${a.id}/responses`, { status: 404 })).json.data;
    expect(response).toEqual({ ...DEFAULT_RESPONSE, status: 404, id: expect.any(String) });
    const at = `/${id}/staged/routes/${a.id}/responses/${response.id}`;
    expect((await send('PUT', at, { status: 410 })).json.data).toMatchObject({ id: response.id, status: 410 });
    expect((await send('GET', at)).json.data.status).toBe(410);
    expect((await send('PUT', `/${id}/staged/routes/${b.id}`, { ...ROUTE, path: '/c' })).json.data).toMatchObject({
      id: b.id,
      path: '/c',
    });
    const ordered = (await send('PUT', `/${id}/staged/order`, { ids: [b.id, a.id] })).json.data;
    expect(ordered.routes.map(({ path }: { path: string }) => path)).toEqual(['/c', '/a']);
    expect((await send('PUT', `/${id}/staged/order`, { ids: [b.id] })).status).toBe(400);
    expect((await send('DELETE', at)).status).toBe(200);
    expect((await send('GET', at)).json.message).toBe('Response not found');
    expect((await send('DELETE', `/${id}/staged/routes/${a.id}`)).status).toBe(200);
    expect((await send('GET', `/${id}/staged/routes/${a.id}`)).json.message).toBe('Route not found');
    afterRestart(async () => {
      const { routes } = (await send('GET', `/${id}/staged`)).json.data;
      expect(routes.map(({ path }: { path: string }) => path)).toEqual(['/c']);
    });
  });

  test('the last response of a route stays', async () => {
    const { id } = await created({ routes: [ROUTE] });
    const { routes } = (await send('GET', `/${id}/staged`)).json.data;
    const answer = await send('DELETE', `/${id}/staged/routes/${routes[0].id}/responses/${routes[0].responses[0].id}`);
    expect(answer.status).toBe(400);
  });

  test('the whole copy keeps ids that are sent back', async () => {
    const { id } = await created({ routes: [ROUTE, { ...ROUTE, path: '/b' }] });
    const staged = (await send('GET', `/${id}/staged`)).json.data;
    const changed = { ...staged, routes: staged.routes.toReversed() };
    expect((await send('PUT', `/${id}/staged`, changed)).json.data).toEqual(changed);
    expect((await send('PUT', `/${id}/staged`, staged)).json.data).toEqual(staged);
    expect((await send('GET', `/${id}`)).json.data.hasStagedChanges).toBe(false);
  });

  test('discard brings the saved version back', async () => {
    const { id } = await created({ routes: [ROUTE] });
    const before = (await send('GET', `/${id}/staged`)).json.data;
    await send('POST', `/${id}/staged/routes`, ROUTE);
    expect((await send('POST', `/${id}/discard`)).json.data.hasStagedChanges).toBe(false);
    expect((await send('GET', `/${id}/staged`)).json.data).toEqual(before);
  });

  test('If-Match guards the working copy against another editor, and the record by its own tag', async () => {
    const { id } = await created({ routes: [ROUTE] });
    const record = (await send('GET', `/${id}`)).headers.get('etag') as string;
    const staged = (await send('GET', `/${id}/staged`)).headers.get('etag') as string;
    const edited = await send('POST', `/${id}/staged/routes`, ROUTE, { 'if-match': staged });
    expect(edited.status).toBe(200);
    expect(edited.headers.get('etag')).not.toBe(staged);
    expect((await send('POST', `/${id}/staged/routes`, ROUTE, { 'if-match': staged })).status).toBe(412);
    expect((await send('POST', `/${id}/save`, undefined, { 'if-match': staged })).status).toBe(412);
    expect((await send('PUT', `/${id}`, { name: 'n' }, { 'if-match': record })).status).toBe(200);
    expect((await send('PUT', `/${id}`, { name: 'n' }, { 'if-match': record })).status).toBe(412);
    expect((await send('POST', `/${id}/save`, undefined, { 'if-match': edited.headers.get('etag') })).status).toBe(200);
  });
});

test('the diff names what a save would change, field by field, and warns', async () => {
  const { id } = await created({
    routes: [
      { ...ROUTE, path: '/a' },
      { ...ROUTE, path: '/b' },
      { ...ROUTE, path: '/c' },
    ],
  });
  const [a, b, c] = (await send('GET', `/${id}/staged`)).json.data.routes;
  await send('DELETE', `/${id}/staged/routes/${a.id}`);
  await send('PUT', `/${id}/staged/routes/${b.id}`, {
    ...b,
    description: 'new',
    responses: [{ ...b.responses[0], status: 500 }, { status: 204 }],
  });
  const d = (await send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/c' })).json.data;
  await send('PUT', `/${id}/staged/order`, { ids: [c.id, b.id, d.id] });
  const { data } = (await send('GET', `/${id}/staged/diff`)).json;
  expect(data).toMatchObject({
    settings: [],
    routesAdded: [{ routeId: d.id, method: 'GET', path: '/c' }],
    routesRemoved: [{ routeId: a.id, method: 'GET', path: '/a' }],
    routesReordered: true,
    routesChanged: [
      {
        routeId: b.id,
        method: 'GET',
        path: '/b',
        fields: [{ field: 'description', before: '', after: 'new' }],
        responsesAdded: [expect.any(String)],
        responsesRemoved: [],
        responsesChanged: [{ responseId: b.responses[0].id, fields: [{ field: 'status', before: 201, after: 500 }] }],
      },
    ],
  });
  const warned = data.warnings.map(({ routeId }: { routeId: string }) => routeId);
  expect(new Set(warned)).toEqual(new Set([b.id, d.id]));
});

test('the diff has the tag of the working copy it was made of, which guards the save of what was read', async () => {
  const { id } = await created({ routes: [ROUTE] });
  await send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/read' });
  const diff = await send('GET', `/${id}/staged/diff`);
  const tag = diff.headers.get('etag') as string;
  expect(tag).toBe((await send('GET', `/${id}/staged`)).headers.get('etag'));
  await send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/unread' });
  expect((await send('GET', `/${id}/staged/diff`)).headers.get('etag')).not.toBe(tag);
  expect((await send('POST', `/${id}/save`, undefined, { 'if-match': tag })).status).toBe(412);
});

describe('versions', () => {
  test('are listed newest first, read whole, and restored into the working copy', async () => {
    const { id } = await created({ routes: [ROUTE] });
    const first = (await send('GET', `/${id}/staged`)).json.data;
    await send('PUT', `/${id}/staged`, { settings: { cors: false }, routes: [{ ...ROUTE, path: '/second' }] });
    await send('POST', `/${id}/save`);
    const list = (await send('GET', `/${id}/versions`)).json.data;
    expect(list).toEqual([
      { version: 2, savedAt: expect.any(Number), savedBy: 'ann', routeCount: 1 },
      { version: 1, savedAt: expect.any(Number), savedBy: 'ann', routeCount: 1 },
    ]);
    afterRestart(async () => {
      expect((await send('GET', `/${id}/versions/1`)).json.data).toEqual({ ...list[1], ...first });
      expect((await send('POST', `/${id}/versions/1/restore`)).json.data).toMatchObject({
        version: 2,
        hasStagedChanges: true,
      });
      expect((await send('GET', `/${id}/staged`)).json.data).toEqual(first);
      expect((await send('POST', `/${id}/save`)).json.data.version).toBe(3);
      for (const number of ['0', '9', 'x', '1.5'])
        expect((await send('GET', `/${id}/versions/${number}`)).json.message).toBe('Version not found');
    });
  });

  // reaches MOCK_VERSIONS_MAX
  test('the last fifty are kept, and what they list can be read', async () => {
    const { id } = await created({ routes: [ROUTE] });
    for (let version = 2; version <= 55; version++) {
      await send('PUT', `/${id}/staged`, { routes: [{ ...ROUTE, path: `/v${version}` }] });
      await send('POST', `/${id}/save`);
    }
    const list = (await send('GET', `/${id}/versions`)).json.data;
    expect(list.map(({ version }: { version: number }) => version)).toEqual(
      Array.from({ length: 50 }, (_each, index) => 55 - index),
    );
    afterRestart(async () => {
      expect((await send('GET', `/${id}/versions/6`)).json.data.routes[0].path).toBe('/v6');
      expect((await send('GET', `/${id}/versions/5`)).status).toBe(404);
    });
  });
});

describe('a wrong payload names route, response and field:', () => {
  test.each([
    ['no name', { name: '' }, '/name'],
    ['start as text', { start: 'yes' }, '/start'],
    ['routes as an object', { routes: {} }, '/routes'],
    ['a route without path', { routes: [{ method: 'GET', responses: [{}] }] }, '/routes/0/path'],
    ['a path without slash', { routes: [{ ...ROUTE, path: 'users' }] }, '/routes/0/path'],
    ['a path that does not parse', { routes: [ROUTE, { ...ROUTE, path: '/a/*b' }] }, '/routes/1/path'],
    ['a method in lower case', { routes: [{ ...ROUTE, method: 'get' }] }, '/routes/0/method'],
    ['no responses', { routes: [{ ...ROUTE, responses: [] }] }, '/routes/0/responses'],
    ['a status of 99', { routes: [{ ...ROUTE, responses: [{}, { status: 99 }] }] }, '/routes/0/responses/1/status'],
    ['a status of 600', { routes: [{ ...ROUTE, responses: [{ status: 600 }] }] }, '/routes/0/responses/0/status'],
    [
      'a bad header name',
      { routes: [{ ...ROUTE, responses: [{ headers: [{ name: 'a b', value: '' }] }] }] },
      '/routes/0/responses/0/headers/0',
    ],
    [
      'a header with a line break',
      { routes: [{ ...ROUTE, responses: [{ headers: [{ name: 'a', value: 'x\r\ny: z' }] }] }] },
      '/routes/0/responses/0/headers/0',
    ],
    [
      'a framing header',
      { routes: [{ ...ROUTE, responses: [{ headers: [{ name: 'Content-Length', value: '1' }] }] }] },
      '/routes/0/responses/0/headers/0',
    ],
    [
      'a bad pattern',
      {
        routes: [
          { ...ROUTE, responses: [{ rules: [{ target: 'query', property: 'q', operator: 'regex', value: '(' }] }] },
        ],
      },
      '/routes/0/responses/0/rules/0',
    ],
    [
      'a pattern that re2 cannot',
      {
        routes: [
          { ...ROUTE, responses: [{ rules: [{ target: 'query', property: 'q', operator: 'regex', value: '(?=x)' }] }] },
        ],
      },
      '/routes/0/responses/0/rules/0',
    ],
    [
      'a bad base64 body',
      { routes: [{ ...ROUTE, responses: [{ body: '*', bodyEncoding: 'base64' }] }] },
      '/routes/0/responses/0/body',
    ],
    [
      'latency with min above max',
      { routes: [{ ...ROUTE, responses: [{ latency: { min: 2, max: 1 } }] }] },
      '/routes/0/responses/0/latency',
    ],
    [
      'a template that does not parse',
      { routes: [{ ...ROUTE, responses: [{ templated: true, body: '{{#repeat 3}}x' }] }] },
      '/routes/0/responses/0/body',
    ],
    ['an unknown precedence', { settings: { precedence: 'first' } }, '/settings/precedence'],
  ])('%s', async (_text, change, path) => {
    const answer = await send('POST', '', { name: 'm', ...change });
    expect(answer.json).toMatchObject({ success: false, message: 'Mock Payload is invalid' });
    expect(answer.status).toBe(400);
    expect(answer.json.details.map((detail: { path: string }) => detail.path)).toContain(path);
  });

  test.each([
    ['/name', { name: 5 }, 'is required and must be a non-empty string'],
    ['/description', { description: 5 }, 'expected a string, got 5'],
    ['/start', { start: 'yes' }, 'expected a boolean, got "yes"'],
    ['/routes', { routes: {} }, 'expected an array, got an object'],
    ['/routes/0/responses', { routes: [{ ...ROUTE, responses: [] }] }, 'must have at least one response'],
    ['/settings/latency', { settings: { latency: 'x' } }, 'expected a number or an object, got "x"'],
    // reaches LATENCY_MS_MAX
    ['/settings/latency', { settings: { latency: 600_001 } }, 'must be 600000 or less'],
    ['/latency', { latency: { min: 1 } }, `GET /users/:id: ${LATENCY_FORMS}; got {min}`],
    ['/latency', { latency: { mean: 1, sigma: 2 } }, `GET /users/:id: ${LATENCY_FORMS}; got {mean, sigma}`],
    ['/latency', { latency: { min: 2, max: 1 } }, 'GET /users/:id: min is above max'],
    ['/latency/max', { latency: { min: 2, max: 600_001 } }, 'must be 600000 or less'],
    ['/latency/mean', { latency: { mean: '5', deviation: 1 } }, 'expected a number, got "5"'],
    ['/latency/sigma', { latency: { median: 1, sigma: 11 } }, 'must be 10 or less'],
    [
      '/latency/percentiles',
      { latency: { percentiles: { 50: 1 } } },
      'is unknown; known are min, max, mean, deviation, median, sigma',
    ],
    ['/settings/latency', { settings: { latency: {} } }, `${LATENCY_FORMS}; got {}`],
    ['/status', { status: 99.5 }, 'expected an integer, got 99.5'],
    ['/status', { status: 99 }, 'must be 200 or more'],
    ['/body', { body: {} }, 'expected a string, got an object; send a JSON body as text'],
    ['/headers', { headers: { a: 'b' } }, 'expected an array of {name, value}, got an object'],
    [
      '/headers',
      { headers: Array.from({ length: 101 }, () => ({ name: 'a', value: 'b' })) },
      'must have at most 100 headers',
    ],
    ['/body', { body: '*', bodyEncoding: 'base64' }, 'GET /users/:id: the body is not base64'],
    [
      '/rules/0',
      { rules: [{ target: 'body', property: '$..a..b', operator: 'exists' }] },
      'GET /users/:id: the JSONPath: it must have at most one ".."',
    ],
    ['/label', { label: 'x'.repeat(1_001) }, 'more than 1000 characters'],
  ])('details read as sentences: %s with %j', async (path, change, message) => {
    const isOfResponse = !['name', 'description', 'start', 'routes', 'settings'].some((name) => name in change);
    const body = isOfResponse ? { routes: [{ ...ROUTE, responses: [change] }] } : change;
    const { json } = await send('POST', '', { name: 'm', ...body });
    expect(json.details).toEqual([{ path: isOfResponse ? `/routes/0/responses/0${path}` : path, message }]);
  });

  test('limits are 403', async () => {
    const limited = await send('POST', '', {
      name: 'm',
      routes: [{ ...ROUTE, responses: [{ body: 'x'.repeat(1_000_001) }] }],
    });
    expect(limited.status).toBe(403);
    expect(limited.json.message).toBe('Limit reached: 1000000 bytes of a response body');
    const many = await send('POST', '', { name: 'm', routes: Array.from({ length: 5_001 }, () => ROUTE) });
    expect(many.json.message).toBe('Limit reached: 5000 routes per mock');
  });
});

test('a mock of another owner is 401, one that is nowhere 404', async () => {
  const { id } = await created();
  const other = await server.key(newOwner());
  for (const [method, path] of [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/start'],
    ['GET', '/staged'],
    ['POST', '/save'],
    ['GET', '/versions/1'],
  ] as const) {
    const body = method === 'PUT' ? { body: { name: 'x' } } : {};
    expect((await server.request(method, `/v1/mocks/${id}${path}`, { key: other, ...body })).status).toBe(401);
    expect((await server.request(method, `/v1/mocks/mnowhere${path}`, { key: other, ...body })).json.message).toBe(
      'Mock not found',
    );
  }
  const viewer = await server.key(owner, 'vic', 'viewer');
  expect((await server.request('POST', `/v1/mocks/${id}/start`, { key: viewer })).status).toBe(401);
  expect((await server.request('GET', `/v1/mocks/${id}/staged`, { key: viewer })).status).toBe(200);
});

test('a deleted mock is gone', async () => {
  const { id } = await created({ start: true });
  expect((await send('DELETE', `/${id}`)).json).toEqual({ success: true, message: 'Mock deleted successfully' });
  expect((await send('GET', `/${id}`)).status).toBe(404);
  afterRestart(async () => expect((await send('GET', `/${id}`)).status).toBe(404));
});

describe('what a review found:', () => {
  test('a version can be read while its save is still on its way to the disk', async () => {
    for (let round = 0; round < 5; round++) {
      const { id } = await created({ routes: [ROUTE] });
      const answers = await Promise.all([
        send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/new' }),
        send('POST', `/${id}/save`),
        send('GET', `/${id}/versions/2`),
        send('POST', `/${id}/versions/2/restore`),
      ]);
      for (const { status } of answers) expect([200, 404]).toContain(status);
      expect((await send('GET', `/${id}`)).json.data.version).toBe(2);
    }
  });

  test('bytes are counted alike before and after a restart, and a limit never keeps a mock from being stopped or saved', async () => {
    const { id } = await created({ routes: [ROUTE], start: true });
    const responses = Array.from({ length: 9 }, () => ({ body: '\u00e9'.repeat(490_000) }));
    expect((await send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/a', responses })).status).toBe(200);
    expect((await send('POST', `/${id}/staged/routes`, { ...ROUTE, path: '/b', responses })).status).toBe(403);
    afterRestart(async () => {
      expect((await send('POST', `/${id}/save`)).status).toBe(200);
      expect((await send('POST', `/${id}/stop`)).status).toBe(200);
    });
  });

  test('an edit that changes nothing stages nothing, and a restart agrees', async () => {
    const { id } = await created({ routes: [ROUTE] });
    const staged = (await send('GET', `/${id}/staged`)).json.data;
    await send('PUT', `/${id}/staged/routes/${staged.routes[0].id}`, staged.routes[0]);
    await send('PUT', `/${id}/staged`, { ...staged, settings: { ...staged.settings, cors: false } });
    await send('PUT', `/${id}/staged`, staged);
    const before = (await send('GET', `/${id}`)).json.data;
    expect(before.hasStagedChanges).toBe(false);
    // The server of this test takes another free port.
    afterRestart(async () =>
      expect({ ...(await send('GET', `/${id}`)).json.data, url: '' }).toEqual({ ...before, url: '' }),
    );
  });

  test('a removed route that is added again is not a change, and a restart agrees', async () => {
    const { id } = await created({ routes: [ROUTE, { ...ROUTE, path: '/b' }] });
    const { routes } = (await send('GET', `/${id}/staged`)).json.data;
    await send('DELETE', `/${id}/staged/routes/${routes[1].id}`);
    expect((await send('POST', `/${id}/staged/routes`, { ...routes[1], description: 'other' })).status).toBe(200);
    expect((await send('GET', `/${id}`)).json.data.hasStagedChanges).toBe(true);
    await send('DELETE', `/${id}/staged/routes/${routes[1].id}`);
    expect((await send('POST', `/${id}/staged/routes`, routes[1])).json.data).toEqual(routes[1]);
    expect((await send('GET', `/${id}`)).json.data.hasStagedChanges).toBe(false);
    afterRestart(async () => {
      expect((await send('GET', `/${id}`)).json.data.hasStagedChanges).toBe(false);
      expect((await send('GET', `/${id}/staged`)).json.data.routes).toEqual(routes);
    });
  });

  test('every edit of the working copy answers with the tag that guards the next one', async () => {
    const { id } = await created({ routes: [ROUTE, { ...ROUTE, path: '/b' }] });
    const { routes } = (await send('GET', `/${id}/staged`)).json.data;
    const removed = await send('DELETE', `/${id}/staged/routes/${routes[0].id}`);
    const tag = { 'if-match': removed.headers.get('etag') as string };
    const discarded = await send('POST', `/${id}/discard`, undefined, tag);
    expect(discarded.status).toBe(200);
    const restored = await send('POST', `/${id}/versions/1/restore`, undefined, {
      'if-match': discarded.headers.get('etag') as string,
    });
    expect(restored.status).toBe(200);
    expect(
      (await send('POST', `/${id}/save`, undefined, { 'if-match': restored.headers.get('etag') as string })).status,
    ).toBe(200);
  });

  test('latency of the settings is checked as that of a response is', async () => {
    expect((await send('POST', '', { name: 'm', settings: { latency: { min: 9, max: 1 } } })).status).toBe(400);
  });
});

test('after a restart all holds that was to be kept', async () => {
  expect(kept).toHaveLength(9);
  await server.restart();
  for (const holds of kept) await holds();
});
