/**
 * The record of a mock, the fields of its parts with their defaults, and the endpoints that edit them; docs/mocks-fields.md, "The
 * record" and "Endpoints". How it is served: publishing.test.ts.
 */
import { describe, expect, test } from 'vitest';
import type { MockRoute } from '../../src/model/mocks/definition/definition.ts';
import { DEFAULT_RESPONSE, DEFAULT_SETTINGS } from '../support/mocks.ts';
import { useServer } from '../support/shared-server.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

// Without checking each thread's share of requests: hardly any request goes to the mocks here.
const shared = await useServer();
const two = TwoThreads.of(shared);

const RESPONSE = { id: expect.any(String), ...DEFAULT_RESPONSE };

const created = (more: Fields = {}) => two.data('POST', '', { name: 'm', ...more });
const staged = (id: string) => two.data('GET', `/${id}/staged`);
const tagOf = async (path: string): Promise<string> => (await two.api('GET', path)).headers.get('etag') as string;

describe('the record', () => {
  test('has these fields and no others, in every reply with a record', async () => {
    const before = Date.now();
    const record = await created({ description: 'd' });
    expect(record).toEqual({
      id: expect.stringMatching(/^[a-z][a-z0-9]{9,62}$/),
      name: 'm',
      description: 'd',
      state: 'stopped',
      url: `http://${record.id}.localhost:${two.server.mockPort}`,
      version: 1,
      savedAt: expect.any(Number),
      hasStagedChanges: false,
      routeCount: 1,
      file: null,
      creationDate: expect.any(Number),
      modificationDate: expect.any(Number),
      createdBy: 'ann',
      lastModifiedBy: 'ann',
      currentOwnerId: shared.owner,
    });
    expect(record.creationDate).toBeGreaterThanOrEqual(before);
    const fields = Object.keys(record).toSorted();
    const id = `/${record.id}`;
    for (const [method, path, body] of [
      ['GET', id, undefined],
      ['PUT', id, { name: 'n' }],
      ['POST', `${id}/start`, undefined],
      ['POST', `${id}/stop`, undefined],
      ['POST', `${id}/save`, undefined],
      ['POST', `${id}/discard`, undefined],
      ['POST', `${id}/versions/1/restore`, undefined],
    ] as const) {
      expect([path, Object.keys(await two.data(method, path, body)).toSorted()]).toEqual([path, fields]);
    }
    const { json } = await two.api('GET', '?pageSize=75');
    expect(Object.keys(json.data.find((each: Fields) => each.id === record.id))).toEqual([
      ...Object.keys(record),
      'etag',
    ]);
  });

  test('ids cannot be guessed from others', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await created()).id as string));
    expect(new Set(ids.map((id) => id.slice(0, 8))).size).toBe(20);
  });

  test('PUT changes only name and description', async () => {
    const { id } = await created({ description: 'd', routes: [route('GET /a')] });
    const before = await staged(id);
    const put = await two.data('PUT', `/${id}`, {
      name: 'n',
      description: 'e',
      state: 'running',
      version: 9,
    });
    expect(put).toMatchObject({ name: 'n', description: 'e', state: 'stopped', version: 1, routeCount: 1 });
    expect(await staged(id)).toEqual(before);
  });

  test('says whether there are staged changes, and counts the saved routes', async () => {
    const { id } = await created();
    await two.data('POST', `/${id}/staged/routes`, route('GET /b'));
    expect(await two.data('GET', `/${id}`)).toMatchObject({ hasStagedChanges: true, routeCount: 1, version: 1 });
    const saved = await two.data('POST', `/${id}/save`);
    expect(saved).toMatchObject({ hasStagedChanges: false, routeCount: 2, version: 2 });
  });
});

describe('defaults when absent:', () => {
  test('a mock without routes has one, GET /, with one response, 200 and {}', async () => {
    const { id } = await created();
    const filled = { description: '', enabled: true, selection: 'rules' };
    expect(await staged(id)).toEqual({
      settings: DEFAULT_SETTINGS,
      routes: [
        { id: expect.any(String), method: 'GET', path: '/', ...filled, responses: [{ ...RESPONSE, body: '{}' }] },
      ],
    });
  });

  test('of a route, a response and a rule', async () => {
    const rules = [{ target: 'body', operator: 'exists' }];
    const { id } = await created({ routes: [{ method: 'ANY', path: '/a', responses: [{}, { rules }] }] });
    expect((await staged(id)).routes).toEqual([
      {
        id: expect.any(String),
        method: 'ANY',
        path: '/a',
        description: '',
        enabled: true,
        selection: 'rules',
        responses: [RESPONSE, { ...RESPONSE, rules: [{ ...rules[0], property: '', value: '', invert: false }] }],
      },
    ]);
  });

  test.each(Object.entries({ cors: false, latency: 7, precedence: 'listed', seed: 5, traffic: false, forced: true }))(
    'of the other settings when %s is set',
    async (name, value) => {
      const { id } = await created({ settings: { [name]: value } });
      expect((await staged(id)).settings).toEqual({ ...DEFAULT_SETTINGS, [name]: value });
    },
  );
});

