/** The proofs at short effort: each tries something, and nothing of it fails. */
import { afterEach, describe, expect, test } from 'vitest';
import { endAll } from '../support/process.ts';
import { Tally } from './proof.ts';
import { PROOFS } from './proofs.ts';

afterEach(endAll);

describe.each(PROOFS.map((proof) => [proof.name, proof] as const))('%s', (_, proof) => {
  const reason = proof.unavailable?.();
  const title = reason === undefined ? proof.promise : `${proof.promise} (cannot run here: ${reason})`;
  test.skipIf(reason !== undefined)(`${title}`, async () => {
    const tally = new Tally();
    await proof.run(tally, 'short');
    expect(tally.rows).not.toEqual([]);
    for (const { fault, tried, failures } of tally.rows) {
      expect(tried, fault).toBeGreaterThan(0);
      expect(failures, fault).toEqual([]);
    }
  });
});
