/** examples/load: it finds the latency that its mock has. */
import { afterAll, expect, test } from 'vitest';
import { exampleFolder } from '../support/example.ts';
import { endAll, Running } from '../support/process.ts';

afterAll(endAll);

test('the p99 of a mock is read from its histogram', async () => {
  const cwd = exampleFolder('load', ['autocannon']);
  const { stdout, stderr, status } = await new Running(process.execPath, ['load.mjs', '1'], { cwd }).ended;
  expect([stderr, status]).toEqual(['', 0]);
  const [, requests, failed, p99] = /^(\d+) requests, (\d+) failed, p99 (\d+) ms\n$/.exec(stdout) ?? [];
  expect(Number(requests)).toBeGreaterThan(10);
  expect(failed).toBe('0');
  // The mock's is 90 ms; a bucket ends at 50 and at 100, and timers of a busy machine are late.
  expect(Number(p99)).toBeGreaterThan(50);
  expect(Number(p99)).toBeLessThanOrEqual(250);
});
