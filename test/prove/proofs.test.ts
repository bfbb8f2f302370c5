/** The quick proofs at short effort, so that none rots unseen: each tries something, and nothing of it fails. `npm run prove -- --short` has all. */
import { afterEach, describe, expect, test } from 'vitest';
import { endAll } from '../support/process.ts';
import { Tally } from './proof.ts';
import { PROOFS } from './proofs.ts';

const QUICK = new Set(['kill', 'clock', 'simulation', 'certificate', 'isolation', 'stop']);

afterEach(endAll);

describe.each(PROOFS.filter(({ name }) => QUICK.has(name)).map((proof) => [proof.name, proof.promise, proof] as const))(
  '%s: %s',
  (_, __, proof) => {
    const reason = proof.unavailable?.();
    if (reason !== undefined) process.stderr.write(`the proof ${proof.name} cannot run here: ${reason}\n`);
    test.skipIf(reason !== undefined)('at short effort', async () => {
      const tally = new Tally();
      await proof.run(tally, 'short');
      expect(tally.rows).not.toEqual([]);
      for (const { fault, tried, failures } of tally.rows) {
        expect(tried, fault).toBeGreaterThan(0);
        expect(failures, fault).toEqual([]);
      }
    });
  },
);
