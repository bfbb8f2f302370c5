/** What an owner sets of the gateway of a real server: hosts that mocks answer for, others that are refused, URLs that are rewritten. */
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { newOwner, useOwnServer } from '../support/shared-server.ts';
import { gatewayPortOf, openTunnel, throughGateway, type GatewayAsk } from '../support/through-gateway.ts';
import { fixture } from '../support/tls.ts';

const upstream = createServer((req, res) => void res.end(`real ${req.headers.host} ${req.url} ${req.headers.baggage}`));
const credentials = { cert: readFileSync(fixture('first-cert.pem')), key: readFileSync(fixture('first-key.pem')) };
const secure = createSecureServer(credentials, (req, res) => void res.end(`secret ${req.url}`));
for (const each of [upstream, secure]) {
  await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
  afterAll(() => (each.closeAllConnections(), each.close()));
}
const portOf = (each: typeof upstream): number => (each.address() as AddressInfo).port;
const real = `http://127.0.0.1:${portOf(upstream)}`;
const securePort = portOf(secure);

const OPTIONS = ['--workers', '1', '--log-level', 'silent', '--gateway-port', '0', '--egress-ca', fixture('root.pem')];
const { server, key } = await useOwnServer(OPTIONS);
const port = gatewayPortOf(server);
const apiUrl = `http://127.0.0.1:${server.port}/v1`;
const client = createClient({ apiUrl, key });
const { settings } = client.gateway;
const authority = await client.gateway.ca();

const through = (url: string, asked: Partial<GatewayAsk> = {}) =>
  throughGateway(port, url, { key, ...asked }, authority);
const newest = async () => (await client.gateway.requests({ limit: 1 })).records[0];
const nothing = { mode: 'redirect', others: 'forward', attach: [], tunnel: [], propagate: [] } as const;

let mock: string;
let other: string;
beforeAll(async () => {
  const mocked = (name: string) =>
    client.mocks.create({ name, start: true, routes: [{ method: 'ANY', path: '/*', responses: [{ body: name }] }] });
  [mock, other] = (await Promise.all([mocked('mine'), mocked('other')]).then((made) => made.map(({ id }) => id))) as [
    string,
    string,
  ];
});
beforeEach(() => settings.put(nothing));

test('a host that is attached is answered by its mock, from the reply on and until it is detached', async () => {
  const attach = [
    { host: 'pay.test', mockId: mock },
    { host: 'pay.test:8443', mockId: other },
    { host: '*.pay.test', mockId: other },
    { host: '*.eu.pay.test', mockId: mock },
  ];
  for (let round = 0; round < 2; round++) {
    await settings.put({ attach });
    for (const [url, body] of [
      ['http://pay.test/a?b=1', 'mine'],
      ['http://PAY.test.:81/a', 'mine'],
      ['http://pay.test:8443/a', 'other'],
      ['http://x.pay.test/a', 'other'],
      ['http://x.eu.pay.test:8443/a', 'mine'],
      ['https://pay.test/a', 'mine'],
    ] as const) {
      expect(await through(url), url).toMatchObject({ status: 200, body });
      expect(await newest()).toMatchObject({ outcome: 'forward', attached: body === 'mine' ? mock : other });
    }
    await settings.put({ attach: [] });
    expect((await through(real + '/a')).body).toMatch(/^real/);
  }
  // It has no address.
  expect((await through('http://pay.test/a')).status).toBe(502);
});

test('the mock gets the request as it was sent, and is the only one that it names', async () => {
  await settings.put({ attach: [{ host: 'pay.test', mockId: mock }] });
  const headers = { 'x-mock-id': other, 'X-Mock-Session': 'none', 'x-other': '1', host: 'pay.test:80' };
  expect(await through('http://pay.test/c?d', { method: 'POST', body: 'text', headers })).toMatchObject({
    body: 'mine',
  });
  const { records } = await client.mocks.requests(mock, { limit: 1 });
  const got = await client.mocks.request(mock, records[0]?.id ?? '');
  expect(got).toMatchObject({ method: 'POST', path: '/c', body: 'text' });
  const lines = got.headers.map(({ name, value }) => `${name}: ${value}`);
  expect(lines).toEqual(expect.arrayContaining(['host: pay.test:80', 'x-other: 1', `x-mock-id: ${mock}`]));
  expect(lines.filter((line) => line.startsWith('x-mock-'))).toHaveLength(1);
});

