/** Bounds of rules, groups and answers at their real size, over HTTP. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVALUATED_SOURCES_MAX } from '../../src/limits.ts';
import { knownKey, RawConnection, rawRequest } from '../support/raw-http.ts';
import { rulePayload } from '../support/samples.ts';
import { seedRules } from '../support/seed-rules.ts';
import { temporaryDirectory, TestServer, type Answer } from '../support/server.ts';

let server: TestServer;
beforeAll(async () => {
  const data = temporaryDirectory();
  await seedRules(data, 'rules', EVALUATED_SOURCES_MAX + 1, 'Cancel', (index) => [
    { id: 'p', source: { key: 'Url', operator: 'Contains', value: `none${index}` } },
  ]);
  server = await TestServer.start(['--log-level', 'warn'], data);
});
afterAll(() => server.end());

const ask = (key: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  server.request(method, `/v1${path}`, { key, body });

async function evaluate(key: string, more: object = {}) {
  const { status, json } = await ask(key, 'POST', '/rules/evaluate', { request: { url: 'http://a.test/' }, ...more });
  return { status, json, data: json.data };
}

test('more than 20,000 active rules are refused, unless some of them are meant', async () => {
  const key = await knownKey(server, 'rules');
  const { status, json } = await evaluate(key);
  expect([status, json.message]).toEqual([
    403,
    `Limit reached: ${EVALUATED_SOURCES_MAX} sources of active rules per evaluation`,
  ]);
  expect(json.details[0].message).toContain('ruleId');
  const [rule] = (await server.request('GET', '/v1/rules?pageSize=1', { key })).json.data;
  expect((await evaluate(key, { ruleId: rule.id })).status).toBe(200);
  expect((await evaluate(key, { rules: [rule] })).status).toBe(200);
  await server.request('PUT', `/v1/rules/${rule.id}`, { key, body: { ...rule, status: 'Inactive' } });
  const { data } = await evaluate(key);
  expect(data).toMatchObject({ outcome: 'forward', skippedCount: EVALUATED_SOURCES_MAX + 1 });
  await server.request('PUT', `/v1/rules/${rule.id}`, { key, body: rule });
  expect((await evaluate(key)).status).toBe(403);
});

// reaches GROUP_PAIRS_CHARS_MAX
test('a group whose rules have more than 50 MB of pairs is deleted when some have left it', async () => {
  const key = await knownKey(server, 'group');
  const groupId = (await ask(key, 'POST', '/groups', { name: 'large' })).json.data.id;
  const source = { key: 'Url', operator: 'Contains', value: 'api' };
  const payload = rulePayload('Cancel', { groupId, pairs: [{ source, note: 'n'.repeat(900_000) }] });
  const large: string[] = [];
  for (let count = 1; count <= 56; count++) large.push((await ask(key, 'POST', '/rules', payload)).json.data.id);
  const { status, json } = await ask(key, 'DELETE', `/groups/${groupId}`);
  expect([status, json.message]).toEqual([
    403,
    'Limit reached: 50000000 characters of pairs in its rules: move or delete some of them first',
  ]);
  expect((await ask(key, 'POST', '/rules/batch', { ids: large.slice(0, 1), set: { groupId: '' } })).json.data).toEqual({
    count: 1,
  });
  expect((await ask(key, 'DELETE', `/groups/${groupId}`)).status).toBe(200);
  expect((await ask(key, 'POST', '/rules/batch', { ids: large, delete: true })).json.data).toEqual({ count: 56 });
});

// reaches REPLIES_BYTES_MAX
test('answers that nobody reads are bounded: what is over is refused, and they are let go of with their readers', async () => {
  const key = await knownKey(server, 'pages');
  const routes = Array.from({ length: 10 }, (_each, index) => ({
    method: 'GET',
    path: `/${index}`,
    responses: [{ body: 'b'.repeat(950_000) }],
  }));
  const made = await server.request('POST', '/v1/mocks', { key, body: { name: 'large', routes } });
  const path = `/v1/mocks/${made.json.data.id}/staged`;
  const request = rawRequest(`GET ${path} HTTP/1.1`, ['Host: 127.0.0.1', `x-api-key: ${key}`]);
  const readers = await Promise.all(Array.from({ length: 72 }, () => RawConnection.open(server.port)));
  for (const connection of readers) {
    connection.pause();
    void connection.write(request);
  }
  // 9.5 MB each: 56 of them may be under way.
  const count = async (status: number): Promise<number> => {
    const { json } = await server.request('GET', '/metrics');
    const line = new RegExp(`_count\\{method="GET",route="/v1/mocks/:id/staged",status="${status}"\\} (\\d+)`).exec(
      json as string,
    );
    return Number(line?.[1] ?? 0);
  };
  await expect.poll(() => count(503), { timeout: 30_000 }).toBeGreaterThan(0);
  expect(await count(200)).toBeGreaterThan(40);
  for (const connection of readers) connection.drop();
  await expect.poll(async () => (await server.request('GET', path, { key })).status, { timeout: 20_000 }).toBe(200);
});

// reaches rulesPerOwnerMax
test('rules per owner', async () => {
  const small = await TestServer.start(['--rules-max', '2', '--groups-max', '1']);
  const other = await small.key('acme');
  const create = () => small.request('POST', '/v1/rules', { key: other, body: rulePayload() });
  await create();
  const { id } = (await create()).json.data;
  expect(await create()).toMatchObject({ status: 403, json: { message: 'Limit reached: 2 rules per owner' } });
  await small.request('DELETE', `/v1/rules/${id}`, { key: other });
  expect((await create()).status).toBe(200);
  // reaches groupsPerOwnerMax
  const createGroup = () => small.request('POST', '/v1/groups', { key: other, body: { name: 'g' } });
  await createGroup();
  expect(await createGroup()).toMatchObject({ status: 403, json: { message: 'Limit reached: 1 groups per owner' } });
  await small.end();
});