test('every field is kept as it was sent, with the ids that were sent back', async () => {
  const response = {
    label: 'l',
    status: 418,
    headers: [
      { name: 'A', value: '1' },
      { name: 'A', value: '2' },
    ],
    body: 'aGk=',
    bodyEncoding: 'base64',
    latency: { min: 1, max: 2 },
    default: true,
    rules: [{ target: 'cookie', property: 'p', operator: 'lte', value: '3', invert: true }],
    rulesOperator: 'OR',
    templated: false,
    weight: 2.5,
  };
  const one = {
    method: 'PURGE',
    path: '/:a/*',
    description: 'd',
    enabled: false,
    selection: 'random',
    responses: [response],
  };
  const settings = {
    cors: false,
    latency: { min: 3, max: 4 },
    precedence: 'listed',
    seed: 7,
    traffic: false,
    forced: true,
  };
  const { id } = await created({ settings, routes: [one] });
  const first = await staged(id);
  expect(first).toMatchObject({ settings, routes: [one] });
  const back = { ...first, routes: [route('GET /new'), ...first.routes] };
  const second = await two.data('PUT', `/${id}/staged`, back);
  expect(second.routes[1]).toEqual(first.routes[0]);
  expect(second.routes[0].id).not.toBe(first.routes[0].id);
});

describe('an invalid value is refused with its path:', () => {
  const inResponse = (fields: Fields) => ({ routes: [route('GET /', [fields])] });
  const inRule = (fields: Fields) =>
    inResponse({ rules: [{ target: 'query', property: 'p', operator: 'equals', ...fields }] });
  const at = '/routes/0/responses/0';
  test.each<[string, Fields, string]>([
    ['route method', { routes: [{ path: '/', responses: [{}] }] }, '/routes/0/method'],
    ['route path', { routes: [{ method: 'GET', responses: [{}] }] }, '/routes/0/path'],
    ['route responses', { routes: [{ method: 'GET', path: '/' }] }, '/routes/0/responses'],
    ['no response', { routes: [route('GET /', [])] }, '/routes/0/responses'],
    ['enabled', { routes: [route('GET /', [{}], { enabled: 1 })] }, '/routes/0/enabled'],
    ['selection', { routes: [route('GET /', [{}], { selection: 'first' })] }, '/routes/0/selection'],
    ['status', inResponse({ status: '200' }), `${at}/status`],
    ['headers', inResponse({ headers: { a: 'b' } }), `${at}/headers`],
    ['body', inResponse({ body: { a: 1 } }), `${at}/body`],
    ['bodyEncoding', inResponse({ bodyEncoding: 'hex' }), `${at}/bodyEncoding`],
    ['latency', inResponse({ latency: -1 }), `${at}/latency`],
    ['default', inResponse({ default: 'yes' }), `${at}/default`],
    ['rulesOperator', inResponse({ rulesOperator: 'XOR' }), `${at}/rulesOperator`],
    ['templated', inResponse({ templated: 'yes' }), `${at}/templated`],
    ['weight', inResponse({ weight: -1 }), `${at}/weight`],
    ['rule target', inRule({ target: 'host' }), `${at}/rules/0/target`],
    ['rule operator', inRule({ operator: 'is' }), `${at}/rules/0/operator`],
    ['rule value', inRule({ value: 1 }), `${at}/rules/0/value`],
    ['rule invert', inRule({ invert: 'yes' }), `${at}/rules/0/invert`],
    ['cors', { settings: { cors: 'yes' } }, '/settings/cors'],
    ['precedence', { settings: { precedence: 'first' } }, '/settings/precedence'],
    ['seed', { settings: { seed: 'x' } }, '/settings/seed'],
    ['traffic', { settings: { traffic: 1 } }, '/settings/traffic'],
  ])('%s', async (_what, fields, path) => {
    const { status, json } = await two.api('POST', '', { name: 'm', ...fields });
    expect(status).toBe(400);
    expect(json.details.map((detail: { path: string }) => detail.path)).toContain(path);
  });
});

