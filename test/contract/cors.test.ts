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

const LOCAL = 'http://localhost:5173';
const FOREIGN = 'https://page.example';
const PARTS = ['allow-origin', 'allow-credentials', 'expose-headers'] as const;

describe('what a page may read', () => {
  const POLICY = { origins: ['https://app.example.com', 'https://*.dev.example.com'], expose: ['x-total'] };
  const OPEN = { origins: ['*'] };
  const NONE = [undefined, undefined, undefined];
  const ALL = ['*', undefined, '*'];
  const own = (origin: string, more = ''): unknown[] => [origin, 'true', `x-own, content-type${more}`];
  const routes = [
    route('GET /', [
      {
        headers: [
          { name: 'X-Own', value: '1' },
          { name: 'Content-Type', value: 'text/plain' },
        ],
        body: 'a',
      },
    ]),
  ];

  test.each<[string, unknown, string, readonly unknown[]]>([
    ['a local page', true, LOCAL, own(LOCAL)],
    ['127.0.0.1', true, 'https://127.8.0.1:444', own('https://127.8.0.1:444')],
    ['::1', true, 'http://[::1]:3000', own('http://[::1]:3000')],
    ['a name under localhost', true, 'http://app.localhost', own('http://app.localhost')],
    ['a name that no host can have', true, `http://${'a'.repeat(500)}.localhost`, ALL],
    ['a name that only begins so', true, 'http://localhost.example.com', ALL],
    ['a name that only ends so', true, 'http://notlocalhost', ALL],
    ['another scheme', true, 'file://localhost', ALL],
    ['any page', true, FOREIGN, ALL],
    ['a sandboxed frame', true, 'null', ALL],
    ['a local page of a mock without it', false, LOCAL, NONE],
    ['a listed page', POLICY, 'https://app.example.com', own('https://app.example.com', ', x-total')],
    ['a listed page at another port', POLICY, 'https://app.example.com:8443', NONE],
    [
      'a page below a listed name',
      POLICY,
      'https://a.b.dev.example.com',
      own('https://a.b.dev.example.com', ', x-total'),
    ],
    ['the name itself', POLICY, 'https://dev.example.com', NONE],
    ['a page that hides in a name', POLICY, 'https://evil.example/.dev.example.com', NONE],
    ['a local page that is not listed', POLICY, LOCAL, NONE],
    ['any page, by *', OPEN, FOREIGN, own(FOREIGN)],
    ['a sandboxed frame, by *', OPEN, 'null', ALL],
    ['a sandboxed frame that is listed', { origins: ['null'] }, 'null', own('null')],
    ['any page without credentials', { credentials: false }, FOREIGN, ALL],
  ])('%s: %j, %s', async (_what, cors, origin, expected) => {
    const id = await two.mock(routes, { cors });
    const read = async (path: string, ask: object = {}): Promise<unknown[]> => {
      const { headers } = await two.both(id, path, { headers: { origin }, ...ask });
      expect(headers['vary']).toBe(cors === false ? undefined : 'origin');
      return PARTS.map((part) => headers[`access-control-${part}`]);
    };
    expect(await read('/')).toEqual(expected);
    const [allowed, credentials, exposed] = await read('/miss');
    expect([allowed, credentials]).toEqual(expected.slice(0, 2));
    expect(exposed === undefined).toBe(expected[2] === undefined);
    // What a preflight allows, the answer allows.
    const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'QUERY' } };
    if (cors !== false) expect((await read('/', preflight)).slice(0, 2)).toEqual(expected.slice(0, 2));
    const tried = await two.data('POST', `/${id}/try`, { method: 'GET', path: '/', headers: { origin } });
    const got = new Map(
      tried.response.headers.map(({ name, value }: { name: string; value: string }) => [name, value]),
    );
    expect(PARTS.map((part) => got.get(`access-control-${part}`))).toEqual(expected);
    const isAllowed = expected[0] !== undefined;
    expect(tried.explanation.cors).toMatchObject({ origin, allowed: isAllowed, credentials: expected[1] === 'true' });
  });

  test('a request without an origin gets what any page may keep', async () => {
    const cached = [{ name: 'etag', value: '"1"' }];
    const varied = [...cached, { name: 'Vary', value: 'accept' }];
    const id = await two.mock([
      ...routes,
      route('GET /cached', [{ headers: cached }]),
      route('GET /varied', [{ headers: varied }]),
    ]);
    const seen = async (path: string, ask: object = {}): Promise<unknown[]> => {
      const { headers } = await two.both(id, path, ask);
      return [headers['access-control-allow-origin'], headers['vary']];
    };
    expect(await seen('/')).toEqual(['*', undefined]);
    expect(await seen('/cached')).toEqual(['*', 'origin']);
    expect(await seen('/varied')).toEqual(['*', 'accept, origin']);
    expect(await seen('/varied', { headers: { origin: LOCAL } })).toEqual([LOCAL, 'accept, origin']);
  });

  test('a preflight says how long it holds, names what is asked, and what is not allowed gets nothing', async () => {
    const id = await two.mock(routes, { cors: { ...POLICY, maxAgeSeconds: 600 } });
    const asked = {
      'access-control-request-method': 'QUERY',
      'access-control-request-headers': 'authorization',
      'access-control-request-private-network': 'true',
    };
    const preflight = async (origin: string): Promise<Record<string, unknown>> => {
      const { status, headers } = await two.both(id, '/', { method: 'OPTIONS', headers: { ...asked, origin } });
      expect(status).toBe(204);
      return Object.fromEntries(Object.entries(headers).filter(([name]) => /^(access-control-|vary)/.test(name)));
    };
    expect(await preflight('https://app.example.com')).toEqual({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY',
      'access-control-allow-headers': 'authorization',
      'access-control-max-age': '600',
      'access-control-allow-private-network': 'true',
      vary: 'origin',
    });
    expect(await preflight(FOREIGN)).toEqual({ vary: 'origin' });
  });

  test('every kind of answer follows it', async () => {
    const event = { data: 'a' };
    const id = await two.mock([
      route('GET /templated', [{ templated: true, body: '{{uuid}}' }]),
      route('GET /late', [{ body: 'a', latency: 5 }]),
      route('GET /slow', [{ body: 'abcdef', delivery: { chunks: 2, overMs: 20 } }]),
      route('GET /fault', [{ fault: { kind: 'status', status: 503 } }]),
      route('GET /stream', [{ stream: { events: [event], end: 'close' } }]),
      route('GET /problem', [{ templated: true, body: '{{json missing}}{{#repeat 1}}{{/repeat}}{{jsonPath 1 2}}' }]),
    ]);
    const limited = await two.mock(routes, { rateLimit: { requests: 1, perMs: 60_000 } });
    const seen = async (mock: string, path: string): Promise<unknown[]> => {
      const { headers } = await two.ask(mock, path, { headers: { origin: LOCAL } });
      return [headers['access-control-allow-origin'], headers['access-control-allow-credentials'], headers['vary']];
    };
    const page = [LOCAL, 'true', 'origin'];
    for (const path of ['/templated', '/late', '/slow', '/fault', '/stream', '/problem', '/none'])
      expect(await seen(id, path), path).toEqual(page);
    expect(await seen(limited, '/')).toEqual(page);
    expect((await two.ask(limited, '/', { headers: { origin: LOCAL } })).status).toBe(429);
    expect(await seen(limited, '/')).toEqual(page);
    await two.api('POST', `/${id}/stop`);
    expect(await seen(id, '/late')).toEqual(page);
  });

  test('a session decides for itself, and for none beside it', async () => {
    const id = await two.mock([
      ...routes,
      route('GET /own', [{ headers: [{ name: 'access-control-allow-origin', value: '*' }] }]),
    ]);
    const session = async (cors: unknown): Promise<string> =>
      (await two.data('POST', `/${id}/sessions`, { overlay: { settings: { cors } } })).id;
    const [shut, strict] = [await session(false), await session({ origins: ['https://app.example.com'] })];
    const seen = async (name: string | undefined, origin: string | undefined, path = '/'): Promise<unknown[]> => {
      const named = name === undefined ? {} : { 'x-mock-session': name };
      const { headers } = await two.both(id, path, { headers: { ...named, ...(origin && { origin }) } });
      return ['access-control-allow-origin', 'access-control-allow-credentials'].map((each) => headers[each]);
    };
    expect(await seen(shut, LOCAL)).toEqual([undefined, undefined]);
    expect(await seen(shut, undefined)).toEqual([undefined, undefined]);
    expect(await seen(shut, LOCAL, '/own')).toEqual(['*', undefined]);
    expect(await seen(strict, LOCAL)).toEqual([undefined, undefined]);
    expect(await seen(strict, 'https://app.example.com')).toEqual(['https://app.example.com', 'true']);
    expect(await seen(undefined, LOCAL)).toEqual([LOCAL, 'true']);
    expect(await seen(undefined, LOCAL, '/own')).toEqual(['*', undefined]);
    const off = await two.mock(routes, { cors: false });
    const { id: on } = await two.data('POST', `/${off}/sessions`, { overlay: { settings: { cors: true } } });
    const { headers } = await two.both(off, '/', { headers: { 'x-mock-session': on, origin: LOCAL } });
    expect(headers).toMatchObject({ 'access-control-allow-origin': LOCAL, 'access-control-allow-credentials': 'true' });
  });

  test.each<[unknown, string, RegExp]>([
    [
      { origins: ['https://app.example.com/'] },
      '/origins/0',
      /must be an origin such as https:\/\/app\.example\.com, without a path/,
    ],
    [{ origins: ['app.example.com'] }, '/origins/0', /must be an origin/],
    [{ origins: ['https://*.*.example.com'] }, '/origins/0', /more than one \*/],
    [{ origins: ['https://app.*'] }, '/origins/0', /elsewhere than in place of the first labels/],
    [{ origins: [] }, '/origins', /at least one origin/],
    [{ expose: ['x total'] }, '/expose/0', /is not the name of a header/],
    [{ maxAgeSeconds: 86_401 }, '/maxAgeSeconds', /86400 or less/],
    [{ origin: ['*'] }, '/origin', /is unknown; known are origins, credentials, expose, maxAgeSeconds/],
    ['yes', '', /expected a boolean or an object/],
  ])('%j is refused at %s', async (cors, path, message) => {
    const { status, json } = await two.api('POST', '', { name: 'no', settings: { cors } });
    expect(status).toBe(400);
    expect(json.details).toEqual([{ path: `/settings/cors${path}`, message: expect.stringMatching(message) }]);
  });

  test('cookies for every page are warned of', async () => {
    const warnings = async (cors: unknown): Promise<string> =>
      JSON.stringify((await two.data('GET', `/${await two.mock(routes, { cors })}/staged/diff`)).warnings);
    expect(await warnings(OPEN)).toContain('every page that a browser opens can call this mock with its cookies');
    expect(await warnings({ ...OPEN, credentials: false })).toBe('[]');
    expect(await warnings(POLICY)).toBe('[]');
  });
});
