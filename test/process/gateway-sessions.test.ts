/** Sessions of the gateway of a real server: each has its own rules, mocks and exchanges, and nobody else sees them. */
import { createServer, request as ask, type IncomingHttpHeaders } from 'node:http';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createClient, type SwitchyardError } from '../../src/client/index.ts';
import {
  fullGatewaySessionSchema,
  gatewaySessionEndSchema,
  gatewaySessionSchema,
  listedGatewaySessionSchema,
} from '../../src/model/gateway/session-schema.ts';
import { DEFAULT_LIMITS, SESSION_RULES_MAX, SESSIONS_PER_MOCK_MAX } from '../../src/limits.ts';
import { compileCheck } from '../../src/model/validate.ts';
import { RawConnection } from '../support/raw-http.ts';
import { useOwnServer } from '../support/shared-server.ts';

const seen: { url: string; headers: IncomingHttpHeaders }[] = [];
const upstream = createServer((req, res) => {
  seen.push({ url: req.url ?? '', headers: req.headers });
  res.end(`real ${req.url}`);
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => (upstream.closeAllConnections(), upstream.close()));
const real = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

const { server, key } = await useOwnServer(['--workers', '1', '--log-level', 'silent', '--gateway-port', '0']);
const port = Number(/, gateway http:\/\/127\.0\.0\.1:(\d+), mocks/.exec(server.stdout)?.[1]);
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });

beforeEach(() => void (seen.length = 0));

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly error: unknown;
  readonly location: string | undefined;
}

