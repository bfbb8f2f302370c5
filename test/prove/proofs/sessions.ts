/** Sessions share nothing but their mock: random histories of them, each held against mocks of their own. */
import { SessionHistories } from '../../support/session-histories.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const HISTORIES: Record<Effort, number> = { full: 2_000, short: 40 };
const SECONDS: Record<Effort, number> = { full: 240, short: 20 };
/** Each so many histories the data plane is killed midway, which takes longest. */
const KILLED_EACH = 20;

export const proof: Proof = {
  name: 'sessions',
  runsBeside: 'isolation',
  promise:
    'Each session answers as a mock of its own would that saw only its requests, through saves and kills of the data plane.',
  async run(tally: Tally, effort: Effort) {
    const seeds = Array.from({ length: HISTORIES[effort] }, (_each, index) => index + 1);
    const histories = await SessionHistories.start();
    try {
      for (const seed of tally.within(SECONDS[effort], 'histories', seeds)) {
        const kills = seed % KILLED_EACH === 0;
        const problem = await histories.run(seed, kills);
        const fault = kills
          ? 'the data plane is killed amid eight sessions'
          : 'requests, overlays, resets, ends and saves';
        tally.check(fault, problem === undefined, () => problem ?? '');
      }
    } finally {
      await histories.end();
    }
  },
};
