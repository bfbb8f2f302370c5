/** Rates of all mocks, from looks at their counts. */
import { expect, test } from 'vitest';
import type { AllRequestCounts } from '../../../src/client/shapes.ts';
import { addReading, addSum, RATE_POINTS, type Reading, type MockRates } from '../../../src/console/parts/rates.ts';

type Counted = AllRequestCounts['mocks'][number];

/** @param statuses Counts by status. */
const counted = (mockId: string, statuses: Readonly<Record<number, number>>, unmatched = 0): Counted => ({
  mockId,
  total: Object.values(statuses).reduce((sum, count) => sum + count, 0),
  unmatched,
  statuses: Object.entries(statuses).map(([status, count]) => ({ status: Number(status), count })),
});

const look = (at: number, mocks: readonly Counted[], epoch = 'one'): Reading => ({ at, counts: { epoch, mocks } });

const NOTHING: MockRates = new Map();

test('a rate is the difference of two looks, by their time and by class of status', () => {
  const before = look(1_000, [counted('a', { 200: 10, 404: 2 }, 2)]);
  const after = look(1_500, [counted('a', { 200: 20, 201: 5, 404: 5, 503: 1 }, 4)]);
  expect(addReading(NOTHING, before, after).get('a')).toEqual([{ total: 38, missed: 4, classes: [0, 30, 0, 6, 2] }]);
});

test('of a mock that is new, that was reset, or whose server began anew, what it has counted since is taken', () => {
  const before = look(0, [counted('reset', { 200: 100 })]);
  const after = look(1_000, [counted('reset', { 200: 3 }), counted('new', { 204: 2 })]);
  const rates = addReading(NOTHING, before, after);
  expect(rates.get('reset')).toEqual([{ total: 3, missed: 0, classes: [0, 3, 0, 0, 0] }]);
  expect(rates.get('new')).toEqual([{ total: 2, missed: 0, classes: [0, 2, 0, 0, 0] }]);

  const restarted = addReading(
    NOTHING,
    look(0, [counted('a', { 200: 5 })]),
    look(1_000, [counted('a', { 200: 7 })], 'two'),
  );
  expect(restarted.get('a')?.at(-1)?.total).toBe(7);
});

test('a minute is kept, and a mock that is deleted goes', () => {
  let rates = NOTHING;
  for (let second = 1; second <= RATE_POINTS + 5; second++) {
    const at = second * 1_000;
    rates = addReading(
      rates,
      look(at - 1_000, [counted('a', { 200: second - 1 })]),
      look(at, [counted('a', { 200: second })]),
    );
  }
  expect(rates.get('a')).toHaveLength(RATE_POINTS);
  expect(addReading(rates, look(0, [counted('a', { 200: 1 })]), look(1_000, [])).size).toBe(0);
});

test('the sum over all keeps what a deleted mock had, and its newest point is of those that are there', () => {
  const both = addReading(
    NOTHING,
    look(0, [counted('a', {}), counted('b', {})]),
    look(1_000, [counted('a', { 200: 4 }), counted('b', { 404: 6 }, 6)]),
  );
  const one = addReading(both, look(1_000, [counted('a', { 200: 4 })]), look(2_000, [counted('a', { 200: 5 })]));
  expect(addSum(addSum([], both), one)).toEqual([
    { total: 10, missed: 6, classes: [0, 4, 0, 6, 0] },
    { total: 1, missed: 0, classes: [0, 1, 0, 0, 0] },
  ]);
});
