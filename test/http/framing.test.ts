/**
 * Hostile framing, heads, paths and connections against a real server: what is malformed is refused and runs nothing, neither
 * itself nor what hides behind it, and no client takes the server down.
 *
 * The forms of requests that either plane refuses are test/wire/malformed-requests.test.ts; bodies that are well framed and bad inside are
 * hostile-bodies.test.ts.
 */
import fc from 'fast-check';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ask,
  chunked,
  expectRefusal,
  knownKey,
  RawConnection,
  RawError,
  rawRequest,
  untilClosed,
} from '../support/raw-http.ts';
import { TestServer } from '../support/server.ts';

let server: TestServer;
let key: string;
/** A rule that nothing here may change. */
let victim: string;

beforeAll(async () => {
  server = await TestServer.start();
  key = await knownKey(server, 'owner');
});

// What one test let happen must not fail the next.
beforeEach(async () => {
  const { json } = await server.request('GET', '/v1/rules?pageSize=75', { key });
  const [first, ...others] = json.data as { id: string; name: string }[];
  if (first?.name === 'victim' && others.length === 0) return;
  for (const { id } of json.data as { id: string }[]) await server.request('DELETE', `/v1/rules/${id}`, { key });
  victim = (await server.request('POST', '/v1/rules', { key, body: rule('victim') })).json.data.id as string;
});

afterAll(async () => {
  expect(await server.end()).toBe(0);
  expect(server.stderr).toBe('');
});

function rule(name: string): Record<string, unknown> {
  return { name, ruleType: 'Cancel', pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'x' } }] };
}

function host(): string {
  return `Host: localhost:${server.port}`;
}

/** The header lines of a good request, and what is added to them. */
function head(...more: string[]): string[] {
  return [host(), `x-api-key: ${key}`, ...more];
}

function get(path: string, ...more: string[]): string {
  return rawRequest(`GET ${path} HTTP/1.1`, head(...more));
}

function post(name: string, ...more: string[]): string {
  const body = JSON.stringify(rule(name));
  return rawRequest('POST /v1/rules HTTP/1.1', head(...more, `Content-Length: ${body.length}`), body);
}

/** Two requests that are good by themselves and would be noticed. */
function smuggled(): string {
  return post('smuggled') + rawRequest(`DELETE /v1/rules/${victim} HTTP/1.1`, head());
}

async function ruleNames(): Promise<string[]> {
  const { json } = await server.request('GET', '/v1/rules?pageSize=75', { key });
  return (json.data as { name: string }[]).map(({ name }) => name);
}

async function expectAlive(): Promise<void> {
  expect((await server.request('GET', '/healthz')).status).toBe(200);
}

async function expectNothingHappened(): Promise<void> {
  expect(await ruleNames()).toEqual(['victim']);
}

/** Resolves when the server has logged the end of the request with this id. */
async function logged(requestId: string): Promise<void> {
  await expect.poll(() => server.stdout.includes(`"id":"${requestId}"`), { timeout: 10_000 }).toBe(true);
}

async function metric(name: string): Promise<number> {
  const json = await server.metrics();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(json)?.[1]);
}

const BODY = JSON.stringify(rule('malformed'));
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = 'Transfer-Encoding: chunked';

