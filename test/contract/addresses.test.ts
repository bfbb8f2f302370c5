/**
 * How requests reach a mock, and the replies when there is no mock, over HTTP with two threads: docs/mocks-matching.md,
 * and `url` in "The record". Route paths: paths.test.ts.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { familyMs } from '../support/cpu-ms.ts';
import { askMock, type Ask, type MockReply } from '../support/ask-mock.ts';
import { route, TwoThreads } from '../support/two-threads.ts';

const two = await TwoThreads.use();
let shop: string;
let other: string;
let stopped: string;

const ROUTES = (body: string) => [route('ANY /items', [{ body }]), route('GET /', [{ body: `${body} root` }])];

beforeAll(async () => {
  [shop, other, stopped] = (await Promise.all(['shop', 'other', 'stopped'].map((name) => two.mock(ROUTES(name))))) as [
    string,
    string,
    string,
  ];
  await two.data('POST', `/${stopped}/stop`);
});

/** Uses two connections in a row, with exactly these headers. */
async function plain(path: string, headers: Record<string, string>, ask: Ask = {}): Promise<MockReply> {
  const replies = [];
  for (let thread = 0; thread < 2; thread++)
    replies.push(await askMock(two.server.mockPort, path, { ...ask, headers }));
  const [one, again] = replies as [MockReply, MockReply];
  expect([again.status, again.text]).toEqual([one.status, one.text]);
  return one;
}

test('connections are distributed to the threads in turn', async () => {
  const before = await two.requestsTaken();
  for (let request = 0; request < 10; request++) await two.ask(shop, '/items');
  const after = await two.requestsTaken();
  expect(after.map((taken, thread) => taken - (before[thread] as number))).toEqual([5, 5]);
});

describe('a mock is reached', () => {
  test.each<[string, (id: string) => [path: string, headers: Record<string, string>]]>([
    ['by its Host', (id) => ['/items', { host: `${id}.localhost` }]],
    ['by its Host with the port', (id) => ['/items', { host: `${id}.localhost:${two.server.mockPort}` }]],
    ['by its Host in capitals', (id) => ['/items', { host: `${id.toUpperCase()}.LOCALHOST` }]],
    ['by the path /__mock/<mock_id>', (id) => [`/__mock/${id}/items`, {}]],
    ['by the path, with a query', (id) => [`/__mock/${id}/items?a=/b`, {}]],
    ['by x-mock-id', (id) => ['/items', { 'x-mock-id': id }]],
    ['by x-mock-id when the Host names no mock', (id) => ['/items', { host: 'nobody.localhost', 'x-mock-id': id }]],
  ])('%s', async (_how, address) => {
    expect(await plain(...address(shop))).toMatchObject({ status: 200, text: 'shop' });
    expect(await plain(...address(other))).toMatchObject({ status: 200, text: 'other' });
    expect((await plain(...address(stopped))).status).toBe(503);
    expect((await plain(...address('mnowhere'))).status).toBe(404);
  });

  test('by its Host, regardless of x-mock-id', async () => {
    const headers = { host: `${shop}.localhost`, 'x-mock-id': other };
    expect((await plain('/items', headers)).text).toBe('shop');
  });

  test('at its root by the path, with and without the last slash', async () => {
    expect((await plain(`/__mock/${shop}/`, {})).text).toBe('shop root');
    expect((await plain(`/__mock/${shop}`, {})).text).toBe('shop root');
  });

  test('with its method and body by the path', async () => {
    const id = await two.mock([route('PUT /a/:b', [{ templated: true, body: "{{method}} {{path}} {{body 'c'}}" }])]);
    const ask = { method: 'PUT', body: '{"c":1}' };
    expect((await plain(`/__mock/${id}/a/b`, {}, ask)).text).toBe('PUT /a/b 1');
  });
});