function through(url: string, { as = key, user = 'key', headers = {} } = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const credentials = { host: new URL(url).host, 'proxy-authorization': `Basic ${btoa(`${user}:${as}`)}` };
    const sent = ask(
      { host: '127.0.0.1', port, path: url, headers: { ...credentials, ...headers }, agent: false },
      (reply) => {
        let body = '';
        reply.on('data', (chunk: Buffer) => (body += chunk.toString()));
        reply.on('end', () => {
          const { 'x-switchyard-error': error, location } = reply.headers;
          resolve({ status: reply.statusCode ?? 0, body, error, location });
        });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}

const block = (value: string, name = 'blocked') => ({
  name,
  ruleType: 'Cancel' as const,
  pairs: [{ source: { key: 'Url', operator: 'Contains', value } }],
});

async function mockOf(text: string): Promise<string> {
  const route = { method: 'GET', path: '/pay', responses: [{ body: text }] };
  const mock = await client.mocks.create({ name: text, routes: [route], start: true });
  return mock.id;
}

test('two sessions have their own rules and mocks at once, and what is asked outside of them sees neither', async () => {
  const stored = await client.rules.create(block('/stored'));
  const off = await client.rules.create({ ...block('/off'), status: 'Inactive' });
  const [first, second] = [await mockOf('first'), await mockOf('second')];
  const a = await client.gateway.session({
    label: 'a',
    overlay: {
      attach: { 'pay.example.com': first },
      disabledRules: [stored.id],
      rules: [{ ...block('/a'), id: 'own' }],
    },
  });
  const b = await client.gateway.session({
    overlay: { attach: { '*.example.com': second }, enabledRules: [off.id], others: 'refuse' },
  });
  const outcomes = async (user: string) => {
    const statuses: unknown[] = [];
    for (const url of ['http://pay.example.com/pay', `${real}/stored`, `${real}/off`, `${real}/a`]) {
      const { status, body, error } = await through(url, { user });
      statuses.push(status === 200 ? body : (error ?? status));
    }
    return statuses;
  };
  expect(await Promise.all([outcomes(a.id), outcomes(b.id)])).toEqual([
    ['first', 'real /stored', 'real /off', 418],
    ['second', 418, 418, 'notAttached'],
  ]);
  expect((await outcomes('key')).slice(1)).toEqual([418, 'real /off', 'real /a']);

  expect((await a.requests()).records.map(({ session }) => session)).toEqual([a.id, a.id, a.id, a.id]);
  expect((await client.gateway.requests({ session: b.id })).total).toBe(4);
  expect(await a.counts()).toMatchObject({ total: 4, rules: { own: 1 } });
  expect(await b.counts()).toMatchObject({ total: 4, rules: { [stored.id]: 1, [off.id]: 1 } });
  expect((await a.mock(first).requests()).records.map(({ path }) => path)).toEqual(['/pay']);
  expect((await client.mocks.requests(first)).total).toBe(1);

  // Rules that are stored later act in them, too.
  const later = await client.rules.create(block('/later'));
  expect((await through(`${real}/later`, { user: a.id })).status).toBe(418);

  const end = await a.end();
  expect(end).toMatchObject({ counts: { total: 5 }, notAttached: [], unusedRules: [] });
  expect(end.mocks[first]).toMatchObject({ counts: { total: 1 }, unmatched: [] });
  expect(await through(`${real}/x`, { user: a.id })).toMatchObject({ status: 404, error: 'session' });
  await expect(client.mocks.openSession(first, a.id)).rejects.toMatchObject({ status: 404 });
  const ended = await b.end();
  expect(ended).toMatchObject({ notAttached: [new URL(real).host], unusedRules: [] });
  for (const { id } of [stored, off, later]) await client.rules.delete(id);
});

test('the session of a request is that of its credentials, else of its header, its baggage, its cookie; an unknown one is 404', async () => {
  await using a = await client.gateway.session({ id: 'one', overlay: { rules: [block('/x', 'of one')] } });
  await using b = await client.gateway.session({ id: 'two' });
  const asked = async (headers: Record<string, string>, user = 'key') =>
    (await through(`${real}/x`, { user, headers })).error ??
    (await client.gateway.requests({ limit: 1 })).records[0]?.session;
  expect(await asked({ 'x-mock-session': 'two', baggage: b.baggage, cookie: b.cookie }, a.id)).toBe('one');
  expect(await asked({ 'x-mock-session': 'one', baggage: b.baggage, cookie: b.cookie })).toBe('one');
  expect(await asked({ baggage: `a=b, ${a.baggage}`, cookie: b.cookie })).toBe('one');
  expect(await asked({ cookie: `a=b; ${b.cookie}` })).toBe('two');
  expect(await asked({})).toBeUndefined();
  const before = (await client.gateway.counts()).problems['session'] ?? 0;
  expect(await asked({}, 'three')).toBe('session');
  expect(await asked({ 'x-mock-session': 'three' })).toBe('session');
  expect(await asked({ baggage: 'mock-session=three' })).toBe('session');
  expect(await asked({ cookie: 'mock-session=three' })).toBe('session');
  // Other software may use the name of the cookie.
  expect(await asked({ cookie: 'mock-session=No_Id' })).toBeUndefined();
  await a.end();
  expect(await asked({}, 'one')).toBe('session');
  const { records } = await client.gateway.requests({ limit: 1 });
  expect(records).toMatchObject([{ status: 404, outcome: 'failed', problem: 'session', session: 'one' }]);
  expect(((await client.gateway.counts()).problems['session'] ?? 0) - before).toBe(5);
  const other = await server.key('other');
  expect((await through(`${real}/x`, { as: other, user: b.id })).error).toBe('session');
});

test('a reset forgets what is outside of live sessions: these keep their exchanges, bodies and counts', async () => {
  await client.gateway.settings.put({ record: true });
  const ended = await client.gateway.session();
  await using lives = await client.gateway.session();
  for (const user of [ended.id, lives.id, 'key', lives.id, 'key']) await through(`${real}/reset`, { user });
  await ended.end();
  await client.gateway.reset();
  const { records, total } = await client.gateway.requests();
  expect([total, records.map(({ session }) => session)]).toEqual([2, [lives.id, lives.id]]);
  expect([(await lives.counts()).total, (await client.gateway.counts()).total]).toEqual([2, 0]);
  expect(await lives.verify({ match: { method: 'GET' }, exactly: 2 })).toMatchObject({ verified: true });
  expect((await client.gateway.request(records[1]?.id ?? '')).responseBody?.body).toBe('real /reset');
  await through(`${real}/after`);
  const [newest] = (await client.gateway.requests({ limit: 1 })).records;
  const before = await client.gateway.requests({ before: newest?.number ?? 0, limit: 1 });
  expect([before.records[0]?.id, before.nextBefore]).toEqual([records[0]?.id, records[0]?.number]);
  await client.gateway.settings.put({ record: false });
});

test('a mock that is attached in a session gets one of the same id, with its first request or at once, and ends with it', async () => {
  const mock = await mockOf('lazy');
  await client.gateway.settings.put({ attach: [{ host: 'lazy.example.com', mockId: mock }] });
  await using session = await client.gateway.session({ seed: 7 });
  expect(session.record.mocks).toEqual({});
  expect(() => session.mock(mock)).toThrow(TypeError);
  const pay = 'http://lazy.example.com/pay';
  expect(await Promise.all([1, 2, 3].map(() => through(pay, { user: session.id })))).toMatchObject([
    { body: 'lazy' },
    { body: 'lazy' },
    { body: 'lazy' },
  ]);
  expect((await session.read()).mocks).toHaveProperty(mock);
  expect(session.mock(mock).record.seed).toBe(7);
  expect((await session.mock(mock).requests()).total).toBe(3);
  // Its own address is a way to the same session.
  expect((await session.mock(mock).fetch('/pay')).status).toBe(200);
  const { mocks } = await session.end();
  expect(mocks[mock]).toMatchObject({ counts: { total: 4 } });
  await client.gateway.settings.put({ attach: [] });
});

test('a reset takes what happened in a session and in those of its mocks, and nothing of others', async () => {
  const mock = await mockOf('reset');
  const overlay = { rules: [block('/k')], attach: { 'reset.test': mock }, mocks: { [mock]: {} } };
  await using session = await client.gateway.session({ overlay });
  await using other = await client.gateway.session({ overlay });
  await client.gateway.reset();
  const pay = 'http://reset.test/pay';
  for (const user of [session.id, other.id, 'key', session.id]) await through(`${real}/k`, { user });
  for (const user of [session.id, other.id]) await through(pay, { user });
  await session.reset();
  expect(await session.counts()).toMatchObject({ total: 0, rules: {} });
  expect((await session.requests()).total).toBe(0);
  expect((await session.mock(mock).requests()).total).toBe(0);
  expect((await other.requests()).total).toBe(2);
  expect((await other.mock(mock).requests()).total).toBe(1);
  // The owner's own exchange and its counts stay.
  const left = (await client.gateway.requests()).records.map(({ session: of }) => of ?? null);
  expect(left.filter((of) => of === other.id)).toHaveLength(2);
  expect(left.filter((of) => of !== other.id)).toEqual([null]);
  expect((await client.gateway.counts()).total).toBe(6);
  // Its rules and mocks answer as before, and it is counted anew.
  expect((await through(`${real}/k`, { user: session.id })).status).toBe(418);
  expect((await through(pay, { user: session.id })).body).toBe('reset');
  expect(await session.counts()).toMatchObject({ total: 2 });
  expect(await session.verify({ match: { url: pay }, exactly: 1 })).toMatchObject({ verified: true });
  const gone = await server.request('POST', '/v1/gateway/sessions/none/reset', { key });
  expect(gone.status).toBe(404);
});

test("a header may name a session of a mock alone, for that mock's own host", async () => {
  const mock = await mockOf('alone');
  await using session = await client.mocks.session(mock, { id: 'of-mock' });
  const pay = (headers: Record<string, string>) =>
    through(`http://${mock}.localhost:${server.mockPort}/pay`, { headers });
  expect((await pay(session.headers)).body).toBe('alone');
  expect((await session.requests()).total).toBe(1);
  expect(await pay({ 'x-mock-session': 'none' })).toMatchObject({ status: 404, error: undefined });
});

test("a mock's own host is in the session of the credentials, too", async () => {
  const mock = await mockOf('own');
  await using session = await client.gateway.session({ overlay: { others: 'refuse' } });
  const own = `http://${mock}.localhost:${server.mockPort}/pay`;
  expect(await through(own, { user: session.id, headers: { 'x-mock-session': 'other' } })).toMatchObject({
    body: 'own',
  });
  await session.read();
  expect((await session.mock(mock).requests()).total).toBe(1);
  expect(await through(own.replace(mock, 'nomock'), { user: session.id })).toMatchObject({ status: 404 });
});

test('exchanges of a session are verified in it alone, and explained by its rules', async () => {
  await using one = await client.gateway.session({ overlay: { rules: [{ ...block('/none'), id: 'idle' }] } });
  await using two = await client.gateway.session();
  await through(`${real}/verified`, { user: one.id });
  const expectation = { match: { url: '*/verified' }, exactly: 1 };
  expect(await one.assertVerified(expectation)).toMatchObject({ verified: true, count: 1 });
  expect(await two.verify(expectation)).toMatchObject({ verified: false, count: 0 });
  await expect(two.assertVerified(expectation)).rejects.toThrow('but 0 arrived');
  const [record] = (await one.requests()).records;
  const { skipped } = await client.gateway.request(record?.id ?? '');
  expect(skipped).toContainEqual(expect.objectContaining({ ruleId: 'idle', reason: 'source' }));
  await two.end();
  await expect(two.verify(expectation)).rejects.toMatchObject({ status: 404 });
});

test('one that is made under the id of another that has ended has nothing of it', async () => {
  const before = await client.gateway.session({ id: 'retried' });
  await through(`${real}/retried`, { user: 'retried' });
  await before.end();
  await using session = await client.gateway.session({
    id: 'retried',
    overlay: { rules: [{ ...block('/none'), id: 'later' }] },
  });
  const expectation = { match: { url: '*/retried' }, exactly: 1 };
  expect(await session.verify(expectation)).toMatchObject({ verified: false, count: 0, closest: [] });
  expect((await session.requests()).records).toEqual([]);
  const [old] = (await client.gateway.requests({ session: 'retried' })).records;
  expect((await client.gateway.request(old?.id ?? '')).skipped).toEqual([]);
  await through(`${real}/retried`, { user: 'retried' });
  expect(await session.assertVerified(expectation)).toMatchObject({ count: 1 });
  const [own] = (await session.requests()).records;
  expect((await client.gateway.request(own?.id ?? '')).skipped).toMatchObject([{ ruleId: 'later' }]);
});

test('a mock that a header or a path names is one of the owner: no session of another of the same id is entered', async () => {
  const stranger = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: await server.key('stranger') });
  const route = { method: 'GET', path: '/pay', responses: [{ body: 'theirs' }] };
  const theirs = await stranger.mocks.create({ name: 'theirs', routes: [route], start: true });
  await using other = await stranger.gateway.session({ id: 'equal', overlay: { mocks: { [theirs.id]: {} } } });
  const mine = await mockOf('mine');
  await using session = await client.gateway.session({ id: 'equal' });
  const asked = (path: string, id?: string) =>
    through(`http://localhost:${server.mockPort}${path}`, {
      user: session.id,
      headers: id === undefined ? {} : { 'x-mock-id': id },
    });
  const refused = { status: 404, error: 'session' };
  expect(await asked('/pay', theirs.id)).toMatchObject(refused);
  expect(await asked(`/__mock/${theirs.id}/pay`)).toMatchObject(refused);
  expect((await other.mock(theirs.id).requests()).total).toBe(0);
  expect((await asked('/pay', mine)).body).toBe('mine');
  expect((await asked(`/__mock/${mine}/pay`)).body).toBe('mine');
  await session.read();
  expect((await session.mock(mine).requests()).total).toBe(2);
});

