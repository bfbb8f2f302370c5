/** The gateway of a real server: who may use it, when edits of rules act, what it keeps, and what its end costs. */
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { createKey, revokeKey } from '../../src/cli/keys.ts';
import { createClient } from '../../src/client/index.ts';
import {
  exchangeCountsSchema,
  exchangeSchema,
  exchangeSummarySchema,
  gatewaySchema,
} from '../../src/model/gateway/exchange.ts';
import { compileCheck } from '../../src/model/validate.ts';
import { runLine } from '../support/command-lines.ts';
import { freePort } from '../support/free-port.ts';
import { useOwnServer } from '../support/shared-server.ts';
import { temporaryDirectory } from '../support/server.ts';

const upstream = createServer((req, res) => void (req.url === '/never' ? undefined : res.end(`real ${req.url}`)));
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => (upstream.closeAllConnections(), upstream.close()));
const real = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;

const { server, key, owner } = await useOwnServer(['--workers', '1', '--log-level', 'silent', '--gateway-port', '0']);
const port = Number(/, gateway http:\/\/127\.0\.0\.1:(\d+), mocks/.exec(server.stdout)?.[1]);
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly error: unknown;
  readonly location: string | undefined;
}

function through(url: string, { as = key, user = 'key', method = 'GET' } = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = { host: new URL(url).host, 'proxy-authorization': `Basic ${btoa(`${user}:${as}`)}` };
    const sent = ask({ host: '127.0.0.1', port, path: url, method, headers, agent: false }, (reply) => {
      let body = '';
      reply.on('data', (chunk: Buffer) => (body += chunk.toString()));
      reply.on('end', () => {
        const { 'x-switchyard-error': error, location } = reply.headers;
        resolve({ status: reply.statusCode ?? 0, body, error, location });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

const block = (value: string) => ({
  name: 'blocked',
  ruleType: 'Cancel' as const,
  pairs: [{ source: { key: 'Url', operator: 'Contains', value } }],
});

test('an edit of a rule or a group acts on every request after its reply', async () => {
  expect(await through(`${real}/a`)).toMatchObject({ status: 200, body: 'real /a' });
  const group = await client.groups.create({ name: 'G' });
  const rule = await client.rules.create({ ...block('/a'), groupId: group.id });
  expect((await through(`${real}/a`)).status).toBe(418);
  await client.groups.update(group.id, { name: 'G', status: 'Inactive' });
  expect((await through(`${real}/a`)).status).toBe(200);
  await client.groups.update(group.id, { name: 'G', status: 'Active' });
  expect((await through(`${real}/a`)).status).toBe(418);
  await client.rules.batch({ ids: [rule.id], set: { status: 'Inactive' } });
  expect((await through(`${real}/a`)).status).toBe(200);
  for (let round = 0; round < 4; round++) {
    const { id } = await client.rules.create(block('/round'));
    expect((await through(`${real}/round`)).status).toBe(418);
    await client.rules.delete(id);
    expect((await through(`${real}/round`)).status).toBe(200);
  }
  await client.rules.delete(rule.id);
});

test("an owner's rules act on its own requests alone", async () => {
  const other = await server.key('other');
  const rule = await client.rules.create(block('/own'));
  expect((await through(`${real}/own`)).status).toBe(418);
  expect((await through(`${real}/own`, { as: other })).status).toBe(200);
  const others = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: other });
  expect((await others.gateway.requests()).records.map(({ url }) => url)).toEqual([`${real}/own`]);
  await client.rules.delete(rule.id);
});

test('what happened is kept: listed, filtered, explained, counted, and forgotten', async () => {
  await client.gateway.reset();
  const rule = await client.rules.create(block('/kept'));
  const redirect = await client.rules.create({
    name: 'elsewhere',
    ruleType: 'Redirect',
    pairs: [
      {
        source: { key: 'Url', operator: 'Contains', value: '/from' },
        destinationType: 'url',
        destination: `${real}/to`,
      },
    ],
  });
  await through(`${real}/kept?token=1`);
  expect(await through(`${real}/from`)).toMatchObject({ status: 307, location: `${real}/to` });
  await through('http://10.1.2.3/');
  await through(`${real}/plain`);
  const { records, total, truncated } = await client.gateway.requests();
  expect([records.length, total, truncated]).toEqual([4, 4, false]);
  expect(records.map(({ outcome }) => outcome)).toEqual(['forward', 'failed', 'redirect', 'blocked']);
  expect((await client.gateway.requests({ outcome: 'blocked' })).records).toHaveLength(1);
  expect((await client.gateway.requests({ ruleId: redirect.id })).records).toHaveLength(1);
  expect((await client.gateway.requests({ host: '10.1.2.3' })).records[0]).toMatchObject({
    problem: 'addressRefused',
    status: 403,
  });
  const first = await client.gateway.requests({ limit: 3 });
  expect((await client.gateway.requests({ before: first.nextBefore as number })).records).toHaveLength(1);
  const blocked = records[3] as (typeof records)[0];
  const one = await client.gateway.request(blocked.id);
  expect(one).toMatchObject({
    status: 418,
    ruleIds: [rule.id],
    steps: [{ ruleId: rule.id, phase: 'cancel' }],
    user: 'ann',
  });
  expect(one.skipped).toMatchObject([{ ruleId: redirect.id, reason: 'source' }]);
  // As a dry run of the same exchange says.
  const dryRun = await client.rules.evaluate({ request: { url: blocked.url } });
  expect([dryRun.outcome, dryRun.skipped]).toEqual(['blocked', one.skipped]);
  const har = JSON.parse(await client.gateway.requestsAsHar()) as {
    log: { entries: { response: { status: number } }[] };
  };
  expect(har.log.entries.map(({ response }) => response.status)).toEqual([418, 307, 403, 200]);
  const counts = await client.gateway.counts();
  for (const [answer, schema] of [
    [await client.gateway.status(), gatewaySchema],
    [records[0], exchangeSummarySchema],
    [one, exchangeSchema],
    [counts, exchangeCountsSchema],
  ] as const) {
    expect(compileCheck(schema)(answer, '')).toBeUndefined();
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(answer as object)));
  }
  expect(counts.outcomes).toEqual({ forward: 1, redirect: 1, blocked: 1, served: 0, failed: 1, tunnelled: 0 });
  expect(counts.rules).toEqual({ [rule.id]: 1, [redirect.id]: 1 });
  await client.gateway.reset();
  expect((await client.gateway.requests()).records).toEqual([]);
  expect((await client.gateway.counts()).total).toBe(0);
  await expect(client.gateway.request(blocked.id)).rejects.toMatchObject({ status: 404 });
  await expect(client.gateway.requests({ outcome: 'other' as never })).rejects.toMatchObject({ status: 400 });
  await Promise.all([client.rules.delete(rule.id), client.rules.delete(redirect.id)]);
  const metrics = (await server.request('GET', '/metrics')).json as string;
  expect(metrics).toMatch(/switchyard_gateway_exchanges_total\{outcome="blocked"\} [1-9]/);
  expect(metrics).toMatch(/switchyard_gateway_rule_hits_total [1-9]/);
});

test('a key of the role proxy may use the gateway, and nothing of the API', async () => {
  const proxy = await createKey(server.data, { ownerId: owner, userId: 'ci', role: 'proxy' });
  expect((await through(`${real}/a`, { as: proxy })).status).toBe(200);
  for (const path of ['/me', '/rules', '/gateway', '/gateway/requests']) {
    const { status, json } = await server.request('GET', `/v1${path}`, { key: proxy });
    expect([status, json.details[0].message]).toEqual([401, 'a key with the role proxy may only use the gateway']);
  }
  expect((await server.request('POST', '/v1/rules', { key: proxy, body: block('x') })).status).toBe(401);
  expect(await client.gateway.proxyFor()).toEqual({
    server: `http://127.0.0.1:${port}`,
    username: 'key',
    password: key,
  });
  expect(await through(`${real}/a`, { user: 'nobody' })).toMatchObject({ status: 404, error: 'session' });
});

test('a key that is revoked, or ends, ends its connections within a second', async () => {
  for (const how of ['revoked', 'expired']) {
    const expiresAt = how === 'expired' ? Date.now() + 600 : undefined;
    const ending = await createKey(server.data, { ownerId: owner, userId: 'ci', role: 'viewer', expiresAt });
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise<number>((resolve) => socket.on('close', () => resolve(performance.now())));
    socket.on('error', () => undefined);
    const answered = new Promise((resolve) => socket.once('data', resolve));
    socket.write(
      `GET ${real}/a HTTP/1.1\r\nHost: ${new URL(real).host}\r\nProxy-Authorization: Basic ${btoa(`key:${ending}`)}\r\n\r\n`,
    );
    await answered;
    const begun = performance.now();
    if (how === 'revoked') await revokeKey(server.data, ending.slice(3, 15));
    expect((await closed) - begun).toBeLessThan(1_600);
    expect((await through(`${real}/a`, { as: ending })).status).toBe(407);
  }
});

test('mocks of this server are reached by their names; its other ports are not', async () => {
  const mock = await client.mocks.create({
    name: 'm',
    start: true,
    routes: [{ method: 'GET', path: '/hi', responses: [{ body: 'mocked' }] }],
  });
  expect(await through(`http://${mock.id}.localhost:${server.mockPort}/hi`)).toMatchObject({
    status: 200,
    body: 'mocked',
  });
  expect(await through(`http://127.0.0.1:${server.mockPort}/__mock/${mock.id}/hi`)).toMatchObject({ body: 'mocked' });
  for (const own of [server.port, port]) {
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '[::ffff:127.0.0.1]']) {
      expect(await through(`http://${host}:${own}/v1/livez`), host).toMatchObject({
        status: 403,
        error: 'addressRefused',
      });
    }
  }
});

