/** WireMock's admin interface in front of sessions, over HTTP: docs/compat.md. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { askMock } from '../support/ask-mock.ts';
import { useServer } from '../support/shared-server.ts';
import { wireMockWorlds } from '../support/wiremock-worlds.ts';

const { server, owner, key } = await useServer();
const { admin, makeMock, newWorld, LISTED } = wireMockWorlds({ server, key });
let mock: string;

beforeAll(async () => {
  mock = await makeMock(LISTED);
});

const stub = (url: string, body: string, more: object = {}) => ({
  request: { method: 'GET', urlPath: url },
  response: { status: 200, body },
  ...more,
});

describe('stubs', () => {
  test('are made, answer, are returned as sent, are edited and removed', async () => {
    const world = newWorld(mock);
    const made = await world.admin('POST', '/mappings', stub('/a', 'one', { name: 'first', metadata: { team: 'x' } }));
    expect(made.status).toBe(201);
    const { id } = made.json;
    expect(made.json).toEqual({ ...stub('/a', 'one'), name: 'first', metadata: { team: 'x' }, id, uuid: id });
    expect((await world.ask('/a')).text).toBe('one');
    expect((await world.admin('GET', `/mappings/${id}`)).json).toEqual(made.json);
    expect((await world.admin('PUT', `/mappings/${id}`, stub('/a', 'two'))).status).toBe(200);
    expect((await world.ask('/a')).text).toBe('two');
    expect((await world.admin('GET', '/mappings')).json).toEqual({
      mappings: [{ ...stub('/a', 'two'), id, uuid: id }],
      meta: { total: 1 },
    });
    expect((await world.admin('DELETE', `/mappings/${id}`)).status).toBe(200);
    expect((await world.ask('/a')).status).toBe(404);
    expect((await world.admin('GET', `/mappings/${id}`)).status).toBe(404);
  });

  test('have the digits of their numbers, as patterns of requests have', async () => {
    const world = newWorld(mock);
    const long = '12345678901234567890';
    const id = randomUUID();
    const made = await world.admin(
      'POST',
      '/mappings',
      `{"id": "${id}", "request": {"method": "POST", "urlPath": "/n", "bodyPatterns": [{"equalToJson": {"id": ${long}}}]},
        "response": {"jsonBody": {"id": ${long}, "price": 1.10}}}`,
    );
    expect(made.status).toBe(201);
    const url = `http://127.0.0.1:${server.port}/compat/wiremock/${mock}/${world.session}/__admin/mappings/${id}`;
    const text = await (await fetch(url, { headers: { 'x-api-key': key } })).text();
    for (const part of [`"jsonBody":{"id":${long},"price":1.10}`, `{"equalToJson":{"id":${long}}}`])
      expect(text).toContain(part);
    const ask = (body: string) => world.ask('/n', { method: 'POST', body });
    expect((await ask(`{"id": ${long}}`)).text.replaceAll(/\s/g, '')).toBe(`{"id":${long},"price":1.10}`);
    expect((await ask(`{"id": ${long.replace('890', '891')}}`)).status).toBe(404);
    const count = async (digits: string): Promise<number> =>
      (await world.admin('POST', '/requests/count', `{"bodyPatterns": [{"equalToJson": {"id": ${digits}}}]}`)).json
        .count;
    expect([await count(long), await count('12345678901234567000')]).toEqual([1, 0]);
  });

  test('are asked by priority, then the newest first', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', stub('/p', 'old'));
    await world.admin('POST', '/mappings', stub('/p', 'new'));
    await world.admin('POST', '/mappings', stub('/p', 'low', { priority: 9 }));
    expect((await world.ask('/p')).text).toBe('new');
    const first = await world.admin('POST', '/mappings', stub('/p', 'high', { priority: 1 }));
    expect((await world.ask('/p')).text).toBe('high');
    const listed = (await world.admin('GET', '/mappings')).json.mappings as { response: { body: string } }[];
    expect(listed.map(({ response }) => response.body)).toEqual(['high', 'new', 'old', 'low']);
    // As the Java client removes: with the whole stub.
    await world.admin('POST', '/mappings/remove', first.json);
    expect((await world.ask('/p')).text).toBe('new');
    await world.admin('POST', '/mappings/remove', stub('/p', 'new'));
    expect((await world.ask('/p')).status).toBe(404);
  });

  test('match as their conditions say, and hand other requests on', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', stub('/c', 'any'));
    await world.admin('POST', '/mappings', {
      request: {
        method: 'POST',
        urlPathPattern: '/c|/d',
        headers: { 'X-Kind': { equalTo: 'big' } },
        bodyPatterns: [{ matchesJsonPath: '$.items[?(@.count > 2)]' }],
      },
      response: { status: 201, jsonBody: { ok: true }, headers: { 'Content-Type': 'application/json' } },
    });
    const ask = (count: number) =>
      world.ask('/c', { method: 'POST', headers: { 'x-kind': 'big' }, body: JSON.stringify({ items: [{ count }] }) });
    expect(await ask(3)).toMatchObject({ status: 201, text: '{"ok":true}' });
    expect((await ask(2)).status).toBe(404);
  });

  test('are imported together, the first one asked first, and reset', async () => {
    const world = newWorld(mock);
    const mappings = [stub('/i', 'first'), stub('/i', 'second'), stub('/j', 'other')];
    expect((await world.admin('POST', '/mappings/import', { mappings })).status).toBe(200);
    expect((await world.ask('/i')).text).toBe('first');
    expect((await world.admin('GET', '/mappings?limit=1&offset=1')).json).toMatchObject({ meta: { total: 3 } });
    await world.admin('POST', '/mappings/reset');
    expect((await world.admin('GET', '/mappings')).json.mappings).toEqual([]);
    expect((await world.ask('/j')).status).toBe(404);
  });

  test('stay as they are where an import is refused, and one id is one stub', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', stub('/keep', 'kept'));
    const mappings = ['/1', '/2', '/3'].map((path) => stub(path, 'x'.repeat(500_000)));
    const importOptions = { deleteAllNotInImport: true };
    expect((await world.admin('POST', '/mappings/import', { mappings, importOptions })).status).toBe(403);
    expect((await world.ask('/keep')).text).toBe('kept');
    const id = randomUUID();
    const twice = [stub('/a', 'a', { id }), stub('/b', 'b', { id })];
    expect((await world.admin('POST', '/mappings/import', { mappings: twice, importOptions })).status).toBe(200);
    expect((await world.admin('GET', '/mappings')).json.meta.total).toBe(1);
    expect([(await world.ask('/a')).text, (await world.ask('/b')).status, (await world.ask('/keep')).status]).toEqual([
      'a',
      404,
      404,
    ]);
  });

  test('and settings are bounded by what was sent', async () => {
    const world = newWorld(mock);
    const large = stub('/m', 'm', { metadata: { x: 'x'.repeat(1_100_000) } });
    expect((await world.admin('POST', '/mappings', large)).status).toBe(403);
    expect((await world.admin('POST', '/settings', { x: 'x'.repeat(70_000) })).status).toBe(403);
    expect((await world.admin('GET', '/mappings')).json.meta.total).toBe(0);
  });

  test('are of one world alone', async () => {
    const [one, other] = [newWorld(mock), newWorld(mock)];
    await one.admin('POST', '/mappings', stub('/w', 'one'));
    await other.admin('POST', '/mappings', stub('/w', 'other'));
    expect((await one.ask('/w')).text).toBe('one');
    expect((await other.ask('/w')).text).toBe('other');
    await other.admin('POST', '/reset');
    expect((await other.ask('/w')).status).toBe(404);
    expect((await one.ask('/w')).text).toBe('one');
  });

  test('stay in their order where the overlay was replaced by others, and leave what is theirs', async () => {
    const world = newWorld(mock);
    const post = (body: string, priority: number) => world.admin('POST', '/mappings', stub('/o', body, { priority }));
    for (const [body, priority] of [
      ['c', 3],
      ['a', 1],
      ['b', 2],
    ] as const)
      await post(body, priority);
    const path = `/v1/mocks/${mock}/sessions/${world.session}`;
    const { overlay } = (await server.request('GET', path, { key })).json.data;
    const others = { method: 'GET', path: '/others', responses: [{ body: 'others' }] };
    const routes = [others, ...overlay.routes.toReversed()];
    const replaced = await server.request('PUT', `${path}/overlay`, { key, body: { ...overlay, routes } });
    expect(replaced.status).toBe(200);
    expect((await world.ask('/o')).text).toBe('c');
    const low = await post('low', 9);
    expect((await world.ask('/o')).text).toBe('a');
    expect((await world.ask('/others')).text).toBe('others');
    await world.admin('PUT', `/mappings/${low.json.id}`, stub('/o', 'first', { priority: 1 }));
    expect((await world.ask('/o')).text).toBe('first');
    const kept = { overlay: { routes: [others] } };
    await server.request('PUT', `${path}/overlay`, { key, body: kept.overlay });
    expect((await world.admin('GET', '/mappings')).json.mappings).toEqual([]);
    await post('again', 5);
    expect((await world.ask('/o')).text).toBe('again');
    expect((await world.ask('/others')).text).toBe('others');
  });

  test.each([
    [
      'a matcher that no rule says',
      { bodyPatterns: [{ matchesXPath: '//a' }] },
      'wiremock.matcher',
      '/request/bodyPatterns/0',
    ],
    ['a host', { host: { equalTo: 'x' } }, 'wiremock.matcher', '/request/host'],
    ['a body that is not base64', {}, 'wiremock.base64', '/response/base64Body', { base64Body: '***' }],
  ])('%s is refused with its code and place', async (_name, more, title, pointer, response: object = {}) => {
    const world = newWorld(mock);
    const refused = await world.admin('POST', '/mappings', {
      request: { method: 'GET', urlPath: '/x', ...more },
      response,
    });
    expect(refused.status).toBe(422);
    expect(refused.json.errors[0]).toMatchObject({ title, source: { pointer }, detail: expect.any(String) });
    expect((await world.admin('GET', '/mappings')).json.mappings).toEqual([]);
  });
});

describe('requests', () => {
  test('are listed, counted, found, and removed', async () => {
    const world = newWorld(mock);
    const { json } = await world.admin('POST', '/mappings', stub('/r', 'yes'));
    await world.ask('/r?page=2', { headers: { 'x-one': 'a', cookie: 'c=1; d=2' } });
    await world.ask('/r', { method: 'POST', body: '{"amount": 7}' });
    const { requests, meta } = (await world.admin('GET', '/requests')).json;
    expect(meta.total).toBe(2);
    expect(requests).toMatchObject([
      { wasMatched: false, request: { method: 'POST', url: '/r', body: '{"amount": 7}' }, response: { status: 404 } },
      {
        wasMatched: true,
        request: {
          url: '/r?page=2',
          headers: { 'X-One': 'a' },
          cookies: { c: '1', d: '2' },
          queryParams: { page: { key: 'page', values: ['2'] } },
        },
        stubMapping: { id: json.id },
      },
    ]);
    expect(requests[0].id).toMatch(/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/);
    expect((await world.admin('GET', `/requests/${requests[1].id}`)).json).toEqual(requests[1]);
    const count = async (pattern: object) => (await world.admin('POST', '/requests/count', pattern)).json.count;
    expect(await count({ method: 'ANY', urlPath: '/r' })).toBe(2);
    expect(await count({ method: 'GET', url: '/r?page=2' })).toBe(1);
    expect(await count({ url: '/r?page=3' })).toBe(0);
    expect(await count({ urlPathPattern: '/[a-q]' })).toBe(0);
    expect(await count({ urlPathTemplate: '/{name}', pathParameters: { name: { equalTo: 'r' } } })).toBe(2);
    expect(await count({ urlPathTemplate: '/{name}', pathParameters: { name: { equalTo: 's' } } })).toBe(0);
    expect(await count({ bodyPatterns: [{ matchesJsonPath: '$[?(@.amount > 6)]' }] })).toBe(1);
    const found = await world.admin('POST', '/requests/find', { method: 'POST', urlPath: '/r' });
    expect(found.json.requests).toMatchObject([{ method: 'POST', body: '{"amount": 7}' }]);
    expect((await world.admin('GET', '/requests/unmatched')).json.requests).toMatchObject([{ method: 'POST' }]);
    await world.admin('POST', '/requests/remove', { method: 'POST', urlPath: '/r' });
    expect(await count({ urlPath: '/r' })).toBe(1);
    await world.admin('DELETE', '/requests');
    expect(await count({})).toBe(0);
    expect((await world.admin('GET', '/requests')).json).toMatchObject({ requests: [], meta: { total: 0 } });
    await world.ask('/r');
    expect(await count({})).toBe(1);
    // What is exact stays so: the traffic of the session knows all three.
    const counts = await server.request('GET', `/v1/mocks/${mock}/sessions/${world.session}/counts`, { key });
    expect(counts.json.data.total).toBe(3);
  });

  test('are an error where they cannot be judged, never a count', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', { request: { url: '/long' }, response: {} });
    await world.ask('/long', { method: 'POST', body: `${'x'.repeat(40_000)}end` });
    const pattern = { bodyPatterns: [{ contains: 'end' }] };
    const counted = await world.admin('POST', '/requests/count', pattern);
    expect(counted).toMatchObject({ status: 500, json: { errors: [{ title: 'Requests cannot be judged' }] } });
    expect((await world.admin('POST', '/requests/count', { clientIp: { equalTo: '1.2.3.4' } })).status).toBe(422);
    expect((await world.admin('POST', '/requests/count', { bodyPatterns: [{ matchesXPath: '/a' }] })).status).toBe(422);
  });
});

describe('stubs and their requests', () => {
  test('unmatched stubs are listed and removed', async () => {
    const world = newWorld(mock);
    const used = await world.admin('POST', '/mappings', stub('/used', 'a'));
    const unused = await world.admin('POST', '/mappings', stub('/unused', 'b'));
    await world.ask('/used');
    expect((await world.admin('GET', '/mappings/unmatched')).json).toEqual({
      mappings: [unused.json],
      meta: { total: 1 },
    });
    expect((await world.admin('DELETE', '/mappings/unmatched')).status).toBe(200);
    expect((await world.admin('GET', '/mappings')).json.mappings).toEqual([used.json]);
  });

  test('requests are removed by the metadata of their stub', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', stub('/one', 'a', { metadata: { team: 'x' } }));
    await world.admin('POST', '/mappings', stub('/two', 'b', { metadata: { team: 'y' } }));
    for (const path of ['/one', '/two', '/none']) await world.ask(path);
    const removed = await world.admin('POST', '/requests/remove-by-metadata', {
      matchesJsonPath: '$[?(@.team == "x")]',
    });
    expect(removed.json.serveEvents).toMatchObject([{ request: { url: '/one' } }]);
    const { requests } = (await world.admin('GET', '/requests')).json;
    expect(requests.map(({ request }: { request: { url: string } }) => request.url)).toEqual(['/none', '/two']);
  });

  test('near misses have the closest first, with a distance', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', stub('/other', 'o'));
    const near = await world.admin('POST', '/mappings', {
      request: {
        method: 'GET',
        urlPath: '/things',
        headers: { 'X-Kind': { equalTo: 'big' }, 'X-Two': { equalTo: 'b' } },
      },
      response: {},
    });
    await world.admin('POST', '/mappings', {
      request: { method: 'GET', urlPathPattern: '/t.*', headers: { A: { equalTo: 'a' }, B: { equalTo: 'b' } } },
      response: {},
    });
    await world.ask('/things', { headers: { 'x-kind': 'big' } });
    const { nearMisses } = (await world.admin('GET', '/requests/unmatched/near-misses')).json;
    expect(nearMisses).toHaveLength(3);
    expect(nearMisses[0]).toMatchObject({
      request: { url: '/things' },
      stubMapping: near.json,
      matchResult: { distance: 0.0667 },
    });
    expect(nearMisses[1].matchResult.distance).toBe(0.1333);
    expect(
      (await world.admin('POST', '/near-misses/request', { url: '/x', method: 'GET' })).json.nearMisses[2],
    ).toMatchObject({ stubMapping: { request: { urlPathPattern: '/t.*' } }, matchResult: { distance: 0.8 } });
    const asked = { url: '/thing?a=1', method: 'GET', headers: { 'X-Kind': 'big', 'X-Two': ['a', 'b'] } };
    const ofRequest = (await world.admin('POST', '/near-misses/request', asked)).json.nearMisses;
    expect(ofRequest[0]).toMatchObject({ request: asked, stubMapping: near.json });
    const pattern = { method: 'POST', urlPath: '/things' };
    await world.ask('/else');
    const ofPattern = (await world.admin('POST', '/near-misses/request-pattern', pattern)).json.nearMisses;
    expect(ofPattern.map((miss: { request: { url: string } }) => miss.request.url)).toEqual(['/things', '/else']);
    expect(ofPattern[0]).toMatchObject({ requestPattern: pattern, matchResult: { distance: 0.2308 } });
    expect((await world.admin('POST', '/near-misses/request', {})).status).toBe(422);
  });
});

describe('files', () => {
  test('are the bodies of stubs, are changed with them, listed and removed', async () => {
    const world = newWorld(mock);
    const withFile = { request: { url: '/f' }, response: { bodyFileName: 'sub/a b.json' } };
    expect(await world.admin('POST', '/mappings', withFile)).toMatchObject({
      status: 422,
      json: { errors: [{ title: 'wiremock.file' }] },
    });
    expect((await world.admin('PUT', '/files/sub/a%20b.json', '{"n": 1}')).status).toBe(200);
    expect((await world.admin('POST', '/mappings', withFile)).status).toBe(201);
    expect((await world.ask('/f')).text).toBe('{"n": 1}');
    await world.admin('PUT', '/files/sub/a%20b.json', 'not JSON');
    expect((await world.ask('/f')).text).toBe('not JSON');
    expect((await world.admin('GET', '/files')).json).toEqual(['sub/a b.json']);
    expect((await world.admin('GET', '/files/sub/a%20b.json')).json).toBe('not JSON');
    expect(await world.admin('PUT', '/files/large', 'x'.repeat(1_048_577))).toMatchObject({
      status: 403,
      json: { errors: [{ title: expect.any(String) }] },
    });
    expect((await newWorld(mock).admin('GET', '/files')).json).toEqual([]);
    expect((await world.admin('DELETE', '/files/sub/a%20b.json')).status).toBe(200);
    expect((await world.admin('DELETE', '/files/sub/a%20b.json')).status).toBe(404);
    expect((await world.admin('GET', '/files/sub/a%20b.json')).status).toBe(404);
    expect((await world.ask('/f')).text).toBe('not JSON');
  });
});

test('changes of one world wait for each other: a file that is put brings no stub back', async () => {
  const world = newWorld(mock);
  await world.admin('PUT', '/files/g', 'one');
  const using = { request: { method: 'GET', urlPath: '/g' }, response: { bodyFileName: 'g' } };
  const ids: string[] = [];
  for (let index = 0; index < 40; index++) ids.push((await world.admin('POST', '/mappings', using)).json.id);
  await Promise.all([
    world.admin('PUT', '/files/g', 'two'),
    ...ids.map((id) => world.admin('DELETE', `/mappings/${id}`)),
  ]);
  expect((await world.admin('GET', '/mappings')).json.meta.total).toBe(0);
});

describe('scenarios', () => {
  const step = (state: string, next: string | undefined, body: string) =>
    stub('/s', body, {
      scenarioName: 'flow',
      requiredScenarioState: state,
      ...(next === undefined ? {} : { newScenarioState: next }),
    });

  test('come into being with stubs, move, are set and reset', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', step('Started', 'two', 'one'));
    await world.admin('POST', '/mappings', step('two', undefined, 'two'));
    expect((await world.ask('/s')).text).toBe('one');
    expect((await world.ask('/s')).text).toBe('two');
    const { scenarios } = (await world.admin('GET', '/scenarios')).json;
    expect(scenarios).toMatchObject([
      { name: 'flow', state: 'two', possibleStates: expect.arrayContaining(['Started', 'two']) },
    ]);
    expect(scenarios[0].mappings).toHaveLength(2);
    await world.admin('POST', '/scenarios/reset');
    expect((await world.ask('/s')).text).toBe('one');
    expect((await world.admin('PUT', '/scenarios/flow/state', { state: 'Started' })).status).toBe(200);
    expect((await world.ask('/s')).text).toBe('one');
    expect((await world.admin('PUT', '/scenarios/flow/state', { state: 'no' })).status).toBe(422);
    expect((await world.admin('PUT', '/scenarios/nobody/state', { state: 'no' })).status).toBe(404);
    // A further stub does not move it back.
    await world.admin('PUT', '/scenarios/flow/state', { state: 'two' });
    await world.admin('POST', '/mappings', step('three', undefined, 'three'));
    expect((await world.ask('/s')).text).toBe('two');
  });

  test('have the states that their stubs name, and keep theirs while stubs are in them', async () => {
    const world = newWorld(mock);
    const moving = (newScenarioState: string) => stub('/s', 's', { scenarioName: 'flow', newScenarioState });
    const { json } = await world.admin('POST', '/mappings', moving('two'));
    expect((await world.admin('PUT', '/scenarios/flow/state', { state: 'Started' })).status).toBe(422);
    await world.ask('/s');
    await world.admin('PUT', `/mappings/${json.id}`, moving('three'));
    const listed = (await world.admin('GET', '/scenarios')).json.scenarios;
    expect(listed).toMatchObject([{ state: 'two', possibleStates: ['three'] }]);
  });

  test('are those of the session in the API, too', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', step('Started', 'two', 'one'));
    const path = `/v1/mocks/${mock}/sessions/${world.session}/scenarios`;
    const listed = await server.request('GET', path, { key });
    expect(listed.json.data).toEqual([
      { name: 'flow', state: 'Started', states: ['Started', 'two'], initial: 'Started' },
    ]);
    await server.request('PUT', `${path}/flow`, { key, body: { state: 'two' } });
    expect((await world.ask('/s')).status).toBe(404);
    const tried = await server.request('POST', `/v1/mocks/${mock}/sessions/${world.session}/try`, {
      key,
      body: { method: 'GET', path: '/s' },
    });
    expect(tried.json.data.explanation.passedOn).toMatchObject([
      { path: '/s', candidates: [{ scenarios: [{ name: 'flow', state: 'two', holds: false }] }] },
    ]);
  });
});

describe('without a session the stubs are of the mock itself:', () => {
  const versions = async (id: string) => (await server.request('GET', `/v1/mocks/${id}/versions`, { key })).json.data;

  test('durable, served, in the order of priority, each change a version', async () => {
    const durable = await makeMock(LISTED, [{ method: 'GET', path: '/own', responses: [{ body: 'own' }] }]);
    const post = (body: object) => admin(durable, 'POST', '/mappings', body);
    const ask = async (path: string) => (await askMock(server.mockPort, path, { mock: durable })).text;
    const first = await post(stub('/m', 'old', { metadata: { by: 'ann' } }));
    expect(first.status).toBe(201);
    await post(stub('/m', 'new'));
    await post(stub('/m', 'low', { priority: 7 }));
    expect([await ask('/m'), await ask('/own')]).toEqual(['new', 'own']);
    const high = await post(stub('/m', 'high', { priority: 1 }));
    expect(await ask('/m')).toBe('high');
    await admin(durable, 'DELETE', `/mappings/${high.json.id}`);
    expect(await ask('/m')).toBe('new');
    const { mappings } = (await admin(durable, 'GET', '/mappings')).json;
    expect(mappings.map((each: { response: { body: string } }) => each.response.body)).toEqual(['new', 'old', 'low']);
    expect((await admin(durable, 'GET', `/mappings/${first.json.id}`)).json).toEqual(first.json);
    // What one suite does within a minute is one version.
    expect(await versions(durable)).toHaveLength(2);
    const staged = (await server.request('GET', `/v1/mocks/${durable}/staged`, { key })).json.data;
    expect(staged.routes.map(({ stub: source }: { stub?: object }) => source !== undefined)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    await admin(durable, 'POST', '/mappings/reset');
    expect((await admin(durable, 'GET', '/mappings')).json.mappings).toEqual([]);
    expect(await ask('/own')).toBe('own');
  });

  test('with scenarios, and a journal apart from sessions', async () => {
    const durable = await makeMock(LISTED);
    await admin(durable, 'POST', '/mappings', stub('/s', 's', { scenarioName: 'flow', newScenarioState: 'two' }));
    await askMock(server.mockPort, '/s', { mock: durable });
    await askMock(server.mockPort, '/s', { mock: durable, headers: { 'x-mock-session': 'other' } });
    expect((await admin(durable, 'POST', '/requests/count', { urlPath: '/s' })).json.count).toBe(1);
    expect((await admin(durable, 'GET', '/scenarios')).json.scenarios).toMatchObject([{ name: 'flow', state: 'two' }]);
    await admin(durable, 'POST', '/reset');
    expect((await admin(durable, 'GET', '/scenarios')).json.scenarios).toEqual([]);
    expect((await admin(durable, 'POST', '/requests/count', {})).json.count).toBe(0);
  });

  test('a session is saved into it as one version, and keeps its own', async () => {
    const durable = await makeMock(LISTED);
    const inSession = (method: string, path: string, body?: object) => admin(`${durable}/s`, method, path, body);
    await inSession('POST', '/mappings', stub('/m', 'old'));
    const step = { scenarioName: 'flow', newScenarioState: 'two' };
    const second = await inSession('POST', '/mappings', stub('/m', 'new', step));
    expect((await inSession('POST', '/mappings/save')).status).toBe(200);
    expect((await askMock(server.mockPort, '/m', { mock: durable })).text).toBe('new');
    expect((await admin(durable, 'GET', '/scenarios')).json.scenarios).toMatchObject([{ name: 'flow', state: 'two' }]);
    expect(await versions(durable)).toHaveLength(2);
    expect((await inSession('DELETE', `/mappings/${second.json.id}`)).status).toBe(200);
    const inOwn = { mock: durable, headers: { 'x-mock-session': 's' } };
    expect((await askMock(server.mockPort, '/m', inOwn)).text).toBe('old');
    const { mappings } = (await admin(durable, 'GET', '/mappings')).json;
    expect(mappings.map((each: { response: { body: string } }) => each.response.body)).toEqual(['new', 'old']);
    expect((await inSession('POST', '/mappings/save')).status).toBe(200);
    expect(await versions(durable)).toHaveLength(2);
    // The secret of a session does not reach its mock.
    const made = await server.request('POST', `/v1/mocks/${durable}/sessions`, { key, body: { compat: true } });
    const world = made.json.data.compat.wiremockPath.replace('/compat/wiremock/', '') as string;
    expect((await admin(world, 'POST', '/mappings', stub('/k', 'k'), {})).status).toBe(201);
    expect((await admin(world, 'POST', '/mappings/save', undefined, {})).status).toBe(422);
  });

  test('what is staged by others is not saved with it', async () => {
    const durable = await makeMock(LISTED);
    const body = { method: 'GET', path: '/x', responses: [{}] };
    await server.request('POST', `/v1/mocks/${durable}/staged/routes`, { key, body });
    const refused = await admin(durable, 'POST', '/mappings', stub('/m', 'm'));
    expect(refused).toMatchObject({ status: 412, json: { errors: [{ title: expect.stringContaining('staged') }] } });
  });
});

describe('settings, health and version', () => {
  test('are answered', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', stub('/t', 'late'));
    expect((await world.admin('POST', '/settings', { fixedDelay: 60 })).status).toBe(200);
    const start = performance.now();
    await world.ask('/t');
    expect(performance.now() - start).toBeGreaterThan(55);
    expect((await world.admin('GET', '/settings')).json).toEqual({ settings: { fixedDelay: 60 } });
    expect((await world.admin('GET', '/health')).json.status).toBe('healthy');
    expect((await world.admin('GET', '/version')).json.version).toBe('3.13.2');
  });
});

describe('who may', () => {
  const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  test('a key comes as a header, as Bearer, or as the password of Basic', async () => {
    for (const authorization of [`Bearer ${key}`, basic('anybody', key)]) {
      expect((await admin(`${mock}/keys`, 'GET', '/mappings', undefined, { authorization })).status).toBe(200);
    }
    for (const headers of [{}, { 'x-api-key': 'sy_no' }, { authorization: basic(key, 'no') }] as Record<
      string,
      string
    >[]) {
      const refused = await admin(`${mock}/keys`, 'GET', '/mappings', undefined, headers);
      expect(refused).toMatchObject({ status: 401, json: { errors: [{ title: 'Unauthorized action' }] } });
    }
  });

  test('a secret in the path opens one session, until it ends', async () => {
    const made = await server.request('POST', `/v1/mocks/${mock}/sessions`, { key, body: { compat: true } });
    const { id, compat } = made.json.data;
    const world = compat.wiremockPath.replace('/compat/wiremock/', '') as string;
    expect((await admin(world, 'POST', '/mappings', stub('/k', 'k'), {})).status).toBe(201);
    const other = (await server.request('POST', `/v1/mocks/${mock}/sessions`, { key, body: {} })).json.data
      .id as string;
    for (const wrong of [world.replace(id, other), `${world}x`, world.replace(/~.*/, ''), `${mock}/${id}~`]) {
      expect((await admin(wrong, 'GET', '/mappings', undefined, {})).status).toBe(401);
    }
    await server.request('DELETE', `/v1/mocks/${mock}/sessions/${id}`, { key });
    expect((await admin(world, 'GET', '/mappings', undefined, {})).status).toBe(401);
  });

  test('viewers read, and other owners may nothing', async () => {
    const viewer = { 'x-api-key': await server.key(owner, 'vic', 'viewer') };
    // No session comes into being by reading.
    expect((await admin(`${mock}/viewed`, 'GET', '/mappings', undefined, viewer)).status).toBe(404);
    expect((await admin(`${mock}/keys`, 'GET', '/mappings', undefined, viewer)).status).toBe(200);
    expect((await admin(`${mock}/keys`, 'POST', '/requests/count', {}, viewer)).status).toBe(200);
    expect((await admin(`${mock}/keys`, 'POST', '/mappings', stub('/v', 'v'), viewer)).status).toBe(401);
    const foreign = { 'x-api-key': await server.key(`${owner}x`) };
    expect(await admin(`${mock}/keys`, 'GET', '/mappings', undefined, foreign)).toMatchObject({
      status: 401,
      json: { errors: [{ title: 'Unauthorized action' }] },
    });
  });
});