test('an attached mock answers for every path, one that names another mock too', async () => {
  const named = await mockOf('named');
  const route = { method: 'GET', path: `/__mock/${named}/pay`, responses: [{ body: 'attached' }] };
  const { id: attached } = await client.mocks.create({ name: 'attached', routes: [route], start: true });
  await using session = await client.gateway.session({ overlay: { attach: { 'all.test': attached } } });
  await client.gateway.settings.put({ attach: [{ host: 'all.test', mockId: attached }] });
  for (const user of [session.id, 'key']) {
    expect((await through(`http://all.test/__mock/${named}/pay`, { user })).body).toBe('attached');
  }
  expect((await client.mocks.requests(named)).total).toBe(0);
  await client.gateway.settings.put({ attach: [] });
});

test('a host that was refused is the one that rules left', async () => {
  const source = { key: 'Url', operator: 'Contains', value: 'first.test' };
  const pairs = [{ source, destinationType: 'url', destination: 'http://second.test:81/' }];
  await client.gateway.settings.put({ mode: 'rewrite' });
  await using session = await client.gateway.session({
    overlay: { others: 'refuse', rules: [{ name: 'to', ruleType: 'Redirect' as const, pairs }] },
  });
  expect((await through('http://first.test/', { user: session.id })).error).toBe('notAttached');
  expect((await session.end()).notAttached).toEqual(['second.test:81']);
  await client.gateway.settings.put({ mode: 'redirect' });
});

