/** The OpenAPI document against the server: what is in one must be in the other. */
import { once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { Compile } from 'typebox/compile';
import type { TSchema } from 'typebox';
import { RULE_TYPES } from '../../src/model/record-id.ts';
import { REFUSALS } from '../../src/errors.ts';
import { rulePayload, SAMPLES, SOURCE } from '../support/samples.ts';
import { recordOnce } from '../support/record-once.ts';
import type { TestServer } from '../support/server.ts';
import { useServer } from '../support/shared-server.ts';

interface Operation {
  operationId: string;
  security?: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: TSchema }[];
  requestBody?: { content: { 'application/json': { schema: TSchema } } };
  responses: Record<
    string,
    { description: string; headers?: object; content: { 'application/json'?: { schema: TSchema } } }
  >;
}

type Answer = Awaited<ReturnType<TestServer['request']>>;

const { server, owner } = await useServer();
const key = await server.key(owner, 'ann', 'admin');
let viewer: string;
let paths: Record<string, Record<string, Operation>>;
/** As answered, with its references. */
let document: OpenApi;

interface OpenApi {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, TSchema>; securitySchemes: object };
}

beforeAll(async () => {
  viewer = await server.key(owner, 'vic', 'viewer');
  const answer = await server.request('GET', '/v1/openapi.json');
  expect(answer.status).toBe(200);
  expect(answer.json.openapi).toBe('3.1.0');
  document = answer.json;
  paths = resolved(document.paths) as typeof paths;
});

/** With what references stand for in their place. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return resolved(componentOf(value.$ref as string));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, resolved(member)]));
}

function componentOf(reference: string): TSchema {
  const [, name = ''] = /^#\/components\/schemas\/([A-Za-z0-9]+)$/.exec(reference) ?? [];
  const component = document.components.schemas[name];
  expect(component, reference).toBeDefined();
  return component as TSchema;
}

const operations = () =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

test('the server has every method that is described, and no other, on every path', async () => {
  for (const [path, methods] of Object.entries(paths)) {
    const answer = await server.request('OPTIONS', path.replace(/\{\w+\}/g, 'x'));
    const allowed = (answer.headers.get('allow') as string)
      .split(', ')
      .filter((method) => !['HEAD', 'OPTIONS'].includes(method));
    expect(allowed.toSorted()).toEqual(
      Object.keys(methods)
        .map((method) => method.toUpperCase())
        .toSorted(),
    );
  }
});

test('security is described as it is: a key where one is needed, none elsewhere', async () => {
  for (const { path, method, operation } of operations()) {
    const answer = await server.request(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'));
    expect(answer.status === 401).toBe(operation.security?.length !== 0);
  }
});

test("WireMock's interface takes a key in every way that is described", async () => {
  const { securitySchemes } = document.components;
  const ways: Record<string, (given: string) => Record<string, string>> = {
    apiKey: (given) => ({ 'x-api-key': given }),
    bearer: (given) => ({ authorization: `Bearer ${given}` }),
    basic: (given) => ({ authorization: `Basic ${Buffer.from(`x:${given}`).toString('base64')}` }),
  };
  expect(Object.keys(securitySchemes)).toEqual(Object.keys(ways));
  const foreign = operations().filter(({ path }) => path.startsWith('/compat/'));
  for (const { operation } of foreign)
    expect(operation.security).toEqual([{ apiKey: [] }, { bearer: [] }, { basic: [] }, {}]);
  const settings = { precedence: 'listed', cors: false };
  const made = await server.request('POST', '/v1/mocks', { key, body: { name: 'described', settings, routes: [] } });
  const at = `/compat/wiremock/${made.json.data.id}/__admin/mappings`;
  for (const headersOf of Object.values(ways)) {
    expect((await server.request('GET', at, { headers: headersOf(key) })).json).toMatchObject({ mappings: [] });
    expect((await server.request('GET', at, { headers: headersOf('x') })).status).toBe(401);
  }
});

/** Sets `additionalProperties: false` all over, so that a member that is not described is an error. */
function strict(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('properties' in value) || !('type' in value)) return value;
    return 'additionalProperties' in value ? value : { ...value, additionalProperties: false };
  }) as TSchema;
}

