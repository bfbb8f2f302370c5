/** The proofs at short effort: each tries something, and nothing of it fails. */
import { afterEach, describe, expect, test } from 'vitest';
import { endAll } from '../support/process.ts';
import { Tally } from './proof.ts';
import { PROOFS, ROOT_PROOFS } from './proofs.ts';

afterEach(endAll);

describe.each([...PROOFS, ...ROOT_PROOFS].map((proof) => [proof.name, proof.promise, proof] as const))(
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
