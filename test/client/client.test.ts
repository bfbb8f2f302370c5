/** The client against a real server: every operation, ETags, idempotency, refusals as errors, addresses of mocks. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  createClient,
  startSwitchyard,
  SwitchyardError,
  MissesError,
  VerificationError,
  type MockInput,
  type RouteInput,
  type Switchyard,
} from 'switchyard-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';

let switchyard: Switchyard;
beforeAll(async () => {
  switchyard = await startSwitchyard();
});
afterAll(() => switchyard?.stop());

const USERS: MockInput = {
  name: 'users',
  start: true,
  routes: [{ method: 'GET', path: '/users/:id', responses: [{ body: 'hello {{urlParam "id"}}', templated: true }] }],
};

const RULE = {
  name: 'to staging',
  ruleType: 'Redirect',
  pairs: [
    {
      source: { key: 'Url', operator: 'Contains', value: 'api.example.com' },
      destinationType: 'url',
      destination: 'https://staging.example.com',
    },
  ],
} as const;

async function failure(promise: Promise<unknown>): Promise<SwitchyardError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SwitchyardError);
  return error as SwitchyardError;
}

describe('mocks:', () => {
  test('states of scenarios are listed, read and set, whatever their names', async () => {
    const { mocks } = switchyard.client;
    const login = { name: 'log in/out?', states: ['out', 'in'] };
    const mock = await mocks.create({ ...USERS, settings: { scenarios: [login] } });
    expect(await mocks.scenarios.set(mock.id, login.name, 'in')).toEqual({ ...login, state: 'in', initial: 'out' });
    expect(await mocks.scenarios.get(mock.id, login.name)).toMatchObject({ state: 'in' });
    await mocks.resetRequests(mock.id);
    expect(await mocks.scenarios.list(mock.id)).toEqual([{ ...login, state: 'out', initial: 'out' }]);
  });

  test('requests are streamed as they arrive, until the loop is left or the signal is aborted', async () => {
    const { mocks } = switchyard.client;
    const mock = await mocks.create(USERS);
    const seen: string[] = [];
    const leaving = new AbortController();
    const following = (async () => {
      for await (const event of mocks.follow(mock.id, { signal: leaving.signal })) {
        seen.push(event.type === 'request' ? event.request.path : event.type);
      }
    })();
    // Only what comes after the stream has begun is told.
    const askUntilTold = async (path: string, told: string): Promise<void> => {
      while (!seen.includes(told)) await mocks.fetch(mock, path).then((response) => response.text());
    };
    await askUntilTold('/users/é', '/users/%C3%A9');
    await mocks.resetRequests(mock.id);
    await askUntilTold('/users/2', '/users/2');
    expect(seen).toContain('reset');
    leaving.abort();
    await following;

    expect((await failure(mocks.follow('mnone').next())).status).toBe(404);
  });

  test('streams are read where they cannot be iterated, as in some browsers', async () => {
    const iterate = Object.getOwnPropertyDescriptor(
      ReadableStream.prototype,
      Symbol.asyncIterator,
    ) as PropertyDescriptor;
    const { mocks } = switchyard.client;
    const mock = await mocks.create(USERS);
    await mocks.fetch(mock, '/users/1').then((response) => response.text());
    Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
    try {
      const stream = mocks.follow(mock.id, { after: '0' });
      for await (const event of stream) if (event.type === 'request') break;
      expect(await stream.next()).toEqual({ done: true, value: undefined });
    } finally {
      Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, iterate);
    }
  });

  test('a mock is created, requested, verified, changed, saved, restored and deleted', async () => {
    const { mocks } = switchyard.client;
    const mock = await mocks.create(USERS);
    expect(mock).toMatchObject({ state: 'running', version: 1, hasStagedChanges: false });
    expect(await (await mocks.fetch(mock, '/users/7?a=1')).text()).toBe('hello 7');

    expect(await mocks.verify(mock.id, { match: { path: '/users/:id' }, exactly: 1 })).toMatchObject({
      verified: true,
    });
    const missed = await mocks.verify(mock.id, { match: { path: '/orders' } });
    expect(missed).toMatchObject({ verified: false, count: 0, closest: [{ path: '/users/7' }] });
    expect(await mocks.counts(mock.id)).toMatchObject({ total: 1, unmatched: 0 });
    expect((await mocks.requests(mock.id, { matched: true })).records).toMatchObject([
      { path: '/users/7', query: 'a=1' },
    ]);
    await mocks.resetRequests(mock.id);
    expect(await mocks.requests(mock.id)).toMatchObject({ records: [], total: 0, truncated: false });

    const staged = await mocks.staged.get(mock.id);
    const route = await mocks.staged.addRoute(mock.id, { method: 'ANY', path: '/*', responses: [{ status: 418 }] });
    const diff = await mocks.staged.diff(mock.id);
    expect(diff).toMatchObject({
      routesAdded: [{ routeId: route.id, method: 'ANY', path: '/*' }],
    });
    expect((await mocks.save(mock.id, { ifMatch: diff })).version).toBe(2);
    expect((await mocks.fetch(mock, '/tea')).status).toBe(418);

    expect((await mocks.versions(mock.id)).map(({ version }) => version)).toEqual([2, 1]);
    expect((await mocks.version(mock.id, 1)).routes).toEqual(staged.routes);
    expect(await mocks.restore(mock.id, 1)).toMatchObject({ hasStagedChanges: true });
    expect(await mocks.discard(mock.id)).toMatchObject({ hasStagedChanges: false });

    expect(await mocks.stop(mock.id)).toMatchObject({ state: 'stopped' });
    expect((await mocks.fetch(mock, '/tea')).status).toBe(503);
    expect(await mocks.start(mock.id)).toMatchObject({ state: 'running' });
    expect(await mocks.update(mock.id, { name: 'people' })).toMatchObject({ name: 'people' });
    expect((await mocks.list({ pageSize: 75 })).records.map(({ id }) => id)).toContain(mock.id);
    await mocks.delete(mock.id);
    expect(await failure(mocks.get(mock.id))).toMatchObject({ status: 404, message: 'Mock not found' });
  });

  test('the working copy is edited as a whole, by route and by response', async () => {
    const { mocks } = switchyard.client;
    const { id } = await mocks.create({ ...USERS, id: 'chosen' });
    expect(id).toBe('chosen');
    // What was returned can be sent back.
    const copy = await mocks.staged.put(id, await mocks.staged.get(id));
    const added = await mocks.staged.addRoute(id, { method: 'PUT', path: '/a', responses: [{ label: 'one' }] });
    const response = await mocks.staged.addResponse(id, added.id, { label: 'two', status: 201 });
    expect(await mocks.staged.getResponse(id, added.id, response.id)).toEqual(response);
    expect(await mocks.staged.putResponse(id, added.id, response.id, { status: 202 })).toMatchObject({ status: 202 });
    await mocks.staged.deleteResponse(id, added.id, response.id);
    expect((await mocks.staged.getRoute(id, added.id)).responses).toHaveLength(1);
    expect(await mocks.staged.putRoute(id, added.id, { ...added, path: '/b' })).toMatchObject({ path: '/b' });
    const order = [added.id, ...copy.routes.map((route) => route.id)];
    expect((await mocks.staged.orderRoutes(id, order)).routes.map((route) => route.id)).toEqual(order);
    expect(await mocks.staged.deleteRoute(id, added.id)).toMatchObject({ id });
  });

  test('`try` shows how a mock would answer and why', async () => {
    const { mocks } = switchyard.client;
    const { id } = await mocks.create(USERS);
    const told = await mocks.try(id, {
      method: 'GET',
      path: '/users/9?a=1',
      headers: { accept: '*/*' },
      against: 'staged',
    });
    expect(told).toMatchObject({
      response: { status: 200, body: 'hello 9' },
      route: { method: 'GET', path: '/users/:id', params: { id: '9' }, reason: expect.any(String) },
      chosen: { label: '', reason: expect.any(String) },
    });
    const missed = await mocks.try(id, { method: 'GET', path: '/orders', headers: [{ name: 'accept', value: '*/*' }] });
    expect(missed).toMatchObject({ response: null, route: null, chosen: null, explanation: expect.any(Object) });
  });

  test("another editor's change leads to 412", async () => {
    const { mocks } = switchyard.client;
    const { id } = await mocks.create(USERS);
    const staged = await mocks.staged.get(id);
    await mocks.staged.addRoute(id, { method: 'GET', path: '/b', responses: [{}] }, { ifMatch: staged });
    expect(await failure(mocks.save(id, { ifMatch: staged }))).toMatchObject({ status: 412 });
    await mocks.save(id, { ifMatch: await mocks.staged.get(id) });
    await expect(mocks.save(id, { ifMatch: {} })).rejects.toThrow(TypeError);
  });

  test('their URL works where host names under localhost do not resolve, and is unchanged elsewhere', () => {
    const { mocks } = createClient({ apiUrl: 'http://127.0.0.1:8080/v1/', key: 'sy_x' });
    const local = { id: 'abc', url: 'http://abc.localhost:8081' };
    expect(mocks.urlFor(local, '/a?b=1')).toBe('http://127.0.0.1:8081/__mock/abc/a?b=1');
    expect(mocks.urlFor(local)).toBe('http://127.0.0.1:8081/__mock/abc');
    expect(mocks.urlFor({ id: 'abc', url: 'https://abc.mocks.example.com' }, '/a')).toBe(
      'https://abc.mocks.example.com/a',
    );
  });
});

