/** What holds of framing on the mock port, with TLS and without it. */
import { describe, expect, test } from 'vitest';
import type { MockRoute, PublishedMock } from '../../src/model/mocks/definition/definition.ts';
import { mock, response, route, type TestPlane } from '../support/data-plane.ts';
import { ask, chunked, RawConnection, rawRequest, untilClosed, type RawAddress } from '../support/raw-http.ts';

export const HOST = 'Host: target.localhost';
export const SMUGGLED = rawRequest('GET /smuggled HTTP/1.1', [HOST]);

/** A mock that records its traffic, and one that does not. */
export function framedMocks(large: string, ...more: MockRoute[]): PublishedMock[] {
  const routes = [
    route('/', [response({ body: 'ok' })], { method: 'ANY' }),
    route('/large', [response({ body: large })], { method: 'ANY' }),
    route('/none', [response({ status: 204 })], { method: 'ANY' }),
    route('/late', [response({ body: 'late', latency: 50 })], { method: 'ANY' }),
    route('/smuggled', [response({ body: 'smuggled' })], { method: 'ANY' }),
    ...more,
  ];
  return [mock('target', routes), mock('quiet', routes, { settings: { traffic: false } })];
}

export async function expectNothingSmuggled(data: TestPlane, address: RawAddress): Promise<void> {
  const page = await data.plane.requests('target', { limit: 10, path: '/smuggled' });
  expect(page?.count).toBe(0);
  expect((await ask(address, rawRequest('GET / HTTP/1.1', [HOST]))).body.toString()).toBe('ok');
}

/** @param plane The mocks above, and how to reach them. */
export function framingCases(plane: () => { data: TestPlane; address: RawAddress }): void {
  describe.each(['/', '/large', '/none', '/late'])('a chunked request to %s', (path) => {
    const requestTo = (name: string, method: string): string => {
      const head = [`Host: ${name}.localhost`, 'Transfer-Encoding: chunked'];
      return rawRequest(`${method} ${path} HTTP/1.1`, head, chunked('abc'));
    };

    test.each(['target', 'quiet'])('is answered with a close (%s)', async (name) => {
      for (const method of ['POST', 'HEAD']) {
        const hasNoBody = method === 'HEAD' || path === '/none';
        const { status, headers } = await ask(plane().address, requestTo(name, method), hasNoBody);
        expect([status, headers.get('connection')]).toEqual([path === '/none' ? 204 : 200, 'close']);
      }
    });

    // uWebSockets.js may close because of the bytes after it, before the reply.
    test.each(['target', 'quiet'])('does not run the bytes after it (%s)', async (name) => {
      const { data, address } = plane();
      for (const method of ['POST', 'HEAD']) {
        expect(await untilClosed(address, requestTo(name, method) + SMUGGLED)).not.toContain('smuggled');
      }
      await expectNothingSmuggled(data, address);
    });
  });

  test('pipelined requests to static mocks are answered in order', async () => {
    const connection = await RawConnection.open(plane().address);
    const post = rawRequest('POST / HTTP/1.1', [HOST, 'Content-Length: 3'], 'abc');
    await connection.write((rawRequest('GET / HTTP/1.1', [HOST]) + post).repeat(20));
    for (let index = 0; index < 40; index++) expect((await connection.answer()).body.toString()).toBe('ok');
    await connection.close();
  });

  test('a HEAD on a persistent connection leaves it usable', async () => {
    const connection = await RawConnection.open(plane().address);
    for (const path of ['/', '/large', '/none', '/late']) {
      await connection.write(rawRequest(`HEAD ${path} HTTP/1.1`, [HOST]));
      expect((await connection.answer(true)).status).toBe(path === '/none' ? 204 : 200);
    }
    await connection.write(rawRequest('GET / HTTP/1.1', [HOST]));
    expect((await connection.answer()).body.toString()).toBe('ok');
    await connection.close();
  });

  test('a body above the limit is refused while it is received', async () => {
    const connection = await RawConnection.open(plane().address);
    await connection.write(rawRequest('POST / HTTP/1.1', [HOST, 'Transfer-Encoding: chunked']));
    for (let index = 0; index < 10; index++) void connection.write(`100000\r\n${'x'.repeat(1_048_576)}\r\n`);
    void connection.write('1\r\nx\r\n');
    expect((await connection.answer()).status).toBe(413);
    await connection.end();
  });
}
