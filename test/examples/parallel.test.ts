/** The parallel suite to copy, run once; ten times in a row: `npm run prove -- parallel-suite`. */
import { expect, test } from 'vitest';
import { runParallelSuite } from '../support/parallel-suite.ts';

test('fifty tests at once in four workers share one mock, and none notices another', async () => {
  expect(await runParallelSuite()).toMatchObject({ exitCode: 0, passed: 50, failed: 0 });
});
