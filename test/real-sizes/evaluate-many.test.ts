/** Evaluating many rules: how many at most, what the thread keeps of them, and that nobody waits long for another. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVALUATED_SOURCES_MAX, EVALUATED_URL_CHARS_MAX } from '../../src/limits.ts';
import { knownKey } from '../support/raw-http.ts';
import { seedRules } from '../support/seed-rules.ts';
import { temporaryDirectory, TestServer } from '../support/server.ts';

let server: TestServer;

const HOSTILE_RULES = 10_000;
const source = (value: string, operator = 'Contains') => ({ key: 'Url', operator, value });
const cancel = (index: number, value = `none${index}`, operator?: string) => ({
  id: `p${index}`,
  source: source(value, operator),
});

beforeAll(async () => {
  const data = temporaryDirectory();
  const pairs = 1_000;
  await seedRules(data, 'pairs', EVALUATED_SOURCES_MAX / pairs, 'Cancel', (index) =>
    Array.from({ length: pairs }, (_, pair) => cancel(pair, `none${index}-${pair}`)),
  );
  const modifications = [{ header: 'x-a', type: 'Add', value: '1' }];
  await seedRules(data, 'hostile', HOSTILE_RULES, 'Headers', (index) => [
    { ...cancel(index, '(a+)+$', 'Matches'), modifications },
  ]);
  server = await TestServer.start([], data);
});
afterAll(() => server.end());

async function evaluate(key: string, more: object = {}) {
  const body = { request: { url: 'http://a.test/' }, ...more };
  const { status, json } = await server.request('POST', '/v1/rules/evaluate', { key, body });
  return { status, json, data: json.data };
}

const create = (key: string, body: object) => server.request('POST', '/v1/rules', { key, body });

const TOO_MANY = `Limit reached: ${EVALUATED_SOURCES_MAX} sources of active rules per evaluation`;

// reaches EVALUATED_SOURCES_MAX
test('more than 20,000 sources of active rules are refused', async () => {
  const key = await knownKey(server, 'pairs');
  expect((await evaluate(key)).status).toBe(200);
  const more = await create(key, { name: 'more', ruleType: 'Cancel', pairs: [{ source: source('a.test') }] });
  const { status, json } = await evaluate(key);
  expect([status, json.message]).toEqual([403, TOO_MANY]);
  await server.request('DELETE', `/v1/rules/${more.json.data.id}`, { key });
  expect((await evaluate(key)).data.skippedCount).toBe(20);
});

// reaches RULE_TABLES_HEAP_SHARE
test('owners of whom the thread cannot keep all are answered in turn; one that is too large for it is refused', async () => {
  const large = (name: string) => ({
    name,
    ruleType: 'Response',
    pairs: [{ source: source('a.test'), type: 'static', value: 'v'.repeat(980_000) }],
  });
  const keys = await Promise.all(['large1', 'large2'].map((ownerId) => knownKey(server, ownerId)));
  for (const [index, key] of keys.entries()) {
    for (let count = 0; count < 10; count++) await create(key, large(`rule of ${index}`));
  }
  for (let round = 0; round < 3; round++) {
    for (const [index, key] of keys.entries()) {
      const { data } = await evaluate(key, { response: { status: 200 } });
      expect(data.skippedCount).toBe(9);
      expect(data.steps[0].name).toBe(`rule of ${index}`);
      expect(data.response.body).toHaveLength(980_000);
    }
  }
  const [key = ''] = keys;
  const made = [];
  for (let count = 0; count < 8; count++) made.push((await create(key, large('more'))).json.data.id);
  const { status, json } = await evaluate(key, { response: { status: 200 } });
  expect([status, json.message]).toEqual([403, expect.stringMatching(/^Limit reached: \d+ bytes of compiled rules/)]);
  expect((await evaluate(key, { ruleId: made[0], response: { status: 200 } })).data.steps[0].name).toBe('more');
  for (const id of made) await server.request('DELETE', `/v1/rules/${id}`, { key });
  expect((await evaluate(key, { response: { status: 200 } })).status).toBe(200);
});

test('rules and a URL that are made to take long are answered, and hold up no other owner beyond one turn', async () => {
  const [key, other] = [await knownKey(server, 'hostile'), await knownKey(server, 'other')];
  const made = await create(other, { name: 'a', ruleType: 'Cancel', pairs: [{ source: source('a.test') }] });
  const start = 'http://a.test/';
  const url = `${start}${'a'.repeat(EVALUATED_URL_CHARS_MAX - start.length - 1)}!`;
  const ended: string[] = [];
  const hostile = async () => {
    const { status, json } = await evaluate(key, { request: { url } });
    ended.push('hostile');
    if (status === 200) return expect(json.data.skippedCount).toBe(HOSTILE_RULES);
    expect([status, json.details[0].message]).toEqual([400, expect.stringContaining('examine more than')]);
  };
  const many = Array.from({ length: 8 }, hostile);
  // Once they wait.
  await expect.poll(() => ended.length, { interval: 5, timeout: 30_000 }).toBeGreaterThan(0);
  const before = ended.length;
  const { data } = await evaluate(other);
  expect(data.steps[0].ruleId).toBe(made.json.data.id);
  // One that ran already, and one that was answered meanwhile.
  expect(ended.length - before).toBeLessThanOrEqual(2);
  await Promise.all(many);
});

const threads = () => readdirSync(`/proc/${server.pid}/task`).length;

test.skipIf(process.platform !== 'linux')('a thread that was replaced is sent all rules again', async () => {
  const key = await knownKey(server, 'other');
  expect((await evaluate(key)).data.steps).toHaveLength(1);
  const before = threads();
  await expect.poll(threads, { timeout: 30_000, interval: 100 }).toBeLessThan(before);
  expect((await evaluate(key)).data.steps).toHaveLength(1);
});
