import { expect, test } from 'vitest';
import { estimate } from '../../../bench/commits/interval.ts';

/** Ten values evenly around a middle. */
const around = (middle: number): number[] => Array.from({ length: 10 }, (_, index) => middle + (index - 4.5) * 0.01);

test('the interval holds the median, and of equal values is that value', () => {
  expect(estimate([[1.1, 1.1], [1.1]])).toEqual({ median: 1.1, low: 1.1, high: 1.1 });
  const { median, low, high } = estimate([around(1), around(1)]);
  expect(median).toBeCloseTo(1);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1);
});

test('a difference that every start shows is outside the interval', () => {
  expect(estimate([around(1.1), around(1.1), around(1.1), around(1.1)]).low).toBeGreaterThan(1.05);
});

test('starts that contradict each other widen the interval, however sure each is of itself', () => {
  const { low, high } = estimate([around(0.9), around(0.9), around(1.2), around(1.2)]);
  expect(low).toBeLessThan(1);
  expect(high).toBeGreaterThan(1.1);
});
