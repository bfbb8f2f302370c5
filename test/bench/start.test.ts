/** Compares a start with that of the tree's own commit, once. Which of them seems faster is not checked. */
import { execFile, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { KEPT_BUILDS } from '../support/kept-builds.ts';
import { temporaryDirectory } from '../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FIGURES = [
  'serve: wall, ms',
  'serve: CPU, ms',
  'serve: CPU of the data plane, ms',
  ...['startSwitchyard', '--version', 'keys create', 'import --dry-run'].flatMap((name) => [
    `${name}: wall, ms`,
    `${name}: CPU, ms`,
  ]),
];

// An unpacked archive of the source has no history: nothing is there to compare with.
const hasHistory = spawnSync('git', ['rev-parse', '--verify', 'HEAD^{commit}'], { cwd: ROOT }).status === 0;

test.skipIf(!hasHistory)(
  'prints a ratio of every figure, and leaves nothing behind',
  async () => {
    const temporary = temporaryDirectory();
    const args = ['--import', 'tsx', 'bench/start/start.ts', 'HEAD', '--rounds', '1'];
    const env = { ...process.env, TMPDIR: temporary, BENCH_BUILDS: KEPT_BUILDS };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    for (const figure of FIGURES) {
      const line = stdout.split('\n').find((text) => text.startsWith(`${figure} `)) ?? '';
      const ratio = Number(line.split(/ {2,}/)[3]);
      expect(ratio, line).toBeGreaterThan(0);
      expect(ratio, line).toBeLessThan(Infinity);
    }
    expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
  },
  300_000,
);
