/** Ends the output with one line that counts tests in words every tool can read. */
import type { Reporter, TestModule } from 'vitest/node';
import { countLine } from './count-line.ts';

export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 };
    for (const module of modules) {
      // A file that does not load has no tests to fail.
      if (module.errors().length > 0) counts.failed++;
      // What could not be set up has skipped its tests.
      for (const suite of module.children.allSuites()) if (suite.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) counts[test.result().state]++;
    }
    const { passed, failed, skipped, pending } = counts;
    process.on('exit', () => console.log(countLine({ passed, failed, skipped: skipped + pending })));
  }
}
