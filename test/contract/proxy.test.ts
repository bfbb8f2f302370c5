/** Mocks in front of a real service, over HTTP with two threads: what upstream and client get, counts, traffic, failures; docs/mocks-upstream.md. */
import { get, type IncomingMessage } from 'node:http';
import { createServer as createPlainServer, type AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { askMock, type MockReply } from '../support/ask-mock.ts';
import { realService, type Seen } from '../support/real-service.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const closing: (() => void)[] = [];
afterAll(() => closing.forEach((close) => close()));

const echo = await realService(({ method, url, body }, response) => {
  response.writeHead(201, 'Made Here', [
    ['Content-Type', 'application/json'],
    ['X-Twice', '1'],
    ['X-Twice', '2'],
    ['X-Latin', Buffer.from('é').toString('latin1')],
    ['Connection', 'close, X-Hop'],
    ['X-Hop', 'gone'],
    ['X-Switchyard-Error', 'made up'],
  ] as never);
  response.end(JSON.stringify({ method, url, body }));
});

const proxied = (
  upstream: string,
  settings: Fields = {},
  routes: readonly Fields[] = [route('GET /own', [{ body: 'own' }])],
) => two.mock(routes, { proxy: { upstream, ...settings } });
const counts = (mock: string) => two.data('GET', `/${mock}/counts`);
const recorded = async (mock: string, query = '') => (await two.data('GET', `/${mock}/requests?${query}`)) as Fields[];
const failure = (reply: MockReply) => ({ status: reply.status, kind: reply.headers['x-switchyard-error'] });

test('requests that no route answers go to the upstream as they are, and its answer comes back; others do not', async () => {
  const mock = await proxied(`${echo.url}/base`);
  expect((await two.both(mock, '/own')).text).toBe('own');
  const before = echo.seen.length;
  const reply = await two.ask(mock, '/a%2Fb/../c?x=1&x=%20', {
    method: 'POST',
    body: 'hello',
    headers: {
      'x-one': '1',
      te: 'trailers',
      'x-forwarded-for': '1.2.3.4',
      'x-switchyard-call': 'x',
      connection: 'close, x-hop',
      'x-hop': '1',
    },
  });
  expect(reply.status).toBe(201);
  expect(JSON.parse(reply.text)).toEqual({ method: 'POST', url: '/base/a%2Fb/../c?x=1&x=%20', body: 'hello' });
  expect(reply.headers).toMatchObject({
    'content-type': 'application/json',
    'x-switchyard-proxied': echo.host,
    'access-control-allow-origin': '*',
    via: expect.stringMatching(/^1\.1 switchyard-\w+$/),
  });
  expect(reply.headers).not.toHaveProperty('x-hop');
  expect(reply.headers).not.toHaveProperty('x-switchyard-error');
  const [asked] = echo.seen.slice(before);
  expect(asked?.headers).toMatchObject({
    host: [echo.host],
    'x-one': ['1'],
    'x-forwarded-for': ['1.2.3.4, 127.0.0.1'],
    'x-forwarded-proto': ['http'],
    'x-forwarded-host': [`${mock}.localhost:${two.server.mockPort}`],
    'content-length': ['5'],
  });
  for (const name of ['te', 'x-hop', 'x-switchyard-call']) expect(asked?.headers).not.toHaveProperty(name);
  expect(await counts(mock)).toMatchObject({
    total: 3,
    unmatched: 1,
    proxied: 1,
    statuses: [
      { status: 200, count: 2 },
      { status: 201, count: 1 },
    ],
  });
  const [record] = await recorded(mock, 'proxied=true');
  expect(record).toMatchObject({ method: 'POST', status: 201, proxied: true, routeId: null, body: 'hello' });
  expect(await recorded(mock, 'proxied=false')).toHaveLength(2);
});

test('`always` sends all on, `never` none; settings edit headers, keep the host and hide the mark', async () => {
  const all = await proxied(echo.url, { when: 'always', mark: false, host: 'keep' });
  const before = echo.seen.length;
  const reply = await two.both(all, '/own');
  expect(reply.status).toBe(201);
  expect(reply.headers).not.toHaveProperty('x-switchyard-proxied');
  expect(echo.seen[before]?.headers).toMatchObject({ host: [`${all}.localhost:${two.server.mockPort}`] });
  expect(await counts(all)).toMatchObject({ total: 2, unmatched: 2, proxied: 2 });

  const none = await proxied(echo.url, { when: 'never' });
  expect((await two.both(none, '/missing')).status).toBe(404);
  expect(await counts(none)).not.toHaveProperty('proxied');

  const edited = await proxied(echo.url, {
    requestHeaders: [
      { name: 'Authorization', value: 'Bearer of-a-test' },
      { name: 'x-one', value: null },
      { name: 'x-two', value: 'a' },
      { name: 'x-two', value: 'b' },
    ],
    responseHeaders: [
      { name: 'content-type', value: null },
      { name: 'X-Twice', value: 'once' },
    ],
  });
  const changed = await two.both(edited, '/any', { headers: { 'x-one': '1', authorization: 'mine' } });
  expect(changed.headers).not.toHaveProperty('content-type');
  expect(changed.headers['x-twice']).toBe('once');
  const asked = echo.seen.at(-1) as Seen;
  expect(asked.headers).toMatchObject({ Authorization: ['Bearer of-a-test'], 'x-two': ['a', 'b'] });
  expect(asked.headers).not.toHaveProperty('x-one');
  expect(asked.headers).not.toHaveProperty('authorization');
});

test('what a response says of its proxy stands in place of the settings, and the rest is theirs', async () => {
  const other = await realService((_request, response) => response.end('other'));
  const line = (name: string, value: string | null) => ({ name, value });
  const own = {
    host: 'upstream',
    requestHeaders: [line('x-own', 'b')],
    responseHeaders: [],
    rewrite: false,
    record: true,
  };
  const mock = await proxied(
    other.url,
    { host: 'keep', requestHeaders: [line('x-all', 'a')], responseHeaders: [line('x-set', 'c')] },
    [route('GET /own', [{ proxy: own }]), route('GET /all', [{ proxy: {} }])],
  );
  const [all, one] = [await two.ask(mock, '/all'), await two.ask(mock, '/own')];
  const [seenAll, seenOne] = other.seen.slice(-2) as [Seen, Seen];
  expect([all.headers['x-set'], one.headers['x-set']]).toEqual(['c', undefined]);
  expect(seenAll.headers).toMatchObject({ 'x-all': ['a'] });
  expect(seenOne.headers).toMatchObject({ 'x-own': ['b'], host: [other.host] });
  expect(seenAll.headers.host).not.toEqual([other.host]);
  expect(seenOne.headers).not.toHaveProperty('x-all');
  const { data } = (await two.api('GET', `/${mock}/recording`)).json;
  expect(data.map(({ path }: Fields) => path)).toEqual(['/own']);
  expect((await two.data('GET', `/${mock}/staged`)).routes[0].responses[0].proxy).toEqual(own);
});

test('a response with `proxy` is the answer of its upstream, chosen, delayed and failed as others are', async () => {
  const other = await realService((_request, response) => response.writeHead(418).end('other'));
  const mock = await two.mock(
    [
      route('ANY /users/:id', [
        { proxy: { path: "/v2{{path}}?by={{urlParam 'id'}}" }, templated: true, label: 'real' },
        { id: 'off', body: 'mocked', rules: [{ target: 'header', property: 'x-off', operator: 'exists' }] },
      ]),
      route('GET /other', [{ proxy: { upstream: other.url }, latency: 30 }]),
      route('GET /faulty', [{ proxy: {}, fault: { kind: 'status', status: 503 } }]),
    ],
    { proxy: { upstream: echo.url, when: 'never' } },
  );
  const reply = await two.both(mock, '/users/a%20b', { method: 'PUT', body: 'x' });
  expect(JSON.parse(reply.text)).toEqual({ method: 'PUT', url: '/v2/users/a%20b?by=a%20b', body: 'x' });
  expect(await two.text(mock, '/users/1', { headers: { 'x-off': '1' } })).toBe('mocked');
  const began = performance.now();
  expect((await two.both(mock, '/other')).status).toBe(418);
  expect(performance.now() - began).toBeGreaterThan(55);
  expect((await two.both(mock, '/faulty')).status).toBe(503);
  const { routes, ...totals } = await counts(mock);
  expect(totals).toMatchObject({
    total: 8,
    unmatched: 0,
    proxied: 4,
    statuses: [
      { status: 200, count: 2 },
      { status: 201, count: 2 },
      { status: 418, count: 2 },
      { status: 503, count: 2 },
    ],
  });
  expect(routes.map(({ count }: { count: number }) => count)).toEqual([4, 2, 2]);
  const [, , record] = await recorded(mock);
  expect(record).toMatchObject({ path: '/other', status: 418, proxied: true, routeId: expect.stringMatching(/./) });
  expect(record?.['durationMs']).toBeGreaterThan(25);
});

test('verify counts what was sent on', async () => {
  const mock = await proxied(echo.url);
  await two.both(mock, '/real');
  await two.both(mock, '/own');
  const verify = (match: Fields, exactly: number) => two.data('POST', `/${mock}/verify`, { match, exactly });
  expect(await verify({ proxied: true }, 2)).toMatchObject({ verified: true });
  expect(await verify({ proxied: false }, 2)).toMatchObject({ verified: true });
  expect(await verify({ proxied: true, path: '/own' }, 0)).toMatchObject({ verified: true });
});

test('redirects are not followed; places and cookies of the upstream become those of the mock', async () => {
  const site = await realService(({ url }, response) => {
    const here = `http://${response.req.headers.host}`;
    const to: Record<string, string> = {
      '/base/abs': `${here}/base/next?x=1`,
      '/base/path': '/base/next',
      '/base/else': 'https://example.com/a',
    };
    response.writeHead(302, {
      location: to[url ?? ''] ?? '/',
      'set-cookie': ['a=1; Domain=.example.com; Path=/', 'b=2; domain=localhost'],
    });
    response.end();
  });
  const mock = await proxied(`${site.url}/base/`);
  const location = async (path: string, ask = {}) => (await two.ask(mock, path, ask)).headers['location'];
  expect(await location('/abs')).toBe('/next?x=1');
  expect(await location('/path')).toBe('/next');
  expect(await location('/else')).toBe('https://example.com/a');
  expect((await two.ask(mock, '/abs')).headers['set-cookie']).toEqual(['a=1; Path=/', 'b=2']);
  expect(site.seen.map(({ url }) => url)).toEqual(['/base/abs', '/base/path', '/base/else', '/base/abs']);
  // By a path that names the mock.
  const byPath = await askMock(two.server.mockPort, `${two.root(mock)}/abs`);
  expect(byPath.headers['location']).toBe(`/__mock/${mock}/next?x=1`);

  const raw = await proxied(`${site.url}/base`, { rewrite: false });
  const reply = await two.both(raw, '/abs');
  expect(reply.headers['location']).toBe(`${site.url}/base/next?x=1`);
  // A cookie that would be sent to other mocks never passes.
  expect(reply.headers['set-cookie']).toEqual(['a=1; Domain=.example.com; Path=/']);
});

test('HEAD, 204 and 304 end at their heads, whatever length these say', async () => {
  const site = await realService(({ url }, response) => {
    const status = Number(url?.slice(1));
    response.writeHead(status, status === 204 ? {} : { 'content-length': '5000000000', etag: '"1"' });
    response.end();
  });
  const mock = await proxied(site.url);
  const head = await two.both(mock, '/200', { method: 'HEAD' });
  expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': '5000000000' } });
  expect(await two.both(mock, '/304')).toMatchObject({ status: 304, text: '', headers: { etag: '"1"' } });
  expect(await two.both(mock, '/204')).toMatchObject({ status: 204, text: '' });
});

test('failures say what failed, and are recorded', async () => {
  const silent = createPlainServer(() => undefined);
  const rude = createPlainServer((socket) => socket.once('data', () => socket.end('no HTTP at all\r\n\r\n')));
  const gone = createPlainServer((socket) => socket.once('data', () => socket.destroy()));
  const ports: number[] = [];
  for (const server of [silent, rude, gone]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    ports.push((server.address() as AddressInfo).port);
  }
  const closed = createPlainServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port: nowhere } = closed.address() as AddressInfo;
  await new Promise((resolve) => closed.close(resolve));
  const expected: [upstream: string, status: number, kind: string][] = [
    [`http://127.0.0.1:${ports[0]}`, 504, 'timeout'],
    [`http://127.0.0.1:${ports[1]}`, 502, 'invalid'],
    [`http://127.0.0.1:${ports[2]}`, 502, 'lost'],
    [`http://127.0.0.1:${nowhere}`, 502, 'unreachable'],
    ['http://name.invalid', 502, 'unreachable'],
    [`https://127.0.0.1:${echo.port}`, 502, 'tls'],
    // A port of another protocol.
    ['http://localhost:9', 403, 'addressRefused'],
    ['http://127.0.0.1:9', 403, 'addressRefused'],
  ];
  for (const [upstream, status, kind] of expected) {
    const mock = await proxied(upstream, { timeoutMs: kind === 'timeout' ? 300 : 30_000 });
    const reply = await two.ask(mock, '/x');
    expect({ upstream, ...failure(reply) }).toEqual({ upstream, status, kind });
    expect(JSON.parse(reply.text)).toMatchObject({ success: false, upstream, reason: expect.stringMatching(/./) });
    const [record] = await recorded(mock);
    expect(record).toMatchObject({ status, proxied: true, problem: expect.stringContaining(`upstream ${kind}: `) });
    expect(await counts(mock)).toMatchObject({ total: 1, unmatched: 1, proxied: 1, statuses: [{ status, count: 1 }] });
  }
  const without = await two.mock([route('GET /a', [{ proxy: {} }])]);
  expect(failure(await two.both(without, '/a'))).toEqual({ status: 502, kind: 'noUpstream' });
});