test('a session has a mode of its own, and its exchanges and its end have names', async () => {
  const source = { key: 'Url', operator: 'Contains', value: '/from' };
  const moved = { source, destinationType: 'url', destination: `${real}/to` };
  const named = { id: 'own', name: 'pay elsewhere', ruleType: 'Redirect' as const, pairs: [moved] };
  const unused = { ...block('/never', 'never asked'), id: 'unused' };
  const overlay = { mode: 'rewrite' as const, rules: [named, unused] };
  await using session = await client.gateway.session({ label: 'pays by card', overlay });
  await using other = await client.gateway.session({ overlay: { rules: [named] } });
  expect(await through(`${real}/from`, { user: session.id })).toMatchObject({ status: 200, body: 'real /to' });
  expect(await through(`${real}/from`, { user: other.id })).toMatchObject({ status: 307, location: `${real}/to` });
  const asked = { request: { url: `${real}/from` }, session: session.id };
  expect(await client.rules.evaluate(asked)).toMatchObject({ outcome: 'forward', request: { url: `${real}/to` } });
  expect(await client.rules.evaluate({ ...asked, session: other.id })).toMatchObject({ outcome: 'redirect' });
  expect((await session.read()).overlay).toMatchObject({ mode: 'rewrite' });
  const [kept] = (await session.requests()).records;
  expect(kept).toMatchObject({ sessionLabel: 'pays by card', ruleIds: ['own'], ruleNames: ['pay elsewhere'] });
  const [unlabelled] = (await other.requests()).records;
  expect(unlabelled).not.toHaveProperty('sessionLabel');
  expect(await session.end()).toMatchObject({
    unusedRules: ['unused'],
    ruleNames: { own: 'pay elsewhere', unused: 'never asked' },
  });
  const bad = { overlay: { mode: 'proxy' } } as unknown as Parameters<typeof client.gateway.session>[0];
  await expect(client.gateway.session(bad)).rejects.toMatchObject({
    status: 400,
    details: [{ path: '/overlay/mode' }],
  });
});

