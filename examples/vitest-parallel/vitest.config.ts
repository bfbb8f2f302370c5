/** Fifty tests, at most thirteen at once in each of four workers, on one mock. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['*.spec.ts'],
    globalSetup: 'start-mocks.ts',
    maxWorkers: 4,
    maxConcurrency: 13,
    testTimeout: 60_000,
  },
});
