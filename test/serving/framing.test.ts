/**
 * Hostile framing on the mock port: nothing hidden after a request is run, and no input crashes a thread.
 *
 * Forms of requests that both ports refuse: test/wire/malformed-requests.test.ts.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { TestPlane } from '../support/data-plane.ts';
import { ask, RawConnection, rawRequest } from '../support/raw-http.ts';
import { runs } from '../support/effort.ts';
import { framedMocks, framingCases, HOST } from './framing-cases.ts';

let data: TestPlane;
let pid: number | undefined;

beforeAll(async () => {
  data = await TestPlane.start({}, framedMocks('x'.repeat(3_000_000)));
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

framingCases(() => ({ data, address: data.port }));

test('a body that never arrives, or stops half way, harms no other request', async () => {
  for (const body of ['', 'half']) {
    const connection = await RawConnection.open(data.port);
    await connection.write(rawRequest('POST / HTTP/1.1', [HOST, 'Content-Length: 8'], body));
    connection.drop();
  }
  expect(await data.text('/', { mock: 'target' })).toBe('ok');
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
