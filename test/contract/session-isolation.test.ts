/**
 * Sessions share nothing but their mock: whatever happens to them, each answers as a mock of its own would that saw only its requests.
 * `npm run prove -- sessions` tries thousands of histories.
 */
import { expect, test } from 'vitest';
import { SessionHistories } from '../support/session-histories.ts';

test('random histories of eight sessions on two threads, with saves and the death of the data plane', async () => {
  const histories = await SessionHistories.start();
  try {
    for (let seed = 1; seed <= 6; seed++)
      expect([seed, await histories.run(seed, seed % 3 === 0)]).toEqual([seed, undefined]);
  } finally {
    await histories.end();
  }
});
