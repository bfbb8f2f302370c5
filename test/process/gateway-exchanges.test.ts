/** What is recorded of the gateway's exchanges, and what can be asked of it: bodies, verification, the stream, a mock of a host. */
import { createServer, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createClient, type ExchangeSummary } from '../../src/client/index.ts';
import { VerificationError } from '../../src/client/verification-error.ts';
import { COLLECTED_BYTES_MAX } from '../../src/egress/live-rules/collected-body.ts';
import { exchangeSchema } from '../../src/model/gateway/exchange.ts';
import { exchangeVerificationSchema } from '../../src/model/gateway/exchange-query.ts';
import { compileCheck } from '../../src/model/validate.ts';
import { McpClient } from '../support/mcp.ts';
import { useOwnServer } from '../support/shared-server.ts';

const upstream = createServer((req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const { pathname } = new URL(req.url ?? '', 'http://upstream.test');
    const sent = Buffer.concat(chunks);
    const body = Buffer.from(JSON.stringify({ path: pathname, sent: sent.length, token: 'answer-secret' }));
    if (pathname === '/large') return void res.end(Buffer.alloc(1_200_000, 'x'));
    if (pathname === '/zipped') {
      const zipped = gzipSync(body);
      res.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      return void res.end(zipped);
    }
    res.writeHead(pathname === '/missing' ? 404 : 200, { 'content-type': 'application/json' });
    return void res.end(body);
  });
});
upstream.on('upgrade', (_req, socket) => {
  socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nfirst');
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
afterAll(() => (upstream.closeAllConnections(), upstream.close()));
const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`;
const real = `http://${host}`;

const { server, key } = await useOwnServer(['--workers', '1', '--log-level', 'silent', '--gateway-port', '0']);
const port = Number(/, gateway http:\/\/127\.0\.0\.1:(\d+), mocks/.exec(server.stdout)?.[1]);
const client = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key });

const settings = (body: object) => server.request('PUT', '/v1/gateway/settings', { key, body });

beforeEach(async () => {
  await client.gateway.reset();
  await settings({ record: false, attach: [], redact: { headers: [], members: [] } });
});

