/** `switchyard console`: the address that it prints, and the code in it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consoleLink } from '../../src/cli/console-link.ts';
import { createKey } from '../../src/cli/keys.ts';
import { CONSOLE_CODE_MS } from '../../src/limits.ts';
import { digestCode } from '../../src/model/console-code.ts';
import { LmdbStore } from '../../src/store/lmdb-store.ts';
import { runLine } from '../support/command-lines.ts';
import { run } from '../support/process.ts';
import { TestServer, temporaryDirectory } from '../support/server.ts';

const HOLDER = { ownerId: 'acme', userId: 'ann', role: 'viewer' } as const;
/** 128 bits in base64url. */
const LINK = /^http:\/\/127\.0\.0\.1:(\d+)\/console#code=([A-Za-z0-9_-]{22})\n$/;

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start(['--no-bootstrap']);
});
afterAll(() => server.end());

const command = (args: readonly string[], runIt = runLine) => runIt(['console', '--data', server.data, ...args]);

test('it prints an address whose code a running server takes, and nothing else', async () => {
  const { status, stdout, stderr } = await command(['--owner', 'acme', '--user', 'ann', '--role', 'viewer'], run);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const [, port, code] = LINK.exec(stdout) ?? [];
  expect(Number(port), 'of the running server').toBe(server.port);
  const { json } = await server.request('POST', '/v1/console/key', { body: { code } });
  const row = [json.data.key.split('_')[1], 'acme', 'ann', 'viewer', expect.any(String), '-'];
  const { stdout: listed } = await runLine(['keys', 'list', '--data', server.data]);
  const rows = listed.split('\n').map((line) => line.split('\t'));
  expect(rows.at(-2)).toEqual([...row, json.data.expiresAt, 'console', 'valid']);
});

test('the address is that of --server, with its prefix', async () => {
  const holder = ['--owner', 'acme', '--user', 'ann'];
  const { stdout } = await command([...holder, '--server', 'https://example.com/switchyard/v1/']);
  expect(stdout).toMatch(/^https:\/\/example\.com\/switchyard\/console#code=/);
});

test('without a running server the usual address is printed, with a warning', async () => {
  const data = temporaryDirectory();
  await createKey(data, { ...HOLDER });
  const { status, stdout, stderr } = await runLine(['console', '--data', data, '--owner', 'acme', '--user', 'ann']);
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringMatching(/^warning: found no address .*--server\n$/),
  });
  expect(LINK.exec(stdout)?.[1]).toBe('8080');
});

test('the code is nowhere in the store, and its digest is', async () => {
  const code = (await consoleLink(server.data, '', HOLDER)).split('=')[1] as string;
  const bytes = readFileSync(join(server.data, 'switchyard.mdb'));
  expect(bytes.includes(code)).toBe(false);
  expect(bytes.includes(Buffer.from(code, 'base64url'))).toBe(false);
  expect(bytes.includes(digestCode(code))).toBe(true);
});

// reaches CONSOLE_CODE_MS
test('the code works for a minute, and not longer', async () => {
  const data = temporaryDirectory();
  const store = LmdbStore.open(data);
  const codeOf = async (): Promise<string> => (await consoleLink(data, '', HOLDER)).split('=')[1] as string;
  const now = Date.now();
  const [first, second] = [await codeOf(), await codeOf()] as const;
  const made = Date.now();
  expect(await store.codes.take(digestCode(first), now + CONSOLE_CODE_MS - 1)).toEqual(HOLDER);
  expect(await store.codes.take(digestCode(second), made + CONSOLE_CODE_MS)).toBe(undefined);
  await store.close();
});

test('codes that were not used are removed by the next one, and by the server', async () => {
  const data = temporaryDirectory();
  const store = LmdbStore.open(data);
  const now = Date.now();
  for (const digest of ['a', 'b']) await store.codes.add(digest.repeat(64), HOLDER, now - 1);
  await consoleLink(data, '', HOLDER);
  expect(await store.codes.removeExpired(now + 1)).toBe(0);
  expect(await store.prune(now + 2 * CONSOLE_CODE_MS)).toBe(1);
  expect(store.keys.damagedIds()).toEqual([]);
  await store.close();
});

test.each([
  ['a directory without a store', ['--owner', 'a', '--user', 'u', '--data', temporaryDirectory()], 'no store'],
  ['a bad role', ['--owner', 'a', '--user', 'u', '--role', 'root'], 'root'],
  ['a bad address', ['--owner', 'a', '--user', 'u', '--server', 'localhost:8080'], 'Expected a URL'],
])('%s is refused in one line, and one with the usage', async (_what, args, said) => {
  const { status, stdout, stderr } = await command(args);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toContain(said);
  expect(stderr).toMatch(/^error: .*\n(?:usage: switchyard console \[options\]\n)?$/);
});
