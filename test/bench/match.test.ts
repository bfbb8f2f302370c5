import { expect, test } from 'vitest';
import { measureMatching } from '../../bench/match.ts';

test('the benchmark of matching runs, and every case has an answer', () => {
  const cases = measureMatching(10);
  expect(cases.length).toBeGreaterThan(10);
  for (const { name, nanoseconds } of cases) expect(nanoseconds, name).toBeGreaterThan(0);
});
