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
  const { preview } = await ok('mocks_import', { content: OPENAPI, preview: true });
  expect(preview[0].routes).toEqual(['GET /users/:id', 'GET /orders']);
  const { mocks } = await ok('mocks_import', { content: OPENAPI, id });
  expect(mocks).toMatchObject([{ id, state: 'stopped', routeCount: 2 }]);
  const { routes } = await ok('routes_list', { mock: id });
  const user = routes.find(({ path }: { path: string }) => path === '/users/:id').id as string;
  const { id: _id, ...whole } = await ok('routes_read', { mock: id, route: user });
  const admin = { label: 'admin', status: 200, body: '{"admin":true}', rules: [ADMIN] };
  const put = await ok('routes_put', {
    mock: id,
    replaces: user,
    route: { ...whole, responses: [admin, ...whole.responses] },
  });
  expect(put.staged.routesChanged).toHaveLength(1);
  const secretRoute = {
    method: 'GET',
    path: '/secret',
    otherwise: 'next',
    responses: [{ body: 'secret', rules: [ADMIN] }],
  };
  await ok('routes_put', { mock: id, route: secretRoute });
  const tried = await ok('mocks_try', { mock: id, method: 'GET', path: '/users/7', headers: { 'x-role': 'admin' } });
  expect(tried).toMatchObject({ against: 'staged', response: { body: '{"admin":true}' }, chosen: { label: 'admin' } });
  expect(await ok('mocks_diff', { mock: id })).toMatchObject({ routesAdded: [{ path: '/secret' }] });
  expect(await confirm('mocks_save', { mock: id })).toMatchObject({ done: true, mock: { version: 2 } });
  expect((await get('/users/7')).status).toBe(503);
  expect(await confirm('mocks_run', { mock: id, state: 'running' })).toMatchObject({ mock: { state: 'running' } });
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
  const made = await ok('routes_from_request', { mock: id, session, request, body: '{"made":true}' });
  expect(made.route).toMatchObject({ method: 'GET', path: '/user/:id' });
  expect(await ok('mocks_try', { mock: id, request })).toMatchObject({
    response: { status: 200, body: '{"made":true}' },
  });
  expect(await ok('routes_delete', { mock: id, route: made.routeId })).toMatchObject({
    deleted: { path: '/user/:id' },
  });
  await ok('mocks_configure', { mock: id, settings: { seed: 7 } });
  expect(await confirm('mocks_discard', { mock: id })).toMatchObject({ done: true });

  // A fault, for this test alone.
  await ok('faults_set', { mock: id, route: user, session, fault: { kind: 'status', status: 502 } });
  expect((await get('/users/7', { headers })).status).toBe(502);
  expect((await get('/users/7')).status).toBe(200);
  expect(await ok('sessions_list', { mock: id })).toMatchObject({
    sessions: [{ id: session, total: 5, unmatched: 3 }],
  });
  expect(await ok('sessions_end', { mock: id, session })).toMatchObject({ counts: { total: 5, unmatched: 3 } });

  // Another mock: made, deleted and brought back.
  const { mock: other } = await ok('mocks_create', { name: 'other', id: `${id}b` });
  const { file } = await ok('mocks_export', { mock: other.id });
  const deleted = await confirm('mocks_delete', { mock: other.id });
  expect(deleted).toMatchObject({ done: true, deleted: { id: other.id }, file });
  await ok('mocks_import', { content: deleted.file, id: other.id });
  await confirm('mocks_delete', { mock: other.id });

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
  expect(await ok('rules_list')).toMatchObject({ records: [{ id: rule.id, status: 'Inactive' }], total: 1 });
  expect(await confirm('rules_delete', { kind: 'rule', id: rule.id })).toMatchObject({ value: { name: 'To staging' } });
  await confirm('rules_delete', { kind: 'group', id: group.id });

  // Live traffic, of a server that has no gateway.
  called.add('gateway_requests');
  const live = await client.call('gateway_requests', {});
  expect([live.isError, live.text]).toEqual([true, expect.stringContaining('--gateway-port')]);

  const { sections } = await ok('docs_search', { q: 'faults' });
  expect(await ok('docs_search', { section: sections[0].section })).toMatchObject({
    text: expect.stringContaining('fault'),
  });

  // As it should be.
  expect(await ok('mocks_read', { mock: id })).toMatchObject({
    state: 'running',
    version: 2,
    routeCount: 3,
    settings: { seed: null },
  });
  expect(await ok('mocks_diff', { mock: id })).toEqual({ nothing: expect.any(String) });
  await confirm('mocks_delete', { mock: id });
  return called;
}
