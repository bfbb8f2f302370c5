/**
 * Faults and delivery over HTTP with two threads: what each does on the wire, and what clients see of it; docs/mocks-behaviour.md,
 * "Faults and delivery".
 */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fault } from '../../src/model/mocks/definition/definition.ts';
import { mock, response, route as routeFor, TestPlane } from '../support/data-plane.ts';
import { RawConnection, rawRequest, untilClosed } from '../support/raw-http.ts';
import { CertificateFiles, ROOT } from '../support/tls.ts';
import { route, TwoThreads, type Fields } from '../support/two-threads.ts';

const two = await TwoThreads.use();
let secure: TestPlane;
beforeAll(async () => {
  const { cert, key } = new CertificateFiles('first');
  const routes = ROWS.map(({ fault }, index) =>
    routeFor(`/${index}`, [response({ body: BODY, headers: HEADERS, fault: fault as unknown as Fault })]),
  );
  secure = await TestPlane.start({ tls: { cert, key } }, [mock('target', routes, { settings: { cors: false } })]);
});
afterAll(() => secure.plane.close());

const HEADERS = [{ name: 'x-a', value: '1' }];
const BODY = '{"a":"0123456789"}';
const HAS_CURL = spawnSync('curl', ['--version']).status === 0;

interface Row {
  readonly fault: Fields;
  /** Everything that is sent until the connection is closed, without the headers that the server adds to whole ones. */
  readonly raw: string;
  /** What clients make of it: status and body, or the code of their error; curl's exit code. */
  readonly fetched: string;
  readonly got: string;
  readonly curl: string;
  readonly recorded: { readonly status: number; readonly head?: string };
}

const GONE = { raw: '', fetched: 'UND_ERR_SOCKET', got: 'ECONNRESET', curl: '52', recorded: { status: 0 } };
const CUT = { fetched: 'UND_ERR_SOCKET', got: 'ECONNRESET', curl: '18', recorded: { status: 200, head: 'empty' } };

const ROWS: Row[] = [
  { fault: { kind: 'empty' }, ...GONE },
  { fault: { kind: 'reset' }, ...GONE },
  { fault: { kind: 'hang', ms: 100 }, ...GONE },
  {
    fault: { kind: 'truncated' },
    ...CUT,
    raw: 'HTTP/1.1 200 OK\r\nx-a: 1\r\ncontent-length: 18\r\n\r\n{"a":"012',
  },
  { fault: { kind: 'truncated', bytes: 2 }, ...CUT, raw: 'HTTP/1.1 200 OK\r\nx-a: 1\r\ncontent-length: 18\r\n\r\n{"' },
  { fault: { kind: 'truncated', bytes: 0 }, ...CUT, raw: 'HTTP/1.1 200 OK\r\nx-a: 1\r\ncontent-length: 18\r\n\r\n' },
  {
    fault: { kind: 'truncated', bytes: 1_000 },
    ...CUT,
    raw: 'HTTP/1.1 200 OK\r\nx-a: 1\r\ncontent-length: 18\r\n\r\n{"a":"0123456789"',
  },
  {
    fault: { kind: 'malformedChunk' },
    raw: 'HTTP/1.1 200 OK\r\nx-a: 1\r\ntransfer-encoding: chunked\r\n\r\n9\r\n{"a":"012\r\nno size\r\n',
    fetched: 'HPE_INVALID_CHUNK_SIZE',
    got: 'HPE_INVALID_CHUNK_SIZE',
    curl: '56',
    recorded: { status: 200, head: 'empty' },
  },
  {
    fault: { kind: 'garbage' },
    raw: 'HTTP/1.1 100 Continue\r\n\r\nÿþ\0\u009dlorem Ã(\u0007ipsum\u001bø\r\n',
    fetched: 'UND_ERR_SOCKET',
    got: 'HPE_INVALID_CONSTANT',
    curl: '1',
    recorded: { status: 0 },
  },
];

