/**
 * Whether a mock received the expected requests, over HTTP with two threads: `POST /mocks/:id/verify`; docs/mocks-traffic.md,
 * "Endpoints".
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { route, TARGETS, TwoThreads } from '../support/two-threads.ts';

describe.each(TARGETS)('%s', async (target) => {
  const two = await TwoThreads.use(target);
  let id: string;
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    id = await two.mock([
      route('GET /users/:id', [{ rules: [{ target: 'query', property: 'r', operator: 'exists' }] }, {}]),
      route('POST /users/:id'),
      route('GET /files/*'),
      route('GET /opt/:x?'),
      route('GET /static'),
    ]);
    const [get, post] = (await two.data('GET', `/${id}/staged`)).routes;
    Object.assign(ids, { get: get.id, post: post.id, ruled: get.responses[0].id });
    // Each twice: once on each thread.
    await two.both(id, '/users/1');
    await two.both(id, '/users/2?r=1&r=2&s=a%20b');
    await two.both(id, '/users/1', { method: 'POST', body: '{"name":"Ada é"}', headers: { 'X-Run': ['7', '8'] } });
    await two.both(id, '/files/a/b');
    await two.both(id, '/opt');
    await two.both(id, '/static');
    await two.both(id, '/users/1', { method: 'DELETE' });
  });

  const verify = (body: unknown) => two.data('POST', `/${id}/verify`, body);

  describe('what is counted:', () => {
    test.each<[string, () => object, number]>([
      ['everything', () => ({}), 14],
      ['a method', () => ({ method: 'POST' }), 2],
      ['a method that was not used', () => ({ method: 'PUT' }), 0],
      ['an exact path, for every method, misses included', () => ({ path: '/users/1' }), 6],
      ['an exact path of a static route', () => ({ path: '/static' }), 2],
      ['a path that was not requested', () => ({ path: '/users' }), 0],
      ["a route's pattern, of every route that has it", () => ({ path: '/users/:id' }), 6],
      ["a route's pattern and a method", () => ({ path: '/users/:id', method: 'GET' }), 4],
      ["a wildcard's pattern", () => ({ path: '/files/*' }), 2],
      ['a pattern with an optional parameter', () => ({ path: '/opt/:x?' }), 2],
      ['a pattern that no route has', () => ({ path: '/nobody/:id' }), 0],
      ['a route', () => ({ routeId: ids.get }), 4],
      ['another route', () => ({ routeId: ids.post }), 2],
      ['a response', () => ({ responseId: ids.ruled }), 2],
      ['a header, whatever the case of its name', () => ({ header: { 'x-RUN': '7' } }), 2],
      ['the second value of a repeated header', () => ({ header: { 'X-Run': '8' } }), 2],
      ['a header of another value', () => ({ header: { 'X-Run': '9' } }), 0],
      ['two headers, both', () => ({ header: { 'X-Run': '7', 'x-other': '1' } }), 0],
      ['a query parameter', () => ({ query: { r: '1' } }), 2],
      ['the second value of a repeated query parameter', () => ({ query: { r: '2' } }), 2],
      ['a query parameter, decoded', () => ({ query: { s: 'a b' } }), 2],
      ['two query parameters, both', () => ({ query: { r: '1', s: 'a b' } }), 2],
      ['two query parameters, one of which differs', () => ({ query: { r: '1', s: 'x' } }), 0],
      ['a part of the body', () => ({ bodyContains: '"Ada' }), 2],
      ['a part of the body in UTF-8', () => ({ bodyContains: 'é' }), 2],
      ['a part that no body has', () => ({ bodyContains: 'ada' }), 0],
      ['all at once', () => ({ method: 'POST', path: '/users/:id', header: { 'x-run': '7' }, bodyContains: 'Ada' }), 2],
      ['all at once, one of which differs', () => ({ method: 'GET', path: '/users/:id', bodyContains: 'Ada' }), 0],
    ])('%s', async (_what, match, count) => {
      expect(await verify({ match: match(), exactly: count })).toMatchObject({
        verified: true,
        count,
        truncated: false,
      });
      expect(await verify({ match: match(), exactly: count + 1 })).toMatchObject({ verified: false, count });
    });
  });

  test("a route's path, written decoded, counts the requests that the route answered", async () => {
    const own = await two.mock([route('GET /space here')]);
    await two.both(own, '/space%20here');
    const { data } = (await two.api('POST', `/${own}/verify`, { match: { path: '/space here' } })).json;
    expect(data).toMatchObject({ verified: true, count: 2 });
  });

  test('a reply has the epoch of the counts, and the actual requests when it fails', async () => {
    const { epoch } = await two.data('GET', `/${id}/counts`);
    expect(await verify({ match: { method: 'POST' } })).toEqual({ verified: true, count: 2, truncated: false, epoch });
    const failed = await verify({ match: { method: 'PUT' } });
    expect(failed).toEqual({ verified: false, count: 0, truncated: false, epoch, closest: expect.any(Array) });
    expect(failed.closest.length).toBeGreaterThan(0);
    expect(failed.closest[0]).toMatchObject({ method: 'DELETE', path: '/users/1', status: 404 });
  });

  describe('within a time:', () => {
    let own: string;
    beforeAll(async () => {
      own = await two.mock([route('GET /:n')]);
    });
    const within = (body: object) => two.data('POST', `/${own}/verify`, body);

    test('it is answered as soon as the expected requests arrived, on either thread', async () => {
      for (const path of ['/a', '/b']) {
        const started = performance.now();
        const waiting = within({ match: { path }, atLeast: 1, withinMs: 10_000 });
        await new Promise((resolve) => setTimeout(resolve, 200));
        await two.ask(own, path);
        expect(await waiting).toMatchObject({ verified: true, count: 1 });
        expect(performance.now() - started).toBeLessThan(5_000);
      }
    });

    // reaches VERIFY_MS_MAX
    test('it is at most 30 seconds', async () => {
      const asked = (withinMs: number) => two.api('POST', `/${own}/verify`, { match: {}, atLeast: 1, withinMs });
      expect((await asked(30_000)).json.data.verified).toBe(true);
      expect((await asked(30_001)).status).toBe(400);
    });
  });

  describe('versions that answered:', () => {
    const parts = (spec: string, fields: object = {}) => ({ ...route(spec), ...fields });
    const count = async (mock: string, match: object): Promise<number> =>
      (await two.data('POST', `/${mock}/verify`, { match, atLeast: 0 })).count;

    test('a renamed parameter hides no request, before or after', async () => {
      const own = await two.mock([route('GET /users/:id')]);
      const [{ id: routeId }] = (await two.data('GET', `/${own}/staged`)).routes;
      await two.both(own, '/users/1');
      await two.save(own, [parts('GET /users/:userId', { id: routeId })]);
      await two.both(own, '/users/2');
      expect(await count(own, { path: '/users/:id' })).toBe(4);
      expect(await count(own, { path: '/users/:userId' })).toBe(4);
      await two.save(own, [parts('GET /people/:id', { id: routeId })]);
      await two.both(own, '/people/3');
      expect(await count(own, { path: '/users/:id' })).toBe(4);
      expect(await count(own, { path: '/people/:id' })).toBe(2);
      await two.save(own, [route('GET /none')]);
      expect(await count(own, { path: '/users/:id' })).toBe(4);
      expect(await count(own, { routeId })).toBe(6);
    });

    test('versions are read from the store in several batches when there are many', async () => {
      const large = ['/a/:x', '/b/:x', '/c/:x'].map((path) => route(`GET ${path}`, [{ body: 'x'.repeat(600_000) }]));
      const own = await two.mock(large);
      for (const path of ['/a/1', '/b/1', '/c/1']) await two.both(own, path);
      await two.save(own, [route('GET /none')]);
      for (const path of ['/a/:id', '/b/:id', '/c/:id']) expect(await count(own, { path })).toBe(2);
    });

    test('a version that is saved while a verification waits counts too', async () => {
      const own = await two.mock([route('GET /a')]);
      const waiting = two.data('POST', `/${own}/verify`, { match: { path: '/b/:c' }, withinMs: 10_000 });
      await new Promise((resolve) => setTimeout(resolve, 200));
      await two.save(own, [route('GET /b/:c')]);
      await two.ask(own, '/b/1');
      expect(await waiting).toMatchObject({ verified: true, count: 1 });
    });

    test('a route of a version in the records may be named even if it answered nothing; other unknown routes are refused', async () => {
      const own = await two.mock([route('GET /asked'), route('GET /unasked')]);
      const [, unasked] = (await two.data('GET', `/${own}/staged`)).routes;
      await two.both(own, '/asked');
      await two.save(own, [route('GET /new')]);
      const match = { routeId: unasked.id, responseId: unasked.responses[0].id };
      expect(await verifyAt(own, { match, exactly: 0 })).toBe(200);
      await two.api('DELETE', `/${own}/requests`);
      expect(await verifyAt(own, { match, exactly: 0 })).toBe(400);
    });

    const verifyAt = async (mock: string, body: object): Promise<number> =>
      (await two.api('POST', `/${mock}/verify`, body)).status;
  });

  describe('a filter that can never match is refused with the reason:', () => {
    test.each<[string, () => object, string]>([
      ['a method in lower case', () => ({ match: { method: 'get' } }), '/match/method'],
      ['a path without a slash', () => ({ match: { path: 'users/1' } }), '/match/path'],
      ['a path with its query', () => ({ match: { path: '/users/1?r=1' } }), '/match/path'],
      ['an optional parameter that no route has', () => ({ match: { path: '/users/:id?' } }), '/match/path'],
      ['a path with a space', () => ({ match: { path: '/a b' } }), '/match/path'],
      ['a path with a control character', () => ({ match: { path: '/a\tb' } }), '/match/path'],
      ['an unknown route', () => ({ match: { routeId: 'nobody' } }), '/match/routeId'],
      ['an unknown response', () => ({ match: { responseId: ids.get } }), '/match/responseId'],
      [
        'a response of another route',
        () => ({ match: { routeId: ids.post, responseId: ids.ruled } }),
        '/match/responseId',
      ],
    ])('%s', async (_what, body, path) => {
      for (const more of [{}, { withinMs: 100 }]) {
        const { status, json } = await two.api('POST', `/${id}/verify`, { ...body(), ...more });
        expect({ status, json }).toMatchObject({
          status: 400,
          json: { details: [{ path, message: expect.any(String) }] },
        });
      }
    });
  });

  test.each<[string, unknown]>([
    ['with match that is not an object', { match: 'GET' }],
    ['with a number as a string', { match: {}, exactly: '1' }],
  ])('a verification %s is refused', async (_what, body) => {
    expect((await two.api('POST', `/${id}/verify`, body)).status).toBe(400);
  });
});
