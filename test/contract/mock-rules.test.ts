/** A mock whose `settings.proxy` has `rules: true`, on a server without a gateway: the owner's rules act on what it sends on; docs/mocks-upstream.md. */
import { gzipSync } from 'node:zlib';
import { beforeEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { realService } from '../support/real-service.ts';
import { ANY, source, type GivenPair } from '../support/rules-table.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();
const client = createClient({ apiUrl: `http://127.0.0.1:${two.server.port}/v1`, key: two.key });

const service = await realService(({ method, url, headers, body }, response) => {
  if (url === '/cut') return void response.socket?.destroy();
  response.writeHead(200, { 'content-type': 'application/json', 'x-real': '1' });
  return void response.end(JSON.stringify({ method, url, agent: headers['User-Agent'], one: headers['x-one'], body }));
});

const ruled = (settings: Fields = {}, routes: readonly Fields[] = []) =>
  two.mock(routes.length === 0 ? [route('GET /own', [{ body: 'own' }])] : routes, {
    proxy: { upstream: service.url, rules: true, ...settings },
  });
const mock = await ruled();

beforeEach(async () => {
  const { records } = await client.rules.list();
  if (records.length > 0) await client.rules.batch({ ids: records.map(({ id }) => id), delete: true } as never);
});

const rule = (ruleType: string, pairs: readonly GivenPair[]) =>
  client.rules.create({ name: ruleType, ruleType, pairs } as never);
const newest = async (of = mock) =>
  (await two.data('GET', `/${of}/requests`))[0] as { upstream: Fields; status: number };
const asked = async (path: string, more: Parameters<TwoThreads['ask']>[2] = {}) => {
  const { status, text, headers } = await two.ask(mock, path, more);
  return { status, headers, text, json: () => JSON.parse(text) as Fields };
};

test('each type of rule acts once through a mock, from the reply to its creation on, and traffic names it', async () => {
  const { host } = service;
  const seen = async (ids: readonly string[], more: Fields = {}) =>
    expect((await newest()).upstream).toEqual({
      host,
      status: 200,
      ms: expect.any(Number),
      outcome: 'forward',
      ruleIds: ids,
      ...more,
    });
  await asked('/plain');
  await seen([]);

  const redirect = await rule('Redirect', [
    { ...source('/from'), destinationType: 'url', destination: `${service.url}/to?x=1` },
  ]);
  expect((await asked('/from')).json()).toMatchObject({ url: '/to?x=1' });
  await seen([redirect.id]);

  const replace = await rule('Replace', [{ ...source('/v1/'), from: 'v1', to: 'v2' }]);
  expect((await asked('/v1/a')).json()).toMatchObject({ url: '/v2/a' });
  await seen([replace.id]);

  const query = await rule('QueryParam', [
    { ...source('/query'), modifications: [{ type: 'Add', param: 'k', value: 'v' }] },
  ]);
  expect((await asked('/query')).json()).toMatchObject({ url: '/query?k=v' });
  await seen([query.id]);

  const headers = await rule('Headers', [
    {
      ...source('/headers'),
      modifications: {
        Request: [{ type: 'Add', header: 'x-one', value: 'rule' }],
        Response: [{ type: 'Remove', header: 'x-real' }],
      },
    },
  ]);
  const edited = await asked('/headers');
  expect([edited.json().one, edited.headers['x-real']]).toEqual([['rule'], undefined]);
  await seen([headers.id]);

  const agent = await rule('UserAgent', [{ ...source('/agent'), userAgent: 'by a rule' }]);
  expect((await asked('/agent')).json()).toMatchObject({ agent: ['by a rule'] });
  await seen([agent.id]);

  const request = await rule('Request', [{ ...source('/body'), request: { type: 'static', value: 'replaced' } }]);
  expect((await asked('/body', { method: 'POST', body: 'mine' })).json()).toMatchObject({ body: 'replaced' });
  await seen([request.id]);

  const delay = await rule('Delay', [{ ...source('/slow'), delay: 30 }]);
  const begun = performance.now();
  await asked('/slow');
  expect(performance.now() - begun).toBeGreaterThanOrEqual(29);
  await seen([delay.id]);

  const response = await rule('Response', [
    { ...source('/answer'), response: { type: 'static', value: 'by a rule', statusCode: '201' } },
  ]);
  const answered = await asked('/answer');
  expect([answered.status, answered.text, answered.headers['x-switchyard-proxied']]).toEqual([201, 'by a rule', host]);
  await seen([response.id]);

  const cancel = await rule('Cancel', [source('/cancel')]);
  const before = service.seen.length;
  const blocked = await asked('/cancel');
  expect([blocked.status, blocked.headers['x-switchyard-proxied'], service.seen.length]).toEqual([
    418,
    undefined,
    before,
  ]);
  await seen([cancel.id], { status: null, outcome: 'blocked' });
  expect((await newest()).status).toBe(418);

  const served = await rule('Response', [
    { ...source('/served'), response: { type: 'static', value: '{"a":1}', serveWithoutRequest: true } },
  ]);
  expect((await asked('/served')).json()).toEqual({ a: 1 });
  expect((await two.ask(mock, '/served', { method: 'HEAD' })).text).toBe('');
  await seen([served.id], { status: null, outcome: 'served' });
  expect(service.seen).toHaveLength(before);
});

test('an edit acts on every request after its reply, and what the mock answers itself is no concern of rules', async () => {
  for (let round = 0; round < 3; round++) {
    const { id } = await rule('Cancel', [ANY]);
    expect((await asked('/a')).status).toBe(418);
    expect((await asked('/own')).text).toBe('own');
    await client.rules.delete(id);
    expect((await asked('/a')).status).toBe(200);
  }
});

test('rules read bodies, decoded; and answer in place of an upstream that fails', async () => {
  const filter = source('/read', 'Contains', 'Url', {
    requestPayload: { key: 'kind', operator: 'Equals', value: 'b' },
  });
  await rule('Cancel', [filter]);
  const post = (body: Buffer | string, headers = {}) => asked('/read', { method: 'POST', body, headers });
  expect((await post('{"kind":"a"}')).status).toBe(200);
  expect((await post('{"kind":"b"}')).status).toBe(418);
  expect((await post(gzipSync('{"kind":"b"}'), { 'content-encoding': 'gzip' })).status).toBe(418);

  expect((await asked('/cut')).headers['x-switchyard-error']).toBe('lost');
  expect((await newest()).upstream).toMatchObject({ problem: 'lost', outcome: 'failed', ruleIds: [] });
  const { id } = await rule('Response', [{ ...source('/cut'), response: { type: 'static', value: 'instead' } }]);
  expect((await asked('/cut')).text).toBe('instead');
  expect((await newest()).upstream).toMatchObject({ status: null, problem: 'lost', outcome: 'served', ruleIds: [id] });
});

test('rules of others do not act; nor do those of the owner without `rules`, or in a session that turns them off', async () => {
  const others = createClient({
    apiUrl: `http://127.0.0.1:${two.server.port}/v1`,
    key: await two.server.key('rules-of-others'),
  });
  const { id } = await others.rules.create({ name: 'c', ruleType: 'Cancel', pairs: [ANY] } as never);
  expect((await asked('/a')).status).toBe(200);
  await others.rules.delete(id);

  await rule('Cancel', [ANY]);
  expect((await asked('/a')).status).toBe(418);
  const without = await ruled({ rules: false });
  expect((await two.ask(without, '/a')).status).toBe(200);
  expect((await newest(without)).upstream).not.toHaveProperty('ruleIds');
  const overlay = { settings: { proxy: { upstream: service.url } } };
  const session = await two.data('POST', `/${mock}/sessions`, { overlay });
  expect((await asked('/a', { headers: { 'x-mock-session': session.id } })).status).toBe(200);
  const on = await two.data('POST', `/${without}/sessions`, {
    overlay: { settings: { proxy: { upstream: service.url, rules: true } } },
  });
  expect((await two.ask(without, '/a', { headers: { 'x-mock-session': on.id } })).status).toBe(418);
});

test('a recording has what the upstream was asked and answered: not what rules made of the answer', async () => {
  const kept = await ruled({ record: true });
  await rule('Headers', [
    { ...source('/r'), modifications: { Request: [{ type: 'Add', header: 'x-one', value: 'rule' }] } },
  ]);
  await rule('Response', [{ ...source('/r'), response: { type: 'static', value: 'by a rule' } }]);
  await rule('Cancel', [source('/not')]);
  await two.ask(kept, '/not');
  expect((await two.ask(kept, '/r')).text).toBe('by a rule');
  const page = (await two.api('GET', `/${kept}/recording`)).json.data as {
    request: Fields;
    response: { body: string };
  }[];
  expect(page).toHaveLength(1);
  expect(JSON.parse(page[0]?.response.body ?? '')).toMatchObject({ url: '/r', one: ['rule'] });
});

test('a dry run says that rules act there', async () => {
  const { json } = await two.api('POST', `/${mock}/try`, { method: 'GET', path: '/a' });
  expect(JSON.stringify(json)).toContain(`would be proxied to ${service.url}/a, with the rules of the owner`);
});

test('a rule that leads back to the mock goes round twice', async () => {
  await rule('Redirect', [
    {
      ...source('/round'),
      destinationType: 'url',
      destination: `http://${mock}.localhost:${two.server.mockPort}/round`,
    },
  ]);
  const { status, text } = await asked('/round');
  expect([status, text]).toEqual([508, expect.stringContaining('has already proxied the request 2 times')]);
});

test('rules on nothing get a warning', async () => {
  const { json } = await two.api('POST', '', {
    name: 'w',
    settings: { proxy: { upstream: service.url, when: 'never', rules: true } },
    routes: [route('GET /own')],
  });
  expect(JSON.stringify(json)).toContain('have rules act on nothing');
});
