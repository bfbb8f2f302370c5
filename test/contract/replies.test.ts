/**
 * Replies of mocks over HTTP with two threads: bodies byte for byte, headers, statuses without a body, HEAD, latency;
 * docs/mocks-behaviour.md and "Behaviour". Templates: templates.test.ts. CORS: cors.test.ts.
 */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { isFullEffort } from '../support/effort.ts';
import { RawConnection, rawRequest } from '../support/raw-http.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();

const every = Buffer.from(Array.from({ length: 256 }, (_each, byte) => byte));
const random = randomBytes(100_003);

describe('bodies are sent byte for byte:', () => {
  const rows: [what: string, response: Fields, bytes: Buffer][] = [
    ['no text', {}, Buffer.alloc(0)],
    ['a text', { body: 'hello' }, Buffer.from('hello')],
    ['a text in UTF-8', { body: 'é ✓ 😀 \u0000\r\n' }, Buffer.from('é ✓ 😀 \u0000\r\n')],
    ['JSON as it was written', { body: '{ "a" :  1.0 }\n' }, Buffer.from('{ "a" :  1.0 }\n')],
    ['text that looks like base64', { body: 'aGVsbG8=' }, Buffer.from('aGVsbG8=')],
    ['templates when not `templated`', { body: '{{method}}' }, Buffer.from('{{method}}')],
    ['base64 of text', { body: 'aGVsbG8=', bodyEncoding: 'base64' }, Buffer.from('hello')],
    ['base64 of nothing', { body: '', bodyEncoding: 'base64' }, Buffer.alloc(0)],
    ['base64 of every byte', { body: every.toString('base64'), bodyEncoding: 'base64' }, every],
    ['base64 of many bytes', { body: random.toString('base64'), bodyEncoding: 'base64' }, random],
    ['a megabyte', { body: 'x'.repeat(1_000_000) }, Buffer.alloc(1_000_000, 'x')],
    [
      'base64 with templated headers',
      { body: every.toString('base64'), bodyEncoding: 'base64', headers: [{ name: 'x', value: '{{y}}' }] },
      every,
    ],
  ];
  let id: string;
  beforeAll(async () => {
    id = await two.mock(rows.map(([, response], index) => route(`GET /${index}`, [response])));
  });
  test.each(rows.map(([what, , bytes], index) => ({ what, bytes, index })))('$what', async ({ bytes, index }) => {
    const reply = await two.both(id, `/${index}`);
    expect(reply.status).toBe(200);
    expect(reply.bytes.equals(bytes)).toBe(true);
    expect(reply.headers['content-length']).toBe(String(bytes.length));
    expect(reply.headers['content-type']).toBeUndefined();
  });
});

