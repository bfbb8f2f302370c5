/** Whether a mock was asked as expected, over HTTP on two threads: `POST /mocks/:id/verify`; mocks.md, "Endpoints". */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { route, TwoThreads } from '../support/two-threads.ts';

let two: TwoThreads;
let id: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  two = await TwoThreads.start();
  id = await two.mock([
    route('GET /users/:id', [{ rules: [{ target: 'query', property: 'r', operator: 'exists' }] }, {}]),
    route('POST /users/:id'),
    route('GET /files/*'),
    route('GET /opt/:x?'),
    route('GET /static'),
  ]);
  const [get, post] = (await two.data('GET', `/${id}/staged`)).routes;
  Object.assign(ids, { get: get.id, post: post.id, ruled: get.responses[0].id });
  // Each twice: on either thread.
  await two.both(id, '/users/1');
  await two.both(id, '/users/2?r=1&r=2&s=a%20b');
  await two.both(id, '/users/1', { method: 'POST', body: '{"name":"Ada é"}', headers: { 'X-Run': ['7', '8'] } });
  await two.both(id, '/files/a/b');
  await two.both(id, '/opt');
  await two.both(id, '/static');
  await two.both(id, '/users/1', { method: 'DELETE' });
});
afterAll(() => two.end());

const verify = (body: unknown) => two.data('POST', `/${id}/verify`, body);

describe('what is counted:', () => {
  test.each<[string, () => object, number]>([
    ['everything', () => ({}), 14],
    ['a method', () => ({ method: 'POST' }), 2],
    ['a method that never came', () => ({ method: 'PUT' }), 0],
    ['an exact path, for every method, misses included', () => ({ path: '/users/1' }), 6],
    ['an exact path of a static route', () => ({ path: '/static' }), 2],
    ['a path that never came', () => ({ path: '/users' }), 0],
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
    expect(await verify({ match: match(), exactly: count })).toMatchObject({ verified: true, count, truncated: false });
    expect(await verify({ match: match(), exactly: count + 1 })).toMatchObject({ verified: false, count });
  });
});

test("a route's path that is written decoded stands for what the route answered", async () => {
  const own = await two.mock([route('GET /space here')]);
  await two.both(own, '/space%20here');
  const { data } = (await two.api('POST', `/${own}/verify`, { match: { path: '/space here' } })).json;
  expect(data).toMatchObject({ verified: true, count: 2 });
});

describe('how often:', () => {
  const POST = { method: 'POST' };
  test.each<[object, boolean]>([
    [{ match: POST }, true],
    [{ match: { method: 'PUT' } }, false],
    [{ match: POST, atLeast: 2 }, true],
    [{ match: POST, atLeast: 3 }, false],
    [{ match: POST, atLeast: 0 }, true],
    [{ match: POST, atMost: 2 }, true],
    [{ match: POST, atMost: 1 }, false],
    [{ match: { method: 'PUT' }, atMost: 0 }, true],
    [{ match: POST, exactly: 2 }, true],
    [{ match: POST, exactly: 1 }, false],
    [{ match: POST, exactly: 3 }, false],
    [{ match: { method: 'PUT' }, exactly: 0 }, true],
    [{ match: POST, atLeast: 1, atMost: 2 }, true],
    [{ match: POST, atLeast: 3, atMost: 9 }, false],
  ])('%j is %s', async (body, verified) => {
    expect((await verify(body)).verified).toBe(verified);
  });
});

test('an answer has the epoch of the counts, and what came instead when it fails', async () => {
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

  test('it is answered as soon as what was expected came, on whichever thread', async () => {
    for (const path of ['/a', '/b']) {
      const started = performance.now();
      const waiting = within({ match: { path }, atLeast: 1, withinMs: 10_000 });
      await new Promise((resolve) => setTimeout(resolve, 200));
      await two.ask(own, path);
      expect(await waiting).toMatchObject({ verified: true, count: 1 });
      expect(performance.now() - started).toBeLessThan(5_000);
    }
  });

  test('it fails when the time is over, and not before', async () => {
    const started = performance.now();
    expect(await within({ match: { path: '/never' }, withinMs: 300 })).toMatchObject({ verified: false, count: 0 });
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(298);
    expect(took).toBeLessThan(5_000);
  });

  test('it is at most 30 seconds', async () => {
    const asked = (withinMs: number) => two.api('POST', `/${own}/verify`, { match: {}, atLeast: 1, withinMs });
    expect((await asked(30_000)).json.data.verified).toBe(true);
    expect((await asked(30_001)).status).toBe(400);
  });
});

test.each<[string, unknown]>([
  ['without match', {}],
  ['with match that is no object', { match: 'GET' }],
  ['with a negative number', { match: {}, atLeast: -1 }],
  ['with a number that is a text', { match: {}, exactly: '1' }],
])('a verification %s is refused', async (_what, body) => {
  expect((await two.api('POST', `/${id}/verify`, body)).status).toBe(400);
});