describe('every failure is one of WireMock:', () => {
  test.each([
    ['an unknown path', 'GET', '/nothing', undefined, 404],
    ['an unknown method', 'PATCH', '/mappings', {}, 404],
    ['a body that is not JSON', 'POST', '/mappings', '{', 422],
    ['an id that is not a UUID', 'POST', '/mappings', { id: 'x' }, 422],
    ['a list that is not one', 'POST', '/mappings/import', { mappings: {} }, 422],
    ...['recorder', 'certs/wiremock-ca.crt', 'shutdown', 'message-mappings', 'messages/send', 'channels'].map(
      (path): [string, string, string, object, number] => [path, 'POST', `/${path}`, {}, 422],
    ),
    ['an unknown stub', 'DELETE', `/mappings/${randomUUID()}`, undefined, 404],
  ])('%s', async (_name, method, path, body, status) => {
    const refused = await newWorld(mock).admin(method, path, body);
    expect(refused.status).toBe(status);
    expect(refused.json.errors[0].title).toEqual(expect.any(String));
  });

  test('its root lists what there is', async () => {
    for (const path of ['', '/', '/docs']) {
      const { json } = await newWorld(mock).admin('GET', path);
      expect(json.endpoints).toContain('POST /mappings/save');
      expect(json.unsupported).toContain('certs');
    }
  });

  test('what is refused before the endpoint is known', async () => {
    const path = `/compat/wiremock/${mock}/__admin/mappings`;
    const other = await askMock(server.port, path, { headers: { host: 'other.example' } });
    expect(other.status).toBe(403);
    expect(JSON.parse(other.text)).toMatchObject({ errors: [{ title: expect.any(String) }] });
    const method = await askMock(server.port, path, { method: 'TRACE' });
    expect(method.status).toBe(405);
    expect(JSON.parse(method.text)).toMatchObject({ errors: [{ title: expect.any(String) }] });
  });

  test('calls are counted by endpoint and status', async () => {
    await newWorld(mock).admin('GET', `/mappings/${randomUUID()}`);
    const metrics = await server.metrics();
    const labels = 'method="GET",route="/compat/wiremock/:id/__admin/mappings/:id",status="404"';
    expect(metrics).toContain(`switchyard_http_request_duration_seconds_count{${labels}}`);
  });

  test('mocks whose settings do not suit it, and sessions that nobody made', async () => {
    const unfit = await makeMock({ sessions: 'auto' });
    expect(await admin(`${unfit}/s`, 'GET', '/mappings')).toMatchObject({
      status: 422,
      json: { errors: [{ source: { pointer: '/settings/precedence' } }] },
    });
    const strict = await makeMock({ ...LISTED, sessions: undefined });
    expect(await admin(`${strict}/s`, 'GET', '/mappings')).toMatchObject({ status: 404, json: { errors: [{}] } });
    expect(await admin('nobody/s', 'GET', '/mappings')).toMatchObject({ status: 404, json: { errors: [{}] } });
  });
});

