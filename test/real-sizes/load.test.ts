/**
 * Overload of the API process: requests are refused, then served again; one long block is no overload. Bodies that wait for a disk are
 * bounded. They judge the event loop, so nothing else runs at the same time.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { Burnt } from '../support/burnt.ts';
import { endAll } from '../support/process.ts';
import { rulePayload } from '../support/samples.ts';
import { onUndo, temporaryDirectory, TestServer } from '../support/server.ts';

afterAll(endAll);

// reaches LOAD_SAMPLES_LATE, LOAD_SAMPLES_CALM, LOOP_DELAY_MS
test('a late event loop refuses requests, a calm one serves again; one block of two seconds changes nothing', async () => {
  const burnt = await Burnt.start();
  expect(await burnt.ask()).toBe('404');
  burnt.burn('once 2000');
  await sleep(500);
  for (let turn = 0; turn < 10; turn++) {
    expect(await burnt.ask()).toBe('404');
    await sleep(100);
  }
  expect(burnt.server.stdout).not.toContain('overloaded');

  burnt.burn('loop 600 610');
  expect(await burnt.answers('503 close')).toBe(true);
  // Who looks after the service sees how it is, and nobody else is sent to it.
  const [health, readiness, metrics] = await Promise.all([
    burnt.ask('/healthz'),
    burnt.ask('/readyz'),
    fetch(`http://127.0.0.1:${burnt.port}/metrics`),
  ]);
  expect([health, readiness]).toEqual(['200 close', '503 close']);
  expect(metrics.status).toBe(200);
  expect(await metrics.text()).toMatch(/^switchyard_overloaded 1$/m);
  burnt.burn('free');
  expect(await burnt.answers('404')).toBe(true);
  expect(await burnt.ask('/readyz')).toBe('200');
  await burnt.stop();
  const messages = [...burnt.server.stdout.matchAll(/"memoryShare":[^}]*"msg":"([^"]+)"/g)].map(([, text]) => text);
  expect(messages).toEqual(['overloaded: the server refuses requests', 'no longer overloaded']);
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
  onUndo(() => holder.kill('SIGKILL'));
  await once(holder, 'message');
}

// reaches BODIES_BYTES_MAX
test('large bodies that wait for the disk are bounded: further ones are refused before they are tried', async () => {
  const server = await TestServer.start(['--log-level', 'warn']);
  const key = await server.key('acme');
  await server.request('GET', '/v1/rules', { key });
  await holdWrites(server.data, 4_000);
  const body = { name: 'n', ruleType: 'Response', pairs: [{ type: 'static', value: 'x'.repeat(990_000) }] };
  const text = JSON.stringify(body);
  const askedCount = 330;
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
  await server.end();
});
