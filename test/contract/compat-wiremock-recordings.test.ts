/** Stubs that send requests on, and recordings, by WireMock's admin interface, with a real server behind: docs/compat.md. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { askMock, type Ask } from '../support/ask-mock.ts';
import { realService } from '../support/real-service.ts';
import type { Answer } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

const { server, owner, key } = await useServer();
const viewer = await server.key(owner, 'vic', 'viewer');
let base: string;
let count = 0;

const site = await realService(({ method, url = '', body }, response) => {
  const json = { 'content-type': 'application/json', 'x-two': ['a', 'b'] };
  if (url.startsWith('/moved'))
    response.writeHead(302, { location: `${site.url}/x`, 'set-cookie': 'a=1; Domain=x.example' }).end();
  else if (url.startsWith('/bytes')) response.writeHead(200).end(Buffer.from([0, 255, 1]));
  else if (url.startsWith('/login'))
    response.writeHead(200, { ...json, 'set-cookie': 'sid=hunter2' }).end('{"token":"hunter2"}');
  else if (url.startsWith('/large')) response.writeHead(200).end('x'.repeat(1_100_000));
  else if (url.startsWith('/count')) response.writeHead(200).end(`${++count}`);
  else response.writeHead(200, json).end(JSON.stringify({ method, url, body }));
});

beforeAll(async () => {
  base = await makeMock({});
});

async function makeMock(settings: object): Promise<string> {
  const listed = { precedence: 'listed', cors: false, sessions: 'auto', ...settings };
  const body = { name: 'base', start: true, settings: listed, routes: [] };
  return (await server.request('POST', '/v1/mocks', { key, body })).json.data.id as string;
}

interface Reply {
  readonly status: number;
  readonly json: Answer['json'];
}

/** @param session "": the mock itself. */
function worldOf(mock: string, session: string) {
  const path = `/compat/wiremock/${mock}${session === '' ? '' : `/${session}`}/__admin`;
  return {
    session,
    async admin(method: string, at: string, body?: unknown, ownKey = key): Promise<Reply> {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const headers = { ...(ownKey === '' ? {} : { 'x-api-key': ownKey }), 'content-type': 'application/json' };
      const reply = await fetch(`http://127.0.0.1:${server.port}${path}${at}`, { method, headers, ...sent });
      return { status: reply.status, json: JSON.parse((await reply.text()) || '{}') };
    },
    ask: (at: string, asked: Ask = {}) =>
      askMock(server.mockPort, at, {
        ...asked,
        mock,
        headers: { ...(session === '' ? {} : { 'x-mock-session': session }), ...asked.headers },
      }),
  };
}

const newWorld = (mock = base) => worldOf(mock, `w${randomUUID().slice(0, 8)}`);
type World = ReturnType<typeof worldOf>;

const proxy = (request: object, response: object = {}) => ({
  request,
  response: { proxyBaseUrl: site.url, ...response },
});
const last = () => site.seen.at(-1);