test('when its process is killed, the next one takes its port and loads the rules anew', async () => {
  const rule = await client.rules.create(block('/again'));
  expect((await through(`${real}/again`)).status).toBe(418);
  const { epoch } = await client.gateway.status();
  const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const egress = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/egress.js'));
  process.kill(Number(egress), 'SIGKILL');
  // An edit does not wait for what is not there.
  await client.rules.patch(rule.id, { status: 'Inactive' });
  await expect.poll(async () => (await client.gateway.status()).running, { timeout: 10_000 }).toBe(true);
  expect((await through(`${real}/again`)).status).toBe(200);
  await client.rules.patch(rule.id, { status: 'Active' });
  expect((await through(`${real}/again`)).status).toBe(418);
  const status = await client.gateway.status();
  expect([status.restarts, status.epoch === epoch]).toEqual([1, false]);
  await client.rules.delete(rule.id);
});

test('options that cannot be: a port that is taken, or used twice', async () => {
  const free = `${await freePort()}`;
  for (const [args, told] of [
    [['--port', free, '--gateway-port', free], /--gateway-port is \d+, as another port/],
    [['--port', '0', '--gateway-port', `${port}`], /cannot listen on 127\.0\.0\.1:\d+ \(gateway\): the port is in use/],
  ] as const) {
    const place = ['--data', temporaryDirectory(), '--mock-port', '0'];
    const { status, stderr } = await runLine(['serve', ...place, ...args]);
    expect([status === 0, stderr]).toEqual([false, expect.stringMatching(told)]);
  }
});
