/**
 * Tests of which `npm test` runs a part, or none, for the time that they take: bounds at their real size, every bit instead of every byte,
 * a restart at every place. `support/effort.ts` lists them; each test is a try.
 */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { REAL_SIZES } from '../../support/effort.ts';
import { Running } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/server.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const VITEST = resolve(ROOT, 'node_modules/vitest/vitest.mjs');

/** What vitest's reporter of this name writes. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    /** Of a file that does not load. */
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

export const proof: Proof = {
  name: 'real-sizes',
  promise: 'Bounds hold at their real size, and damage is detected wherever it is.',
  async run(tally: Tally, effort: Effort) {
    const file = join(temporaryDirectory(), 'report.json');
    const args = ['run', '--config', 'test/vitest.config.ts', '--root', '.', '--reporter=json', `--outputFile=${file}`];
    // The others run with `npm test` too, at less effort.
    const files = effort === 'short' ? REAL_SIZES : [];
    const { status, stdout, stderr } = await new Running(process.execPath, [VITEST, ...args, ...files], {
      cwd: ROOT,
      env: { TEST_EFFORT: 'full' },
    }).ended;
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    for (const { name, message, assertionResults } of testResults) {
      const path = relative(ROOT, name);
      if (assertionResults.length === 0) tally.check(path, false, () => message);
      for (const { fullName, status: state, failureMessages } of assertionResults) {
        tally.check(path, state === 'passed', () => `${fullName}: ${failureMessages?.join('; ') ?? state}`);
      }
    }
    tally.check('the run ends without an error', status === 0, () => `it ended with ${status}: ${stdout}${stderr}`);
  },
};
