/**
 * A session of an agent, as a script: from an OpenAPI document to a passing test, three misses diagnosed from the tools'
 * answers alone, and the mock left as it should be. It calls every tool.
 */
import { expect } from 'vitest';
import { fetch } from 'undici';
import type { McpClient } from './mcp.ts';

const OPENAPI = JSON.stringify({
  openapi: '3.1.0',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/users/{id}': {
      get: {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: { description: 'A user', content: { 'application/json': { example: { id: '7', name: 'Ann' } } } },
        },
      },
    },
    '/orders': {
      get: { responses: { 200: { description: 'Orders', content: { 'application/json': { example: [] } } } } },
    },
  },
});

const ADMIN = { target: 'header', property: 'x-role', operator: 'equals', value: 'admin' };

export interface AgentSession {
  readonly client: McpClient;
  readonly mockPort: number;
  /** Of the mock, free on the server. */
  readonly id: string;
}

/** @returns The names of the tools that were called. */
export async function runAgentSession({ client, mockPort, id }: AgentSession): Promise<ReadonlySet<string>> {
  const called = new Set<string>();
  const ok = (name: string, input: object = {}) => {
    called.add(name);
    return client.ok(name, input);
  };
  const confirm = (name: string, input: object) => {
    called.add(name);
    return client.confirm(name, input);
  };
  const get = (path: string, init: object = {}) => fetch(`http://127.0.0.1:${mockPort}/__mock/${id}${path}`, init);

  // From the document to a mock that runs.
  const { preview } = await ok('mocks_create', { content: OPENAPI, preview: true });
  expect(preview[0].routes).toEqual(['GET /users/:id: 200', 'GET /orders: 200']);
  const { mocks, notExact } = await ok('mocks_create', { content: OPENAPI, id });
  expect(mocks).toMatchObject([{ id, state: 'stopped', routeCount: 2 }]);
  expect(notExact).toBeUndefined();
  const whole = await ok('mocks_read', { mock: id, route: 'GET /users/:id' });
  const admin = { label: 'admin', status: 200, body: { admin: true }, rules: [ADMIN] };
  const changed = { ...whole, responses: [admin, ...whole.responses] };
  const secretRoute = {
    method: 'GET',
    path: '/secret',
    otherwise: 'next',
    responses: [{ body: 'secret', rules: [ADMIN] }],
  };
  expect(await ok('mocks_edit', { mock: id, routes: [changed, secretRoute] })).toMatchObject({
    routes: ['replaced GET /users/:id', 'added GET /secret'],
  });
  const tried = await ok('mocks_try', { mock: id, method: 'GET', path: '/users/7', headers: { 'x-role': 'admin' } });
  expect(tried).toMatchObject({ response: { body: '{"admin":true}' }, chosen: { label: 'admin' } });
  expect(await ok('mocks_read', { mock: id, what: 'diff' })).toMatchObject({ routesAdded: ['GET /secret'] });
  expect((await get('/users/7')).status).toBe(503);
  expect(await confirm('mocks_apply', { mock: id, action: 'serve' })).toMatchObject({
    done: true,
    mock: { version: 2, state: 'running' },
  });
  expect(await ok('mocks_list', { q: 'Shop' })).toMatchObject({ mocks: [{ id, state: 'running' }] });

  // The test, in a session of its own: it passes.
  const { id: session, address } = await ok('sessions_create', { mock: id, label: 'agent' });
  const headers = { [address.header.name]: address.header.value };
  expect(await (await get('/users/7', { headers: { ...headers, 'x-role': 'admin' } })).text()).toBe('{"admin":true}');
  const expectation = { match: { method: 'GET', path: '/users/7' }, exactly: 1 };
  expect(await ok('traffic_verify', { mock: id, session, ...expectation })).toMatchObject({ verified: true });

  // Three misses, and why.
  await get('/users/7', { method: 'DELETE', headers });
  await get('/user/7', { headers });
  await get('/secret', { headers: { ...headers, 'x-role': 'guest', authorization: 'Bearer very-secret' } });
  const missed = await client.ok('traffic_list', { mock: id, session, misses: true, full: true });
  called.add('traffic_list');
  expect(missed.requests.map(({ request, why }: Record<string, string>) => [request, why])).toEqual([
    ['GET /secret', expect.stringMatching(/requires header x-role equals admin; got "guest"/)],
    ['GET /user/7', expect.stringMatching(/nearest is GET \/users\/:id: .*users/)],
    ['DELETE /users/7', expect.stringMatching(/nearest is GET \/users\/:id: .*method/i)],
  ]);
  expect(JSON.stringify(missed)).not.toContain('very-secret');

  // A route of the second, tried and then dropped: the request was wrong, not the mock.
  const [, { id: request }] = missed.requests;
  const { wouldAnswer } = await ok('mocks_try', { mock: id, session, request });
  expect(wouldAnswer).toMatchObject({ method: 'GET', path: '/user/:id' });
  await ok('mocks_edit', { mock: id, routes: [{ ...wouldAnswer, responses: [{ body: { made: true } }] }] });
  expect(await ok('mocks_try', { mock: id, request })).toMatchObject({
    response: { status: 200, body: '{"made":true}' },
  });
  expect(await ok('mocks_edit', { mock: id, remove: ['GET /user/:id'], settings: { seed: 7 } })).toMatchObject({
    removed: [{ path: '/user/:id' }],
  });
  expect(await confirm('mocks_apply', { mock: id, action: 'discard' })).toMatchObject({ done: true });

  // Two answers, changed in one call, and as they were before.
  const patches = [
    { route: 'GET /orders', set: { body: [{ id: 1 }], headers: { 'x-total': '1' } } },
    { route: 'GET /users/:id', response: whole.responses[0].id, set: { status: 404, body: { error: 'none' } } },
  ];
  expect(await ok('responses_patch', { mock: id, patches })).toMatchObject({
    changed: ['GET /orders: 200', 'GET /users/:id: 200'],
  });
  for (const [path, response] of [
    ['/orders', { status: 200, body: '[{"id":1}]', headers: expect.arrayContaining(['x-total: 1']) }],
    ['/users/7', { status: 404, body: '{"error":"none"}' }],
  ] as const)
    expect(await ok('mocks_try', { mock: id, path })).toMatchObject({ response });
  const noStatus = { mock: id, patches: [{ route: 'GET /orders', status: 418, set: { latency: 1 } }] };
  expect(await client.call('responses_patch', noStatus)).toMatchObject({ isError: true, data: { status: 404 } });
  await confirm('mocks_apply', { mock: id, action: 'discard' });

  // A fault, for this test alone.
  const patch = (set: object) =>
    ok('responses_patch', { mock: id, session, patches: [{ route: 'GET /users/:id', set }] });
  await patch({ fault: { kind: 'status', status: 502 } });
  expect((await get('/users/7', { headers })).status).toBe(502);
  expect((await get('/users/7')).status).toBe(200);
  await patch({ fault: null });
  await patch({ body: { name: 'Bob' } });
  expect(await (await get('/users/7', { headers })).json()).toEqual({ name: 'Bob' });
  expect(await ok('mocks_read', { mock: id, what: 'sessions' })).toMatchObject({
    sessions: [{ id: session, total: 6, unmatched: 3 }],
  });
  expect(await ok('sessions_end', { mock: id, session })).toMatchObject({ counts: { total: 6, unmatched: 3 } });

  // Another mock: made, deleted and brought back.
  const other = (await ok('mocks_create', { name: 'other', id: `${id}b` })).mocks[0].id as string;
  const { file } = await ok('mocks_read', { mock: other, what: 'file' });
  const deleted = await confirm('mocks_apply', { mock: other, action: 'delete' });
  expect(deleted).toMatchObject({ done: true, deleted: { id: other }, file });
  await ok('mocks_create', { content: deleted.file, id: other });
  await confirm('mocks_apply', { mock: other, action: 'delete' });

  // Rules.
  const redirect = {
    name: 'To staging',
    ruleType: 'Redirect',
    pairs: [
      {
        source: { key: 'Url', operator: 'Contains', value: 'example' },
        destinationType: 'url',
        destination: 'http://localhost',
      },
    ],
  };
  const { record: group } = await confirm('rules_put', { kind: 'group', value: { name: 'agents' } });
  const { record: rule } = await confirm('rules_put', { kind: 'rule', value: { ...redirect, groupId: group.id } });
  const asked = { request: { url: 'http://example.com/' } };
  expect(await ok('rules_evaluate', asked)).toMatchObject({ outcome: 'redirect' });
  await confirm('rules_put', { kind: 'rule', id: rule.id, value: { status: 'Inactive' } });
  expect(await ok('rules_list')).toMatchObject({ records: [{ id: rule.id, status: 'Inactive' }] });
  expect(await confirm('rules_put', { kind: 'rule', id: rule.id, delete: true })).toMatchObject({
    value: { name: 'To staging' },
  });
  await confirm('rules_put', { kind: 'group', id: group.id, delete: true });

  // Live traffic, of a server that has no gateway.
  called.add('gateway_requests');
  const live = await client.call('gateway_requests', {});
  expect([live.isError, live.text]).toEqual([true, expect.stringContaining('--gateway-port')]);

  const { sections } = await ok('docs_search', { q: 'faults' });
  expect(await ok('docs_search', { section: sections[0].section })).toMatchObject({
    text: expect.stringContaining('fault'),
  });

  // As it should be.
  const asItShould = await ok('mocks_read', { mock: id });
  expect(asItShould).toMatchObject({ state: 'running', version: 2, routeCount: 3 });
  expect(asItShould).not.toHaveProperty('settings.seed');
  expect(await ok('mocks_read', { mock: id, what: 'diff' })).toEqual({ nothing: expect.any(String) });
  await confirm('mocks_apply', { mock: id, action: 'delete' });
  return called;
}
