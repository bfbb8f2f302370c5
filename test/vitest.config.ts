/**
 * What `npm test` runs, and beside it what has a command of its own: the browser tests, which it includes (`npm run test:browser`),
 * processes (`npm run test:processes`), PostgreSQL and clients of others likewise, benchmarks run tiny (`npm run check:bench`), and real sizes,
 * which the proof of that name runs. `npm run test:all` is one run of all but the last two: they wait for each other's disks and deadlines.
 */
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { findChromium } from './browser/support/find-chromium.ts';
import { findPostgres } from './postgres/support/find-postgres.ts';
import { LongestFirst } from './support/longest-first.ts';
import { BENCHMARKS, FULL_EFFORT, isFullEffort, PROCESSES, REAL_SIZES, TIMED } from './support/effort.ts';

/** More than there are cores: two thirds of a file's time are waits, for a deadline, a disk, or a process that starts. */
const WORKERS = availableParallelism() + 4;

/** Of screens: each worker has one browser for all its files, and waits for it most of the time. */
const BROWSER = findChromium() === undefined ? 'test/browser/no-browser.ts' : 'test/browser/**/*.test.ts';

/** For a state of a page that a test polls for, as for one that it waits for: the default of a second is short on a busy machine. */
const PAGE_MS = 20_000;

/** `npm run test:postgres`: each worker has a server of its own, and waits for leases most of the time. `npm run test:all` runs the second. */
const [POSTGRES, ENGINES] =
  findPostgres() === undefined
    ? Array<string>(2).fill('test/postgres/support/no-postgres.ts')
    : ['test/postgres/**/*.test.ts', 'test/postgres/engines.test.ts'];

const ELSEWHERE = [
  ...BENCHMARKS,
  ...PROCESSES,
  `${REAL_SIZES}**`,
  'test/browser/**',
  'test/clients/**',
  'test/postgres/**',
  'test/image/**',
];

export default defineConfig({
  test: {
    // Processes, not threads: LMDB and uWebSockets.js do not belong into a runner's threads.
    pool: 'forks',
    // A file costs half a second less in a process that has run others.
    isolate: false,
    // A sequencer of ours would take the place of the one that shuffles.
    ...(process.argv.includes('--sequence.shuffle.files') ? {} : { sequence: { sequencer: LongestFirst } }),
    setupFiles: ['test/support/undo-made.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['default', './test/support/count-reporter.ts'],
    projects: isFullEffort
      ? [
          // They are large: more at once would only wait for each other.
          project('real sizes', 0, availableParallelism(), [`${REAL_SIZES}**/*.test.ts`, ...FULL_EFFORT], TIMED),
          project('timed', 1, 1, TIMED),
        ]
      : [
          project('tests', 0, WORKERS, ['test/**/*.test.ts'], ELSEWHERE),
          // A page on a busy machine may be late for what a person would wait for: a fault fails three times.
          project('browser', 0, WORKERS, [BROWSER], [], { retry: 2, expect: { poll: { timeout: PAGE_MS } } }),
          project('postgres', 0, WORKERS, [POSTGRES as string]),
          project('processes', 0, WORKERS, [...PROCESSES, ENGINES as string]),
          // With packages of their own, which `npm run test:clients` installs.
          project('clients', 0, WORKERS, ['test/clients/*.test.ts']),
          // How fast anything is they do not judge.
          project('benchmarks', 1, availableParallelism(), BENCHMARKS),
          project('image', 2, 1, ['test/image/**/*.test.ts']),
        ],
  },
});

/** @param order Those of the next order begin when all of this one are done. */
function project(
  name: string,
  order: number,
  maxWorkers: number,
  include: readonly string[],
  exclude: readonly string[] = [],
  options: { readonly retry?: number; readonly expect?: object } = {},
): { extends: true; test: object } {
  return {
    extends: true,
    test: {
      name,
      maxWorkers,
      include: [...include],
      exclude: [...exclude],
      sequence: { groupOrder: order },
      ...options,
    },
  };
}
