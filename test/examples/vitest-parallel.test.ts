/** examples/vitest-parallel: its tests pass, all at once. */
import { expect, test } from 'vitest';
import { runParallelSuite } from '../support/parallel-suite.ts';

test('fifty tests in four workers share one mock', async () => {
  expect(await runParallelSuite()).toMatchObject({ exitCode: 0, passed: 50, failed: 0 });
});