describe('malformed framing', () => {
  test('is answered with 400 in the envelope, and closes', async () => {
    for (const lines of [
      head(LENGTH, LENGTH),
      head('Content-Length: '),
      head('Transfer-Encoding: gzip, chunked'),
      head(CHUNKED, CHUNKED),
      head('x-api-key: sy_other'),
      head('Idempotency-Key: a', 'idempotency-key: a'),
      head('Content-Type: application/json', 'Content-Type: text/plain'),
      ['Host:'],
    ]) {
      const answer = await ask(server.port, rawRequest(`DELETE /v1/rules/${victim} HTTP/1.1`, lines));
      expectRefusal(answer, 400, 'Bad Request');
      expect(answer.headers.get('connection')).toBe('close');
    }
    await expectNothingHappened();
  });

  test('bytes after a refused framing are not run when they come later, and the client does not read', async () => {
    const other = await knownKey(server, 'reader');
    const value = 'v'.repeat(200_000);
    const body = { name: 'large', ruleType: 'Response', pairs: [{ type: 'static', value }] };
    expect((await server.request('POST', '/v1/rules', { key: other, body })).status).toBe(200);
    const connection = await RawConnection.open(server.port);
    connection.pause();
    // Answers that nobody reads, more than the kernel holds: the refusal queues behind them.
    const list = rawRequest('GET /v1/rules HTTP/1.1', [host(), `x-api-key: ${other}`]);
    await connection.write(list.repeat(100));
    await sleep(300);
    await connection.write(rawRequest('GET /healthz HTTP/1.1', head('x-request-id: refused-late', 'Content-Length:')));
    await Promise.race([logged('refused-late'), sleep(500)]);
    await connection.write(smuggled());
    await sleep(200);
    connection.resume();
    await connection.end();
    await expectNothingHappened();
  });
});

describe('chunked bodies', () => {
  test('a good chunked POST is answered, then its connection is closed', async () => {
    const other = await knownKey(server, 'chunks');
    const lines = [host(), `x-api-key: ${other}`, CHUNKED];
    const half = BODY.length / 2;
    const body = chunked(BODY.slice(0, half), BODY.slice(half));
    const answer = await ask(server.port, rawRequest('POST /v1/rules HTTP/1.1', lines, body));
    expect(answer).toMatchObject({ status: 200, json: { success: true, data: { name: 'malformed' } } });
    expect(answer.headers.get('connection')).toBe('close');
  });

  test('bytes after a chunked request are not run when its large answer is read slowly', async () => {
    const other = await knownKey(server, 'large-lists');
    await createLargeRules(other, 8);
    const slowReader = async (splitsLastChunk: boolean): Promise<void> => {
      const id = `chunked-${splitsLastChunk}`;
      const connection = await RawConnection.open(server.port);
      connection.pause();
      const list = rawRequest('GET /v1/rules?pageSize=75 HTTP/1.1', [
        host(),
        `x-api-key: ${other}`,
        CHUNKED,
        `x-request-id: ${id}`,
      ]);
      await connection.write(splitsLastChunk ? list : list + chunked());
      await Promise.race([logged(id), sleep(500)]);
      await connection.write((splitsLastChunk ? chunked() : '') + smuggled());
      await sleep(200);
      connection.resume();
      expect((await connection.answer()).status).toBe(200);
      // What the server still held it would run now; it closes such a connection after its idle timeout.
      await sleep(500);
      connection.drop();
    };
    await Promise.all([slowReader(false), slowReader(true)]);
    await expectNothingHappened();
  });
});

