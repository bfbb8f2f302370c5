/**
 * Tests of which `npm test` runs a part, or none, for the time that they take: bounds at their real size, every bit instead of every byte,
 * a restart at every place. `support/effort.ts` lists them; each test is a try.
 */
import { REAL_SIZES } from '../../support/effort.ts';
import type { Effort, Proof, Tally } from '../proof.ts';
import { runTests } from '../run-tests.ts';

export const proof: Proof = {
  name: 'real-sizes',
  onlyByName: true,
  promise: 'Bounds hold at their real size, and damage is detected wherever it is.',
  // The others run with `npm test` too, at less effort.
  run: (tally: Tally, effort: Effort) =>
    runTests(tally, effort === 'short' ? [REAL_SIZES] : [], { TEST_EFFORT: 'full' }),
};
