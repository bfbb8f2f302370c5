/** A suite of fifty tests at once, in four workers of vitest, on one mock with sessions: run again and again. */
import { runParallelSuite } from '../../support/parallel-suite.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const RUNS = 10;

export const proof: Proof = {
  name: 'parallel-suite',
  promise: 'Tests that share a mock, each in a session, do not notice each other.',
  async run(tally: Tally, effort: Effort) {
    for (let count = 0; count < (effort === 'full' ? RUNS : 1); count++) {
      const { exitCode, passed, failed, output } = await runParallelSuite();
      const holds = exitCode === 0 && passed === 50 && failed === 0;
      tally.check('fifty tests at once in four workers', holds, () => `${passed} passed, ${failed} failed: ${output}`);
    }
  },
};
