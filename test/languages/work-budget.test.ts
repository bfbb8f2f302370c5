/** What printing and comparing a value is charged. */
import { expect, test } from 'vitest';
import { takeWhole, type WorkBudget } from '../../src/languages/work-budget.ts';

test('an object with more names than the budget suffices for is not printed', () => {
  const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, 0]));
  const budget: WorkBudget = { work: 10_000 };
  expect(takeWhole(budget, value)).toBe(false);
  expect(budget.work).toBeLessThan(0);
});