describe('the Host of a server that listens on loopback', () => {
  /** With names of its own. */
  let named: TestServer;
  beforeAll(async () => {
    named = await TestServer.start([
      '--allow-host=api.example.net,Other.Example',
      '--mock-domain=mocks.example',
      '--mock-url-template=https://<mock_id>.example.com',
    ]);
  });
  afterAll(async () => expect(await named.end()).toBe(0));

  test('names of other machines are refused, and nothing is run', async () => {
    for (const name of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      'evil-localhost',
      '192.168.0.1',
      '0.0.0.0',
      '[::2]',
      '128.0.0.1',
    ]) {
      const request = rawRequest('POST /v1/rules HTTP/1.1', [`Host: ${name}`, `x-api-key: ${key}`, LENGTH], BODY);
      expectRefusal(await ask(server.port, request), 403, 'Host not allowed');
    }
    await expectNothingHappened();
  });

  test('a refused Host reveals nothing about routes, keys or methods', async () => {
    for (const line of ['GET /nothing', 'PATCH /v1/rules', 'GET /v1/rules', 'OPTIONS /v1/rules', 'GET /healthz']) {
      const answer = await ask(server.port, rawRequest(`${line} HTTP/1.1`, ['Host: evil.example']));
      expectRefusal(answer, 403, 'Host not allowed');
      expect(answer.headers.get('allow')).toBeUndefined();
    }
  });

  test('loopback names are answered, with any port and in any case', async () => {
    const { port } = server;
    for (const name of [
      'localhost',
      `localhost:${port}`,
      'LocalHost',
      'localhost.',
      `mock.localhost:${port}`,
      'a.b.localhost',
      `127.0.0.1:${port}`,
      '127.0.0.1',
      '127.1.2.3',
      `[::1]:${port}`,
      '[::1]',
    ]) {
      expect((await ask(port, rawRequest('GET /healthz HTTP/1.1', [`Host: ${name}`]))).status).toBe(200);
    }
  });

  test('--allow-host adds names, and only these', async () => {
    for (const [name, status] of [
      ['api.example.net', 200],
      ['API.example.net:8080', 200],
      ['other.example', 200],
      ['localhost', 200],
      ['sub.api.example.net', 403],
      ['example.net', 403],
    ] as const) {
      expect((await ask(named.port, rawRequest('GET /healthz HTTP/1.1', [`Host: ${name}`]))).status).toBe(status);
    }
  });

  test("a mock's own name leads to the mock port, whether the API answers to it or not", async () => {
    const json = async ({ port }: TestServer, name: string, line = 'GET /orders') =>
      (await ask(port, rawRequest(`${line} HTTP/1.1`, [`Host: ${name}`]))).json;
    const owner = { key: await knownKey(server, 'named') };
    const { id } = (await server.request('POST', '/v1/mocks', { ...owner, body: { name: 'm' } })).json.data;
    const hint = ({ mockPort }: TestServer) => [
      { path: 'Host', message: `is the host name of a mock: mocks answer on port ${mockPort}` },
    ];
    for (const name of [`${id}.localhost`, `${id}.localhost:${server.port}`, `${id.toUpperCase()}.LocalHost.`]) {
      expect(await json(server, name)).toEqual({ success: false, message: 'Not found', details: hint(server) });
      expect(await json(server, name, 'GET /healthz')).toMatchObject({ success: true });
    }
    for (const name of ['localhost', 'api.localhost', `x.${id}.localhost`, '127.0.0.1']) {
      expect(await json(server, name)).toEqual({ success: false, message: 'Not found' });
    }
    for (const name of [`${id}.mocks.example`, `${id}.example.com:443`]) {
      expect(await json(named, name, 'GET /healthz')).toEqual({
        success: false,
        message: 'Host not allowed',
        details: hint(named),
      });
    }
    expect(await json(named, 'api.example.com')).toMatchObject({
      message: 'Host not allowed',
      details: [{ path: 'Host', message: expect.stringContaining('--allow-host') }],
    });
  });
});

