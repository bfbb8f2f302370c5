/** A sandbox thread that runs out of memory while it is terminated for its time. */
import { afterAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/limits.ts';
import { Lane } from '../../src/sandbox/lane.ts';

const lane = new Lane('checks', 32);
afterAll(() => lane.close());

test('ends alone', async () => {
  const json = Buffer.from(`[${Array(1_500_000).fill('{}').join()}]`);
  const parse = (ms: number) => lane.run('acme', 'parseDraft', { kind: 'mock', json, limits: DEFAULT_LIMITS }, ms);
  const startedAt = performance.now();
  expect(await parse(10_000)).toBe(undefined);
  const tookMs = performance.now() - startedAt;
  // When exactly its memory ends differs. An error without a listener fails the run.
  for (const part of [0.5, 0.6, 0.7, 0.8, 0.9]) expect(await parse(Math.round(tookMs * part))).toBe(undefined);
  expect(await lane.run('acme', 'checkPatterns', ['/a/'], 1_000)).toEqual([undefined]);
});