/** Pairs keep unknown members, and schemas of pairs say so by silence: they are checked in the test below. */
function withoutPairs(schema: TSchema): TSchema {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) => (name === 'pairs' ? {} : value)) as TSchema;
}

const MOCK_ROUTE = {
  method: 'GET',
  path: '/',
  responses: [{ body: 'hi', rules: [{ target: 'query', property: 'q', operator: 'exists' }] }, {}],
};

const STREAM_ROUTE = {
  method: 'GET',
  path: '/open',
  responses: [{ stream: { events: [{ data: '1' }], end: 'open' } }],
};

const SOCKET_ROUTE = { kind: 'ws', method: 'GET', path: '/ws', responses: [{}] };

/** Items where one of them is asked for; else what can be merged. */
function storeFor(path: string) {
  return { name: SCENARIO.name, value: path.includes('{itemId}') ? [{ id: 1 }] : {} };
}

const SCENARIO = { name: 'payment', states: ['new', 'paid'] };

async function openSocket(url: string): Promise<void> {
  const socket = new WebSocket(url.replace('http:', 'ws:'));
  onTestFinished(() => socket.terminate());
  await once(socket, 'open');
}

/** Calls an endpoint of a mock that has been changed and asked, so that every part of an answer is there. */
async function mockAnswer(path: string, method: string, example: unknown): Promise<Answer> {
  const made = await server.request('POST', '/v1/mocks', {
    key,
    body: {
      name: 'm',
      start: true,
      routes: [MOCK_ROUTE, MOCK_ROUTE, STREAM_ROUTE, SOCKET_ROUTE],
      settings: { scenarios: [SCENARIO], stores: [storeFor(path)] },
    },
  });
  const { id } = made.json.data;
  const at = `/v1/mocks/${id}`;
  const session = (await server.request('POST', `${at}/sessions`, { key, body: {} })).json.data;
  const mockRoot = `http://127.0.0.1:${server.mockPort}/__mock/${id}`;
  const sessionRoot = session.address.pathUrl.replace('localhost', '127.0.0.1');
  for (const address of [sessionRoot, mockRoot]) await fetch(`${address}/?q=1`);
  await fetch(`${session.address.pathUrl.replace('localhost', '127.0.0.1')}/missing`);
  if (path.includes('/streams')) for (const address of [mockRoot, sessionRoot]) await fetch(`${address}/open`);
  if (/\/ws\b/.test(path)) for (const address of [mockRoot, sessionRoot]) await openSocket(`${address}/ws`);
  if (path.includes('/recording')) await recordOnce(server, key, id);
  const { routes, settings } = (await server.request('GET', `${at}/staged`, { key })).json.data;
  const [route] = routes;
  // To a port that no connection is made to.
  const drift = { upstream: 'http://127.0.0.1:1' };
  const run = (await server.request('POST', `${at}/drifts`, { key, body: drift })).json.data;
  await server.request('GET', `${at}/drifts/${run.id}?waitMs=5000`, { key });
  await server.request('PUT', `${at}/staged/routes/${route.id}`, { key, body: { ...route, description: 'changed' } });
  const { data: streams } = (await server.request('GET', `${at}/streams`, { key })).json;
  const { data: sockets } = (await server.request('GET', `${at}/ws`, { key })).json;
  const url = path
    .replace('{id}', id)
    .replace('{routeId}', route.id)
    .replace('{responseId}', route.responses[0].id)
    .replace('{n}', '1')
    .replace('{sid}', session.id)
    .replace('{requestId}', '1')
    .replace('{driftId}', run.id)
    .replace('{streamId}', streams[0]?.id)
    .replace('{socketId}', sockets[0]?.id)
    .replace('{itemId}', '1')
    .replace('{name}', SCENARIO.name);
  const bodies: Record<string, unknown> = {
    '/v1/mocks/{id}': { name: 'n' },
    '/v1/mocks/{id}/staged': { settings, routes },
    '/v1/mocks/{id}/staged/import': { switchyard: 1, kind: 'mock', other: 1, routes: [MOCK_ROUTE] },
    '/v1/mocks/{id}/staged/order': { ids: routes.map((each: { id: string }) => each.id).toReversed() },
    '/v1/mocks/{id}/staged/routes/{routeId}': MOCK_ROUTE,
    '/v1/mocks/{id}/staged/routes/{routeId}/responses/{responseId}': {},
    '/v1/mocks/{id}/versions/{n}/restore': undefined,
    '/v1/mocks/{id}/sessions/{sid}/overlay': { routes: [MOCK_ROUTE] },
  };
  const body =
    path.endsWith('/drifts') && method === 'post' ? drift : (example ?? (method === 'put' ? bodies[path] : undefined));
  const answer = await server.request(method.toUpperCase(), url, { key, ...(body === undefined ? {} : { body }) });
  expect(answer.json, `${method} ${path}`).toMatchObject({ success: true });
  return answer;
}

