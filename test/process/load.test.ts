/** A server whose heap is full refuses requests, and serves again; one whose log is not read serves, and ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { Burnt } from '../support/burnt.ts';
import { endAll, eventually } from '../support/process.ts';
import { CLI, onUndo, temporaryDirectory } from '../support/server.ts';

afterAll(endAll);

// reaches MEMORY_SHARE_MAX, MEMORY_FULL_SHARE
test('a heap that is nearly full refuses what is large, a full one everything, and serves again once it has space', async () => {
  const burnt = await Burnt.start('--max-old-space-size=400 --max-semi-space-size=1');
  const write = async (bytes: number): Promise<number> => {
    const body = JSON.stringify({ name: 'm', description: 'd' }) + ' '.repeat(bytes);
    const headers = { 'x-api-key': burnt.key, 'content-type': 'application/json' };
    return (await fetch(`http://127.0.0.1:${burnt.port}/v1/mocks`, { method: 'POST', headers, body })).status;
  };
  expect(await write(1_100_000)).toBe(200);
  burnt.burn('heap 350');
  expect(await eventually(async () => (await write(1_100_000)) === 503)).toBe(true);
  expect(await write(0)).toBe(200);
  expect(await burnt.ask()).toBe('404');
  burnt.burn('heap 370');
  expect(await burnt.answers('503 close')).toBe(true);
  burnt.burn('free');
  expect(await burnt.answers('404')).toBe(true);
  await burnt.stop();
});

test('a log without a reader blocks neither the service nor its end', async () => {
  const data = temporaryDirectory();
  const child = spawn(
    process.execPath,
    [CLI, 'serve', '--port', '0', '--mock-port', '0', '--no-gateway', '--data', data],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  onUndo(() => child.kill('SIGKILL'));
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
