/** Stamps of several records of one commit: each has a place of its own, in order, above all that were made before. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createdStampsOf } from '../../src/model/stamps.ts';

const moment = (version: number) => ({ date: 1, version, principal: { userId: 'ann' } });

test('versions of one commit ascend from above the one before to its own, at any age of an owner', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 39 - 1 }), fc.integer({ min: 1, max: 16_384 }), (version, count) => {
      const made = [...createdStampsOf(moment(version), count)];
      const versions = made.map(({ createdVersion }) => createdVersion);
      expect(versions).toHaveLength(count);
      expect(versions.at(-1)).toBe(version);
      expect(Math.min(...versions)).toBeGreaterThan(version - 1);
      expect(versions.every((each, index) => index === 0 || each > (versions[index - 1] as number))).toBe(true);
      expect(made.every(({ modifiedVersion }) => modifiedVersion === version)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('more records than have versions are a mistake', () => {
  expect(() => [...createdStampsOf(moment(1), 16_385)]).toThrow('Broken invariant');
});