test('rules and groups are created, listed, updated under their ETag, and deleted', async () => {
  const { rules, groups } = switchyard.client;
  const group = await groups.create({ name: 'Checkout' });
  expect(group.currentOwnerId).toBe('local');
  const rule = await rules.create({ ...RULE, groupId: group.id }, { idempotencyKey: 'once' });
  expect((await rules.create({ ...RULE, groupId: group.id }, { idempotencyKey: 'once' })).id).toBe(rule.id);
  expect(await rules.list({ groupId: group.id, status: 'Active' })).toMatchObject({ total: 1, nextOffset: null });

  const updated = await rules.update(rule.id, { ...RULE, status: 'Inactive' }, { ifMatch: rule });
  expect(updated).toMatchObject({ status: 'Inactive', groupId: '', pairs: RULE.pairs });
  expect(await failure(rules.update(rule.id, RULE, { ifMatch: rule }))).toMatchObject({ status: 412 });
  expect(await rules.get(rule.id)).toEqual(updated);
  const patched = await rules.patch(rule.id, { name: 'renamed', description: null }, { ifMatch: updated });
  expect(patched).toMatchObject({ name: 'renamed', description: '', status: 'Inactive', pairs: RULE.pairs });
  await rules.delete(rule.id, { ifMatch: patched });

  const [listed] = (await groups.list()).records;
  expect(await groups.update(group.id, { name: 'Till' }, { ifMatch: listed as object })).toMatchObject({
    name: 'Till',
  });
  expect(await failure(groups.update(group.id, { name: 'Shop' }, { ifMatch: listed as object }))).toMatchObject({
    status: 412,
  });
  const page = await groups.list({ q: 'till' });
  expect(await groups.list({ q: 'till' }, { known: page })).toBe(page);
  expect(await groups.list({ q: 'shop' }, { known: page })).toMatchObject({ records: [] });

  expect(await groups.update(group.id, { name: 'Cart' }, { ifMatch: '*' })).toMatchObject({ name: 'Cart' });
  expect((await groups.list({ q: 'cart' })).records).toMatchObject([{ id: group.id }]);
  expect(await groups.get(group.id)).toMatchObject({ name: 'Cart' });
  await groups.delete(group.id);
  expect(await failure(groups.get(group.id))).toMatchObject({ status: 404, message: 'Group not found' });
});

