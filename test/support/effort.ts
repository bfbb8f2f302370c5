/**
 * What does not run with `npm test`, or not all of it, for the time that it takes: `npm run prove -- real-sizes` runs the tests of bounds at
 * their real size, and the others at full effort; `npm run check:bench` runs the benchmarks tiny.
 */

/** Whether tests try all that they could, and not what takes a second. */
export const isFullEffort = process.env.TEST_EFFORT === 'full';

/** They run at full effort alone. */
export const REAL_SIZES: readonly string[] = [
  'test/api/kept-answers.test.ts',
  'test/contract/quota.test.ts',
  'test/serving/busy-threads.test.ts',
];

/** They ask `isFullEffort` how much to try. */
export const FULL_EFFORT: readonly string[] = [
  'test/api/groups.test.ts',
  'test/api/service.test.ts',
  'test/client/types.test.ts',
  'test/process/cli.test.ts',
  'test/process/overload.test.ts',
  'test/store/damage-anywhere.test.ts',
];

/** Benchmarks whole, with processes of their own. */
export const BENCHMARKS: readonly string[] = [
  'test/bench/api.test.ts',
  'test/bench/commits/compare-commits.test.ts',
  'test/bench/console.test.ts',
  'test/bench/mocks.test.ts',
];