/** Whose answers have every part between them. */
const EVALUATED = [
  { rules: [rulePayload('Headers')], response: { status: 200, statusText: 'Fine', headers: { x: '1' }, body: 'b' } },
  { rules: [rulePayload('Cancel', { status: 'Inactive' })], details: 'all' },
  { rules: SAMPLES.map(({ ruleType, pair }) => rulePayload(ruleType, { pairs: [pair] })) },
];

async function evaluationOf(more: object): Promise<Answer> {
  const request = { url: 'http://example.com/', method: 'POST', body: '/w==', bodyEncoding: 'base64' };
  const answer = await server.request('POST', '/v1/rules/evaluate', { key, body: { request, ...more } });
  expect(answer.status).toBe(200);
  return answer;
}

/** A refused record, an unknown member and a class have every part of an answer between them. */
const IMPORTED = [
  { objectType: 'rule', ruleType: 'Script', id: 'Script_1' },
  { objectType: 'group', name: 'g', isSample: true, a: 1 },
];

/** An example of a batch, of a rule that is there. */
async function batched(example: object): Promise<Answer> {
  const { data } = (await server.request('POST', '/v1/rules', { key, body: rulePayload() })).json;
  const answer = await server.request('POST', '/v1/rules/batch', { key, body: { ...example, ids: [data.id] } });
  expect(answer.status).toBe(200);
  return answer;
}

async function imported(query: string, body: unknown): Promise<Answer> {
  const answer = await server.request('POST', `/v1/rules/import?${query}`, { key, body });
  expect(answer.status).toBe(200);
  return answer;
}

async function answersOf(path: string, method: string, example: unknown): Promise<Answer[]> {
  if (path.startsWith('/v1/mocks')) return [await mockAnswer(path, method, example)];
  if (path === '/v1/gateway/settings') {
    const body = method === 'put' ? { body: { mode: 'redirect' } } : {};
    return [await server.request(method.toUpperCase(), path, { key, ...body })];
  }
  // This server has none: test/process/gateway.test.ts compares what others answer.
  if (path.startsWith('/v1/gateway/')) return [];
  if (path === '/v1/rules/evaluate') return Promise.all(EVALUATED.map(evaluationOf));
  if (path === '/v1/console/key')
    return [await server.request('POST', path, { body: { code: await server.code(owner) } })];
  if (path === '/v1/keys/{id}') {
    const { keyId } = (await server.request('POST', '/v1/keys', { key, body: { user: 'ci' } })).json.data;
    return [await server.request('DELETE', `/v1/keys/${keyId}`, { key })];
  }
  if (path === '/v1/keys' && method === 'post') return [await server.request('POST', path, { key, body: example })];
  if (
    path === '/v1/history' ||
    path === '/v1/me' ||
    path === '/v1/keys' ||
    path === '/v1/gateway' ||
    !path.startsWith('/v1/')
  )
    return [await server.request('GET', path, { key })];
  if (path === '/v1/rules/batch') return [await batched(example as object)];
  if (path === '/v1/rules/import') {
    const options = ['dryRun=true', 'onConflict=overwrite', 'onConflict=skip'];
    const answers: Answer[] = [];
    // One after the other: of one owner few wait.
    for (const query of options) answers.push(await imported(query, example), await imported(query, IMPORTED));
    return answers;
  }
  const answers: Answer[] = [];
  const isRule = path.includes('rule');
  for (const sample of isRule ? SAMPLES : [undefined]) {
    const body = sample === undefined ? { name: 'g' } : { name: 'n', ruleType: sample.ruleType, pairs: [sample.pair] };
    const resource = isRule ? '/v1/rules' : '/v1/groups';
    const made = await server.request('POST', resource, { key, body });
    const url = path.replace(/\{\w+\}/, made.json.data?.id);
    const sent = method === 'put' || method === 'post' ? { body } : method === 'patch' ? { body: example } : {};
    const answer = await server.request(method.toUpperCase(), url, { key, ...sent });
    expect(answer.status).toBe(200);
    answers.push(answer);
  }
  return answers;
}

