/** Questions about a mock that are asked wrongly, or in an unusual way: verify, try, versions, the stream. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestServer, type Answer } from '../support/server.ts';

let server: TestServer;
let key: string;
let id: string;

beforeAll(async () => {
  server = await TestServer.start(['--workers', '2']);
  key = await server.key('acme', 'ann');
  const responses = (status: number) => [{ status, body: 'hello' }];
  const routes = [200, 204, 304].map((status) => ({ method: 'GET', path: `/${status}`, responses: responses(status) }));
  id = (await api('POST', '', { name: 'm', start: true, routes })).json.data.id;
});
afterAll(() => server.end());

const api = (method: string, path: string, body?: unknown): Promise<Answer> =>
  server.request(method, `/v1/mocks${path}`, { key, ...(body === undefined ? {} : { body }) });

describe('verify refuses', () => {
  test.each([
    [{ match: { pathh: '/200' } }, '/match/pathh', 'is not known here'],
    [{ match: { headers: { a: 'b' } } }, '/match/headers', 'is not known here'],
    [{ match: {}, times: 3 }, '/times', 'is not known here'],
    [{}, '/match', 'is required'],
    [{ match: {}, withinMs: 30_001 }, '/withinMs', 'must be <= 30000'],
    [{ match: {}, exactly: -1 }, '/exactly', 'must be >= 0'],
  ])('%j', async (body, path, message) => {
    const answer = await api('POST', `/${id}/verify`, body);
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({ success: false, message: 'Mock Payload is invalid', details: [{ path, message }] });
  });
});

describe('try', () => {
  const trial = async (method: string, path: string): Promise<Answer> =>
    api('POST', `/${id}/try`, { method, path, against: 'saved' });

  test.each([
    ['GET', '/200', 200, 'hello'],
    ['HEAD', '/200', 200, ''],
    ['GET', '/204', 204, ''],
    ['GET', '/304', 304, ''],
  ])('of %s %s shows the body that goes out', async (method, path, status, body) => {
    expect((await trial(method, path)).json.data.response).toMatchObject({ status, body });
  });

  test('of a path that is too long says so', async () => {
    const answer = await trial('GET', `/${'x'.repeat(8_000)}`);
    expect(answer.status).toBe(403);
    expect(answer.json).toEqual({
      success: false,
      message: 'Limit reached: text of 8000 characters',
      details: [{ path: '/path', message: 'more than text of 8000 characters' }],
    });
  });
});

test('a saved version has an entity tag that stays', async () => {
  const before = (await api('GET', `/${id}/versions/1`)).headers.get('etag');
  expect(before).toMatch(/^"[^"]+"$/);
  await api('POST', `/${id}/save`);
  expect((await api('GET', `/${id}/versions/1`)).headers.get('etag')).toBe(before);
  expect((await api('GET', `/${id}/versions/2`)).headers.get('etag')).not.toBe(before);
});

test('HEAD on the stream ends', async () => {
  const answer = await api('HEAD', `/${id}/requests/stream`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
});
