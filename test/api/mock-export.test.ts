/** A mock as a file over HTTP, and back: exports, imports into a working copy, and recorded requests as HAR. */
import { EXPORT_BYTES_INLINE_MAX } from '../../src/http/api/mocks/files/export.ts';
import { describe, expect, test } from 'vitest';
import { newOwner, useServer } from '../support/shared-server.ts';

const { server, key } = await useServer();

const json = [{ name: 'content-type', value: 'application/json' }];
const ROUTES = [
  {
    id: 'read',
    method: 'GET',
    path: '/payments/:id',
    description: 'Read one',
    responses: [
      { id: 'found', label: 'found', headers: json, body: '{"id":7}' },
      {
        id: 'gone',
        label: 'gone',
        status: 404,
        headers: json,
        body: '{"error":"none"}',
        rules: [{ target: 'query', property: 'gone', operator: 'equals', value: 'yes' }],
      },
    ],
  },
  { id: 'jobs', method: 'POST', path: '/jobs', selection: 'sequential', responses: [{ latency: 5 }, { status: 204 }] },
];

async function mockOf(given: object = {}): Promise<string> {
  const body = { name: 'Payments & co', start: true, routes: ROUTES, ...given };
  return (await server.request('POST', '/v1/mocks', { key, body })).json.data.id;
}

const get = (path: string) => server.request('GET', `/v1/mocks/${path}`, { key });

describe('an export', () => {
  test('of ours is imported as it was', async () => {
    const latencies = [
      { min: 1, max: 2 },
      { mean: 5, deviation: 2, max: 9 },
      { median: 5, sigma: 1 },
    ];
    const id = await mockOf({
      settings: { latency: { median: 20, sigma: 1, max: 400 }, precedence: 'listed', seed: 7 },
      routes: [...ROUTES, { method: 'GET', path: '/slow', responses: latencies.map((latency) => ({ latency })) }],
    });
    const { status, headers, json: file } = await get(`${id}/export`);
    expect([status, headers.get('x-switchyard-fidelity')]).toEqual([200, 'approximated=0, dropped=0']);
    expect(headers.get('content-disposition')).toBe('attachment; filename="payments-co.switchyard.json"');
    expect(headers.get('content-type')).toContain('application/json');
    const made = await server.request('POST', '/v1/mocks/import', { key, body: file });
    expect(made.json.data.mocks[0].name).toBe('Payments & co');
    const again = await get(`${made.json.data.mocks[0].id}/staged`);
    expect(again.json.data).toEqual((await get(`${id}/staged`)).json.data);
  });

  test('as OpenAPI has its operations, and says what is lost', async () => {
    const id = await mockOf();
    const { headers, json: document } = await get(`${id}/export?format=openapi`);
    expect(headers.get('x-switchyard-fidelity')).toBe('approximated=3, dropped=0');
    expect(headers.get('content-disposition')).toContain('"payments-co.openapi.json"');
    expect(document).toEqual({
      openapi: '3.1.0',
      info: { title: 'Payments & co', version: '1.0.0' },
      paths: {
        '/payments/{id}': {
          get: {
            summary: 'Read one',
            parameters: [
              { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
              { name: 'gone', in: 'query', required: false, schema: { type: 'string' }, example: 'yes' },
            ],
            responses: {
              200: {
                description: 'found',
                content: { 'application/json': { examples: { found: { value: { id: 7 } } } } },
              },
              404: {
                description: 'gone',
                content: { 'application/json': { examples: { gone: { value: { error: 'none' } } } } },
              },
            },
          },
        },
        '/jobs': { post: { responses: { 200: { description: '' }, 204: { description: '' } } } },
      },
    });
    const { data } = (await get(`${id}/export?format=openapi&report=true`)).json;
    expect(JSON.parse(data.file)).toEqual(document);
    expect(data.report).toMatchObject({ format: 'openapi', items: { routes: { exact: 1, approximated: 1 } } });
    expect(data.report.entries).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ code: 'openapi-export.selection', target: { routeId: 'jobs' } }),
        expect.objectContaining({ code: 'openapi-export.latency', level: 'dropped', item: 'response' }),
        expect.objectContaining({ code: 'openapi-export.parameter', target: { routeId: 'read', responseId: 'gone' } }),
      ]),
    );
  });

  test('is of what is saved, or of the working copy with its ETag', async () => {
    const id = await mockOf();
    await server.request('DELETE', `/v1/mocks/${id}/staged/routes/jobs`, { key });
    const saved = await get(`${id}/export`);
    expect([saved.json.routes.length, saved.headers.get('etag')]).toEqual([2, null]);
    const staged = await get(`${id}/export?from=staged`);
    expect(staged.json.routes.length).toBe(1);
    expect(staged.headers.get('etag')).toBe((await get(`${id}/staged`)).headers.get('etag'));
  });

  // reaches EXPORT_BYTES_INLINE_MAX
  test('of a large mock is written elsewhere, and as the others are', async () => {
    const routes = [{ ...ROUTES[0], responses: [{ id: 'large', body: 'x'.repeat(EXPORT_BYTES_INLINE_MAX + 1) }] }];
    const { status, json: file } = await get(`${await mockOf({ routes })}/export`);
    expect([status, file.routes[0].responses[0].body.length]).toEqual([200, EXPORT_BYTES_INLINE_MAX + 1]);
  });

  test('is refused for what is not known, and for the mock of another owner', async () => {
    const id = await mockOf();
    expect((await get(`${id}/export?format=raml`)).status).toBe(400);
    expect((await get('mnone/export')).status).toBe(404);
    const other = await server.key(newOwner());
    expect((await server.request('GET', `/v1/mocks/${id}/export`, { key: other })).status).toBe(401);
  });
});