describe('a request that names two mocks', () => {
  /** Replies with its name and the path it received, to show which mock answered and which path it saw. */
  let first: string;
  let second: string;
  beforeAll(async () => {
    const routes = (name: string) => [route('ANY /*', [{ templated: true, body: `${name} {{path}}` }])];
    [first, second] = (await Promise.all(['first', 'second'].map((name) => two.mock(routes(name))))) as [
      string,
      string,
    ];
  });

  test('goes to the mock of its Host, which sees the whole path', async () => {
    const host = `${first}.localhost`;
    expect((await plain(`/__mock/${second}/a`, { host })).text).toBe(`first /__mock/${second}/a`);
    expect((await plain(`/__mock/${first}/a`, { host })).text).toBe(`first /__mock/${first}/a`);
    expect((await plain('/a', { host, 'x-mock-id': second })).text).toBe('first /a');
  });

  test('goes to the mock of its Host even if that is stopped: no other mock answers instead', async () => {
    const host = `${stopped}.localhost`;
    expect((await plain(`/__mock/${second}/a`, { host })).status).toBe(503);
    expect((await plain('/a', { host, 'x-mock-id': second })).status).toBe(503);
  });

  test('goes to the mock of its path rather than that of its x-mock-id', async () => {
    expect((await plain(`/__mock/${first}/a`, { 'x-mock-id': second })).text).toBe('first /a');
    expect((await plain(`/__mock/${stopped}/a`, { 'x-mock-id': second })).status).toBe(503);
  });

  test('goes to the mock of its path, or of its x-mock-id, when its Host names no mock', async () => {
    for (const host of [
      'mnowhere.localhost',
      'evil.example',
      `${first}.evil.example`,
      `a.b.${first}.localhost`,
      '127.0.0.1',
    ]) {
      expect((await plain(`/__mock/${second}/a`, { host })).text, host).toBe('second /a');
      expect((await plain('/a', { host, 'x-mock-id': second })).text, host).toBe('second /a');
    }
  });

  test('cannot leave the path of its mock: the rest of the path is passed on as sent', async () => {
    for (const [below, seen] of [
      [`/../${second}/a`, `/../${second}/a`],
      [`/..%2f${second}/a`, `/../${second}/a`],
      [`//${second}/a`, `//${second}/a`],
      [`/__mock/${second}/a`, `/__mock/${second}/a`],
    ]) {
      const { text } = await plain(`/__mock/${first}${below}`, {});
      expect(text).toMatch(/^first /);
      expect(decodeURIComponent(text)).toBe(`first ${seen}`);
    }
  });

  test('is counted only by the mock that answered', async () => {
    await two.data('DELETE', `/${first}/requests`);
    await two.data('DELETE', `/${second}/requests`);
    await plain(`/__mock/${second}/a`, { host: `${first}.localhost`, 'x-mock-id': second });
    expect((await two.data('GET', `/${first}/counts`)).total).toBe(2);
    expect((await two.data('GET', `/${second}/counts`)).total).toBe(0);
  });
});

describe('no other spelling of an id', () => {
  test('in a path reaches a mock', async () => {
    for (const id of [
      shop.toUpperCase(),
      `%${shop.charCodeAt(0).toString(16)}${shop.slice(1)}`,
      `${shop}%00`,
      `${shop}.`,
      `${shop};a`,
      `${shop}%2fitems`,
      `%20${shop}`,
      `.%2f${shop}`,
      `__proto__`,
      `constructor`,
      `${shop}${shop}`,
      '',
    ]) {
      expect((await plain(`/__mock/${id}/items`, {})).status, id).toBe(404);
    }
    for (const path of [
      `/__MOCK/${shop}/items`,
      `/%5f_mock/${shop}/items`,
      `//__mock/${shop}/items`,
      `/./__mock/${shop}/items`,
    ]) {
      expect((await plain(path, {})).status, path).toBe(404);
    }
  });

  test('in x-mock-id reaches a mock', async () => {
    for (const id of [shop.toUpperCase(), `${shop},${other}`, `${shop}.localhost`, `/${shop}`, `"${shop}"`, '*', '']) {
      expect((await plain('/items', { 'x-mock-id': id })).status, id).toBe(404);
    }
  });

  test('in a Host reaches a mock, except capitals', async () => {
    for (const host of [
      `${shop}.localhost.evil.example`,
      `${shop}.evil.example`,
      `${shop}localhost`,
      shop,
      `x.y.${shop}.localhost`,
      `${other}@${shop}.localhost`,
      `%${shop.charCodeAt(0).toString(16)}${shop.slice(1)}.localhost`,
      `.${shop}.localhost`,
      `${shop}..localhost`,
      `${shop}.localhost/`,
      `${shop}.localhost,${other}.localhost`,
    ]) {
      const isName = /^[\w.-]+$/.test(host);
      expect((await plain('/items', { host })).status, host).toBe(isName ? 404 : 400);
    }
  });
});

