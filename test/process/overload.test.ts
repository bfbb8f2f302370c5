/** A server whose disk blocks, or whose log is not read: it stays within its memory, and can be stopped. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { BODIES_BYTES_MAX, MEMORY_SHARES } from '../../src/limits.ts';
import { isFullEffort } from '../support/effort.ts';
import { rulePayload } from '../support/samples.ts';
import { CLI, TestServer, temporaryDirectory } from '../support/server.ts';

/** A fourth of the largest budget for bodies: its size proves the same, and `isFullEffort` reaches the largest. */
const SMALL_MACHINE = {
  NODE_OPTIONS: `--import ${pathToFileURL(resolve(import.meta.dirname, '../support/small-machine.mjs')).href}`,
  MACHINE_MEMORY_BYTES: String(BODIES_BYTES_MAX / 4 / MEMORY_SHARES.bodies),
};

const ended: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0)) await end();
});

/** Holds the store's write lock from another process for a while, as a disk does that takes its time. */
async function holdWrites(data: string, ms: number): Promise<void> {
  const script = join(temporaryDirectory(), 'hold.mjs');
  const store = resolve(import.meta.dirname, '../../src/store/lmdb-store.ts');
  writeFileSync(
    script,
    `import { LmdbStore } from ${JSON.stringify(store)};
     LmdbStore.open(${JSON.stringify(data)}).exclusively(() => {
       process.send('held');
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${ms});
     });
     process.exit();`,
  );
  const holder = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  ended.push(() => holder.kill('SIGKILL'));
  await once(holder, 'message');
}

test('large bodies that wait for the disk are bounded: further ones are refused before they are tried', async () => {
  const env = isFullEffort ? {} : SMALL_MACHINE;
  const server = await TestServer.start(['--log-level', 'warn'], temporaryDirectory(), env);
  ended.push(() => server.end());
  const key = await server.key('acme');
  await server.request('GET', '/v1/rules', { key });
  await holdWrites(server.data, 4_000);
  const body = { name: 'n', ruleType: 'Response', pairs: [{ type: 'static', value: 'x'.repeat(990_000) }] };
  const text = JSON.stringify(body);
  const askedCount = isFullEffort ? 330 : 90;
  const answers = await Promise.all(
    Array.from({ length: askedCount }, () => server.request('POST', '/v1/rules', { key, body: text })),
  );
  const created = answers.filter(({ status }) => status === 200).length;
  const refused = answers.filter(({ status }) => status === 503);
  expect(created + refused.length).toBe(askedCount);
  expect(created).toBeGreaterThan(askedCount / 3);
  expect(refused.length).toBeGreaterThan(10);
  expect(refused[0]?.json).toEqual({ success: false, message: 'Service overloaded' });
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  expect((await server.request('GET', '/v1/rules?pageSize=1', { key })).json.total).toBe(created);
  // It was the bound on bodies, not that on memory as a whole.
  expect(server.stdout).not.toContain('overloaded:');
  // What was held has been given back.
  expect((await server.request('POST', '/v1/rules', { key, body: rulePayload() })).status).toBe(200);
});

test('a log without a reader blocks neither the service nor its end', async () => {
  const data = temporaryDirectory();
  const child = spawn(process.execPath, [CLI, 'serve', '--port', '0', '--mock-port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ended.push(() => child.kill('SIGKILL'));
  let printed = '';
  while (!printed.includes('ready')) {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    printed += chunk.toString();
  }
  child.stdout.pause();
  const port = /API http:\/\/[^:]+:(\d+)/.exec(printed)?.[1];
  const headers = { 'x-request-id': 'x'.repeat(120) };
  // More than a pipe and the buffers of both of its ends hold.
  for (let round = 0; round < 15; round++) {
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => fetch(`http://127.0.0.1:${port}/healthz`, { headers })),
    );
    for (const answer of answers) expect(answer.status).toBe(200);
  }
  const started = performance.now();
  const exited = new Promise((done) => child.on('exit', done));
  child.kill('SIGTERM');
  expect(await exited).toBe(0);
  expect(performance.now() - started).toBeLessThan(5_000);
});