// reaches UPSTREAM_PASSES_MAX
test('a mock may be the upstream of another, and a circle ends', async () => {
  const behind = await two.mock([route('GET /deep', [{ body: 'from behind' }])]);
  const address = `http://127.0.0.1:${two.server.mockPort}/__mock/${behind}`;
  const front = await proxied(address);
  expect(await two.text(front, '/deep')).toBe('from behind');
  await two.save(behind, [route('GET /deep')], {
    proxy: { upstream: `http://127.0.0.1:${two.server.mockPort}/__mock/${front}` },
  });
  const reply = await two.both(front, '/round');
  expect(reply.status).toBe(508);
  expect(JSON.parse(reply.text).reason).toContain('already proxied the request 2 times');
});

// reaches UPSTREAM_TIMEOUT_MS_MAX
test('a save ends sending on; what is wrong is refused with its place', async () => {
  const mock = await proxied(echo.url);
  expect((await two.both(mock, '/x')).status).toBe(201);
  await two.save(mock, [route('GET /own')]);
  expect((await two.both(mock, '/x')).status).toBe(404);
  expect(await counts(mock)).toMatchObject({ total: 4, unmatched: 4, proxied: 2 });

  const wrong: [settings: Fields, path: string][] = [
    [{ upstream: 'api.example.com' }, '/settings/proxy/upstream'],
    [{ upstream: 'ftp://a.example' }, '/settings/proxy/upstream'],
    [{ upstream: 'http:a.example' }, '/settings/proxy/upstream'],
    [{ upstream: 'http://a.exa\nmple' }, '/settings/proxy/upstream'],
    [{ upstream: 'http://ann:secret@a.example' }, '/settings/proxy/upstream'],
    [{ upstream: 'http://a.example/?x=1' }, '/settings/proxy/upstream'],
    [{ when: 'always' }, '/settings/proxy/upstream'],
    [{ upstream: 'http://a.example', when: 'sometimes' }, '/settings/proxy/when'],
    [{ upstream: 'http://a.example', timeoutMs: 0 }, '/settings/proxy/timeoutMs'],
    [{ upstream: 'http://a.example', timeoutMs: 600_001 }, '/settings/proxy/timeoutMs'],
    [
      { upstream: 'http://a.example', requestHeaders: [{ name: 'connection', value: null }] },
      '/settings/proxy/requestHeaders/0',
    ],
    [
      { upstream: 'http://a.example', requestHeaders: [{ name: 'x-a', value: 'a\r\nb: c' }] },
      '/settings/proxy/requestHeaders/0',
    ],
    [
      { upstream: 'http://a.example', responseHeaders: [{ name: 'x-switchyard-error', value: '' }] },
      '/settings/proxy/responseHeaders/0',
    ],
    [{ upstream: 'http://a.example', upstreams: [] }, '/settings/proxy/upstreams'],
  ];
  for (const [proxy, path] of wrong) {
    const { status, json } = await two.api('POST', '', { name: 'wrong', settings: { proxy } });
    expect({ proxy, status, path: json.details[0].path }).toEqual({ proxy, status: 400, path });
  }
  for (const [response, path] of [
    [{ proxy: { upstream: 'x' } }, '/proxy/upstream'],
    [{ proxy: { path: 'a' } }, '/proxy/path'],
    [{ proxy: { requestHeaders: [{ name: 'connection', value: null }] } }, '/proxy/requestHeaders/0'],
    [{ proxy: { responseHeaders: [{ name: 'x-a', value: 'a\nb' }] } }, '/proxy/responseHeaders/0'],
    [{ proxy: { when: 'always' } }, '/proxy/when'],
    [{ proxy: {}, body: 'x' }, '/body'],
    [{ proxy: {}, headers: [{ name: 'a', value: 'b' }] }, '/headers'],
    [{ proxy: {}, fault: { kind: 'truncated' } }, '/fault/kind'],
  ] as const) {
    const { json } = await two.api('POST', '', { name: 'wrong', routes: [route('GET /a', [response])] });
    expect(json.details[0].path).toBe(`/routes/0/responses/0${path}`);
  }
  const { json } = await two.api('POST', '', { name: 'warned', routes: [route('GET /a', [{ proxy: {} }])] });
  expect(json.data.warnings ?? json.warnings).toEqual([
    expect.objectContaining({ warning: expect.stringContaining('answers 502') }),
  ]);
});

