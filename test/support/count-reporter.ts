/** Ends the output with a line for each failure, and one line that counts tests in words every tool can read. */
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { countLine, failureLine } from './count-line.ts';

interface Failure {
  readonly message: string;
}

export default class CountReporter implements Reporter {
  readonly #projects = new Set<string>();

  onInit(vitest: Vitest): void {
    for (const { name } of vitest.projects) this.#projects.add(name);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly Failure[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    const lines: string[] = [];
    const fail = (what: string, errors: readonly Failure[] = []): void => {
      counts.failed++;
      lines.push(failureLine(what, errors[0]?.message ?? ''));
    };
    for (const error of unhandledErrors) fail('an unhandled error', [error]);
    for (const module of modules) {
      const file = module.relativeModuleId;
      // A file that does not load has no tests to fail.
      if (module.errors().length > 0) fail(file, module.errors());
      // What could not be set up has skipped its tests.
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length > 0) fail(`${file} > ${suite.fullName}`, suite.errors());
      }
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'failed') fail(`${file} > ${test.fullName}`, result.errors);
        else counts[result.state]++;
        if (result.state === 'skipped' && result.note !== undefined) lines.push(result.note);
      }
    }
    if (this.#projects.has('tests') && !this.#projects.has('processes')) {
      lines.push('What starts, stops and installs programs is not run here: npm run test:processes');
    }
    const { passed, failed, skipped, pending } = counts;
    lines.push(countLine({ passed, failed, skipped: skipped + pending }));
    process.on('exit', () => console.log(lines.join('\n')));
  }
}
