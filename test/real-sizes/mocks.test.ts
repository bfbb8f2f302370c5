/**
 * The limits of mocks at their real size, over HTTP with two threads: what is just within a limit is accepted and served, and what is
 * just beyond it is refused and changes nothing; docs/api.md, "Limits".
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

let two: TwoThreads;
beforeAll(async () => {
  two = await TwoThreads.start();
});
afterAll(() => two.end());

const create = (routes: readonly Fields[]) => two.api('POST', '', { name: 'm', start: true, routes });
const listOf = <Item>(count: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_each, index) => item(index));

describe('routes per mock:', () => {
  const routes = (count: number) => listOf(count, (index) => route(`GET /${index}`));

  test('5,000 are accepted and served', async () => {
    const { status, json } = await create(routes(5_000));
    expect(status).toBe(200);
    expect((await two.both(json.data.id, '/4999')).status).toBe(200);
  });

  // reaches mocks.routesPerMockMax
  test('one more is refused, on create and on an edit', async () => {
    expect((await create(routes(5_001))).status).toBe(403);
    const id = await two.mock([route('GET /old')]);
    const { status } = await two.api('PUT', `/${id}/staged`, { routes: routes(5_001) });
    expect(status).toBe(403);
    expect((await two.data('GET', `/${id}`)).hasStagedChanges).toBe(false);
    expect(await two.text(id, '/old')).toBe('GET /old');
  });
});

describe('one definition:', () => {
  /** Routes of about 900,000 bytes of JSON each. */
  const routes = (count: number) => listOf(count, (index) => route(`GET /${index}`, [{ body: 'x'.repeat(900_000) }]));

  test('nearly 10 MB are accepted and served', async () => {
    const { status, json } = await create(routes(11));
    expect(status).toBe(200);
    expect((await two.both(json.data.id, '/10')).bytes).toHaveLength(900_000);
  });

  // reaches mocks.definitionBytesMax
  test('more is refused, in one request and in several', async () => {
    expect([403, 413]).toContain((await create(routes(12))).status);
    const { json } = await create(routes(11));
    const more = route('GET /more', [{ body: 'x'.repeat(900_000) }]);
    const { status } = await two.api('POST', `/${json.data.id}/staged/routes`, more);
    expect(status).toBe(403);
    expect((await two.data('GET', `/${json.data.id}`)).hasStagedChanges).toBe(false);
  });

  test('a request to the API with a body of more than 10 MB is refused', async () => {
    const { status } = await two
      .api('POST', '', { name: 'm', filler: 'x'.repeat(10_600_000) })
      .catch(() => ({ status: 413 }));
    expect([403, 413]).toContain(status);
  });
});

// reaches mocks.mocksPerOwnerMax
test('an owner has at most 1,000 mocks, regardless of other owners', async () => {
  const key = await two.server.key('globex');
  const post = () => two.server.request('POST', '/v1/mocks', { key, body: { name: 'm', start: true } });
  await expect.poll(async () => (await two.server.request('GET', '/v1/mocks', { key })).status).toBe(200);
  const ids: string[] = [];
  for (let batch = 0; batch < 20; batch++) {
    for (const { status, json } of await Promise.all(listOf(50, post))) {
      expect(status).toBe(200);
      ids.push(json.data.id);
    }
  }
  expect((await post()).json).toMatchObject({
    success: false,
    message: expect.stringMatching(/^Limit reached: 1000 /),
  });
  expect(await two.text(ids[999] as string, '/')).toBe('{}');
  expect((await create([route('GET /')])).status).toBe(200);
  expect((await two.server.request('DELETE', `/v1/mocks/${ids[0]}`, { key })).status).toBe(200);
  expect((await post()).status).toBe(200);
});

test('a body of many megabytes is taken whole, or refused where it is wrong', async () => {
  const routes = Array.from({ length: 3_000 }, (_, index) => ({
    method: 'GET',
    path: `/${index}`,
    responses: [{ body: 'é'.repeat(1_000), status: 200 }],
  }));
  const made = await two.api('POST', '', { name: 'large', start: true, routes });
  expect(made.json.data.routeCount).toBe(3_000);
  const { id } = made.json.data;
  expect(await two.text(id, '/2999')).toBe('é'.repeat(1_000));
  (routes[2_998] as { responses: object[] }).responses = [{ status: 99 }];
  const refused = await two.api('PUT', `/${id}/staged`, { routes });
  expect(refused.json).toMatchObject({
    message: 'Mock Payload is invalid',
    details: [{ path: '/routes/2998/responses/0/status' }],
  });
});