test('a session has its own proxy, its own responses of it, or none; its counts are its own', async () => {
  const other = await realService((_request, response) => response.writeHead(202).end('other'));
  const mock = await proxied(echo.url, {}, [
    route('GET /own', [{ body: 'own', headers: [{ name: 'x-a', value: 'b' }] }], { id: 'own' }),
  ]);
  const session = async (overlay: Fields): Promise<string> =>
    (await two.data('POST', `/${mock}/sessions`, { overlay })).id;
  const ask = async (id: string, path: string) =>
    (await two.both(mock, path, { headers: { 'x-mock-session': id } })).status;
  const off = await session({ settings: { proxy: null } });
  const elsewhere = await session({ settings: { proxy: { upstream: other.url, when: 'always' } } });
  const real = await session({ responses: { own: { merge: { proxy: {} } } } });
  const replaced = await session({ responses: { own: { proxy: { upstream: other.url } } }, settings: { proxy: null } });
  expect(await ask(off, '/missing')).toBe(404);
  expect(await ask(elsewhere, '/own')).toBe(202);
  expect(await ask(real, '/own')).toBe(201);
  expect(await ask(real, '/missing')).toBe(201);
  expect(await ask(replaced, '/own')).toBe(502);
  expect((await two.both(mock, '/own')).text).toBe('own');
  expect(await two.data('DELETE', `/${mock}/sessions/${real}`)).toMatchObject({
    counts: { total: 4, unmatched: 2, proxied: 4, statuses: [{ status: 201, count: 4 }] },
  });
  expect(await two.data('DELETE', `/${mock}/sessions/${off}`)).toMatchObject({ counts: { total: 2, unmatched: 2 } });
  expect(await two.data('GET', `/${mock}/counts?sessions=true`)).toMatchObject({ total: 12, proxied: 8 });
  const { status, json } = await two.api('POST', `/${mock}/sessions`, {
    overlay: { settings: { proxy: { upstream: 'x' } } },
  });
  expect({ status, path: json.details[0].path }).toEqual({ status: 400, path: '/overlay/settings/proxy/upstream' });

  // A mock that sends nothing on has sessions that do.
  const plain = await two.mock([route('GET /own', [{ body: 'own' }])]);
  const { id } = await two.data('POST', `/${plain}/sessions`, {
    overlay: { settings: { proxy: { upstream: other.url } } },
  });
  expect((await two.both(plain, '/any', { headers: { 'x-mock-session': id } })).status).toBe(202);
  expect((await two.both(plain, '/any')).status).toBe(404);
});