describe('methods', () => {
  test('a 405 says what is allowed', async () => {
    for (const method of ['PATCH', 'Post']) {
      const answer = await ask(server.port, rawRequest(`${method} /v1/rules HTTP/1.1`, head(LENGTH), BODY));
      expectRefusal(answer, 405, 'Method not allowed');
      expect(answer.headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
    }
  });

  test('a method that the path of a record does not have leaves the record alone', async () => {
    for (const method of ['POST', 'patch', 'delete', 'put']) {
      const answer = await ask(server.port, rawRequest(`${method} /v1/rules/${victim} HTTP/1.1`, head(LENGTH), BODY));
      expectRefusal(answer, 405, 'Method not allowed');
      expect(answer.headers.get('allow')).toBe('GET, PUT, PATCH, DELETE, HEAD, OPTIONS');
    }
    await expectNothingHappened();
  });

  test('a HEAD has the length of the GET and no body, small or large', async () => {
    const other = await knownKey(server, 'heads');
    await createLargeRules(other, 2);
    const lines = [host(), `x-api-key: ${other}`];
    for (const path of ['/healthz', '/v1/openapi.json', '/v1/rules', '/v1/rules/Cancel_0', '/nothing']) {
      const whole = await ask(server.port, rawRequest(`GET ${path} HTTP/1.1`, lines));
      const connection = await RawConnection.open(server.port);
      await connection.write(rawRequest(`HEAD ${path} HTTP/1.1`, lines));
      const answer = await connection.answer(true);
      expect(answer.status).toBe(whole.status);
      expect(answer.headers.get('content-length')).toBe(String(whole.body.length));
      expect(answer.headers.get('content-type')).toBe(whole.headers.get('content-type'));
      // In step, with nothing between.
      await connection.write(get('/healthz'));
      expect((await connection.answer()).json).toEqual({ success: true, message: 'alive' });
      await connection.close();
    }
  });

  test('a HEAD that asks for a close has the length of the GET, no body, and the close', async () => {
    for (const path of ['/healthz', '/v1/openapi.json', '/nothing']) {
      const whole = await ask(server.port, get(path));
      for (const line of ['Connection: close', 'Connection: x, close', CHUNKED]) {
        const body = line === CHUNKED ? chunked('x') : '';
        const received = await untilClosed(server.port, rawRequest(`HEAD ${path} HTTP/1.1`, head(line), body));
        expect(received.toLowerCase()).toContain(`\r\ncontent-length: ${whole.body.length}\r\n`);
        // uWebSockets.js need not tell a client what it said itself.
        const tells = received.toLowerCase().match(/^connection: close$/gm) ?? [];
        expect([...(line === 'Connection: close' ? [0] : []), 1]).toContain(tells.length);
        expect(received.slice(received.indexOf('\r\n\r\n'))).toBe('\r\n\r\n');
      }
    }
  });

  test('a HEAD that is refused and closes has no body', async () => {
    for (const line of ['Content-Length:', CHUNKED]) {
      const received = await untilClosed(server.port, rawRequest('HEAD /nothing HTTP/1.1', head(line)));
      expect(received.slice(received.indexOf('\r\n\r\n'))).toBe('\r\n\r\n');
    }
  });
});

describe('paths', () => {
  test('no spelling of a path but the exact one reaches a record', async () => {
    const suffix = victim.slice('Cancel_'.length);
    for (const path of [
      `/v1/rules/%43ancel_${suffix}`,
      `/v1/rules/Cancel%5F${suffix}`,
      `/v1/rules/${victim}%00`,
      `/v1/rules/${victim}%20`,
      `/v1/rules/${victim}%2F`,
      `/v1/rules/${victim}%2F..`,
      `/v1/rules/x%2F..%2F${victim}`,
      `/v1/rules/..%2Frules%2F${victim}`,
      `/v1/rules/x/../${victim}`,
      `/v1/rules/./${victim}`,
      `/v1/groups/../rules/${victim}`,
      `/v1/groups/%2e%2e/rules/${victim}`,
      `/../v1/rules/${victim}`,
      `//v1/rules/${victim}`,
      `/v1//rules/${victim}`,
      `/v1/rules//${victim}`,
      `/v1/rules/${victim}/`,
      `/v1/rules/${victim}/x`,
      `/v1/rules/${victim};x=1`,
      `/v1/rules/${victim}#x`,
      `/v1/rules/${victim}%3Fx`,
      `/v1/rules\\${victim}`,
      `/V1/rules/${victim}`,
      `/v1/Rules/${victim}`,
      `/v1/rules/${victim.toUpperCase()}`,
      `/v1/rules/${victim}\u00e9`,
      `/v1/rul%65s/${victim}`,
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const request = rawRequest(`${method} ${path} HTTP/1.1`, head(LENGTH), BODY);
        const answer = await ask(server.port, Buffer.from(request, 'latin1'));
        expect({ method, path, status: answer.status }).toEqual({ method, path, status: 404 });
        expect(answer.json).toMatchObject({ success: false });
      }
    }
    await expectNothingHappened();
  });

  test('a query that looks like a path changes nothing about the path', async () => {
    const answer = await ask(server.port, get(`/v1/rules/${victim}?/../../groups/%2F..`));
    expect(answer).toMatchObject({ status: 200, json: { data: { id: victim } } });
  });

  test('an id that looks like a member of an object is not found', async () => {
    for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expectRefusal(await ask(server.port, get(`/v1/rules/${id}`)), 404, 'Rule not found');
      expectRefusal(await ask(server.port, get(`/v1/groups/${id}`)), 400, 'Invalid Group Id');
      expectRefusal(await ask(server.port, get(`/${id}`)), 404, 'Not found');
    }
  });

  test('thousands of segments are not found', async () => {
    for (const segment of ['/', '/a', '/..']) {
      expectRefusal(await ask(server.port, get(segment.repeat(1_000))), 404, 'Not found');
    }
  });
});

