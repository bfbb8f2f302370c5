/** The bytes of answers that are kept for an Idempotency-Key, at their real size over HTTP. */
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { TestServer, type Answer } from '../support/server.ts';

const ROUTE_BYTES = 9_500_000;
const FIT = Math.floor(DEFAULT_LIMITS.keptAnswerBytesMax / ROUTE_BYTES);

// reaches keptAnswerBytesMax
test('an owner cannot fill the disk with kept answers: what does not fit is 403 and has no effect, also after a kill', async () => {
  const server = await TestServer.start(['--workers', '1', '--log-level', 'warn']);
  const [key, other] = [await server.key('acme'), await server.key('globex')];
  const post = (path: string, body: unknown, idempotencyKey?: string, as = key): Promise<Answer> =>
    server.request('POST', `/v1${path}`, {
      key: as,
      body,
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
    });
  const responses = Array.from({ length: 10 }, () => ({ body: 'x'.repeat(ROUTE_BYTES / 10) }));
  const route = JSON.stringify({ method: 'GET', path: '/large', responses });
  const add = async (as = key): Promise<{ id: string; answer: Answer }> => {
    const { id } = (await post('/mocks', { name: 'm' }, undefined, as)).json.data;
    return { id, answer: await post(`/mocks/${id}/staged/routes`, route, 'large', as) };
  };

  let first: { id: string; answer: Answer } | undefined;
  for (let count = 0; count < FIT; count++) {
    const added = await add();
    expect(added.answer.status).toBe(200);
    first ??= added;
    if (count === 4) await server.restart('SIGKILL');
  }
  const { id, answer } = await add();
  expect(answer.status).toBe(403);
  expect(answer.json).toEqual({
    success: false,
    message: `Limit reached: ${DEFAULT_LIMITS.keptAnswerBytesMax} bytes of answers kept in 24 hours per owner`,
    details: [{ path: 'Idempotency-Key', message: expect.stringMatching(/^more than /) }],
  });
  expect((await server.request('GET', `/v1/mocks/${id}/staged`, { key })).json.data.routes).toHaveLength(1);

  // What is small still fits, what was kept is repeated, and without a key the same goes through.
  expect((await post('/groups', { name: 'g' }, 'small')).status).toBe(200);
  const again = await post(`/mocks/${first?.id}/staged/routes`, route, 'large');
  expect(again.json.data.id).toBe(first?.answer.json.data.id);
  expect((await post(`/mocks/${id}/staged/routes`, route)).status).toBe(200);
  expect((await add(other)).answer.status).toBe(200);
  await server.end();
}, 60_000);