test('a large answer is passed on as fast as the client reads, and a client that goes away ends it', async () => {
  const chunk = Buffer.alloc(1_048_576, 'x');
  let [written, closed] = [0, 0];
  const site = await realService((_request, response) => {
    response.writeHead(200, { 'content-length': String(100 * chunk.length) });
    let left = 100;
    const more = (): void => {
      while (left-- > 0) {
        written += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', more);
      }
      response.end();
    };
    response.on('close', () => closed++);
    more();
  });
  const mock = await proxied(site.url);
  const open = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const asked = get(
        {
          host: '127.0.0.1',
          port: two.server.mockPort,
          path: '/big',
          agent: false,
          headers: { host: `${mock}.localhost` },
        },
        resolve,
      );
      asked.on('error', reject);
    });
  // Nothing of it is read: kernel buffers of three hops fill, and then the upstream waits.
  const slow = await open();
  let before = -1;
  await expect.poll(() => [written === before, (before = written)][0], { interval: 300, timeout: 10_000 }).toBe(true);
  expect(written).toBeLessThan(50 * chunk.length);
  slow.destroy();
  await expect.poll(() => closed, { timeout: 5_000 }).toBe(1);

  const whole = await open();
  let bytes = 0;
  for await (const part of whole as AsyncIterable<Buffer>) bytes += part.length;
  expect(bytes).toBe(100 * chunk.length);
});

