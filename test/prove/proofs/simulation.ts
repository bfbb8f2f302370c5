/**
 * Owners, mailboxes and group commit on a simulated disk and clock: a seed decides what is asked, what is slow and what fails.
 *
 * `npm run prove -- simulation --seed 1234` runs one seed again and tells each of its steps.
 */
import type { Effort, Proof, Tally } from '../proof.ts';
import { runSeed } from '../simulation/run-seed.ts';
import { FLAWS } from '../simulation/simulated-store.ts';

const SEEDS: Readonly<Record<Effort, number>> = { short: 300, full: 10_000 };
const SEEDS_SECONDS = 60;
/** Within so many seeds each deliberate bug is found; most are in the first few. */
const FLAW_SEEDS_MAX = 1_000;

export const proof: Proof = {
  name: 'simulation',
  promise:
    'Whatever is slow, fails or dies, and when, owners lose nothing, reveal nothing too early and answer everybody.',
  async run(tally: Tally, effort: Effort) {
    for (const seed of tally.within(SEEDS_SECONDS, 'seeds', [...Array(SEEDS[effort]).keys()])) {
      const { violations, requestCount, commitCount, faultCount, killCount } = await runSeed(seed);
      tally.check('a seed with all its faults', violations.length === 0, () => `seed ${seed}: ${violations[0]}`);
      tally.tried('requests, each with one reply that fits', requestCount);
      tally.tried('commits, equal to the oracle’s', commitCount);
      tally.tried('failed and hung writes, loads and turns', faultCount);
      tally.tried('deaths of the process', killCount);
    }
    for (const flaw of FLAWS) {
      const found = await firstSeedThatFinds(flaw);
      const what = (): string => `nothing is found in ${FLAW_SEEDS_MAX} seeds by a service that ${flaw}`;
      tally.check('control: a deliberate bug is found', found !== undefined, what);
    }
  },
  async replay(seed: number, trace: (line: string) => void) {
    const { violations } = await runSeed(seed, { trace });
    return violations;
  },
};

async function firstSeedThatFinds(flaw: (typeof FLAWS)[number]): Promise<number | undefined> {
  for (let seed = 0; seed < FLAW_SEEDS_MAX; seed++) {
    if ((await runSeed(seed, { flaw })).violations.length > 0) return seed;
  }
  return undefined;
}
