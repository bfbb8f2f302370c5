/** Runs files of tests as a proof: each test is a try. */
import { readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { Running } from '../support/process.ts';
import { temporaryDirectory } from '../support/server.ts';
import type { Tally } from './proof.ts';

const ROOT = resolve(import.meta.dirname, '../..');
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

/**
 * @param args Options of vitest and names of files.
 * @param isLeftOut Tests whose failure counts for nothing.
 */
export async function runTests(
  tally: Tally,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  isLeftOut: (test: string) => boolean = () => false,
): Promise<void> {
  const file = join(temporaryDirectory(), 'report.json');
  const options = [
    'run',
    '--config',
    'test/vitest.config.ts',
    '--root',
    '.',
    '--reporter=json',
    `--outputFile=${file}`,
  ];
  const { stdout, stderr } = await new Running(process.execPath, [VITEST, ...options, ...args], { cwd: ROOT, env })
    .ended;
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
  for (const { name, message, assertionResults } of testResults) {
    const path = relative(ROOT, name);
    if (assertionResults.length === 0) tally.check(path, false, () => message);
    for (const { fullName, status, failureMessages } of assertionResults) {
      if (isLeftOut(`${path} ${fullName}`) || status === 'skipped' || status === 'pending') continue;
      tally.check(path, status === 'passed', () => `${fullName}: ${failureMessages?.join('; ') ?? status}`);
    }
  }
  tally.check('the run has tests', testResults.length > 0, () => `${stdout}${stderr}`);
}