describe('a stub with proxyBaseUrl', () => {
  test('sends requests on as they are, and its answer comes back as it is', async () => {
    const world = newWorld();
    const sent = proxy({ method: 'ANY' }, { status: 200 });
    expect(await world.admin('POST', '/mappings', sent)).toMatchObject({ status: 201, json: sent });
    await world.admin('POST', '/mappings', { request: { url: '/own' }, response: { body: 'own' } });
    expect((await world.ask('/own')).text).toBe('own');
    const headers = { 'x-own': 'x', authorization: 'Bearer t' };
    const answer = await world.ask('/a%20b?x=1&x=2', { method: 'POST', body: 'hello', headers });
    expect(JSON.parse(answer.text)).toEqual({ method: 'POST', url: '/a%20b?x=1&x=2', body: 'hello' });
    expect(last()?.headers).toMatchObject({ 'x-own': ['x'], authorization: ['Bearer t'] });
    expect(last()?.headers.host ?? last()?.headers.Host).toEqual([new URL(site.url).host]);
    const moved = await world.ask('/moved');
    expect(moved).toMatchObject({
      status: 302,
      headers: { location: `${site.url}/x`, 'set-cookie': ['a=1; Domain=x.example'] },
    });
  });

  test('edits what is sent, and nothing of the settings of the mock is sent to it', async () => {
    const own = { name: 'x-key', value: 'of another server' };
    const world = newWorld(
      await makeMock({
        proxy: {
          upstream: 'http://127.0.0.1:9',
          when: 'never',
          host: 'keep',
          requestHeaders: [own],
          responseHeaders: [own],
        },
      }),
    );
    const edits = { additionalProxyRequestHeaders: { 'X-Added': 'yes' }, removeProxyRequestHeaders: ['X-Gone'] };
    await world.admin(
      'POST',
      '/mappings',
      proxy({ urlPathPattern: '/api/.*' }, { ...edits, proxyUrlPrefixToRemove: '/api' }),
    );
    const answer = await world.ask('/api/a?b=c', { headers: { 'x-gone': 'x', 'x-stays': 'y' } });
    expect(JSON.parse(answer.text).url).toBe('/a?b=c');
    expect(answer.headers['x-key']).toBeUndefined();
    const { headers = {} } = last() ?? {};
    expect(headers).toMatchObject({ 'X-Added': ['yes'], 'x-stays': ['y'] });
    expect(Object.keys(headers)).not.toContain('x-key');
    expect(Object.keys(headers)).not.toContain('x-gone');
    expect(headers.host ?? headers.Host).toEqual([new URL(site.url).host]);
  });

  test('is refused with a reason where its answer would differ, or its server may not be asked', async () => {
    const world = newWorld();
    const refused = async (response: object) => {
      const { status, json } = await world.admin('POST', '/mappings', proxy({ method: 'ANY' }, response));
      return [status, json.errors[0].title, json.errors[0].source.pointer];
    };
    expect(await refused({ headers: { 'X-Beside': 'x' } })).toEqual([422, 'wiremock.proxy-headers', '']);
    const template = {
      additionalProxyRequestHeaders: { 'X-T': '{{request.method}}' },
      transformers: ['response-template'],
    };
    expect(await refused(template)).toEqual([422, 'wiremock.proxy-headers', '']);
    expect(await refused({ proxyBaseUrl: 'http://169.254.169.254' })).toEqual([
      422,
      'wiremock.proxy',
      '/response/proxyBaseUrl',
    ]);
    expect(await refused({ proxyBaseUrl: 'nonsense' })).toEqual([422, 'wiremock.proxy', '/response/proxyBaseUrl']);
    expect((await world.admin('GET', '/mappings')).json.meta.total).toBe(0);
  });
});

const statusOf = async (world: World) => (await world.admin('GET', '/recordings/status')).json.status as string;
// oxlint-disable-next-line typescript/no-explicit-any -- tests read any answer
type Mapping = any;

/** Records what `use` asks. @returns The answer to the stop. */
async function recording(world: World, use: () => Promise<unknown>, spec: object = {}): Promise<Reply> {
  expect(await world.admin('POST', '/recordings/start', { targetBaseUrl: site.url, ...spec })).toMatchObject({
    status: 200,
  });
  await use();
  return world.admin('POST', '/recordings/stop');
}

/** Newest first. */
async function recorded(world: World, use: () => Promise<unknown>, spec: object = {}): Promise<Mapping[]> {
  const { status, json } = await recording(world, use, spec);
  expect([status, json.errors]).toEqual([200, undefined]);
  return json.mappings;
}

