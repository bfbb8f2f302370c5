/** What clients of WireMock, and its own tests, rely on: docs/compat.md. */
import { beforeAll, describe, expect, test } from 'vitest';
import { useServer } from '../support/shared-server.ts';
import { wireMockWorlds } from '../support/wiremock-worlds.ts';

const { server, key } = await useServer();
const { makeMock, newWorld } = wireMockWorlds({ server, key });
let mock: string;

beforeAll(async () => {
  mock = await makeMock();
});

const ID = '6ad4a9a8-54cf-4f4a-9d0a-3a4d7a0f1b11';
const OK = { status: 200, body: 'ok' };
const NO_MATCH = 404;

describe('stubs', () => {
  test('are reset with the journal and the states, as before each test of a suite', async () => {
    const world = newWorld(mock);
    const stub = { request: { url: '/a' }, response: OK, scenarioName: 's', newScenarioState: 'next' };
    await world.admin('POST', '/mappings', stub);
    await world.ask('/a');
    await world.admin('POST', '/mappings/reset');
    expect((await world.admin('POST', '/requests/count', { url: '/a' })).json.count).toBe(0);
    await world.admin('POST', '/mappings', stub);
    expect((await world.admin('GET', '/scenarios')).json.scenarios).toMatchObject([{ state: 'Started' }]);
  });

  test('have ids that no other stub has, and get one where it is null or empty', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', { id: ID, request: { url: '/a' }, response: OK });
    const again = await world.admin('POST', '/mappings', { id: ID, request: { url: '/b' }, response: OK });
    expect(again).toMatchObject({ status: 422, json: { errors: [{ code: 109 }] } });
    expect((await world.ask('/a')).status).toBe(200);
    const made = await world.admin('POST', '/mappings', { id: null, uuid: '', request: { url: '/c' }, response: OK });
    expect(made).toMatchObject({ status: 201, json: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
  });

  test('need neither a request nor a response', async () => {
    const world = newWorld(mock);
    for (const stub of [{}, { request: { url: '/a' } }])
      expect((await world.admin('POST', '/mappings', stub)).status).toBe(201);
    expect([(await world.ask('/a')).status, (await world.ask('/any')).status]).toEqual([200, 200]);
  });
});

describe('conditions are those of WireMock:', () => {
  const PATHS = ['$.thing', '$..thing'];
  const found = (thing: unknown): string => JSON.stringify({ thing });

  test.each<[request: object, taken: readonly string[], refused: readonly string[]]>([
    [{ bodyPatterns: [{ absent: true }] }, [''], ['x']],
    [{ bodyPatterns: [{ matches: 'a.*c' }] }, ['a\nb\nc'], ['b\nc']],
    [{ bodyPatterns: [{ doesNotMatch: 'a.*c' }] }, ['b\nc'], ['a\nb\nc']],
    ...PATHS.map((path): [object, string[], string[]] => [
      { bodyPatterns: [{ matchesJsonPath: `${path}[?(@.k == 'v')]` }] },
      [found({ k: 'v' }), found([{ k: 'w' }, { k: 'v' }])],
      [found({ inner: { k: 'v' } }), found({ k: 'w' }), found([{ k: 'w' }])],
    ]),
    [
      { bodyPatterns: [{ matchesJsonPath: "$.thing[?(@.k == 'v' || @.n > 2)]" }] },
      [found({ k: 'v' }), found({ n: 3 }), found([{ n: 3 }])],
      [found({ n: 2 }), found({ inner: { k: 'v' } })],
    ],
    [
      { bodyPatterns: [{ matchesJsonPath: { expression: '$.thing', doesNotMatch: 'v.*' } }] },
      [found('w')],
      [found('v1'), '{}'],
    ],
  ])('bodies, %j', async (request, taken, refused) => {
    const world = newWorld(mock);
    expect((await world.admin('POST', '/mappings', { request, response: OK })).status).toBe(201);
    const statusOf = async (body: string) => (await world.ask('/a', { method: 'POST', body })).status;
    expect(await Promise.all(taken.map(statusOf))).toEqual(taken.map(() => 200));
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => NO_MATCH));
  });

  test.each<[pattern: string, taken: readonly string[], refused: readonly string[]]>([
    ['/d/.+', ['/d/1', '/d/1?x=1', '/d/?x=1'], ['/d/', '/e/1']],
    ['/d/[^/]+', ['/d/1', '/d/1?x=1'], ['/d/1/2', '/d/1?x=/']],
    ['.*some.*', ['/some', '/d?a=some', '/some?x'], ['/d?q=so', '/so?me']],
    ['/d/([^/]+)/e\\?q=.+', ['/d/1/e?q=1'], ['/d/1/e?q=', '/d/1/e', '/d/1/2/e?q=1']],
    ['/d/(.*?)/e', ['/d/1/e', '/d/2?a=/e'], ['/d/e', '/d/1/e?x']],
  ])('URLs, %s', async (urlPattern, taken, refused) => {
    const world = newWorld(mock);
    expect((await world.admin('POST', '/mappings', { request: { urlPattern }, response: OK })).status).toBe(201);
    const statusOf = async (url: string) => (await world.ask(url)).status;
    expect(await Promise.all(taken.map(statusOf))).toEqual(taken.map(() => 200));
    expect(await Promise.all(refused.map(statusOf))).toEqual(refused.map(() => NO_MATCH));
  });
});