describe('assertVerified', () => {
  test('resolves with the verification, or rejects with the closest requests', async () => {
    const { mocks } = switchyard.client;
    const mock = await mocks.create(USERS);
    await mocks.fetch(mock, '/users/7?a=1');
    expect(await mocks.assertVerified(mock.id, { match: { path: '/users/:id' } })).toMatchObject({ count: 1 });
    const error = await mocks
      .assertVerified(mock.id, { match: { path: '/users/8' }, exactly: 2 })
      .catch((reason) => reason);
    expect(error).toBeInstanceOf(VerificationError);
    expect(error.message).toBe(
      'expected exactly 2 of {"path":"/users/8"}, but 0 arrived\nclosest:\n  GET /users/7?a=1 -> 200 (differs in path)\n' +
        '    path: expected "/users/8", got "/users/7"',
    );
  });

  const failureOf = (asked: Promise<unknown>): Promise<Error> =>
    asked.then(
      () => expect.fail('it is met'),
      (error: Error) => error,
    );

  test('prints what came instead, for each condition too', async () => {
    const { mocks } = switchyard.client;
    const mock = await mocks.create({
      name: 'o',
      start: true,
      routes: [{ method: 'POST', path: '/orders', responses: [{}] }],
    });
    await mocks.fetch(mock, '/orders', { method: 'POST', body: '{"amount":5}', headers: { 'x-run': '7' } });
    const amount = { target: 'body', property: 'amount', operator: 'gt', value: '5' } as const;
    const match = { header: { 'X-Run': '8', 'x-no': '1' }, bodyContains: '"amount":6', rules: [amount] };
    const error = await failureOf(mocks.assertVerified(mock.id, { match }));
    expect(error.message.split('\n').slice(1)).toEqual([
      'closest:',
      '  POST /orders -> 200 (differs in header, bodyContains, rules)',
      '    header/X-Run: expected "8", got "7"',
      '    header/x-no: expected "1", got nothing',
      '    bodyContains: expected "\\"amount\\":6", got "{\\"amount\\":5}"',
      '    rules/0: expected body amount gt 5, got "5"',
    ]);
    expect(await mocks.never(mock.id, { rules: [amount] })).toMatchObject({ verified: true });
    expect((await mocks.requests(mock.id, { rules: [{ ...amount, operator: 'equals' }] })).total).toBe(1);
    expect((await mocks.requests(mock.id, { rules: JSON.stringify([amount]), fields: 'summary' })).total).toBe(0);
    const unexpected = await failureOf(mocks.never(mock.id, { path: '/orders' }));
    expect(unexpected.message).toContain('expected exactly 0 of {"path":"/orders"}, but 1 arrived');
    await mocks.fetch(mock, '/orders', { method: 'POST', body: `{"amount":9,"x":"${'x'.repeat(40_000)}"}` });
    expect((await failureOf(mocks.never(mock.id, { rules: [amount] }))).message).toContain(
      '1 more could not be compared',
    );
  });

  test('of an order it prints the step that is missing, and after what', async () => {
    const { mocks } = switchyard.client;
    const mock = await mocks.create({
      name: 'o',
      start: true,
      routes: [{ method: 'ANY', path: '/:step', responses: [{}] }],
    });
    for (const step of ['a', 'b', 'c']) await mocks.fetch(mock, `/${step}`);
    expect(await mocks.assertVerified(mock.id, { inOrder: [{ path: '/a' }, { path: '/c' }] })).toMatchObject({
      count: 2,
    });
    const inOrder = [{ path: '/b' }, { path: '/a' }];
    const error = await failureOf(mocks.assertVerified(mock.id, { inOrder }));
    expect(error).toBeInstanceOf(VerificationError);
    expect(error.message).toBe(
      'expected 2 requests in order; step 2 {"path":"/a"} was not found after GET /b -> 200, which is step 1\n' +
        'closest:\n  GET /c -> 200 (differs in path)\n    path: expected "/a", got "/c"',
    );
  });

  test('of misses it prints each with its reason', async () => {
    const { mocks } = switchyard.client;
    const ruled = { rules: [{ target: 'query', property: 'q', operator: 'equals', value: '1' }] } as const;
    const mock = await mocks.create({
      name: 'm',
      start: true,
      routes: [
        { method: 'POST', path: '/users', responses: [{}] },
        { method: 'GET', path: '/search', otherwise: 'next', responses: [ruled] },
      ],
    });
    await mocks.fetch(mock, '/search?q=1');
    expect(await mocks.assertNoMisses(mock.id)).toBeUndefined();
    const session = await mocks.session(mock.id);
    await session.fetch('/users');
    expect(await failureOf(session.assertNoMisses())).toMatchObject({
      message:
        'expected no request to go unmatched, but 1 did\n' +
        '  GET /users -> 404: no route matches; nearest is POST /users: its method is POST, the request has GET\n' +
        `session ${session.id}; to replay: client.mocks.session(mockId, { seed: ${session.record.seed} })`,
    });
    await mocks.fetch(mock, '/search?q=2');
    const error = await failureOf(mocks.assertNoMisses(mock.id));
    expect(error).toBeInstanceOf(MissesError);
    expect(error.message.split('\n')).toEqual([
      'expected no request to go unmatched, but 2 did',
      '  GET /search?q=2 -> 404: GET /search matches, but requires query q equals 1; got "2"',
      expect.stringContaining('  GET /users -> 404: no route matches'),
    ]);
    await session.end();
    await mocks.resetRequests(mock.id);
    for (let miss = 0; miss < 12; miss++) await mocks.fetch(mock, `/none/${miss}`);
    expect((await failureOf(mocks.assertNoMisses(mock.id))).message).toMatch(/but 12 did\n[^]*\n  and 2 more$/);
  });
});