describe('each fault on the wire and to clients:', () => {
  let id: string;
  beforeAll(async () => {
    const routes = ROWS.map(({ fault }, index) => route(`ANY /${index}`, [{ body: BODY, headers: HEADERS, fault }]));
    id = await two.mock(routes, { cors: false });
  });

  test.each(ROWS.map((row, index) => ({ ...row, index, title: JSON.stringify(row.fault) })))(
    '$title',
    async ({ fault, raw, fetched, got, recorded, index }) => {
      const port = two.server.mockPort;
      const path = `/__mock/${id}/${index}`;
      expect(plain(await untilClosed(port, rawRequest(`GET ${path} HTTP/1.1`, ['Host: x'])))).toBe(raw);
      // From Node.js 24 on, fetch does not say what the parser met.
      const asLater = fetched.startsWith('HPE_') ? 'HTTPParserError' : fetched;
      expect([fetched, asLater]).toContain(await fetchedFrom(port, path));
      expect(await gotFrom(port, path)).toBe(got);
      const head = await untilClosed(port, rawRequest(`HEAD ${path} HTTP/1.1`, ['Host: x']));
      if (recorded.head === 'empty') expect(head).toBe('');
      const { data } = (await two.api('GET', `/${id}/requests?path=/${index}&fields=summary`)).json;
      expect(data.map(({ method, status, fault: kind }: Fields) => [method, status, kind])).toEqual([
        ['HEAD', recorded.head === undefined ? recorded.status : 0, recorded.head ?? fault['kind']],
        ...Array.from({ length: 3 }, () => ['GET', recorded.status, fault['kind']]),
      ]);
      const address = { port: secure.port, ca: ROOT };
      expect(plain(await untilClosed(address, rawRequest(`GET /${index} HTTP/1.1`, ['Host: target.localhost'])))).toBe(
        raw,
      );
    },
  );

  test.skipIf(!HAS_CURL)('curl, where it is installed, ends with the exit code of each', async () => {
    const codes = await Promise.all(
      ROWS.map((_row, index) => curl(`http://127.0.0.1:${two.server.mockPort}/__mock/${id}/${index}`)),
    );
    expect(codes).toEqual(ROWS.map((row) => row.curl));
  });
});

/** Without what the server adds to whole heads, and names in lower case as broken ones have them. */
function plain(text: string): string {
  return text
    .replaceAll(/\r\n(?:keep-alive|date|uwebsockets): [^\r]*/gi, '')
    .replace('Content-Length', 'content-length');
}

async function fetchedFrom(port: number, path: string): Promise<string> {
  try {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`);
    return `${reply.status} ${await reply.text()}`;
  } catch (error) {
    const { code, name } = (error as { cause: { code?: string; name: string } }).cause;
    return code ?? name;
  }
}

function gotFrom(port: number, path: string): Promise<string> {
  return new Promise((told) => {
    const failed = (error: NodeJS.ErrnoException): void => told(String(error.code));
    const sent = request({ host: '127.0.0.1', port, path, agent: false }, (reply) => {
      reply.on('error', failed).on('end', () => told(String(reply.statusCode)));
      reply.resume();
    });
    sent.on('error', failed).end();
  });
}

function curl(url: string): Promise<string> {
  return new Promise((told) => {
    execFile('curl', ['--silent', '--max-time', '20', url], (error) => told(String(error?.code ?? 0)));
  });
}

test('a status is answered with its body, as JSON where it is some, and when to come back; the connection stays', async () => {
  const faults = [
    { kind: 'status', status: 503, retryAfter: 7 },
    { kind: 'status', status: 418, body: 'short' },
    { kind: 'status', status: 500, body: '[1]' },
    { kind: 'status', status: 204 },
  ];
  const id = await two.mock(
    faults.map((fault, index) => route(`GET /${index}`, [{ status: 201, body: 'never', fault }])),
  );
  const json = 'application/json; charset=utf-8';
  const expected = [
    [503, json, '7', '{"success":false,"message":"Service Unavailable"}'],
    [418, 'text/plain; charset=utf-8', undefined, 'short'],
    [500, json, undefined, '[1]'],
    [204, undefined, undefined, ''],
  ];
  const connection = await RawConnection.open(two.server.mockPort);
  for (const [index, [status, type, retryAfter, body]] of expected.entries()) {
    await connection.write(rawRequest(`GET /${index} HTTP/1.1`, [`Host: ${id}.localhost`]));
    const answer = await connection.answer(status === 204);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('retry-after')]).toEqual([
      status,
      type,
      retryAfter,
    ]);
    expect(answer.body.toString()).toBe(body);
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  }
  await connection.close();
  expect((await two.data('GET', `/${id}/counts`)).statuses).toEqual(
    [204, 418, 500, 503].map((status) => ({ status, count: 1 })),
  );
});

test('a reply before one that is not sent arrives, also when both were asked for at once', async () => {
  const id = await two.mock([route('GET /', [{ body: 'first' }]), route('GET /gone', [{ fault: { kind: 'empty' } }])]);
  const asked = ['/', '/gone'].map((path) => rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${id}.localhost`]));
  expect(await untilClosed(two.server.mockPort, asked.join(''))).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nfirst$/);
});