describe('answers are those of WireMock:', () => {
  const templated = { transformers: ['response-template'] };

  test('parameters of a path that are numbers, and no segments where they are listed otherwise', async () => {
    const world = newWorld(mock);
    const request = { urlPathTemplate: '/w/{0}/{1}' };
    await world.admin('POST', '/mappings', { request, response: { body: '{{request.path.1}}', ...templated } });
    expect((await world.ask('/w/x/y')).text).toBe('y');
    const body = '{{#each request.path as |each|}}{{each}}{{/each}}';
    expect((await world.admin('POST', '/mappings', { request, response: { body, ...templated } })).status).toBe(422);
  });

  test('parameters that are looked up by name', async () => {
    const world = newWorld(mock);
    const made = (body: string) =>
      world.admin('POST', '/mappings', { request: { urlPath: '/a' }, response: { body, ...templated } });
    await made("{{lookup request.query 'page-size'}} {{lookup request.headers 'x-a'}}");
    expect((await world.ask('/a?page-size=3', { headers: { 'x-a': 'b' } })).text).toBe('3 b');
    expect((await made("{{lookup request.query 'filter[id]'}}")).status).toBe(422);
  });

  test('a file that is not a template', async () => {
    const world = newWorld(mock);
    await world.admin('PUT', '/files/plain.txt', '{{request.method}}');
    const response = { bodyFileName: 'plain.txt', ...templated };
    const transformerParameters = { disableBodyFileTemplating: true };
    await world.admin('POST', '/mappings', { request: { url: '/a' }, response });
    await world.admin('POST', '/mappings', {
      request: { url: '/b' },
      response: { ...response, transformerParameters },
    });
    expect([(await world.ask('/a')).text, (await world.ask('/b')).text]).toEqual(['GET', '{{request.method}}']);
    const headers = { 'x-url': '{{request.url}}' };
    const both = { request: { url: '/c' }, response: { ...response, headers, transformerParameters } };
    expect((await world.admin('POST', '/mappings', both)).status).toBe(201);
    const answer = await world.ask('/c');
    expect([answer.text, answer.headers['x-url']]).toEqual(['{{request.method}}', '/c']);
  });

  test('a fixed delay and a drawn one, one after the other', async () => {
    const world = newWorld(mock);
    const delayDistribution = { type: 'uniform', lower: 20, upper: 25 };
    expect((await world.admin('POST', '/settings', { fixedDelay: 40, delayDistribution })).status).toBe(200);
    await world.admin('POST', '/mappings', { request: { url: '/a' }, response: OK });
    const start = performance.now();
    await world.ask('/a');
    expect(performance.now() - start).toBeGreaterThan(58);
  });
});

describe('calls are answered as by WireMock:', () => {
  test('events of requests that no stub answered say so, and forms have their parameters', async () => {
    const world = newWorld(mock);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    await world.ask('/a', { method: 'POST', headers, body: 'a=1&b=2&a=3' });
    const [event] = (await world.admin('GET', '/requests')).json.requests as object[];
    expect(event).toMatchObject({
      request: { formParams: { a: { key: 'a', values: ['1', '3'] }, b: { key: 'b', values: ['2'] } } },
      responseDefinition: { status: 404, fromConfiguredStub: false },
      wasMatched: false,
      stubMapping: { id: expect.any(String), response: { status: 404 } },
    });
  });

  test('a request that is not there is removed', async () => {
    expect((await newWorld(mock).admin('DELETE', `/requests/${ID}`)).status).toBe(200);
  });

  test('settings as they are returned, and a patch of those of extensions', async () => {
    const world = newWorld(mock);
    await world.admin('PUT', '/settings', { settings: { fixedDelay: 1, extended: { one: 1 } } });
    expect((await world.admin('PATCH', '/settings/extended', { extended: { two: 2 } })).status).toBe(200);
    expect((await world.admin('GET', '/settings')).json).toEqual({
      settings: { fixedDelay: 1, extended: { one: 1, two: 2 } },
    });
  });

  test.each([
    ['GET', '/mappings/no-uuid', 400, 'no-uuid is not a valid UUID'],
    ['PUT', '/mappings/no-uuid', 400, 'no-uuid is not a valid UUID'],
    ['DELETE', '/mappings/no-uuid', 400, 'no-uuid is not a valid UUID'],
    ['GET', '/requests/no-uuid', 400, 'no-uuid is not a valid UUID'],
    ['DELETE', '/requests/no-uuid', 400, 'no-uuid is not a valid UUID'],
    ['GET', '/requests?since=soon', 400, 'soon is not a valid ISO8601 date'],
    ['GET', '/requests?matchingStub=', 400, "Query parameter matchingStub value '' is not a valid UUID"],
    ['PUT', '/scenarios/none/state', 404, 'Scenario none does not exist'],
    ['PUT', '/scenarios/s/state', 422, 'Scenario s does not support state zzz'],
  ])('%s %s', async (method, path, status, title) => {
    const world = newWorld(mock);
    const stub = { request: { url: '/a' }, response: OK, scenarioName: 's', newScenarioState: 'next' };
    await world.admin('POST', '/mappings', stub);
    const body = method === 'PUT' ? { request: {}, state: 'zzz' } : undefined;
    expect(await world.admin(method, path, body)).toMatchObject({ status, json: { errors: [{ title }] } });
  });
});