describe('what differs is so:', () => {
  const document = readFileSync(new URL('../../docs/compat.md', import.meta.url), 'utf8');
  const rows = [...(document.split('## What differs')[1] ?? '').matchAll(/^\| (.+?) \| (.+?) \|$/gm)];
  const withRequest = (request: object): object => ({
    request: { method: 'POST', url: '/x', ...request },
    response: {},
  });

  /** By row: calls, all of which are answered with the status that the row has. */
  const ASKED: Readonly<Record<string, readonly (readonly [method: string, path: string, body?: unknown])[]>> = {
    'certificates, shutdown, messages, the page of the recorder': [
      ['GET', '/recorder'],
      ['GET', '/certs/wiremock-ca.crt'],
      ['POST', '/shutdown'],
      ['POST', '/message-mappings', {}],
      ['GET', '/messages'],
      ['POST', '/channels/send', {}],
    ],
    'custom matchers, XPath, XML, hosts, ports': [
      ['POST', '/mappings', withRequest({ customMatcher: { name: 'own' } })],
      ['POST', '/mappings', withRequest({ bodyPatterns: [{ matchesXPath: '//a' }] })],
      ['POST', '/mappings', withRequest({ bodyPatterns: [{ equalToXml: '<a/>' }] })],
      ['POST', '/mappings', withRequest({ host: { equalTo: 'x' } })],
      ['POST', '/mappings', withRequest({ port: 80 })],
    ],
    'a fixed delay with a lognormal one': [
      ['POST', '/settings', { fixedDelay: 40, delayDistribution: { type: 'lognormal', median: 20, sigma: 0.1 } }],
    ],
    limits: [
      ['POST', '/mappings/import', { mappings: Array.from({ length: 6 }, () => stub('/x', 'x'.repeat(200_000))) }],
      ['PUT', '/files/x', 'x'.repeat(1_048_577)],
    ],
  };
  /** Held by tests above, and of several nodes. */
  const ELSEWHERE = ['without a session', 'several nodes'];

  test('each row with a status is asked', () => {
    const withStatus = rows.filter(([, , here = '']) => /\b4\d\d\b/.test(here)).map(([, what = '']) => what);
    expect(withStatus.toSorted()).toEqual([...Object.keys(ASKED), ...ELSEWHERE].toSorted());
  });

  test.each(Object.entries(ASKED))('%s', async (what, calls) => {
    const [, status] = /\b(4\d\d)\b/.exec(rows.find(([, row]) => row === what)?.[2] ?? '') ?? [];
    const world = newWorld(mock);
    for (const [method, path, body] of calls) {
      const answer = await world.admin(method, path, body);
      expect([method, path, answer.status]).toEqual([method, path, Number(status)]);
      expect(answer.json.errors[0].title).toEqual(expect.any(String));
    }
  });

  test('parts, several values exactly, bytes and times from now are taken', async () => {
    const world = newWorld(mock);
    const at = (request: object, body: string) => ({ request: { urlPath: '/m', ...request }, response: { body } });
    for (const [request, body] of [
      [{ multipartPatterns: [{ bodyPatterns: [{ equalTo: 'x' }] }] }, 'part'],
      [{ queryParameters: { a: { hasExactly: [{ equalTo: '1' }, { equalTo: '2' }] } } }, 'values'],
      [{ bodyPatterns: [{ binaryEqualTo: 'AQI=' }] }, 'bytes'],
      [{ headers: { a: { before: 'now -1 days' } } }, 'time'],
    ] as const)
      expect((await world.admin('POST', '/mappings', at(request, body))).status).toBe(201);
    const form = '--b\r\n\r\nx\r\n--b--\r\n';
    const multipart = { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: form };
    expect((await world.ask('/m', multipart)).text).toBe('part');
    expect((await world.ask('/m?a=2&a=1')).text).toBe('values');
    expect((await world.ask('/m', { method: 'POST', body: Buffer.from([1, 2]) })).text).toBe('bytes');
    expect((await world.ask('/m', { headers: { a: '2001-01-01T00:00:00Z' } })).text).toBe('time');
    expect((await world.ask('/m')).status).toBe(404);
  });

  test('slashes and HEAD', async () => {
    const world = newWorld(mock);
    await world.admin('POST', '/mappings', stub('/a', 'a'));
    expect((await world.ask('/a/')).text).toBe('a');
    expect((await world.ask('/a', { method: 'HEAD' })).status).toBe(200);
  });

  test('a stub with the id of one of the mock answers in its place, until it is removed', async () => {
    const durable = await makeMock(LISTED);
    const ofMock = (await admin(durable, 'POST', '/mappings', stub('/m', 'of the mock'))).json;
    const other = (await admin(durable, 'POST', '/mappings', stub('/other', 'other'))).json;
    const inSession = (method: string, path: string, body?: unknown) => admin(`${durable}/s`, method, path, body);
    const texts = async (headers: Record<string, string> = { 'x-mock-session': 's' }) => {
      const replies = ['/m', '/n', '/other'].map((path) => askMock(server.mockPort, path, { mock: durable, headers }));
      return (await Promise.all(replies)).map(({ status, text }) => (status === 200 ? text : status));
    };
    const own = { ...stub('/n', 'own'), id: ofMock.id, uuid: ofMock.id };
    expect(await inSession('POST', '/mappings', own)).toEqual({ status: 201, json: own });
    expect((await inSession('GET', '/mappings')).json.mappings).toEqual([own]);
    expect(await texts()).toEqual([404, 'own', 'other']);
    expect(await texts({})).toEqual(['of the mock', 404, 'other']);
    const { requests } = (await inSession('GET', `/requests?matchingStub=${ofMock.id}`)).json;
    expect(requests).toMatchObject([{ request: { url: '/n' }, stubMapping: own }]);
    expect((await inSession('GET', '/mappings/unmatched')).json.mappings).toEqual([]);
    const changed = { ...stub('/n', 'changed'), id: ofMock.id, uuid: ofMock.id };
    expect((await inSession('PUT', `/mappings/${ofMock.id}`, changed)).status).toBe(200);
    // What the mock has lost in the meantime is in nobody's way.
    await inSession('POST', '/mappings', { ...stub('/other', 'own other'), id: other.id });
    await admin(durable, 'DELETE', `/mappings/${other.id}`);
    expect((await inSession('PUT', '/files/a', 'x')).status).toBe(200);
    expect(await texts()).toEqual([404, 'changed', 'own other']);
    await inSession('POST', '/mappings/save');
    const saved = (await admin(durable, 'GET', '/mappings')).json.mappings as { id: string }[];
    expect(saved.map(({ id }) => id)).toContain(ofMock.id);
    expect(await texts({})).toEqual([404, 'changed', 'own other']);
    await admin(durable, 'PUT', `/mappings/${ofMock.id}`, stub('/m', 'of the mock'));
    await inSession('DELETE', `/mappings/${ofMock.id}`);
    expect(await texts()).toEqual(['of the mock', 404, 'own other']);
  });
});