test('an answer that is cut is cut, with a length or in chunks; events come as they are sent', async () => {
  const site = await realService(({ url }, response) => {
    response.writeHead(200, url === '/length' ? { 'content-length': '100' } : { 'content-type': 'text/event-stream' });
    response.write('part');
    if (url !== '/events') setTimeout(() => response.destroy(), 50);
    else setTimeout(() => response.end('end'), 300);
  });
  const mock = await proxied(site.url);
  await expect(two.ask(mock, '/length')).rejects.toThrow('aborted');
  await expect(two.ask(mock, '/chunks')).rejects.toThrow('aborted');
  const came: number[] = [];
  const began = performance.now();
  await new Promise<void>((resolve, reject) => {
    get(
      {
        host: '127.0.0.1',
        port: two.server.mockPort,
        path: '/events',
        agent: false,
        headers: { host: `${mock}.localhost` },
      },
      (reply) => {
        reply.on('data', () => came.push(performance.now() - began));
        reply.on('end', resolve);
      },
    ).on('error', reject);
  });
  expect(came.length).toBeGreaterThan(1);
  expect(came[0]).toBeLessThan(250);
});

test('a client that goes away before the answer is recorded without a status', async () => {
  const mock = await proxied((await realService(() => undefined)).url);
  const asked = get({
    host: '127.0.0.1',
    port: two.server.mockPort,
    path: '/never',
    agent: false,
    headers: { host: `${mock}.localhost` },
  });
  asked.on('error', () => undefined);
  setTimeout(() => asked.destroy(), 200);
  await expect.poll(async () => (await counts(mock)).total, { timeout: 5_000 }).toBe(1);
  expect(await counts(mock)).toMatchObject({ unmatched: 1, proxied: 1, statuses: [{ status: 0, count: 1 }] });
  const [record] = await recorded(mock);
  expect(record).toMatchObject({ status: 0, problem: expect.stringContaining('disconnected') });
});