describe('its url', () => {
  test('is built from its id and the port of the mocks', async () => {
    const { url, id } = await two.data('GET', `/${shop}`);
    expect(id).toMatch(/^[a-z][a-z0-9]{0,62}$/);
    expect(url).toBe(`http://${id}.localhost:${two.server.mockPort}`);
  });

  test('and its Host follow --mock-domain and --mock-url-template', async () => {
    const own = await TwoThreads.start([
      '--mock-domain=mocks.example.com',
      '--mock-url-template=https://<mock_id>.mocks.example.com',
    ]);
    const id = await own.mock(ROUTES('own'));
    expect((await own.data('GET', `/${id}`)).url).toBe(`https://${id}.mocks.example.com`);
    const ask = (host: string) => askMock(own.server.mockPort, '/items', { headers: { host } });
    for (let thread = 0; thread < 2; thread++) {
      expect(await ask(`${id}.mocks.example.com`)).toMatchObject({ status: 200, text: 'own' });
    }
    for (let thread = 0; thread < 2; thread++) expect((await ask(`${id}.localhost`)).status).toBe(404);
    await own.end();
  });
});

/** The JSON of replies that the server makes itself. */
function expectJson({ headers, text }: MockReply): void {
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(JSON.parse(text)).toMatchObject({ success: false, message: expect.any(String) });
}