test('with `debugHeaders` a status tells what brings it again', async () => {
  const faults = [{ kind: 'status', status: 503, after: 1 }];
  const id = await two.mock([route('GET /')], { seed: 42, debugHeaders: true, faults });
  const told: (string | undefined)[] = [];
  const connection = await RawConnection.open(two.server.mockPort);
  for (let asked = 0; asked < 2; asked++) {
    await connection.write(rawRequest('GET / HTTP/1.1', [`Host: ${id}.localhost`]));
    const { status, headers } = await connection.answer();
    told.push(`${status} ${headers.get('x-mock-seed')} ${headers.get('x-mock-request-number')}`);
  }
  await connection.close();
  expect(told).toEqual(['200 42 1', '503 42 2']);
});

describe('which requests a fault strikes:', () => {
  const asks = async (id: string, count: number, path = '/'): Promise<number[]> => {
    const statuses: number[] = [];
    for (let asked = 0; asked < count; asked++) statuses.push((await two.ask(id, path)).status);
    return statuses;
  };
  const failing = (more: Fields): Fields => ({ kind: 'status', status: 503, ...more });

  test('the first, or those after the first, of the route, in all threads', async () => {
    const id = await two.mock([
      route('GET /first', [{ fault: failing({ first: 2 }) }]),
      route('GET /after', [{ fault: failing({ after: 3 }) }]),
    ]);
    expect(await asks(id, 5, '/first')).toEqual([503, 503, 200, 200, 200]);
    expect(await asks(id, 5, '/after')).toEqual([200, 200, 200, 503, 503]);
    await two.api('DELETE', `/${id}/requests`);
    expect(await asks(id, 3, '/first')).toEqual([503, 503, 200]);
  });

  test('the settings come before the response, and the first that applies is the only one', async () => {
    const id = await two.mock([route('GET /', [{ fault: failing({}) }])], {
      faults: [failing({ status: 500, first: 1 }), failing({ status: 502, first: 2 })],
    });
    expect(await asks(id, 4)).toEqual([500, 502, 503, 503]);
    expect((await two.data('GET', `/${id}/counts`)).statuses).toEqual([
      { status: 500, count: 1 },
      { status: 502, count: 1 },
      { status: 503, count: 2 },
    ]);
    const verified = await two.data('POST', `/${id}/verify`, { match: { path: '/' }, exactly: 4 });
    expect(verified).toMatchObject({ verified: true, count: 4 });
    expect((await two.data('GET', `/${id}/requests?fault=status&status=502`)).length).toBe(1);
  });

  test('a share of them, the same ones with the same seed, which a dry run foresees', async () => {
    const faults = [failing({ probability: 0.5 })];
    const sequences: string[] = [];
    for (const seed of [7, 7, 8]) {
      const id = await two.mock([route('GET /')], { faults, seed });
      const statuses = await asks(id, 40);
      sequences.push(statuses.join());
      for (const [index, status] of statuses.slice(0, 8).entries()) {
        const tried = { method: 'GET', path: '/', requestNumber: index + 1 };
        const { explanation } = await two.data('POST', `/${id}/try`, tried);
        expect(explanation.faults[0].chance).toBe(status === 503 ? 1 : 0);
      }
    }
    expect(sequences[1]).toBe(sequences[0]);
    expect(sequences[2]).not.toBe(sequences[0]);
    expect(new Set(sequences[0]?.split(','))).toEqual(new Set(['200', '503']));
  });
});