// reaches UPSTREAM_HEAD_BYTES_MAX
test('hostile upstreams cost bounded memory: endless heads, bodies without end, statuses that do not exist', async () => {
  const endless = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.write('HTTP/1.1 200 OK\r\n');
    const line = `x-a: ${'a'.repeat(1_000)}\r\n`.repeat(100);
    const more = (): void => {
      while (!socket.destroyed && socket.write(line));
    };
    socket.on('drain', more);
    more();
  });
  const odd = createPlainServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n')),
  );
  const twice = createPlainServer((socket) =>
    socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 4\r\n\r\nabcd')),
  );
  for (const server of [endless, odd, twice]) {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(() => server.close());
    const mock = await proxied(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(failure(await two.ask(mock, '/x'))).toEqual({ status: 502, kind: 'invalid' });
  }
});

/** A real service that answers each path with bytes. */
async function rawService(answers: Readonly<Record<string, string>>): Promise<string> {
  const server = createPlainServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (asked) => socket.end(answers[String(asked).split(' ')[1] ?? ''] ?? ''));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('hostile heads of upstreams: a reason adds no line, a place that is none stays, a length has a bound', async () => {
  const length = 'content-length: 18446744073709551615';
  const upstream = await rawService({
    // The low bytes of these characters are CR and LF.
    '/reason': 'HTTP/1.1 200 \u010d\u010aset-cookie: a=1\u010d\u010ax: é\r\ncontent-length: 2\r\n\r\nok',
    '/place': 'HTTP/1.1 302 Found\r\nlocation: /\\[\r\ncontent-length: 0\r\n\r\n',
    '/length': `HTTP/1.1 200 OK\r\n${length}\r\n\r\n`,
    '/switch': 'HTTP/1.1 101 Switching\r\n\r\n',
    '/coding': 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip\r\n\r\nabc',
    '/zero': 'HTTP/1.1 000 Zero\r\ncontent-length: 0\r\n\r\n',
  });
  const mock = await proxied(upstream);
  const reason = await two.both(mock, '/reason');
  expect(reason).toMatchObject({ status: 200, text: 'ok' });
  expect(reason.headers).not.toHaveProperty('set-cookie');
  expect(await two.both(mock, '/place')).toMatchObject({ status: 302, headers: { location: '/\\[' } });
  for (const path of ['/length', '/switch', '/coding', '/zero'])
    expect({ path, ...failure(await two.both(mock, path)) }).toEqual({ path, status: 502, kind: 'invalid' });
  expect(failure(await two.both(mock, '/length', { method: 'HEAD' }))).toEqual({ status: 502, kind: 'invalid' });
});