describe('where no response answers', () => {
  test('an unknown mock host is 404 in JSON', async () => {
    for (const host of ['unknown.localhost', 'localhost', '127.0.0.1', `${'m'.repeat(63)}.localhost`]) {
      const reply = await plain('/items', { host });
      expect(reply.status, host).toBe(404);
      expectJson(reply);
    }
  });

  test('a stopped mock is 503 in JSON with Retry-After, on every path', async () => {
    for (const path of ['/items', '/nowhere']) {
      const reply = await two.both(stopped, path);
      expect(reply.status).toBe(503);
      expect(reply.headers['retry-after']).toMatch(/^\d+$/);
      expectJson(reply);
    }
  });

  test('no route is 404 in JSON that names the nearest routes', async () => {
    const id = await two.mock(
      ['POST /users/:id', 'GET /users/list', 'GET /orders', 'GET /quite/another/thing'].map((spec) => route(spec)),
    );
    const reply = await two.both(id, '/users/7', { method: 'DELETE' });
    expect(reply.status).toBe(404);
    expectJson(reply);
    expect(reply.text).toContain('/users/:id');
    expect(reply.text).toContain('POST');
    expect((await two.both(id, '/user/list')).text).toContain('/users/list');
  });

  test('a path without the base path of the routes, or with one too many, is answered with the routes that are meant', async () => {
    const nearest = async (id: string, path: string): Promise<string[]> =>
      (JSON.parse((await two.both(id, path)).text) as { nearest: { path: string }[] }).nearest.map((each) => each.path);
    const based = await two.mock(
      ['GET /api/v2/pets', 'GET /api/v2/pets/:id', 'GET /api/v2/:other/:id'].map((spec) => route(spec)),
    );
    expect((await nearest(based, '/pets'))[0]).toBe('/api/v2/pets');
    expect((await nearest(based, '/pets/7'))[0]).toBe('/api/v2/pets/:id');
    expect(await nearest(based, '/shops')).toEqual([]);
    const bare = await two.mock(['GET /shops', 'GET /pets/:id'].map((spec) => route(spec)));
    expect(await nearest(bare, '/api/v2/pets/7')).toEqual(['/pets/:id']);
  });

  test('a route for every method is as near as one for the method of the request', async () => {
    const missed = async (spec: string, method: string): Promise<unknown> => {
      const { status, text } = await two.both(await two.mock([route(spec)]), '/user/5', { method });
      expect(status).toBe(404);
      return (JSON.parse(text) as { nearest: unknown }).nearest;
    };
    expect(await missed('ANY /users/:id', 'GET')).toEqual([{ method: 'ANY', path: '/users/:id' }]);
    expect(await missed('ANY /users/:id', 'REPORT')).toEqual([{ method: 'ANY', path: '/users/:id' }]);
    expect(await missed('GET /users/:id', 'GET')).toEqual([{ method: 'GET', path: '/users/:id' }]);
    expect(await missed('GET /users/:id', 'POST')).toEqual([]);
  });

  test('a path that is declared for other methods alone is told so, another is not', async () => {
    const id = await two.mock(['POST /users/:id', 'PUT /users/:id', 'GET /orders'].map((spec) => route(spec)));
    const hint = async (path: string, method: string): Promise<string> =>
      (JSON.parse((await two.both(id, path, { method })).text) as { hint: string }).hint;
    const served = 'version 1 is served';
    expect(await hint('/users/7', 'GET')).toBe(`this path is declared for POST and PUT only; ${served}`);
    expect(await hint('/orders', 'POST')).toBe(`this path is declared for GET only; ${served}`);
    expect(await hint('/users', 'GET')).toBe(served);
    expect(await hint(`/users${'/7'.repeat(40)}`, 'GET')).toBe(served);
  });

  describe('a route that falls through says what its responses lack:', () => {
    const next = { otherwise: 'next' };
    const scenarios = [{ name: 'cart', states: ['Started', 'has item'] }];
    const miss = async (id: string, method: string, path: string, body?: string) => {
      const { status, text } = await two.ask(id, path, { method, ...(body === undefined ? {} : { body }) });
      expect(status).toBe(404);
      const { hint, passedOn } = JSON.parse(text) as { hint: string; passedOn?: unknown };
      const [recorded] = (await two.api('GET', `/${id}/requests?limit=1`)).json.data;
      return { hint, passedOn, problem: recorded.problem };
    };

    test('the state of a scenario', async () => {
      const add = { status: 201, scenario: { name: 'cart', requires: 'Started', moveTo: 'has item' } };
      const id = await two.mock([route('GET /cart'), route('POST /cart', [add], next)], { scenarios });
      expect((await two.ask(id, '/cart', { method: 'POST' })).status).toBe(201);
      const reason = 'requires state Started of scenario cart; it is: has item';
      expect(await miss(id, 'POST', '/cart')).toEqual({
        hint: `POST /cart matches, but ${reason}; version 1 is served`,
        passedOn: [{ method: 'POST', path: '/cart', reason }],
        problem: `POST /cart matches, but ${reason}`,
      });
    });

    test('a condition, also of a route for any method, and of groups', async () => {
      const rule = (property: string, value: string) => ({ target: 'body', property, operator: 'equals', value });
      const id = await two.mock([
        route('ANY /any', [{ rules: [rule('amount', '6')] }], next),
        route('ANY /group', [{ rules: [{ any: [rule('a', '1'), { not: rule('b', '2') }] }] }], next),
      ]);
      const hint = async (...asked: [method: string, path: string, body?: string]) => (await miss(id, ...asked)).hint;
      expect(await hint('PUT', '/any', '{"amount":5}')).toBe(
        'ANY /any matches, but requires body amount equals 6; got "5"; version 1 is served',
      );
      expect(await hint('GET', '/any')).toContain('requires body amount equals 6; got nothing');
      expect(await hint('POST', '/group', '{"b":2}')).toContain(
        'requires body a equals 1; got nothing, and requires not: body b equals 2; got "2"',
      );
    });

    test('of several responses the one that lacks least, of several routes each', async () => {
      const header = (property: string) => ({ target: 'header', property, operator: 'equals', value: '1' });
      const id = await two.mock([
        route('GET /a', [{ rules: [header('x'), header('y')] }, { rules: [header('z')] }], next),
        route('ANY /a', [{ rules: [header('q')] }], next),
      ]);
      expect((await miss(id, 'GET', '/a')).passedOn).toEqual([
        { method: 'GET', path: '/a', reason: 'requires header z equals 1; got nothing (the closest of 2 responses)' },
        { method: 'ANY', path: '/a', reason: 'requires header q equals 1; got nothing' },
      ]);
    });

    test('credentials are not shown to a client', async () => {
      const id = await two.mock([
        route(
          'GET /a',
          [{ rules: [{ target: 'header', property: 'Authorization', operator: 'equals', value: 'S3CRET' }] }],
          next,
        ),
        route(
          'ANY /a',
          [
            {
              rules: [
                { not: { target: 'cookie', property: 'sid', operator: 'exists' } },
                { target: 'cookie', property: 'sid', operator: 'equals', value: 'S3CRET' },
              ],
            },
          ],
          next,
        ),
      ]);
      const { text } = await two.ask(id, '/a', { headers: { authorization: 'mine', cookie: 'sid=mine' } });
      expect(text).toContain('requires header Authorization equals …; got \\"…\\"');
      expect(text).not.toMatch(/S3CRET|mine/);
    });

    test('in a session, of a route that its overlay adds', async () => {
      const id = await two.mock([route('GET /b')], { scenarios });
      const add = { scenario: { name: 'cart', requires: 'Started' } };
      const overlay = { routes: [route('POST /cart', [add], next)] };
      const { id: session } = await two.data('POST', `/${id}/sessions`, { overlay, state: { cart: 'has item' } });
      const { text } = await two.ask(id, '/cart', { method: 'POST', headers: { 'x-mock-session': session } });
      expect(JSON.parse(text).passedOn).toEqual([
        { method: 'POST', path: '/cart', reason: 'requires state Started of scenario cart; it is: has item' },
      ]);
    });

    test('on one line, whatever the path is written with', async () => {
      const never = { rules: [{ target: 'header', property: 'x', operator: 'exists' }] };
      const id = await two.mock([route('GET /a\n?', [never], { ...next, pathKind: 'regex' })]);
      expect((await miss(id, 'GET', '/a')).problem).toContain(
        '/a ? matches, but requires header x exists; got nothing',
      );
    });

    // reaches PASSED_ROUTES_MAX, PASSED_WORK_MAX
    test('within bounds', async () => {
      const id = await two.mock([
        ...[1, 2, 3, 4].map(() =>
          route('POST /a', [{ rules: [{ target: 'path', operator: 'equals', value: '/b' }] }], next),
        ),
        route('POST /big', [{ rules: [{ target: 'body', property: 'a', operator: 'equals', value: '1' }] }], next),
      ]);
      expect((await miss(id, 'POST', '/a')).passedOn).toHaveLength(3);
      const large = JSON.stringify({ a: 2, filler: Array.from({ length: 100_000 }, (_each, index) => index) });
      expect((await miss(id, 'POST', '/big', large)).passedOn).toEqual([
        { method: 'POST', path: '/big', reason: 'the conditions of none of its responses hold' },
      ]);
    });
  });

  test('a miss among 5,000 routes takes bounded work', async () => {
    const id = await two.mock(Array.from({ length: 5_000 }, (_each, index) => route(`GET /r/${index}/:id`)));
    await two.both(id, '/r/9/x/y');
    const before = familyMs(two.server.pid);
    for (let request = 0; request < 100; request++) await two.ask(id, `/r/${request}/x/${'y'.repeat(1_000)}`);
    expect(familyMs(two.server.pid) - before).toBeLessThan(2_000);
    expect((await two.both(id, '/r/9/x/y')).text.length).toBeLessThan(4_000);
  });

  test('a deleted mock is 404 at once', async () => {
    const id = await two.mock(ROUTES('gone'));
    expect(await two.text(id, '/items')).toBe('gone');
    expect((await two.api('DELETE', `/${id}`)).json).toEqual({ success: true, message: 'Mock deleted successfully' });
    const reply = await two.both(id, '/items');
    expect(reply.status).toBe(404);
    expectJson(reply);
  });
});
