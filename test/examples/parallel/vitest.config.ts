/** Fifty tests at once in four workers, on one mock. `npx vitest run --config test/examples/parallel/vitest.config.ts` */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.spec.ts'],
    globalSetup: 'start-shop.ts',
    maxWorkers: 4,
    maxConcurrency: 13,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
