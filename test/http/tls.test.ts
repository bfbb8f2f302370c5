/**
 * The API with TLS: what framing.test.ts holds of plain connections holds here. Starting, renewing and the connections of both ports
 * are process/tls.test.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  ask,
  chunked,
  expectRefusal,
  RawConnection,
  rawRequest,
  untilClosed,
  type RawAddress,
} from '../support/raw-http.ts';
import { TestServer } from '../support/server.ts';
import { CertificateFiles, ROOT } from '../support/tls.ts';

const LARGE = 'large/'.repeat(150_000);

let server: TestServer;
let key: string;
let secure: RawAddress;
let large: string;

beforeAll(async () => {
  server = await TestServer.start(['--workers', '1', ...new CertificateFiles('first').options]);
  secure = { port: server.port, ca: ROOT };
  key = await server.key('local');
  const body = JSON.stringify({ name: 'large', ruleType: 'Response', pairs: [{ type: 'static', value: LARGE }] });
  const created = await ask(
    secure,
    rawRequest('POST /v1/rules HTTP/1.1', head(`Content-Length: ${body.length}`), body),
  );
  expect(created.status).toBe(200);
  large = `/v1/rules/${(created.json as { data: { id: string } }).data.id}`;
});

afterAll(async () => {
  expect(await server.end()).toBe(0);
  expect(server.stderr).toBe('');
});

function head(...more: string[]): string[] {
  return [`Host: localhost:${server.port}`, `x-api-key: ${key}`, ...more];
}

function get(path: string): string {
  return rawRequest(`GET ${path} HTTP/1.1`, head());
}

/** Two requests that are good by themselves and would be noticed. */
function smuggled(): string {
  const body = JSON.stringify({ name: 'smuggled', ruleType: 'Delay', pairs: [{ delay: 1 }] });
  const post = rawRequest('POST /v1/rules HTTP/1.1', head(`Content-Length: ${body.length}`), body);
  return post + rawRequest(`DELETE ${large} HTTP/1.1`, head());
}

async function expectNothingHappened(): Promise<void> {
  const { json } = await ask(secure, get('/v1/rules'));
  expect((json as { data: { name: string }[] }).data.map(({ name }) => name)).toEqual(['large']);
}

test.each([
  ['two Content-Lengths that differ', ['Content-Length: 2', 'Content-Length: 5'], 'ab'],
  ['an empty Content-Length', ['Content-Length: '], 'ab'],
  ['a Content-Length that is not a number', ['Content-Length: abc'], 'ab'],
  ['Transfer-Encoding gzip, chunked', ['Transfer-Encoding: gzip, chunked'], chunked('ab')],
  ['Transfer-Encoding and Content-Length', ['Transfer-Encoding: chunked', 'Content-Length: 2'], chunked('ab')],
  ['a second Host', ['Host: localhost'], ''],
  ['a chunked body', ['Transfer-Encoding: chunked'], chunked('{}')],
])('what stands behind a request with %s does not run', async (_what, lines, body) => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    for (const path of ['/v1/rules', '/v1/rules/Delay_none', large, '/nowhere']) {
      if (method === 'DELETE' && path === large) continue;
      await untilClosed(secure, rawRequest(`${method} ${path} HTTP/1.1`, head(...lines), body) + smuggled());
    }
  }
  await expectNothingHappened();
});

test('malformed framing is 400 in the envelope, and closes', async () => {
  const connection = await RawConnection.open(secure);
  await connection.write(rawRequest('POST /v1/rules HTTP/1.1', head('Content-Length: 0', 'Content-Length: 2'), 'ab'));
  expectRefusal(await connection.answer(), 400, 'Bad Request');
  await connection.end();
});

test('a name of another machine is refused', async () => {
  const request = rawRequest('GET /v1/rules HTTP/1.1', ['Host: evil.example', `x-api-key: ${key}`]);
  expectRefusal(await ask(secure, request), 403, 'Host not allowed');
});

test('pipelined GETs are answered in order', async () => {
  const connection = await RawConnection.open(secure);
  await connection.write(['/healthz', '/nowhere', '/readyz'].map(get).join('').repeat(10));
  for (let round = 0; round < 10; round++) {
    const statuses = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(statuses.map(({ status }) => status)).toEqual([200, 404, 200]);
  }
  await connection.close();
});

test('a HEAD has the length of the GET and no body, and leaves the connection usable', async () => {
  const connection = await RawConnection.open(secure);
  for (const path of ['/healthz', large]) {
    await connection.write(get(path));
    const { headers } = await connection.answer();
    await connection.write(rawRequest(`HEAD ${path} HTTP/1.1`, head()));
    expect((await connection.answer(true)).headers.get('content-length')).toBe(headers.get('content-length'));
  }
  await connection.write(get('/healthz'));
  expect((await connection.answer()).status).toBe(200);
  await connection.close();
});

test('slow readers of a large answer get every byte and do not hold up others', async () => {
  const readers = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(secure)));
  for (const reader of readers) {
    reader.pause();
    void reader.write(get(large));
  }
  await sleep(300);
  expect((await ask(secure, get('/healthz'))).status).toBe(200);
  for (const reader of readers) {
    reader.resume();
    const { json } = await reader.answer();
    expect((json as { data: { pairs: { value: string }[] } }).data.pairs[0]?.value === LARGE).toBe(true);
    await reader.close();
  }
});
