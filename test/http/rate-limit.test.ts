/** `--rate-limit`: what each key may do in a second, what is refused, and that it is nobody else's loss. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RateLimit } from '../../src/http/admission/rate-limit.ts';
import type { Role } from '../../src/model/principal.ts';
import { rulePayload } from '../support/samples.ts';
import { TestServer, type Answer } from '../support/server.ts';
import { newOwner } from '../support/shared-server.ts';

const PER_SECOND = 5;
let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start(['--rate-limit', String(PER_SECOND), '--log-level', 'warn']);
});
afterAll(() => server.end());

/** As many at once as are refused for the greater part. */
const flood = (send: (index: number) => Promise<Answer>): Promise<Answer[]> =>
  Promise.all(Array.from({ length: 20 * PER_SECOND }, (_, index) => send(index)));
/** New ones in each test: their buckets are full. */
const newKey = (role: Role = 'editor'): Promise<string> => server.key('acme', newOwner(), role);
const list = (key: string): Promise<Answer> => server.request('GET', '/v1/rules', { key });

/** Once a bucket is full again: a second without requests. */
const rested = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_100));

describe('over HTTP', () => {
  test('a key gets its burst, then 429 with Retry-After, and is served again after as long', async () => {
    const ann = await newKey();
    const since = performance.now();
    const answers = await flood(() => list(ann));
    const seconds = (performance.now() - since) / 1_000;
    const refused = answers.filter(({ status }) => status === 429);
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length + refused.length).toBe(answers.length);
    expect(served.length).toBeGreaterThanOrEqual(PER_SECOND);
    expect(served.length).toBeLessThanOrEqual(PER_SECOND + Math.ceil(seconds * PER_SECOND));
    for (const { json, headers } of refused) {
      expect(json).toEqual({ success: false, message: 'Too many requests' });
      expect(headers.get('retry-after')).toBe('1');
    }
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await list(ann)).status).toBe(200);
  });

  test('other keys, routes without a key, and mocks are served meanwhile', async () => {
    const [ann, bob, viewer] = await Promise.all([newKey(), newKey(), newKey('viewer')]);
    const made = await server.request('POST', '/v1/mocks', { key: bob, body: { name: 'm', start: true } });
    const asked = fetch(`http://127.0.0.1:${server.mockPort}/__mock/${made.json.data.id}/`);
    const flooding = flood(() => list(ann));
    const answers = await Promise.all([
      list(bob),
      list(viewer),
      server.request('GET', '/healthz'),
      server.request('GET', '/readyz'),
      server.request('GET', '/metrics'),
      server.request('GET', '/v1/openapi.json'),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await asked).status).toBe(200);
    expect((await flooding).some(({ status }) => status === 429)).toBe(true);
    for (let count = 0; count < 10 * PER_SECOND; count++) {
      expect((await fetch(`http://127.0.0.1:${server.mockPort}/__mock/${made.json.data.id}/`)).status).toBe(200);
    }
  });

  test('a refused request has no effect', async () => {
    const key = await server.key('globex');
    const answers = await flood((index) =>
      server.request('POST', '/v1/rules', {
        key,
        body: rulePayload('Cancel', { name: `${index}` }),
        headers: { 'idempotency-key': `${index}` },
      }),
    );
    const made = answers.filter(({ status }) => status === 200).map(({ json }) => json.data.name as string);
    expect(answers.filter(({ status }) => status === 429).length).toBe(answers.length - made.length);
    expect(made.length).toBeLessThan(answers.length);
    await rested();
    const { data } = (await server.request('GET', '/v1/rules?pageSize=75', { key })).json;
    expect(data.map(({ name }: { name: string }) => name).toSorted()).toEqual(made.toSorted());
    const { data: history } = (await server.request('GET', '/v1/history?pageSize=75', { key })).json;
    expect(history).toHaveLength(made.length);
    // Nor was its Idempotency-Key taken.
    const refused = answers.findIndex(({ status }) => status === 429);
    const again = await server.request('POST', '/v1/rules', {
      key,
      body: rulePayload('Cancel', { name: 'another' }),
      headers: { 'idempotency-key': `${refused}` },
    });
    expect(again.status).toBe(200);
  });

  test('a bad key is 401 and does not count against another: the limit comes after the key and before the role', async () => {
    const [ann, viewer] = await Promise.all([newKey(), newKey('viewer')]);
    const bad = await flood(() => list(`${ann.slice(0, -2)}xx`));
    expect(new Set(bad.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await list(ann)).status).toBe(200);
    const writes = await flood(() => server.request('POST', '/v1/groups', { key: viewer, body: {} }));
    expect(new Set(writes.map(({ status }) => status))).toEqual(new Set([401, 429]));
    // An unknown route and method are told before it.
    expect((await server.request('GET', '/v1/nothing', { key: viewer })).status).toBe(404);
    expect((await server.request('DELETE', '/v1/rules', { key: viewer })).status).toBe(405);
  });
});

test('by default nothing is limited', () => {
  const off = new RateLimit(0);
  const admitted = Array.from({ length: 100_000 }, () => off.admits('k'));
  expect(new Set(admitted)).toEqual(new Set([true]));
  expect(off.count).toBe(0);
});

test('buckets of unused keys are dropped, and a key in use keeps its count', async () => {
  const limit = new RateLimit(2);
  for (let index = 0; index < 10_000; index++) limit.admits(`key${index}`);
  expect(limit.count).toBe(10_000);
  let admitted = 0;
  const since = performance.now();
  let seconds = 0;
  for (; seconds < 3.2; seconds = (performance.now() - since) / 1_000) {
    if (limit.admits('used')) admitted++;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(limit.count).toBe(1);
  expect(admitted).toBeLessThanOrEqual(2 + Math.ceil(seconds * 2));
});