function through(
  url: string,
  {
    method = 'GET',
    body = '',
    headers = {},
    as = key,
  }: { method?: string; body?: string; headers?: object; as?: string } = {},
): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = ask(
      {
        host: '127.0.0.1',
        port,
        path: url,
        method,
        headers: { host: new URL(url).host, 'proxy-authorization': `Basic ${btoa(`key:${as}`)}`, ...headers },
        agent: false,
      },
      (reply) => {
        let text = '';
        reply.on('data', (chunk: Buffer) => (text += chunk.toString()));
        reply.on('end', () => resolve({ status: reply.statusCode ?? 0, body: text }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const newest = async () => {
  const { records } = await client.gateway.requests({ limit: 1 });
  return client.gateway.request((records[0] as ExchangeSummary).id);
};

const JSON_TYPE = { 'content-type': 'application/json' };

test('bodies are kept where the settings say so, without credentials, and decoded', async () => {
  await through(`${real}/a`, { method: 'POST', body: '{"x":1}', headers: JSON_TYPE });
  const without = await newest();
  expect([without.requestBody, without.responseBody]).toEqual([undefined, undefined]);
  await settings({ record: true, redact: { headers: ['x-own'], members: ['pin'] } });
  const body = '{"password":"request-secret","pin":"own-secret","x":1}';
  await through(`${real}/zipped`, { method: 'POST', body, headers: { ...JSON_TYPE, 'x-own': 'own-secret' } });
  const one = await newest();
  expect(compileCheck(exchangeSchema)(one, '')).toBeUndefined();
  expect(JSON.stringify(one)).not.toMatch(/(?:request|own|answer)-secret/);
  expect(JSON.parse(one.requestBody?.body ?? '')).toMatchObject({ x: 1, pin: expect.stringMatching(/^redacted-/) });
  expect(JSON.parse(one.responseBody?.body ?? '')).toMatchObject({ path: '/zipped', sent: body.length });
  // The same secret has the same digits in lines and in bodies.
  const [digits] = /redacted-[\da-f]{8}/.exec(JSON.stringify(one.requestHeaders)) ?? [];
  expect(one.requestBody?.body).toContain(`"pin":"${digits}"`);
  expect(one.totalMs).toBeGreaterThanOrEqual(one.upstreamMs ?? Infinity);
  await through(`${real}/large`);
  expect((await newest()).responseBody).toEqual({ body: '', bodyOmitted: 'tooLarge' });
  const har = JSON.parse(await client.gateway.requestsAsHar({ url: '*/zipped' })) as {
    log: { entries: { request: { postData: { text: string } }; response: { content: { text: string } } }[] };
  };
  expect(har.log.entries).toHaveLength(1);
  expect(har.log.entries[0]?.request.postData.text).toBe(one.requestBody?.body);
  expect(har.log.entries[0]?.response.content.text).toBe(one.responseBody?.body);
});

test('where a rule replaced a body, the client got that one, and the upstream sent the other', async () => {
  await settings({ record: true });
  const rule = await client.rules.create({
    name: 'own',
    ruleType: 'Response',
    pairs: [
      { source: { key: 'Url', operator: 'Contains', value: '/own' }, type: 'static', value: 'password=rule-secret' },
    ],
  });
  await through(`${real}/own`);
  await expect.poll(async () => (await newest()).upstream?.body).toContain('"path":"/own"');
  const one = await newest();
  expect(one.responseBody?.body).toMatch(/^password=redacted-/);
  await client.rules.delete(rule.id);
});

test('a WebSocket opens while bodies are kept', async () => {
  await settings({ record: true });
  const sent = ask({
    host: '127.0.0.1',
    port,
    path: `${real}/socket`,
    agent: false,
    headers: {
      host,
      'proxy-authorization': `Basic ${btoa(`key:${key}`)}`,
      connection: 'upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    },
  });
  const got = new Promise<string>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('upgrade', (_reply, socket, head) => {
      let text = head.toString();
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.on('end', () => (socket.destroy(), resolve(text)));
    });
  });
  sent.end();
  expect(await got).toBe('first');
  expect(await newest()).toMatchObject({ outcome: 'forward', status: 101 });
});

test('of a body that was too large for a rule to read no part is kept as the whole, and none beside what a rule sent in its place', async () => {
  await settings({ record: true });
  const source = (value: string) => ({ key: 'Url', operator: 'Contains', value });
  const filters = [{ requestPayload: { key: 'a', value: 'b' } }];
  const reading = await client.rules.create({
    name: 'reads',
    ruleType: 'Response',
    pairs: [{ source: { ...source('/too-large'), filters }, type: 'static', value: 'x' }],
  });
  const body = JSON.stringify({ pad: 'x'.repeat(COLLECTED_BYTES_MAX + 300_000), end: 'the end' });
  const asked = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  await through(`${real}/too-large`, asked);
  expect(await newest()).toMatchObject({
    requestBody: { body: '', bodyOmitted: 'tooLarge' },
    skipped: [{ ruleId: reading.id, reason: 'bodyTooLarge' }],
  });
  const own = await client.rules.create({
    name: 'own',
    ruleType: 'Request',
    pairs: [{ source: source('/too-large'), type: 'static', value: '{"own":1}' }],
  });
  // The answer may come, and close the connection, before all was sent.
  await through(`${real}/too-large?own`, asked).catch(() => undefined);
  expect((await newest()).url).toBe(`${real}/too-large?own`);
  expect((await newest()).requestBody).toEqual({ body: '{"own":1}' });
  for (const { id } of [reading, own]) await client.rules.delete(id);
});

test('exchanges are filtered by what was asked for and what came of it', async () => {
  await settings({ record: true });
  await through(`${real}/one?q=1`, { headers: { 'x-test': 'blue' } });
  await through(`${real}/missing`, { method: 'POST', body: 'a green body', headers: { 'content-type': 'text/plain' } });
  const urls = async (query: object) =>
    (await client.gateway.requests(query)).records.map(({ url }) => new URL(url).pathname);
  expect(await urls({ host })).toEqual(['/missing', '/one']);
  expect(await urls({ host: '127.0.0.1' })).toEqual(['/missing', '/one']);
  expect(await urls({ host: '127.0.0.1:1' })).toEqual([]);
  expect(await urls({ url: `${real}/one*` })).toEqual(['/one']);
  expect(await urls({ url: `${real}/one` })).toEqual([]);
  expect(await urls({ method: 'POST' })).toEqual(['/missing']);
  expect(await urls({ status: 404 })).toEqual(['/missing']);
  expect(await urls({ header: 'X-Test: blue' })).toEqual(['/one']);
  expect(await urls({ q: 'BLUE' })).toEqual(['/one']);
  expect(await urls({ q: 'green' })).toEqual(['/missing']);
  expect(await urls({ bodyContains: 'a green' })).toEqual(['/missing']);
  expect(await urls({ session: '' })).toEqual(['/missing', '/one']);
  expect(await urls({ session: 's1' })).toEqual([]);
  expect(await urls({ since: Date.now() + 60_000 })).toEqual([]);
  const refused = await server.request('GET', '/v1/gateway/requests?host=a%20b&outcome=x&paths=1', { key });
  expect(refused.status).toBe(400);
  expect(refused.json.details.map(({ path }: { path: string }) => path)).toEqual(['paths', 'host', 'outcome']);
});

test('a verification counts, and names what came closest', async () => {
  await through(`${real}/pay`, { method: 'POST', body: 'x', headers: { 'x-test': 'blue' } });
  const verified = await client.gateway.verify({ match: { host, method: 'POST', url: '*/pay' }, exactly: 1 });
  expect(verified).toMatchObject({ verified: true, count: 1, truncated: false });
  const match = { url: '*/pay', method: 'POST', header: { 'X-Test': 'red' }, outcome: 'blocked' as const };
  const failed = await client.gateway.verify({ match });
  expect(compileCheck(exchangeVerificationSchema)(failed, '')).toBeUndefined();
  expect(failed).toMatchObject({ verified: false, count: 0 });
  const [closest] = failed.closest ?? [];
  expect(closest).toMatchObject({
    url: `${real}/pay`,
    differs: ['outcome', 'header'],
    differences: [
      { path: '/match/outcome', expected: 'blocked', actual: ['forward'] },
      { path: '/match/header/X-Test', expected: 'red', actual: ['blue'] },
    ],
  });
});

test('an expectation that fails is told in words', async () => {
  await through(`${real}/pay`);
  const failure = await client.gateway
    .assertVerified({ match: { url: '*/pay', method: 'POST' }, exactly: 1 })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(VerificationError);
  expect((failure as Error).message).toBe(
    [
      'expected exactly 1 of {"url":"*/pay","method":"POST"}, but 0 arrived',
      'closest:',
      `  GET ${real}/pay -> 200 (differs in method)`,
      '    method: expected "POST", got "GET"',
    ].join('\n'),
  );
  await expect(client.gateway.assertVerified({ match: { url: '*/pay' } })).resolves.toMatchObject({ count: 1 });
});

test('an order is verified step by step, and waits for the step that is missing', async () => {
  for (const path of ['/cart', '/other', '/checkout']) await through(`${real}${path}`, { method: 'POST', body: 'x' });
  const step = (url: string) => ({ url: `*${url}`, method: 'POST' });
  const verified = await client.gateway.verify({ inOrder: [step('/cart'), step('/checkout')] });
  expect(verified).toMatchObject({ verified: true, count: 2, truncated: false });
  const waiting = client.gateway.verify({ inOrder: [step('/checkout'), step('/thanks')], withinMs: 20_000 });
  await through(`${real}/thanks`, { method: 'POST', body: 'x' });
  expect((await waiting).verified).toBe(true);
  const wrong = { inOrder: [step('/checkout'), step('/cart')] };
  const failed = await client.gateway.verify(wrong);
  expect(compileCheck(exchangeVerificationSchema)(failed, '')).toBeUndefined();
  expect(failed).toMatchObject({
    verified: false,
    count: 1,
    order: { missing: 1, found: [{ url: `${real}/checkout` }] },
  });
  // Only exchanges after the one that was found come close.
  expect(failed.closest).toMatchObject([{ url: `${real}/thanks`, differences: [{ path: '/inOrder/1/url' }] }]);
  const failure = await client.gateway.assertVerified(wrong).catch((error: unknown) => error);
  expect((failure as Error).message).toContain(
    `step 2 {"url":"*/cart","method":"POST"} was not found after POST ${real}/checkout -> 200, which is step 1`,
  );
  const session = await client.gateway.session();
  expect(await session.verify({ inOrder: [step('/cart')] })).toMatchObject({ verified: false, closest: [] });
  await session.end();
});

test('what bodies held is not judged where they are not kept', async () => {
  await through(`${real}/pay`, { method: 'POST', body: 'green' });
  await through(`${real}/plain`);
  const match = { bodyContains: 'green' };
  expect(await client.gateway.verify({ match })).toMatchObject({ verified: false, count: 0, unjudged: 1 });
  expect(await client.gateway.verify({ match, exactly: 0 })).toMatchObject({ verified: false, unjudged: 1 });
  await client.gateway.reset();
  await settings({ record: true });
  await through(`${real}/pay`, { method: 'POST', body: 'green' });
  expect(await client.gateway.verify({ match, exactly: 1, withinMs: 20_000 })).toMatchObject({ verified: true });
});

test.each([
  [{ match: { host: 'a b' } }, '/match/host'],
  [{ match: { path: '/' } }, '/match/path'],
])('an expectation that nothing can meet is refused: %j', async (body, path) => {
  const { status, json } = await server.request('POST', '/v1/gateway/verify', { key, body });
  expect([status, json.message, json.details[0].path]).toEqual([400, 'Gateway Payload is invalid', path]);
});

test('exchanges with a host become a mock, which answers in its place', async () => {
  const nothing = await server.request('POST', '/v1/gateway/requests/stage', { key, body: { host } });
  expect([nothing.status, nothing.json.message]).toEqual([400, 'Nothing recorded']);
  expect(nothing.json.details[0].message).toContain('`record`');
  await settings({ record: true });
  await through(`${real}/users/1`);
  await through(`${real}/missing`);
  const staged = await client.gateway.stage({ host, attach: true });
  expect(staged).toMatchObject({
    attached: true,
    mock: { name: host, state: 'running' },
    check: { checked: 2, same: 2 },
  });
  await settings({ others: 'refuse' });
  const answered = await through(`${real}/users/1`);
  expect(JSON.parse(answered.body)).toMatchObject({ path: '/users/1' });
  expect((await through(`${real}/missing`)).status).toBe(404);
  expect((await newest()).attached).toBe(staged.mockId);
  await settings({ others: 'forward', attach: [] });
  await client.gateway.reset();
  await through(`${real}/more`);
  // The working copy of the same mock: nothing is served before a save.
  const again = await client.gateway.stage({ host: '127.0.0.1', mockId: staged.mockId, into: 'add' });
  expect(again).toMatchObject({ mockId: staged.mockId, attached: false, check: { checked: 1, same: 1 } });
  expect(JSON.stringify(again.diff)).toContain('/more');
  expect((await client.mocks.staged.routes(staged.mockId)).map(({ path }) => path)).toContain('/more');
  expect(await client.mocks.get(staged.mockId)).toMatchObject({ routeCount: 2, hasStagedChanges: true });
  await client.mocks.delete(staged.mockId);
});

test('exchanges of other owners are in nothing that is asked', async () => {
  await settings({ record: true });
  await through(`${real}/mine`);
  const others = createClient({ apiUrl: `http://127.0.0.1:${server.port}/v1`, key: await server.key('other-owner') });
  expect(await others.gateway.verify({ match: { url: '*/mine' } })).toMatchObject({ count: 0, closest: [] });
  await expect(others.gateway.stage({ host })).rejects.toMatchObject({ status: 400 });
});

test('an agent lists what rules did, and reads why one of them did nothing', async () => {
  const agent = await McpClient.http(server.port, { 'x-api-key': key });
  await through(`${real}/for-agents`);
  const [first] = (await agent.ok('gateway_requests', { host })).requests as { id: string; url: string }[];
  expect(first?.url).toBe(`${real}/for-agents`);
  expect(await agent.ok('gateway_requests', { id: first?.id })).toMatchObject({ outcome: 'forward', steps: [] });
  expect((await agent.ok('gateway_requests', { outcome: 'blocked' })).requests).toEqual([]);
  await agent.close();
});