test('a dry run says what would be sent on, and sends nothing', async () => {
  const mock = await two.mock(
    [
      route('GET /users/:id', [{ proxy: { path: "/v2/{{urlParam 'id'}}?x=1" }, templated: true }]),
      route('GET /bad', [{ proxy: { path: "{{query 'p'}}" }, templated: true }]),
    ],
    { proxy: { upstream: 'https://real.example/base/' } },
  );
  const asked = async (path: string, more: Fields = {}) => {
    const {
      explanation,
      response,
      route: found,
    } = await two.data('POST', `/${mock}/try`, { method: 'GET', path, ...more });
    expect(response).toBeNull();
    return { sentOn: explanation.sentOn, problem: explanation.problem, isRoute: found !== null };
  };
  expect(await asked('/users/7?y=2')).toEqual({
    sentOn: 'would be proxied to https://real.example/base/v2/7?x=1',
    isRoute: true,
  });
  expect(await asked('/missing?y=2')).toEqual({
    sentOn: 'would be proxied to https://real.example/base/missing?y=2',
    isRoute: false,
  });
  expect(await asked('/bad')).toMatchObject({ problem: 'the path of its proxy does not start with /' });
  expect((await two.both(mock, '/bad')).status).toBe(500);
  await two.data('PUT', `/${mock}/staged`, { settings: { proxy: { upstream: 'http://all.example', when: 'always' } } });
  expect(await asked('/users/7', { against: 'staged' })).toEqual({
    sentOn: 'would be proxied to http://all.example/users/7',
    isRoute: false,
  });
  await two.data('PUT', `/${mock}/staged`, { settings: { proxy: null }, routes: [route('GET /a', [{ proxy: {} }])] });
  expect((await asked('/a', { against: 'staged' })).sentOn).toContain('would answer 502');
  expect(await counts(mock)).not.toHaveProperty('proxied');
});

/** As a client writes it, byte by byte. uWebSockets.js takes such a byte at an end for a space. */
const NAME = Buffer.from('aéb').toString('latin1');

test('methods, targets and headers that are unusual reach the upstream as they are, or are refused', async () => {
  const mock = await proxied(echo.url);
  for (const method of ['PROPFIND', 'TRACE', 'QUERY', 'OPTIONS']) {
    const reply = await two.ask(mock, `/${method}`, { method });
    expect({ method, status: reply.status }).toEqual({ method, status: 201 });
    expect(echo.seen.at(-1)).toMatchObject({ method, url: `/${method}` });
  }
  const utf8 = await two.ask(mock, '/caf%C3%A9?q=%20+%25', {
    headers: { 'x-name': NAME },
  });
  expect(utf8.rawHeaders[utf8.rawHeaders.findIndex((name) => name.toLowerCase() === 'x-latin') + 1]).toBe(
    Buffer.from('é').toString('latin1'),
  );
  expect(echo.seen.at(-1)).toMatchObject({
    url: '/caf%C3%A9?q=%20+%25',
    headers: { 'x-name': [NAME] },
  });
  const odd = await two.ask(mock, '/odd', { method: 'M-SEARCH' });
  expect(odd.status).toBe(201);
  const snowman = Buffer.from('a☃b').toString('latin1');
  for (const name of ['via', 'x-forwarded-for']) {
    expect((await two.ask(mock, '/beyond', { headers: { [name]: snowman } })).status).toBe(201);
    expect(echo.seen.at(-1)?.headers[name]?.[0]?.startsWith(`${snowman}, `)).toBe(true);
  }
});

test('with `onFailure: mock` the mock answers in place of an upstream that fails, and traffic says why', async () => {
  const nowhere = 'http://localhost:9';
  const routes = [
    route('GET /own', [{ id: 'own', body: 'own' }]),
    route('POST /chosen', [
      { body: 'gold', rules: [{ target: 'body', property: 'plan', operator: 'equals', value: 'gold' }] },
      { body: 'other', default: true },
    ]),
    route('GET /late', [{ body: 'late', latency: 30 }]),
    route('GET /broken', [{ body: 'x', fault: { kind: 'status', status: 500 } }]),
    route('GET /real', [{ proxy: { upstream: nowhere } }]),
  ];
  const mock = await two.mock(routes, { proxy: { upstream: nowhere, when: 'always', onFailure: 'mock' } });
  expect(await two.ask(mock, '/own')).toMatchObject({ status: 200, text: 'own' });
  const [record] = await recorded(mock);
  expect(record).toMatchObject({
    responseId: 'own',
    status: 200,
    proxied: true,
    problem: expect.stringContaining('upstream addressRefused: '),
    upstream: { host: 'localhost:9', status: null, ms: expect.any(Number), problem: 'addressRefused' },
  });
  const posted = { method: 'POST', body: '{"plan":"gold"}', headers: { 'content-type': 'application/json' } };
  expect(await two.text(mock, '/chosen', posted)).toBe('gold');
  expect(await two.text(mock, '/late')).toBe('late');
  expect((await two.ask(mock, '/broken')).status).toBe(500);
  expect(await two.ask(mock, '/missing')).toMatchObject({
    status: 404,
    text: expect.stringContaining('No route matches'),
  });
  // A response with `proxy` has no other answer.
  expect(failure(await two.ask(mock, '/real'))).toEqual({ status: 403, kind: 'addressRefused' });
  const { routes: counted, ownerWaits: _waits, ...totals } = await counts(mock);
  expect(totals).toEqual({
    epoch: expect.anything(),
    total: 8,
    unmatched: 2,
    proxied: 8,
    statuses: [
      { status: 200, count: 5 },
      { status: 403, count: 1 },
      { status: 404, count: 1 },
      { status: 500, count: 1 },
    ],
  });
  expect(counted.map(({ count }: { count: number }) => count)).toEqual([1, 2, 2, 1, 0]);

  const unmatched = await proxied(nowhere, { onFailure: 'mock' });
  expect((await two.ask(unmatched, '/missing')).status).toBe(404);

  // In a session it is the session's routes.
  const overlay = { responses: { [counted[0].routeId]: { body: 'of a test' } } };
  const { id } = await two.data('POST', `/${mock}/sessions`, { overlay });
  expect(await two.text(mock, '/own', { headers: { 'x-mock-session': id } })).toBe('of a test');
  const tried = await two.data('POST', `/${mock}/try`, { method: 'GET', path: '/own' });
  expect(JSON.stringify(tried)).toContain('if that fails, the mock answers');
});