describe('an edit of a part replies with that part:', () => {
  test('routes, responses and their order', async () => {
    const { id } = await created({ routes: [route('GET /a')] });
    const base = `/${id}/staged`;
    const [a] = (await staged(id)).routes;
    const b = await two.data('POST', `${base}/routes`, route('GET /b'));
    expect(await two.data('GET', `${base}/routes/${b.id}`)).toEqual(b);
    const changed = await two.data('PUT', `${base}/routes/${b.id}`, { ...b, path: '/c' });
    expect(changed).toEqual({ ...b, path: '/c' });
    const response = await two.data('POST', `${base}/routes/${b.id}/responses`, { status: 500 });
    expect(response).toEqual({ ...RESPONSE, status: 500 });
    const at = `${base}/routes/${b.id}/responses/${response.id}`;
    expect(await two.data('GET', at)).toEqual(response);
    expect(await two.data('PUT', at, { status: 501 })).toEqual({ ...response, status: 501 });
    await two.data('PUT', `${base}/order`, { ids: [b.id, a.id] });
    expect((await staged(id)).routes.map((each: { id: string }) => each.id)).toEqual([b.id, a.id]);
    for (const path of [at, `${base}/routes/${b.id}`]) {
      expect((await two.api('DELETE', path)).status).toBe(200);
      expect((await two.api('GET', path)).status).toBe(404);
    }
    expect((await staged(id)).routes).toEqual([a]);
  });

  test('the diff shows what a save would change, and is empty after it', async () => {
    const { id } = await created({ routes: [route('GET /a'), route('GET /b'), route('GET /c')] });
    const [a, b, c] = (await staged(id)).routes;
    const routes = [c, { ...b, path: '/z' }, route('GET /d'), route('ANY /*'), route('GET /c')];
    await two.data('PUT', `/${id}/staged`, { settings: { ...DEFAULT_SETTINGS, cors: false }, routes });
    const diff = await two.data('GET', `/${id}/staged/diff`);
    expect(diff.settings).toEqual([{ field: 'cors', before: true, after: false }]);
    expect(diff.routesRemoved).toEqual([{ routeId: a.id, method: 'GET', path: '/a' }]);
    expect(diff.routesAdded.map(({ method, path }: MockRoute) => `${method} ${path}`)).toEqual([
      'GET /d',
      'ANY /*',
      'GET /c',
    ]);
    expect(diff.routesChanged).toMatchObject([
      { routeId: b.id, method: 'GET', path: '/z', fields: [{ field: 'path', before: '/b', after: '/z' }] },
    ]);
    expect(diff.routesReordered).toBe(true);
    // The second GET /c can never answer.
    expect(diff.warnings.map((warning: { routeId: string }) => warning.routeId)).toEqual([diff.routesAdded[2].routeId]);
    await two.data('POST', `/${id}/save`);
    expect(await two.data('GET', `/${id}/staged/diff`)).toMatchObject({
      settings: [],
      routesAdded: [],
      routesRemoved: [],
      routesChanged: [],
      routesReordered: false,
    });
  });

  test('the diff warns of a response that is never reached', async () => {
    const { id } = await created({ routes: [route('GET /a', [{ body: '1' }, { body: '2' }])] });
    const { routes } = await staged(id);
    const { warnings } = await two.data('GET', `/${id}/staged/diff`);
    expect(JSON.stringify(warnings)).toContain(routes[0].responses[1].id);
    expect(JSON.stringify(warnings)).not.toContain(routes[0].responses[0].id);
  });
});

describe('ETags:', () => {
  test("the record's ETag covers name, description and state, not the working copy", async () => {
    const { id } = await created();
    const tags = [await tagOf(`/${id}`)];
    await two.data('POST', `/${id}/staged/routes`, route('GET /b'));
    expect(await tagOf(`/${id}`)).toBe(tags[0]);
    for (const [method, path, body] of [
      ['PUT', `/${id}`, { name: 'n' }],
      ['PUT', `/${id}`, { name: 'n', description: 'd' }],
      ['POST', `/${id}/start`, undefined],
    ] as const) {
      await two.data(method, path, body);
      tags.push(await tagOf(`/${id}`));
    }
    expect(new Set(tags).size).toBe(4);
  });

  test('the working copy has a separate ETag, for conditional edits and saves', async () => {
    const { id } = await created();
    const stale = await tagOf(`/${id}/staged`);
    await two.data('PUT', `/${id}`, { name: 'n' });
    expect(await tagOf(`/${id}/staged`)).toBe(stale);
    const [one] = (await staged(id)).routes;
    await two.data('POST', `/${id}/staged/routes/${one.id}/responses`, {});
    const at = `/${id}/staged/routes/${one.id}`;
    for (const [method, path, body] of [
      ['PUT', `/${id}/staged`, { routes: [] }],
      ['POST', `/${id}/staged/routes`, route('GET /b')],
      ['PUT', at, route('GET /b')],
      ['DELETE', at, undefined],
      ['POST', `${at}/responses`, {}],
      ['PUT', `${at}/responses/${one.responses[0].id}`, {}],
      ['DELETE', `${at}/responses/${one.responses[0].id}`, undefined],
      ['PUT', `/${id}/staged/order`, { ids: [one.id] }],
      ['POST', `/${id}/save`, undefined],
    ] as const) {
      expect([path, (await two.api(method, path, body, { 'if-match': stale })).status]).toEqual([path, 412]);
    }
    const fresh = { 'if-match': await tagOf(`/${id}/staged`) };
    expect((await two.api('POST', `/${id}/save`, undefined, fresh)).json.data.version).toBe(2);
  });

  test('each version has a separate ETag', async () => {
    const { id } = await created();
    await two.save(id, [route('GET /b')]);
    const [one, other] = [await tagOf(`/${id}/versions/1`), await tagOf(`/${id}/versions/2`)];
    expect([one, other]).toEqual([expect.any(String), expect.any(String)]);
    expect(one).not.toBe(other);
  });
});