// Every endpoint is asked, one after the other: long on a slow machine.
test(
  'every answer has every member that is described as required, and none that is not described',
  { timeout: 300_000 },
  async () => {
    for (const { path, method, operation } of operations()) {
      const schema = operation.responses['200']?.content['application/json']?.schema;
      // A stream of events has no JSON schema; mock-serving.test.ts reads one.
      if (schema === undefined) continue;
      const validator = Compile(strict(withoutPairs(schema)));
      const [example] = Object.values(examplesOf(operation));
      for (const answer of await answersOf(path, method, example?.value)) {
        expect(validator.Errors(answer.json), `${method} ${path}`).toEqual([]);
      }
    }
  },
);

test('an ETag is described exactly where one is sent', async () => {
  for (const { path, method, operation } of operations()) {
    const described = operation.responses['200'];
    if (described?.content['application/json'] === undefined) continue;
    const [example] = Object.values(examplesOf(operation));
    const [answer] = await answersOf(path, method, example?.value);
    if (answer === undefined) continue;
    expect(answer.headers.has('etag'), `${method} ${path}`).toBe(Object.hasOwn(described.headers ?? {}, 'ETag'));
  }
});

test('what has a few values says of which type they are', () => {
  const untyped: unknown[] = [];
  JSON.stringify(document, (_name, value: unknown) => {
    if (typeof value === 'object' && value !== null && Array.isArray((value as { enum?: unknown }).enum)) {
      if (![(value as { type?: unknown }).type].flat().includes('string')) untyped.push(value);
    }
    return value;
  });
  // Conditions on a member that has its type elsewhere.
  expect(untyped.filter((each) => Object.keys(each as object).length > 1)).toEqual([]);
  expect(Object.keys(untyped[0] as object)).toEqual(['enum']);
});

test('pairs have the names of their rule types, in both dialects', () => {
  const schema = document.paths['/v1/rules']?.post?.requestBody?.content['application/json']?.schema as TSchema & {
    properties: { pairs: { items: { anyOf: { $ref: string }[] } } };
  };
  const names = schema.properties.pairs.items.anyOf.map(({ $ref }) => $ref.replace('#/components/schemas/', ''));
  expect(names).toEqual(
    RULE_TYPES.flatMap((ruleType) => [
      `${ruleType}Pair`,
      ...(['Headers', 'Request', 'Response'].includes(ruleType) ? [`${ruleType}PairOfPublishedClients`] : []),
    ]),
  );
  for (const name of names) expect(document.components.schemas[name]).toMatchObject({ type: 'object' });
});

test('the parts of a mock are named, and every member of them is described', () => {
  for (const name of ['MockRoute', 'MockResponse', 'MatchRule', 'MockSettings']) {
    const { properties } = document.components.schemas[name] as TSchema & { properties: Record<string, TSchema> };
    for (const [member, schema] of Object.entries(properties)) {
      const described = { description: '', ...schema };
      expect(described.description.length, `${name}.${member}`).toBeGreaterThan(5);
    }
  }
});

test('names tell how long they may be', () => {
  for (const path of ['/v1/rules', '/v1/groups', '/v1/mocks'])
    expect(paths[path]?.post?.requestBody?.content['application/json'].schema, path).toMatchObject({
      properties: { name: { maxLength: 1_000 } },
    });
});

