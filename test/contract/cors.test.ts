/**
 * Cross-origin requests to mocks, over HTTP with two threads: preflights and what answers them; docs/mocks-matching.md
 * and Settings.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { route, TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();
let open: string;
let closed: string;

const ROUTES = [
  route('GET /get'),
  route('ANY /any'),
  route('OPTIONS /own'),
  route('GET /own'),
  route('OPTIONS /items/:id'),
  route('OPTIONS /off', [{ body: 'off' }], { enabled: false }),
  route('ANY /deep/*'),
];

beforeAll(async () => {
  open = await two.mock(ROUTES);
  closed = await two.mock(ROUTES, { cors: false });
});

const ORIGIN = { origin: 'https://page.example' };
const PREFLIGHT = { ...ORIGIN, 'access-control-request-method': 'PUT' };

/** Stand for a preflight that the server answers itself, and for a miss. */
const SERVER = 'preflight';
const MISS = 'miss';

async function answered(mock: string, path: string, headers: Record<string, string>): Promise<string> {
  const { status, text, headers: got } = await two.both(mock, path, { method: 'OPTIONS', headers });
  if (status === 404) return MISS;
  const isPreflight = text === '' && got['access-control-allow-methods'] !== undefined;
  return isPreflight && status >= 200 && status < 300 ? SERVER : text;
}