test('traffic says what the upstream did, in lists, one record and HAR', async () => {
  const mock = await proxied(echo.url);
  await two.ask(mock, '/x');
  await two.ask(mock, '/own');
  const upstream = { host: echo.host, status: 201, ms: expect.any(Number) };
  const [own, sentOn] = await recorded(mock, 'fields=summary');
  expect(sentOn).toMatchObject({ upstream });
  expect(sentOn?.['upstream']).not.toHaveProperty('problem');
  expect(own).not.toHaveProperty('upstream');
  expect(await two.data('GET', `/${mock}/requests/${String(sentOn?.['id'])}`)).toMatchObject({ upstream });
  const { log } = (await two.api('GET', `/${mock}/requests?format=har`)).json;
  expect(log.entries.map((entry: Fields) => entry['_upstream'])).toEqual([
    expect.objectContaining(upstream),
    undefined,
  ]);
});

test('an upstream that can never be reached is refused when it is written, and warned of when it is imported', async () => {
  const { port } = two.server;
  const refused: [upstream: string, message: string][] = [
    [`http://127.0.0.1:${port}/v1`, 'is a port of this server'],
    [`http://localhost:${port}`, 'is a port of this server'],
    ['http://169.254.169.254', 'always refused'],
    ['http://2852039166/latest', 'always refused'],
    ['http://0xa9.254.43518', 'always refused'],
    ['http://[::ffff:10.0.0.1]', 'allow it with --egress-allow'],
    ['http://10.0.0.1.', 'allow it with --egress-allow'],
    ['http://012.1', 'allow it with --egress-allow'],
  ];
  for (const [upstream, message] of refused) {
    const { status, json } = await two.api('POST', '', { name: 'refused', settings: { proxy: { upstream } } });
    expect({ upstream, status, details: json.details }).toEqual({
      upstream,
      status: 400,
      details: [{ path: '/settings/proxy/upstream', message: expect.stringContaining(message) }],
    });
  }
  const there = { proxy: { upstream: 'http://10.0.0.1' } };
  const mock = await two.mock([route('GET /a', [{ id: 'one', body: 'a' }], { id: 'a' })]);
  const { json: version } = await two.api('GET', `/${mock}`);
  const placed: [method: string, path: string, body: Fields, at: string][] = [
    ['POST', '', { name: 'refused', routes: [route('GET /a', [{ body: 'a' }, there])] }, '/routes/0/responses/1'],
    ['PUT', `/${mock}/staged`, { settings: there }, '/settings'],
    ['POST', `/${mock}/staged/routes`, route('GET /b', [there]), '/responses/0'],
    ['POST', `/${mock}/sessions`, { overlay: { settings: there } }, '/overlay/settings'],
    ['POST', `/${mock}/sessions`, { overlay: { responses: { a: { merge: there } } } }, '/overlay/responses/a/merge'],
    ['POST', `/${mock}/sessions`, { overlay: { responses: { a: there } } }, '/overlay/responses/a'],
  ];
  expect(version.success).toBe(true);
  for (const [method, path, body, at] of placed) {
    const { status, json } = await two.api(method, path, body);
    expect({ status, path: json.details?.[0].path }).toEqual({ status: 400, path: `${at}/proxy/upstream` });
  }
  const file = await two.api('POST', '/import', {
    switchyard: 2,
    kind: 'mock',
    name: 'moved',
    routes: [route('GET /a', [there])],
  });
  expect(file.status).toBe(200);
  expect(JSON.stringify(file.json.warnings)).toContain(
    'names an upstream that is never reached: 10.0.0.1:80 is not a public',
  );
});