describe('delivery', () => {
  const text = 'x'.repeat(50_000);

  test('sends the whole body over time, and keeps the connection', async () => {
    const id = await two.mock([
      route('GET /pieces', [{ body: text, delivery: { chunks: 5, overMs: 200 } }]),
      route('GET /rate', [{ body: text, delivery: { bytesPerSecond: 200_000 } }]),
      route('GET /late', [{ body: text, delivery: { firstByteMs: 200 } }]),
      route('GET /rendered', [{ body: '{{path}}', templated: true, delivery: { chunks: 1_000, overMs: 200 } }]),
    ]);
    const connection = await RawConnection.open(two.server.mockPort);
    for (const path of ['/pieces', '/rate', '/late', '/rendered']) {
      await connection.write(rawRequest(`HEAD ${path} HTTP/1.1`, [`Host: ${id}.localhost`]));
      const head = await connection.answer(true);
      const begunAt = performance.now();
      await connection.write(rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${id}.localhost`]));
      const answer = await connection.answer();
      expect(answer.body.toString()).toBe(path === '/rendered' ? path : text);
      expect(performance.now() - begunAt).toBeGreaterThan(190);
      expect(head.headers.get('content-length')).toBe(answer.headers.get('content-length'));
    }
    await connection.close();
  });

  test('waits for a client that reads slowly, and holds nothing for one that leaves', async () => {
    const large = 'y'.repeat(900_000);
    const id = await two.mock([
      route('GET /fast', [{ body: large, delivery: { chunks: 3, overMs: 1 } }]),
      route('GET /cut', [{ body: large, fault: { kind: 'truncated', bytes: 800_000 } }]),
    ]);
    for (const [path, bytes] of [
      ['/fast', 900_000],
      ['/cut', 800_000],
    ] as const) {
      const connection = await RawConnection.open(two.server.mockPort);
      connection.pause();
      await connection.write(rawRequest(`GET ${path} HTTP/1.1`, [`Host: ${id}.localhost`]));
      await answered(id, path);
      connection.resume();
      await connection.until(() => connection.rest.length - connection.rest.indexOf('\r\n\r\n') - 4 >= bytes);
      expect(connection.rest.length - connection.rest.indexOf('\r\n\r\n') - 4).toBe(bytes);
      if (path === '/cut') await connection.end();
      await connection.close();
    }
  });
});

/** Resolves when a request was recorded. */
async function answered(id: string, path: string, count = 1): Promise<void> {
  await two.data('POST', `/${id}/verify`, { match: { path }, atLeast: count, withinMs: 20_000 });
}

test('what is wrong with a fault or a delivery is said at its place, and nothing is made', async () => {
  const body = 'x';
  const rows: [string, Fields, Fields?][] = [
    ['/routes/0/responses/0/fault/kind', { status: 204, fault: { kind: 'truncated' } }],
    ['/routes/0/responses/0/delivery', { body, fault: { kind: 'malformedChunk' }, delivery: { firstByteMs: 1 } }],
    ['/routes/0/responses/0/delivery', { body, delivery: { chunks: 2 } }],
    ['/routes/0/responses/0/fault/kind', { body, fault: { kind: 'wrongLength' } }],
    ['/routes/0/responses/0/fault/status', { fault: { kind: 'status' } }],
    ['/routes/0/responses/0/fault/body', { fault: { kind: 'status', status: 204, body } }],
    ['/routes/0/responses/0/fault/ms', { fault: { kind: 'empty', ms: 1 } }],
    ['/routes/0/responses/0/fault/probability', { fault: { kind: 'empty', probability: 1.1 } }],
    ['/settings/faults/1/after', {}, { faults: [{ kind: 'empty' }, { kind: 'hang', first: 1, after: 1 }] }],
  ];
  for (const [path, given, settings = {}] of rows) {
    const { status, json } = await two.api('POST', '', { name: 'bad', routes: [route('GET /', [given])], settings });
    expect(status, path).toBe(400);
    expect(json.details.map((each: { path: string }) => each.path)).toContain(path);
  }
});

test('what the documentation offers to copy is accepted, and nothing of it is warned of but a reset', async () => {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/mocks-behaviour.md'), 'utf8');
  const rows = [...text.matchAll(/^\| [^|]+ \| (settings|response) \| `(\{.*\})` \|$/gm)];
  expect(rows.length).toBeGreaterThan(5);
  for (const [, place, json = ''] of rows) {
    const given = JSON.parse(json) as Fields;
    const [settings, more] = place === 'settings' ? [given, {}] : [{}, given];
    const id = await two.mock([route('GET /', [{ body: 'x'.repeat(100), ...more }])], settings);
    const { warnings } = await two.data('GET', `/${id}/staged/diff`);
    expect(warnings.filter(({ warning }: { warning: string }) => !warning.includes('fault reset'))).toEqual([]);
    expect((await two.data('GET', `/${id}/staged`)).settings).toMatchObject(settings);
  }
});

test('a template that renders a line break is answered 500, whatever the fault', async () => {
  const headers = [{ name: 'x-a', value: "{{queryParam 'q'}}" }];
  const id = await two.mock([
    route('GET /', [{ body: 'ab', headers, templated: true, fault: { kind: 'malformedChunk' } }]),
  ]);
  expect((await two.ask(id, '/?q=%0d%0ax-b:1')).status).toBe(500);
  const text = await untilClosed(two.server.mockPort, rawRequest(`GET /__mock/${id}/?q=1 HTTP/1.1`, ['Host: x']));
  expect(text).toContain('x-a: 1\r\n');
});

test('the diff warns of what only comes near, or never strikes; a dry run tells each fault and its chance', async () => {
  const fault = { kind: 'garbage', first: 2 };
  const faults = [
    { kind: 'reset', probability: 0.5 },
    { kind: 'empty', probability: 0 },
  ];
  const id = await two.mock([route('GET /', [{ fault }, { delivery: { firstByteMs: 5 } }])], { faults });
  const { warnings } = await two.data('GET', `/${id}/staged/diff`);
  const told = warnings.map(({ warning }: { warning: string }) => warning).join('\n');
  expect(told).toMatch(/has the fault garbage, which follows an interim reply/);
  expect(told).toMatch(/have the fault reset, which closes the connection without a byte/);
  expect(told).toMatch(/have a fault empty with probability 0, which never strikes/);
  expect(told).toMatch(/with first, which counts all requests to the route/);
  expect(told).toMatch(/has a delivery and no body/);
  const verdicts = async (requestNumber: number): Promise<[string, number][]> => {
    const { explanation, response: whole } = await two.data('POST', `/${id}/try`, {
      method: 'GET',
      path: '/',
      requestNumber,
    });
    expect(whole.status).toBe(200);
    return explanation.faults.map(({ kind, chance }: { kind: string; chance: number }) => [kind, chance]);
  };
  expect(await verdicts(1)).toEqual([
    ['reset', 0.5],
    ['empty', 0],
    ['garbage', 0.5],
  ]);
  expect(await verdicts(3)).toEqual([
    ['reset', 0.5],
    ['empty', 0],
    ['garbage', 0],
  ]);
});

test('200 replies that hang or dribble keep nobody waiting, and a stop ends them at once', async () => {
  const own = await TwoThreads.start();
  const id = await own.mock([
    route('GET /hang', [{ fault: { kind: 'hang' } }]),
    route('GET /slow', [{ body: 'x'.repeat(1_000), delivery: { chunks: 1_000, overMs: 600_000 } }]),
    route('GET /late', [{ latency: 600_000, fault: { kind: 'empty' } }]),
    route('GET /', [{ body: 'here' }]),
  ]);
  const paths = ['/hang', '/slow', '/late'];
  const connections = await Promise.all(
    Array.from({ length: 210 }, async (_each, index) => {
      const connection = await RawConnection.open(own.server.mockPort);
      await connection.write(rawRequest(`GET ${paths[index % 3]} HTTP/1.1`, [`Host: ${id}.localhost`]));
      return connection;
    }),
  );
  await own.data('POST', `/${id}/verify`, { match: {}, atLeast: 210, withinMs: 20_000 });
  expect((await own.both(id, '/')).text).toBe('here');
  for (const connection of connections.slice(0, 30)) connection.drop();
  expect((await own.both(id, '/')).text).toBe('here');
  expect(connections.slice(30).filter(({ closed }) => closed)).toEqual([]);
  const stopping = performance.now();
  await own.server.end();
  await Promise.all(connections.map((connection) => connection.end()));
  // Three seconds is how long a stop waits for replies in progress.
  expect(performance.now() - stopping).toBeLessThan(2_500);
});
