/** Rates of a mock: exact, second by second, whatever was not looked at. */
import { expect, test } from 'vitest';
import type { RequestTotals } from '../../../src/client/shapes.ts';
import { addTotals, missedIn, NO_RATES, RATE_SECONDS, type StatusRates } from '../../../src/console/parts/rates.ts';
import { cameSince, EMPTY_TALLY, SlowWatch, tallyAt, tallyReset } from '../../../src/console/traffic/traffic-log.ts';

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

const classesOf = ({ points }: StatusRates) => points.map(({ classes }) => classes);

test('two looks give a rate by class of status', () => {
  const rates = addTotals(addTotals(NO_RATES, totals(0, 100, 5)), totals(1, 140, 8));
  expect(classesOf(rates)).toEqual([[0, 40, 0, 3, 0]]);
  expect(missedIn(rates, 10)).toBe(3);
});

test('seconds in which nobody looked get the mean, so that the sum is exact', () => {
  const rates = addTotals(addTotals(NO_RATES, totals(0, 0, 0)), totals(4, 80, 4));
  expect(classesOf(rates)).toEqual(Array.from({ length: 4 }, () => [0, 20, 0, 1, 0]));
  expect(missedIn(rates, 10)).toBe(4);
});

test('after a reset, or with a new data plane, what was counted since is taken', () => {
  const before = addTotals(addTotals(NO_RATES, totals(0, 100, 5)), totals(1, 110, 5));
  expect(classesOf(addTotals(before, totals(2, 7, 1))).at(-1)).toEqual([0, 7, 0, 1, 0]);
  expect(classesOf(addTotals(before, totals(2, 500, 9, 'other'))).at(-1)).toEqual([0, 500, 0, 9, 0]);
});

test('counts that fell mean a reset, even when more came since than before: no rate is negative', () => {
  const rates = addTotals(addTotals(NO_RATES, totals(0, 100, 5)), totals(1, 3, 200));
  expect(classesOf(rates)).toEqual([[0, 3, 0, 200, 0]]);
  const fewerMissed = addTotals(addTotals(NO_RATES, totals(0, 100, 5)), totals(1, 200, 0));
  expect(classesOf(fewerMissed)).toEqual([[0, 200, 0, 0, 0]]);
  expect(missedIn(fewerMissed, 10)).toBe(0);
});

test('ten minutes are kept', () => {
  const rates = Array.from({ length: 700 }, (_, second) => totals(second, second, 0)).reduce(addTotals, NO_RATES);
  expect(rates.points).toHaveLength(RATE_SECONDS);
});

test('what came is what was received and what was dropped, over a reset too', () => {
  const first = tallyAt({ ...EMPTY_TALLY, before: 40 }, totals(0, 130, 10), 90, 10);
  expect(cameSince(first)).toBe(100);
  const second = tallyAt(tallyReset(90, 10), totals(1, 5, 0), 95, 10);
  expect(cameSince(second)).toBe(105);
  expect(cameSince(EMPTY_TALLY)).toBeUndefined();
});

test('a page is slow when its frames take over 8 ms in the mean of two seconds, without a pause', () => {
  const watch = new SlowWatch();
  const frames = (from: number, to: number, tookMs: (index: number) => number): boolean[] =>
    Array.from({ length: (to - from) / 100 }, (_, index) => watch.add(tookMs(index), from + index * 100));
  expect(frames(0, 1_900, () => 9)).not.toContain(true);
  expect(watch.add(9, 2_000)).toBe(true);
  watch.clear();
  // One quick frame between slow ones changes nothing, nor does a slow one between quick ones.
  expect(frames(3_000, 6_000, (index) => (index % 10 === 0 ? 1 : 12)).at(-1)).toBe(true);
  watch.clear();
  expect(frames(7_000, 10_000, (index) => (index % 10 === 0 ? 40 : 2))).not.toContain(true);
  // Idle in between.
  expect(frames(20_000, 21_900, () => 20)).not.toContain(true);
  watch.clear();
  // The slower, the fewer frames.
  expect([30_000, 31_500, 33_000].map((at) => watch.add(600, at))).toEqual([false, true, true]);
});