test('created and edited definitions have warnings', async () => {
  const { mocks } = switchyard.client;
  const mock = await mocks.create({ name: 'w', routes: [{ method: 'GET', path: '/users/{id}', responses: [{}] }] });
  expect(mocks.warningsOf(mock)).toMatchObject([{ warning: expect.stringContaining('write :id') }]);
  const [route] = (await mocks.staged.get(mock.id)).routes;
  const edited = await mocks.staged.putRoute(mock.id, route?.id ?? '', { ...route, path: '/users/:id' } as RouteInput);
  expect(mocks.warningsOf(edited)).toEqual([]);
  expect(mocks.warningsOf(await mocks.save(mock.id, { ifMatch: edited }))).toEqual([]);
  const read = await mocks.get(mock.id);
  expect(() => mocks.warningsOf(read)).toThrow(/only these contain warnings/);
});

test('an invalid target or id throws before anything is sent', async () => {
  expect(() => createClient({ apiUrl: 'localhost:8080', key: 'sy_x' })).toThrow(/apiUrl must be a URL/);
  expect(() => createClient({ apiUrl: 'http://localhost:8080/v1', key: '' })).toThrow(/key must be/);
  await expect(switchyard.client.mocks.get(undefined as unknown as string)).rejects.toThrow(
    /an id must be a non-empty string/,
  );
});

