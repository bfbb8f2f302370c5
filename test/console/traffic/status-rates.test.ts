/** Rates of a mock: exact, second by second, whatever was not looked at. */
import { expect, test } from 'vitest';
import type { RequestTotals } from '../../../src/client/shapes.ts';
import { SlowWatch } from '../../../src/console/traffic/slow-watch.ts';
import { addTotals, missedIn, NO_RATES, RATE_SECONDS } from '../../../src/console/traffic/status-rates.ts';
import { cameSince, EMPTY_TALLY, tallyReset } from '../../../src/console/traffic/traffic-tally.ts';

const totals = (seconds: number, ok: number, missed: number, epoch = 'e'): RequestTotals => ({
  epoch,
  time: 1_000_000 + seconds * 1_000,
  total: ok + missed,
  unmatched: missed,
  statuses: [
    { status: 200, count: ok },
    { status: 404, count: missed },
  ],
});

test('two looks give a rate by class of status', () => {
  const rates = addTotals(addTotals(NO_RATES, totals(0, 100, 5)), totals(1, 140, 8));
  expect(rates.points).toEqual([[0, 40, 0, 3, 0]]);
  expect(missedIn(rates, 10)).toBe(3);
});

test('seconds in which nobody looked get the mean, so that the sum is exact', () => {
  const rates = addTotals(addTotals(NO_RATES, totals(0, 0, 0)), totals(4, 80, 4));
  expect(rates.points).toEqual(Array.from({ length: 4 }, () => [0, 20, 0, 1, 0]));
  expect(missedIn(rates, 10)).toBe(4);
});

test('after a reset, or with a new data plane, what was counted since is taken', () => {
  const before = addTotals(addTotals(NO_RATES, totals(0, 100, 5)), totals(1, 110, 5));
  expect(addTotals(before, totals(2, 7, 1)).points.at(-1)).toEqual([0, 7, 0, 1, 0]);
  expect(addTotals(before, totals(2, 500, 9, 'other')).points.at(-1)).toEqual([0, 500, 0, 9, 0]);
});

test('ten minutes are kept', () => {
  const rates = Array.from({ length: 700 }, (_, second) => totals(second, second, 0)).reduce(addTotals, NO_RATES);
  expect(rates.points).toHaveLength(RATE_SECONDS);
  expect(rates.missed).toHaveLength(RATE_SECONDS);
});

test('what came is what was received and what was dropped, over a reset too', () => {
  const first = { ...EMPTY_TALLY, before: 40, received: 90, dropped: 10, totals: totals(0, 130, 10) };
  expect(cameSince(first)).toBe(100);
  const second = { ...tallyReset(first), received: 95, totals: totals(1, 5, 0) };
  expect(cameSince(second)).toBe(105);
  expect(cameSince(EMPTY_TALLY)).toBeUndefined();
});

test('a page is slow when its frames have taken over 8 ms for two seconds, without a pause', () => {
  const watch = new SlowWatch();
  const frames = (from: number, to: number, tookMs: number): boolean[] =>
    Array.from({ length: (to - from) / 100 }, (_, index) => watch.add(tookMs, from + index * 100));
  expect(frames(0, 2_000, 9)).not.toContain(true);
  expect(watch.add(9, 2_000)).toBe(true);
  watch.clear();
  frames(3_000, 4_500, 9);
  watch.add(3, 4_600);
  expect(frames(4_700, 6_600, 20)).not.toContain(true);
  // Idle in between.
  expect(watch.add(20, 9_000)).toBe(false);
});
