/**
 * Files that are called exact, served by Switchyard and by the server that they were written for: both answer the same. So does
 * the admin interface of WireMock, in histories of changes, requests and questions.
 */
import { endAll } from '../../../bench/processes.ts';
import { askBothSides, askWritten } from '../oracles/both-sides.ts';
import { judgeKinds } from '../oracles/by-kind.ts';
import { judgeJsonServer, missingJsonServer } from '../oracles/json-server.ts';
import { mockoon } from '../oracles/mockoon.ts';
import { askBothLive } from '../oracles/live.ts';
import { mountebank } from '../oracles/mountebank.ts';
import type { Oracle } from '../oracles/oracle.ts';
import { wiremock } from '../oracles/wiremock.ts';
import { wiremockLive } from '../oracles/wiremock-live.ts';
import type { Effort, Proof, Tally } from '../proof.ts';

const ORACLES: readonly Oracle[] = [wiremock, mountebank, mockoon];

export const proof: Proof = {
  name: 'oracles',
  promise: 'What an import calls exact answers as the server that the file was written for.',
  unavailable: () => (ORACLES.every((oracle) => oracle.missing() !== undefined) ? ORACLES[0]?.missing() : undefined),
  async run(tally: Tally, effort: Effort) {
    const extent = effort === 'full' ? { sources: 20, requests: 1_000 } : { sources: 5, requests: 100 };
    for (const oracle of ORACLES) {
      const missing = oracle.missing();
      if (missing === undefined) {
        await askBothSides(oracle, tally, { ...extent, seed: SEED });
        await endAll();
        await askWritten(oracle, tally, effort === 'full' ? Infinity : 2);
      } else tally.tried(`${oracle.name}: skipped, ${missing}`);
      await endAll();
    }
    if (mockoon.missing() === undefined) await judgeKinds(tally, effort === 'full' ? 2_000 : 200, SEED);
    await endAll();
    for (const version of ['0.17', '1'] as const) {
      if (missingJsonServer(version) !== undefined) continue;
      await judgeJsonServer(tally, version, effort === 'full' ? 2_000 : 200, SEED);
      await endAll();
    }
    const histories = { histories: effort === 'full' ? 50 : 3, steps: 200, seed: SEED };
    if (wiremock.missing() === undefined) await askBothLive(wiremockLive, tally, histories);
    await endAll();
  },
};

const SEED = 20_261_123;
