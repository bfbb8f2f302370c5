/** The exchange of a one-time code for a key, over HTTP: `POST /v1/console/key`; docs/operations.md, "Keys". */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONSOLE_KEY_MS } from '../../src/limits.ts';
import { digestCode, newConsoleCode } from '../../src/model/console-code.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { rulePayload } from '../support/samples.ts';
import type { Answer } from '../support/server.ts';
import { useOwnServer } from '../support/shared-server.ts';

const { server, owner } = await useOwnServer();

/** A second later all exchanges are allowed again. */
const rest = () => new Promise((resolve) => setTimeout(resolve, 1_100));

const exchange = (body: unknown, headers = {}): Promise<Answer> =>
  server.request('POST', '/v1/console/key', { body, headers });

const REFUSED = {
  success: false,
  message: 'Unauthorized action',
  details: [{ path: '/code', message: 'is unknown, used or expired: run `switchyard console` for a new one' }],
};

// reaches CONSOLE_KEY_MS
test('a code is exchanged once, for a key of 24 hours with its role', async () => {
  const code = await server.code(owner, 'vic', 'viewer');
  const before = Date.now();
  const { status, headers, json } = await exchange({ code });
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('no-store');
  const { key, expiresAt } = json.data;
  const end = Date.parse(expiresAt);
  expect(end).toBeGreaterThanOrEqual(before + CONSOLE_KEY_MS);
  expect(end).toBeLessThanOrEqual(Date.now() + CONSOLE_KEY_MS);
  expect((await server.request('GET', '/v1/rules', { key })).status).toBe(200);
  expect((await server.request('POST', '/v1/rules', { key, body: rulePayload() })).status).toBe(401);
  expect(await exchange({ code })).toMatchObject({ status: 401, json: REFUSED });
});

test('an editor of that owner and user writes with it, and history names the key', async () => {
  const { key } = (await exchange({ code: await server.code(owner, 'ann') })).json.data;
  const made = await server.request('POST', '/v1/rules', { key, body: rulePayload() });
  expect(made.json.data).toMatchObject({ createdBy: 'ann', currentOwner: owner });
  const [entry] = (await server.request('GET', '/v1/history', { key })).json.data;
  expect(entry).toMatchObject({ user: 'ann', keyId: key.split('_')[1] });
});

test('of many that send one code at once, one gets a key', async () => {
  await rest();
  const code = await server.code(owner);
  const answers = await Promise.all(Array.from({ length: 8 }, () => exchange({ code })));
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 401)).toHaveLength(7);
});

describe('one and the same refusal for', () => {
  beforeAll(rest);

  test.each<[string, unknown]>([
    ['a code that was never made', { code: newConsoleCode() }],
    ['a code that is cut short', { code: newConsoleCode().slice(1) }],
    ['no text', { code: 1 }],
    ['no code', {}],
    ['the name of an entry in the table of keys', { code: 'code:' }],
    ['bytes that are no code', { code: '\u0000\uffff' }],
  ])('%s', async (_what, body) => {
    expect(await exchange(body)).toMatchObject({ status: 401, json: REFUSED });
  });

  test('a code that has expired, which is gone then', async () => {
    const store = LmdbStore.open(server.data);
    const code = newConsoleCode();
    await store.codes.add(digestCode(code), { ownerId: owner, userId: 'ann', role: 'editor' }, Date.now());
    expect(await exchange({ code })).toMatchObject({ status: 401, json: REFUSED });
    expect(await store.codes.removeExpired(Date.now())).toBe(0);
    await store.close();
  });
});

test('a body that is not an object is a bad request, and a large one too large', async () => {
  await rest();
  expect((await exchange('[]')).json).toMatchObject({ message: 'Bad Request' });
  expect((await exchange('{')).json).toMatchObject({ message: 'Bad Request' });
  expect((await exchange({ code: 'x'.repeat(1_000) })).status).toBe(413);
  expect((await exchange('{}', { 'content-type': 'text/plain' })).status).toBe(415);
});

test('an Idempotency-Key repeats nothing, since the code has no owner yet', async () => {
  const headers = { 'idempotency-key': 'one' };
  const code = await server.code(owner);
  expect((await exchange({ code }, headers)).status).toBe(200);
  expect((await exchange({ code }, headers)).status).toBe(401);
});

/** Tries a code that was never made, from an address of this machine. @returns The status. */
async function tryFrom(localAddress: string): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const asked = request({ port: server.port, path: '/v1/console/key', method: 'POST', localAddress, headers });
  asked.end(JSON.stringify({ code: newConsoleCode() }));
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode ?? 0;
}

const triesFrom = (localAddress: string, count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => tryFrom(localAddress)));

/** Linux has all addresses of the loopback network. */
describe.skipIf(process.platform !== 'linux')('by address', () => {
  // reaches CONSOLE_EXCHANGES_PER_SECOND
  test('a flood of exchanges from one address leaves the others theirs', async () => {
    const flood = await triesFrom('127.0.0.2', 300);
    expect(new Set(flood)).toEqual(new Set([401, 429]));
    expect(await tryFrom('127.0.0.3')).toBe(401);
    const { status } = await exchange({ code: await server.code(owner) });
    expect(status).toBe(200);
  });

  // reaches CONSOLE_EXCHANGES_IN_ALL_PER_SECOND
  test('exchanges are limited in all, whoever tries them', async () => {
    const addresses = Array.from({ length: 60 }, (_, index) => `127.0.1.${index + 1}`);
    const statuses = new Set<number>();
    // A machine that has other work to do may not come to so many in a second at once.
    for (let flood = 0; flood < 5 && !statuses.has(429); flood++) {
      const tried = await Promise.all(addresses.map((address) => triesFrom(address, 10)));
      for (const status of tried.flat()) statuses.add(status);
    }
    expect(statuses).toEqual(new Set([401, 429]));
  });
});

test('exchanges from one address are limited', async () => {
  await rest();
  const answers = await Promise.all(Array.from({ length: 30 }, () => exchange({ code: newConsoleCode() })));
  const statuses = answers.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  expect(statuses.filter((status) => status === 401).length).toBeLessThan(20);
  expect(answers.find(({ status }) => status === 429)?.headers.get('retry-after')).toBe('1');
  await rest();
  expect((await exchange({ code: await server.code(owner) })).status).toBe(200);
});

test('the log names the key, and holds neither it nor the code', async () => {
  const code = await server.code('logged', 'lou');
  const { key } = (await exchange({ code })).json.data;
  const [, keyId, ...secret] = key.split('_');
  await expect.poll(() => server.stdout).toContain(`"owner":"logged","key":"${keyId}"`);
  for (const text of [code, secret.join('_')]) expect(server.stdout + server.stderr).not.toContain(text);
});
