/** Runs the suite of examples/vitest-parallel as a user would: vitest in a process of its own. */
import { execFile } from 'node:child_process';
import { exampleFolder } from './example.ts';

export interface SuiteResult {
  readonly exitCode: number;
  readonly passed: number;
  readonly failed: number;
  readonly output: string;
}

export function runParallelSuite(): Promise<SuiteResult> {
  // What this run of vitest tells its workers would confuse the other.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS)/.test(name)));
  return new Promise((resolve) => {
    const cwd = exampleFolder('vitest-parallel', ['vitest']);
    const args = ['node_modules/vitest/vitest.mjs', 'run', '--reporter', 'json'];
    const child = execFile(process.execPath, args, { cwd, env, maxBuffer: 50_000_000 }, (_error, stdout, stderr) => {
      const [json = '{}'] = /\{.*\}/s.exec(stdout) ?? [];
      const { numPassedTests = 0, numFailedTests = 0 } = parsed(json);
      resolve({
        exitCode: child.exitCode ?? -1,
        passed: numPassedTests,
        failed: numFailedTests,
        output: `${stdout}\n${stderr}`,
      });
    });
  });
}

function parsed(json: string): { numPassedTests?: number; numFailedTests?: number } {
  try {
    return JSON.parse(json) as object;
  } catch {
    return {};
  }
}