test('the output does not contain the key', () => {
  expect(switchyard.output()).toContain('is ready: API ');
  expect(switchyard.output()).not.toContain(switchyard.key);
});

describe('failures are a SwitchyardError:', () => {
  test('a refusal has status, message, details and the id of the request', async () => {
    const error = await failure(switchyard.client.mocks.create({ name: '' }));
    expect(error).toMatchObject({ status: 400, refusal: 'Mock Payload is invalid', details: [{ path: '/name' }] });
    expect(error.message).toBe('Mock Payload is invalid: /name is required and must be a non-empty string');
    expect(error.requestId).toMatch(/./);
    const stranger = createClient({ apiUrl: switchyard.apiUrl, key: 'sy_wrong' });
    expect(await failure(stranger.rules.list())).toMatchObject({
      status: 401,
      details: [{ path: 'x-api-key', message: 'is not a key of this server' }],
    });
  });

  test('an id never leaves its segment of the path', async () => {
    expect(await failure(switchyard.client.mocks.get('../rules?x=1'))).toMatchObject({ status: 404 });
  });

  test('the address of another kind of server is named', async () => {
    const other = createServer((_request, response) => response.end('<html>')).listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;
    const { mocks } = createClient({ apiUrl: `http://127.0.0.1:${port}/v1`, key: 'sy_x' });
    expect(await failure(mocks.list())).toMatchObject({
      status: 200,
      message: expect.stringContaining('is not JSON from a Switchyard API'),
    });
    other.closeAllConnections();
    other.close();
  });

  test('a server that does not run is named with its address and the reason', async () => {
    const apiUrl = `http://127.0.0.1:${await freePort()}/v1`;
    const error = await failure(createClient({ apiUrl, key: 'sy_x' }).mocks.list());
    expect(error).toMatchObject({ status: 0, requestId: undefined, cause: expect.any(TypeError) });
    expect(error.message).toBe(`no response to GET ${apiUrl}/mocks: connect ECONNREFUSED ${new URL(apiUrl).host}`);
  });
});