test('overlays of mocks: all or none, replaced with the overlay', async () => {
  const [one, two] = [await mockOf('one'), await mockOf('two')];
  const say = (body: string) => ({ routes: [{ method: 'GET' as const, path: '/pay', responses: [{ body }] }] });
  const taken = await client.mocks.session(two, { id: 'taken' });
  const both = { mocks: { [one]: say('mine'), [two]: {} }, attach: { 'one.test': one } };
  await expect(client.gateway.session({ id: 'taken', overlay: both })).rejects.toMatchObject({ status: 409 });
  expect((await client.mocks.sessions(one)).total).toBe(0);
  await taken.end();
  await using session = await client.gateway.session({ id: 'taken', overlay: both });
  const pay = async (): Promise<string> => (await through('http://one.test/pay', { user: session.id })).body;
  expect(await pay()).toBe('mine');
  await session.overlay({ attach: { 'one.test': one } });
  expect(await pay()).toBe('one');
  await session.overlay({ attach: { 'one.test': two }, mocks: { [two]: say('other') } });
  expect(await pay()).toBe('other');
  expect((await client.mocks.requests(one)).total).toBe(2);
  expect(await session.counts()).toMatchObject({ total: 3 });
});

test('hosts that are named get the session in baggage, and no others', async () => {
  await using session = await client.gateway.session({ overlay: { propagate: ['127.0.0.1'] } });
  const baggageOf = async (headers = {}) => {
    await through(`${real}/b`, { user: session.id, headers });
    return seen.at(-1)?.headers['baggage'];
  };
  expect(await baggageOf()).toBe(session.baggage);
  expect(await baggageOf({ baggage: 'a=b,mock-session=other' })).toBe(`a=b,${session.baggage}`);
  await session.overlay({ propagate: ['api.example.com'] });
  expect(await baggageOf()).toBeUndefined();
});