describe('oversized and foreign requests', () => {
  test.each([
    ['a header of 100,000 characters', () => get('/v1/rules', `X-Long: ${'a'.repeat(100_000)}`)],
    ['a header name of 100,000 characters', () => get('/v1/rules', `${'a'.repeat(100_000)}: x`)],
    ['a method of 100,000 characters', () => rawRequest(`${'A'.repeat(100_000)} / HTTP/1.1`, head())],
  ])('%s is refused, nothing behind it is run, and the server stays', async (_what, request) => {
    const received = await untilClosed(server.port, request() + smuggled());
    // What the client still sends may reset the connection before it has read why.
    expect(received).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
    await expectNothingHappened();
  });

  test('a request id that could break a header or a line of the log is replaced, a sane one is echoed', async () => {
    expect((await ask(server.port, get('/healthz', 'x-request-id: abc-1.2'))).headers.get('x-request-id')).toBe(
      'abc-1.2',
    );
    for (const id of ['a b', '"', '{}', 'a,b', '<x>', '\u00ff', 'a'.repeat(129), '']) {
      const answer = await ask(server.port, Buffer.from(get('/healthz', `x-request-id: ${id}`), 'latin1'));
      expect(answer.headers.get('x-request-id')).toMatch(/^[a-z0-9]+-[a-z0-9]+$/);
    }
  });
});

