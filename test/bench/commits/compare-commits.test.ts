/** Compares the working tree with its own commit, in tiny rounds. Which of them seems faster is not checked. */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { SCENARIOS } from '../../../bench/commits/scenarios.ts';
import { KEPT_BUILDS } from '../../support/kept-builds.ts';
import { temporaryDirectory } from '../../support/server.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const COMMAND = ['--import', 'tsx', 'bench/commits/compare-commits.ts'];

// An unpacked archive of the source has no history: nothing is there to compare with.
const hasHistory = spawnSync('git', ['rev-parse', '--verify', 'HEAD^{commit}'], { cwd: ROOT }).status === 0;
if (!hasHistory) console.warn('not a git checkout: the comparison of commits is not tested');

test.skipIf(!hasHistory)(
  'prints a ratio of every scenario, and leaves nothing behind',
  async () => {
    const temporary = temporaryDirectory();
    const args = [...COMMAND, 'HEAD', '--rounds', '1', '--seconds', '0.1', '--mocks', '3', '--pipelining', '2'];
    const env = { ...process.env, TMPDIR: temporary, BENCH_BUILDS: KEPT_BUILDS };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
    for (const scenario of SCENARIOS) {
      for (const figure of ['requests/s', 'CPU per request, µs']) {
        const line = stdout.split('\n').find((text) => text.startsWith(`${scenario}: ${figure}`)) ?? '';
        const ratio = Number(line.split(/ {2,}/)[3]);
        expect(ratio, line).toBeGreaterThan(0);
        expect(ratio, line).toBeLessThan(Infinity);
      }
    }
    expectNothingLeft(temporary);
  },
  300_000,
);

test.skipIf(!hasHistory)(
  'interrupted, it leaves neither processes nor folders',
  async () => {
    const temporary = temporaryDirectory();
    const env = { ...process.env, TMPDIR: temporary, BENCH_BUILDS: KEPT_BUILDS };
    const child = spawn(process.execPath, [...COMMAND, 'HEAD', 'static'], { cwd: ROOT, env });
    for await (const chunk of child.stderr as AsyncIterable<Buffer>) if (chunk.includes('start 1 of')) break;
    const exit = once(child, 'exit');
    child.kill('SIGINT');
    expect(await exit).toEqual([1, null]);
    expectNothingLeft(temporary);
  },
  300_000,
);

test.skipIf(!hasHistory)(
  'a commit that does not exist is an error, and leaves nothing behind',
  async () => {
    const temporary = temporaryDirectory();
    const env = { ...process.env, TMPDIR: temporary };
    const run = promisify(execFile)(process.execPath, [...COMMAND, 'no-such-commit'], { cwd: ROOT, env });
    await expect(run).rejects.toThrow('no-such-commit');
    expectNothingLeft(temporary);
  },
  60_000,
);

function expectNothingLeft(temporary: string): void {
  expect(readdirSync(temporary).filter((entry) => entry.startsWith('switchyard-bench-'))).toEqual([]);
  // A service has its data folder on its command line. One that was killed may be listed for a moment, without a command line.
  const left = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(temporary));
  expect(left).toEqual([]);
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