test('a redirect that one session was sent to is no exception in another', async () => {
  const source = { key: 'Url', operator: 'Contains', value: real };
  const pairs = [{ source, destinationType: 'url', destination: `${real}/to` }];
  const rule = { name: 'to', ruleType: 'Redirect' as const, pairs };
  await using a = await client.gateway.session({ overlay: { rules: [rule] } });
  await using b = await client.gateway.session({
    overlay: { rules: [{ ...rule, pairs: [{ ...pairs[0], destination: `${real}/b` }] }] },
  });
  expect((await through(`${real}/from`, { user: a.id })).location).toBe(`${real}/to`);
  expect((await through(`${real}/to`, { user: b.id })).location).toBe(`${real}/b`);
  expect((await through(`${real}/to`, { user: a.id })).status).toBe(200);
});

// reaches SESSION_RULES_MAX
test('what an overlay names must be there, and each mistake has its place', async () => {
  const refusal = async (overlay: object): Promise<unknown> => {
    const error = await client.gateway.session({ overlay }).then(
      () => undefined,
      (thrown: SwitchyardError) => thrown,
    );
    return [error?.status, error?.details?.[0]?.path];
  };
  const rule = await client.rules.create(block('/q'));
  expect(await refusal({ disabledRules: [rule.id, 'x'] })).toEqual([400, '/overlay/disabledRules/1']);
  expect(await refusal({ enabledRules: ['x'] })).toEqual([400, '/overlay/enabledRules/0']);
  expect(await refusal({ enabledRules: [rule.id], disabledRules: [rule.id] })).toEqual([
    400,
    '/overlay/enabledRules/0',
  ]);
  expect(await refusal({ rules: [block('/a'), { ...block('/a'), pairs: [] }] })).toEqual([
    400,
    '/overlay/rules/1/pairs',
  ]);
  expect(await refusal({ rules: [{ ...block('/a'), id: rule.id }] })).toEqual([400, '/overlay/rules/0/id']);
  expect(await refusal({ rules: [{ ...block('/a'), groupId: 'x' }] })).toEqual([400, '/overlay/rules/0/groupId']);
  expect(await refusal({ attach: { 'a b': 'x' } })).toEqual([400, '/overlay/attach/a b']);
  expect(await refusal({ propagate: ['a b'] })).toEqual([400, '/overlay/propagate/0']);
  expect(await refusal({ mocks: { x: {} } })).toEqual([400, '/overlay/mocks/x']);
  const mock = await mockOf('m');
  expect(await refusal({ mocks: { [mock]: { disabled: ['x'] } } })).toEqual([400, `/overlay/mocks/${mock}/disabled/0`]);
  expect(await refusal({ mocks: { [mock]: { routes: [{}] } } })).toMatchObject([
    400,
    `/overlay/mocks/${mock}/routes/0/method`,
  ]);
  expect(await refusal({ others: 'x' })).toEqual([400, '/overlay/others']);
  expect(await refusal({ unknown: 1 })).toEqual([400, '/overlay/unknown']);
  const many = Array.from({ length: SESSION_RULES_MAX + 1 }, () => block('/a'));
  expect(await refusal({ rules: many })).toEqual([403, '/overlay/rules']);
  await using session = await client.gateway.session({ overlay: { rules: many.slice(1), disabledRules: [rule.id] } });
  await client.rules.delete(rule.id);
  expect(await session.read()).toMatchObject({
    warnings: [{ path: '/overlay/disabledRules/0', message: 'names no rule' }],
  });
});

test('answers are as they are documented, and an overlay that is read can be sent again', async () => {
  const { overlay, ...read } = await client.gateway
    .session({ label: 'x', overlay: { rules: [block('/r')], others: 'refuse', propagate: ['a.test'] } })
    .then((session) => session.read());
  await using session = await client.gateway.openSession(read.id);
  expect(compileCheck(gatewaySessionSchema)(session.record, '')).toBeUndefined();
  expect(compileCheck(fullGatewaySessionSchema(DEFAULT_LIMITS))({ ...read, overlay }, '')).toBeUndefined();
  const [listed] = (await client.gateway.sessions()).records;
  expect(compileCheck(listedGatewaySessionSchema)(listed, '')).toBeUndefined();
  await session.overlay(overlay);
  expect((await session.read()).overlay).toEqual(overlay);
  expect(compileCheck(gatewaySessionEndSchema)(await session.end(), '')).toBeUndefined();
  await expect(session.read()).rejects.toMatchObject({ status: 404, message: 'Session not found' });
});