test('the document says what the service is, by each of its tags too', () => {
  for (const word of ['rule', 'group', 'mock', 'traffic', 'history', 'x-api-key'])
    expect(document.info.description.toLowerCase()).toContain(word);
  const used = new Set(operations().flatMap(({ operation }) => (operation as unknown as { tags: string[] }).tags));
  expect(document.tags.map(({ name }) => name).toSorted()).toEqual([...used].toSorted());
  for (const { description } of document.tags) expect(description.length).toBeGreaterThan(20);
});

test('an example of a mock has rules, a sequence and a latency, and answers by them', async () => {
  const { value } = examplesOf(paths['/v1/mocks']?.post as Operation)['Conditions, a sequence and latency'] as {
    value: { name: string };
  };
  const { id } = (await server.request('POST', '/v1/mocks', { key, body: value })).json.data;
  const ask = async (method: string, path: string, body?: object): Promise<unknown[]> => {
    const answer = await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${id}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return [answer.status, await answer.json()];
  };
  expect(await ask('POST', '/login', { user: 'ada', password: 'secret' })).toEqual([200, { token: 'token-of-ada' }]);
  expect(await ask('POST', '/login', { user: 'ada', password: 'wrong' })).toEqual([
    401,
    { error: 'wrong user or password' },
  ]);
  const states = [];
  for (let asked = 0; asked < 3; asked++) states.push(await ask('GET', '/jobs/7'));
  expect(states).toEqual([
    [200, { id: '7', state: 'queued' }],
    [200, { id: '7', state: 'running' }],
    [200, { id: '7', state: 'done' }],
  ]);
});

test('every member of a record is described and answered: taking one from the description is noticed', async () => {
  // A rule that has every member: one with a warning.
  const body = rulePayload('Cancel', { pairs: [{ source: { ...SOURCE, operator: 'Matches', value: '(?=a)' } }] });
  const { data } = (await server.request('POST', '/v1/rules', { key, body })).json;
  const schema = paths['/v1/rules']?.post?.responses['200']?.content['application/json']?.schema as TSchema & {
    properties: { data: TSchema & { properties: object } };
  };
  expect(Object.keys(schema.properties.data.properties).toSorted()).toEqual(Object.keys(data).toSorted());
});

describe('pairs as described', () => {
  const pairs = () => {
    const schema = paths['/v1/rules']?.post?.requestBody?.content['application/json']?.schema as TSchema & {
      properties: { pairs: { items: TSchema } };
    };
    return Compile(schema.properties.pairs.items);
  };

  test.each(SAMPLES)('take $ruleType ($dialect)', ({ pair }) => {
    expect(pairs().Check(pair)).toBe(true);
  });

  test('refuse what the server refuses', () => {
    for (const wrong of [{}, { source: {} }, { source: { key: 'Url', operator: 'x', value: '' } }, []])
      expect(pairs().Check(wrong)).toBe(false);
  });
});

test('the body of POST as described refuses what the server refuses, and takes what it takes', async () => {
  const validator = Compile(paths['/v1/rules']?.post?.requestBody?.content['application/json'].schema as TSchema);
  const bodies = [
    ...RULE_TYPES.map((ruleType) => rulePayload(ruleType)),
    rulePayload('Cancel', { status: 'Inactive', description: null, groupId: null }),
    rulePayload('Cancel', { status: 'x' }),
    rulePayload('Cancel', { name: '' }),
    rulePayload('Cancel', { pairs: [] }),
    rulePayload('Cancel', { pairs: [{}] }),
    rulePayload('Cancel', { objectType: 'group' }),
    rulePayload('Cancel', { name: 'x'.repeat(1001) }),
    {},
  ];
  for (const body of bodies) {
    const answer = await server.request('POST', '/v1/rules', { key, body });
    expect(validator.Check(body), JSON.stringify(body).slice(0, 100)).toBe(answer.status === 200);
  }
});

