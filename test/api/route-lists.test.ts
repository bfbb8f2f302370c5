/** Lists of a mock's routes over HTTP, whole and as summaries; docs/mocks-fields.md, "Many routes". */
import { SUMMARY_RESPONSES_MAX } from '../../src/model/mocks/show/route-summary.ts';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();

const send = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, { key, headers, ...(body === undefined ? {} : { body }) });
const data = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await send(method, path, body);
  expect({ status, json }).toMatchObject({ status: 200 });
  return json.data;
};
const created = async (routes: readonly object[]): Promise<string> =>
  (await data('POST', '', { name: 'm', routes })).id;

const ROUTES = [
  {
    method: 'GET',
    path: '/a/:id',
    description: 'not shown',
    selection: 'sequential',
    responses: [
      { label: 'text', body: 'näher', headers: [{ name: 'x-a', value: '1' }] },
      { label: 'bytes', status: 201, body: 'AAEC', bodyEncoding: 'base64' },
    ],
  },
  { method: 'ANY', path: '/off', enabled: false, responses: [{ status: 204 }] },
];

describe('summaries', () => {
  test('of the working copy have ids, sizes and revisions, and have its tag', async () => {
    const id = await created(ROUTES);
    const whole = await send('GET', `/${id}/staged`);
    const [a, off] = whole.json.data.routes;
    const list = await send('GET', `/${id}/staged/routes?fields=summary`);
    expect(list.json).toEqual({
      success: true,
      data: [
        {
          id: a.id,
          method: 'GET',
          path: '/a/:id',
          enabled: true,
          selection: 'sequential',
          revision: expect.any(Number),
          responses: [
            { id: a.responses[0].id, label: 'text', status: 200, bodyBytes: 6 },
            { id: a.responses[1].id, label: 'bytes', status: 201, bodyBytes: 3 },
          ],
        },
        {
          id: off.id,
          method: 'ANY',
          path: '/off',
          enabled: false,
          selection: 'rules',
          revision: expect.any(Number),
          responses: [{ id: off.responses[0].id, status: 204, bodyBytes: 0 }],
        },
      ],
    });
    const tag = list.headers.get('etag');
    expect(tag).toBe(whole.headers.get('etag'));
    expect((await send('DELETE', `/${id}/staged/routes/${off.id}`, undefined, { 'if-match': tag })).status).toBe(200);
    expect((await send('GET', `/${id}/staged/routes`)).headers.get('etag')).not.toBe(tag);
  });

  test('of a version stay, and one revision is one content', async () => {
    const id = await created(ROUTES);
    const [a, off] = await data('GET', `/${id}/staged/routes?fields=summary`);
    await data('PUT', `/${id}/staged/routes/${off.id}`, { ...ROUTES[1], enabled: true });
    await data('POST', `/${id}/save`);
    const [sameA, on] = await data('GET', `/${id}/versions/2/routes?fields=summary`);
    expect(sameA).toEqual(a);
    expect(on).toMatchObject({ id: off.id, enabled: true });
    expect(on.revision).not.toBe(off.revision);
    await data('PUT', `/${id}/staged`, { routes: [] });
    await data('POST', `/${id}/save`);
    const first = await send('GET', `/${id}/versions/1/routes?fields=summary`);
    expect(first.json.data).toEqual([a, off]);
    expect(first.headers.get('etag')).toBe('"v1"');
  });

  // reaches SUMMARY_RESPONSES_MAX
  test('of a route with many responses, the first ten are shown', async () => {
    const id = await created([{ method: 'GET', path: '/', responses: Array.from({ length: 30 }, () => ({})) }]);
    const [route] = await data('GET', `/${id}/staged/routes?fields=summary`);
    expect(route.responses).toHaveLength(SUMMARY_RESPONSES_MAX);
    expect(route.moreResponses).toBe(30 - SUMMARY_RESPONSES_MAX);
  });

  test('of 5,000 routes with large bodies are small', async () => {
    const routes = Array.from({ length: 5_000 }, (_, index) => ({
      method: 'GET',
      path: `/payments/${index}/items/:id`,
      responses: [{ body: 'x'.repeat(1_000) }],
    }));
    const id = await created(routes);
    const list = await send('GET', `/${id}/staged/routes?fields=summary`);
    expect(list.json.data).toHaveLength(5_000);
    expect(JSON.stringify(list.json).length).toBeLessThan(1_000_000);
  });
});

test('without `fields` the routes are whole, of the working copy and of a version', async () => {
  const id = await created(ROUTES);
  const { routes } = await data('GET', `/${id}/staged`);
  for (const at of ['staged/routes', 'staged/routes?fields=all', 'versions/1/routes'])
    expect(await data('GET', `/${id}/${at}`), at).toEqual(routes);
});

test.each([
  ['fields=bodies', 'fields', 'expected one of all, summary; got "bodies"'],
  ['fields=summary&fields=all', 'fields', 'given more than once'],
  ['field=summary', 'field', 'is unknown; known are fields'],
])('?%s is refused with what would do, once the mock and the version are found', async (query, path, message) => {
  const id = await created(ROUTES);
  for (const at of ['staged/routes', 'versions/1/routes']) {
    const { status, json } = await send('GET', `/${id}/${at}?${query}`);
    expect([status, json.details], at).toEqual([400, [{ path, message }]]);
  }
  expect((await send('GET', `/m000000000000000/staged/routes?${query}`)).json.message).toBe('Mock not found');
  expect((await send('GET', `/${id}/versions/9/routes?${query}`)).json.message).toBe('Version not found');
});