describe('a recording', () => {
  test('sends on what no better stub takes, and answers the same once it has stopped', async () => {
    const world = newWorld();
    expect(await statusOf(world)).toBe('NeverStarted');
    expect(await world.admin('POST', '/recordings/stop')).toEqual({
      status: 400,
      json: { errors: [{ code: 30, title: 'Not currently recording.' }] },
    });
    await world.admin('POST', '/mappings', { request: { url: '/five' }, response: { body: 'five' } });
    await world.admin('POST', '/mappings', { priority: 1, request: { url: '/one' }, response: { body: 'one' } });
    const mappings = await recorded(
      world,
      async () => {
        expect(await statusOf(world)).toBe('Recording');
        // As WireMock: a second one changes nothing.
        expect(await world.admin('POST', '/recordings/start', { targetBaseUrl: 'http://other.example' })).toMatchObject(
          { status: 200 },
        );
        const { json } = await world.admin('GET', '/mappings');
        expect(json.mappings.map((each: Mapping) => each.response.proxyBaseUrl)).toEqual([
          undefined,
          site.url,
          undefined,
        ]);
        expect((await world.ask('/one')).text).toBe('one');
        expect((await world.ask('/five')).text).toContain('"url":"/five"');
        await world.ask('/bytes');
        const headers = { 'content-type': 'application/json', 'x-own': 'x' };
        await world.ask('/a/B?x=1&y=2%203', { method: 'POST', body: '{"a":[1,2]}', headers });
      },
      { captureHeaders: { 'X-Own': {}, 'X-Other': {} } },
    );
    expect(await statusOf(world)).toBe('Stopped');
    const [posted, bytes, five] = mappings;
    expect(posted).toEqual({
      id: expect.any(String),
      name: 'a_b',
      request: {
        urlPath: '/a/B',
        queryParameters: { x: { hasExactly: [{ equalTo: '1' }] }, y: { hasExactly: [{ equalTo: '2 3' }] } },
        method: 'POST',
        headers: { 'X-Own': { equalTo: 'x' } },
        bodyPatterns: [{ equalToJson: '{"a":[1,2]}', ignoreArrayOrder: true, ignoreExtraElements: true }],
      },
      response: {
        status: 200,
        body: '{"method":"POST","url":"/a/B?x=1&y=2%203","body":"{\\"a\\":[1,2]}"}',
        headers: expect.objectContaining({ 'content-type': 'application/json', 'x-two': ['a', 'b'] }),
      },
      uuid: posted.id,
      persistent: true,
    });
    expect(bytes.response).toMatchObject({ status: 200, base64Body: 'AP8B' });
    expect(five.request).toEqual({ url: '/five', method: 'GET' });
    const asked = site.seen.length;
    expect((await world.ask('/five')).text).toBe(five.response.body);
    expect((await world.ask('/one')).text).toBe('one');
    expect((await world.ask('/nothing')).status).toBe(404);
    const again = {
      method: 'POST',
      body: '{"a":[2,1],"b":0}',
      headers: { 'content-type': 'application/json', 'x-own': 'x' },
    };
    expect((await world.ask('/a/B?y=2%203&x=1', again)).text).toBe(posted.response.body);
    expect((await world.ask('/a/B?y=2%203&x=1', { ...again, headers: {} })).status).toBe(404);
    expect(site.seen.length).toBe(asked);
    const listed = (await world.admin('GET', '/mappings')).json.mappings as Mapping[];
    expect(listed.map(({ request }) => request.url ?? request.urlPath)).toEqual([
      '/one',
      '/five',
      '/bytes',
      '/a/B',
      '/five',
    ]);
  });

  test('has one answer after the other for a request that came again, or the newest', async () => {
    const world = newWorld();
    count = 0;
    const thrice = async () => {
      for (let time = 0; time < 3; time++) await world.ask('/count/up');
    };
    const steps = (await recorded(world, thrice)).toReversed();
    expect(
      steps.map(({ scenarioName, requiredScenarioState, newScenarioState }) => [
        scenarioName,
        requiredScenarioState,
        newScenarioState,
      ]),
    ).toEqual([
      ['scenario-1-count-up', 'Started', 'scenario-1-count-up-2'],
      ['scenario-1-count-up', 'scenario-1-count-up-2', 'scenario-1-count-up-3'],
      ['scenario-1-count-up', 'scenario-1-count-up-3', undefined],
    ]);
    const texts = [];
    for (let time = 0; time < 4; time++) texts.push((await world.ask('/count/up')).text);
    expect(texts).toEqual(['1', '2', '3', '3']);
    const [only, ...others] = await recorded(world, thrice, { repeatsAsScenarios: false, persist: false });
    expect([only.response.body, only.persistent, others]).toEqual(['6', undefined, []]);
  });

  test('keeps no credential, and its stubs answer whatever credential comes', async () => {
    const world = newWorld();
    const login = (password: string, token: string) =>
      world.ask(`/login?token=${token}&a=b`, {
        method: 'POST',
        body: JSON.stringify({ user: 'ann', password }),
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      });
    const LONG = 'n'.repeat(2_000);
    const form = (pin: string, note = '1') =>
      world.ask('/form', {
        method: 'POST',
        body: `user=ann&password=${pin}&z=${note}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const mappings = await recorded(
      world,
      async () => {
        await form('hunter2', LONG);
        await login('hunter2', 'hunter2');
        await form('hunter2');
      },
      { captureHeaders: { Authorization: {} } },
    );
    expect(JSON.stringify(mappings)).not.toContain('hunter2');
    expect(mappings[1].request).toMatchObject({
      headers: { Authorization: { matches: 'Bearer .*' } },
      queryParameters: { token: { matches: '.*' }, a: { hasExactly: [{ equalTo: 'b' }] } },
      bodyPatterns: [{ equalToJson: '{"user":"ann"}', ignoreArrayOrder: true, ignoreExtraElements: true }],
    });
    expect(mappings[1].response.headers['set-cookie']).toMatch(/^sid=redacted-[0-9a-f]{8}$/);
    expect(JSON.parse((await login('other', 'other')).text).token).toMatch(/^redacted-[0-9a-f]{8}$/);
    expect([(await form('other')).status, (await form('other', LONG)).status]).toEqual([200, 200]);
    expect((await form('other', LONG.slice(1))).status).toBe(404);
    expect((await world.ask('/form', { method: 'POST', body: 'user=bob&password=x&z=1' })).status).toBe(404);
  });

  test('is of its session alone; a snapshot has what was sent on before, by filters', async () => {
    const [world, other] = [newWorld(), newWorld()];
    await world.admin('POST', '/mappings', proxy({ method: 'ANY' }, {}));
    await other.admin('POST', '/mappings', proxy({ method: 'ANY' }, {}));
    for (const path of ['/api/1', '/api/2?q=1', '/web']) await world.ask(path);
    await world.ask('/api/1', { method: 'POST', body: 'x' });
    await other.ask('/api/other');
    const snapshot = async (spec: object, of: World = world) => {
      const { status, json } = await of.admin('POST', '/recordings/snapshot', spec);
      expect([status, json.errors]).toEqual([200, undefined]);
      return (json.mappings ?? json.ids).map((each: Mapping) =>
        typeof each === 'string' ? 'id' : `${each.request.method} ${each.request.url ?? each.request.urlPath}`,
      );
    };
    expect(await snapshot({ filters: { urlPathPattern: '/api/.*', method: 'GET' } })).toEqual([
      'GET /api/2',
      'GET /api/1',
    ]);
    expect(await snapshot({ filters: { url: '/api/2?q=1' } })).toEqual(['GET /api/2']);
    expect(await snapshot({ filters: { bodyPatterns: [{ equalTo: 'x' }] }, outputFormat: 'ids' })).toEqual(['id']);
    expect(await snapshot({}, other)).toEqual(['GET /api/other']);
    await world.admin('DELETE', '/requests');
    expect(await snapshot({})).toEqual([]);
    await other.admin('POST', '/reset');
    expect(await snapshot({}, other)).toEqual([]);
  });

  test('of a mock itself is saved', async () => {
    const mock = await makeMock({});
    const world = worldOf(mock, '');
    const [only] = await recorded(world, () => world.ask('/x'));
    expect((await world.ask('/x')).text).toBe(only.response.body);
    expect((await newWorld(mock).ask('/x')).text).toBe(only.response.body);
    const { settings, routes } = (await server.request('GET', `/v1/mocks/${mock}/staged`, { key })).json.data;
    expect([settings.proxy, routes.length]).toEqual([undefined, 1]);
  });

  test('has larger bodies as files', async () => {
    const world = newWorld();
    const use = async () => {
      for (const path of ['/bytes', '/a', '/count']) await world.ask(path);
    };
    // As Java's client sends them.
    const extractBodyCriteria = { textSizeThreshold: '20', binarySizeThreshold: '0' };
    const factory = { matcher: 'equalTo', caseInsensitive: false };
    const mappings = await recorded(world, use, { extractBodyCriteria, requestBodyPatternFactory: factory });
    const names = [`count-${mappings[0].id}.json`, `a-${mappings[1].id}.json`, `bytes-${mappings[2].id}.txt`];
    expect(mappings.map(({ response }) => response.bodyFileName)).toEqual(names);
    expect((await world.admin('GET', '/files')).json).toEqual(expect.arrayContaining(names));
    expect((await world.ask('/a')).text).toContain('"url":"/a"');
    expect((await world.ask('/bytes')).bytes).toEqual(Buffer.from([0, 255, 1]));
    const [small] = await recorded(world, () => world.ask('/count'), {
      extractBodyCriteria: { binarySizeThreshold: '1 kb' },
    });
    expect(small.response.body).toMatch(/^[0-9]+$/);
  });

  test('stops where a body is not recorded, and says which; others are taken by filters', async () => {
    const world = newWorld();
    const { status, json } = await recording(world, async () => {
      await world.ask('/small');
      await world.ask('/large');
    });
    expect([status, json.errors]).toEqual([
      422,
      [
        {
          code: 60,
          title: 'A body is not recorded',
          detail: expect.stringMatching(/^GET \/large: it is larger than 1 MB/),
        },
      ],
    ]);
    expect(await statusOf(world)).toBe('Stopped');
    expect((await world.admin('GET', '/mappings')).json.meta.total).toBe(0);
    const rest = await world.admin('POST', '/recordings/snapshot', { filters: { urlPath: '/small' } });
    expect(rest.json.mappings).toHaveLength(1);
    const upload = { method: 'POST', body: Buffer.from([0, 255]), headers: { 'content-type': 'image/png' } };
    const binary = await recording(world, () => world.ask('/upload', upload));
    expect(binary.status).toBe(200);
    expect(binary.json.mappings[0].request.bodyPatterns).toEqual([{ binaryEqualTo: 'AP8=' }]);
  });

  test('options that are not supported are refused by name, and none is ignored', async () => {
    const world = newWorld();
    const refused = async (spec: object) => {
      const { status, json } = await world.admin('POST', '/recordings/start', { targetBaseUrl: site.url, ...spec });
      return [status, json.errors?.[0].title, json.errors?.[0].source.pointer];
    };
    const size = { extractBodyCriteria: { textSizeThreshold: 'much' } };
    expect(await refused(size)).toEqual([422, 'Error parsing JSON', '/extractBodyCriteria']);
    expect(await refused({ transformers: ['own'] })).toEqual([422, 'transformers is not supported', '/transformers']);
    expect(await refused({ transformerParameters: { a: 1 } })).toEqual([
      422,
      'transformerParameters is not supported',
      '/transformerParameters',
    ]);
    expect(await refused({ filters: { ids: [randomUUID()] } })).toEqual([422, 'ids is not supported', '/filters/ids']);
    expect(await refused({ filters: { allowNonProxied: true } })).toEqual([
      422,
      'allowNonProxied is not supported',
      '/filters/allowNonProxied',
    ]);
    expect(await refused({ filters: { bodyPatterns: [{ equalToXml: '<a/>' }] } })).toEqual([
      422,
      'wiremock.matcher',
      '/filters/bodyPatterns/0',
    ]);
    expect(await refused({ requestBodyPattern: { matcher: 'equalToXml' } })).toEqual([
      422,
      'equalToXml is not supported',
      '/requestBodyPattern/matcher',
    ]);
    expect(await refused({ requestBodyPattern: { matcher: 'other' } })).toEqual([
      422,
      'Error parsing JSON',
      '/requestBodyPattern/matcher',
    ]);
    expect(await refused({ unknown: 1 })).toEqual([422, 'Error parsing JSON', '/unknown']);
    expect(await refused({ targetBaseUrl: 'http://169.254.169.254' })).toEqual([
      422,
      'wiremock.proxy',
      '/targetBaseUrl',
    ]);
    expect(await statusOf(world)).toBe('NeverStarted');
    const unused = {
      extractBodyCriteria: null,
      requestBodyPattern: null,
      transformers: [],
      transformerParameters: {},
      filters: { allowNonProxied: false },
    };
    expect(await refused(unused)).toEqual([200, undefined, undefined]);
  });

  test('is for those who may change the session: with its secret, and not for viewers', async () => {
    const { id, compat } = (await server.request('POST', `/v1/mocks/${base}/sessions`, { key, body: { compat: true } }))
      .json.data;
    const [, secret] = (compat.wiremockPath as string).split('~');
    const withSecret = worldOf(base, `${id}~${secret}`);
    expect((await withSecret.admin('POST', '/recordings/start', { targetBaseUrl: site.url }, '')).status).toBe(200);
    await worldOf(base, id).ask('/by-secret');
    expect((await withSecret.admin('POST', '/recordings/stop', {}, '')).json.mappings).toHaveLength(1);
    expect((await worldOf(base, `${id}~wrong`).admin('POST', '/recordings/snapshot', {}, '')).status).toBe(401);
    const world = newWorld();
    await world.admin('POST', '/mappings', proxy({ url: '/x' }));
    for (const path of ['start', 'stop', 'snapshot'])
      expect((await world.admin('POST', `/recordings/${path}`, {}, viewer)).status).toBe(401);
    expect((await world.admin('GET', '/recordings/status', undefined, viewer)).json).toEqual({
      status: 'NeverStarted',
    });
  });
});
