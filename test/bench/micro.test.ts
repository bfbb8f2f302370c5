/** Runs every micro-benchmark with tiny effort, so that it cannot rot: each checks what its function returns. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { measure } from '../../bench/micro/measure.ts';
import { functionFile, functionNames, loadFunction } from '../../bench/micro/micro-function.ts';

const TINY = {
  rounds: 1,
  milliseconds: 0,
  warmUpMilliseconds: 0,
  samplesMin: 1,
  batchMilliseconds: 0,
  sizeMax: 1_000,
};

test.each(functionNames())('%s is measured, and returns what it should', async (name) => {
  const measured = await loadFunction(name);
  expect(exportsOf(functionFile(name))).toEqual(['UNIT', 'SIZES', 'prepare']);
  expect(measured.SIZES).toEqual(measured.SIZES.toSorted((a, b) => a - b));
  const rows = await measure(measured, TINY);
  expect(rows.length).toBeGreaterThanOrEqual(measured.SIZES.length);
  for (const { name: row, size, nanoseconds, relative } of rows) {
    expect(nanoseconds, `${row}, ${size}`).toBeGreaterThan(0);
    expect(relative, `${row}, ${size}`).toBeGreaterThan(0);
  }
});

test('a function that returns something else fails its benchmark', async () => {
  const wrong = {
    UNIT: 'calls',
    SIZES: [1, 2, 3] as const,
    prepare: () => [{ name: 'wrong', run: () => 1, check: (result: unknown) => expect(result).toBe(2) }],
  };
  await expect(measure(wrong, TINY)).rejects.toThrow('expected 1 to be 2');
});

test('a benchmark that does not exist is an error that names those that do', async () => {
  await expect(loadFunction('nothing')).rejects.toThrow('find-route');
});

/** In the order of the source. */
function exportsOf(file: string): string[] {
  const found = readFileSync(file, 'utf8').matchAll(/^export (?:const|(?:async )?function) (\w+)/gm);
  return [...found].map(([, name = '']) => name);
}
