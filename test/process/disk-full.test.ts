/**
 * A full disk: writes to the store are refused before they are tried, records can be read and deleted, and everything
 * works again once there is free space.
 *
 * The reserve is set above what any disk has free; the proof `disk-full` fills a real one.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DISK_RESERVE_MIB } from '../../src/limits.ts';
import { endAll, eventually } from '../support/process.ts';
import { TestServer, temporaryDirectory, type Answer } from '../support/server.ts';

afterEach(endAll);

const NEVER_FREE_MIB = '999999999';
const RULE = { name: 'r', ruleType: 'Cancel', pairs: [{ source: { key: 'Url', operator: 'Contains', value: 'x' } }] };
const REFUSED = { success: false, message: 'Storage full' };

test('on a full disk writes are refused, and records are read, served and deleted', async () => {
  const data = temporaryDirectory();
  const server = await TestServer.start(['--disk-reserve', '0', '--log-level', 'warn'], data);
  const key = await server.key('o');
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    server.request(method, `/v1${path}`, { key, body, headers });
  const group = (await ask('POST', '/groups', { name: 'g' })).json.data;
  const retried = { 'idempotency-key': 'once' };
  const first = (await ask('POST', '/rules', { ...RULE, groupId: group.id }, retried)).json.data;
  const second = (await ask('POST', '/rules', RULE)).json.data;
  const mock = (await ask('POST', '/mocks', { name: 'm', start: true })).json.data;
  await server.end();

  const full = await TestServer.start(['--disk-reserve', NEVER_FREE_MIB, '--log-level', 'warn'], data);
  const askFull = (method: string, path: string, body?: unknown, headers = {}): Promise<Answer> =>
    full.request(method, `/v1${path}`, { key, body, headers });
  const adding: [string, string, unknown][] = [
    ['POST', '/rules', RULE],
    ['PUT', `/rules/${second.id}`, RULE],
    ['POST', '/groups', { name: 'h' }],
    ['PUT', `/groups/${group.id}`, { name: 'h' }],
    ['POST', '/mocks', { name: 'n' }],
    ['PUT', `/mocks/${mock.id}/staged`, { settings: { cors: false } }],
    ['POST', `/mocks/${mock.id}/save`, undefined],
  ];
  for (const [method, path, body] of adding) {
    const { status, json, headers } = await askFull(method, path, body);
    expect({ status, json }, path).toEqual({ status: 503, json: REFUSED });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
  // What is wrong is told all the same, and what was done before is told again.
  expect((await askFull('POST', '/rules', {})).status).toBe(400);
  expect((await askFull('PUT', `/rules/Cancel_${'a'.repeat(20)}`, RULE)).status).toBe(404);
  const again = await askFull('POST', '/rules', { ...RULE, groupId: group.id }, retried);
  expect(again.json.data).toEqual(first);

  expect((await askFull('GET', '/rules')).json.total).toBe(2);
  expect((await fetch(`http://127.0.0.1:${full.mockPort}/__mock/${mock.id}/`)).status).toBe(200);
  expect((await askFull('DELETE', `/groups/${group.id}`)).status).toBe(200);
  expect((await askFull('GET', `/rules/${first.id}`)).json.data.groupId).toBe('');
  expect((await askFull('DELETE', `/rules/${first.id}`)).status).toBe(200);
  expect((await askFull('DELETE', `/mocks/${mock.id}`)).status).toBe(200);
  expect((await askFull('GET', '/rules')).json.total).toBe(1);
  const metrics = await fetch(`http://127.0.0.1:${full.port}/metrics`).then((answer) => answer.text());
  expect(metrics).toMatch(/^switchyard_store_full 1$/m);
  expect(await eventually(() => full.stdout.includes('the disk is full'))).toBe(true);
  expect(await full.end()).toBe(0);

  const roomy = await TestServer.start(['--disk-reserve', '0'], data);
  expect((await roomy.request('GET', '/v1/rules', { key })).json.total).toBe(1);
  expect((await roomy.request('POST', '/v1/rules', { key, body: RULE })).status).toBe(200);
  expect(await roomy.end()).toBe(0);
});

// reaches DISK_RESERVE_MIB
test('a server has a disk reserve by default, and a start on a store that was served before writes nothing to it', async () => {
  const server = await TestServer.start();
  const metrics = await fetch(`http://127.0.0.1:${server.port}/metrics`).then((answer) => answer.text());
  const free = Number(/^switchyard_store_disk_free_bytes (\S+)$/m.exec(metrics)?.[1]);
  const isFull = free < DISK_RESERVE_MIB * 1_048_576;
  expect(metrics).toMatch(new RegExp(`^switchyard_store_full ${isFull ? 1 : 0}$`, 'm'));
  expect(free).toBeLessThan(Infinity);

  const store = join(server.data, 'switchyard.mdb');
  expect(await server.end()).toBe(0);
  const before = readFileSync(store);
  await server.start();
  expect(await server.end()).toBe(0);
  expect(readFileSync(store).equals(before)).toBe(true);
});