test('query parameters that are described are the ones that the server reads', async () => {
  for (const [path, wrong] of [
    ['/v1/rules', ['offset', 'pageSize', 'status', 'ruleType']],
    ['/v1/groups', ['offset', 'pageSize', 'status']],
    ['/v1/mocks', ['offset', 'pageSize', 'state', 'unsaved', 'sort']],
    ['/v1/history', ['before', 'pageSize', 'since']],
  ] as const) {
    const named =
      paths[path]?.get?.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name) ?? [];
    for (const name of wrong) {
      expect(named).toContain(name);
      expect((await server.request('GET', `${path}?${name}=%00`, { key })).status).toBe(400);
    }
    for (const name of named) {
      // A parameter that the server does not read could not be given twice wrongly.
      expect((await server.request('GET', `${path}?${name}=1&${name}=1`, { key })).status, name).toBe(400);
    }
  }
});

test('every refusal that is seen is described, with its message', async () => {
  const seen: [string, string, Parameters<TestServer['request']>[2]][] = [
    ['/v1/rules', 'post', { key, body: {} }],
    ['/v1/rules', 'post', { key, body: rulePayload('Cancel', { pairs: [] }) }],
    ['/v1/rules', 'post', { key, body: rulePayload('Cancel', { groupId: 'Group_x' }) }],
    ['/v1/rules', 'post', { key: viewer, body: {} }],
    ['/v1/rules', 'post', { key, body: 'x', headers: { 'content-type': 'text/html' } }],
    ['/v1/rules', 'post', { key, body: 'x'.repeat(1_000_001) }],
    ['/v1/rules', 'get', { key: 'x' }],
    ['/v1/groups', 'post', { key, body: {} }],
    ['/v1/groups', 'post', { key, body: { name: 5 } }],
    ['/v1/groups/{id}', 'get', { key }],
    ['/v1/rules/{ruleId}', 'delete', { key }],
  ];
  for (const [path, method, options] of seen) {
    const answer = await server.request(method.toUpperCase(), path.replace(/\{\w+\}/g, 'x'), options);
    const described = paths[path]?.[method]?.responses[answer.status];
    expect(described?.description, `${method} ${path} ${answer.status}`).toContain(answer.json.message);
  }
  const messages = new Set(Object.values(REFUSALS).map(({ message }) => message));
  for (const { operation } of operations()) {
    for (const [status, { description }] of Object.entries(operation.responses)) {
      if (status === '200') continue;
      for (const [, message] of description.matchAll(/`([^`]+)`/g)) expect(messages).toContain(message);
    }
  }
});

test('the page of the docs loads from this server alone', async () => {
  const page = await fetch(`http://127.0.0.1:${server.port}/docs`);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const html = await page.text();
  const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map(([, file]) => file as string)
    .filter((file) => !file.startsWith('data:'));
  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const file of files) {
    const response = await fetch(new URL(file, `http://127.0.0.1:${server.port}/docs`));
    expect(response.status, file).toBe(200);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(50);
  }
  expect(html).not.toMatch(/https?:\/\//);
});

test('every body has examples, which work as they stand', async () => {
  for (const { path, method, operation } of operations()) {
    // Bodies of other products are not described.
    if (method !== 'post' || operation.requestBody === undefined || path.startsWith('/compat/')) continue;
    const examples = Object.values(examplesOf(operation));
    expect(examples.length, path).toBeGreaterThan(0);
    for (const { value } of examples) {
      // No code that is written down still works.
      // This server has no gateway.
      if (path.startsWith('/v1/gateway/'))
        expect((await server.request('POST', path, { key, body: value })).status).toBe(409);
      else if (path === '/v1/console/key')
        expect((await server.request('POST', path, { body: value })).status).toBe(401);
      else if (path.includes('{')) await mockAnswer(path, method, value);
      else if (path === '/v1/rules/batch') await batched(value as object);
      // This server has no gateway.
      else if (path === '/v1/gateway/sessions') continue;
      else expect((await server.request('POST', path, { key, body: value })).status).toBe(200);
    }
  }
});

function examplesOf({ requestBody }: Operation): Record<string, { value: unknown }> {
  const content = requestBody?.content['application/json'] as
    | { examples?: Record<string, { value: unknown }> }
    | undefined;
  return content?.examples ?? {};
}
