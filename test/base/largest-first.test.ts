/** Who has most of something shared, judged against a naive search. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LargestFirst, LargestPartFirst } from '../../src/base/largest-first.ts';
import { runs } from '../support/effort.ts';

/** The largest may have less than another by a step: the sixteenth part of a doubling. */
const STEP = 2 ** (1 / 16) + 1e-9;
const changes = fc.array(
  fc.record({
    owner: fc.integer({ max: 30, min: 0 }),
    by: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.integer({ min: -1e9, max: 1e9 })),
  }),
  { maxLength: 200 },
);

test('the largest has most, but for a step; an owner without anything is forgotten', () => {
  fc.assert(
    fc.property(changes, (given) => {
      const all = new LargestFirst<number>();
      const naive = new Map<number, number>();
      for (const { owner, by } of given) {
        const amount = Math.max(0, (naive.get(owner) ?? 0) + by);
        all.change(owner, amount - (naive.get(owner) ?? 0));
        naive.set(owner, amount);
        const most = Math.max(...naive.values());
        const largest = all.largest();
        if (most === 0) expect(largest).toBeUndefined();
        else expect(all.amountOf(largest as number) * STEP).toBeGreaterThanOrEqual(most);
        expect(all.total).toBe([...naive.values()].reduce((sum, each) => sum + each, 0));
        expect(all.amountOf(owner)).toBe(amount);
      }
    }),
    { numRuns: runs(200) },
  );
});

test('of parts the largest of the largest owner is found', () => {
  const all = new LargestPartFirst<string>();
  expect(all.largest()).toBeUndefined();
  for (const [part, by] of Object.entries({ a1: 30, a2: 40, b1: 60 })) all.change(part.slice(0, 1), part, by);
  expect([all.largest(), all.total]).toEqual(['a2', 130]);
  all.change('a', 'a2', -15);
  expect(all.largest()).toBe('b1');
  all.change('b', 'b1', -60);
  expect([all.largest(), all.total]).toEqual(['a1', 55]);
});

test('of owners with the same the one that reached it first comes first', () => {
  const all = new LargestFirst<string>();
  for (const owner of ['a', 'b', 'c']) all.change(owner, 1_000);
  all.change('a', -1_000);
  all.change('a', 1_000);
  expect(all.largest()).toBe('b');
});

test('a loop that drops from the largest takes nothing from an owner below an equal share', () => {
  const owners = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(owners, fc.integer({ min: 1, max: 20_000 }), (amounts, most) => {
      const all = new LargestFirst<number>();
      for (const [owner, amount] of amounts.entries()) all.change(owner, amount);
      while (all.total > most) all.change(all.largest() as number, -1);
      for (const [owner, amount] of amounts.entries())
        if (amount * STEP < most / amounts.length) expect(all.amountOf(owner)).toBe(amount);
    }),
    { numRuns: runs(200) },
  );
});