describe('files', () => {
  const FILE = { switchyard: 1, kind: 'mock', name: 'Files', routes: [{ method: 'GET', path: '/a', responses: [{}] }] };

  test('come with the server: recipes', async () => {
    const { mocks } = switchyard.client;
    const made = await mocks.importRecipe('openai-chat', { start: true, id: 'chat', name: 'Named' });
    expect(made.mocks).toMatchObject([{ id: 'chat', name: 'Named', state: 'running' }]);
    expect(mocks.warningsOf(made)).toEqual([]);
    await mocks.delete('chat');
    const again = { idempotencyKey: 'recipe' };
    const first = await mocks.importRecipe('anthropic-messages', again);
    expect(first.mocks).toMatchObject([{ name: 'Anthropic messages', state: 'stopped' }]);
    expect(await mocks.importRecipe('anthropic-messages', again)).toEqual(first);
  });

  test('are imported as text, bytes, an object or a bundle, and previewed', async () => {
    const { mocks } = switchyard.client;
    const text = JSON.stringify(FILE);
    const bundle = { files: [{ path: 'a.json', text }], entry: 'a.json' };
    for (const file of [text, new TextEncoder().encode(text), FILE, bundle]) {
      const made = await mocks.import(file, { start: true, name: 'Named' });
      expect(made.mocks).toMatchObject([{ name: 'Named', state: 'running' }]);
      expect(made.report).toMatchObject({ format: 'switchyard', items: { routes: { exact: 1 } } });
      expect(mocks.warningsOf(made)).toEqual([]);
    }
    const { total } = await mocks.list();
    expect((await mocks.previewImport(FILE)).definitions).toMatchObject([{ name: 'Files', routes: [{ path: '/a' }] }]);
    expect((await mocks.list()).total).toBe(total);
    const again = { idempotencyKey: 'files' };
    expect(await mocks.import(text, again)).toEqual(await mocks.import(text, again));
  });

  test('are exported, and imported into a working copy', async () => {
    const { mocks } = switchyard.client;
    const { id } = (await mocks.import(FILE)).mocks[0] as { id: string };
    const { file, report } = await mocks.export(id, { format: 'openapi' });
    expect(JSON.parse(file)).toMatchObject({ openapi: '3.1.0', paths: { '/a': {} } });
    expect(report.format).toBe('openapi');
    const staged = await mocks.export(id, { from: 'staged' });
    const changed = staged.file.replace('"/a"', '"/b"');
    const { diff } = await mocks.staged.import(id, changed, { ifMatch: staged });
    expect(diff.routesChanged).toMatchObject([{ path: '/b' }]);
    await expect(mocks.staged.import(id, changed, { ifMatch: staged })).rejects.toMatchObject({ status: 412 });
    expect(JSON.parse(await mocks.requestsAsHar(id))).toMatchObject({ log: { entries: [] } });
    await expect(mocks.requestsAsHar('mnone')).rejects.toMatchObject({ status: 404 });
    await expect(mocks.import('{"a":')).rejects.toMatchObject({ status: 400, refusal: 'Import is invalid' });
  });
});