describe('connections', () => {
  test('pipelined GETs are answered in order', async () => {
    const paths = ['/healthz', '/v1/rules', '/nothing', '/readyz', `/v1/rules/${victim}`, '/v1/groups', '/v1/rules/zz'];
    const ids = Array.from({ length: 28 }, (_, index) => `pipelined-${index}`);
    const pipelined = async (): Promise<void> => {
      const connection = await RawConnection.open(server.port);
      await connection.write(
        ids.map((id, index) => get(paths[index % paths.length] as string, `x-request-id: ${id}`)).join(''),
      );
      for (const [index, id] of ids.entries()) {
        const answer = await connection.answer();
        expect(answer.headers.get('x-request-id')).toBe(id);
        expect(answer.status).toBe([200, 200, 404, 200, 200, 200, 404][index % paths.length]);
      }
      expect(connection.rest).toHaveLength(0);
      await connection.close();
    };
    // Where the machine is so busy that they take more than an owner's share of a turn, the connection closes (docs/http.md).
    for (let attempt = 1; ; attempt++) {
      try {
        return await pipelined();
      } catch (error) {
        if (!(error instanceof RawError) || attempt === 5) throw error;
        await sleep(attempt * 200);
      }
    }
  });

  test('a request that comes byte by byte is answered', async () => {
    const connection = await RawConnection.open(server.port);
    for (const byte of get('/healthz')) await connection.write(byte);
    expect((await connection.answer()).status).toBe(200);
    await connection.close();
  });

  test('a client that disconnects in the middle of a body leaves no trace', async () => {
    for (const [lines, body] of [
      [[LENGTH], BODY.slice(0, -1)],
      [[LENGTH], ''],
      [[CHUNKED], `${BODY.length.toString(16)}\r\n${BODY.slice(0, 40)}`],
      [[CHUNKED], `${BODY.length.toString(16)}\r\n${BODY}\r\n`],
      [['Content-Length: 900000'], `{"name":"${'x'.repeat(500_000)}`],
    ] as const) {
      for (const leave of ['finish', 'drop'] as const) {
        const connection = await RawConnection.open(server.port);
        await connection.write(rawRequest('POST /v1/rules HTTP/1.1', head(...lines), body));
        connection[leave]();
        await connection.end();
      }
    }
    // The request for the metrics is the one in flight.
    await expect.poll(() => metric('switchyard_http_requests_in_flight')).toBe(1);
    await expectNothingHappened();
  });

  test('a client that disconnects before its answer does not affect others', async () => {
    const other = await knownKey(server, 'leaver');
    const lines = [host(), `x-api-key: ${other}`, LENGTH];
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        const connection = await RawConnection.open(server.port);
        await connection.write(rawRequest('POST /v1/rules HTTP/1.1', lines, BODY));
        connection.drop();
      }),
    );
    await expect.poll(() => metric('switchyard_http_requests_in_flight')).toBe(1);
    await expectAlive();
  });

  test('a slow reader of a large page gets every byte and does not hold up others', async () => {
    const other = await knownKey(server, 'slow-reader');
    await createLargeRules(other, 12);
    const lines = [host(), `x-api-key: ${other}`];
    const connection = await RawConnection.open(server.port);
    connection.pause();
    await connection.write(rawRequest('GET /v1/rules?pageSize=75 HTTP/1.1', lines));
    for (let index = 0; index < 20; index++) {
      const asked = performance.now();
      await expectAlive();
      expect(performance.now() - asked).toBeLessThan(1_000);
      await sleep(25);
    }
    for (let index = 0; index < 20; index++) {
      connection.resume();
      await sleep(2);
      connection.pause();
      await sleep(10);
    }
    connection.resume();
    const answer = await connection.answer();
    expect(answer.status).toBe(200);
    const { data } = answer.json as { data: { name: string; pairs: { value: string }[] }[] };
    expect(data.map(({ name, pairs }) => [name, pairs[0]?.value === largeValue(name)])).toEqual(
      // As many as a page has room for.
      Array.from({ length: 4 }, (_, index) => [`large-${index}`, true]),
    );
    // The connection is still good.
    await connection.write(get('/healthz'));
    expect((await connection.answer()).status).toBe(200);
    await connection.close();
  });

  test('a reader that disconnects in the middle of a large page does not affect others', async () => {
    const other = await knownKey(server, 'leaving-reader');
    await createLargeRules(other, 8);
    for (let index = 0; index < 5; index++) {
      const connection = await RawConnection.open(server.port);
      connection.pause();
      await connection.write(rawRequest('GET /v1/rules?pageSize=75 HTTP/1.1', [host(), `x-api-key: ${other}`]));
      await sleep(20);
      connection.drop();
    }
    await expect.poll(() => metric('switchyard_http_connections'), { timeout: 15_000 }).toBeLessThan(10);
    await expectAlive();
  });

  test('a client that sends requests and reads no answer cannot fill the memory', async () => {
    const before = await metric('process_resident_memory_bytes');
    const connection = await RawConnection.open(server.port);
    connection.pause();
    // Without a key: 4,000 times 110 KB.
    await Promise.race([
      connection.write(rawRequest('GET /v1/openapi.json HTTP/1.1', [host()]).repeat(4_000)),
      sleep(2_000),
    ]);
    await sleep(300);
    const after = await metric('process_resident_memory_bytes');
    connection.drop();
    expect(after - before).toBeLessThan(150_000_000);
  });

  test('two thousand connections that are opened and dropped leave nothing behind', async () => {
    const starts = [
      '',
      'G',
      'GET /healthz HTTP/1.1\r\n',
      get('/healthz'),
      get('/v1/rules'),
      '\u0016\u0003',
      post('never').slice(0, -1),
    ];
    for (let round = 0; round < 20; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, index) => {
          const connection = await RawConnection.open(server.port);
          await connection.write(starts[index % starts.length] as string);
          connection.drop();
        }),
      );
    }
    await expect.poll(() => metric('switchyard_http_connections'), { timeout: 15_000 }).toBeLessThan(10);
    await expectNothingHappened();
  });

  test('connections that are dropped before they are accepted do not affect others', async () => {
    await Promise.all(
      Array.from({ length: 300 }, () => {
        const socket = connect(server.port, '127.0.0.1');
        socket.on('error', () => undefined);
        return new Promise<void>((closed) => {
          socket.on('close', () => closed());
          socket.destroy();
        });
      }),
    );
    await expectAlive();
  });
});