test('rules act before and after, on the URL as the client sent it', async () => {
  const modifications = (value: string) => [{ header: 'x-rule', type: 'Add', value }];
  const rule = await client.rules.create({
    name: 'marked',
    ruleType: 'Headers',
    pairs: [
      {
        source: { key: 'Url', operator: 'Equals', value: 'https://pay.test/c' },
        modifications: { Request: modifications('asked'), Response: modifications('answered') },
      },
    ],
  });
  await settings.put({ attach: [{ host: 'pay.test', mockId: mock }] });
  const { headers, body } = await through('https://pay.test/c');
  expect([headers['x-rule'], body]).toEqual(['answered', 'mine']);
  const { records } = await client.mocks.requests(mock, { limit: 1 });
  const got = await client.mocks.request(mock, records[0]?.id ?? '');
  expect(got.headers).toContainEqual({ name: 'x-rule', value: 'asked' });
  await client.rules.delete(rule.id);
});

test('a mock that is stopped or deleted answers so, and the host never falls through to the real one', async () => {
  const { id } = await client.mocks.create({ name: 'gone', start: true });
  const { hostname } = new URL(real);
  await settings.put({ attach: [{ host: hostname, mockId: id }] });
  await client.mocks.delete(id);
  expect((await through(`${real}/a`)).status).toBe(404);
  expect(await newest()).toMatchObject({ attached: id, status: 404 });
  expect((await settings.get()).missingMocks).toEqual([id]);
});

test('with `others: refuse` no other host is asked, and it is recorded which one was', async () => {
  await settings.put({ others: 'refuse', attach: [{ host: 'pay.test', mockId: mock }], tunnel: ['localhost'] });
  expect((await through('http://pay.test/a')).body).toBe('mine');
  const refused = await through(`${real}/a`);
  expect([refused.status, refused.error, JSON.parse(refused.body).upstream]).toEqual([
    502,
    'notAttached',
    new URL(real).host,
  ]);
  expect(await newest()).toMatchObject({ outcome: 'failed', problem: 'notAttached', url: `${real}/a` });
  expect(await through('https://other.test/b')).toMatchObject({ status: 502, error: 'notAttached' });
  expect(await newest()).toMatchObject({ problem: 'notAttached', url: 'https://other.test/b' });
  // A tunnel that would be passed on unread, too.
  const headers = { 'proxy-authorization': `Basic ${btoa(`key:${key}`)}` };
  expect(await openTunnel(port, `localhost:${securePort}`, headers)).toMatchObject({
    status: 502,
    error: 'notAttached',
  });
  expect(await newest()).toMatchObject({ method: 'CONNECT', outcome: 'failed', problem: 'notAttached' });
  // Mocks of this server are not others.
  expect((await through(`http://${mock}.localhost:${server.mockPort}/a`)).body).toBe('mine');
  const rule = await client.rules.create({
    name: 'instead',
    ruleType: 'Response',
    pairs: [
      { source: { key: 'Url', operator: 'Contains', value: '/instead' }, response: { type: 'static', value: 'said' } },
    ],
  });
  expect(await through(`${real}/instead`)).toMatchObject({ status: 200, body: 'said' });
  expect(await newest()).toMatchObject({ outcome: 'served', problem: 'notAttached' });
  await client.rules.delete(rule.id);
  const metrics = (await server.request('GET', '/metrics')).json as string;
  expect(metrics).toMatch(/switchyard_gateway_problems_total\{kind="notAttached"\} 4/);
});

