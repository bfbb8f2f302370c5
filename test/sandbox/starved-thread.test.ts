/** A process that the machine keeps from its processor: a task has its time all the same. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { Lane } from '../../src/sandbox/lane.ts';

const lane = new Lane('checks', 256);
afterAll(() => lane.close());

test('a task that waits for the processor is not ended for taking long', async () => {
  const json = Buffer.from(`[${Array(300_000).fill('{}').join()}]`);
  const parse = (ms: number) => lane.run('acme', 'parseDraft', { kind: 'mock', json, limits: DEFAULT_LIMITS }, ms);
  await parse(20_000);
  const startedAt = performance.now();
  expect(await parse(20_000)).toMatchObject({ refused: {} });
  const tookMs = Math.ceil(performance.now() - startedAt);
  const ms = 3 * tookMs + 100;
  const halt = `sleep ${tookMs / 4_000}; kill -STOP ${process.pid}; sleep ${(ms + 200) / 1_000}; kill -CONT ${process.pid}`;
  const halting = once(spawn('sh', ['-c', halt]), 'exit');
  const began = performance.now();
  expect(await parse(ms)).toMatchObject({ refused: {} });
  expect(performance.now() - began).toBeGreaterThan(ms);
  await halting;
});