/** Some random cases, others each time: thousands are those of the proof `http-fuzz`. */
describe('any bytes', () => {
  /** Each run ends when the server has read all and closed. */
  async function throwAt(bytes: Uint8Array): Promise<void> {
    const connection = await RawConnection.open(server.port);
    await connection.write(bytes);
    connection.finish();
    await connection.end();
  }

  async function expectNoBug(): Promise<void> {
    expect((await ask(server.port, get('/healthz', `x-request-id: after-${server.stdout.length}`))).status).toBe(200);
    expect(server.stdout).not.toContain('"status":500');
    expect(server.stdout).not.toContain('unhandled error in a request handler');
  }

  test('random bytes never kill the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 600 }), (bytes) => throwAt(bytes)),
      { numRuns: 100 },
    );
    await expectNoBug();
    await expectNothingHappened();
  });

  test('requests with bytes changed, lost, doubled or cut into packets never kill the server', async () => {
    // Of an owner that has nothing: some of them stay good.
    const other = await knownKey(server, 'mutated');
    const lines = [host(), `x-api-key: ${other}`];
    const requests = [
      rawRequest('GET /v1/rules?offset=0&pageSize=10&q=%20 HTTP/1.1', lines),
      rawRequest('POST /v1/rules HTTP/1.1', [...lines, 'Content-Type: application/json', LENGTH], BODY),
      rawRequest('POST /v1/groups HTTP/1.1', [...lines, CHUNKED, 'Idempotency-Key: a'], chunked('{"name":', '"g"}')),
      rawRequest('PUT /v1/rules/Cancel_0 HTTP/1.1', [...lines, 'If-Match: "1"', LENGTH], BODY),
      rawRequest('DELETE /v1/groups/Group_0 HTTP/1.1', [...lines, 'Content-Length: 0']),
      rawRequest('OPTIONS /v1/rules HTTP/1.1', [...lines, 'Origin: http://a', 'Access-Control-Request-Method: POST']),
      rawRequest('HEAD /metrics HTTP/1.1', [...lines, 'Authorization: Bearer x', 'Connection: close']),
    ];
    const mutation = fc.record({
      kind: fc.constantFrom('set', 'insert', 'remove', 'double'),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      bytes: fc.oneof(
        fc.uint8Array({ minLength: 1, maxLength: 4 }),
        fc
          .constantFrom('\r\n', '\r\n\r\n', '\0', ' ', ':', '0', '-', 'chunked', '\n', '%', '{', '"')
          .map((text) => Buffer.from(text)),
      ),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...requests), { minLength: 1, maxLength: 3 }),
        fc.array(mutation, { maxLength: 6 }),
        async (parts, mutations) => {
          let bytes = Buffer.from(parts.join(''));
          for (const { kind, at, bytes: given } of mutations) {
            const start = Math.floor(at * bytes.length);
            const before = bytes.subarray(0, start);
            if (kind === 'set') bytes = Buffer.concat([before, given, bytes.subarray(start + given.length)]);
            else if (kind === 'insert') bytes = Buffer.concat([before, given, bytes.subarray(start)]);
            else if (kind === 'remove') bytes = Buffer.concat([before, bytes.subarray(start + given.length)]);
            else bytes = Buffer.concat([bytes.subarray(0, start + 20), bytes.subarray(start)]);
          }
          await throwAt(bytes);
        },
      ),
      { numRuns: 150 },
    );
    await expectNoBug();
    await expectNothingHappened();
  });
});

function largeValue(name: string): string {
  return `${name}/`.repeat(100_000).slice(0, 900_000);
}

async function createLargeRules(ownerKey: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const name = `large-${index}`;
    const body = { name, ruleType: 'Response', pairs: [{ type: 'static', value: largeValue(name) }] };
    const { status } = await server.request('POST', '/v1/rules', { key: ownerKey, body });
    expect(status).toBe(200);
  }
}