test('with `mode: rewrite` a rule sends the request to another URL, as a dry run says', async () => {
  const redirect = (from: string, destination: string) =>
    client.rules.create({
      name: from,
      ruleType: 'Redirect',
      pairs: [{ source: { key: 'Url', operator: 'Contains', value: from }, destinationType: 'url', destination }],
    });
  const rules = [
    await redirect('/to-real', `${real}/there?x=ü`),
    await redirect('/to-attached', 'http://pay.test/c'),
    await redirect('/to-mock', `http://${other}.localhost:${server.mockPort}/d`),
    await redirect('/to-own', `${apiUrl}/livez`),
    await redirect('/again', `${real}/again/`),
  ];
  await settings.put({
    mode: 'rewrite',
    attach: [
      { host: 'pay.test', mockId: mock },
      { host: 'from.test', mockId: other },
    ],
  });
  const host = new URL(real).host;
  for (const [url, body] of [
    ['http://a.test/to-real', `real ${host} /there?x=%C3%BC undefined`],
    ['http://a.test/to-attached', 'mine'],
    ['http://a.test/to-mock', 'other'],
    // The host that the rules have left decides.
    ['http://from.test/to-attached', 'mine'],
    [`${real}/again`, `real ${host} /again/ undefined`],
  ] as const) {
    expect(await through(url), url).toMatchObject({ status: 200, body });
    const kept = await newest();
    expect(kept).toMatchObject({ outcome: 'forward', url });
    const { steps } = await client.gateway.request(kept?.id ?? '');
    const dryRun = await client.rules.evaluate({ request: { url }, mode: 'rewrite' });
    expect([dryRun.outcome, dryRun.steps]).toEqual(['forward', steps]);
  }
  // What may not be reached without a rule may not be with one.
  expect(await through('http://a.test/to-own')).toMatchObject({ status: 403, error: 'addressRefused' });
  await settings.put({ mode: 'redirect' });
  expect(await through('http://a.test/to-real')).toMatchObject({ status: 307 });
  await Promise.all(rules.map(({ id }) => client.rules.delete(id)));
});

test('tunnels to hosts of the owner are passed on unread, but for those that are attached', async () => {
  const url = `https://localhost:${securePort}/s`;
  const ask = (ca: string) => throughGateway(port, url, { key }, ca);
  expect((await ask(authority)).body).toBe('secret /s');
  await settings.put({ tunnel: [`localhost:${securePort}`] });
  expect((await ask(readFileSync(fixture('root.pem'), 'utf8'))).body).toBe('secret /s');
  expect(await newest()).toMatchObject({ outcome: 'tunnelled' });
  await settings.put({ attach: [{ host: 'localhost', mockId: mock }] });
  expect((await ask(authority)).body).toBe('mine');
});

test('settings are of their owner alone, name what is not kept, and outlive the process of the gateway', async () => {
  const stranger = await server.key(newOwner(), 'ben');
  await settings.put({
    attach: [{ host: 'pay.test', mockId: mock }],
    redact: { headers: ['x-pin'], members: ['iban'] },
  });
  expect((await through('http://pay.test/a', { key: stranger })).status).toBe(502);
  expect((await through('http://pay.test/a?iban=DE1', { headers: { 'x-pin': '1234' } })).body).toBe('mine');
  const kept = await client.gateway.request((await newest())?.id ?? '');
  expect(JSON.stringify(kept)).not.toMatch(/1234|DE1/);
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const egress = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/egress.js'));
  process.kill(Number(egress), 'SIGKILL');
  // A change does not wait for what is not there.
  await settings.put({ others: 'refuse' });
  await expect.poll(async () => (await client.gateway.status()).running, { timeout: 10_000 }).toBe(true);
  expect((await through('http://pay.test/a')).body).toBe('mine');
  expect((await through(`${real}/a`)).error).toBe('notAttached');
});