describe('statuses:', () => {
  const STATUSES = [200, 201, 202, 203, 206, 207, 226, 299, 300, 301, 302, 307, 308, 400, 401, 403, 404, 409, 418, 422];
  const MORE = [429, 451, 499, 500, 501, 502, 503, 504, 511, 599];

  test('each is sent with its body', async () => {
    const all = [...STATUSES, ...MORE];
    const id = await two.mock(all.map((status) => route(`GET /${status}`, [{ status, body: `body ${status}` }])));
    for (const status of all)
      expect(await two.both(id, `/${status}`)).toMatchObject({ status, text: `body ${status}` });
  });

  test.each([204, 304])(
    '%d never has a body, even if the response defines one, and the connection stays usable',
    async (status) => {
      const headers = [{ name: 'x-a', value: '1' }];
      const id = await two.mock([
        route('GET /plain', [{ status, headers, body: 'never' }]),
        route('GET /templated', [{ status, headers, body: '{{method}}', templated: true }]),
        route('GET /late', [{ status, headers, body: 'never', latency: 20 }]),
        route('GET /after', [{ body: 'after' }]),
      ]);
      for (let thread = 0; thread < 2; thread++) {
        const connection = await RawConnection.open(two.server.mockPort);
        for (const path of ['/plain', '/templated', '/late']) {
          await connection.write(rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${id}.localhost`]));
          const answer = await connection.answer(true);
          expect([answer.status, answer.headers.get('x-a')]).toEqual([status, '1']);
          expect(answer.headers.has('transfer-encoding')).toBe(false);
        }
        await connection.write(rawRequest('GET /after HTTP/1.1', [`Host: ${id}.localhost`]));
        expect((await connection.answer()).body.toString()).toBe('after');
        await connection.close();
      }
    },
  );
});

test('HEAD has the status and headers of GET and never a body, and the connection stays usable', async () => {
  const headers = [{ name: 'x-a', value: '1' }];
  const id = await two.mock([
    route('GET /plain', [{ status: 203, headers, body: 'abc' }]),
    route('GET /templated', [{ headers, body: '{{path}}', templated: true }]),
    route('GET /large', [{ headers, body: 'x'.repeat(900_000) }]),
    route('GET /late', [{ headers, body: 'abc', latency: 20 }]),
    route('HEAD /own', [{ status: 202, headers, body: 'never' }]),
    route('ANY /any', [{ headers, body: 'abc' }]),
  ]);
  for (let thread = 0; thread < 2; thread++) {
    const connection = await RawConnection.open(two.server.mockPort);
    const send = (method: string, path: string) =>
      connection.write(rawRequest(`${method} ${path} HTTP/1.1`, [`Host: ${id}.localhost`]));
    for (const path of ['/plain', '/templated', '/large', '/late', '/any']) {
      await send('GET', path);
      const got = await connection.answer();
      expect(got.body.length).toBeGreaterThan(0);
      await send('HEAD', path);
      const head = await connection.answer(true);
      expect(head.status).toBe(got.status);
      expect(Object.fromEntries(head.headers)).toMatchObject({ 'x-a': '1' });
      expect(head.headers.get('content-length')).toBe(got.headers.get('content-length'));
    }
    for (const [path, status] of [
      ['/own', 202],
      ['/nowhere', 404],
    ] as const) {
      await send('HEAD', path);
      expect((await connection.answer(true)).status).toBe(status);
    }
    await send('GET', '/plain');
    expect((await connection.answer()).body.toString()).toBe('abc');
    await connection.close();
  }
});

describe('headers:', () => {
  /** Name and value of each line, in order. */
  const lines = (rawHeaders: readonly string[]): string[] =>
    rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));

  test('are sent in order, as written, including duplicates', async () => {
    const headers = [
      { name: 'X-Mixed-Case', value: 'Value; a="b"' },
      { name: 'Set-Cookie', value: 'a=1; Path=/' },
      { name: 'Set-Cookie', value: 'b=2; HttpOnly' },
      { name: 'x-empty', value: '' },
      { name: 'Content-Type', value: 'application/problem+json' },
      { name: 'Location', value: 'https://example.com/?a=b#c' },
      { name: 'ETag', value: 'W/"1"' },
      { name: 'x-tab', value: 'a\tb' },
    ];
    const id = await two.mock([route('GET /', [{ status: 302, headers }])], { cors: false });
    const got = lines((await two.both(id, '/')).rawHeaders);
    const names = new Set(headers.map(({ name }) => name.toLowerCase()));
    expect(got.filter((line) => names.has(line.split(':')[0]?.toLowerCase() as string))).toEqual(
      headers.map(({ name, value }) => `${name}: ${value}`),
    );
  });

  test('there is no Content-Type unless one is set, even for bodies of a recognisable type', async () => {
    const body = ['{"a":1}', '<html></html>', 'text', ''];
    const id = await two.mock(body.map((text, index) => route(`GET /${index}`, [{ body: text }])));
    for (const index of body.keys()) expect((await two.both(id, `/${index}`)).headers['content-type']).toBeUndefined();
    const own = [{ headers: [{ name: 'CONTENT-TYPE', value: 'text/x' }] }];
    expect((await two.both(await two.mock([route('GET /', own)]), '/')).headers['content-type']).toBe('text/x');
  });

  test.each<[string, string, string]>([
    ['a line break', 'x-a', 'a\r\nb: c'],
    ['a line feed', 'x-a', 'a\nb'],
    ['a carriage return', 'x-a', 'a\rb'],
    ['a NUL', 'x-a', 'a\u0000b'],
    ['a line break in the name', 'x-a\r\nx-b', 'a'],
    ['a space in the name', 'x a', 'a'],
    ['a colon in the name', 'x:a', 'a'],
    ['no name', '', 'a'],
    ['Content-Length', 'Content-Length', '1'],
    ['transfer-encoding', 'transfer-encoding', 'chunked'],
    ['CONNECTION', 'CONNECTION', 'close'],
  ])('%s is refused when the mock is edited', async (_what, name, value) => {
    const responses = [
      {
        headers: [
          { name: 'x-fine', value: '1' },
          { name, value },
        ],
      },
    ];
    const { status, json } = await two.api('POST', '', { name: 'm', routes: [route('GET /', responses)] });
    expect(status).toBe(400);
    expect(json.details[0].path).toMatch(/^\/routes\/0\/responses\/0\/headers\/1/);
  });
});

describe('latency:', () => {
  /** How long a reply took on each thread, in milliseconds. */
  async function took(id: string, path: string): Promise<number[]> {
    const times: number[] = [];
    for (let thread = 0; thread < 2; thread++) {
      const started = performance.now();
      expect((await two.ask(id, path)).status).toBe(200);
      times.push(performance.now() - started);
    }
    return times;
  }
  /** Timers may fire a millisecond early. */
  const EARLY = 2;

  test('a response is delayed by its milliseconds, plus those of the settings', async () => {
    const routes = [
      route('GET /none', [{}]),
      route('GET /fixed', [{ latency: 150 }]),
      route('GET /drawn', [{ latency: { min: 100, max: 120 } }]),
      route('GET /rendered', [{ latency: 100, templated: true, body: '{{uuid}}' }]),
    ];
    const plain = await two.mock(routes);
    const slow = await two.mock(routes, { latency: 100 });
    const drawn = await two.mock(routes, { latency: { min: 100, max: 110 } });
    const leasts: [string, string, number][] = [
      [plain, '/fixed', 150],
      [plain, '/drawn', 100],
      [plain, '/rendered', 100],
      [slow, '/none', 100],
      [slow, '/fixed', 250],
      [slow, '/drawn', 200],
      [drawn, '/none', 100],
      [drawn, '/fixed', 250],
    ];
    await Promise.all(
      leasts.map(async ([id, path, least]) => {
        for (const ms of await took(id, path)) {
          expect(ms, path).toBeGreaterThan(least - EARLY);
          expect(ms, path).toBeLessThan(least + 800);
        }
      }),
    );
    expect(Math.min(...(await took(plain, '/none')))).toBeLessThan(50);
  });

  test('{min, max} is drawn at random for each request', async () => {
    const id = await two.mock([route('GET /', [{ latency: { min: 0, max: 200 } }])]);
    await Promise.all(Array.from({ length: 40 }, () => two.ask(id, '/')));
    const { data } = (await two.api('GET', `/${id}/requests`)).json;
    const drawn = data.map(({ durationMs }: { durationMs: number }) => durationMs);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(250);
    expect(new Set(drawn).size).toBeGreaterThan(10);
    expect(Math.max(...drawn) - Math.min(...drawn)).toBeGreaterThan(60);
  });

  test('blocks no thread: thousands of delayed responses wait concurrently, and others are answered meanwhile', async () => {
    const latency = 2_000;
    // More take longer to open, on a busy machine, than a connection may be idle.
    const batches = isFullEffort ? 40 : 8;
    const id = await two.mock([route('GET /late', [{ latency, body: 'late' }]), route('GET /', [{ body: 'now' }])]);
    const connections: RawConnection[] = [];
    for (let batch = 0; batch < batches; batch++) {
      const opened = Array.from({ length: 250 }, () => RawConnection.open(two.server.mockPort));
      connections.push(...(await Promise.all(opened)));
    }
    // Hours, by two threads that wait for one response after the other.
    const blockedMs = (connections.length * latency) / 2;
    const request = rawRequest('GET /late HTTP/1.1', [`Host: ${id}.localhost`]);
    const started = performance.now();
    for (const connection of connections) void connection.write(request);
    const quick = performance.now();
    expect(await two.text(id, '/')).toBe('now');
    expect(performance.now() - quick).toBeLessThan(blockedMs / 500);
    let answered = 0;
    for (const connection of connections) {
      if ((await connection.answer()).body.toString() === 'late') answered++;
      connection.drop();
    }
    expect(answered).toBe(250 * batches);
    expect(performance.now() - started).toBeLessThan(blockedMs / 200);
  });
});