test('a dry run in a session is of its overlay', async () => {
  const stored = await client.rules.create(block('/dry'));
  await using session = await client.gateway.session({
    overlay: { disabledRules: [stored.id], rules: [block('/own')] },
  });
  const dry = (path: string, more = {}) => client.rules.evaluate({ request: { url: real + path }, ...more });
  expect((await dry('/dry')).outcome).toBe('blocked');
  expect(await dry('/dry', { session: session.id })).toMatchObject({
    outcome: 'forward',
    skipped: expect.arrayContaining([expect.objectContaining({ ruleId: stored.id, reason: 'ruleInactive' })]),
  });
  expect((await dry('/own', { session: session.id })).steps).toMatchObject([{ ruleId: '/rules/0' }]);
  await expect(dry('/own', { session: 'none' })).rejects.toMatchObject({ status: 404 });
  await expect(dry('/own', { session: session.id, ruleId: stored.id })).rejects.toMatchObject({ status: 400 });
  await client.rules.delete(stored.id);
});

test('one that is not used for its time ends, with those of its mocks; a request to either keeps both', async () => {
  const mock = await mockOf('idle');
  const session = await client.gateway.session({ idleMs: 1_000, overlay: { mocks: { [mock]: {} } } });
  let state = await through(`${real}/i`, { user: session.id });
  expect(state.status).toBe(200);
  // It expires by its own clock: requests that ask whether it lives are uses of it.
  for (let tries = 0; (await client.gateway.sessions()).total > 0; tries++) {
    expect(tries).toBeLessThan(200);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  state = await through(`${real}/i`, { user: session.id });
  expect(state).toMatchObject({ status: 404, error: 'session' });
  expect((await client.mocks.sessions(mock)).total).toBe(0);
  await expect(session.read()).rejects.toMatchObject({ status: 404, message: expect.stringContaining('expired') });
});

test('the gateway begins anew in the middle: sessions go on, counts do not', async () => {
  const mock = await mockOf('again');
  await using session = await client.gateway.session({
    overlay: { rules: [block('/k')], attach: { 'again.test': mock }, mocks: { [mock]: {} } },
  });
  const pay = () => through('http://again.test/pay', { user: session.id });
  expect((await pay()).body).toBe('again');
  const { epoch } = await client.gateway.status();
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const egress = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/egress.js'));
  process.kill(Number(egress), 'SIGKILL');
  const begun: unknown[] = [];
  for (let tries = 0; begun.length === 0; tries++) {
    expect(tries).toBeLessThan(200);
    const reply = await pay().catch(() => undefined);
    // While it is away nobody answers: never the answer of another world, and never that there is no session.
    if (reply !== undefined) begun.push(reply);
    else await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect(begun).toMatchObject([{ status: 200, body: 'again' }]);
  expect((await through(`${real}/k`, { user: session.id })).status).toBe(418);
  expect((await client.gateway.status()).epoch).not.toBe(epoch);
  expect(await session.counts()).toMatchObject({ total: 2 });
  const end = await session.end();
  expect(end.mocks[mock]).toMatchObject({ counts: { total: 2 } });
});

test('an owner has 1,000 of them, and one that ends makes room', async () => {
  const many = await server.key('many');
  const make = (id: string) => server.request('POST', '/v1/gateway/sessions', { key: many, body: { id } });
  // By a client that costs little.
  const connection = await RawConnection.open(server.port);
  const statuses = new Set<number>();
  for (let count = 0; count < SESSIONS_PER_MOCK_MAX; count++) {
    const head = `POST /v1/gateway/sessions HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nx-api-key: ${many}\r\ncontent-type: application/json`;
    const body = `{"id":"s${count}"}`;
    await connection.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    statuses.add((await connection.answer()).status);
  }
  connection.finish();
  expect([...statuses]).toEqual([200]);
  const refused = await make('more');
  expect([refused.status, refused.json.message]).toEqual([403, 'Limit reached: 1000 sessions per gateway']);
  expect((await through(`${real}/m`, { as: many, user: 's999' })).status).toBe(200);
  expect((await through(`${real}/m`, { as: many, user: 'more' })).error).toBe('session');
  await server.request('DELETE', '/v1/gateway/sessions/s0', { key: many });
  expect((await make('more')).status).toBe(200);
});
