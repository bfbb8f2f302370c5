import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // Processes, not threads: LMDB and uWebSockets.js do not belong into a runner's threads.
    pool: 'forks',
    testTimeout: 120_000,
    hookTimeout: 60_000,
    reporters: ['default', './test/support/count-reporter.ts'],
  },
});