describe('an import into a working copy', () => {
  const put = (id: string, body: unknown, query = '', headers = {}) =>
    server.request('PUT', `/v1/mocks/${id}/staged/import${query}`, { key, body, headers });

  test('keeps the ids of routes and responses, so that the diff has what the file changed', async () => {
    const id = await mockOf();
    const { json: file } = await get(`${id}/export`);
    const withoutIds = JSON.parse(JSON.stringify(file), (name, value) =>
      name === 'id' && typeof value === 'string' ? undefined : value,
    );
    withoutIds.routes[0].responses[0].bodyJson.id = 8;
    withoutIds.routes[1].typo = 1;
    withoutIds.routes.push({ method: 'GET', path: '/new', responses: [{}] });
    const { status, headers, json: answer } = await put(id, withoutIds);
    expect([status, answer.warnings]).toEqual([200, []]);
    expect(headers.get('etag')).toBe((await get(`${id}/staged`)).headers.get('etag'));
    const { diff, report } = answer.data;
    expect(diff).toMatchObject({ settings: [], routesRemoved: [], routesReordered: false });
    expect(diff.routesAdded).toMatchObject([{ method: 'GET', path: '/new' }]);
    expect(diff.routesChanged).toMatchObject([
      {
        routeId: 'read',
        fields: [],
        responsesAdded: [],
        responsesRemoved: [],
        responsesChanged: [{ responseId: 'found' }],
      },
    ]);
    expect(report.entries).toMatchObject([{ code: 'import.unknown', target: { routeId: 'jobs' } }]);
    const served = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}/payments/1`);
    expect(await served.json()).toEqual({ id: 7 });
  });

  test('of the same file changes nothing', async () => {
    const id = await mockOf();
    const { json: file } = await get(`${id}/export`);
    await put(id, file);
    expect((await get(id)).json.data.hasStagedChanges).toBe(false);
  });

  test('heeds If-Match, and knows the mock before the file', async () => {
    const id = await mockOf();
    const { json: file } = await get(`${id}/export`);
    expect((await put(id, file, '', { 'if-match': '"0"' })).status).toBe(412);
    expect((await put('mnone', '{"broken')).status).toBe(404);
    expect((await put(id, '{"broken')).json.message).toBe('Import is invalid');
    expect((await put(id, file, '?start=true')).status).toBe(400);
  });
});

/** Our own member of a HAR. */
function ownOf(har: { log: Record<string, unknown> }): { readonly nextBefore: number | null } {
  return har.log['_switchyard'] as { nextBefore: number | null };
}

describe('recorded requests as HAR', () => {
  test('have what was asked and answered, and are a file to import', async () => {
    const id = await mockOf();
    const at = `http://127.0.0.1:${server.mockPort}/__mock/${id}`;
    await fetch(`${at}/payments/7?gone=no`);
    await fetch(`${at}/payments/8?gone=yes`, { headers: { authorization: 'Bearer secret' } });
    await fetch(`${at}/nothing`);
    const { status, headers, json: har } = await get(`${id}/requests?format=har`);
    expect([status, headers.get('content-disposition')]).toEqual([200, `attachment; filename="${id}.har"`]);
    expect(ownOf(har)).toEqual({ total: 3, truncated: false, nextBefore: null });
    const shown = har.log.entries.map((entry: { request: { url: string }; response: { status: number } }) => [
      entry.request.url.replace(/^.*localhost:\d+/, ''),
      entry.response.status,
    ]);
    expect(shown).toEqual([
      ['/payments/7?gone=no', 200],
      ['/payments/8?gone=yes', 404],
      ['/nothing', 404],
    ]);
    expect(har.log.entries[1].response.content.text).toBe('{"error":"none"}');

    const made = await server.request('POST', '/v1/mocks/import?start=true', { key, body: har });
    expect(made.json.data.report.items.routes).toMatchObject({ dropped: 0 });
    const copy = `http://127.0.0.1:${server.mockPort}/__mock/${made.json.data.mocks[0].id}`;
    const answers = await Promise.all(['7?gone=no', '8?gone=yes'].map((path) => fetch(`${copy}/payments/${path}`)));
    expect(answers.map((each) => each.status)).toEqual([200, 404]);
    expect(JSON.stringify((await get(`${made.json.data.mocks[0].id}/export`)).json)).not.toContain('secret');
  });

  test('are a page with the filters of the list, of which the rest follows', async () => {
    const id = await mockOf();
    for (const path of ['1', '2', '3'])
      await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}/payments/${path}`);
    const pathsOf = (har: { log: { entries: { request: { url: string } }[] } }): string[] =>
      har.log.entries.map(({ request }) => request.url.slice(-1));
    const first = (await get(`${id}/requests?format=har&limit=2&status=200`)).json;
    expect(pathsOf(first)).toEqual(['2', '3']);
    const { nextBefore } = ownOf(first);
    expect(pathsOf((await get(`${id}/requests?format=har&before=${nextBefore}`)).json)).toEqual(['1']);
    expect((await get(`${id}/requests?format=xml`)).status).toBe(400);
  });

  test('end at 4 MB, with the newest; the body of a route that was changed is not known', async () => {
    const id = await mockOf({ routes: [{ ...ROUTES[0], responses: [{ id: 'large', body: 'x'.repeat(990_000) }] }] });
    const at = `http://127.0.0.1:${server.mockPort}/__mock/${id}/payments/1`;
    for (let asked = 0; asked < 5; asked++) await fetch(at);
    const har = (await get(`${id}/requests?format=har`)).json;
    expect([har.log.entries.length, ownOf(har).nextBefore]).toEqual([4, 2]);
    await server.request('PUT', `/v1/mocks/${id}/staged/routes/read`, { key, body: ROUTES[0] });
    await server.request('POST', `/v1/mocks/${id}/save`, { key });
    const changed = (await get(`${id}/requests?format=har`)).json;
    expect(changed.log.entries.length).toBe(5);
    expect(changed.log.entries[0].response).toMatchObject({ bodySize: -1, content: { size: -1 } });
  });
});