describe('with `cors`, the default,', () => {
  test.each<[string, string]>([
    ['/get', SERVER],
    ['/any', SERVER],
    ['/deep/a/b', SERVER],
    ['/nowhere', SERVER],
    ['/off', SERVER],
    ['/own', 'OPTIONS /own'],
    ['/own/', 'OPTIONS /own'],
    ['/items/7', 'OPTIONS /items/:id'],
  ])('a preflight for %s is answered by: %s', async (path, expected) => {
    expect(await answered(open, path, PREFLIGHT)).toBe(expected);
  });

  test.each<[string, Record<string, string>, string]>([
    ['/any', {}, 'ANY /any'],
    ['/any', ORIGIN, 'ANY /any'],
    ['/any', { 'access-control-request-method': 'PUT' }, 'ANY /any'],
    ['/deep/a', ORIGIN, 'ANY /deep/*'],
    ['/own', {}, 'OPTIONS /own'],
    ['/get', {}, MISS],
  ])('OPTIONS %s with %j is not a preflight and is answered by: %s', async (path, headers, expected) => {
    expect(await answered(open, path, headers)).toBe(expected);
  });

  test('a preflight allows the method and headers that the page asks for', async () => {
    const headers = { ...PREFLIGHT, 'access-control-request-headers': 'authorization, x-own' };
    const { headers: got, text } = await two.both(open, '/get', { method: 'OPTIONS', headers });
    expect(text).toBe('');
    expect(['*', ORIGIN.origin]).toContain(got['access-control-allow-origin']);
    expect(got['access-control-allow-methods']).toMatch(/PUT/);
    expect(got['access-control-allow-headers']).toMatch(/authorization/i);
    expect(got['access-control-allow-headers']).toMatch(/x-own/i);
  });

  test.each<[string, readonly string[], Record<string, unknown>, string]>([
    ['a more specific route for ANY', ['ANY /users/:id', 'OPTIONS /*'], {}, 'OPTIONS /*'],
    ['a literal route for ANY', ['ANY /users/7', 'OPTIONS /users/:id'], {}, 'OPTIONS /users/:id'],
    ['one that is listed before', ['ANY /*', 'OPTIONS /users/7'], { precedence: 'listed' }, 'OPTIONS /users/7'],
    ['one on the same path', ['ANY /users/7', 'OPTIONS /users/7'], { precedence: 'listed' }, 'OPTIONS /users/7'],
  ])('%s does not keep a preflight from the route for OPTIONS', async (_what, specs, settings, expected) => {
    const routes = specs.map((spec) => route(spec, [{ templated: true, body: `${spec}{{body 'a'}}` }]));
    const id = await two.mock(routes, settings);
    expect(await answered(id, '/users/7', PREFLIGHT)).toBe(expected);
    expect(await answered(id, '/users/7', ORIGIN)).toBe(specs[0]);
    expect((await two.data('GET', `/${id}/staged/diff`)).warnings).toEqual([]);
    const unrecorded = await two.mock(routes, { ...settings, traffic: false });
    const body = '{"a":"b"}';
    const headers = { ...PREFLIGHT, 'content-length': String(body.length) };
    const { text } = await two.both(unrecorded, '/users/7', { method: 'OPTIONS', headers, body });
    expect(text).toBe(`${expected}b`);
  });

  test('one that its routes for OPTIONS hand on to the end is answered by the mock, and by none where it has no cors', async () => {
    const rules = [{ target: 'header', property: 'access-control-request-method', operator: 'equals', value: 'PUT' }];
    const routes = [
      route('OPTIONS /a', [{ body: 'own', rules }], { otherwise: 'next' }),
      route('OPTIONS /:x', [{ body: 'other', rules }], { otherwise: 'next' }),
      route('ANY /*', [{ body: 'any' }]),
    ];
    const id = await two.mock(routes);
    const other = { ...PREFLIGHT, 'access-control-request-method': 'POST' };
    expect(await Promise.all([answered(id, '/a', PREFLIGHT), answered(id, '/b', PREFLIGHT)])).toEqual(['own', 'other']);
    expect(await answered(id, '/a', other)).toBe(SERVER);
    expect((await two.data('GET', `/${id}/counts`)).total).toBe(4);
    const tried = await two.data('POST', `/${id}/try`, { method: 'OPTIONS', path: '/a', headers: other });
    expect(tried).toMatchObject({ route: null, explanation: { isPreflight: true, passedOn: [{}, {}] } });
    const { id: session } = await two.data('POST', `/${id}/sessions`, {
      overlay: { routes: [route('OPTIONS /a', [{ body: 'session', rules }], { otherwise: 'next' })] },
    });
    expect(await answered(id, '/a', { ...PREFLIGHT, 'x-mock-session': session })).toBe('session');
    expect(await answered(id, '/a', { ...other, 'x-mock-session': session })).toBe(SERVER);
    expect(await answered(await two.mock(routes, { cors: false }), '/a', other)).toBe('any');
    expect(await answered(await two.mock(routes.slice(0, 1), { cors: false }), '/a', other)).toBe(MISS);
  });

  test('any page may read every answer, unless the response sets the header itself', async () => {
    const headers = [{ name: 'Access-Control-Allow-Origin', value: 'https://only.example' }];
    const id = await two.mock([
      route('GET /', [{ body: 'all' }]),
      route('GET /templated', [{ templated: true, body: '{{uuid}}', latency: 5 }]),
      route('GET /own', [{ headers }]),
    ]);
    expect((await two.both(id, '/', { headers: ORIGIN })).headers['access-control-allow-origin']).toBe('*');
    expect((await two.ask(id, '/templated', { headers: ORIGIN })).headers['access-control-allow-origin']).toBe('*');
    expect((await two.both(id, '/own', { headers: ORIGIN })).headers['access-control-allow-origin']).toBe(
      'https://only.example',
    );
  });

  test('a preflight that the server answers is neither recorded nor counted, one that a route answers is', async () => {
    const id = await two.mock([route('GET /get'), route('OPTIONS /own')]);
    await two.both(id, '/get', { method: 'OPTIONS', headers: PREFLIGHT });
    await two.both(id, '/nowhere', { method: 'OPTIONS', headers: PREFLIGHT });
    expect((await two.api('GET', `/${id}/requests`)).json.data).toEqual([]);
    expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 0, unmatched: 0 });
    await two.both(id, '/own', { method: 'OPTIONS', headers: PREFLIGHT });
    const { data } = (await two.api('GET', `/${id}/requests`)).json;
    expect(data).toMatchObject([
      { method: 'OPTIONS', path: '/own' },
      { method: 'OPTIONS', path: '/own' },
    ]);
    expect(await two.data('GET', `/${id}/counts`)).toMatchObject({ total: 2, unmatched: 0 });
  });
});

describe('without `cors`', () => {
  test.each<[string, string]>([
    ['/get', MISS],
    ['/nowhere', MISS],
    ['/any', 'ANY /any'],
    ['/deep/a/b', 'ANY /deep/*'],
    ['/own', 'OPTIONS /own'],
    ['/items/7', 'OPTIONS /items/:id'],
  ])('a preflight for %s is a request like any other: %s', async (path, expected) => {
    expect(await answered(closed, path, PREFLIGHT)).toBe(expected);
  });

  test('answers have no CORS headers', async () => {
    for (const path of ['/get', '/any', '/nowhere']) {
      const { headers } = await two.both(closed, path, { headers: ORIGIN });
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});

test('a save turns it off and on', async () => {
  const id = await two.mock(ROUTES);
  expect(await answered(id, '/any', PREFLIGHT)).toBe(SERVER);
  await two.save(id, ROUTES, { cors: false });
  expect(await answered(id, '/any', PREFLIGHT)).toBe('ANY /any');
  await two.save(id, ROUTES);
  expect(await answered(id, '/any', PREFLIGHT)).toBe(SERVER);
});
