/**
 * Hostile framing on the mock port: nothing hidden after a request is run, and no input crashes a thread.
 *
 * Forms of requests that both ports refuse: test/wire/malformed-requests.test.ts.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { mock, response, route, TestPlane } from '../support/data-plane.ts';
import { ask, chunked, RawConnection, rawRequest, untilClosed } from '../support/raw-http.ts';
import { runs } from '../support/effort.ts';

let data: TestPlane;
let pid: number | undefined;

beforeAll(async () => {
  const large = response({ body: 'x'.repeat(3_000_000) });
  const routes = [
    route('/', [response({ body: 'ok' })], { method: 'ANY' }),
    route('/large', [large], { method: 'ANY' }),
    route('/none', [response({ status: 204 })], { method: 'ANY' }),
    route('/late', [response({ body: 'late', latency: 50 })], { method: 'ANY' }),
    route('/smuggled', [response({ body: 'smuggled' })], { method: 'ANY' }),
  ];
  data = await TestPlane.start({}, [mock('target', routes), mock('quiet', routes, { settings: { traffic: false } })]);
  pid = data.plane.childPid;
});

beforeEach(async () => {
  await data.plane.reset('target');
});

afterAll(async () => {
  expect(data.plane.childPid).toBe(pid);
  expect(data.log).toEqual([]);
  await data.plane.close();
});

const HOST = 'Host: target.localhost';
const SMUGGLED = rawRequest('GET /smuggled HTTP/1.1', [HOST]);

async function expectNothingSmuggled(): Promise<void> {
  const page = await data.plane.requests('target', { limit: 10, path: '/smuggled' });
  expect(page?.count).toBe(0);
  expect(await data.text('/', { mock: 'target' })).toBe('ok');
}

describe.each(['/', '/large', '/none', '/late'])('a chunked request to %s', (path) => {
  test.each(['target', 'quiet'])('is answered with a close (%s)', async (name) => {
    const head = [`Host: ${name}.localhost`, 'Transfer-Encoding: chunked'];
    for (const method of ['POST', 'HEAD']) {
      const request = rawRequest(`${method} ${path} HTTP/1.1`, head, chunked('abc'));
      const { status, headers } = await ask(data.port, request, method === 'HEAD' || path === '/none');
      expect([status, headers.get('connection')]).toEqual([path === '/none' ? 204 : 200, 'close']);
    }
  });

  // uWebSockets.js may close because of the bytes after it, before the reply.
  test.each(['target', 'quiet'])('does not run the bytes after it (%s)', async (name) => {
    const head = [`Host: ${name}.localhost`, 'Transfer-Encoding: chunked'];
    for (const method of ['POST', 'HEAD']) {
      const bytes = rawRequest(`${method} ${path} HTTP/1.1`, head, chunked('abc')) + SMUGGLED;
      expect(await untilClosed(data.port, bytes)).not.toContain('smuggled');
    }
    await expectNothingSmuggled();
  });
});

test('pipelined requests to static mocks are answered in order', async () => {
  const connection = await RawConnection.open(data.port);
  const post = rawRequest('POST / HTTP/1.1', [HOST, 'Content-Length: 3'], 'abc');
  await connection.write((rawRequest('GET / HTTP/1.1', [HOST]) + post).repeat(20));
  for (let index = 0; index < 40; index++) expect((await connection.answer()).body.toString()).toBe('ok');
  await connection.close();
});

test('a HEAD on a persistent connection leaves it usable', async () => {
  const connection = await RawConnection.open(data.port);
  for (const path of ['/', '/large', '/none', '/late']) {
    await connection.write(rawRequest(`HEAD ${path} HTTP/1.1`, [HOST]));
    expect((await connection.answer(true)).status).toBe(path === '/none' ? 204 : 200);
  }
  await connection.write(rawRequest('GET / HTTP/1.1', [HOST]));
  expect((await connection.answer()).body.toString()).toBe('ok');
  await connection.close();
});

test('a body that never arrives, or stops half way, harms no other request', async () => {
  for (const body of ['', 'half']) {
    const connection = await RawConnection.open(data.port);
    await connection.write(rawRequest('POST / HTTP/1.1', [HOST, 'Content-Length: 8'], body));
    connection.drop();
  }
  expect(await data.text('/', { mock: 'target' })).toBe('ok');
});

test('a body above the limit is refused while it is received', async () => {
  const connection = await RawConnection.open(data.port);
  await connection.write(rawRequest('POST / HTTP/1.1', [HOST, 'Transfer-Encoding: chunked']));
  const megabyte = 'x'.repeat(1_048_576);
  for (let index = 0; index < 10; index++) void connection.write(`100000\r\n${megabyte}\r\n`);
  void connection.write('1\r\nx\r\n');
  expect((await connection.answer()).status).toBe(413);
  await connection.end();
});

test('no input ends the threads', async () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'GET / HTTP/1.1\r\n',
      'HEAD /large HTTP/1.1\r\n',
      'POST /late HTTP/1.1\r\n',
      'OPTIONS / HTTP/1.1\r\nOrigin: a\r\nAccess-Control-Request-Method: \u00ff\r\n',
      `${HOST}\r\n`,
      'Host: x\r\nx-mock-id: target\r\n',
      'Content-Length: 3\r\n',
      'Transfer-Encoding: chunked\r\n',
      '\r\n',
      '3\r\nabc\r\n',
      '0\r\n\r\n',
      '/__mock/target/%',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const connection = await RawConnection.open(data.port);
      await connection.write(pieces.join(''));
      await new Promise((resolve) => setTimeout(resolve, 5));
      connection.drop();
    }),
    { numRuns: runs(300) },
  );
  const answer = await ask(data.port, rawRequest('GET / HTTP/1.1', [HOST]));
  expect(answer.body.toString()).toBe('ok');
  expect(data.plane.childPid).toBe(pid);
});
